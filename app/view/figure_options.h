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
  transparent,  // no background, inks for a light page
};

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
  std::optional<Index> head = 0;                // none: all heads; a pipeline is always of one
  bool has_all_layers = false;                  // of a trained model, with all heads of each
  Index batch = 0;                              // entry of the batch
  ComparedSide side = ComparedSide::now;        // of two documents that are compared
  FigureWidth width;
  double height = 0;                       // in the width's unit; 0: as the content needs it
  double scale = 3;                        // pixels of a PNG for each of the figure's, 1 to 6
  FigureTheme theme = FigureTheme::light;  //
  double font_size = 9;                    // points
  std::optional<Colormap> colormap;        // none: the stage's own
  RangeMode range = RangeMode::automatic;  //
  std::optional<FixedRange> fixed_range;   // instead of `range`
  std::optional<int> decimals = 2;         // of numbers in cells, where they fit; none: no numbers
  std::optional<bool> row_sums;            // none: of a single matrix, or in a pipeline, where rows should sum to 1
  TeachingViewChoice study;                // instead of a stage: a teaching view; without an id: none
  std::optional<Stage> last_stage;      // of a pipeline: those that are computed later are not there yet; none: all are
  StageSet left_out;                    // of a pipeline; what is left out takes no room where it can be helped
  bool has_arrows = true;               // of a pipeline, with their operators
  std::optional<Source> marked;         // the cell whose row and column are marked in every matrix
  std::vector<std::string> arithmetic;  // below the matrices: how the marked cell came to be, step by step
  std::string part;                     // of attention from elsewhere: "Layer 3 of 12"
  std::string title;                    // above; empty: none
  std::string caption;                  // below
  std::string footer;                   // small, at the very end
  bool operator==(const FigureOptions&) const = default;
};

constexpr double smallest_font = 4;  // points
constexpr double largest_font = 36;
constexpr double largest_scale = 6;
constexpr int most_decimals = 4;

// Bounds of a width, in its own unit.
struct WidthBounds {
  double smallest = 0;
  double largest = 0;
};
constexpr WidthBounds width_bounds(LengthUnit unit) {
  return unit == LengthUnit::millimetres ? WidthBounds{30, 1000} : WidthBounds{120, 8000};
}

// Sizes that figures are made in, by name. Where a page has no height, that of the figure follows from its content.
struct PageSize {
  std::string_view id;     // "slide-16x9"
  std::string_view title;  // with its millimetres
  double width = 0;        // millimetres
  double height = 0;       // 0: follows
  double font_size = 9;    // points that can be read there
};
inline constexpr PageSize page_sizes[] = {
    {"slide-16x9", "slide 16:9, 339 × 191 mm", 338.667, 190.5, 14},
    {"slide-4x3", "slide 4:3, 254 × 191 mm", 254, 190.5, 14},
    {"paper-column", "column of a paper, 85 mm", 85, 0, 8},
    {"paper-page", "page of a paper, 170 mm", 170, 0, 9},
};
const PageSize* page_size_named(std::string_view id);  // null where there is none

// An animation whose scale nobody chose has at most this many pixels from left to right.
constexpr double widest_animation = 1920;
void limit_animation(FigureOptions& options);

// A figure is laid out in pixels of 1/96 inch, as browsers count them.
double page_width(const FigureWidth& width);
double page_height(const FigureOptions& options);  // 0: as the content needs it

void set_page_size(FigureOptions& options, const PageSize& size);  // its font with it
const PageSize* page_size_of(const FigureOptions& options);        // null for one without a name

// Whether row sums are drawn beside the matrix of this stage, or of the pipeline.
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
