#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/computation.h"
#include "compute/evaluator.h"
#include "compute/model_run.h"
#include "document/document.h"
#include "document/imported_document.h"
#include "session/dialog_state.h"
#include "session/figure_state.h"
#include "session/go_to.h"
#include "session/view_state.h"
#include "teach/judge.h"
#include "teach/lesson_text.h"
#include "teach/prediction.h"
#include "teach/progress.h"
#include "view/board.h"

// What a feature has for the others: the state that one frame shows of it, and its controller. All members of the state
// are values: a copy can be drawn while the session goes on.
namespace attnscope {

// A text that was typed into a field and has not changed the document yet.
struct TypedText {
  std::uint32_t control = 0;  // the field
  std::string text;
};

// An edit of the document, as DocumentController::edit() takes it.
struct DocumentEdit {
  std::string label;                      // It says what is undone: "d_out".
  std::function<void(Document&)> change;  // It gets the document as it was when the edit began, and may throw Error.
  bool finished = true;                   // It is false while a drag goes on or a number is typed.
  std::uint32_t control = 0;              // This widget is dragged or typed into. An edit by another one finishes this.
};

// A text that changes the document once its field is entered or left, or another edit begins.
struct TextEdit {
  std::uint32_t control = 0;  // the field
  std::string label;
  std::string text;
  std::function<void(Document&)> change;  // It is null if the text is what the document has.
};

struct DocumentShown {
  Document document;
  std::vector<std::string> labels;  // of its tokens
  std::uint64_t edition = 0;        // changes with the document, and with what it names the tokens of
  std::string undo_label;           // what Undo would take back; empty for nothing
  std::string redo_label;
  std::shared_ptr<const Document> before;  // the last edit; null where there was none
  std::optional<TypedText> typed;          // with a reason why it cannot be applied, until the document changes
  std::uint64_t replaced = 0;              // changes when a document takes the place of what a field was about to edit
};

struct EvaluationShown {
  Evaluation evaluation;
  bool is_current = false;  // it is of the document
  bool is_busy = false;
  std::optional<float> progress;  // of an evaluation that takes a while
};

// A file that was opened or saved not long ago.
struct RecentFile {
  std::filesystem::path path;
  bool is_there = true;  // when the list was last looked at
};

// Unsaved changes that a program left behind when it ended without being asked to.
struct LostDocument {
  std::filesystem::path kept_in;
  std::filesystem::path file;            // that they belong to; empty for a document without one
  std::filesystem::file_time_type time;  // when they were last kept
};

struct FilesShown {
  std::filesystem::path file;    // empty for a document without one
  bool file_is_picture = false;  // `file` is a picture that carries the document: saving asks for another name
  bool is_modified = false;
  std::vector<RecentFile> recent;  // newest first
  std::vector<LostDocument> lost;  // newest first
};

struct AttentionShown {
  std::optional<ImportedView> viewing;  // attention of a file, which the document only names the tokens of
  std::filesystem::path arrays;         // that were opened last, to be read as something else; empty for none
  std::optional<Index> wanted_layer;    // of the file, while that is being read
  std::vector<Evaluation> layers;  // of the file, the first ones; without a result where it would have to be unpacked
};

// A line of news for the user; the newest stands in the status line until it is old.
struct Message {
  std::string text;
  bool is_error = false;
  double time = 0;  // seconds since start, when it was said
};

// The document that this one is compared with: one that it brings along, or itself before the last edit.
struct ComparisonShown {
  std::shared_ptr<const Document> compared;      // null where it is compared with nothing
  std::vector<std::string> compared_labels;      // of its tokens
  std::shared_ptr<const Comparison> comparison;  // null until there is one

