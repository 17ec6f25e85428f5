#include "platform/fonts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "core/utf8.h"
#include "platform/colour_glyphs.h"
#include "platform/font_files.h"
#include "platform/font_table.h"
#include "views/imgui_compat.h"
#include "views/wide_characters.h"

namespace attnscope {
namespace {

constexpr char32_t box = 0x25A1;
constexpr char32_t last_character = std::min<char32_t>(std::numeric_limits<ImWchar>::max(), 0x10FFFF);
constexpr std::size_t max_extra_characters = 2000;  // keeps the atlas below what drivers allow

struct Range {
  char32_t first = 0;
  char32_t last = 0;
};

// What the program itself writes: Latin, Greek, punctuation, superscripts and subscripts, arrows, operators, shapes.
constexpr Range own_ranges[] = {
    {0x20, 0x7E},     {0xA0, 0x17F},    {0x370, 0x3FF},   {0x1D2C, 0x1D6A}, {0x2010, 0x2027}, {0x2030, 0x203A},
    {0x2070, 0x209C}, {0x20AC, 0x20AC}, {0x2102, 0x2115}, {0x211D, 0x211D}, {0x2190, 0x2199}, {0x21A6, 0x21A6},
    {0x21BA, 0x21BB}, {0x21D0, 0x21D5}, {0x2200, 0x222B}, {0x2248, 0x2248}, {0x2260, 0x226B}, {0x2295, 0x2299},
    {0x22A4, 0x22A5}, {0x22C5, 0x22C6}, {0x22EE, 0x22F1}, {0x2318, 0x2318}, {0x2423, 0x2423}, {0x2500, 0x2500},
    {0x2502, 0x2502}, {0x2580, 0x259F}, {0x25A0, 0x25FF}, {0x2605, 0x2606}, {0x2699, 0x2699}, {0x26A0, 0x26A0},
    {0x2713, 0x2718}, {0x27E8, 0x27E9}, {0x27F2, 0x27F7}, {0xFFFD, 0xFFFD}};

// Of the characters in own_ranges, for fonts of large letters: they would fill the atlas.
constexpr Range diagram_ranges[] = {{0x20, 0x7E},     {0xA0, 0xFF},     {0x370, 0x3FF},   {0x1D2C, 0x1D6A},
                                    {0x2010, 0x2027}, {0x2070, 0x209C}, {0x2190, 0x2199}, {0x2200, 0x222B},
                                    {0x2260, 0x226B}, {0x2295, 0x2299}, {0x22A4, 0x22C6}, {0x25A1, 0x25A1}};
constexpr Range number_ranges[] = {{0x20, 0x7E}, {0xD7, 0xD7}, {0x2212, 0x2212}, {0x221E, 0x221E}, {0x25A1, 0x25A1}};

constexpr std::size_t max_characters_of_large_fonts = 1500;  // of more, as in a text in Han, there are no large ones

// Bytes that are not UTF-8 are left out.
std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> codes;
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Character character = utf8_character(text, position);
    if (character.length > 0) codes.push_back(character.code);
    position += std::max<std::size_t>(character.length, 1);
  }
  return codes;
}

bool is_control(char32_t character) { return character < 0x20 || (character >= 0x7F && character < 0xA0); }

void add(std::set<char32_t>& characters, std::span<const Range> ranges) {
  for (const Range& range : ranges) {
    for (char32_t character = range.first; character <= range.last; ++character) characters.insert(character);
  }
}

// Characters of the program and of `text` that Dear ImGui can hold, as itself or by another one; it shows the others as
// one box, where it was built for 16 bits.
std::set<char32_t> characters_for(std::string_view text, Fonts& fonts) {
  std::set<char32_t> characters;
  add(characters, own_ranges);
  const std::size_t limit = characters.size() + max_extra_characters;
  for (const char32_t character : code_points(text)) {
    if (is_control(character) || held_as(character) > last_character) continue;
    if (characters.size() < limit) {
      characters.insert(character);
    } else if (!characters.contains(character)) {
      fonts.messages.push_back("The tokens have more than " + std::to_string(max_extra_characters) +
                               " different characters; the rest is shown as boxes.");
      break;
    }
  }
  return characters;
}

