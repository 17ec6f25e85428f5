#pragma once

#include <filesystem>
#include <optional>

#include "document/document.h"

namespace attnscope {

// Opens the window on a document file, or on the default document, and stays until it is closed. Returns the exit
// status. Throws Error when there is no display, or when the file cannot be read.
int run_window(const std::optional<std::filesystem::path>& file);

// Renders the window's picture of a document without a display: `width` by `height` units at `scale` pixels per unit.
// Throws Error.
void write_screenshot(const Document& document, const std::filesystem::path& out, int width, int height, double scale,
                      bool dark);

}  // namespace attnscope
