#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compute/background.h"
#include "features/shared/imported_file.h"
#include "files/document_file.h"
#include "files/import.h"
#include "platform/system/other_programs.h"
#include "session/ui_state.h"
#include "session/view_state.h"
#include "teach/lesson.h"

namespace attnscope {

// A document with arrays of another program in it.
struct ImportedArrays {
  Document document;
  std::shared_ptr<const NamedArrays> file;
  bool is_weights = false;  // false: embeddings
  std::string note = {};    // a sentence to be said about it; mostly empty
};
// The lessons of a file or of a folder, which has at least one.
struct LoadedLessons {
  std::vector<std::shared_ptr<const Lesson>> lessons;
};
struct LoadedTokens {
  std::vector<std::string> names;
  bool are_queries = false;  // of queries that are other tokens than the keys
};
// Unsaved changes that a crash left behind, and what stands in the file that they belong to.
struct LoadedChanges {
  std::variant<LoadedDocument, LoadedAttention> changed;
  LoadedFile saved;
};
// A question about a file whose content does not say everything: the window asks it in a dialog.
using OpenQuestion = ChoiceNeeded;
using Loaded = std::variant<std::monostate, LoadedAttention, ImportedArrays, LoadedDocument, LoadedLessons,
                            LoadedTokens, LoadedChanges, OpenQuestion>;

struct SetAside;

// A new subject that takes the place of the old one.
struct Opened {
  Document document;
  std::shared_ptr<const ImportedFile> attention = {};  // null: the document is computed
  std::filesystem::path file = {};                     // empty for a document without one
  bool is_from_picture = false;                        // `file` is a picture that carries it
  std::optional<AnyDocument> saved = {};               // what is in the file; nothing: what is shown
  std::string view = {};                               // how a picture looked at it
  std::optional<FileStamp> stamp = {};                 // of `file` before it was read
  std::string undo_label = {};                         // not empty: Undo leads back to what was shown
  std::shared_ptr<SetAside> unsaved = {};              // it was set aside with unsaved changes; else null
};

// The interfaces of what controllers ask of others, which they do not know. A controller gets those that it needs when
// it is made. The session implements all of them. The functions may throw Error.

struct DocumentEditor {
  virtual void edit(const DocumentEdit& edit) = 0;
  virtual void finish_edit() = 0;

protected:
  ~DocumentEditor() = default;
};

struct SubjectDisplay {
  virtual void show(Opened opened) = 0;
  virtual void show_attention(LoadedAttention attention) = 0;
  // Shows another part of the attention that is looked at.
  virtual void show_other_part(std::shared_ptr<const ImportedFile> attention) = 0;
  // Forgets the pinned number, which was one of other numbers, and pins the most telling weight of the document as it
  // is now.
  virtual void pin_anew() = 0;
  // Returns the current subject, to be shown again later. Its unsaved changes are kept until then.
  virtual Opened set_aside() = 0;

protected:
  ~SubjectDisplay() = default;
};

struct UnsavedChanges {
  // Returns true if the user must answer the question about unsaved changes first; `next` is called after that.
  virtual bool ask_before(std::function<void()> next) = 0;
  // Notes that the file that should have replaced the subject was not opened: unsaved changes are still unsaved.
  virtual void keep_what_was_shown() = 0;
  virtual void forget_missing(const std::filesystem::path& path) = 0;  // removes it from the recent files
protected:
  ~UnsavedChanges() = default;
};

struct FileReader {
  // Reads something in the background, and uses it once it is there; both may throw Error, which becomes a message.
  using Read = std::function<Loaded(const UnpackWatch&)>;
  using Take = std::function<void(Loaded)>;

