#pragma once

#include <filesystem>
#include <functional>
#include <variant>

#include "features/session.h"
#include "files/document_file.h"

namespace attnscope {

// Opens the window and stays until it is closed; `begin` says what it shows first, which may throw Error. Returns the
// exit status. Throws Error when there is no display.
int run_window(const std::function<void(Session&)>& begin);

struct ScreenshotOptions {
  int width = 1440;  // units
  int height = 900;
  double scale = 1;  // pixels per unit
  ThemeId theme = ThemeId::light;
  bool has_footer = false;  // a line below that says what is shown
  Call opens = {};          // what is opened first, such as a step of a lesson; null for nothing
};

// Renders the window's picture of a document, or of attention of a file, without a display, into a PNG that carries
// what it shows; of a picture, with the view that it shows. Throws Error.
void write_screenshot(std::variant<LoadedDocument, LoadedAttention> shown, const std::filesystem::path& out,
                      const ScreenshotOptions& options);

}  // namespace attnscope
