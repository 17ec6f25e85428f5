#include "look/themes.h"

namespace attnscope {
namespace {

constexpr Rgb hex(unsigned colour) {
  return {static_cast<std::uint8_t>(colour >> 16 & 255), static_cast<std::uint8_t>(colour >> 8 & 255),
          static_cast<std::uint8_t>(colour & 255)};
}

// Marks differ in lightness as well as in hue, so that they are told apart with any colour vision.
constexpr std::array<ThemeColours, theme_count> table = {{
    {.theme = ThemeId::light,
     .id = "light",
     .inks = {.window = hex(0xF3F4F6),
              .panel = hex(0xFFFFFF),
              .card = hex(0xFFFFFF),
              .control = hex(0xEFEFF0),
              .control_hovered = hex(0xE4E4E5),
              .chosen = hex(0xE3ECF9),
              .row_hovered = hex(0xE0E4EF),
              .grab = hex(0x9CABD0),
              .grab_active = hex(0x8296C6),
              .selection = hex(0xB1BCD7),
              .border = hex(0xD9DCE1),
              .scrollbar = hex(0xC6C7C8),
              .text = hex(0x1B1F24),
              .dim_text = hex(0x59616C),
              .accent = hex(0x1F3F8E),
              .warning = hex(0xB3400A),
              .cross_hair = hex(0xC53100),
              .after = hex(0x0C7B60),
              .edited = hex(0xB43FA8)},
     .greys = {.hidden = 230, .hatch = 208, .paper = 18, .gap = 255}},
    {.theme = ThemeId::dark,
     .id = "dark",
     .is_dark = true,
     .inks = {.window = hex(0x14171B),
              .panel = hex(0x1B1F24),
              .card = hex(0x1F242A),
              .control = hex(0x303338),
              .control_hovered = hex(0x36393E),
              .chosen = hex(0x26364D),
              .row_hovered = hex(0x273241),
              .grab = hex(0x3F597B),
              .grab_active = hex(0x46648C),
              .selection = hex(0x394F6D),
              .border = hex(0x343B44),
              .scrollbar = hex(0x4E5256),
              .text = hex(0xE8EAED),
              .dim_text = hex(0xA0A8B2),
              .accent = hex(0x70A8F4),
              .warning = hex(0xFF9D5C),
              .cross_hair = hex(0xFFB454),
              .after = hex(0x4FE0B0),
              .edited = hex(0xE0358F)},
     .greys = {.hidden = 30, .hatch = 72, .paper = 237, .gap = 23}},
    {.theme = ThemeId::high_contrast,
     .id = "high-contrast",
     .is_dark = true,
     .has_frames = true,
     .inks = {.window = hex(0x000000),
              .panel = hex(0x000000),
              .card = hex(0x000000),
              .control = hex(0x000000),
              .control_hovered = hex(0x2A2A2A),
              .chosen = hex(0x00365C),
              .row_hovered = hex(0x2A2A2A),
              .grab = hex(0x005A96),
              .grab_active = hex(0x0069B0),
              .selection = hex(0x005A96),
              .border = hex(0xB4B4B4),
              .scrollbar = hex(0xB4B4B4),
              .text = hex(0xFFFFFF),
              .dim_text = hex(0xDCDCDC),
              .accent = hex(0x5AB4FF),
              .warning = hex(0xFFA070),
              .cross_hair = hex(0xFFD000),
              .after = hex(0x40F0A0),
              .edited = hex(0xFF4FB4)},
     .greys = {.hidden = 0, .hatch = 112, .paper = 255, .gap = 0}},
}};

}  // namespace

std::span<const ThemeColours, theme_count> themes() { return table; }

const ThemeColours& colours_of(ThemeId theme) { return table[static_cast<std::size_t>(theme)]; }

}  // namespace attnscope
