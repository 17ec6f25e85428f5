#include "features/files/reading_desk.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "core/shown_text.h"
#include "core/words.h"
#include "document/builtin.h"
#include "document/json.h"
#include "interchange/checkpoint.h"
#include "interchange/document_file.h"
#include "interchange/import.h"
#include "lessons/lesson_files.h"

namespace attnscope {

void ReadingDesk::read(const std::filesystem::path& path, bool is_slow, Switchboard::Read read,
                       Switchboard::Take take) {
  stop();
  if (!is_slow) return take(read({}));
  to_.dialog = {};
  const auto progress = std::make_shared<ReadingProgress>(shown_path(path.filename()));
  reading_ = {path, std::move(take), progress};
  reader_.start({std::move(read), progress});
  follow();
}

// A slow reading asks once more when it is done: something may have been changed meanwhile.
void ReadingDesk::read_to_show(const std::filesystem::path& path, bool is_slow, Switchboard::Read load) {
  read(path, is_slow, std::move(load), [this, path](Loaded loaded) {
    if (!to_.others.ask_before(OpenFile{path})) show_loaded(std::move(loaded), path);
  });
}

void ReadingDesk::stop() {
  if (!reading_) return;
  reader_.cancel();
  reading_.reset();
  shown_reading_.clear();
}

void ReadingDesk::follow() { shown_reading_ = reading_ ? reading_->progress->text() : ""; }

void ReadingDesk::apply(const StopReading&) {
  if (!reading_) return;
  const std::string name = shown_path(reading_->path.filename());
  stop();
  to_.others.keep_what_was_shown();
  to_.messages.say(fmt::format("Stopped reading {}.", name));
}

bool ReadingDesk::poll() {
  std::optional<ReadingOutcome> outcome = reader_.take();
  follow();
  if (!outcome || !reading_) return false;
  const Reading reading = *std::exchange(reading_, std::nullopt);
  shown_reading_.clear();
  const std::string failure =
      outcome->error.empty() ? failure_of([&] { reading.take(std::move(outcome->loaded)); }) : outcome->error;
  if (!failure.empty()) refuse_file(reading.path, failure);
  return true;
}

void ReadingDesk::refuse_file(const std::filesystem::path& path, const std::string& sentence) {
  to_.others.keep_what_was_shown();
  const std::string whole = with_path(path, sentence);
  if (to_.dialog.kind == DialogState::Kind::open) to_.dialog.error = whole;
  to_.messages.say(whole, true);
  to_.others.forget_missing(path);
}

void ReadingDesk::apply(const NewDocument& command) {
  if (!to_.others.ask_before(command)) to_.others.show({opening_document()});
}

// An edited document is not lost by an example: Undo leads back to it. Attention of a file is not in there.
void ReadingDesk::apply(const OpenBuiltin& command) {
  const bool is_computed = to_.subject.attention() == nullptr;
  if (!is_computed && to_.others.ask_before(command)) return;
  for (const BuiltinDocument& builtin : example_documents()) {
    if (builtin.id != command.id) continue;
    to_.others.show({.document = parse_document(builtin.json),
                     .undo_label = is_computed ? fmt::format("example “{}”", builtin.title) : ""});
    to_.messages.say(fmt::format("{}: {}", builtin.title, builtin.summary));
  }
}

void ReadingDesk::apply(const OpenFile& command) {
  if (is_model_path(command.path)) {
    if (!to_.others.ask_before(command)) open_file(command.path);
    return;
  }
  if (is_array_path(command.path)) return import_file(command.path);
  if (is_lesson_path(command.path)) return open_lessons(command.path);
  if (take_token_file(command.path)) return;
  if (!to_.others.ask_before(command)) open_file(command.path);
}

void ReadingDesk::apply(const OpenArrays& command) {
  if (!to_.others.ask_before(command)) open_arrays(command.path, command.as);
}

void ReadingDesk::open_lessons(const std::filesystem::path& path) {
  const std::string failure = failure_of([&] { to_.others.pass_on(OpenLesson{.id = {}, .path = path}); });
  if (!failure.empty()) return refuse_file(path, failure);
  if (to_.dialog.kind == DialogState::Kind::open) to_.dialog = {};
}

void ReadingDesk::open_file(const std::filesystem::path& path) {
  if (is_model_path(path))
    return read_to_show(path, true, [path](const UnpackWatch& watch) { return load_model(path, watch); });
  if (is_array_path(path)) return import_file(path);
  if (is_lesson_path(path)) return open_lessons(path);
  const std::string failure = failure_of([&] {
    if (is_large_file(path) || names_model(path)) {
      return read_to_show(path, true,
                          [path](const UnpackWatch& watch) { return load_document_of_either_kind(path, watch); });
    }
    LoadedFile loaded = load_any_document(path);
    auto* const saved = std::get_if<ViewingDocument>(&loaded.document);
    if (!saved) {
      auto& document = std::get<Document>(loaded.document);
      return show_loaded(LoadedDocument{std::move(document), loaded.is_from_picture, loaded.view}, path);
    }
    find_arrays_of(*saved, path);
    const auto file = opened_if_small(saved->file);
    read_to_show(path, is_slow(file),
                 [=](const UnpackWatch& watch) -> Loaded { return load_attention(loaded, path, file, watch); });
  });
  if (!failure.empty()) refuse_file(path, failure);
}

void ReadingDesk::show_loaded(Loaded loaded, const std::filesystem::path& path) {
  if (auto* const attention = std::get_if<LoadedAttention>(&loaded))
    return to_.others.show_attention(std::move(*attention));
  auto& [document, is_from_picture, view] = std::get<LoadedDocument>(loaded);
  const bool is_picture = is_from_picture;
  const std::filesystem::path file = is_model_path(path) ? std::filesystem::path() : path;  // nothing is saved there
  to_.others.show({.document = std::move(document), .file = file, .is_from_picture = is_picture, .view = view});
  to_.view.document_folder = path.parent_path().string();
  to_.dialog = {};
  to_.messages.say(fmt::format("Opened {}{}.", is_picture ? "the document in " : "", shown_path(path)));
}

// Asks again where something was changed while it was read; what is imported goes into what the document has become.
void ReadingDesk::open_arrays(const std::filesystem::path& path, std::optional<OpenArrays::As> as,
                              std::shared_ptr<const NamedArrays> file) {
  const std::string failure = failure_of([&] {
    if (!file) file = opened_if_small(path);
    const auto base = std::make_shared<const Document>(to_.now.viewing ? default_document() : to_.now.document);
    const auto load = [=](const UnpackWatch& watch) { return load_arrays(path, file, as, *base, watch); };
    const bool is_long = is_large_file(path) || is_slow(file);
    read(path, is_long, load, [this, path, as, edition = to_.now.edition](Loaded loaded) {
      auto* const imported = std::get_if<ImportedArrays>(&loaded);
      if (imported && to_.now.edition != edition) return open_arrays(path, as, imported->file);
      const OpenArrays again{path, imported ? OpenArrays::As::inputs : OpenArrays::As::attention};
      const bool takes_place = !imported || to_.now.viewing;
      if (takes_place && to_.others.ask_before(again)) return;
      imported ? take_import(std::move(*imported), path) : show_loaded(std::move(loaded), path);
    });
  });
  if (!failure.empty()) refuse_file(path, failure);
}

void ReadingDesk::take_import(ImportedArrays imported, const std::filesystem::path& path) {
  if (to_.now.viewing) to_.others.show({default_document()});
  to_.others.pass_on(EditDocument{"import", [&](Document& edited) { edited = std::move(imported.document); }});
  shown_arrays_ = path;
  to_.view.document_folder = path.parent_path().string();
  to_.dialog = {};
  const AttentionConfig& config = to_.now.document.config;
  if (begins_with_heads(config)) {
    to_.messages.say(fmt::format("Attention begins with the queries, keys and values of {}.", shown_path(path)));
  } else if (imported.is_weights) {
    to_.messages.say(
        fmt::format("Imported the weights of {} from {}.", info(config.mechanism).title, shown_path(path)));
  } else {
    const std::string hint = is_square_table(*imported.file) ? " If it is attention: File, Read again as." : "";
    to_.messages.say(fmt::format("Imported {} tokens of {} numbers from {}.{}", token_count(config),
                                 input_features(config), shown_path(path), hint));
  }
}

bool ReadingDesk::take_token_file(const std::filesystem::path& path) {
  const ViewedAttention* const attention = to_.subject.attention();
  if (!attention || path.extension() != ".txt") return false;
  std::size_t count = 0;
  const std::string failure = failure_of([&] {
    const std::vector<std::string> tokens = tokens_of_file(path, attention->tensors().tokens);
    count = tokens.size();
    to_.others.pass_on(EditDocument{"token names", [&tokens](Document& document) { document.tokens = tokens; }});
  });
  if (failure.empty()) {
    to_.dialog = {};
    to_.messages.say(fmt::format("Took the names of {} tokens from {}.", count, shown_path(path)));
  } else {
    if (to_.dialog.kind == DialogState::Kind::open) to_.dialog.error = failure;
    to_.messages.say(failure, true);
  }
  return true;
}

}  // namespace attnscope
