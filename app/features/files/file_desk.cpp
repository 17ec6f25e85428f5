#include "features/files/file_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/shown_text.h"
#include "interchange/document_file.h"

namespace attnscope {

FileDesk::FileDesk(const Neighbours& neighbours, FilesShown& shown)
    : to_(neighbours), shown_(shown), saved_(to_.now.document), compared_(to_.now.edition) {}

void FileDesk::opened(std::filesystem::path file, bool is_from_picture, AnyDocument saved) {
  saved_ = std::move(saved);
  shown_.file = std::move(file);
  shown_.file_is_picture = is_from_picture;
  compare();
}

bool FileDesk::ask_before(Command command) {
  if (!shown_.is_modified) return false;
  deferred_ = std::move(command);
  to_.dialog = {};
  to_.dialog.kind = DialogState::Kind::unsaved;
  return true;
}

void FileDesk::follow() {
  if (compared_ != to_.now.edition) compare();
  if (to_.dialog.kind == DialogState::Kind::none) deferred_.reset();
}

void FileDesk::compare() {
  compared_ = to_.now.edition;
  shown_.is_modified = to_.subject.differs(to_.now.document, saved_, shown_.file);
}

bool FileDesk::save_to(const std::filesystem::path& path) {
  AnyDocument document = to_.subject.to_save(to_.now.document);
  try {
    save_document(document, path);
  } catch (const Error& error) {
    if (to_.dialog.kind == DialogState::Kind::save_as) to_.dialog.error = error.what();
    to_.messages.say(error.what(), true);
    return false;
  }
  opened(path, false, std::move(document));
  to_.view.document_folder = path.parent_path().string();
  to_.dialog = {};
  remember(path);
  to_.messages.say(fmt::format("Saved {}.", shown_path(path)));
  return true;
}

// An action that waited for this save goes on, now that nothing is lost by it. One that waited in vain is given up,
// unless the dialog is still there to try another name.
void FileDesk::apply(const SaveFile& command) {
  const bool needs_name = shown_.file_is_picture || to_.subject.is_own_file(shown_.file);
  const std::filesystem::path path = command.path.value_or(needs_name ? std::filesystem::path() : shown_.file);
  if (path.empty()) return to_.others.pass_on(ShowDialog{ShowDialog::Kind::save_as});
  const bool is_saved = save_to(path);
  if (is_saved && deferred_) to_.queue.push_back(*std::exchange(deferred_, std::nullopt));
}

void FileDesk::apply(const AnswerUnsaved& command) {
  to_.dialog = {};
  if (command.answer == AnswerUnsaved::Answer::save) {
    apply(SaveFile{});
  } else if (command.answer == AnswerUnsaved::Answer::discard && deferred_) {
    shown_.is_modified = false;
    to_.queue.push_back(*std::exchange(deferred_, std::nullopt));
  }
}

void FileDesk::apply(const ProposeName&) {
  const bool is_unnamed = shown_.file.empty();
  if (to_.dialog.kind == DialogState::Kind::save_as) to_.dialog.name = name_to_save();
  if (to_.dialog.kind == DialogState::Kind::export_weights)
    to_.dialog.name = (is_unnamed ? "weights" : shown_.file.stem().string()) + ".safetensors";
}

std::string FileDesk::name_to_save() const {
  if (shown_.file.empty()) return "attention.json";
  std::filesystem::path name = shown_.file.filename();
  if (shown_.file_is_picture || to_.subject.is_own_file(shown_.file)) name.replace_extension(".json");
  return name.string();
}

void FileDesk::apply(const Quit& command) {
  if (ask_before(command)) return;
  quit_requested_ = true;
  autosave_.forget();
}

void FileDesk::apply(const RefreshRecent&) {
  recent_.refresh();
  shown_.recent = recent_.files();
}

void FileDesk::remember(const std::filesystem::path& path) {
  to_.messages.attempt([&] { recent_.add(path); });
  shown_.recent = recent_.files();
}

// A recent file that is gone is not offered again; why it could not be opened was said.
void FileDesk::forget_missing(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto is_it = [&](const RecentFile& file) { return file.path == path; };
  if (std::filesystem::exists(path, ignored) || std::ranges::none_of(recent_.files(), is_it)) return;
  const std::string failure = failure_of([&] { recent_.remove(path); });
  shown_.recent = recent_.files();
  to_.messages.say(
      failure.empty() ? fmt::format("{} is not there any more, and no longer among the recent files.", shown_path(path))
                      : failure,
      true);
}

}  // namespace attnscope
