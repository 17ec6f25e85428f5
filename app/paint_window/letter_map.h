#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "paint_window/fonts.h"

struct ImFontGlyph;

namespace attnscope {

// A letter in the fonts' texture.
struct Letter {
  const ImFontGlyph* glyph = nullptr;
  int font = 0;  // and size: what a text has one of
  float font_size = 0;
  float em = 1;  // of that
  float blank = 0;
};

// Which letter each point of the fonts' texture belongs to.
class LetterMap {
public:
  LetterMap(const ImFontAtlas& atlas, const Fonts& fonts);
  const Letter* at(ImVec2 uv) const;

private:
  int width_;
  int height_;
  std::vector<Letter> letters_;
  std::vector<std::int32_t> owners_;  // 0 for none, else one more than the letter's index
};

}  // namespace attnscope
