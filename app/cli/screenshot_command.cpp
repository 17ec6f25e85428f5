#include "cli/subcommands.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "document/builtin.h"
#include "features/lessons/lesson_controller.h"
#include "view/colours.h"
#include "window/run.h"

namespace attnscope {

namespace {

struct ScreenshotArguments {
  std::string document;  // empty: what the window opens with
  std::string lesson;    // instead of a document: its id or its file
  std::string step;      // empty: the first
  std::string out;
  std::string size = "1440x900";
  std::string scale = "1";
  std::string theme = "light";
  bool has_footer = false;
  ViewArguments view;
};

Call opener_of(const ScreenshotArguments& arguments) {
  if (!arguments.document.empty()) throw UsageError("Name a document or a --lesson, not both: each step has its own.");
  const auto lesson = std::make_shared<const Lesson>(lesson_or_refuse(arguments.lesson));
  const int last = static_cast<int>(lesson->steps.size());
  const int step = arguments.step.empty() ? 1 : parse_whole_number("--step", arguments.step, 1, last);
  const bool is_shipped = shipped_lesson(arguments.lesson) != nullptr;
  return [is_shipped, lesson, id = arguments.lesson, step](const Controllers& to) {
    is_shipped ? to.lessons.open(id) : to.lessons.open(std::vector<std::shared_ptr<const Lesson>>{lesson});
    to.lessons.go_to_step(static_cast<std::size_t>(step - 1));
  };
}

void run_screenshot(const ScreenshotArguments& arguments) {
  require_ending(arguments.out, ".png", "a screenshot is");
  const PictureSize size = parse_picture_size(arguments.size);
  const double scale = parse_number("--scale", arguments.scale, 0.5, 4);
  ScreenshotOptions options{.width = size.width,
                            .height = size.height,
                            .scale = scale,
                            .theme = std::ranges::find(themes(), arguments.theme, &ThemeColours::id)->theme,
                            .has_footer = arguments.has_footer};
  if (arguments.view.layer == all_layers)
    throw UsageError("--layer is all, which is for figures: name a layer, or leave it out for the whole model.");
  if (!arguments.lesson.empty()) {
    refuse_view_options(arguments.view, "A lesson");
    options.opens = opener_of(arguments);
    return write_screenshot(LoadedDocument{default_document()}, arguments.out, options);
  }
  if (!arguments.step.empty()) throw UsageError("--step is of a --lesson.");
  if (arguments.document.empty()) {
    refuse_view_options(arguments.view, "The window as it opens");
    return write_screenshot(LoadedDocument{opening_document()}, arguments.out, options);
  }
  write_screenshot(shown_or_refuse(arguments.document, arguments.view), arguments.out, options);
}

}  // namespace

Subcommand add_screenshot(CLI::App& app) {
  const auto arguments = std::make_shared<ScreenshotArguments>();
  CLI::App* screenshot = app.add_subcommand("screenshot", "Draw the window of a document as a PNG; needs no display");
  screenshot->add_option("DOC", arguments->document, shown_help);
  screenshot->add_option("--lesson", arguments->lesson,
                         "A lesson instead: a file, or one that comes with the program (attnscope lesson list)");
  screenshot->add_option("--step", arguments->step, "Step of the lesson, counted from 1 (default: the first)");
  add_out(*screenshot, arguments->out, "Picture to write, .png")->required();
  screenshot->add_option("--size", arguments->size, "Size of the window, WxH from 320x240 to 7680x4320")
      ->capture_default_str();
  screenshot->add_option("--scale", arguments->scale, "Pixels per unit, 0.5 to 4")->capture_default_str();
  std::vector<std::string> theme_ids;
  for (const ThemeColours& theme : themes()) theme_ids.emplace_back(theme.id);
  CLI::Option* theme = screenshot->add_option("--theme", arguments->theme, "Colours");
  choose_among(theme, theme_ids);
  theme->capture_default_str();
  screenshot->add_flag("--footer", arguments->has_footer,
                       "A line below the picture: mechanism, heads, seed, dropout, version");
  add_view_options(*screenshot, arguments->view);
  add_num_heads(*screenshot, arguments->document);
  return {screenshot, [arguments] { run_screenshot(*arguments); }};
}

}  // namespace attnscope
