#include "commands/screenshot_command.h"

#include <algorithm>
#include <filesystem>

#include "commands/lesson_command.h"
#include "commands/usage.h"
#include "core/shown_text.h"
#include "document/builtin.h"
#include "look/themes.h"
#include "shell/run.h"

namespace attnscope {

namespace {

LessonPage page_of(const ScreenshotArguments& arguments) {
  if (!arguments.document.empty()) throw UsageError("Name a document or a --lesson, not both: each step has its own.");
  const Lesson lesson = lesson_or_refuse(arguments.lesson);
  const int last = static_cast<int>(lesson.steps.size());
  const int step = arguments.step.empty() ? 1 : parse_whole_number("--step", arguments.step, 1, last);
  const bool is_shipped = shipped_lesson(arguments.lesson) != nullptr;
  return {is_shipped ? OpenLesson{.id = arguments.lesson} : OpenLesson{.id = "", .path = arguments.lesson},
          static_cast<std::size_t>(step - 1)};
}

}  // namespace

void run_screenshot(const ScreenshotArguments& arguments) {
  if (std::filesystem::path(arguments.out).extension() != ".png") {
    throw UsageError("-o is " + in_quotes(arguments.out) + ", but a screenshot is written as .png.");
  }
  const PictureSize size = parse_picture_size(arguments.size);
  const double scale = parse_number("--scale", arguments.scale, 0.5, 4);
  ScreenshotOptions options{.width = size.width,
                            .height = size.height,
                            .scale = scale,
                            .theme = std::ranges::find(themes(), arguments.theme, &ThemeColours::id)->theme,
                            .has_footer = arguments.has_footer};
  if (!arguments.lesson.empty()) {
    options.page = page_of(arguments);
    return write_screenshot(LoadedDocument{default_document()}, arguments.out, options);
  }
  if (!arguments.step.empty()) throw UsageError("--step is of a --lesson.");
  if (arguments.document.empty()) {
    refuse_view_options(arguments.view, "The window as it opens");
    return write_screenshot(LoadedDocument{opening_document()}, arguments.out, options);
  }
  write_screenshot(shown_or_refuse(arguments.document, arguments.view), arguments.out, options);
}

}  // namespace attnscope
