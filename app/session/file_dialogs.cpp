#include <fmt/format.h>

#include <system_error>

#include "session/file_preview.h"
#include "session/session.h"
#include "views/file_names.h"

// What dialogs that choose a file do besides choosing.
namespace attnscope {

void Session::apply(const UpdateDialog& command) {
  const SweepChoices sweep_before = dialog_.figure.sweep;
  command.change(dialog_);
  if (dialog_.kind == DialogState::Kind::open) preview_chosen_file();
  if (dialog_.kind == DialogState::Kind::figure) follow_choices_with_name(sweep_before);
}

void Session::preview_chosen_file() {
  const std::filesystem::path path = dialog_.name.empty() ? std::filesystem::path() : chosen_path(dialog_);
  if (dialog_.previewed == path) return;
  dialog_.previewed = path;
  dialog_.preview = preview_of(path);
}

void Session::apply(const CreateFolder&) {
  if (!dialog_.new_folder) return;
  const std::filesystem::path name = *dialog_.new_folder;
  if (name.empty() || name == "." || name == "..") {
    dialog_.error = "Type a name for the folder first.";
    return;
  }
  const std::filesystem::path folder = dialog_.folder / name;
  std::error_code failure;
  if (std::filesystem::exists(folder, failure)) {
    dialog_.error = fmt::format("{} is there already: choose another name.", folder.string());
    return;
  }
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    dialog_.error = fmt::format("{} cannot be created: {}.", folder.string(), failure.message());
    return;
  }
  dialog_.new_folder.reset();
  list_folder(dialog_, folder);
}

}  // namespace attnscope
