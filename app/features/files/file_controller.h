#pragma once

#include <optional>

#include "features/files/autosave.h"
#include "features/files/recent_files.h"
#include "features/shared/switchboard.h"

namespace attnscope {

// The file of what is looked at: saving, unsaved changes and what a crash left of them, files opened before.
class FileController {
public:
  FileController(const AppServices& services, FilesShown& shown);

  void apply(const SaveFile& command);
  void apply(const AnswerUnsaved& command);
  void apply(const RefreshRecent&);
  void apply(const RestoreLost& command);
  void apply(const DiscardLost& command);
  void apply(const ProposeName&);
  void apply(const Quit& command);

  // The file that the document in the window comes from.
  void opened(std::filesystem::path file, bool is_from_picture, AnyDocument saved, std::optional<FileStamp> stamp);
  const AnyDocument& saved() const { return saved_; }
  const std::optional<FileStamp>& stamp() const { return stamp_; }
  // True when `command` must wait for the answer to the question about unsaved changes.
  bool ask_before(Command command);
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
  void save_once_hashed(const SaveFile& command, const std::shared_ptr<const TrainedModel>& model);
  std::string name_to_save() const;
  void take_lost(LoadedChanges loaded, const LostDocument& lost);
  void show_lost(LoadedDocument changed, LoadedFile saved, const LostDocument& lost);
  void show_lost(LoadedAttention attention, LoadedFile saved, const LostDocument& lost);

  AppServices to_;
  FilesShown& shown_;
  RecentFiles recent_;
  Autosave autosave_;
  AnyDocument saved_;                // as last saved, opened or created
  std::optional<FileStamp> stamp_;   // of its file then
  std::uint64_t compared_ = 0;       // edition of the document
  std::optional<Command> deferred_;  // waits for the answer about unsaved changes
  bool quit_requested_ = false;
};

}  // namespace attnscope
