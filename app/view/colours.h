#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/results.h"

namespace attnscope {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  bool operator==(const Rgb&) const = default;
};
constexpr Rgb hex(unsigned colour) {
  return {static_cast<std::uint8_t>(colour >> 16 & 255), static_cast<std::uint8_t>(colour >> 8 & 255),
          static_cast<std::uint8_t>(colour & 255)};
}

// Colour-blind-safe maps only.
enum class Colormap {
  viridis,         // sequential: weights, factors
  diverging,       // blue, near-white, red: signed values centred on 0, on a light background
  diverging_dark,  // blue, near-black, red: the same on a dark background
  difference,      // violet, near-white, green: differences of signed or other values, on a light background
  difference_dark,
  kept,       // white to pale green: dropout's factors, which say kept or dropped and little more
  kept_dark,  // near-black to dark green
};
constexpr int colormap_count = 7;
constexpr int colormap_entries = 256;

const std::array<Rgb, colormap_entries>& entries(Colormap map);

// Returns the index of the entry for `value` in [low, high], clamped: floor((value - low) * (256 / (high - low))), in
// float32, as the shader computes it. A range of no width gives the middle entry. NaN has no colour; callers mark it.
int entry_index(float value, float low, float high);

// The constants of that rule for the shader, floor((value * shrink - low) * factor): both get the same bits without a
// division on the graphics processor. Factor 0 stands for the middle entry; shrink is 1, or a half where the
// range's width would overflow.
struct IndexScale {
  float low = 0;
  float factor = 0;
  float shrink = 1;
};
IndexScale index_scale(float low, float high);

Rgb colour_of(Colormap map, float value, float low, float high);

// Returns the colour that lies `share` of the way between the two.
Rgb mix(Rgb from, Rgb to, double share);

// Chooses black or white ink, whichever reads better on `background` (WCAG relative luminance). Nothing between them
// reaches a contrast of 4.5 on every ground.
bool prefers_dark_ink(Rgb background);
Rgb ink_on(Rgb background);

// The rule for the ends of a colour bar. Signed stages stay centred on 0 in every mode, with the same ends for all
// heads but in `own`.
enum class RangeMode {
  automatic,    // fixed for up to `few_keys` keys, else relative
  fixed,        // weights 0 to 1, to 1/(1-p) after dropout
  shared,       // smallest to largest value of all heads and batch entries
  own,          // smallest to largest value of the matrix that is shown
  relative,     // weights × the number of keys that their query may see
  logarithmic,  // powers of ten of the weights
};
constexpr Index few_keys = 12;

// A mode with its name in files and commands, and its name on the screen.
struct RangeModeName {
  RangeMode mode;
  std::string_view id;
  const char* title;
};
inline constexpr std::array<RangeModeName, 6> range_modes = {{
    {RangeMode::automatic, "automatic", "automatic"},
    {RangeMode::shared, "shared", "all heads"},
    {RangeMode::own, "own", "each its own"},
    {RangeMode::fixed, "fixed", "fixed, 0 to 1"},
    {RangeMode::relative, "relative", "× visible keys"},
    {RangeMode::logarithmic, "logarithmic", "logarithmic"},
}};
inline constexpr const char* range_modes_help =
    "Sets which numbers the ends of the colour bars stand for. Fixed: 0 and 1, or 1/(1-p) after dropout. All heads, "
    "each its own: the smallest and the largest number. × visible keys: each weight times the number of keys that its "
    "query sees, so that 1× is an equal share. Logarithmic: powers of ten. Numbers beyond an end have that end's "
    "colour. Automatic: fixed for up to 12 keys, then × visible keys. All other stages are centred on 0.";

// Returns the mode that `automatic` stands for. Stages other than weights get `fixed` for modes that only weights have.
RangeMode effective_range(const AttentionConfig& config, Stage stage, RangeMode mode);

// Two colours that a user chose for the ends of a figure's colour bar; those between are mixed from them.
struct ColourEnds {
  Rgb low = hex(0xFFFFFF);
  Rgb high = hex(0x0B5394);
  bool operator==(const ColourEnds&) const = default;
};
// Reads two colours as in "#ffffff..#0b5394"; returns nothing for any other text.
std::optional<ColourEnds> colour_ends_of(std::string_view text);
std::string text_of(const ColourEnds& ends);

