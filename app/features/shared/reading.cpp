#include "features/shared/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/words.h"
#include "features/shared/message_desk.h"
#include "interchange/checkpoint.h"
#include "interchange/document_file.h"
#include "interchange/import.h"

namespace attnscope {

namespace {

Loaded taken_arrays(const std::filesystem::path& path, const std::shared_ptr<const NamedArrays>& file,
                    std::optional<OpenArrays::As> as, const Document& base, const UnpackWatch& watch) {
  if (!as && holds_heads(*file)) {
    ImportedArrays heads{document_of_heads(*file, path.filename().string(), watch), file, false};
    add_source(heads.document, path);
    return heads;
  }
  const bool is_weights = as != OpenArrays::As::attention && holds_weights(*file, {});
  const bool is_import = is_weights || as == OpenArrays::As::inputs;
  if (!is_import && (as || holds_attention(*file, watch))) return load_attention(path, file, {}, watch);
  ImportedArrays imported{base, file, is_weights};
  import_arrays(imported.document, *file, {}, watch);
  add_source(imported.document, path);
  return imported;
}

}  // namespace

void ReadingProgress::set(const std::string& array, float part) {
  const std::lock_guard lock(mutex_);
  array_ = array;
  percent_ = std::clamp(static_cast<int>(100 * part), 0, 100);
}

std::string ReadingProgress::text() const {
  const std::lock_guard lock(mutex_);
  if (percent_ < 0) return fmt::format("Reading {}", name_);
  return fmt::format("Reading {}: {}{}{} %", name_, array_, array_.empty() ? "" : ", ", percent_);
}

Loaded load_model(const std::filesystem::path& path, const UnpackWatch& watch) {
  const std::string whole = std::filesystem::absolute(path).lexically_normal().string();
  return LoadedDocument{document_of(open_model(whole, watch_of(watch, "")))};
}

bool names_model(const std::filesystem::path& document) {
  return !is_large_file(document) && read_file(document, std::size_t{1} << 18).find("\"model\"") != std::string::npos;
}

bool is_large_file(const std::filesystem::path& path) {
  constexpr std::uintmax_t quickly_read = std::uintmax_t{1} << 18;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return false;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  return !problem && size > quickly_read;
}

std::shared_ptr<const NamedArrays> opened_if_small(const std::filesystem::path& path) {
  return is_large_file(path) ? nullptr : std::make_shared<const NamedArrays>(read_arrays(path));
}

bool is_slow(const std::shared_ptr<const NamedArrays>& file) { return !file || is_slow_to_read(*file); }

Loaded load_arrays(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file,
                   std::optional<OpenArrays::As> as, const Document& base, const UnpackWatch& watch) {
  const float opened = !file && lower_ending(path) == ".csv" ? 0.9F : 0;  // text is read as a whole
  const UnpackWatch opening = [&](const std::string& name, float part) { watch(name, opened * part); };
  const UnpackWatch taking = [&](const std::string& name, float part) { watch(name, opened + (1 - opened) * part); };
  if (!file) file = std::make_shared<const NamedArrays>(read_arrays(path, watch_of(watch ? opening : watch, "")));
  return taken_arrays(path, file, as, base, watch ? taking : watch);
}

Loaded load_document_of_either_kind(const std::filesystem::path& path, const UnpackWatch& watch) {
  LoadedFile loaded = load_any_document(path);
  auto* const saved = std::get_if<ViewingDocument>(&loaded.document);
  if (!saved)
    return LoadedDocument{std::move(std::get<Document>(loaded.document)), loaded.is_from_picture, loaded.view};
  find_arrays_of(*saved, path);
  return load_attention(loaded, path, {}, watch);
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
