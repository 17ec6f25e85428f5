#include "picture/picture.h"

namespace attnscope::picture {

Box box_of(const Word& word, const TextMeasure& measure) {
  constexpr double above = 0.74;
  constexpr double below = 0.22;
  const double width = word.text.empty() ? 0 : measure(word.text, word.size, word.face);
  const double height = word.size * (above + below);
  if (word.is_turned) return {word.x - word.size * above, word.y - width, height, width};
  return {word.x - word.anchor * width, word.y - word.size * above, width, height};
}

namespace {

std::string_view without_last_letter(std::string_view text) {
  const auto is_continuation = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; };
  while (text.size() > 1 && is_continuation(text.back())) text.remove_suffix(1);
  text.remove_suffix(1);
  return text;
}

struct Placing {
  double scale, x, y;

  void operator()(Box& box) const {
    box = {x + scale * box.x, y + scale * box.y, scale * box.width, scale * box.height};
  }
  void operator()(Fill& fill) const {
    (*this)(fill.box);
    fill.radius *= scale;
  }
  void operator()(Outline& outline) const {
    (*this)(outline.box);
    outline.thickness *= scale;
    outline.radius *= scale;
  }
  void operator()(Stroke& stroke) const {
    for (Point& point : stroke.points) point = {x + scale * point.x, y + scale * point.y};
    for (double* const length : {&stroke.thickness, &stroke.corner, &stroke.head, &stroke.halo}) *length *= scale;
  }
  void operator()(Word& word) const {
    word.x = x + scale * word.x;
    word.y = y + scale * word.y;
    word.size *= scale;
  }
  void operator()(Heatmap& heatmap) const { (*this)(heatmap.box); }
  void operator()(Gradient& gradient) const { (*this)(gradient.box); }
  void operator()(Hatch& hatch) const { (*this)(hatch.box); }
  void operator()(Polygon& polygon) const {
    for (Point& point : polygon.points) point = {x + scale * point.x, y + scale * point.y};
  }
};

}  // namespace

std::string shortened(std::string_view text, double room, double size, Face face, const TextMeasure& measure) {
  if (measure(text, size, face) <= room) return std::string(text);
  while (!text.empty() && measure(std::string(text) + "…", size, face) > room) text = without_last_letter(text);
  return std::string(text) + "…";
}

Picture placed(Picture picture, double scale, double x, double y) {
  for (Item& item : picture.items) std::visit(Placing{scale, x, y}, item);
  return picture;
}

}  // namespace attnscope::picture
