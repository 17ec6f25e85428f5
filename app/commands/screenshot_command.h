#pragma once

#include <string>

#include "commands/view_command.h"

namespace attnscope {

// The arguments of `attnscope screenshot`, as they were typed.
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

// Draws the window into a PNG: with a document, a picture's, attention of a file or a lesson's step; without any of
// them as it opens. Throws Error.
void run_screenshot(const ScreenshotArguments& arguments);

}  // namespace attnscope
