#pragma once

#include <memory>
#include <optional>
#include <string>

#include "figure/figure.h"
#include "figure/figure_options.h"

namespace attnscope {

// What is chosen in the dialog that exports a figure.
struct FigureChoices {
  FigureOptions options;
  FixedRange fixed_range;          // as typed last, also while another range is chosen
  bool has_footer = false;         // the line that says how the picture can be made again
  bool name_follows_stage = true;  // until one is typed
  bool is_browsing = false;        // the folder is listed where the preview was
  float preview_width = 0;         // room for the preview, in pixels of the screen
  float preview_height = 0;
  float pixels_per_unit = 1;  // of the screen
  bool operator==(const FigureChoices&) const = default;
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
  };

  std::shared_ptr<const FigurePreview> preview;  // of the choices, or of those before
  bool is_late = false;                          // the preview of the choices takes a while
  std::optional<Export> under_way;
  std::string said;      // what came of the last one
  std::string obstacle;  // why none can be drawn now; empty when one can
};

}  // namespace attnscope
