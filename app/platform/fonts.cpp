#include "platform/fonts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "core/text.h"
#include "paint/window/text.h"
#include "platform/font_parts.h"
#include "ui/imgui_compat.h"

namespace attnscope {
namespace {

constexpr char32_t box = 0x25A1;
constexpr std::size_t max_characters_of_large_fonts = 1500;  // a text with more, as in Han, gets no large fonts

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
// the smallest letters are rounded up, because rounded down they would be too small. Some versions of Dear ImGui leave
// out what is behind the point, and pictures are to be the same in all.
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
    config.SizePixels = is_rounded ? std::round(line) : std::ceil(line);
    const FontBytes bytes = map_font_file(faces[i].path);
    ImFont* const added = add_font_keeping_data(atlas, config, bytes.data, bytes.size, ranges[i].data());
    if (font == nullptr) font = added;
  }
  if (font != nullptr) return font;
  ImFontConfig own;
  own.SizePixels = std::max(10.0F, std::round(em_pixels));
  return atlas.AddFontDefault(&own);
}

// Returns the characters that Dear ImGui cannot hold, and those that no font has an outline of.
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
    if (!is_shown(character)) return;
    const auto code = static_cast<ImWchar>(held_as(character));
    if (!has_glyph(font, code)) font.AddRemapChar(code, static_cast<ImWchar>(box));
  };
  std::ranges::for_each(characters, map_to_box);
  std::ranges::for_each(drawn_characters(text), map_to_box);
  set_fallback(font, static_cast<ImWchar>(box));
}

void set_other_text(Fonts& fonts, bool has_larger) {
  if (!has_larger) {
    fonts.smaller = {fonts.small_text, fonts.heading};
    fonts.larger.fill(fonts.smaller);
  } else {
    fonts.larger[0].small_text = fonts.text;
  }
}

// Says how much goes into an atlas.
struct AtlasPlan {
  float pixels_per_unit = 1;
  bool has_larger = true;  // pictures with more room than the panels get larger letters
  std::size_t most_extra = max_extra_characters;
};

AtlasPlan smaller(AtlasPlan plan, float interface_scale) {
  constexpr float step = 0.84F;  // four such steps halve the letters
  const float one_a_unit = 1 / interface_scale;
  if (plan.pixels_per_unit > one_a_unit) {
    plan.pixels_per_unit = std::max(one_a_unit, step * plan.pixels_per_unit);
  } else if (plan.has_larger) {
    plan.has_larger = false;
  } else if (plan.most_extra > 0) {
    plan.most_extra /= 2;
  } else {
    plan.pixels_per_unit *= step;
  }
  return plan;
}

std::vector<Wanted> wanted_for(const AtlasPlan& plan, const std::set<char32_t>& characters) {
  const bool has_larger = plan.has_larger && characters.size() <= max_characters_of_large_fonts;
  std::vector<Wanted> wanted;
  std::ranges::copy_if(wanted_fonts, std::back_inserter(wanted),
                       [&](const Wanted& each) { return has_larger || each.glyphs != Glyphs::diagram; });
  return wanted;
}

// Pixels that the glyphs take, about: most letters of the program are narrow, those of other scripts may be square.
double expected_area(const AtlasPlan& plan, float interface_scale, std::string_view text) {
  constexpr double share_of_own = 0.6;  // a glyph fills this part of a square of one em
  Fonts ignored;
  const std::set<char32_t> characters = characters_for(text, plan.most_extra, ignored);
  const std::set<char32_t> own = characters_for("", 0, ignored);
  double area = 0;
  for (const Wanted& wanted : wanted_for(plan, characters)) {
    const double em = static_cast<double>(wanted.em * plan.pixels_per_unit * interface_scale);
    const std::set<char32_t> all = characters_for(wanted.glyphs, characters);
    const auto of_program = static_cast<double>(characters_for(wanted.glyphs, own).size());
    area += em * em * (share_of_own * of_program + (static_cast<double>(all.size()) - of_program));
  }
  return area;
}

