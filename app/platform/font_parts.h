#pragma once

#include <ft2build.h>
#include <imgui.h>
#include FT_FREETYPE_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "paint/window/text.h"

// The fonts of the system or of the page, font files, the fonts that are wanted, their characters, emoji. Private to
// this folder.
namespace attnscope {

// One face of a font file.
struct FontFace {
  std::string family;
  std::filesystem::path path;
  int index = 0;            // number of the face within the file
  float height_per_em = 1;  // ascent plus descent: what Dear ImGui calls the size, for an em of 1
  std::function<bool(char32_t)> has;
};

enum class FontWeight : std::uint8_t { regular, demibold };

// Returns the upright face of exactly this family with the weight nearest to `weight`, if it is there.
std::optional<FontFace> find_face(const std::string& family, FontWeight weight);

// Returns faces that together have as many of `characters` as possible, the most suitable first.
std::vector<FontFace> find_faces_with(const std::vector<char32_t>& characters);

// Returns a font that has a picture in colours of the character, if any.
struct FontFile {
  std::filesystem::path path;
  int index = 0;  // number of the face within the file
};
std::optional<FontFile> find_colour_font(char32_t character);

// Maps the whole file into memory for as long as the program runs, because Dear ImGui reads fonts at any time, and a
// font of 20 MB is asked for in six sizes. Empty if it cannot be read.
struct FontBytes {
  void* data = nullptr;
  int size = 0;
};
FontBytes map_font_file(const std::filesystem::path& path);

// A face as FreeType has it.
struct CloseLibrary {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
};
struct CloseFace {
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
struct OpenFace {
  std::unique_ptr<FT_LibraryRec_, CloseLibrary> library;
  std::unique_ptr<FT_FaceRec_, CloseFace> face;  // null for a file that FreeType cannot open
};
OpenFace open_face(const std::filesystem::path& path, int index);
// Returns FontFace::height_per_em; 0 for a file that FreeType cannot open or that holds no outlines.
float measure_height(const std::filesystem::path& path, int index);

// The fonts of the program.

// The characters that a font makes glyphs for.
enum class Glyphs : std::uint8_t { all, diagram, numbers };

inline constexpr float smallest_em = 11;

struct Wanted {
  ImFont*& (*font)(Fonts&);
  bool monospace = false;
  FontWeight weight = FontWeight::regular;
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
    {[](Fonts& fonts) -> ImFont*& { return fonts.text; }, false, FontWeight::regular, 15.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.small_text; }, false, FontWeight::regular, 12.5F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.heading; }, false, FontWeight::demibold, 15.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.number; }, true, FontWeight::regular, 13.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.small_number; }, true, FontWeight::regular, 11.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.large_number; }, true, FontWeight::regular, 17.0F},
    {[](Fonts& fonts) -> ImFont*& { return fonts.smaller.small_text; }, false, FontWeight::regular, smallest_em,
     Glyphs::diagram},
    {[](Fonts& fonts) -> ImFont*& { return fonts.smaller.heading; }, false, FontWeight::demibold, 13.0F,
     Glyphs::diagram},
    {[](Fonts& fonts) -> ImFont*& { return fonts.bold_label; }, false, FontWeight::demibold, 11.5F, Glyphs::diagram},
    {larger_heading<0>, false, FontWeight::demibold, 18.0F, Glyphs::diagram},
    {larger_text<1>, false, FontWeight::regular, 18.75F, Glyphs::diagram},
    {larger_heading<1>, false, FontWeight::demibold, 22.5F, Glyphs::diagram},
    {larger_text<2>, false, FontWeight::regular, 25.0F, Glyphs::diagram},
    {larger_heading<2>, false, FontWeight::demibold, 30.0F, Glyphs::diagram},
    {digits<0>, false, FontWeight::regular, 11.0F, Glyphs::numbers},
    {digits<1>, false, FontWeight::regular, 12.0F, Glyphs::numbers},
    {digits<2>, false, FontWeight::regular, 13.0F, Glyphs::numbers},
    {digits<3>, false, FontWeight::regular, 14.0F, Glyphs::numbers},
    {digits<4>, false, FontWeight::regular, 16.0F, Glyphs::numbers},
    {digits<5>, false, FontWeight::regular, 18.0F, Glyphs::numbers},
    {digits<6>, false, FontWeight::regular, 20.0F, Glyphs::numbers},
    {digits<7>, false, FontWeight::regular, 23.0F, Glyphs::numbers},
    {digits<8>, false, FontWeight::regular, 26.0F, Glyphs::numbers},
    {digits<9>, false, FontWeight::regular, 30.0F, Glyphs::numbers}};

constexpr std::size_t max_extra_characters = 2000;  // keeps the atlas below what drivers allow

// Returns the characters of a text; skips bytes that are not UTF-8.
std::vector<char32_t> code_points(std::string_view text);

// Returns the characters of a text and those that may be drawn in their place.
std::vector<char32_t> drawn_characters(std::string_view text);

// Returns whether Dear ImGui can hold the character, as itself or by another one, and it is no control character.
bool is_shown(char32_t character);

// Characters of the program and of `text` that are shown; of those that the program does not write itself no more than
// `most_extra`, which fonts.messages says. Dear ImGui shows the others as one box.
std::set<char32_t> characters_for(std::string_view text, std::size_t most_extra, Fonts& fonts);

// Returns the characters of `all` that a font makes glyphs for: the tokens' are among them, but where there are only
// numbers.
std::set<char32_t> characters_for(Glyphs glyphs, const std::set<char32_t>& all);

// Emoji: characters of which a font has a picture in colours and no outline. Dear ImGui's own builder does not scale
// such pictures, so they are put into the atlas each at the size of the font that it stands in.
class ColourGlyphs {
public:
  // Reserves places for each font before the atlas is built. Takes characters of the text, not those that Dear ImGui
  // holds for them; skips those that no font has a picture of.
  void reserve(ImFontAtlas& atlas, ImFont& font, const std::set<char32_t>& characters);
  // Draws the pictures after the atlas is built.
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
    int rect = 0;  // its rectangle in the atlas
    Picture picture;
  };

  static Picture picture_of(char32_t character, int height);

  std::vector<Place> places_;
};

}  // namespace attnscope
