#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compute/computation.h"
#include "compute/evaluator.h"
#include "document/document.h"
#include "document/imported_document.h"
#include "session/figure_state.h"
#include "session/view_state.h"
#include "teach/judge.h"
#include "teach/lesson.h"
#include "view/board.h"

// The state that one frame shows of each feature, and the features' controllers. All members of the state are values,
// so a copy can be drawn while the session goes on.
namespace attnscope {

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
  class LessonEditor& lesson_editor;
  class PredictionController& predictions;
  class ModelController& models;
  class FilmController& films;
};

// A call of a named function of a controller: `[path](const Controllers& to) { to.files.save(path); }`. It runs
// after the panel that pushed it, and captures what it needs by value. An Error that it throws becomes a message and
// changes nothing.
using Call = std::function<void(const Controllers&)>;

// The calls that panels ask for while they draw a frame. The session runs them in order. Frames that are drawn of a
// moment that has passed throw their queue away.
class CallQueue {
public:
  void push(Call call) {
    calls_.push_back(std::move(call));
    is_frame_asked_ = true;
  }
  // A call after which the next frame looks the same, unless the call itself changes something on the screen.
  void push_idle(Call call) { calls_.push_back(std::move(call)); }
  // Hands each call to `run`, also those that are pushed meanwhile. Returns whether one of them asks for another frame.
  bool drain(const std::function<void(const Call&)>& run) {
    while (!calls_.empty()) {
      for (const Call& call : std::exchange(calls_, {})) run(call);
    }
    return std::exchange(is_frame_asked_, false);
  }

private:
  std::vector<Call> calls_;
  bool is_frame_asked_ = false;
};

// The one dialog that can be open, and what is typed into it.
struct DialogState {
  enum class Kind {
    none,
    open,
    save_as,
    export_weights,
    screenshot_folder,
    shortcuts,
    glossary,
    about,
    restore,
    figure,
    unsaved,
    question,
    choice,
    settings,
    examples,
    pairs,
    save_lesson,
    export_page
  };
  enum class Filter { all, documents, pictures, arrays };
  struct Entry {
    std::string name;
    bool is_folder = false;
  };

  Kind kind = Kind::none;
  std::filesystem::path folder;           // the folder that a file dialog lists
  std::vector<Entry> entries;             // its content: folders first, then files, each by name
  std::string name;                       // the name of a file that was typed or clicked
  std::string error;                      // why the last try failed
  Filter filter = Filter::all;            // which files the dialog Open lists
  bool lists_tokens = false;              // Open lists *.txt, too: they name tokens.
  std::optional<std::string> new_folder;  // the typed name of a folder to create; none: nobody asked for one
  std::filesystem::path previewed;        // the file whose preview Open shows
  std::vector<std::string> preview;       // the lines of that preview
  bool is_previewing = false;             // the preview is being read
  FigureChoices figure;                   // choices of the figure to export
  std::string question;                   // asked before an action that cannot be undone
  std::string yes;                        // label of the button that agrees
  Call agreed;                            // runs if the user agrees
  std::vector<std::pair<std::string, Call>> answers;  // of the dialog choice: each answer, and what runs then
  Kind returns_to = Kind::none;                       // the dialog that opens again after the question
};

// The files that dialogs list, and the file that a typed name means.

// Returns an absolute path for what was typed or pasted: a name in the listed folder, a path, one from the home folder,
// one in quotes, or a file:// address.
std::filesystem::path typed_path(const DialogState& dialog);
// Returns that path, with the dialog's usual ending where none was typed.
std::filesystem::path chosen_path(const DialogState& dialog);
bool replaces_a_file(const DialogState& dialog);

// Lists a folder into a file dialog's state: subfolders and the files that the dialog is for, unless it is for folders
// only. A folder that cannot be read leaves the listing empty and says why in `error`.
void list_folder(DialogState& dialog, const std::filesystem::path& folder);

