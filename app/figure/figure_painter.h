#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "figure/figure.h"

namespace attnscope {

// A figure to be drawn: as the bytes of a file, or as an image that fits a place on the screen.
struct FigureJob {
  std::shared_ptr<const Result> result;
  std::vector<std::string> labels;
  FigureOptions options;
  std::optional<FigureFormat> format;  // none: an image
  double fit_width = 0;                // of it, in pixels
  double fit_height = 0;
  bool operator==(const FigureJob&) const = default;
};

struct PaintedFigure {
  FigureJob job;
  FigureImage image;
  std::string bytes;
  std::string error;  // a sentence where the figure could not be drawn
};

// Draws figures on a background thread of its own; the newest job wins.
class FigurePainter {
public:
  // `on_finished` is called from the background thread after each figure.
  explicit FigurePainter(std::function<void()> on_finished = {});
  ~FigurePainter();
  FigurePainter(const FigurePainter&) = delete;
  FigurePainter& operator=(const FigurePainter&) = delete;

  void paint(FigureJob job);  // never blocks on the drawing
  std::shared_ptr<const PaintedFigure> latest() const;
  bool busy() const;
  void wait() const;  // until nothing is being drawn

private:
  void run(const std::stop_token& stop);

  std::function<void()> on_finished_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::optional<FigureJob> pending_;
  std::stop_source job_stop_;
  bool running_ = false;
  std::shared_ptr<const PaintedFigure> latest_;
  std::jthread thread_;  // last: starts when everything above is there
};

}  // namespace attnscope