  virtual void read(const std::filesystem::path& path, Read read, Take take) = 0;
  virtual void stop_reading() = 0;

protected:
  ~FileReader() = default;
};

struct DialogOpener {
  virtual void show_dialog(DialogState::Kind kind) = 0;

protected:
  ~DialogOpener() = default;
};

// The parts of dialogs that belong to the features which they are about.
struct DialogContents {
  virtual void propose_file_name() = 0;
  virtual void prepare_figure() = 0;
  virtual void name_figure() = 0;
  virtual void stop_figure() = 0;

protected:
  ~DialogContents() = default;
};

struct LessonOpener {
  virtual void open_lessons(std::vector<std::shared_ptr<const Lesson>> lessons) = 0;
  // Goes on making a lesson that a program left behind when it ended; `file` is where it is saved, or empty.
  virtual void restore_lesson(const std::shared_ptr<const Lesson>& lesson, const std::filesystem::path& file) = 0;
  // Opens a lesson that is being made at a step, as a student who has answered nothing yet.
  virtual void try_lesson(std::shared_ptr<const Lesson> lesson, std::size_t step) = 0;

protected:
  ~LessonOpener() = default;
};

struct FilmPlayer {
  virtual void watch_film(const Source& cell) = 0;
  virtual void close_film() = 0;

protected:
  ~FilmPlayer() = default;
};

struct CoverRemover {
  virtual void uncover() = 0;

protected:
  ~CoverRemover() = default;
};

// The messages to the user.
class MessageController {
public:
  MessageController(std::deque<Message>& shown, const Desktop& desktop) : shown_(shown), desktop_(desktop) {}

  void say(std::string_view text, bool is_error = false);
  bool attempt(const std::function<void()>& work);  // runs work, and says its failure; returns whether it went well
  void expire(double now);                          // forgets old messages
  void forget_all() { shown_.clear(); }
  double seconds_to_next_change(double now) const;  // negative for never

private:
  std::deque<Message>& shown_;
  const Desktop& desktop_;
};

// Returns the sentence of the exception that is being handled; rethrows what is no std::exception.
std::string current_failure();

// Runs work that may fail. Returns the sentence of what it throws; empty if it went well.
std::string failure_of(const std::function<void()>& work);

// Most controllers work with these parts, beside the state that they show themselves.
struct AppServices {
  const UiState& now;
  const Subject& subject;
  MessageController& messages;
  std::function<void(std::function<void()>)> later;  // It calls a function between frames, after the calls before it.
  ViewState& view;
  DialogState& dialog;
  const Desktop& desktop;
};

// How the document is looked at, and the cell under the pointer.
class ViewController {
public:
  ViewController(ViewState& view, std::optional<Source>& hovered) : view_(view), hovered_(hovered) {}

  void change(const std::function<void(ViewState&)>& change) {
    const std::optional<Source> before = view_.pinned;
    change(view_);
    note_pinned(view_, before);
  }
  void hover(const std::optional<Source>& cell) {
    hovered_ = cell;
    is_over_cell_ = true;
  }

  void begin_frame() { is_over_cell_ = false; }
  void end_frame() {  // the cell under the pointer may be gone
    if (!is_over_cell_) hovered_.reset();
  }
  // Looks at another document from its beginning.
  void start_over(const std::optional<Source>& pinned) {
    view_.pinned = pinned;
    view_.transient = {};
    view_.head = 0;
    view_.batch = 0;
    view_.map = {};
    view_.side = ComparedSide::now;
    view_.shows_changes = false;
    hovered_.reset();
  }

private:
  ViewState& view_;
  std::optional<Source>& hovered_;
  bool is_over_cell_ = false;  // The pointer is over a cell in this frame.
};

// The dialog that is open: which one, and the folder that it lists. What is chosen in it belongs to other controllers.
class DialogController {
public:
  DialogController(const AppServices& services, DialogContents& contents, const std::function<void()>& wake);

  void show(DialogState::Kind kind);
  void close();
  void change(const std::function<void(DialogState&)>& change);
  // Creates the folder whose name is typed in the dialog, and lists it.
  void create_folder();

  bool poll();  // whether a preview has come
  void wait() { previewer_.wait(); }

private:
  void preview_chosen_file();

  struct Preview {
    std::filesystem::path path;
    std::vector<std::string> lines;
  };

  AppServices to_;
  DialogContents& contents_;
  Background<std::filesystem::path, Preview> previewer_;
};

// Says in a few lines what a file holds that could be opened: its document, its arrays with their shapes, or the sizes
// of a trained model; else one sentence that says why there is nothing to show. Empty where there is no such file. Of a
// model only config.json is read. Throws Cancelled where `watch` does.
std::vector<std::string> preview_of(const std::filesystem::path& path, const PartWatch& watch = {});

}  // namespace attnscope