// The panel that finds cells: its text, its choices, and the place that it has reached in the matrix.
struct GoToState {
  enum class Side { query, key, both };
  enum class Target { token, largest, diagonal, first_column };  // each step goes to the next one

  bool is_open = false;
  std::string text;       // part of the searched token's name, or its number
  Side side = Side::key;  // the token's role in the found cell
  Index token = -1;       // the token found last for `text`
  Index largest = -1;     // rank of the found cell among the largest, from 0
  std::string status;     // says where the last step led
};

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
  bool joins_last = false;                // Undo takes it back together with the edit before it.
};

// A text that changes the document once its field is entered or left, or another edit begins.
struct TextEdit {
  std::uint32_t control = 0;  // the field
  std::string label;
  std::string text;
  std::function<void(Document&)> change;  // It is null if the text is what the document has.
};

// The words of a sentence whose embeddings the program invented, and what the trained model knows of them.
struct InventedWords {
  std::vector<std::string> words;
  std::string text;                           // the sentence, for a model to read
  std::vector<std::string> unknown_to_model;  // words of it that the trained model of the program does not know
  std::vector<std::string> known_to_model;    // all that it knows, in alphabetical order
};

struct DocumentShown {
  Document document;
  std::shared_ptr<const InventedWords> invented;  // null: no numbers are invented
  std::vector<std::string> labels;                // the names of its tokens
  std::vector<std::string> query_labels;          // the names of its queries; none if they have only numbers
  std::uint64_t edition = 0;  // changes with the document and with the attention whose tokens it names
  std::string undo_label;     // what Undo would take back; empty for nothing
  std::string redo_label;
  std::shared_ptr<const Document> before;  // the document before the last edit; null without an edit
  std::optional<TypedText> typed;          // a refused text with the reason, until the document changes
  std::uint64_t replaced = 0;              // changes if another document replaces the one that a field edits
};

struct EvaluationShown {
  Evaluation evaluation;
  bool is_current = false;  // the result belongs to the current document
  bool is_busy = false;
  bool has_equal_shares = false;  // every weight of the result is near an equal share of its row
  std::optional<float> progress;  // progress of an evaluation that takes a while
};

// A file that was opened or saved not long ago.
struct RecentFile {
  std::filesystem::path path;
  bool is_there = true;  // the file existed when the list was last checked
};

// Unsaved changes that a program left behind when it ended without being asked to.
struct LostDocument {
  std::filesystem::path kept_in;
  std::filesystem::path file;            // the file of the document; empty if it has none
  std::filesystem::file_time_type time;  // when the changes were last kept
  bool is_lesson = false;                // it is a lesson that was being made
};

struct FilesShown {
  std::filesystem::path file;    // empty for a document without one
  bool file_is_picture = false;  // `file` is a picture that carries the document: saving asks for another name
  bool is_modified = false;
  std::vector<RecentFile> recent;  // newest first
  std::vector<LostDocument> lost;  // newest first
  std::filesystem::path page;      // the page that documents are put into; empty: there is none
};

struct AttentionShown {
  std::optional<ImportedView> viewing;  // attention from a file, whose tokens the document names
  std::filesystem::path arrays;         // the arrays opened last, to be read as something else; empty for none
  std::optional<Index> wanted_layer;    // the layer that is being read of the file
  std::vector<Evaluation> layers;  // The first layers of the file. One that would have to be unpacked has no result.
};

// A line of news for the user; the newest stands in the status line until it is old.
struct Message {
  std::string text;
  bool is_error = false;
  double time = 0;  // seconds since start, when it was said
};

// The document that this one is compared with: one that it brings along, or itself before the last edit.
struct ComparisonShown {
  std::shared_ptr<const Document> compared;      // null if there is no comparison
  std::vector<std::string> compared_labels;      // one for each of its tokens
  std::shared_ptr<const Comparison> comparison;  // null until there is one

  bool is_comparing() const { return compared != nullptr; }
};

