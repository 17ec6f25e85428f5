#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "document/document.h"
#include "document/viewing.h"
#include "lessons/judge.h"
#include "state/view_state.h"

namespace attnscope {

struct DialogState;
struct GoToState;
struct LessonShown;

// Commands of the panels. They are applied between frames, in order; `change` functions may throw Error, which becomes
// a message and changes nothing.

template <typename State>
struct Update {
  std::function<void(State&)> change;
};
using UpdateView = Update<ViewState>;
using UpdateViewing = Update<Viewing>;  // of attention from a file: another layer, another tensor
using UpdateDialog = Update<DialogState>;
using UpdateGoTo = Update<GoToState>;
using UpdateLesson = Update<LessonShown>;
using UpdateAnswer = Update<Answer>;  // to the lesson's question

struct EditDocument {
  std::string label;                      // "d_out": what undo will say
  std::function<void(Document&)> change;  // applied to the document as it was when the edit began
  bool finished = true;                   // false while a drag goes on, or a number is typed
  std::uint32_t control = 0;              // that is dragged or typed into: an edit by another one finishes this edit
};
struct TypeText {  // that changes the document once its field is entered or left, or another edit begins
  std::uint32_t control = 0;
  std::string label;
  std::string text;
  std::function<void(Document&)> change;  // null: the text is what it was
};
struct FinishEdit {            // the drag ended, or the field was left: one entry for undo
  std::uint32_t control = 0;   // whose edit it is; 0: whichever is under way
  bool is_taken_back = false;  // by Esc
};
struct Hover {
  std::optional<Source> cell;
};
struct Undo {};
struct Redo {};
struct NewDocument {};
struct OpenBuiltin {
  std::string id;
};
struct OpenFile {
  std::filesystem::path path;
};
struct OpenArrays {  // as what the user says that they are
  enum class As { attention, inputs };
  std::filesystem::path path;
  As as = As::attention;
};
struct NameTokens {
  std::string text;  // the names, one a line or with blanks between them
};
struct StopReading {};  // of the file that is being read
struct SaveFile {
  std::optional<std::filesystem::path> path = {};  // none: where the document came from
  bool replaces_changed = false;                   // also where another program has changed the file
};
struct ExportWeights {
  std::filesystem::path path;
};
struct RefreshRecent {};  // the list is about to be looked at
struct RestoreLost {
  std::filesystem::path kept_in;
};
struct DiscardLost {
  std::filesystem::path kept_in;
};
struct ShowDialog {
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
    question
  };
  Kind kind;
};
struct CreateFolder {};  // with the name typed in the dialog, and goes there
struct CloseDialog {};
struct ProposeName {};    // for the file that the dialog is about to write
struct PrepareFigure {};  // its dialog was opened: it begins with what is looked at
struct NameFigure {};     // as what is chosen has it
struct GoTo {
  enum class Target { token, largest, diagonal, first_column };
  Target target;  // the next one of its kind
};
struct AppendWord {       // to the text of a trained model
  bool is_drawn = false;  // from the model's distribution; else the likeliest one
};
struct ChooseScreenshotFolder {
  std::filesystem::path folder;
};
struct ExportFigure {  // as the dialog says
  std::filesystem::path path;
};
struct CopyFigure {};  // the same, to the clipboard
struct StopFigure {};  // the one that is being drawn
struct AnswerUnsaved {
  enum class Answer { save, discard, cancel };
  Answer answer;
};
struct TakeScreenshot {
  int scale = 1;  // pixels per unit
  bool is_for_clipboard = false;
};
struct CopyText {
  std::string text;
  std::string message;
};
struct CopyCode {  // the document, to the clipboard
  enum class Language { pytorch, numpy, latex };
  Language language;
};
struct CopyStage {
  enum class Form { table, python_list, numpy_array, latex_table, latex_matrix, markdown };
  Form form;  // of the matrix that is pinned or shown, as text for other programs
};
struct PasteNumbers {};
struct ShowMessage {
  std::string text;
};
struct OpenLesson {
  std::string id = {};                                      // among those of the program and those that were opened
  std::vector<std::shared_ptr<const Lesson>> lessons = {};  // of files: the first is opened, and all are offered
};
struct CloseLesson {};
struct GoToStep {
  std::size_t step = 0;
};
struct RestoreStep {};     // its document and its view, whatever was changed since
struct AnswerQuestion {};  // with what is typed, clicked, chosen or reached
struct RevealAnswer {};
struct UpdatePrediction {  // of the number or row that is covered
  std::function<void(Answer&)> change;
};
struct JudgePrediction {};
struct RevealPrediction {};
struct CoverStage {
  Stage stage = Stage::weights;
  std::optional<Index> row = {};  // none: all of them
};
struct AskPrediction {
  Question::Kind kind = Question::Kind::cell;
};
struct PredictNext {};  // of the next row, from the first on again once all were
struct Uncover {};
struct RestartLesson {};  // from its first step, with its answers forgotten
struct ClearProgress {};  // of all lessons
struct Quit {};

using Command =
    std::variant<EditDocument, TypeText, FinishEdit, UpdateView, Hover, Undo, Redo, NewDocument, OpenBuiltin, OpenFile,
                 OpenArrays, UpdateViewing, NameTokens, StopReading, SaveFile, ExportWeights, RefreshRecent,
                 RestoreLost, DiscardLost, ShowDialog, CreateFolder, CloseDialog, ProposeName, PrepareFigure,
                 NameFigure, UpdateDialog, UpdateGoTo, GoTo, AppendWord, ChooseScreenshotFolder, ExportFigure,
                 CopyFigure, StopFigure, AnswerUnsaved, TakeScreenshot, CopyText, CopyCode, CopyStage, PasteNumbers,
                 ShowMessage, OpenLesson, CloseLesson, GoToStep, RestoreStep, UpdateLesson, UpdateAnswer,
                 AnswerQuestion, RevealAnswer, UpdatePrediction, JudgePrediction, RevealPrediction, CoverStage,
                 AskPrediction, PredictNext, Uncover, RestartLesson, ClearProgress, Quit>;
using CommandQueue = std::vector<Command>;

}  // namespace attnscope
