#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "document/imported_document.h"
#include "features/shared/app_services.h"
#include "files/document_file.h"
#include "platform/system/file.h"
#include "session/ui_state.h"

namespace attnscope {

// The files that were opened or saved last, newest first. They are kept in a file that all programs share: each change
// is made to what stands there at the moment, so that two windows do not forget each other's. A change that cannot be
// written, because another program keeps the file locked, is written with the next one.
class RecentFiles {
public:
  static constexpr std::size_t max_files = 10;

  RecentFiles() = default;  // remembers them while the program runs
  explicit RecentFiles(std::filesystem::path kept_in);

  // These throw Error when the file cannot be written; the list has changed then all the same.
  void add(const std::filesystem::path& path);
  void remove(const std::filesystem::path& path);
  void refresh();  // takes over what other programs did, and looks which files are still there
  void keep();     // writes what could not be written before; throws as the others
  bool is_kept() const { return unwritten_.empty(); }

  const std::vector<RecentFile>& files() const { return files_; }

private:
  void read();
  void make_changes();

  std::filesystem::path kept_in_;
  std::vector<std::function<void(std::vector<RecentFile>& files)>> unwritten_;  // changes
  std::vector<RecentFile> files_;
};

using Unsaved = std::variant<AnyDocument, std::shared_ptr<const Lesson>>;

// Keeps unsaved changes in a file of this program's own, so that a crash loses a second of work. A lock beside the
// file says that its program runs; one that nobody holds was left by a program that did not end as it should.
class Autosave {
public:
  // Seconds that a change waits for further ones, and that it waits at most while they go on.
  static constexpr double quiet = 0.5;
  static constexpr double longest = 5;

  Autosave() = default;  // keeps nothing
  // `process` names the file. Throws Error when the folder cannot be used.
  Autosave(std::filesystem::path folder, int process);
  Autosave(Autosave&&) = default;
  Autosave& operator=(Autosave&&) = default;
  ~Autosave() = default;  // what is kept stays: only forget() says that nothing was lost

  // To be called now and then, at `now` seconds: writes in the background what has waited long enough, and removes what
  // was written once it is saved elsewhere. `document` is asked for when it is written; `edition` changes with it.
  // Returns the sentence of a failure.
  std::optional<std::string> update(const std::function<Unsaved()>& document, std::uint64_t edition, bool is_modified,
                                    const std::filesystem::path& file, double now);
  double seconds_to_update(double now) const;  // negative for never
  // Saves before it returns, for a program that is made to end.
  std::string update_now(const Unsaved& document, const std::filesystem::path& file);
  void forget();  // the program ends, and nothing is unsaved

  // Returns the documents of programs that ended without saving, newest first. Each is this program's from now on:
  // others do not see it.
  std::vector<LostDocument> find_lost();
  // Read the document or the lesson. Throw Error.
  static AnyDocument read(const LostDocument& lost, const PartWatch& watch = {});
  static Lesson read_lesson(const LostDocument& lost, const PartWatch& watch = {});
  // Makes this program the one that keeps it. Throws Error, and then it stays where it is.
  void take_over(const LostDocument& lost);
  void take_over(Autosave& other);  // what another one of this program keeps, which keeps nothing then
  void discard(const LostDocument& lost);
  void release(const std::filesystem::path& kept_in);  // another file of this program keeps it
  bool is_on() const { return lock_.is_held(); }

private:
  struct Claim {
    std::filesystem::path kept_in;
    FileLock lock;
  };

  void claim(const std::filesystem::path& kept_in, std::vector<LostDocument>& lost);
  std::optional<std::string> finish_writing();

  std::filesystem::path folder_;
  std::filesystem::path kept_in_;  // this program's own file
  FileLock lock_;
  std::vector<Claim> claims_;
  bool is_kept_ = false;               // `kept_in_` is there
  std::uint64_t kept_edition_ = 0;     // the edition in the file or on its way
  std::uint64_t changed_edition_ = 0;  // the edition that `due_` counts from
  std::optional<double> first_due_;    // when the first of these changes must be written
  std::optional<double> due_;          // when the next writing begins
  std::future<std::string> writing_;   // empty text: it went well
};

// Unsaved changes of a document that a lesson has taken the place of. What is kept of them stays for the next start,
// unless the document is shown again.
struct SetAside {
  Autosave autosave;
  AnyDocument document;
  std::filesystem::path file;
};

// The file of the document: saving, unsaved changes and those that a crash left, files opened before.
class FileController {
public:
  // An answer to the question about unsaved changes.
  enum class Answer { save, discard, cancel };

