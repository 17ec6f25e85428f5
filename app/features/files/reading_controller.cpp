#include "features/files/reading_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "files/checkpoint.h"
#include "files/document_file.h"
#include "files/file_kind.h"
#include "files/import.h"
#include "teach/lesson.h"

namespace attnscope {
namespace {

Loaded taken_arrays(const FileToLoad& wanted, const std::shared_ptr<const NamedArrays>& file,
                    const UnpackWatch& watch) {
  if (!wanted.as && holds_heads(*file)) {
    ImportedArrays heads{document_of_heads(*file, wanted.path.filename().string(), watch), file, false};
    add_source(heads.document, wanted.path);
    return heads;
  }
  const bool may_be_import = !wanted.as || wanted.as == ArraysAs::inputs;
  const bool is_weights = may_be_import && holds_weights(*file, wanted.choice);
  const bool is_import = is_weights || wanted.as == ArraysAs::inputs;
  if (!is_import && (wanted.as || holds_attention(*file, watch))) {
    ViewChoice choice;
    if (wanted.as == ArraysAs::scores) choice.numbers = NumbersAs::scores;
    if (wanted.as == ArraysAs::shares) choice.numbers = NumbersAs::shares;
    return load_attention(wanted.path, file, choice, watch);
  }
  ImportedArrays imported{wanted.base, file, is_weights};
  imported.note = import_arrays(imported.document, *file, wanted.choice, watch);
  add_source(imported.document, wanted.path);
  return imported;
}

}  // namespace

void ReadingProgress::set(const std::string& array, float part) {
  const std::lock_guard lock(mutex_);
  const int percent = std::clamp(static_cast<int>(100 * part), 0, 100);
  percent_ = array == array_ ? std::max(percent_, percent) : percent;
  array_ = array;
}

std::string ReadingProgress::text() const {
  const std::lock_guard lock(mutex_);
  if (percent_ < 0) return fmt::format("Reading {}", name_);
  return fmt::format("Reading {}: {}{}{} %", name_, array_, array_.empty() ? "" : ", ", percent_);
}

bool is_large_file(const std::filesystem::path& path) {
  constexpr std::uintmax_t quickly_read = std::uintmax_t{1} << 18;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return false;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  return !problem && size > quickly_read;
}

bool is_slow(const std::shared_ptr<const NamedArrays>& file) { return !file || is_slow_to_read(*file); }

namespace {

// Returns names of the keys or, if there are as many names as other queries, of these.
LoadedTokens load_tokens(const FileToLoad& wanted) {
  const bool is_square = *wanted.tokens == wanted.queries;
  try {
    return {tokens_of_file(wanted.path, *wanted.tokens, is_square ? "token" : "key")};
  } catch (const Error&) {
    std::vector<std::string> names;
    const auto read = [&] { names = tokens_of_file(wanted.path, wanted.queries, "query"); };
    if (is_square || !failure_of(read).empty()) throw;
    return {std::move(names), true};
  }
}

Loaded load_arrays(const FileToLoad& wanted, const UnpackWatch& watch) {
  std::shared_ptr<const NamedArrays> file = wanted.file;
  const float opened = !file && is_text_table(wanted.path) ? 0.9F : 0;
  const UnpackWatch opening = [&](const std::string& name, float part) { watch(name, opened * part); };
  const UnpackWatch taking = [&](const std::string& name, float part) { watch(name, opened + (1 - opened) * part); };
  if (!file)
    file = std::make_shared<const NamedArrays>(read_arrays(wanted.path, watch_of(watch ? opening : watch, "")));
  return taken_arrays(wanted, file, watch ? taking : watch);
}

LoadedDocument computed(LoadedFile loaded) {
  return {std::get<Document>(std::move(loaded.document)), loaded.is_from_picture, std::move(loaded.view), loaded.stamp};
}

LoadedLessons load_lessons(const std::filesystem::path& path, const DocumentFiles& files) {
  LoadedLessons loaded;
  for (const std::filesystem::path& file : lesson_files(path))
    loaded.lessons.push_back(std::make_shared<const Lesson>(load_lesson(file, files)));
  if (loaded.lessons.empty())
    throw Error(fmt::format("{} has no lesson in it, no file that ends in .json.", shown_path(path)));
  return loaded;
}

}  // namespace

Loaded load_file(const FileToLoad& wanted, const UnpackWatch& watch) {
  const std::filesystem::path& path = wanted.path;
  const PartWatch document_watch = watch_of(watch, "");
  if (wanted.tokens && path.extension() == ".txt") return load_tokens(wanted);
  const FileKind::What kind = checked_kind_of_file(path, document_watch);
  if (kind == FileKind::What::model) {
    const std::string whole = std::filesystem::absolute(path).lexically_normal().string();
    return LoadedDocument{.document = document_of(open_model(whole, document_watch)), .is_model = true};
  }
  if (kind == FileKind::What::arrays) return load_arrays(wanted, watch);
  if (is_lesson_path(path)) {
    return load_lessons(path, {.models = [&](const std::string& model) { return open_model(model, document_watch); },
                               .watch = document_watch});
  }
  LoadedFile loaded = load_any_document(path, document_watch);
  auto* const saved = std::get_if<ImportedDocument>(&loaded.document);
  if (!saved) return computed(std::move(loaded));
  find_arrays_of(*saved, path);
  return load_attention(loaded, path, {}, watch);
}

Loaded load_quickly(const std::filesystem::path& path) {
  const std::vector<std::filesystem::path> files = lesson_files(path);
  const FileKind kind = kind_of_file(path);
  if (!kind.refusal.empty()) throw Error(kind.refusal);
  if (kind.what != FileKind::What::document || std::ranges::any_of(files, is_large_file)) return {};
  constexpr std::size_t quick_files = 50;
  if (is_lesson_path(path)) {
    try {
      return files.size() > quick_files ? Loaded() : load_lessons(path, no_other_files(path));
    } catch (const NamedFile&) {
      return {};
    }
  }
  std::variant<LoadedFile, NamedFile> loaded = load_without_others(path);
  auto* const file = std::get_if<LoadedFile>(&loaded);
  if (!file) return {};
  auto* const saved = std::get_if<ImportedDocument>(&file->document);
  if (!saved) return computed(std::move(*file));
  find_arrays_of(*saved, path);  // that they are missing is said at once
  return {};
}

ReadingOutcome read_in_background(const ReadingJob& job, const std::stop_token& stop) {
  const UnpackWatch watch = [&](const std::string& array, float part) {
    if (stop.stop_requested()) throw Cancelled{};
    job.progress->set(array, part);
  };
  try {
    return {job.read(watch), ""};
  } catch (const std::bad_alloc&) {
    return {{},
            "There is not enough memory to read it: save a part of it, or save attention with numpy.save, which is "
            "read piece by piece."};
  } catch (const std::exception&) {
    return {{}, current_failure()};
  }
}

void ReadingController::read(const std::filesystem::path& path, FileReader::Read read, FileReader::Take take) {
  stop();
  const auto progress = std::make_shared<ReadingProgress>(shown_path(path.filename()));
  reading_ = {path, std::move(take), progress};
  reader_.start({std::move(read), progress});
  follow();
}

void ReadingController::stop() {
  if (!reading_) return;
  reader_.cancel();
  reading_.reset();
  shown_reading_.clear();
}

void ReadingController::follow() { shown_reading_ = reading_ ? reading_->progress->text() : ""; }

void ReadingController::stop_and_say() {
  if (!reading_) return;
  const std::string name = shown_path(reading_->path.filename());
  stop();
  unsaved_.keep_what_was_shown();
  to_.messages.say(fmt::format("Stopped reading {}.", name));
}

bool ReadingController::poll() {
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

void ReadingController::refuse_file(const std::filesystem::path& path, const std::string& sentence) {
  using Kind = DialogState::Kind;
  unsaved_.keep_what_was_shown();
  const std::string whole = with_path(path, sentence);
  if (to_.dialog.kind == Kind::open || to_.dialog.kind == Kind::restore) to_.dialog.error = whole;
  to_.messages.say(whole, true);
  unsaved_.forget_missing(path);
}

void ReadingController::close_open_dialog() {
  if (to_.dialog.kind == DialogState::Kind::open) to_.dialog = {};
}

void ReadingController::new_document() {
  if (!unsaved_.ask_before([this] { new_document(); })) display_.show({opening_document()});
}

// Opens an example. Undo leads back to an edited document, but not to attention from a file.
void ReadingController::open_example(const std::string& id) {
  const bool is_computed = to_.subject.attention() == nullptr;
  if (!is_computed && unsaved_.ask_before([this, id] { open_example(id); })) return;
  for (const BuiltinDocument& builtin : example_documents()) {
    if (builtin.id != id) continue;
    display_.show({.document = parse_document(builtin.json),
                   .undo_label = is_computed ? fmt::format("example “{}”", builtin.title) : ""});
    to_.messages.say(fmt::format("{}: {}", builtin.title, builtin.summary));
  }
}

void ReadingController::read_by_model(const std::string& text) {
  Document document = document_of(read_model(std::string(example_prefix) + "stories"));
  set_text(document, text);
  display_.show({.document = std::move(document), .undo_label = "sentence read by the trained model"});
  to_.messages.say("The trained model reads your sentence: its numbers are learned, not invented.");
}

// Opens a file. Asks about unsaved changes first, because after a long reading it would be too late.
void ReadingController::open(const std::filesystem::path& path) {
  std::error_code none;
  const bool takes_long = is_large_file(path) || std::filesystem::is_directory(path, none);
  const bool takes_place = !is_array_path(path);  // arrays may become a part of what is there
  if (takes_long && takes_place && unsaved_.ask_before([this, path] { open(path); })) return;
  if (takes_long) close_open_dialog();
  to_.dialog.error.clear();
  open_without_asking(path);
}

void ReadingController::open_arrays(const std::filesystem::path& path, ArraysAs as) {
  if (!unsaved_.ask_before([this, path, as] { open_arrays(path, as); })) load({.path = path, .as = as});
}

// Imported numbers are put into the document as it is when the file has been read, with the edits made until then.
void ReadingController::load(FileToLoad wanted) {
  const ImportedFile* const attention = to_.subject.attention();
  wanted.base = attention ? default_document() : to_.now.document;
  if (attention) {
    wanted.tokens = attention->tensors().keys;
    wanted.queries = attention->tensors().queries;
  }
  const auto read_file = [wanted](const UnpackWatch& watch) -> Loaded {
    try {
      return load_file(wanted, watch);
    } catch (const ChoiceNeeded& needed) {
      return needed;
    }
  };
  read(wanted.path, read_file, [this, wanted, edition = to_.now.edition](Loaded loaded) {
    if (const auto* const question = std::get_if<OpenQuestion>(&loaded)) return ask(*question, wanted);
    const auto* const imported = std::get_if<ImportedArrays>(&loaded);
    if (!imported || to_.now.edition == edition) return take(std::move(loaded), wanted.path);
    load({.path = wanted.path, .file = imported->file, .as = wanted.as, .choice = wanted.choice});
  });
}

// Asks what a file leaves open. What has too many answers to choose from is said.
void ReadingController::ask(const OpenQuestion& question, const FileToLoad& wanted) {
  if (question.options.empty()) return refuse_file(wanted.path, question.what());
  unsaved_.keep_what_was_shown();
  DialogState& dialog = to_.dialog;
  dialog = {};
  dialog.kind = DialogState::Kind::choice;
  const bool asks_for_heads = question.of == ChoiceNeeded::Of::num_heads;
  dialog.question = fmt::format("{} {}", with_path(wanted.path, question.what()),
                                asks_for_heads ? "How many heads does it have?" : "Which one is it?");
  for (const std::string& option : question.options) {
    dialog.answers.emplace_back(
        option, [this, asked = question.of, wanted, option](const Controllers&) { open_with(wanted, asked, option); });
  }
}

void ReadingController::open_with(FileToLoad wanted, ChoiceNeeded::Of asked, const std::string& answer) {
  using Of = ChoiceNeeded::Of;
  const std::optional<Index> heads = number_of<Index>(answer);
  if (asked == Of::tensor) wanted.choice.tensor = answer;
  if (asked == Of::numbers) wanted.as = answer == "scores" ? ArraysAs::scores : ArraysAs::shares;
  if (asked == Of::mechanism) {
    for (const MechanismInfo& mechanism : mechanisms()) {
      if (mechanism.id == answer) wanted.choice.mechanism = mechanism.mechanism;
    }
  }
  if (asked == Of::num_heads && heads) {
    const bool is_model = !wanted.file && kind_of_file(wanted.path).what == FileKind::What::model;
    if (is_model) wanted.path = with_heads(wanted.path.string(), *heads);
    if (!is_model) wanted.choice.num_heads = heads;
  }
  load(std::move(wanted));
}

// Asks about unsaved changes, which may have been made while the file was read.
void ReadingController::take(Loaded loaded, const std::filesystem::path& path) {
  if (auto* const lessons = std::get_if<LoadedLessons>(&loaded)) {
    close_open_dialog();
    return lessons_.open_lessons(std::move(lessons->lessons));
  }
  if (const auto* const tokens = std::get_if<LoadedTokens>(&loaded)) return take_tokens(*tokens, path);
  auto* const imported = std::get_if<ImportedArrays>(&loaded);
  if (imported && !to_.now.viewing) return take_import(std::move(*imported), path);
  const auto* const shown = std::get_if<LoadedAttention>(&loaded);
  const bool is_of_arrays = imported || (shown && shown->carrier.empty());
  const auto again = [this, path, is_of_arrays, as = shown ? arrays_as(shown->viewed->viewing()) : ArraysAs::inputs] {
    is_of_arrays ? open_arrays(path, as) : open(path);
  };
  if (unsaved_.ask_before(again)) return;
  if (imported) return take_import(std::move(*imported), path);
  if (auto* const attention = std::get_if<LoadedAttention>(&loaded))
    return display_.show_attention(std::move(*attention));
  show_document(std::get<LoadedDocument>(std::move(loaded)), path);
}

void ReadingController::show_document(LoadedDocument loaded, const std::filesystem::path& path) {
  const std::filesystem::path file = loaded.is_model ? std::filesystem::path() : path;
  display_.show({.document = std::move(loaded.document),
                 .file = file,
                 .is_from_picture = loaded.is_from_picture,
                 .view = loaded.view,
                 .stamp = loaded.stamp});
  to_.view.document_folder = path.parent_path().string();
  to_.dialog = {};
  to_.messages.say(fmt::format("Opened {}{}.", loaded.is_from_picture ? "the document in " : "", shown_path(path)));
}

void ReadingController::take_import(ImportedArrays imported, const std::filesystem::path& path) {
  if (to_.now.viewing) display_.show({default_document()});
  documents_.edit({"import", [&](Document& edited) { edited = std::move(imported.document); }});
  display_.pin_anew();
  shown_arrays_ = path;
  to_.view.document_folder = path.parent_path().string();
  to_.dialog = {};
  const AttentionConfig& config = to_.now.document.config;
  if (begins_with_heads(config)) {
    to_.messages.say(fmt::format("Attention begins with the queries, keys and values of {}.", shown_path(path)));
  } else if (imported.is_weights) {
    to_.messages.say(fmt::format("Imported the weights of {} from {}.{}{}", info(config.mechanism).title,
                                 shown_path(path), imported.note.empty() ? "" : " ", imported.note));
  } else {
    const std::string hint = is_table(*imported.file) ? " If it is attention: File, Read again as." : "";
    to_.messages.say(fmt::format("Imported {} tokens of {} numbers from {}.{}", token_count(config),
                                 input_features(config), shown_path(path), hint));
  }
}

void ReadingController::take_tokens(const LoadedTokens& loaded, const std::filesystem::path& path) {
  documents_.edit({"token names", [&](Document& document) {
                     if (loaded.are_queries)
                       document.query_tokens = loaded.names;
                     else
                       name_keys(document, loaded.names);
                   }});
  close_open_dialog();
  to_.messages.say(fmt::format("Took the names of {} {} from {}.", loaded.names.size(),
                               loaded.are_queries ? "queries" : "tokens", shown_path(path)));
}

}  // namespace attnscope
