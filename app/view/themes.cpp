#include "view/themes.h"

namespace attnscope {
namespace {

// The colour of an ink in each theme.
struct InkRow {
  Rgb ThemeInks::*ink;
  unsigned light, dark, high_contrast;
};

// Marks differ in lightness as well as in hue, so that they are told apart with any colour vision.
constexpr InkRow inks[] = {
    {&ThemeInks::window, 0xF3F4F6, 0x14171B, 0x000000},
    {&ThemeInks::panel, 0xFFFFFF, 0x1B1F24, 0x000000},
    {&ThemeInks::card, 0xFFFFFF, 0x1F242A, 0x000000},
    {&ThemeInks::control, 0xEFEFF0, 0x303338, 0x000000},
    {&ThemeInks::control_hovered, 0xE4E4E5, 0x36393E, 0x2A2A2A},
    {&ThemeInks::chosen, 0xE3ECF9, 0x26364D, 0x00365C},
    {&ThemeInks::row_hovered, 0xE0E4EF, 0x273241, 0x2A2A2A},
    {&ThemeInks::grab, 0x9CABD0, 0x3F597B, 0x005A96},
    {&ThemeInks::grab_active, 0x8296C6, 0x46648C, 0x0069B0},
    {&ThemeInks::selection, 0xB1BCD7, 0x394F6D, 0x005A96},
    {&ThemeInks::border, 0xD9DCE1, 0x343B44, 0xB4B4B4},
    {&ThemeInks::scrollbar, 0xC6C7C8, 0x4E5256, 0xB4B4B4},
    {&ThemeInks::text, 0x1B1F24, 0xE8EAED, 0xFFFFFF},
    {&ThemeInks::dim_text, 0x59616C, 0xA0A8B2, 0xDCDCDC},
    {&ThemeInks::accent, 0x1F3F8E, 0x70A8F4, 0x5AB4FF},
    {&ThemeInks::warning, 0xB3400A, 0xFF9D5C, 0xFFA070},
    {&ThemeInks::cross_hair, 0xC53100, 0xFFB454, 0xFFD000},
    {&ThemeInks::after, 0x0C7B60, 0x4FE0B0, 0x40F0A0},
    {&ThemeInks::edited, 0xB43FA8, 0xE0358F, 0xFF4FB4},
};

constexpr ThemeColours with_inks(ThemeColours theme, unsigned InkRow::*colour) {
  for (const InkRow& row : inks) theme.inks.*row.ink = hex(row.*colour);
  return theme;
}

constexpr std::array<ThemeColours, theme_count> table = {
    with_inks({.theme = ThemeId::light, .id = "light", .greys = {.hidden = 230, .hatch = 208, .paper = 18, .gap = 255}},
              &InkRow::light),
    with_inks({.theme = ThemeId::dark,
               .id = "dark",
               .is_dark = true,
               .greys = {.hidden = 34, .hatch = 52, .paper = 237, .gap = 23}},
              &InkRow::dark),
    with_inks({.theme = ThemeId::high_contrast,
               .id = "high-contrast",
               .is_dark = true,
               .has_frames = true,
               .greys = {.hidden = 0, .hatch = 112, .paper = 255, .gap = 0}},
              &InkRow::high_contrast),
};

}  // namespace

std::span<const ThemeColours, theme_count> themes() { return table; }

const ThemeColours& colours_of(ThemeId theme) { return table[static_cast<std::size_t>(theme)]; }

}  // namespace attnscope