struct QuestionRemedy;
struct ReaderAnswer {    // to a ReaderQuestion
  std::string question;  // the id of the question
  std::string text;
  std::string example = {};                          // the example that the numbers belong to; empty: the document
  std::shared_ptr<const QuestionRemedy> trial = {};  // a change that shows it; null: none
};

// A teaching view of the document and the answer to a question, computed in the background.
struct TeachingViewShown {
  std::shared_ptr<const Board> board;          // for the current choices, or the ones before; null until there is one
  std::shared_ptr<const ReaderAnswer> answer;  // likewise
};

// A trained model as it was run on the document's text, in the background.
struct ModelShown {
  std::shared_ptr<const ModelRun> run;         // the newest; null until there is one
  std::shared_ptr<const HeadRanking> ranking;  // ranks the heads of that run; null until there is one
  std::optional<float> ranked;                 // the share of heads ranked so far, while ranking is under way
  std::string error;                           // why it could not be run; empty where it could
  bool is_current = false;                     // `run` belongs to the current document
};

struct Film;

// The film of a number while somebody watches it. The numbers may change under it.
struct FilmShown {
  enum class Playing { nothing, scene, film };  // a scene ends paused; the film goes on to the next one
  struct Watching {
    Source cell;
    std::size_t scene = 0;
    double t = 0;  // how much of the scene has passed, from 0 to 1
    Playing playing = Playing::film;
    bool operator==(const Watching&) const = default;
  };

  // The way back to the diagram, on which the number flies to its cell.
  struct Landing {
    std::shared_ptr<const Film> film;
    std::size_t scene = 0;
    double t = 0;  // from 0 to 1
  };

  std::optional<Watching> watching;  // nothing while no film is open
  bool is_step = false;              // only the scenes that make the number's stage are watched, in a presentation
  std::optional<Landing> landing;    // nothing if no film was just closed
  std::shared_ptr<const Film> film;  // the film of the newest numbers; null until there is one

  bool is_open() const { return watching && film; }
};

// The texts of a step with their numbers, written once because the numbers can be many.
struct LessonTexts {
  std::vector<TextBlock> text;
  std::vector<TextBlock> ask;
  std::vector<TextBlock> because;
  std::vector<std::string> choices;
  std::vector<std::string> bars;  // labels of the bars of a sketch
  std::string answer;             // the right answer
  std::string goal;               // what the learner is to reach
};

// How a question is answered.
struct Answering {
  std::shared_ptr<const Result> numbers;  // the result of the asked document; null until it is evaluated
  Answer answer;                          // the answer so far
  std::optional<Verdict> verdict;         // the verdict on the last answer
  LessonTexts texts;
};

// The cover and the question outside of lessons. They last for this sitting: neither saved nor undone.
struct PredictionShown : Answering {
  std::optional<Cover> cover;  // nothing while no number is covered
  Question::Kind kind = Question::Kind::cell;
  Source asked;          // the asked cell, or a cell of the asked row
  std::string obstacle;  // why it cannot be asked; empty if it can
  Question question;     // asks about the current numbers
  QuestionRecord record;
  PredictionScore score;  // counts all questions

  bool is_done() const { return record.is_done() || record.wrong > 0; }  // there is one guess
};

