#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "features/files/autosave.h"
#include "features/shared/app_services.h"
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

// The file of the document: saving, unsaved changes and those that a crash left, files opened before.
class FileController {
public:
  // An answer to the question about unsaved changes.
  enum class Answer { save, discard, cancel };

  FileController(const AppServices& services, DocumentEditor& documents, SubjectDisplay& display, FileReader& reader,
                 DialogOpener& dialogs, FilesShown& shown);

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
  void quit();

  // Notes the file that the document in the window comes from.
  void opened(std::filesystem::path file, bool is_from_picture, AnyDocument saved, std::optional<FileStamp> stamp);
  const AnyDocument& saved() const { return saved_; }
  const std::optional<FileStamp>& stamp() const { return stamp_; }
  // See UnsavedChanges.
  bool ask_before(std::function<void()> next);
  void follow();   // finds out whether something is unsaved, after the document changed
  void compare();  // does so whatever was answered about unsaved changes
  void remember(const std::filesystem::path& path);  // among the recent files
  void forget_missing(const std::filesystem::path& path);

  // See Session.
  void keep_state_in(const std::filesystem::path& folder, int process);
  void autosave(double now);
  void keep_unsaved();
  double seconds_to_autosave(double now) const { return autosave_.seconds_to_update(now); }
  bool quit_requested() const { return quit_requested_; }

private:
  void finish_typing();
  bool save_to(const std::filesystem::path& path);
  bool was_changed(const std::filesystem::path& path) const;
  void ask_to_replace(const std::filesystem::path& path);
  void save_once_hashed(const std::optional<std::filesystem::path>& path, bool replaces_changed,
                        const std::shared_ptr<const TrainedModel>& model);
  void do_deferred();
  std::string name_to_save() const;
  void take_lost(LoadedChanges loaded, const LostDocument& lost);
  void show_lost(LoadedDocument changed, LoadedFile saved, const LostDocument& lost);
  void show_lost(LoadedAttention attention, LoadedFile saved, const LostDocument& lost);

  AppServices to_;
  DocumentEditor& documents_;
  SubjectDisplay& display_;
  FileReader& reader_;
  DialogOpener& dialogs_;
  FilesShown& shown_;
  RecentFiles recent_;
  Autosave autosave_;
  AnyDocument saved_;               // as last saved, opened or created
  std::optional<FileStamp> stamp_;  // stamp of the file at that moment
  std::uint64_t compared_ = 0;      // edition of the document
  std::function<void()> deferred_;  // waits for the answer about unsaved changes; null for nothing
  bool quit_requested_ = false;
};

}  // namespace attnscope
