#pragma once

#include <string_view>

#include "paint/window/text.h"

namespace attnscope {

constexpr int usual_texture_side = 16384;  // today's drivers allow it

// Replaces the fonts of an atlas: Inter, JetBrains Mono, DejaVu for symbols, found through fontconfig, rasterized at
// `scale` pixels per unit times `interface_scale`, with glyphs for `text` (UTF-8: the tokens) from whichever installed
// font has them. What no font has shows as a visible box. Where a font is missing, Dear ImGui's own is used and
// `messages` says so. An atlas that no context has yet may be filled by any thread, while there is no context.
// Where its texture would be larger than `max_side` pixels a side, letters have fewer pixels, down to one a unit; then
// there are no large letters, and then not all of `text`, which `messages` says.
Fonts fill_atlas(ImFontAtlas& atlas, float scale, float interface_scale, std::string_view text,
                 int max_side = usual_texture_side);

// Makes the fonts of the current context's atlas its default. ImFont sizes are in units: io.FontGlobalScale is set to
// 1 / fonts.pixels_per_unit.
void use_fonts(const Fonts& fonts);

// Fills the atlas of the current Dear ImGui context and uses its fonts.
Fonts load_fonts(float scale, float interface_scale, std::string_view text, int max_side = usual_texture_side);

// Returns whether the current fonts lack glyphs that `text` needs, so that load_fonts must run again.
bool needs_glyphs(const Fonts& fonts, std::string_view text);

}  // namespace attnscope
