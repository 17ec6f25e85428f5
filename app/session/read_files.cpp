#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "session/session.h"

// Files that are large, or whose numbers have to be unpacked, are read in the background, all others at once.
namespace attnscope {

void Session::read(const std::filesystem::path& path, bool is_slow, Read read, Take take) {
  stop_reading();
  if (!is_slow) return take(read({}));
  dialog_ = {};
  const auto progress = std::make_shared<ReadingProgress>(path.filename().string());
  reading_ = {path, std::move(take), progress};
  reader_.start({std::move(read), progress});
}

void Session::stop_reading() {
  if (!reading_) return;
  reader_.cancel();
  reading_.reset();
  wanted_viewing_.reset();
}

void Session::apply(const StopReading&) {
  if (!reading_) return;
  const std::string name = reading_->path.filename().string();
  stop_reading();
  is_modified_ = differs_from_saved();  // what was to be discarded for it is still there
  say(fmt::format("Stopped reading {}.", name));
}

bool Session::poll_reading() {
  std::optional<ReadingOutcome> outcome = reader_.take();
  if (!outcome || !reading_) return false;
  const Reading reading = *std::exchange(reading_, std::nullopt);
  wanted_viewing_.reset();
  try {
    if (!outcome->error.empty()) throw Error(outcome->error);
    reading.take(std::move(outcome->loaded));
  } catch (const Error& error) {
    refuse_file(reading.path, error.what());
  }
  return true;
}

// A file that cannot be read becomes a message and changes nothing.
void Session::refuse_file(const std::filesystem::path& path, const std::string& sentence) {
  is_modified_ = differs_from_saved();  // what was to be discarded for this file is still there
  const bool names_path = sentence.find(path.string()) != std::string::npos;
  const std::string whole = names_path ? sentence : path.string() + ": " + sentence;
  if (dialog_.kind == DialogState::Kind::open) dialog_.error = whole;
  say(whole, true);
  forget_missing(path);
}

// What takes a while asks once more when it has come: something may have been changed meanwhile.
void Session::open_file(const std::filesystem::path& path) {
  if (is_array_path(path)) return import_file(path);
  try {
    if (is_large_file(path)) {
      const auto load = [path](const UnpackWatch& watch) { return load_document_of_either_kind(path, watch); };
      return read(path, true, load, [this, path](Loaded loaded) {
        if (!ask_before(OpenFile{path})) show_loaded(std::move(loaded), path);
      });
    }
    LoadedFile loaded = load_any_document(path);
    if (auto* const saved = std::get_if<ViewingDocument>(&loaded.document))
      return open_viewing(std::move(*saved), path, loaded.is_from_picture);
    show_loaded(LoadedDocument{std::move(std::get<Document>(loaded.document)), loaded.is_from_picture}, path);
  } catch (const Error& error) {
    refuse_file(path, error.what());
  }
}

void Session::read_attention(const std::filesystem::path& path,
                             std::function<LoadedAttention(const UnpackWatch&)> load) {
  read(path, true, std::move(load), [this, path](Loaded loaded) {
    if (!ask_before(OpenFile{path})) show_loaded(std::move(loaded), path);
  });
}

void Session::show_loaded(Loaded loaded, const std::filesystem::path& path) {
  if (auto* const attention = std::get_if<LoadedAttention>(&loaded)) return show_attention(std::move(*attention));
  auto& [document, is_from_picture] = std::get<LoadedDocument>(loaded);
  show_document(std::move(document), path);
  file_is_picture_ = is_from_picture;
  view_.document_folder = path.parent_path().string();
  dialog_ = {};
  remember(path);
  say(fmt::format("Opened {}{}.", file_is_picture_ ? "the document in " : "", path.string()));
}

void Session::open_viewing(ViewingDocument saved, const std::filesystem::path& carrier, bool is_from_picture) {
  find_arrays_of(saved, carrier);
  const auto file = opened_if_small(saved.file);
  const auto load = [saved, file, carrier, is_from_picture](const UnpackWatch& watch) -> Loaded {
    LoadedAttention loaded = load_attention(saved, file, watch);
    loaded.carrier = carrier;
    loaded.is_from_picture = is_from_picture;
    return loaded;
  };
  read(carrier, is_slow(file), load, [this, carrier](Loaded loaded) {
    if (!ask_before(OpenFile{carrier})) show_loaded(std::move(loaded), carrier);
  });
}

}  // namespace attnscope
