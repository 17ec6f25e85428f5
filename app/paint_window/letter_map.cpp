#include "paint_window/letter_map.h"

#include <algorithm>
#include <cmath>

#include "paint_window/imgui_compat.h"

namespace attnscope {

LetterMap::LetterMap(const ImFontAtlas& atlas, const Fonts& fonts)
    : width_(static_cast<int>(texture_size(atlas).x)), height_(static_cast<int>(texture_size(atlas).y)) {
  owners_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  int font = 0;
  visit_fonts(atlas, [&](const ImFont* from, const ImVector<ImFontGlyph>& glyphs, float size, float blank) {
    ++font;
    for (const ImFontGlyph& glyph : glyphs) {
      if (!glyph.Visible) continue;
      letters_.push_back({&glyph, font, size, is_number_font(fonts, from) ? fonts.number_em : fonts.text_em, blank});
      const auto owner = static_cast<std::int32_t>(letters_.size());
      const int left = static_cast<int>(std::lround(glyph.U0 * static_cast<float>(width_)));
      const int right = static_cast<int>(std::lround(glyph.U1 * static_cast<float>(width_)));
      const int bottom = static_cast<int>(std::lround(glyph.V1 * static_cast<float>(height_)));
      for (int y = static_cast<int>(std::lround(glyph.V0 * static_cast<float>(height_))); y < bottom; ++y)
        std::fill(&owners_[static_cast<std::size_t>(y * width_ + left)],
                  &owners_[static_cast<std::size_t>(y * width_ + right - 1)] + 1, owner);
    }
  });
}

const Letter* LetterMap::at(ImVec2 uv) const {
  const int x = static_cast<int>(uv.x * static_cast<float>(width_));
  const int y = static_cast<int>(uv.y * static_cast<float>(height_));
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return nullptr;
  const std::int32_t owner = owners_[static_cast<std::size_t>(y * width_ + x)];
  return owner == 0 ? nullptr : &letters_[static_cast<std::size_t>(owner - 1)];
}

}  // namespace attnscope
