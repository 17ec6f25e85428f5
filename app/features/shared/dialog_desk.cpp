#include "features/shared/dialog_desk.h"

#include <fmt/format.h>

#include <system_error>

#include "core/shown_text.h"
#include "features/files/file_preview.h"
#include "platform/system/paths.h"
#include "state/file_names.h"

namespace attnscope {
namespace {

// Returns the folder where a dialog begins; nothing for dialogs without files.
std::optional<std::string> folder_of(DialogState::Kind kind, const ViewState& view) {
  if (kind == DialogState::Kind::screenshot_folder) return view.screenshot_folder;
  if (kind == DialogState::Kind::figure && !view.figure_folder.empty()) return view.figure_folder;
  const bool has_files = kind <= DialogState::Kind::screenshot_folder || kind == DialogState::Kind::figure;
  return has_files ? std::optional(view.document_folder) : std::nullopt;
}

}  // namespace

void DialogDesk::apply(const ShowDialog& command) {
  if (command.kind == ShowDialog::Kind::export_weights)
    to_.subject.require_computed("There are no weight matrices to export");
  to_.dialog = {};
  to_.dialog.kind = command.kind;
  to_.dialog.lists_tokens = to_.subject.attention() != nullptr;
  const std::optional<std::string> folder = folder_of(to_.dialog.kind, to_.view);
  if (folder) list_folder(to_.dialog, folder->empty() ? working_folder() : std::filesystem::path(*folder));
  const bool is_of_figure = command.kind == ShowDialog::Kind::figure;
  is_of_figure ? to_.others.pass_on(PrepareFigure{}) : to_.others.pass_on(ProposeName{});
}

void DialogDesk::apply(const CloseDialog&) {
  to_.dialog = {};
  to_.others.pass_on(StopFigure{});
}

void DialogDesk::apply(const UpdateDialog& command) {
  command.change(to_.dialog);
  if (to_.dialog.kind == DialogState::Kind::open) preview_chosen_file();
  if (to_.dialog.kind == DialogState::Kind::figure) to_.others.pass_on(NameFigure{});
}

void DialogDesk::preview_chosen_file() {
  const std::filesystem::path path = to_.dialog.name.empty() ? std::filesystem::path() : chosen_path(to_.dialog);
  if (to_.dialog.previewed == path) return;
  to_.dialog.previewed = path;
  to_.dialog.preview = preview_of(path);
}

void DialogDesk::apply(const CreateFolder&) {
  if (!to_.dialog.new_folder) return;
  const std::filesystem::path name = *to_.dialog.new_folder;
  if (name.empty() || name == "." || name == "..") {
    to_.dialog.error = "Type a name for the folder first.";
    return;
  }
  const std::filesystem::path folder = to_.dialog.folder / name;
  std::error_code failure;
  if (std::filesystem::exists(folder, failure)) {
    to_.dialog.error = fmt::format("{} is there already: choose another name.", shown_path(folder));
    return;
  }
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    to_.dialog.error = fmt::format("{} cannot be created: {}.", shown_path(folder), failure.message());
    return;
  }
  to_.dialog.new_folder.reset();
  list_folder(to_.dialog, folder);
}

}  // namespace attnscope