  bool is_comparing() const { return compared != nullptr; }
};

struct ReaderAnswer {    // to a ReaderQuestion
  std::string question;  // by its id
  std::string text;
  std::string example = {};  // what the numbers are of, where not of the document; empty: of the document
};

// A teaching view of the document and the answer to a question, computed in the background.
struct TeachingViewShown {
  std::shared_ptr<const Board> board;          // of the choices, or of those before; null until there is one
  std::shared_ptr<const ReaderAnswer> answer;  // likewise
};

// A trained model as it was run on the document's text, in the background.
struct ModelShown {
  std::shared_ptr<const ModelRun> run;         // the newest; null until there is one
  std::shared_ptr<const HeadRanking> ranking;  // of that run; null until there is one
  std::optional<float> ranked;                 // the share of heads that are, while it is under way
  std::string error;                           // why it could not be run; empty where it could
  bool is_current = false;                     // `run` is of the document as it is
};

// The texts of a step with their numbers, written once because the numbers can be many.
struct LessonTexts {
  std::vector<TextBlock> text;
  std::vector<TextBlock> ask;
  std::vector<TextBlock> because;
  std::vector<std::string> choices;
  std::vector<std::string> bars;  // what those of a sketch stand for
  std::string answer;             // the right one
  std::string goal;               // of what is to be reached
};

// How a question is answered.
struct Answering {
  std::shared_ptr<const Result> numbers;  // of the document that it is about; null until it is evaluated
  Answer answer;                          // as far as it is given
  std::optional<Verdict> verdict;         // on the last one
  LessonTexts texts;
};

// The cover and the question outside of lessons. They last for this sitting: neither saved nor undone.
struct PredictionShown : Answering {
  std::optional<Cover> cover;  // none: nothing is
  Question::Kind kind = Question::Kind::cell;
  Source asked;           // the cell, or a cell of the row
  std::string obstacle;   // why that cannot be asked; empty where it can
  Question question;      // of the numbers as they are now
  QuestionRecord record;  // of this question
  PredictionScore score;  // of all

  bool is_done() const { return record.is_done() || record.wrong > 0; }  // there is one guess
};

// The lesson that is open, and how far the learner is.
struct LessonShown : Answering {
  std::shared_ptr<const Lesson> lesson;            // null: none is
  std::vector<std::shared_ptr<const Lesson>> own;  // that were opened from files
  std::size_t step = 0;                            // behind the last one: its end
  bool shows_setup = false;                        // in the lesson's place
  bool is_changed = false;                         // the document is not the step's any more
  LessonProgress progress;

  const LessonStep* current() const { return lesson && step < lesson->steps.size() ? &lesson->steps[step] : nullptr; }
  const Question* question() const {
    const LessonStep* const now = current();
    return now && now->question ? &*now->question : nullptr;
  }
  QuestionRecord record() const {
    const LessonStep* const now = current();
    return now ? progress.of(lesson->id, now->id) : QuestionRecord{};
  }
};

struct UiState : DocumentShown, EvaluationShown, FilesShown, AttentionShown, ComparisonShown, TeachingViewShown {
  ModelShown model;
  ViewState view;
  std::optional<Source> hovered;  // of the frame before
  std::string reading;            // "Reading attention.npz: 43 %"; empty for nothing
  std::deque<Message> messages;
  DialogState dialog;
  GoToState go_to;
  FigureState figure;
  LessonShown lesson;
  PredictionShown prediction;
  std::string footer;  // a line below everything; empty in the window, where the menus say the same

  const Result* result() const { return evaluation.result.get(); }
  // The numbers of the document as it is now; null until all are computed, and for attention of a file.
  std::shared_ptr<const Result> whole_result() const {
    const bool is_there = is_current && result() && result()->finished.are_all() && !result()->imported;
    return is_there ? evaluation.result : nullptr;
  }
};

// The controllers that calls go to. A call includes the header of the controller that it needs.
struct Controllers {
  class MessageController& messages;
  class DialogController& dialogs;
  class ViewController& views;
  class DocumentController& documents;
  class FileController& files;
  class ReadingController& reading;
  class ImportController& viewing;
  class ExchangeController& exchange;
  class ScreenshotController& screenshots;
  class FigureController& figures;
  class SearchController& search;
  class LessonController& lessons;
  class PredictionController& predictions;
  class ModelController& models;
};

inline const std::vector<std::string> no_labels;

// Returns the names of the queries; none if there are more or fewer of them than keys, and the document names none.
inline const std::vector<std::string>& query_labels(const UiState& now) {
  const AttentionConfig& config = now.result()->config;
  if (!begins_with_heads(config)) return now.labels;
  if (now.document.query_tokens.size() > 0) return now.document.query_tokens;
  return query_count(config) == key_count(config) ? now.labels : no_labels;
}

// Says why what would show covered numbers cannot be done: "The weights are covered: …"; empty where nothing is
// covered.
inline std::string obstacle_of_cover(const UiState& now) {
  const std::optional<Cover>& cover = now.prediction.cover;
  if (!cover || !cover->hides_any(now.document.config, cover->stage)) return "";
  return "The " + std::string(info(cover->stage).title) + " are covered: uncover them first (P).";
}

}  // namespace attnscope
