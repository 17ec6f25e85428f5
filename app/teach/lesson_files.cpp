#include "teach/lesson_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "assets/assets.h"
#include "core/error.h"
#include "core/shown_text.h"
#include "document/json_value.h"
#include "platform/system/file.h"
#include "platform/system/paths.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_lesson_bytes = 4'000'000;

// By the names of their files, which begin with a number.
std::vector<std::shared_ptr<const Lesson>> read_all() {
  std::vector<const Asset*> files;
  for (const Asset& file : assets()) {
    if (file.name.starts_with("lessons/")) files.push_back(&file);
  }
  std::ranges::sort(files, {}, &Asset::name);
  std::vector<std::shared_ptr<const Lesson>> lessons;
  for (const Asset* const file : files) lessons.push_back(std::make_shared<const Lesson>(parse_lesson(file->bytes)));
  return lessons;
}

}  // namespace

bool is_lesson_path(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return true;
  const bool can_be_one = path.extension() == ".json" && fs::is_regular_file(path, failure) &&
                          fs::file_size(path, failure) <= most_lesson_bytes;
  if (!can_be_one) return false;
  try {
    const std::string text = read_file(path, most_lesson_bytes);
    const JsonText json(text, "It");
    const JsonValue root = json.root();
    return root.is_object() && root.has("steps") && root.has("title");
  } catch (const Error&) {
    return false;
  }
}

std::vector<fs::path> lesson_files(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) return {path};
  std::vector<fs::path> files = entries_of(path, failure);
  if (failure) throw Error(fmt::format("{} cannot be read: {}.", shown_path(path), failure.message()));
  std::erase_if(files, [](const fs::path& file) { return file.extension() != ".json"; });
  return files;
}

Lesson load_lesson(const fs::path& file, const DocumentFiles& files) {
  try {
    return parse_lesson(read_file(file, most_lesson_bytes, files.watch), files);
  } catch (const Error& error) {
    const bool names_file = std::string_view(error.what()).find(shown_path(file)) != std::string_view::npos;
    if (names_file) throw;
    throw Error(error.field, fmt::format("{}: {}", shown_path(file), error.what()));
  }
}

const std::vector<std::shared_ptr<const Lesson>>& shipped_lessons() {
  static const std::vector<std::shared_ptr<const Lesson>> lessons = read_all();
  return lessons;
}

std::shared_ptr<const Lesson> shipped_lesson(std::string_view id) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    if (lesson->id == id) return lesson;
  }
  return nullptr;
}

}  // namespace attnscope
