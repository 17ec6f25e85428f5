#include "shell/screenshot_file.h"

#include <fmt/format.h>

#include <ctime>

#include "core/shown_text.h"
#include "platform/system/clipboard.h"
#include "platform/system/file.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

std::string time_stamp() {
  const std::tm local = local_time(std::time(nullptr));
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d-%H%M%S", &local);
  return text;
}

}  // namespace

std::filesystem::path free_path(const std::filesystem::path& folder) {
  const std::string stem = "attnscope-" + time_stamp();
  std::filesystem::path path = folder / (stem + ".png");
  std::error_code ignored;
  for (int number = 2; std::filesystem::exists(path, ignored); ++number)
    path = folder / fmt::format("{}-{}.png", stem, number);
  return path;
}

std::string deliver(const std::filesystem::path& path, const std::string& png) {
  if (path.empty()) {
    copy_picture(png);
    return "Copied the picture of the window.";
  }
  write_file(path, png);
  return fmt::format("Screenshot saved: {}", shown_path(path));
}

}  // namespace attnscope
