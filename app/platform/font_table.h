#pragma once

#include <fontconfig/fontconfig.h>

#include <cstddef>
#include <cstdint>

#include "paint_window/fonts.h"

namespace attnscope {

// The fonts that are made, each in the field that it is for.

// The characters that a font makes glyphs for.
enum class Glyphs : std::uint8_t { all, diagram, numbers };

inline constexpr float smallest_em = 11;

struct Wanted {
  ImFont*& (*font)(Fonts&);
  bool monospace = false;
  int weight = FC_WEIGHT_REGULAR;
  float em = 0;  // units
  Glyphs glyphs = Glyphs::all;
};

template <std::size_t Step>
ImFont*& larger_text(Fonts& fonts) {
  return fonts.larger[Step].small_text;
}
template <std::size_t Step>
ImFont*& larger_heading(Fonts& fonts) {
  return fonts.larger[Step].heading;
}
template <std::size_t Step>
ImFont*& digits(Fonts& fonts) {
  return fonts.digits[Step];
}

inline constexpr Wanted wanted_fonts[] = {
    {[](Fonts& fonts) -> ImFont*& { return fonts.text; }, false, FC_WEIGHT_REGULAR, 15.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.small_text; }, false, FC_WEIGHT_REGULAR, 12.5F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.heading; }, false, FC_WEIGHT_DEMIBOLD, 15.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.number; }, true, FC_WEIGHT_REGULAR, 13.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.small_number; }, true, FC_WEIGHT_REGULAR, 11.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.large_number; }, true, FC_WEIGHT_REGULAR, 17.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.smaller.small_text; }, false, FC_WEIGHT_REGULAR, smallest_em,
     Glyphs::diagram},
    {[](Fonts& fonts) -> ImFont*& { return fonts.smaller.heading; }, false, FC_WEIGHT_DEMIBOLD, 13.0F, Glyphs::diagram},
    {[](Fonts& fonts) -> ImFont*& { return fonts.bold_label; }, false, FC_WEIGHT_DEMIBOLD, 11.5F, Glyphs::diagram},
    {larger_heading<0>, false, FC_WEIGHT_DEMIBOLD, 18.0F, Glyphs::diagram},
    {larger_text<1>, false, FC_WEIGHT_REGULAR, 18.75F, Glyphs::diagram},
    {larger_heading<1>, false, FC_WEIGHT_DEMIBOLD, 22.5F, Glyphs::diagram},
    {larger_text<2>, false, FC_WEIGHT_REGULAR, 25.0F, Glyphs::diagram},
    {larger_heading<2>, false, FC_WEIGHT_DEMIBOLD, 30.0F, Glyphs::diagram},
    {digits<0>, false, FC_WEIGHT_REGULAR, 11.0F, Glyphs::numbers},
    {digits<1>, false, FC_WEIGHT_REGULAR, 12.0F, Glyphs::numbers},
    {digits<2>, false, FC_WEIGHT_REGULAR, 13.0F, Glyphs::numbers},
    {digits<3>, false, FC_WEIGHT_REGULAR, 14.0F, Glyphs::numbers},
    {digits<4>, false, FC_WEIGHT_REGULAR, 16.0F, Glyphs::numbers},
    {digits<5>, false, FC_WEIGHT_REGULAR, 18.0F, Glyphs::numbers},
    {digits<6>, false, FC_WEIGHT_REGULAR, 20.0F, Glyphs::numbers},
    {digits<7>, false, FC_WEIGHT_REGULAR, 23.0F, Glyphs::numbers},
    {digits<8>, false, FC_WEIGHT_REGULAR, 26.0F, Glyphs::numbers},
    {digits<9>, false, FC_WEIGHT_REGULAR, 30.0F, Glyphs::numbers}};

}  // namespace attnscope
