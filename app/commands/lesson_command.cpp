#include "commands/lesson_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "commands/usage.h"
#include "core/shown_text.h"
#include "lessons/lesson.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "views/layouts.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_lesson_bytes = 4'000'000;

KnownViews known_views() {
  KnownViews known;
  for (const LayoutInfo& row : layouts()) known.layouts.push_back(row.layout.id);
  return known;
}

std::vector<fs::path> files_at(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Lesson checked(const fs::path& file) {
  return or_refuse(file.string(), [&] {
    Lesson lesson = parse_lesson(read_file(file, most_lesson_bytes));
    check_lesson(lesson, known_views());
    return lesson;
  });
}

void check_lessons(const std::string& path) {
  const std::vector<fs::path> files = files_at(path);
  if (files.empty()) throw UsageError(fmt::format("{} has no file that ends in .json.", shown_path(path)));
  std::size_t wrong = 0;
  std::string last;
  for (const fs::path& file : files) {
    try {
      const Lesson lesson = checked(file);
      const auto questions =
          std::ranges::count_if(lesson.steps, [](const LessonStep& step) { return step.question.has_value(); });
      write_standard_output(fmt::format("{}: “{}”, {}, {}.\n", shown_path(file), lesson.title,
                                        counted(lesson.steps.size(), "step"),
                                        counted(static_cast<std::size_t>(questions), "question")));
    } catch (const UsageError& error) {
      if (!last.empty()) tell(last);
      last = error.what();
      ++wrong;
    }
  }
  if (wrong > 0) throw UsageError(last);
}

void list_lessons() {
  std::string text;
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons())
    text += fmt::format("{:<12} {}: {}\n", lesson->id, lesson->title, lesson->summary);
  write_standard_output(text);
}

}  // namespace

void run_lesson(const LessonArguments& arguments) {
  if (arguments.action == "list") {
    if (!arguments.path.empty()) throw UsageError("attnscope lesson list takes no file.");
    return list_lessons();
  }
  if (arguments.path.empty()) throw UsageError("attnscope lesson check needs a file, or a folder of lessons.");
  check_lessons(arguments.path);
}

}  // namespace attnscope
