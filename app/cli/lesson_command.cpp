#include "cli/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/text.h"
#include "features/lessons/handout.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "session/ui_state.h"
#include "teach/lesson.h"

namespace attnscope {
namespace {

struct LessonArguments {
  std::string action;  // "new", "check", "list" or "handout"
  std::string path;    // file of a lesson; for a handout also the id of one of the program's
  std::string out;     // file of the handout, or of the new lesson
  bool lacks_answers = false;
};

namespace fs = std::filesystem;

// The format of lessons in short; docs/lessons.md is the whole of it.
constexpr const char* lesson_keys =
    R"(A lesson is JSON; docs/lessons.md describes it, and `attnscope lesson new -o NAME.lesson.json` writes one to begin with.
  lesson    id, title, summary, steps
  step      id, title, text, document or edit, show, question
  show      layout, stage, head, batch, pin, side, compared_with_before, decimals, range, study, set, query, film
  question  kind, ask, because, then, and for each kind:
    choose  choices (text, why), right
    cell    answer
    number  answer, tolerance, mistakes (value, why)
    sketch  answer, tolerance
    reach   value, to, tolerance, solution
Texts have *emphasis*, **strong**, `code` and numbers of the step's document: {{weights[0,0,1,2]:.2f}}.)";

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

// Says what is in a lesson, or every mistake in it; returns these.
std::vector<std::string> check_file(const fs::path& file) {
  std::vector<std::string> mistakes;
  try {
    mistakes = lesson_mistakes_in(file, known_views());
  } catch (const Error& error) {
    mistakes = {with_path(file, error.what())};
  }
  if (!mistakes.empty()) return mistakes;
  const Lesson lesson = load_lesson(file);
  const auto questions =
      std::ranges::count_if(lesson.steps, [](const LessonStep& step) { return step.question.has_value(); });
  write_standard_output(fmt::format("{}: “{}”, {}, {}.\n", shown_path(file), lesson.title,
                                    counted(lesson.steps.size(), "step"),
                                    counted(static_cast<std::size_t>(questions), "question")));
  return {};
}

void check_lessons(const std::string& path) {
  const std::vector<fs::path> files = or_refuse([&] { return lesson_files(path); });
  if (files.empty()) throw UsageError(fmt::format("{} has no file that ends in .json.", shown_path(path)));
  std::vector<std::string> mistakes;
  for (const fs::path& file : files) std::ranges::move(check_file(file), std::back_inserter(mistakes));
  if (mistakes.empty()) return;
  for (const std::string& mistake : std::span(mistakes).first(mistakes.size() - 1)) tell(mistake);
  throw UsageError(mistakes.back());
}

void write_new_lesson(const LessonArguments& arguments) {
  if (!arguments.path.empty()) throw UsageError("attnscope lesson new takes no file but that of -o.");
  if (!arguments.out.empty()) {
    require_ending(arguments.out, ".json", "a lesson is");
    if (fs::exists(arguments.out))
      throw UsageError(fmt::format("{} is there already, and is not replaced.", shown_path(arguments.out)));
  }
  write_out(arguments.out, lesson_start());
}

void list_lessons() {
  std::string text;
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons())
    text += fmt::format("{:<12} {}: {}\n", lesson->id, lesson->title, lesson->summary);
  write_standard_output(text);
}

void write_handout(const LessonArguments& arguments) {
  require_ending(arguments.out, ".pdf", "a handout is");
  write_file(arguments.out, render_handout(lesson_or_refuse(arguments.path), !arguments.lacks_answers));
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
  if (arguments.lacks_answers && arguments.action != "handout")
    throw UsageError("--no-answers is for attnscope lesson handout.");
  if (arguments.action == "new") return write_new_lesson(arguments);
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
  CLI::App* lesson = app.add_subcommand(
      "lesson", "Begin a lesson, check lessons, list those that come with the program, or write one as a handout");
  CLI::Option* action =
      lesson->add_option("ACTION", arguments->action, "What to do: new, check, list or handout")->required();
  choose_among(action, {"new", "check", "list", "handout"});
  lesson->add_option("FILE", arguments->path,
                     "Lesson, .json; check also takes a folder of lessons, handout also the id of a lesson");
  add_out(*lesson, arguments->out, "Handout to write, .pdf, with the answers at its end; or the new lesson, .json");
  lesson->add_flag("--no-answers", arguments->lacks_answers, "Leave the answers out of the handout, for students");
  lesson->footer(lesson_keys);
  return {lesson, [arguments] { run_lesson(*arguments); }};
}

}  // namespace attnscope
