#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace attnscope {

struct DrawingProgress;
struct FigurePreview;

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
