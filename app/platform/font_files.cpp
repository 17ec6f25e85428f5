#include <algorithm>
#include <cmath>
#include <utility>

#include "paint/window/text.h"
#include "platform/font_parts.h"
#include "ui/imgui_compat.h"

namespace attnscope {

OpenFace open_face(const std::filesystem::path& path, int index) {
  const FontBytes bytes = map_font_file(path);
  OpenFace opened;
  FT_Library library = nullptr;
  if (bytes.size == 0 || FT_Init_FreeType(&library) != 0) return opened;
  opened.library.reset(library);
  FT_Face face = nullptr;
  if (FT_New_Memory_Face(library, static_cast<const FT_Byte*>(bytes.data), bytes.size, index, &face) == 0)
    opened.face.reset(face);
  return opened;
}

float measure_height(const std::filesystem::path& path, int index) {
  const OpenFace opened = open_face(path, index);
  if (!opened.face || !FT_IS_SCALABLE(opened.face.get()) || opened.face->units_per_EM <= 0) return 0;
  return static_cast<float>(opened.face->ascender - opened.face->descender) /
         static_cast<float>(opened.face->units_per_EM);
}

namespace {

constexpr float share_of_line = 0.86F;  // a picture's part of its line's height

// The mean of the pixels (blue, green, red, alpha; colours times alpha) that one of a smaller picture covers.
void write_mean(unsigned char* rgba, const FT_Bitmap& bitmap, unsigned left, unsigned top, unsigned right,
                unsigned bottom) {
  unsigned sum[4] = {};
  for (unsigned y = top; y < bottom; ++y) {
    const unsigned char* const row = bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
    for (unsigned x = left; x < right; ++x) {
      for (unsigned channel = 0; channel < 4; ++channel) sum[channel] += row[4 * x + channel];
    }
  }
  const unsigned count = (right - left) * (bottom - top);
  const unsigned alpha = sum[3];
  for (unsigned channel = 0; channel < 3; ++channel) {
    const unsigned colour = alpha == 0 ? 0 : sum[2 - channel] * 255 / alpha;
    rgba[channel] = static_cast<unsigned char>(std::min(colour, 255U));
  }
  rgba[3] = static_cast<unsigned char>(alpha / count);
}

}  // namespace

ColourGlyphs::Picture ColourGlyphs::picture_of(char32_t character, int height) {
  const std::optional<FontFile> file = find_colour_font(character);
  if (!file) return {};
  const OpenFace opened = open_face(file->path, file->index);
  FT_Face const loaded = opened.face.get();
  if (!loaded || loaded->num_fixed_sizes == 0 || FT_Select_Size(loaded, 0) != 0) return {};
  if (FT_Load_Char(loaded, character, FT_LOAD_COLOR) != 0) return {};
  const FT_Bitmap& bitmap = loaded->glyph->bitmap;
  if (bitmap.pixel_mode != FT_PIXEL_MODE_BGRA || bitmap.rows == 0 || bitmap.width == 0) return {};
  const auto rows = static_cast<unsigned>(std::min<int>(height, static_cast<int>(bitmap.rows)));
  const unsigned cols = std::max(1U, bitmap.width * rows / bitmap.rows);
  Picture picture{static_cast<int>(cols), static_cast<int>(rows), std::vector<unsigned char>(4UL * rows * cols)};
  for (unsigned y = 0; y < rows; ++y) {
    for (unsigned x = 0; x < cols; ++x) {
      write_mean(&picture.pixels[4UL * (y * cols + x)], bitmap, x * bitmap.width / cols, y * bitmap.rows / rows,
                 (x + 1) * bitmap.width / cols, (y + 1) * bitmap.rows / rows);
    }
  }
  return picture;
}

#if IMGUI_VERSION_NUM >= 19200
// Newer versions make glyphs when they are first drawn, and show these as boxes.
void ColourGlyphs::reserve(ImFontAtlas&, ImFont&, const std::set<char32_t>&) {}
void ColourGlyphs::draw(ImFontAtlas&) const {}
#else
void ColourGlyphs::reserve(ImFontAtlas& atlas, ImFont& font, const std::set<char32_t>& characters) {
  const float line = std::ranges::find(atlas.ConfigData, &font, &ImFontConfig::DstFont)->SizePixels;
  const int height = std::max(1, static_cast<int>(std::lround(share_of_line * line)));
  for (const char32_t character : characters) {
    Picture picture = picture_of(character, height);
    if (picture.pixels.empty()) continue;
    const auto held = static_cast<ImWchar>(held_as(character));
    const ImVec2 offset{1, std::floor((line - static_cast<float>(picture.height)) / 2)};
    const int rect = atlas.AddCustomRectFontGlyph(&font, held, picture.width, picture.height,
                                                  static_cast<float>(picture.width + 2), offset);
    places_.push_back({&font, held, rect, std::move(picture)});
  }
}

void ColourGlyphs::draw(ImFontAtlas& atlas) const {
  if (places_.empty()) return;
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  atlas.GetTexDataAsRGBA32(&pixels, &width, &height);
  for (const Place& place : places_) {
    const ImFontAtlasCustomRect& rect = *atlas.GetCustomRectByIndex(place.rect);
    const auto bytes = static_cast<std::ptrdiff_t>(4) * place.picture.width;
    for (int y = 0; y < place.picture.height; ++y) {
      unsigned char* const target = pixels + 4 * (static_cast<std::ptrdiff_t>(rect.Y + y) * width + rect.X);
      std::copy_n(place.picture.pixels.data() + y * bytes, bytes, target);
    }
    const ImFontGlyph* const glyph = place.font->FindGlyphNoFallback(place.held);
    const_cast<ImFontGlyph*>(glyph)->Colored = 1;  // drawn in its own colours, not in the text's
  }
}
#endif

}  // namespace attnscope
