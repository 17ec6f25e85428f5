#include <algorithm>

#include "assets/assets.h"
#include "lessons/lesson.h"

namespace attnscope {
namespace {

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
