#include "commands/screenshot_command.h"

#include <algorithm>
#include <filesystem>

#include "commands/usage.h"
#include "core/shown_text.h"
#include "look/themes.h"
#include "shell/run.h"

namespace attnscope {

void run_screenshot(const ScreenshotArguments& arguments) {
  if (std::filesystem::path(arguments.out).extension() != ".png") {
    throw UsageError("-o is " + in_quotes(arguments.out) + ", but a screenshot is written as .png.");
  }
  const PictureSize size = parse_picture_size(arguments.size);
  const double scale = parse_number("--scale", arguments.scale, 0.5, 4);
  const ScreenshotOptions options{.width = size.width,
                                  .height = size.height,
                                  .scale = scale,
                                  .theme = std::ranges::find(themes(), arguments.theme, &ThemeColours::id)->theme,
                                  .has_footer = arguments.has_footer};
  write_screenshot(shown_or_refuse(arguments.document, arguments.view), arguments.out, options);
}

}  // namespace attnscope
