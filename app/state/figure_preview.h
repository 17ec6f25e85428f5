#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "look/figure_image.h"
#include "look/figure_options.h"
#include "state/figure_state.h"

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

}  // namespace attnscope
