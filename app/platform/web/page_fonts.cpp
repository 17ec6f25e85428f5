#include <string_view>

#include "assets/assets.h"
#include "platform/font_parts.h"

// The fonts of a page, which are embedded like other assets.
namespace attnscope {
namespace {

struct Embedded {
  std::string_view family;
  FontWeight weight;
  const char* asset;
};
constexpr Embedded embedded[] = {{"Inter", FontWeight::regular, "fonts/Inter-Regular.otf"},
                                 {"Inter", FontWeight::demibold, "fonts/Inter-SemiBold.otf"},
                                 {"JetBrains Mono", FontWeight::regular, "fonts/JetBrainsMono-Regular.ttf"},
                                 {"DejaVu Sans", FontWeight::regular, "fonts/DejaVuSans.ttf"},
                                 {"DejaVu Sans Mono", FontWeight::regular, "fonts/DejaVuSansMono.ttf"}};

}  // namespace

std::optional<FontFace> find_face(const std::string& family, FontWeight weight) {
  const Embedded* found = nullptr;
  for (const Embedded& font : embedded) {
    if (font.family == family && (!found || font.weight == weight)) found = &font;
  }
  if (!found) return std::nullopt;
  const auto opened = std::make_shared<OpenFace>(open_face(found->asset, 0));
  return FontFace{
      .family = family,
      .path = found->asset,
      .height_per_em = measure_height(found->asset, 0),
      .has = [opened](char32_t character) { return FT_Get_Char_Index(opened->face.get(), character) != 0; }};
}

std::vector<FontFace> find_faces_with(const std::vector<char32_t>&) { return {}; }

std::optional<FontFile> find_colour_font(char32_t) { return std::nullopt; }

FontBytes map_font_file(const std::filesystem::path& path) {
  const std::string_view bytes = asset(path.string());
  return {const_cast<char*>(bytes.data()), static_cast<int>(bytes.size())};  // Dear ImGui changes nothing of it
}

}  // namespace attnscope
