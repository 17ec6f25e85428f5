#pragma once

#include <cstddef>
#include <map>
#include <string>

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
  bool is_on = false;              // else the figure is still
  std::string parameter = "seed";  // its name
  Index token = 0;                 // whose embedding is swept
  Index feature = 0;
  std::map<std::string, SweepRange> ranges;  // by parameter, also of those that are not swept now
  bool is_series = false;                    // numbered pictures instead of one that is animated
  double frames_per_second = 4;              // of the animation
  bool plays_once = false;                   // else without end
  std::size_t frame = 0;                     // in the preview
  bool is_playing = false;                   // the preview goes from frame to frame

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
  bool has_arithmetic = false;  // and how it came to be is said below
  SweepChoices sweep;
  bool name_follows_stage = true;  // until one is typed
  bool is_browsing = false;        // the folder is listed where the preview was
  float preview_width = 0;         // room for the preview, in pixels of the screen
  float preview_height = 0;
  float pixels_per_unit = 1;  // of the screen
  bool operator==(const FigureChoices&) const = default;
};

}  // namespace attnscope
