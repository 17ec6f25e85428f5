#include "cli/subcommands.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/shown_text.h"
#include "core/words.h"
#include "features/lessons/lesson_handout.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "session/view_modes.h"
#include "teach/lesson.h"
#include "teach/teaching_view.h"

namespace attnscope {
namespace {

struct LessonArguments {
  std::string action;  // "check", "list" or "handout"
  std::string path;    // of a lesson; to hand one out also the id of one of the program's
  std::string out;     // of a handout
};

namespace fs = std::filesystem;

KnownViews known_views() {
  KnownViews known;
  for (const ViewModeInfo& row : view_modes()) known.layouts.push_back(row.mode.id);
  for (const TeachingViewInfo& study : studies()) known.studies.push_back(study.id);
  return known;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Lesson checked(const fs::path& file) {
  return or_refuse(file.string(), [&] {
    Lesson lesson = load_lesson(file);
    check_lesson(lesson, known_views());
    return lesson;
  });
}

void check_lessons(const std::string& path) {
  const std::vector<fs::path> files = lesson_files(path);
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

void write_handout(const LessonArguments& arguments) {
  require_ending(arguments.out, ".pdf", "a handout is");
  write_file(arguments.out, render_handout(lesson_or_refuse(arguments.path)));
}

}  // namespace

Lesson lesson_or_refuse(const std::string& name) {
  if (const std::shared_ptr<const Lesson> shipped = shipped_lesson(name)) return *shipped;
  std::vector<std::string_view> ids;
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) ids.push_back(lesson->id);
  const std::string near = fs::exists(name) ? "" : suggestion(name, ids);
  if (!near.empty()) throw UsageError(fmt::format("There is no lesson {}{}", in_quotes(name), near));
  return checked(name);
}

void run_lesson(const LessonArguments& arguments) {
  if (arguments.action == "list") {
    if (!arguments.path.empty()) throw UsageError("attnscope lesson list takes no file.");
    return list_lessons();
  }
  if (arguments.action == "handout") {
    if (arguments.path.empty())
      throw UsageError("attnscope lesson handout needs a lesson: a file, or one of the list.");
    return write_handout(arguments);
  }
  if (arguments.path.empty()) throw UsageError("attnscope lesson check needs a file, or a folder of lessons.");
  check_lessons(arguments.path);
}

Subcommand add_lesson(CLI::App& app) {
  const auto arguments = std::make_shared<LessonArguments>();
  CLI::App* lesson =
      app.add_subcommand("lesson", "Check lessons, list those that come with the program, or write one as a handout");
  CLI::Option* action =
      lesson->add_option("ACTION", arguments->action, "What to do: check, list or handout")->required();
  choose_among(action, {"check", "list", "handout"});
  lesson->add_option("FILE", arguments->path,
                     "Lesson, .json; check also takes a folder of lessons, handout also the id of a lesson");
  add_out(*lesson, arguments->out, "Handout to write, .pdf, with the answers at its end");
  return {lesson, [arguments] { run_lesson(*arguments); }};
}

}  // namespace attnscope
