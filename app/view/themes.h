#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "view/colours.h"

namespace attnscope {

// The colours of the window's themes; figures take theirs from the same table.

enum class ThemeId { light, dark, high_contrast };

struct ThemeInks {
  Rgb window;           // behind everything
  Rgb panel;            // side panels, menu bar, status line
  Rgb card;             // behind a stage
  Rgb control;          // fields and buttons
  Rgb control_hovered;  //
  Rgb chosen;           // behind what is chosen
  Rgb row_hovered;      // of a menu or a list
  Rgb grab;             // of a slider, whose number runs across it
  Rgb grab_active;
  Rgb selection;  // of text in a field
  Rgb border;
  Rgb scrollbar;
  Rgb text;
  Rgb dim_text;
  Rgb accent;      // active controls, links, what the pinned number follows from
  Rgb warning;     //
  Rgb cross_hair;  // marks on the hovered query and key
  Rgb after;       // what follows from the pinned number
  Rgb edited;      // in the corner of what was changed by hand
};

// Greys of cells that show no number.
struct CellGreys {
  std::uint8_t hidden = 230;  // behind the hatch of what the mask hides: quiet against the canvas
  std::uint8_t hatch = 208;
  std::uint8_t paper = 18;  // of cells that are not finite; no map has it at either end. Their ink is 255 less that
  std::uint8_t gap = 255;   // between cells, and behind the cross of what is dropped
  bool operator==(const CellGreys&) const = default;
};
constexpr Rgb grey(std::uint8_t light) { return {light, light, light}; }
constexpr std::uint8_t ink_on_paper(const CellGreys& greys) { return static_cast<std::uint8_t>(255 - greys.paper); }

struct ThemeColours {
  ThemeId theme = ThemeId::light;
  std::string_view id = {};  // in settings, scripts and on the command line
  bool is_dark = false;      // chooses maps and the colours of heads
  bool has_frames = false;   // around each control
  ThemeInks inks = {};
  CellGreys greys = {};
};

constexpr std::size_t theme_count = 3;
std::span<const ThemeColours, theme_count> themes();  // in the order of their enumeration
const ThemeColours& colours_of(ThemeId theme);

}  // namespace attnscope
