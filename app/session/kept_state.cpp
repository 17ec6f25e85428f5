#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "interchange/document_file.h"
#include "session/session.h"

// What outlives the program: recent files, and unsaved changes after a crash.
namespace attnscope {

void Session::keep_state_in(const std::filesystem::path& folder, int process) {
  recent_ = RecentFiles(folder / "recent.json");
  try {
    autosave_ = Autosave(folder / "autosave", process);
    lost_ = autosave_.find_lost();
  } catch (const Error& error) {
    say(error.what(), true);
  }
  if (!lost_.empty() && dialog_.kind == DialogState::Kind::none) apply(ShowDialog{ShowDialog::Kind::restore});
}

void Session::autosave(double now) {
  if (const auto problem = autosave_.update([this] { return any_document(); }, edition_, is_modified_, file_, now)) {
    say(*problem, true);
  }
}

void Session::remember(const std::filesystem::path& path) {
  try {
    recent_.add(path);
  } catch (const Error& error) {
    say(error.what(), true);
  }
}

// A recent file that is gone is not offered again; why it could not be opened was said.
void Session::forget_missing(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto is_it = [&](const RecentFile& file) { return file.path == path; };
  if (std::filesystem::exists(path, ignored) || std::ranges::none_of(recent_.files(), is_it)) return;
  try {
    recent_.remove(path);
    say(fmt::format("{} is not there any more, and no longer among the recent files.", path.string()), true);
  } catch (const Error& error) {
    say(error.what(), true);
  }
}

// Unsaved against what stands in the file now, or against everything where that cannot be read.
void Session::open_restored(Document document, const std::filesystem::path& file) {
  LoadedDocument saved;
  if (file.empty()) saved.document = default_document();
  try {
    if (!file.empty()) saved = load_document_or_picture(file);
  } catch (const Error&) {
    saved.document.tokens = {};  // a document that no other equals
  }
  show_document(std::move(document), file);
  file_is_picture_ = saved.is_from_picture;
  saved_ = std::move(saved.document);
  is_modified_ = !(history_.current() == saved_);
}

void Session::open_restored(LoadedAttention attention, const std::filesystem::path& file) {
  show_attention(std::move(attention));
  if (file == viewed_->viewing().file) {  // nothing was saved: names that were typed are to be
    saved_viewing_.tokens = numbered_tokens(viewed_->tensors().tokens);
  } else {
    saved_viewing_ = {};
    try {
      const LoadedFile saved = load_any_document(file);
      file_is_picture_ = saved.is_from_picture;
      if (const auto* viewing = std::get_if<ViewingDocument>(&saved.document)) saved_viewing_ = *viewing;
    } catch (const Error&) {
    }
  }
  file_ = file;
  is_modified_ = differs_from_saved();
}

void Session::apply(const RestoreLost& command) {
  const auto found = std::ranges::find(lost_, command.kept_in, &LostDocument::kept_in);
  if (found == lost_.end() || ask_before(command)) return;
  const LostDocument lost = *found;
  try {
    AnyDocument document = Autosave::read(lost);
    auto* const viewing = std::get_if<ViewingDocument>(&document);
    if (!viewing) {
      autosave_.take_over(lost);
      open_restored(std::move(std::get<Document>(document)), lost.file);
      return restored(lost);
    }
    find_arrays_of(*viewing, lost.file);
    const auto file = opened_if_small(viewing->file);
    const auto load = [saved = *viewing, file](const UnpackWatch& watch) { return load_attention(saved, file, watch); };
    read(viewing->file, is_slow(file), load, [this, lost](Loaded loaded) {
      if (ask_before(RestoreLost{lost.kept_in})) return;
      autosave_.take_over(lost);
      auto& attention = std::get<LoadedAttention>(loaded);
      const std::string note = attention.note;
      open_restored(std::move(attention), lost.file);
      restored(lost);
      if (!note.empty()) say(note, true);
    });
  } catch (const Error& error) {
    is_modified_ = differs_from_saved();  // what was to be discarded for it is still there
    dialog_.error = error.what();
    say(error.what(), true);
  }
}

void Session::restored(const LostDocument& lost) {
  std::erase_if(lost_, [&](const LostDocument& other) { return other.kept_in == lost.kept_in; });
  dialog_ = {};
  say(lost_.empty() ? "Restored what was not saved."
                    : fmt::format("Restored what was not saved; {} more in File, Unsaved changes.", lost_.size()));
}

void Session::apply(const DiscardLost& command) {
  const auto lost = std::ranges::find(lost_, command.kept_in, &LostDocument::kept_in);
  if (lost == lost_.end()) return;
  autosave_.discard(*lost);
  lost_.erase(lost);
  if (lost_.empty()) dialog_ = {};
}

}  // namespace attnscope
