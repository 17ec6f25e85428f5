#include "session/dialog_desk.h"

#include <fmt/format.h>

#include <system_error>

#include "session/file_preview.h"
#include "views/file_names.h"

namespace attnscope {
namespace {

DialogState::Kind kind_of(ShowDialog::Kind kind) {
  static constexpr DialogState::Kind kinds[] = {DialogState::Kind::open,           DialogState::Kind::save_as,
                                                DialogState::Kind::export_weights, DialogState::Kind::screenshot_folder,
                                                DialogState::Kind::shortcuts,      DialogState::Kind::glossary,
                                                DialogState::Kind::about,          DialogState::Kind::restore,
                                                DialogState::Kind::figure};
  return kinds[static_cast<std::size_t>(kind)];
}

// Where it begins; nothing for dialogs without files.
std::optional<std::string> folder_of(DialogState::Kind kind, const ViewState& view) {
  if (kind == DialogState::Kind::screenshot_folder) return view.screenshot_folder;
  if (kind == DialogState::Kind::figure && !view.figure_folder.empty()) return view.figure_folder;
  const bool has_files = kind <= DialogState::Kind::screenshot_folder || kind == DialogState::Kind::figure;
  return has_files ? std::optional(view.document_folder) : std::nullopt;
}

}  // namespace

void DialogDesk::apply(const ShowDialog& command) {
  if (command.kind == ShowDialog::Kind::export_weights)
    subject_.require_computed("There are no weight matrices to export");
  dialog_ = {};
  dialog_.kind = kind_of(command.kind);
  dialog_.lists_tokens = subject_.attention() != nullptr;
  const std::optional<std::string> folder = folder_of(dialog_.kind, view_);
  if (folder) list_folder(dialog_, folder->empty() ? std::filesystem::current_path() : std::filesystem::path(*folder));
}

void DialogDesk::apply(const UpdateDialog& command) {
  command.change(dialog_);
  if (dialog_.kind == DialogState::Kind::open) preview_chosen_file();
}

void DialogDesk::preview_chosen_file() {
  const std::filesystem::path path = dialog_.name.empty() ? std::filesystem::path() : chosen_path(dialog_);
  if (dialog_.previewed == path) return;
  dialog_.previewed = path;
  dialog_.preview = preview_of(path);
}

void DialogDesk::apply(const CreateFolder&) {
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
