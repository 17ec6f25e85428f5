#pragma once

#include <functional>
#include <optional>

#include "features/files/autosave.h"
#include "features/files/recent_files.h"
#include "features/shared/app_services.h"

namespace attnscope {

// The file of what is looked at: saving, unsaved changes and what a crash left of them, files opened before.
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

  // The file that the document in the window comes from.
  void opened(std::filesystem::path file, bool is_from_picture, AnyDocument saved, std::optional<FileStamp> stamp);
  const AnyDocument& saved() const { return saved_; }
  const std::optional<FileStamp>& stamp() const { return stamp_; }
  // See UnsavedChanges.
  bool ask_before(std::function<void()> next);
  void follow();                                     // whether something is unsaved now, after the document changed
  void compare();                                    // the same, whatever was answered about unsaved changes
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
  std::optional<FileStamp> stamp_;  // of its file then
  std::uint64_t compared_ = 0;      // edition of the document
  std::function<void()> deferred_;  // waits for the answer about unsaved changes; null for nothing
  bool quit_requested_ = false;
};

}  // namespace attnscope
