#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "document/picture_format.h"
#include "document/sweep.h"
#include "view/figure_options.h"

namespace attnscope {

// A row of values as it is typed; `first` may be single values with commas between them, and then `last` is empty.
struct SweepRange {
  std::string first;
  std::string last;
  std::string step;  // empty: a usual one
  bool operator==(const SweepRange&) const = default;
};

// The parameter that an animation goes through, and how its frames are shown.
struct SweepChoices {
  bool is_on = false;  // false: the figure is still
  std::string parameter = "seed";
  Index token = 0;  // the token whose embedding is swept
  Index feature = 0;
  std::map<std::string, SweepRange> ranges;  // by parameter, also for parameters that are not swept now
  bool is_series = false;                    // numbered pictures instead of an animation
  double frames_per_second = 4;
  bool plays_once = false;  // false: the animation repeats
  std::size_t frame = 0;    // the frame that the preview shows
  bool is_playing = false;  // the preview plays the frames

  SweepRange& range() { return ranges[parameter]; }
  bool operator==(const SweepChoices&) const = default;
};

inline PictureUse use_of(const SweepChoices& sweep) {
  if (!sweep.is_on) return PictureUse::still;
  return sweep.is_series ? PictureUse::series : PictureUse::animation;
}

// The choices in the dialog that exports a figure.
struct FigureChoices {
  FigureOptions options;
  FixedRange fixed_range;       // as typed last, also while another range is chosen
  bool has_footer = false;      // the line that says how the picture can be made again
  bool shows_pinned = false;    // the pinned cell is marked
  bool has_arithmetic = false;  // the pinned cell's arithmetic stands below the figure
  SweepChoices sweep;
  bool name_follows_stage = true;  // the proposed name changes with the stage until one is typed
  bool is_browsing = false;        // a listing of the folder replaces the preview
  float preview_width = 0;         // room for the preview, in pixels of the screen
  float preview_height = 0;
  float pixels_per_unit = 1;  // scale of the screen
  bool operator==(const FigureChoices&) const = default;
};

inline PictureUse use_of(const FigureChoices& choices) {
  if (!choices.options.film) return use_of(choices.sweep);
  return choices.sweep.is_series ? PictureUse::series : PictureUse::film;
}

// The progress of a drawing, written by the thread that draws.
struct DrawingProgress {
  bool is_of_frames = false;              // counts the frames of a sweep; false: the matrices of a figure
  std::atomic<std::size_t> count = 0;     // 0: not known yet
  std::atomic<std::size_t> computed = 0;  // frames whose numbers were looked at, before any is drawn
  std::atomic<std::size_t> drawn = 0;
  std::atomic<float> encoded = 0;  // the encoded part of the picture, from 0 to 1
};

// The previewed figure, as large as its room allows.
struct FigurePreview {
  FigureTheme theme = FigureTheme::light;
  FigureImage image;  // empty where it could not be drawn
  double width = 0;   // in pixels of 1/96 inch
  double height = 0;
  float pixels_per_unit = 1;             // scale of the screen that the image is for
  std::string error;                     // why there is no image
  std::vector<std::string> scenes = {};  // names of the scenes of a film; none for any other figure
};

// The progress of figures that are drawn in the background.
struct FigureState {
  struct Export {
    std::string name;  // name of the file, or "the clipboard"
    double since = 0;  // seconds since start, when its drawing began
    std::shared_ptr<const DrawingProgress> progress = {};
  };

  std::shared_ptr<const FigurePreview> preview;             // for the current choices, or the ones before
  bool is_late = false;                                     // the preview of the choices takes a while
  std::shared_ptr<const DrawingProgress> preview_progress;  // progress of a sweep; null for a still figure
  std::size_t frame_count = 0;                              // 0 for a still figure or a bad sweep
  std::string frame_name;                                   // the chosen frame: "seed 7", or the scene of a film
  std::optional<Export> under_way;
  std::string said;             // the outcome of the last export
  std::string obstacle;         // why no figure can be drawn now; empty if one can
  bool replaces_files = false;  // the export would replace existing files
  std::string video_problem;    // why a sweep cannot be a video; empty where it can
};

}  // namespace attnscope
