#pragma once

#include <optional>
#include <utility>

#include "features/shared/switchboard.h"

namespace attnscope {

// Gives data to other programs: text on the clipboard, weights in a file.
class ExchangeController {
public:
  explicit ExchangeController(const AppServices& services) : to_(services) {}

  void apply(const CopyText& command);
  void apply(const CopyCode& command);
  void apply(const CopyStage& command);
  void apply(const ExportWeights& command);

private:
  AppServices to_;
};

// Pictures of the window: where they go, and which is wanted. The folder is asked for once, then remembered.
class ScreenshotController {
public:
  explicit ScreenshotController(const AppServices& services) : to_(services) {}

  void apply(const TakeScreenshot& command);
  void apply(const ChooseScreenshotFolder& command);
  // A screenshot waits for its folder no longer than the dialog asks for one.
  void follow() {
    if (to_.dialog.kind != DialogState::Kind::screenshot_folder) waiting_scale_.reset();
  }

  // The one that was asked for since the last call.
  std::optional<TakeScreenshot> take_request() { return std::exchange(wanted_, std::nullopt); }

private:
  AppServices to_;
  std::optional<TakeScreenshot> wanted_;
  std::optional<int> waiting_scale_;  // of one that waits for a folder to be chosen
};

}  // namespace attnscope