// Dear ImGui's builder has a quarter of a megabyte for a glyph, which is 256 pixels squared; some arrows are nearly
// twice as wide as their em.
constexpr float most_em = 150;

float largest_em(const AtlasPlan& plan) {
  return plan.pixels_per_unit * std::ranges::max_element(wanted_fonts, {}, &Wanted::em)->em;
}

bool fits(const ImFontAtlas& atlas, int max_side) {
  const ImVec2 size = texture_size(atlas);
  return std::max(size.x, size.y) <= static_cast<float>(max_side);
}

Fonts fill(ImFontAtlas& atlas, const AtlasPlan& plan, float interface_scale, std::string_view text) {
  Fonts fonts;
  fonts.pixels_per_unit = plan.pixels_per_unit;
  atlas.Clear();
  use_freetype(atlas);
  const std::set<char32_t> characters = characters_for(text, plan.most_extra, fonts);
  std::vector<std::vector<std::vector<ImWchar>>> ranges;  // these outlive the build
  std::map<std::pair<bool, FontWeight>, std::vector<FontFace>> faces_of;
  const std::vector<Wanted> made = wanted_for(plan, characters);
  const bool has_larger = made.size() == std::size(wanted_fonts);
  for (const Wanted& wanted : made) {
    const auto [entry, is_new] = faces_of.try_emplace({wanted.monospace, wanted.weight});
    if (is_new) entry->second = choose_faces(wanted, characters, fonts);
    ranges.push_back(share_out(characters_for(wanted.glyphs, characters), entry->second));
    const float em_pixels = wanted.em * plan.pixels_per_unit * interface_scale;
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
  set_other_text(fonts, has_larger);
  std::sort(fonts.messages.begin(), fonts.messages.end());
  fonts.messages.erase(std::unique(fonts.messages.begin(), fonts.messages.end()), fonts.messages.end());
  return fonts;
}

constexpr char32_t last_character = std::min<char32_t>(std::numeric_limits<ImWchar>::max(), 0x10FFFF);

struct Range {
  char32_t first = 0;
  char32_t last = 0;
};

// The characters of the program's own texts, and their likely neighbours: Latin, Greek, punctuation, superscripts and
// subscripts, arrows, operators, shapes. Those of documents and lessons come beside these, with the first that is new.
// Numbers to which Unicode assigns no character are left out: each font of the program would search all installed fonts
// for them.
constexpr Range own_ranges[] = {
    {0x20, 0x7E},     {0xA0, 0xFF},     {0x391, 0x3A1},   {0x3A3, 0x3C9},   {0x1D40, 0x1D40}, {0x2010, 0x2027},
    {0x2030, 0x203A}, {0x2070, 0x2071}, {0x2074, 0x208E}, {0x2090, 0x209C}, {0x20AC, 0x20AC}, {0x2190, 0x2199},
    {0x21B5, 0x21B5}, {0x2200, 0x2212}, {0x221A, 0x221E}, {0x2248, 0x2248}, {0x2260, 0x2265}, {0x2295, 0x2299},
    {0x22C5, 0x22C5}, {0x22EE, 0x22F1}, {0x2423, 0x2423}, {0x2500, 0x2500}, {0x2502, 0x2502}, {0x2581, 0x2581},
    {0x25A0, 0x25A1}, {0x25B2, 0x25C0}, {0x25CB, 0x25CF}, {0x2605, 0x2606}, {0x26A0, 0x26A0}, {0x2713, 0x2718},
    {0xFFFD, 0xFFFD}};

// The part of own_ranges for fonts of large letters; all of them would fill the atlas.
constexpr Range diagram_ranges[] = {{0x20, 0x7E},     {0xA0, 0xFF},     {0x391, 0x3A1},   {0x3A3, 0x3C9},
                                    {0x1D40, 0x1D40}, {0x2010, 0x2027}, {0x2070, 0x2071}, {0x2074, 0x208E},
                                    {0x2090, 0x209C}, {0x2190, 0x2199}, {0x2200, 0x2212}, {0x221A, 0x221E},
                                    {0x2260, 0x2265}, {0x2295, 0x2299}, {0x22C5, 0x22C5}, {0x25A1, 0x25A1}};
constexpr Range number_ranges[] = {{0x20, 0x7E}, {0xD7, 0xD7}, {0x2212, 0x2212}, {0x221E, 0x221E}, {0x25A1, 0x25A1}};

void add(std::set<char32_t>& characters, std::span<const Range> ranges) {
  for (const Range& range : ranges) {
    for (char32_t character = range.first; character <= range.last; ++character) characters.insert(character);
  }
}

std::string too_many(std::size_t most_extra) {
  const std::string most = std::to_string(most_extra);
  if (most_extra < max_extra_characters)
    return "The graphics driver's textures have room for " + most +
           " of the tokens' characters beyond the usual ones; the rest is shown as boxes.";
  return "The tokens have more than " + most + " different characters; the rest is shown as boxes.";
}

bool is_control(char32_t character) { return character < 0x20 || (character >= 0x7F && character < 0xA0); }

}  // namespace

