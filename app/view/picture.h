#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "view/matrix.h"

namespace attnscope {

// A rectangle of a page or a board, from its upper left corner. In figures a unit is a pixel of 1/96 inch.
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

constexpr double line_height = 1.25;  // height of a line of text, in sizes
constexpr double baseline = 0.95;     // depth of the baseline below the top of a line, in sizes

// Returns the width of a line of text at a size, in the same units.
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
  double radius = 0;  // radius of its corners
};

struct Outline {
  Box box;
  Ink ink;
  double thickness = 1;
  double radius = 0;
};

// A line from corner to corner; an arrow has a head at its end. `halo` lies below it, so that a crossing reads as a
// bridge.
struct Stroke {
  std::vector<Point> points;
  Ink ink;
  double thickness = 1;
  double corner = 0;  // radius of its corners
  double head = 0;    // length of its head; 0: it has none
  double halo = 0;    // width of the halo
  Ink halo_ink = {};
};

// The way of a stroke of two points or more from its first one: around its corners, and to the foot of its head.
struct StrokePath {
  struct Corner {
    Point begin, turn, end;  // three equal points if corners are not rounded
  };
  std::vector<Corner> corners;
  Point end;
  std::vector<Point> head;  // a triangle; empty: no head
};
StrokePath path_of(const Stroke& stroke);

struct Word {
  std::string text;
  double x = 0;
  double y = 0;  // height of the baseline
  double size = 0;
  Face face = Face::text;
  Ink ink = {};
  double anchor = 0;         // 0: x is the left end, 0.5: the middle, 1: the right end
  bool is_turned = false;    // the word reads upwards
  bool is_on_hatch = false;  // the word needs a plain ground to be legible
};

// The cells of a matrix in its colours, with marks on cells that are masked, dropped or not finite.
struct Heatmap : Matrix {
  Box box;
  CellWindow window;  // the part of the matrix that fills the box
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

// The hatching of masked cells, for a token or a sample in a legend.
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

// Returns the text, or its beginning with an ellipsis if it is wider than `room`. Never cuts inside a UTF-8 character.
std::string shortened(std::string_view text, double room, double size, Face face, const TextMeasure& measure);

// Breaks a text into lines no wider than `room`: at blanks, and between letters only within a word that is wider than a
// whole line. Returns no lines for a text without letters.
std::vector<std::string> wrapped(std::string_view text, double room, double size, Face face,
                                 const TextMeasure& measure);

}  // namespace attnscope::picture