// Those of `all` that the glyphs of a font are made for: the tokens' are among them, but where there are only numbers.
std::set<char32_t> characters_for(Glyphs glyphs, const std::set<char32_t>& all) {
  if (glyphs == Glyphs::all) return all;
  std::set<char32_t> characters;
  add(characters, glyphs == Glyphs::numbers ? std::span<const Range>(number_ranges) : diagram_ranges);
  if (glyphs == Glyphs::numbers) return characters;
  std::set<char32_t> own;
  add(own, own_ranges);
  std::ranges::set_difference(all, own, std::inserter(characters, characters.end()));
  return characters;
}

// The preferred face, then DejaVu for its symbols, then whatever has what those lack. The first is what the font is; it
// is missing when nothing suitable is installed at all.
std::vector<FontFace> choose_faces(const Wanted& wanted, const std::set<char32_t>& characters, Fonts& fonts) {
  const std::string preferred = wanted.monospace ? "JetBrains Mono" : "Inter";
  const std::string substitute = wanted.monospace ? "DejaVu Sans Mono" : "DejaVu Sans";
  std::vector<FontFace> faces;
  const auto add = [&](std::optional<FontFace> face) {
    if (face) faces.push_back(std::move(*face));
  };
  add(find_face(preferred, wanted.weight));
  const bool has_preferred = !faces.empty();
  add(find_face(substitute, wanted.weight));
  if (!has_preferred) {
    const std::string instead = faces.empty() ? "Dear ImGui's own font" : faces.front().family;
    fonts.messages.push_back("The font " + preferred + " is not installed; " + instead + " is used instead.");
  }
  if (wanted.monospace) add(find_face("DejaVu Sans", wanted.weight));

  std::vector<char32_t> missing;
  std::copy_if(characters.begin(), characters.end(), std::back_inserter(missing), [&](char32_t character) {
    return std::none_of(faces.begin(), faces.end(), [&](const FontFace& face) { return face.has(character); });
  });
  if (!missing.empty()) std::ranges::move(find_faces_with(missing), std::back_inserter(faces));
  return faces;
}

// Zero-terminated pairs, as Dear ImGui takes them.
std::vector<ImWchar> ranges_of(const std::vector<char32_t>& sorted) {
  std::vector<ImWchar> ranges;
  for (const char32_t character : sorted) {
    const auto code = static_cast<ImWchar>(character);
    if (!ranges.empty() && ranges.back() + 1 == code) {
      ranges.back() = code;
    } else {
      ranges.insert(ranges.end(), {code, code});
    }
  }
  ranges.push_back(0);
  return ranges;
}

// Splits the characters among the faces, the first that has one getting it.
std::vector<std::vector<ImWchar>> share_out(const std::set<char32_t>& characters, const std::vector<FontFace>& faces) {
  std::vector<std::vector<char32_t>> shares(faces.size());
  for (const char32_t character : characters) {
    if (held_as(character) != character) continue;
    const auto face = std::ranges::find_if(faces, [&](const FontFace& each) { return each.has(character); });
    if (face != faces.end()) shares[static_cast<std::size_t>(face - faces.begin())].push_back(character);
  }
  std::vector<std::vector<ImWchar>> ranges;
  std::ranges::transform(shares, std::back_inserter(ranges), ranges_of);
  return ranges;
}

// Sizes are rounded to whole pixels by the em, so that the strokes of every face meet the pixel grid alike; those of
// the smallest letters are not: rounded down they would be too small, and up too wide for their cells.
ImFont* add_font(ImFontAtlas& atlas, const std::vector<FontFace>& faces,
                 const std::vector<std::vector<ImWchar>>& ranges, float em_pixels, const Wanted& wanted) {
  ImFont* font = nullptr;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (ranges[i].size() == 1) continue;
    ImFontConfig config;
    config.MergeMode = font != nullptr;
    config.FontNo = faces[i].index;
    const float line = em_pixels * faces[i].height_per_em;
    const bool is_rounded = wanted.em > smallest_em && wanted.glyphs != Glyphs::numbers;
    config.SizePixels = is_rounded ? std::round(line) : at_least_pixels(line);
    set_spacing(config, wanted.spacing * em_pixels);
    const FontBytes bytes = map_font_file(faces[i].path);
    ImFont* const added = add_font_keeping_data(atlas, config, bytes.data, bytes.size, ranges[i].data());
    if (font == nullptr) font = added;
  }
  if (font != nullptr) return font;
  ImFontConfig own;
  own.SizePixels = std::max(10.0F, std::round(em_pixels));
  return atlas.AddFontDefault(&own);
}

