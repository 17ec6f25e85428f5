#pragma once

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
