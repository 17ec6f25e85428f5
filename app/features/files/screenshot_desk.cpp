#include "features/files/screenshot_desk.h"

#include "core/shown_text.h"

#include <fmt/format.h>

#include <system_error>

namespace attnscope {

void ScreenshotDesk::apply(const TakeScreenshot& command) {
  if (to_.view.screenshot_folder.empty() && !command.is_for_clipboard) {
    to_.queue.push_back(ShowDialog{ShowDialog::Kind::screenshot_folder});
    waiting_scale_ = command.scale;
    return;
  }
  wanted_ = command;
}

void ScreenshotDesk::apply(const ChooseScreenshotFolder& command) {
  std::error_code failure;
  std::filesystem::create_directories(command.folder, failure);
  if (failure || !std::filesystem::is_directory(command.folder, failure)) {
    to_.dialog.error = fmt::format("{} is not a folder that can be written to.", shown_path(command.folder));
    return;
  }
  to_.view.screenshot_folder = command.folder.string();
  to_.dialog = {};
  if (const std::optional<int> scale = std::exchange(waiting_scale_, std::nullopt)) {
    wanted_ = {.scale = *scale};
  } else {
    to_.messages.say(fmt::format("Screenshots go to {}.", to_.view.screenshot_folder));
  }
}

}  // namespace attnscope
