#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "view/figure_options.h"

namespace attnscope {

// How far a drawing has come; the thread that draws writes it.
struct DrawingProgress {
  bool is_of_frames = false;              // what is counted: frames of a sweep, else matrices of a figure
  std::atomic<std::size_t> count = 0;     // 0: not known yet
  std::atomic<std::size_t> computed = 0;  // frames whose numbers were looked at, before any is drawn
  std::atomic<std::size_t> drawn = 0;
  std::atomic<float> encoded = 0;  // of the picture that is drawn, from 0 to 1
};

// The figure itself, as large as there is room for it.
struct FigurePreview {
  FigureTheme theme = FigureTheme::light;
  FigureImage image;  // empty where it could not be drawn
  double width = 0;   // of the figure, in its own pixels of 1/96 inch
  double height = 0;
  float pixels_per_unit = 1;  // of the screen that the image is for
  std::string error;          // why there is none
};

// How far figures have come that are drawn in the background.
struct FigureState {
  struct Export {
    std::string name;  // of the file, or "the clipboard"
    double since = 0;  // seconds since start, when its drawing began
    std::shared_ptr<const DrawingProgress> progress = {};
  };

  std::shared_ptr<const FigurePreview> preview;             // of the choices, or of those before
  bool is_late = false;                                     // the preview of the choices takes a while
  std::shared_ptr<const DrawingProgress> preview_progress;  // of a sweep's; null for a still figure
  std::size_t frame_count = 0;                              // of the sweep; 0 for a still figure or a bad sweep
  std::string frame_name;                                   // of the frame that is chosen: "seed 7"
  std::optional<Export> under_way;
  std::string said;             // what came of the last one
  std::string obstacle;         // why none can be drawn now; empty when one can
  bool replaces_files = false;  // some that are there
  std::string video_problem;    // why a sweep cannot be a video; empty where it can
};

}  // namespace attnscope
