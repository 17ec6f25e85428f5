#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "look/colormap.h"

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

// What a colour is for: this says what has to be readable on what, and what is told apart from what.
enum class InkUse {
  ground,      // any text may stand on it
  control,     // texts of controls stand on it
  filled,      // plain text runs across it
  line,        // around and between
  text,        // on all of these
  label,       // on grounds and controls
  mark_label,  // a mark whose colour labels have, too
  mark,        // one of several colours that may frame cells side by side
};
constexpr bool is_mark(InkUse use) { return use == InkUse::mark || use == InkUse::mark_label; }

struct InkRole {
  std::string_view name;
  Rgb ThemeInks::*ink;
  InkUse use;
};
inline constexpr std::array<InkRole, 19> ink_roles = {{
    {"window", &ThemeInks::window, InkUse::ground},
    {"panel", &ThemeInks::panel, InkUse::ground},
    {"card", &ThemeInks::card, InkUse::ground},
    {"control", &ThemeInks::control, InkUse::control},
    {"control_hovered", &ThemeInks::control_hovered, InkUse::control},
    {"chosen", &ThemeInks::chosen, InkUse::control},
    {"row_hovered", &ThemeInks::row_hovered, InkUse::control},
    {"grab", &ThemeInks::grab, InkUse::filled},
    {"grab_active", &ThemeInks::grab_active, InkUse::filled},
    {"selection", &ThemeInks::selection, InkUse::filled},
    {"border", &ThemeInks::border, InkUse::line},
    {"scrollbar", &ThemeInks::scrollbar, InkUse::line},
    {"text", &ThemeInks::text, InkUse::text},
    {"dim_text", &ThemeInks::dim_text, InkUse::label},
    {"accent", &ThemeInks::accent, InkUse::mark_label},
    {"warning", &ThemeInks::warning, InkUse::label},
    {"cross_hair", &ThemeInks::cross_hair, InkUse::mark_label},
    {"after", &ThemeInks::after, InkUse::mark_label},
    {"edited", &ThemeInks::edited, InkUse::mark},
}};
static_assert(sizeof(ThemeInks) == sizeof(Rgb) * ink_roles.size(), "each colour of a theme has a row here");

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
