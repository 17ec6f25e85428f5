#include "view/picture.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

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

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::string_view without_last_letter(std::string_view text) {
  while (text.size() > 1 && is_continuation(text.back())) text.remove_suffix(1);
  text.remove_suffix(1);
  return text;
}

// Up to the last blank that fits. A word that is wider than a line is broken between its letters.
template <typename Fits>
std::size_t length_of_line(std::string_view text, const Fits& fits) {
  std::size_t length = 0;
  for (std::size_t end = 0; end < text.size(); length = end) {
    end = std::min(text.find(' ', end + 1), text.size());
    if (!fits(text.substr(0, end))) break;
  }
  if (length > 0 || text.empty()) return length;
  const auto after = [&](std::size_t at) {
    do ++at;
    while (at < text.size() && is_continuation(text[at]));
    return at;
  };
  for (length = after(0); length < text.size() && fits(text.substr(0, after(length)));) length = after(length);
  return length;
}

// Goes from a point towards another one, but no further than half the way.
Point toward(Point from, Point to, double length) {
  const double distance = std::hypot(to.x - from.x, to.y - from.y);
  const double share = distance > 0 ? std::min(0.5, length / distance) : 0;
  return {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
}

}  // namespace

StrokePath path_of(const Stroke& stroke) {
  const std::vector<Point>& points = stroke.points;
  StrokePath path;
  for (std::size_t i = 1; i + 1 < points.size(); ++i)
    path.corners.push_back(
        {toward(points[i], points[i - 1], stroke.corner), points[i], toward(points[i], points[i + 1], stroke.corner)});
  const Point tip = path.end = points.back();
  const Point before = points[points.size() - 2];
  const double length = std::hypot(tip.x - before.x, tip.y - before.y);
  const double head = std::min(stroke.head, length);
  if (head <= 0) return path;
  const Point along{(tip.x - before.x) / length, (tip.y - before.y) / length};
  const Point foot{tip.x - along.x * head, tip.y - along.y * head};
  const double half = 0.45 * head;
  path.end = {tip.x - 0.7 * head * along.x, tip.y - 0.7 * head * along.y};
  path.head = {
      tip, {foot.x - along.y * half, foot.y + along.x * half}, {foot.x + along.y * half, foot.y - along.x * half}};
  return path;
}

std::string shortened(std::string_view text, double room, double size, Face face, const TextMeasure& measure) {
  if (measure(text, size, face) <= room) return std::string(text);
  while (!text.empty() && measure(std::string(text) + "…", size, face) > room) text = without_last_letter(text);
  return std::string(text) + "…";
}

std::vector<std::string> wrapped(std::string_view text, double room, double size, Face face,
                                 const TextMeasure& measure) {
  const auto fits = [&](std::string_view line) { return measure(line, size, face) <= room; };
  std::vector<std::string> lines;
  for (std::size_t at = 0; !text.empty() && at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view rest = text.substr(at, end - at);
    do {
      const std::size_t length = length_of_line(rest, fits);
      lines.emplace_back(rest.substr(0, length));
      rest.remove_prefix(length);
      if (rest.starts_with(' ')) rest.remove_prefix(1);
    } while (!rest.empty());
    at = end + 1;
  }
  return lines;
}

Picture placed(Picture picture, double scale, double x, double y) {
  const auto place = [&](auto& item) {
    const auto moved = [&](const Point& point) { return Point{x + scale * point.x, y + scale * point.y}; };
    if constexpr (requires { item.box; }) {
      const Point corner = moved({item.box.x, item.box.y});
      item.box = {corner.x, corner.y, scale * item.box.width, scale * item.box.height};
    }
    if constexpr (requires { item.points; }) std::ranges::transform(item.points, item.points.begin(), moved);
    if constexpr (requires { item.thickness; }) item.thickness *= scale;
    if constexpr (requires { item.radius; }) item.radius *= scale;
    if constexpr (std::is_same_v<decltype(item), Stroke&>)
      for (double* const length : {&item.corner, &item.head, &item.halo}) *length *= scale;
    if constexpr (std::is_same_v<decltype(item), Word&>) {
      const Point beginning = moved({item.x, item.y});
      item.x = beginning.x;
      item.y = beginning.y;
      item.size *= scale;
    }
  };
  for (Item& item : picture.items) std::visit(place, item);
  return picture;
}

}  // namespace attnscope::picture
