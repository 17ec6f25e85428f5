#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "view/matrix.h"

namespace attnscope {

// A rectangle of a page or a board, from its upper left corner: of figures in pixels of 1/96 inch.
struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  double middle_x() const { return x + width / 2; }
  double middle_y() const { return y + height / 2; }
  bool contains(double at_x, double at_y) const { return at_x >= x && at_x < right() && at_y >= y && at_y < bottom(); }
  bool operator==(const Box&) const = default;
};

}  // namespace attnscope

// A picture as values without any graphics: whoever can paint these few items can paint everything. Items are in
// the order in which they are painted; lengths are in units of the interface, or in pixels of a page (1/96 inch).
namespace attnscope::picture {

enum class Face { text, bold, number };

constexpr double line_height = 1.25;  // of a line of text, in its sizes
constexpr double baseline = 0.95;     // below the top of a line, in sizes

// The width of a line of text at a size, in the same units.
using TextMeasure = std::function<double(std::string_view text, double size, Face face)>;

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

struct Ink {
  Rgb colour;
  double alpha = 1;
  bool operator==(const Ink&) const = default;
};

struct Fill {
  Box box;
  Ink ink;
  double radius = 0;  // of its corners
};

struct Outline {
  Box box;
  Ink ink;
  double thickness = 1;
  double radius = 0;
};

// A line from corner to corner, with a head at its end where it is an arrow. `halo` lies below it, so that a crossing
// reads as a bridge.
struct Stroke {
  std::vector<Point> points;
  Ink ink;
  double thickness = 1;
  double corner = 0;  // radius
  double head = 0;    // length of its head; 0: none
  double halo = 0;    // width
  Ink halo_ink = {};
};

// How a stroke of two points or more runs from its first one: around its corners, and to the foot of its head.
struct StrokePath {
  struct Corner {
    Point begin, turn, end;  // alike where corners are not rounded
  };
  std::vector<Corner> corners;
  Point end;
  std::vector<Point> head;  // a triangle; empty where it has none
};
StrokePath path_of(const Stroke& stroke);

struct Word {
  std::string text;
  double x = 0;
  double y = 0;  // of the baseline
  double size = 0;
  Face face = Face::text;
  Ink ink = {};
  double anchor = 0;         // 0: x is its left end, 0.5 its middle, 1 its right end
  bool is_turned = false;    // reads upwards
  bool is_on_hatch = false;  // needs a plain ground to be legible
};

// The cells of a matrix in its colours, with the marks of what is masked, dropped or not finite.
struct Heatmap : Matrix {
  Box box;
  CellWindow window;  // the part of the matrix that fills it
};

// The colours of a range, from its low end to its high one: from left to right, or upwards.
struct Gradient {
  Box box;
  Colormap map = Colormap::viridis;
  bool is_vertical = false;
};

// A filled polygon without inward corners.
struct Polygon {
  std::vector<Point> points;
  Ink ink;
};

// A row, a cross, a pattern: what a legend explains.
struct Hatch {
  Box box;
};

using Item = std::variant<Fill, Outline, Stroke, Word, Heatmap, Gradient, Hatch, Polygon>;

struct Picture {
  std::vector<Item> items;

  void add(Item item) { items.push_back(std::move(item)); }
  template <typename Kind>
  std::vector<const Kind*> all() const {
    std::vector<const Kind*> found;
    for (const Item& item : items)
      if (const auto* const kind = std::get_if<Kind>(&item)) found.push_back(kind);
    return found;
  }
};

// Returns the picture scaled and moved.
Picture placed(Picture picture, double scale, double x, double y);

// Returns the room of a word: from the height of its capitals to the depth of its descenders.
Box box_of(const Word& word, const TextMeasure& measure);

// The text, or its beginning with an ellipsis where it is wider than `room`. Never cuts inside a UTF-8 character.
std::string shortened(std::string_view text, double room, double size, Face face, const TextMeasure& measure);

// The lines of a text, broken at blanks where they would be wider than `room`, and between letters only within a word
// that is wider than a whole line. Of a text without letters none.
std::vector<std::string> wrapped(std::string_view text, double room, double size, Face face,
                                 const TextMeasure& measure);

}  // namespace attnscope::picture