// Those that Dear ImGui cannot hold, and those that no font has an outline of.
std::set<char32_t> without_outline(const std::set<char32_t>& characters, const std::vector<FontFace>& faces) {
  std::set<char32_t> without;
  for (const char32_t character : characters) {
    const bool has_outline = std::ranges::any_of(faces, [&](const FontFace& face) { return face.has(character); });
    if (!has_outline || held_as(character) != character) without.insert(character);
  }
  return without;
}

// Mapping them to the box also tells needs_glyphs() that there is nothing better to load.
void show_missing_as_boxes(ImFont& font, const std::set<char32_t>& characters, std::string_view text) {
  if (!has_glyph(font, static_cast<ImWchar>(box))) return;  // Dear ImGui's own font; it has a question mark
  const auto map_to_box = [&](char32_t character) {
    if (is_control(character) || held_as(character) > last_character) return;
    const auto code = static_cast<ImWchar>(held_as(character));
    if (!has_glyph(font, code)) font.AddRemapChar(code, static_cast<ImWchar>(box));
  };
  std::ranges::for_each(characters, map_to_box);
  std::ranges::for_each(code_points(text), map_to_box);
  set_fallback(font, static_cast<ImWchar>(box));
}

void set_other_text(Fonts& fonts, bool has_larger) {
  if (!has_larger) {
    fonts.smaller = {1, fonts.small_text, fonts.heading};
    fonts.larger.fill(fonts.smaller);
    return;
  }
  fonts.larger[0].small_text = fonts.text;
  const auto set_factor = [&](SizedText& text) {
    text.factor = font_pixels(*text.small_text) / font_pixels(*fonts.small_text);
  };
  set_factor(fonts.smaller);
  std::ranges::for_each(fonts.larger, set_factor);
}

}  // namespace

Fonts fill_atlas(ImFontAtlas& atlas, float scale, float interface_scale, std::string_view text) {
  Fonts fonts;
  atlas.Clear();
  use_freetype(atlas);
  const std::set<char32_t> characters = characters_for(text, fonts);
  std::vector<std::vector<std::vector<ImWchar>>> ranges;  // outlive the build
  std::map<std::pair<bool, int>, std::vector<FontFace>> faces_of;
  const bool has_larger = characters.size() <= max_characters_of_large_fonts;
  std::vector<Wanted> made;
  std::ranges::copy_if(wanted_fonts, std::back_inserter(made),
                       [&](const Wanted& wanted) { return has_larger || wanted.glyphs != Glyphs::diagram; });
  for (const Wanted& wanted : made) {
    const auto [entry, is_new] = faces_of.try_emplace({wanted.monospace, wanted.weight});
    if (is_new) entry->second = choose_faces(wanted, characters, fonts);
    ranges.push_back(share_out(characters_for(wanted.glyphs, characters), entry->second));
    const float em_pixels = wanted.em * scale * interface_scale;
    if (!entry->second.empty())
      (wanted.monospace ? fonts.number_em : fonts.text_em) = 1 / entry->second.front().height_per_em;
    wanted.font(fonts) = add_font(atlas, entry->second, ranges.back(), em_pixels, wanted);
  }
  ColourGlyphs coloured;
  for (const Wanted& wanted : made) {
    const std::vector<FontFace>& faces = faces_of.at({wanted.monospace, wanted.weight});
    coloured.reserve(atlas, *wanted.font(fonts), without_outline(characters_for(wanted.glyphs, characters), faces));
  }
  build_fonts(atlas);
  coloured.draw(atlas);
  for (const Wanted& wanted : made) show_missing_as_boxes(*wanted.font(fonts), characters, text);
  fonts.code = fonts.number;
  set_other_text(fonts, has_larger);
  std::sort(fonts.messages.begin(), fonts.messages.end());
  fonts.messages.erase(std::unique(fonts.messages.begin(), fonts.messages.end()), fonts.messages.end());
  return fonts;
}

void use_fonts(const Fonts& fonts, float scale) { set_default_font(fonts.text, 1 / scale); }

Fonts load_fonts(float scale, float interface_scale, std::string_view text) {
  Fonts fonts = fill_atlas(*ImGui::GetIO().Fonts, scale, interface_scale, text);
  use_fonts(fonts, scale);
  return fonts;
}

bool needs_glyphs(const Fonts& fonts, std::string_view text) {
  if (fonts.text == nullptr) return true;
  return std::ranges::any_of(code_points(text), [&](char32_t character) {
    const char32_t held = held_as(character);
    return !is_control(character) && held <= last_character && !has_glyph(*fonts.text, static_cast<ImWchar>(held));
  });
}

}  // namespace attnscope
