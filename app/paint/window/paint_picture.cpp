#include "paint/window/paint_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "paint/window/text.h"

namespace attnscope {
namespace {

using picture::Face;

std::vector<const ImFont*> fonts_of(const Fonts& fonts, Face face) {
  switch (face) {
    case Face::bold:
      return {fonts.bold_label,        fonts.smaller.heading,   fonts.heading,
              fonts.larger[0].heading, fonts.larger[1].heading, fonts.larger[2].heading};
    case Face::number:
      return {fonts.digits.begin(), fonts.digits.end()};
    default:
      return {fonts.smaller.small_text, fonts.small_text, fonts.text, fonts.larger[1].small_text,
              fonts.larger[2].small_text};
  }
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

float digit_width(const Letters& letters) {
  float widest = 0;
  for (const char* const digit : {"0", "4", "6", "8"})
    widest = std::max(widest, text_size(letters.font, letters.height, digit).x);
  return widest;
}

// Visits the parts of a number: each digit, and the texts between digits.
template <typename Visit>
void for_each_part(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    std::size_t length = 1;
    if (!is_digit(text.front()))
      while (length < text.size() && !is_digit(text[length])) ++length;
    visit(text.substr(0, length), is_digit(text.front()));
    text.remove_prefix(length);
  }
}

class Painter {
public:
  Painter(ImDrawList& list, const PicturePlace& place, const PaintBox& with)
      : list_(list), place_(place), with_(with) {}

  void operator()(const picture::Fill& fill) const {
    const auto [low, high] = corners(fill.box);
    list_.AddRectFilled(low, high, to_u32(fill.ink), scaled(fill.radius));
  }

  void operator()(const picture::Outline& outline) const {
    const auto [low, high] = corners(outline.box);
    list_.AddRect(low, high, to_u32(outline.ink), scaled(outline.radius), 0, std::max(1.0F, scaled(outline.thickness)));
  }

  void operator()(const picture::Stroke& stroke) const {
    if (stroke.points.size() < 2) return;
    const picture::Stroke shown = on_screen(stroke);
    if (stroke.halo > 0) {
      for (const picture::Point& point : shown.points) list_.PathLineTo(vector_of(point));
      list_.PathStroke(to_u32(stroke.halo_ink), 0, scaled(stroke.halo));
    }
    const picture::StrokePath path = path_of(shown);
    list_.PathLineTo(vector_of(shown.points.front()));
    for (const auto& [begin, turn, end] : path.corners) {
      list_.PathLineTo(vector_of(begin));
      if (!(begin == end)) list_.PathBezierQuadraticCurveTo(vector_of(turn), vector_of(end));
    }
    list_.PathLineTo(vector_of(path.end));
    list_.PathStroke(to_u32(stroke.ink), 0, std::max(1.0F, scaled(stroke.thickness)));
    if (path.head.empty()) return;
    picture::Ink opaque = stroke.ink;
    opaque.alpha = std::min(1.0, 1.4 * opaque.alpha);
    list_.AddTriangleFilled(vector_of(path.head[0]), vector_of(path.head[1]), vector_of(path.head[2]), to_u32(opaque));
  }

  void operator()(const picture::Word& word) const {
    const Letters letters = letters_for(with_.fonts, word.face, scaled(word.size));
    const float width = width_of(letters, word.face, word.text);
    const ImVec2 at = place_.at(word.x, word.y);
    if (word.is_turned)
      return draw_vertical_text(list_, letters.font, letters.height,
                                {std::round(at.x - ascent(letters)), std::round(at.y)}, to_u32(word.ink), word.text);
    const float left = std::round(at.x - static_cast<float>(word.anchor) * width);
    const float top = std::round(at.y - ascent(letters));
    if (word.is_on_hatch) put_ground(word, left, at.y, width);
    if (word.is_slanted) return draw_slanted_text(list_, letters.font, {left, top}, to_u32(word.ink), word.text);
    if (word.face != Face::number)
      return draw_text(list_, letters.font, letters.height, {left, top}, to_u32(word.ink), word.text);
    const float digit = digit_width(letters);
    float x = left;
    for_each_part(word.text, [&](std::string_view part, bool is_one_digit) {
      const float own = text_size(letters.font, letters.height, part).x;
      const float room = is_one_digit ? digit : own;
      draw_text(list_, letters.font, letters.height, {x + (room - own) / 2, top}, to_u32(word.ink), part);
      x += room;
    });
  }

  void operator()(const picture::Heatmap& heatmap) const {
    if (!with_.heatmaps || !heatmap.result) return;
    const auto [low, high] = corners(heatmap.box);
    with_.heatmaps->draw(list_,
                         quad_of(heatmap, low, {std::max(high.x, low.x + 1), std::max(high.y, low.y + 1)}, with_));
  }

  void operator()(const picture::Gradient& gradient) const {
    const auto [low, high] = corners(gradient.box);
    const float length = gradient.is_vertical ? high.y - low.y : high.x - low.x;
    const float step = length / colormap_entries;
    for (int entry = 0; entry < colormap_entries; entry += 4) {
      const float begin = step * static_cast<float>(entry);
      const float end = std::min(length, begin + 4 * step + 0.5F);  // the overlap hides seams
      const ImU32 ink = to_u32(picture::Ink{entry_of(gradient.map, gradient.ends, entry)});
      if (gradient.is_vertical) {
        list_.AddRectFilled({low.x, high.y - end}, {high.x, high.y - begin}, ink);
      } else {
        list_.AddRectFilled({low.x + begin, low.y}, {low.x + end, high.y}, ink);
      }
    }
  }

