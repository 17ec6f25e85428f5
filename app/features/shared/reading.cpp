#include "features/shared/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/shown_text.h"
#include "core/words.h"
#include "features/shared/message_controller.h"
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
  const bool is_weights = wanted.as != ArraysAs::attention && holds_weights(*file, wanted.choice);
  const bool is_import = is_weights || wanted.as == ArraysAs::inputs;
  if (!is_import && (wanted.as || holds_attention(*file, watch))) return load_attention(wanted.path, file, {}, watch);
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

Loaded load_arrays(const FileToLoad& wanted, const UnpackWatch& watch) {
  std::shared_ptr<const NamedArrays> file = wanted.file;
  const float opened = !file && is_text_table(wanted.path) ? 0.9F : 0;
  const UnpackWatch opening = [&](const std::string& name, float part) { watch(name, opened * part); };
  const UnpackWatch taking = [&](const std::string& name, float part) { watch(name, opened + (1 - opened) * part); };
  if (!file)
    file = std::make_shared<const NamedArrays>(read_arrays(wanted.path, watch_of(watch ? opening : watch, "")));
  return taken_arrays(wanted, file, watch ? taking : watch);
}

namespace {

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
  if (wanted.tokens && path.extension() == ".txt") return LoadedTokens{tokens_of_file(path, *wanted.tokens)};
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

}  // namespace attnscope
