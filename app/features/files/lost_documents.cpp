#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "document/builtin.h"
#include "features/files/file_desk.h"
#include "interchange/document_file.h"

// Unsaved changes that outlive a crash.
namespace attnscope {

void FileDesk::keep_state_in(const std::filesystem::path& folder, int process) {
  recent_ = RecentFiles(folder / "recent.json");
  shown_.recent = recent_.files();
  to_.messages.attempt([&] {
    autosave_ = Autosave(folder / "autosave", process);
    shown_.lost = autosave_.find_lost();
  });
  const bool has_lost = !shown_.lost.empty();
  if (has_lost && to_.dialog.kind == DialogState::Kind::none) to_.others.pass_on(ShowDialog{ShowDialog::Kind::restore});
}

void FileDesk::autosave(double now) {
  const auto document = [this] { return to_.subject.to_save(to_.now.document); };
  const auto problem = autosave_.update(document, to_.now.edition, shown_.is_modified, shown_.file, now);
  if (problem) to_.messages.say(*problem, true);
}

void FileDesk::keep_unsaved() {
  if (quit_requested_) return;
  if (!shown_.is_modified) return autosave_.forget();
  const std::string problem = autosave_.update_now(to_.subject.to_save(to_.now.document), shown_.file);
  if (!problem.empty()) to_.messages.say(problem, true);
}

// Unsaved against what stands in the file now, or against everything where that cannot be read.
void FileDesk::show_lost(Document document, const LostDocument& lost) {
  LoadedDocument saved;
  if (lost.file.empty()) saved.document = opening_document();
  try {
    if (!lost.file.empty()) saved = load_document_or_picture(lost.file);
  } catch (const Error&) {
    saved.document.tokens = {};  // a document that no other equals
  }
  to_.others.show({.document = std::move(document),
                   .file = lost.file,
                   .is_from_picture = saved.is_from_picture,
                   .saved = std::move(saved.document)});
}

void FileDesk::show_lost(LoadedAttention attention, const LostDocument& lost) {
  const std::filesystem::path arrays = attention.viewed->viewing().file;
  const Index tokens = attention.viewed->tensors().tokens;
  to_.others.show_attention(std::move(attention));
  LoadedFile saved{ViewingDocument{}, false};
  if (lost.file == arrays) {  // nothing was saved: names that were typed are to be
    auto viewing = std::get<ViewingDocument>(saved_);
    viewing.tokens = numbered_tokens(tokens);
    saved.document = std::move(viewing);
  } else {
    try {
      saved = load_any_document(lost.file);
    } catch (const Error&) {  // then everything is unsaved
    }
  }
  opened(lost.file, saved.is_from_picture, std::move(saved.document));
}

void FileDesk::apply(const RestoreLost& command) {
  const auto found = std::ranges::find(shown_.lost, command.kept_in, &LostDocument::kept_in);
  if (found == shown_.lost.end() || ask_before(command)) return;
  const LostDocument lost = *found;
  try {
    AnyDocument document = Autosave::read(lost);
    auto* const viewing = std::get_if<ViewingDocument>(&document);
    if (!viewing) {
      autosave_.take_over(lost);
      show_lost(std::move(std::get<Document>(document)), lost);
      return restored(lost);
    }
    find_arrays_of(*viewing, lost.file);
    const auto file = opened_if_small(viewing->file);
    const auto load = [saved = LoadedFile{*viewing}, file](const UnpackWatch& watch) {
      return load_attention(saved, {}, file, watch);
    };
    to_.others.read(viewing->file, is_slow(file), load, [this, lost](Loaded loaded) {
      if (ask_before(RestoreLost{lost.kept_in})) return;
      autosave_.take_over(lost);
      auto& attention = std::get<LoadedAttention>(loaded);
      const std::string note = attention.note;
      show_lost(std::move(attention), lost);
      restored(lost);
      if (!note.empty()) to_.messages.say(note, true);
    });
  } catch (const Error& error) {
    compare();  // what was to be discarded for it is still there
    to_.dialog.error = error.what();
    to_.messages.say(error.what(), true);
  }
}

void FileDesk::restored(const LostDocument& lost) {
  std::erase_if(shown_.lost, [&](const LostDocument& other) { return other.kept_in == lost.kept_in; });
  to_.dialog = {};
  const std::size_t more = shown_.lost.size();
  to_.messages.say(more == 0
                       ? "Restored the unsaved changes."
                       : fmt::format("Restored the unsaved changes; {} more are under File, Unsaved changes.", more));
}

void FileDesk::apply(const DiscardLost& command) {
  const auto lost = std::ranges::find(shown_.lost, command.kept_in, &LostDocument::kept_in);
  if (lost == shown_.lost.end()) return;
  autosave_.discard(*lost);
  shown_.lost.erase(lost);
  if (shown_.lost.empty()) to_.dialog = {};
}

}  // namespace attnscope