  void operator()(const picture::Polygon& polygon) const {
    for (const picture::Point& point : polygon.points) list_.PathLineTo(place_.at(point.x, point.y));
    list_.PathFillConvex(to_u32(polygon.ink));
  }

  void operator()(const picture::Hatch& hatch) const {
    const auto [low, high] = corners(hatch.box);
    list_.AddRectFilled(low, high, to_u32(picture::Ink{grey(with_.greys.hidden)}));
    list_.PushClipRect(low, high, true);
    const float period = scaled(6);  // keeps the hatch in phase with the cells beside it
    for (float sum = std::floor((low.x + low.y) / period) * period; sum <= high.x + high.y; sum += period)
      list_.AddLine({sum - low.y + 1, low.y - 1}, {sum - high.y - 1, high.y + 1},
                    to_u32(picture::Ink{grey(with_.greys.hatch)}));
    list_.PopClipRect();
  }

private:
  float scaled(double length) const { return static_cast<float>(length) * place_.scale; }

  static float ascent(const Letters& letters) {
    return font_ascent(letters.font) * letters.height / font_height(letters.font);
  }

  std::pair<ImVec2, ImVec2> corners(const Box& box) const {
    const ImVec2 low = place_.at(box.x, box.y);
    const ImVec2 high = place_.at(box.right(), box.bottom());
    return {{std::round(low.x), std::round(low.y)}, {std::round(high.x), std::round(high.y)}};
  }

  static ImVec2 vector_of(const picture::Point& point) {
    return {static_cast<float>(point.x), static_cast<float>(point.y)};
  }

  // Lines that run along the pixels lie in the middle of one, where they are crisp.
  picture::Stroke on_screen(picture::Stroke stroke) const {
    const bool is_square = std::ranges::adjacent_find(stroke.points, [](const auto& a, const auto& b) {
                             return a.x != b.x && a.y != b.y;
                           }) == stroke.points.end();
    for (picture::Point& point : stroke.points) {
      ImVec2 at = place_.at(point.x, point.y);
      if (is_square) at = {std::floor(at.x) + 0.5F, std::floor(at.y) + 0.5F};
      point = {static_cast<double>(at.x), static_cast<double>(at.y)};
    }
    for (double* const length : {&stroke.corner, &stroke.head}) *length *= static_cast<double>(place_.scale);
    return stroke;
  }

  // The hatch pauses behind a word.
  void put_ground(const picture::Word& word, float left, float baseline, float width) const {
    const float around = 0.15F * scaled(word.size);
    const float top = baseline + around - scaled(picture::baseline * word.size);
    const float height = scaled(picture::line_height * word.size) - 2 * around;
    list_.AddRectFilled({left - around, top}, {left + width + around, top + height},
                        to_u32({grey(with_.greys.hidden), word.ink.alpha}));
  }

  ImDrawList& list_;
  const PicturePlace& place_;
  const PaintBox& with_;
};

}  // namespace

ImU32 to_u32(const picture::Ink& ink) {
  const auto alpha = static_cast<int>(std::lround(255 * std::clamp(ink.alpha, 0.0, 1.0)));
  return IM_COL32(ink.colour.r, ink.colour.g, ink.colour.b, alpha);
}

Letters letters_for(const Fonts& fonts, Face face, float em) {
  constexpr float tolerance = 1.04F;  // sizes this near count as equal
  Letters chosen;
  for (const ImFont* const font : fonts_of(fonts, face)) {
    if (!font) continue;
    const float height = font_height(font);
    const Letters letters{font, height, height * fonts.text_em};
    if (!chosen.font || letters.em <= em * tolerance) chosen = letters;
  }
  if (!chosen.font)
    chosen = {fonts.small_text, font_height(fonts.small_text), font_height(fonts.small_text) * fonts.text_em};
  constexpr float beyond = 1.3F;
  if (em > beyond * chosen.em) {
    chosen.height *= em / chosen.em;
    chosen.em = em;
  }
  return chosen;
}

float width_of(const Letters& letters, Face face, std::string_view text) {
  if (face != Face::number) return text_size(letters.font, letters.height, text).x;
  const float digit = digit_width(letters);
  float width = 0;
  for_each_part(text, [&](std::string_view part, bool is_one_digit) {
    width += is_one_digit ? digit : text_size(letters.font, letters.height, part).x;
  });
  return width;
}

picture::TextMeasure measure_in(const Fonts& fonts, float scale) {
  return [&fonts, scale](std::string_view text, double size, Face face) {
    const Letters letters = letters_for(fonts, face, static_cast<float>(size) * scale);
    return static_cast<double>(width_of(letters, face, text) / scale);
  };
}

HeatmapQuad quad_of(const picture::Heatmap& heatmap, ImVec2 min_screen, ImVec2 max_screen, const PaintBox& with) {
  HeatmapQuad quad{.source = shown_matrix(heatmap.result, heatmap.stage, heatmap.matrix),
                   .range = heatmap.range,
                   .window = heatmap.window,
                   .min_screen = min_screen,
                   .max_screen = max_screen,
                   .greys = with.greys,
                   .is_transposed = heatmap.is_transposed,
                   .opacity = static_cast<float>(heatmap.opacity)};
  quad.source.measure = heatmap.range.measure;
  return quad;
}

void paint_picture(ImDrawList& list, const picture::Picture& picture, const PicturePlace& place, const PaintBox& with) {
  const Painter painter(list, place, with);
  for (const picture::Item& item : picture.items) std::visit(painter, item);
}

}  // namespace attnscope