  FileController(const AppServices& services, DocumentEditor& documents, SubjectDisplay& display, FileReader& reader,
                 DialogOpener& dialogs, LessonOpener& lessons, FilesShown& shown);

  // Saves the document where it came from, or in another file. Asks before it replaces a file that another program has
  // changed, unless `replaces_changed`.
  void save(const std::optional<std::filesystem::path>& path = {}, bool replaces_changed = false);
  void answer_unsaved(Answer answer);
  // Looks which recent files are still there.
  void refresh_recent();
  void restore_lost(const std::filesystem::path& kept_in);
  void discard_lost(const std::filesystem::path& kept_in);
  // Writes a name into the dialog that is about to write a file.
  void propose_name();
  // Ends the program. Unsaved changes of a lesson that is being made, and of documents that are set aside, are kept for
  // the next start; if that is not possible, it asks first, unless it `loses_them`.
  void quit(bool loses_them = false);

  // Notes the file that the document in the window comes from.
  void opened(std::filesystem::path file, bool is_from_picture, AnyDocument saved, std::optional<FileStamp> stamp);
  const AnyDocument& saved() const { return saved_; }
  const std::optional<FileStamp>& stamp() const { return stamp_; }
  // See UnsavedChanges.
  bool ask_before(std::function<void()> next);
  std::shared_ptr<SetAside> set_aside();  // null if nothing is unsaved
  void bring_back(SetAside& aside);       // The document is shown again.
  void follow();                          // finds out whether something is unsaved, after the document changed
  void compare();                         // does so whatever was answered about unsaved changes
  void remember(const std::filesystem::path& path);  // among the recent files
  void forget_missing(const std::filesystem::path& path);

  // See Session.
  void keep_state_in(const std::filesystem::path& folder, int process);
  void autosave(double now);
  void keep_unsaved();
  double seconds_to_autosave(double now) const;
  bool quit_requested() const { return quit_requested_; }

private:
  void finish_typing();
  bool is_step_of_lesson(const AnyDocument& document) const;
  bool save_to(const std::filesystem::path& path);
  bool was_changed(const std::filesystem::path& path) const;
  void ask_to_replace(const std::filesystem::path& path);
  void save_once_hashed(const std::optional<std::filesystem::path>& path, bool replaces_changed,
                        const std::shared_ptr<const TrainedModel>& model);
  void do_deferred();
  std::string name_to_save() const;
  void take_lost(LoadedChanges loaded, const LostDocument& lost);
  Autosave new_autosave();
  Autosave& autosave_of_lesson();
  std::string keep_lesson();
  std::string loss_of_quitting();
  void restore_lesson(const LostDocument& lost);
  void forget_lost(const LostDocument& lost);
  void show_lost(LoadedDocument changed, LoadedFile saved, const LostDocument& lost);
  void show_lost(LoadedAttention attention, LoadedFile saved, const LostDocument& lost);

  AppServices to_;
  DocumentEditor& documents_;
  SubjectDisplay& display_;
  FileReader& reader_;
  DialogOpener& dialogs_;
  LessonOpener& lessons_;
  FilesShown& shown_;
  RecentFiles recent_;
  Autosave autosave_;
  std::function<Autosave()> make_autosave_;  // null: nothing is kept
  Autosave lesson_autosave_;                 // of a lesson that is being made, once there is one
  std::vector<std::weak_ptr<SetAside>> set_aside_;
  AnyDocument saved_;               // the document when it was last saved, opened or created
  std::optional<FileStamp> stamp_;  // stamp of the file at that moment
  std::uint64_t compared_ = 0;      // edition of the document
  std::function<void()> deferred_;  // waits for the answer about unsaved changes; null for nothing
  bool quit_requested_ = false;
};

}  // namespace attnscope
