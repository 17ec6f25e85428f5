#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "document/document.h"
#include "session/viewed_attention.h"

namespace attnscope {

// Opens the window on a document file, or on the default document, and stays until it is closed. Returns the exit
// status. Throws Error when there is no display, or when the file cannot be read.
int run_window(const std::optional<std::filesystem::path>& file);
int run_window(LoadedAttention attention);  // the same on attention of a file
struct AttentionToRead {
  std::filesystem::path path;
  std::function<LoadedAttention(const UnpackWatch&)> load;  // may throw Error, which the window tells
};
int run_window(AttentionToRead attention);  // the same while it is read

struct ScreenshotOptions {
  int width = 1440;  // units
  int height = 900;
  double scale = 1;  // pixels per unit
  bool dark = false;
  bool has_footer = false;  // a line below that says what is shown
};

// Renders the window's picture of a document without a display, into a PNG that carries the document. Throws Error.
void write_screenshot(const Document& document, const std::filesystem::path& out, const ScreenshotOptions& options);
// The same of attention of a file, into a PNG that says which and how it is looked at.
void write_screenshot(LoadedAttention attention, const std::filesystem::path& out, const ScreenshotOptions& options);

}  // namespace attnscope