// The lesson that is open, and how far the learner is.
struct LessonShown : Answering {
  std::shared_ptr<const Lesson> lesson;            // null: no lesson is open
  std::vector<std::shared_ptr<const Lesson>> own;  // lessons opened from files
  std::size_t step = 0;                            // one more than the last step: the end
  bool shows_setup = false;                        // the setup stands in the lesson's place
  bool is_changed = false;                         // the document differs from the step's
  LessonProgress progress;
  std::vector<Cover> covers;  // hide what the question asks for until it is answered

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

// Small pictures of examples and ready pairs, drawn in the background while their gallery is open.
struct GalleryShown {
  using Pictures = std::map<std::string, std::shared_ptr<const FigureImage>>;
  std::shared_ptr<const Pictures> pictures =
      std::make_shared<const Pictures>();  // the picture of each widget, by its name
};

// The lesson that is being made in the window.
struct LessonDraft {
  Lesson lesson;                      // can be read as it is, but its texts may be empty
  std::size_t step = 0;               // the chosen step
  std::filesystem::path file;         // empty: it was not saved yet
  std::uint64_t edition = 0;          // changes with the lesson
  bool is_modified = false;           // it differs from the file
  bool is_restored = false;           // a program that ended without saving it left it behind
  bool shows_setup = false;           // the setup stands in the editor's place
  bool is_newest = false;             // the last edit was one of the lesson, and not of the document
  std::string answer;                 // of the chosen step in words, with its number; empty until that is computed
  std::string answer_words;           // the same without its number, also while another document is on the screen
  std::string undo_label;             // the edit of the lesson that Undo would take back; empty for none
  std::string redo_label;             // likewise
  bool is_checked = false;            // `mistakes` are those of the lesson as it is
  std::vector<std::string> mistakes;  // sentences
  std::vector<std::string> left_out;  // sentences that the handout leaves out
  int checks = 0;                     // how often it was checked

  const LessonStep& current() const { return lesson.steps[step]; }
};

struct UiState : DocumentShown, EvaluationShown, FilesShown, AttentionShown, ComparisonShown, TeachingViewShown {
  ModelShown model;
  ModelShown compared_model;  // that of the document with which this one is compared, while it is looked at
  FilmShown film;
  ViewState view;
  std::optional<Source> hovered;  // the cell under the pointer in the frame before
  std::string reading;            // "Reading attention.npz: 43 %"; empty for nothing
  std::deque<Message> messages;
  DialogState dialog;
  GoToState go_to;
  FigureState figure;
  LessonShown lesson;
  std::shared_ptr<const LessonDraft> draft;  // null: no lesson is being made
  PredictionShown prediction;
  GalleryShown gallery;
  std::string footer;  // a line below everything; empty in the window, where the menus say the same

  const Result* result() const { return evaluation.result.get(); }
  // The numbers of the document as it is now; null until all are computed, and for attention of a file.
  std::shared_ptr<const Result> whole_result() const {
    const bool is_there = is_current && result() && result()->finished.are_all() && !result()->imported;
    return is_there ? evaluation.result : nullptr;
  }
};

inline const std::vector<std::string> no_labels;

// Returns the names of the queries; none if there are more or fewer of them than keys, and the document names none.
const std::vector<std::string>& query_labels(const UiState& now);

// Returns the heads that are switched off, from the lowest layer of a model upwards.
std::vector<LayerPicture> heads_off_in(const AttentionConfig& config);
// Returns the head of a model that is looked at: that of the keys, one that is off, or that of the pointer. Nothing in
// other views.
std::optional<LayerPicture> chosen_head_of_model(const UiState& now);

// Returns what is covered to be predicted, by the learner or because a lesson asks for it.
std::span<const Cover> covers_of(const UiState& now);
// Returns why an action that would show covered numbers is refused: "The weights are covered: …"; empty if nothing is
// covered.
std::string obstacle_of_cover(const UiState& now);

// Returns the lesson that is open, else the one that is being made, else null.
const Lesson* lesson_on_screen(const UiState& now);

// Returns whether Undo and Redo are those of the lesson that is being made.
bool undoes_lesson(const UiState& now);
bool redoes_lesson(const UiState& now);

// Looks at a document as a step of a lesson says.
void look_at_step(ViewState& view, const ViewAddress& address);
// Returns how the document on the screen is looked at, as a step of a lesson.
ViewAddress view_on_screen(const UiState& now);

// Returns the chance of a next word in Model as a formula: of the word that is followed, or else of the likeliest one
// that a formula can name. Empty where there is none.
std::string chance_on_screen(const UiState& now);
// Returns whether the screen shows what the step shows.
bool is_on_screen(const UiState& now, const LessonStep& step);

KnownViews known_views();  // all that a lesson may name

}  // namespace attnscope
