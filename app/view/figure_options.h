#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/source.h"
#include "core/tensor.h"
#include "view/colours.h"
#include "view/view_address.h"

namespace attnscope {

struct AttentionConfig;

enum class FigureTheme {
  light,
  dark,
  transparent,       // no background; inks for a light page
  transparent_dark,  // no background; inks for a dark page
  high_contrast,     // white on black with strong frames
};
constexpr bool has_background(FigureTheme theme) {
  return theme != FigureTheme::transparent && theme != FigureTheme::transparent_dark;
}

enum class LengthUnit { millimetres, pixels };

struct FigureWidth {
  double length = 160;
  LengthUnit unit = LengthUnit::millimetres;
  bool operator==(const FigureWidth&) const = default;
};

struct FixedRange {
  float low = 0;
  float high = 1;
  bool operator==(const FixedRange&) const = default;
};

// Everything that a user chooses about a figure.
struct FigureOptions {
  std::optional<Stage> stage = Stage::weights;  // none: the whole pipeline
  std::optional<Index> head = 0;                // none: all heads; a pipeline always shows one
  bool has_all_layers = false;                  // all layers of a trained model, each with all heads
  Index batch = 0;                              // index of the batch entry
  ComparedSide side = ComparedSide::now;        // the shown side of two compared documents
  FigureWidth width;
  double height = 0;  // in the width's unit; 0: the content decides
  double scale = 3;   // pixels of a PNG for each pixel of the figure, 1 to 6
  FigureTheme theme = FigureTheme::light;
  double font_size = 9;                   // points
  std::optional<Colormap> colormap;       // none: the stage's own map
  std::optional<ColourEnds> colour_ends;  // replace the map
  RangeMode range = RangeMode::automatic;
  std::optional<FixedRange> fixed_range;  // replaces `range`
  std::optional<int> decimals = 2;        // for numbers in cells, if they fit; none: no numbers
  std::optional<bool> row_sums;           // none: decided by has_row_sums()
  std::optional<Source> film;             // the film of this cell instead of a stage
  double scene_seconds = 0;               // length of each scene of a film; 0: the film decides
  TeachingViewChoice study;               // a teaching view instead of a stage; without an id: none
  std::optional<Stage> last_stage;        // a pipeline shows no stage computed after this one; none: shows all
  StageSet left_out;                      // a pipeline leaves these stages out, and gives them no room if it can
  bool has_arrows = true;                 // a pipeline has arrows, with their operators
  bool has_numbers_first = false;         // a pipeline's room goes to the numbers of all stages, as before an audience
  std::optional<Source> marked;           // every matrix marks the row and column of this cell
  std::vector<std::string> arithmetic;    // stands below: how the marked cell came to be, step by step
  std::string part;                       // names the part of imported attention: "Layer 3 of 12"
  std::string title;                      // stands above; empty: none
  std::string caption;                    // stands below
  std::string footer;                     // stands at the very end, small
  bool operator==(const FigureOptions&) const = default;
};

constexpr double smallest_font = 4;  // points
constexpr double largest_font = 36;
constexpr double largest_scale = 6;
constexpr double shortest_scene = 0.5;  // seconds
constexpr double longest_scene = 60;
constexpr int most_decimals = 4;

// Bounds of a width, in its own unit.
struct WidthBounds {
  double smallest = 0;
  double largest = 0;
};
constexpr WidthBounds width_bounds(LengthUnit unit) {
  return unit == LengthUnit::millimetres ? WidthBounds{30, 1000} : WidthBounds{120, 8000};
}

// Sizes of figures, by name. If a page has no height, the content decides.
struct PageSize {
  std::string_view id;     // "slide-16x9"
  std::string_view title;  // says its millimetres, too
  double width = 0;        // millimetres
  double height = 0;       // 0: the content decides
  double font_size = 9;    // points of letters that can be read there
};
inline constexpr PageSize page_sizes[] = {
    {"slide-16x9", "slide 16:9, 339 × 191 mm", 338.667, 190.5, 14},
    {"slide-4x3", "slide 4:3, 254 × 191 mm", 254, 190.5, 14},
    {"paper-column", "column of a paper, 85 mm", 85, 0, 8},
    {"paper-page", "page of a paper, 170 mm", 170, 0, 9},
};
const PageSize* page_size_named(std::string_view id);  // null if there is none

// An animation whose scale nobody chose has at most this many pixels from left to right.
constexpr double widest_animation = 1920;
void limit_animation(FigureOptions& options);

// A figure is laid out in pixels of 1/96 inch, as browsers count them.
double page_width(const FigureWidth& width);
double page_height(const FigureOptions& options);  // 0: the content decides

void set_page_size(FigureOptions& options, const PageSize& size);  // sets its font size, too
const PageSize* page_size_of(const FigureOptions& options);        // null if no named page has this size

// Returns whether row sums stand beside the matrix of this stage, alone or in the pipeline.
bool has_row_sums(const FigureOptions& options, const AttentionConfig& config, Stage stage);

// Throws Error when a choice is out of its bounds.
void check(const FigureOptions& options);

// A drawn figure as straight RGBA, rows from top to bottom.
struct FigureImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  // width * height * 4
};

}  // namespace attnscope
