#include "platform/fonts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "paint/window/text.h"
#include "platform/font_parts.h"
#include "ui/imgui_compat.h"

namespace attnscope {
namespace {

constexpr char32_t box = 0x25A1;
constexpr std::size_t max_characters_of_large_fonts = 1500;  // of more, as in a text in Han, there are no large ones

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

// How much goes into an atlas.
struct AtlasPlan {
  float pixels_per_unit = 1;
  bool has_larger = true;  // letters of pictures that have more room than the panels
  std::size_t most_extra = max_extra_characters;
};

AtlasPlan smaller(AtlasPlan plan, float interface_scale) {
  constexpr float step = 0.84F;  // of which four halve the letters
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
  constexpr double share_of_own = 0.6;  // of a square of one em
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
  std::vector<std::vector<std::vector<ImWchar>>> ranges;  // outlive the build
  std::map<std::pair<bool, int>, std::vector<FontFace>> faces_of;
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

}  // namespace

// Dear ImGui's builder writes past its texture where that would be higher than 32768, so what is sure to be too much is
// not tried.
Fonts fill_atlas(ImFontAtlas& atlas, float scale, float interface_scale, std::string_view text, int max_side) {
  const double most = static_cast<double>(set_max_texture_side(atlas, max_side)) * max_side;
  for (AtlasPlan plan{.pixels_per_unit = scale};; plan = smaller(plan, interface_scale)) {
    if (makes_all_glyphs_at_once && expected_area(plan, interface_scale, text) > most) continue;
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

}  // namespace attnscope