// Dear ImGui's builder writes past its texture where that would be higher than 32768, so what is sure to be too much is
// not tried.
Fonts fill_atlas(ImFontAtlas& atlas, float scale, float interface_scale, std::string_view text, int max_side) {
  const double most = static_cast<double>(set_max_texture_side(atlas, max_side)) * max_side;
  for (AtlasPlan plan{.pixels_per_unit = scale};; plan = smaller(plan, interface_scale)) {
    if (makes_all_glyphs_at_once && expected_area(plan, interface_scale, text) > most) continue;
    if (makes_all_glyphs_at_once && largest_em(plan) * interface_scale > most_em) continue;
    Fonts fonts = fill(atlas, plan, interface_scale, text);
    if (fits(atlas, max_side)) return fonts;
  }
}

void use_fonts(const Fonts& fonts) { set_default_font(fonts.text, 1 / fonts.pixels_per_unit); }

Fonts load_fonts(float scale, float interface_scale, std::string_view text, int max_side) {
  Fonts fonts = fill_atlas(*ImGui::GetIO().Fonts, scale, interface_scale, text, max_side);
  use_fonts(fonts);
  return fonts;
}

bool needs_glyphs(const Fonts& fonts, std::string_view text) {
  if (fonts.text == nullptr) return true;
  return std::ranges::any_of(drawn_characters(text), [&](char32_t character) {
    return is_shown(character) && !has_glyph(*fonts.text, static_cast<ImWchar>(held_as(character)));
  });
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> codes;
  for (std::size_t position = 0; position < text.size();) {
    const Utf8Character character = utf8_character(text, position);
    if (character.length > 0) codes.push_back(character.code);
    position += std::max<std::size_t>(character.length, 1);
  }
  return codes;
}

std::vector<char32_t> drawn_characters(std::string_view text) {
  std::vector<char32_t> characters = code_points(text);
  if (!may_be_drawn_otherwise(text)) return characters;
  for (const char32_t character : code_points(text_to_draw(text))) characters.push_back(meant_by(character));
  if (std::ranges::none_of(characters, is_arabic)) return characters;
  for (const auto& [first, last] : joined_letters) {
    for (char32_t character = first; character <= last; ++character) characters.push_back(character);
  }
  return characters;
}

bool is_shown(char32_t character) { return !is_control(character) && held_as(character) <= last_character; }

std::set<char32_t> characters_for(std::string_view text, std::size_t most_extra, Fonts& fonts) {
  std::set<char32_t> characters;
  add(characters, own_ranges);
  const std::size_t limit = characters.size() + most_extra;
  for (const char32_t character : drawn_characters(text)) {
    if (!is_shown(character)) continue;
    if (characters.size() < limit) {
      characters.insert(character);
    } else if (!characters.contains(character)) {
      fonts.messages.push_back(too_many(most_extra));
      break;
    }
  }
  return characters;
}

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

// Font files, and emoji.

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
