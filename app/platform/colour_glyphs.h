#pragma once

#include <imgui.h>

#include <set>
#include <vector>

namespace attnscope {

// Emoji: characters of which a font has a picture in colours and no outline. Dear ImGui's own builder does not scale
// such pictures, so they are put into the atlas each at the size of the font that it stands in.
class ColourGlyphs {
public:
  // For each font, before the atlas is built. Characters are what they mean, not what Dear ImGui holds; those that no
  // font has a picture of are left out.
  void reserve(ImFontAtlas& atlas, ImFont& font, const std::set<char32_t>& characters);
  // After that.
  void draw(ImFontAtlas& atlas) const;

private:
  struct Picture {
    int width = 0;
    int height = 0;
    std::vector<unsigned char> pixels;  // straight RGBA
  };
  struct Place {
    ImFont* font = nullptr;
    ImWchar held = 0;
    int rect = 0;  // of the atlas
    Picture picture;
  };

  static Picture picture_of(char32_t character, int height);

  std::vector<Place> places_;
};

}  // namespace attnscope