// `low` and `high` are in units of the measure: multiples of 1 / keys, or powers of ten.
struct ColourRange {
  Colormap map = Colormap::viridis;
  float low = 0;
  float high = 1;
  Measure measure = {};
  std::optional<ColourEnds> ends = {};  // of a figure: replaces the map
};
// Returns a colour of the bar, counted from its low end.
Rgb entry_of(Colormap map, const std::optional<ColourEnds>& ends, int entry);
Rgb measured_colour(const ColourRange& range, float measured);  // of a number in units of the measure
Rgb cell_colour(const ColourRange& range, float value, Index row);
// Returns whether one number describes the bar: "±1.2".
inline bool is_centred(const ColourRange& range) {
  return range.low == -range.high && range.measure.kind != MeasureKind::logarithm;
}
// Writes a number of the bar: "0.50", "2×", "0.001".
std::string bar_number(const ColourRange& range, double at, int decimals);
// Names the unit of the bar's numbers if cells have another one: "× visible keys". Empty if they have the same.
std::string_view measure_name(const ColourRange& range);

// Returns the colours of one matrix of a stage; `dark` chooses maps for a dark background. A difference is signed,
// whatever its stage. The summary needs its `spread` for relative and logarithmic ranges.
ColourRange colour_range(const Result& result, Stage stage, const StageSummary& summary, Index matrix, RangeMode mode,
                         bool dark);

// Returns the range from -magnitude to magnitude, for embeddings in the table and weight matrices.
ColourRange signed_range(float magnitude, bool dark);
Colormap on_dark(Colormap map);  // returns the map that replaces this one on a dark background

// The hue of what belongs to queries, keys or values: titles and frames. Teal, plum and olive, because red and blue are
// signs, gold is what is pinned, green what follows from it, and pink what is wrong.
Rgb operand_rgb(OperandSide side, bool dark);

// The colours of the window's themes; figures take theirs from the same table.

enum class ThemeId { light, dark, high_contrast };

struct ThemeInks {
  Rgb window;   // lies behind everything
  Rgb panel;    // side panels, menu bar, status line
  Rgb card;     // lies behind a stage
  Rgb control;  // fields and buttons
  Rgb control_hovered;
  Rgb chosen;       // lies behind the chosen item
  Rgb row_hovered;  // a row of a menu or a list
  Rgb grab;         // the grip of a slider, whose number runs across it
  Rgb grab_active;
  Rgb selection;  // lies behind selected text in a field
  Rgb border;
  Rgb scrollbar;
  Rgb text;
  Rgb dim_text;
  Rgb accent;      // active controls, links, numbers that the pinned one follows from
  Rgb warning;     // sums that are not 1, what is switched off, errors
  Rgb cross_hair;  // marks what is pinned or hovered, with its query and key
  Rgb after;       // numbers that follow from the pinned one
  Rgb edited;      // the corner of a cell that was changed by hand
};

// Greys of cells that show no number.
struct CellGreys {
  std::uint8_t hidden = 230;  // lies behind the hatch of hidden cells: quiet against the canvas
  std::uint8_t hatch = 208;
  std::uint8_t paper = 18;  // cells that are not finite; no map ends in it. Their ink is 255 - paper
  std::uint8_t gap = 255;   // lies between cells, and behind the cross of dropped ones
  bool operator==(const CellGreys&) const = default;
};
constexpr Rgb grey(std::uint8_t light) { return {light, light, light}; }
constexpr std::uint8_t ink_on_paper(const CellGreys& greys) { return static_cast<std::uint8_t>(255 - greys.paper); }

struct ThemeColours {
  ThemeId theme = ThemeId::light;
  std::string_view id = {};  // names the theme in settings, scripts and on the command line
  bool is_dark = false;      // chooses maps and hues
  bool has_frames = false;   // a frame surrounds each control
  ThemeInks inks = {};
  CellGreys greys = {};
};

constexpr std::size_t theme_count = 3;
std::span<const ThemeColours, theme_count> themes();  // in the order of their enumeration
const ThemeColours& colours_of(ThemeId theme);

}  // namespace attnscope
