#include "diagram_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace attnscope::test {
namespace {

using scene::BlockKind;
using scene::DiagramCanvas;
using scene::DiagramLayout;
using scene::PlacedArrow;
using scene::PlacedFrame;
using scene::PlacedMatrix;
using scene::PlacedRole;
using scene::PlacedText;
using scene::Point;

constexpr double touch = 1.2;  // that two boxes may share
constexpr Index many_keys = 12;
constexpr double number_air = 2;  // between a number and the edges of its cell
constexpr double square = 0.01;   // that the ratio of a square cell may be off
constexpr double rounding = 0.05;
constexpr double searched = 0.04;  // that the search for widths may miss: it is not monotone

constexpr double least_head = 6;  // length of an arrow's head that is seen

struct Named {
  std::string name;
  Box box;
};

bool is_within(const Box& inner, const Box& outer, double slack) {
  return inner.x >= outer.x - slack && inner.y >= outer.y - slack && inner.right() <= outer.right() + slack &&
         inner.bottom() <= outer.bottom() + slack;
}

Box around(const Point& a, const Point& b) {
  return {std::min(a.x, b.x) - 0.6, std::min(a.y, b.y) - 0.6, std::abs(a.x - b.x) + 1.2, std::abs(a.y - b.y) + 1.2};
}

std::string name_of(const PlacedMatrix& matrix) {
  return fmt::format("{}{}", info(matrix.stage).id, matrix.role == PlacedRole::result ? "" : " (operand)");
}

std::string name_of(const PlacedArrow& arrow) {
  const auto stage = [](std::optional<Stage> each) { return each ? info(*each).id : std::string_view("?"); };
  return fmt::format("arrow {} → {}", stage(arrow.from), stage(arrow.to));
}

double area_of(const PlacedMatrix& matrix) { return matrix.box.width * matrix.box.height; }

class Rules {
public:
  Rules(const RuledDocument& document, const DiagramCanvas& canvas, const DiagramLayout& layout)
      : document_(document), canvas_(canvas), layout_(layout) {
    for (const PlacedMatrix& each : layout.matrices) boxes_.push_back({"matrix " + name_of(each), each.box});
    for (const PlacedText& each : layout.texts) boxes_.push_back({"text " + each.text, each.box});
    for (const PlacedText& each : layout.pills) boxes_.push_back({"pill " + each.text, each.box});
    if (layout.card) boxes_.push_back({"card", *layout.card});
  }

  std::vector<std::string> broken() {
    everything_is_inside();
    nothing_overlaps();
    for (const PlacedArrow& arrow : layout_.arrows) passes_clear(arrow);
    texts_are_legible();
    projections_share_decimals();
    if (!layout_.main_matrix()) return {"there are no weights"};
    weights_are_largest();
    cells_have_proportions();
    rows_are_aligned();
    order_is_that_of_computation();
    return std::move(broken_);
  }

private:
  template <typename... Values>
  void fail(fmt::format_string<Values...> text, Values&&... values) {
    broken_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  void everything_is_inside() {
    const auto check = [&](const std::string& name, const Box& box) {
      if (!is_within(box, layout_.canvas, 0.6)) fail("inside the canvas: {}", name);
    };
    for (const Named& each : boxes_) check(each.name, each.box);
    for (const PlacedFrame& frame : layout_.frames) check(frame.is_main ? "the weights' card" : "frame", frame.box);
    for (const scene::PlacedBar& bar : layout_.bars)
      check(fmt::format("bar of {}", info(bar.stage).id),
            {bar.low_right, bar.box.y, bar.high_left - bar.low_right, bar.box.height});
    for (const PlacedArrow& arrow : layout_.arrows)
      for (const Point& point : arrow.points) check(name_of(arrow), {point.x, point.y, 0, 0});
  }

  void nothing_overlaps() {
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      for (std::size_t k = i + 1; k < boxes_.size(); ++k)
        if (scene::overlap(boxes_[i].box, boxes_[k].box, touch))
          fail("nothing overlaps: {} / {}", boxes_[i].name, boxes_[k].name);
      for (const PlacedFrame& frame : layout_.frames) {
        if (!frame.is_main || !scene::overlap(frame.box, boxes_[i].box, touch)) continue;
        if (!is_within(boxes_[i].box, frame.box, 1.5)) fail("nothing overlaps: {} / the weights' card", boxes_[i].name);
      }
    }
    for (const scene::PlacedBar& bar : layout_.bars) {
      for (const Named& each : boxes_)
        if (scene::overlap(bar.box, each.box, touch))
          fail("nothing overlaps: bar of {} / {}", info(bar.stage).id, each.name);
    }
  }

  // An arrow passes no matrix and no words but its own.
  void passes_clear(const PlacedArrow& arrow) {
    const auto own = static_cast<int>(&arrow - layout_.arrows.data());
    const bool is_into_weights = arrow.to == layout_.main_matrix()->stage;
    for (std::size_t i = 0; i + 1 < arrow.points.size(); ++i) {
      const Box way = around(arrow.points[i], arrow.points[i + 1]);
      const auto meets = [&](const Box& box) { return scene::overlap(way, box, 0.5); };
      for (const PlacedMatrix& matrix : layout_.matrices)
        if (meets(matrix.box)) fail("arrows pass no matrix: {} / {}", name_of(arrow), name_of(matrix));
      for (const PlacedText& text : layout_.texts)
        if (text.arrow != own && meets(text.box))
          fail("arrows pass no words: {} / {} at {:.0f}, {:.0f}, arrow at {:.0f}, {:.0f} to {:.0f}, {:.0f}",
               name_of(arrow), text.text, text.box.x, text.box.y, way.x, way.y, way.right(), way.bottom());
      for (const PlacedText& pill : layout_.pills) {
        const bool is_own = !pill.is_quiet && is_into_weights;
        const Point& tip = arrow.points.back();
        const double back = tip.y < arrow.points[arrow.points.size() - 2].y ? least_head : -least_head;
        const Box head = around(tip, {tip.x, tip.y + back});
        if (is_own && scene::overlap(head, pill.box)) fail("a pill leaves the arrow's head free");
        if (!is_own && meets(pill.box))
          fail("arrows pass no words: {} / {} at {:.0f} to {:.0f}, {:.0f}, arrow at {:.0f}, {:.0f} to {:.0f}, {:.0f}",
               name_of(arrow), pill.text, pill.box.x, pill.box.right(), pill.box.y, way.x, way.y, way.right(),
               way.bottom());
      }
      if (layout_.card && meets(*layout_.card)) fail("arrows pass no words: {} / card", name_of(arrow));
      for (const PlacedFrame& frame : layout_.frames) {
        const Box inner{frame.box.x + 3, frame.box.y + 3, frame.box.width - 6, frame.box.height - 6};
        if (frame.is_main && meets(inner)) fail("arrows pass no matrix: {} / the weights' card", name_of(arrow));
      }
    }
  }

  // What stands side by side is compared: its numbers have as many decimals.
  void projections_share_decimals() {
    for (const Stage stage : {Stage::queries, Stage::values}) {
      const PlacedMatrix* const one = result(stage);
      const PlacedMatrix* const keys = result(Stage::keys);
      if (document_.shape.is_difference || !one || !keys || one->text == 0 || keys->text == 0) continue;
      if (scene::decimals_of(one->widest) != scene::decimals_of(keys->widest))
        fail("projections share decimals: {} / {}", one->widest, keys->widest);
    }
  }

  void texts_are_legible() {
    const double least = canvas_.least_text - 0.01;
    for (const PlacedText& text : layout_.texts)
      if (text.size < least) fail("least text: {} has {:.1f}", text.text, text.size);
    for (const PlacedText& pill : layout_.pills)
      if (pill.size < least) fail("least text: {} has {:.1f}", pill.text, pill.size);
    for (const PlacedMatrix& matrix : layout_.matrices) {
      if (matrix.text == 0) continue;
      const double width = letter_width(matrix.widest, matrix.text, scene::Face::number);
      if (matrix.text < least || width + 2 * number_air - rounding > matrix.cell_width() ||
          matrix.text + 3 - rounding > matrix.row_height())
        fail("room around numbers: {}, {:.1f} in {:.1f} x {:.1f}", name_of(matrix), matrix.text, matrix.cell_width(),
             matrix.row_height());
    }
  }

  void weights_are_largest() {
    const PlacedMatrix& main_matrix = *layout_.main_matrix();
    for (const PlacedMatrix& matrix : layout_.matrices) {
      if (&matrix == &main_matrix) continue;
      // Cells that just hold their numbers may be nearly as wide.
      const double ratio = !is_placed() ? 1 : matrix.text > 0 ? 1.07 : 1.15;
      if (matrix.kind == BlockKind::square && matrix.cell_width() * ratio > main_matrix.cell_width() * 1.001)
        fail("weights are wider than other squares: {} has {:.1f} of {:.1f}", name_of(matrix), matrix.cell_width(),
             main_matrix.cell_width());
      const bool is_free = matrix.is_operand() && !canvas_.wants_card;  // a low page is filled by what hangs above
      if (!is_free && area_of(matrix) > area_of(main_matrix) * 1.01)
        fail("weights are the largest: {}", name_of(matrix));
    }
    const auto is_own = [&](const scene::PlacedBar& bar) {
      return bar.stage == main_matrix.stage && bar.box.width >= 64;
    };
    if (!main_matrix.is_thumb && !canvas_.is_presented && std::ranges::none_of(layout_.bars, is_own))
      fail("weights have a colour bar of their own");
  }

  bool is_placed() const { return layout_.wrap == scene::DiagramWrap::around; }

  void cells_have_proportions() {
    for (const PlacedMatrix& matrix : layout_.matrices) {
      const double ratio = matrix.cell_width() / matrix.row_height();
      const bool is_square = matrix.kind != BlockKind::feature || matrix.is_pattern;
      if (is_square && std::abs(ratio - 1) > square) fail("squares 1:1: {} {:.2f}", name_of(matrix), ratio);
      const double least = document_.shape.keys.size() < 4 ? 0.3 : 0.4;
      if (matrix.kind == BlockKind::feature && !matrix.is_operand() && matrix.text > 0 &&
          (ratio < least || ratio > 2.35))
        fail("features 0.4:1 to 2.35:1: {} {:.2f}", name_of(matrix), ratio);
    }
  }

  void rows_are_aligned() {
    for (const PlacedMatrix& a : layout_.matrices) {
      if (!a.is_on_spine) continue;
      const double pixel = a.box.y * canvas_.pixels_per_unit;
      if (std::abs(pixel - std::round(pixel)) > 1e-6) fail("rows begin at whole pixels: {}", name_of(a));
      for (const PlacedMatrix& b : layout_.matrices) {
        if (!b.is_on_spine || b.line != a.line) continue;
        if (a.box.y != b.box.y || std::abs(a.row_height() - b.row_height()) > 1e-6)
          fail("rows of a line are aligned: {} / {}", name_of(a), name_of(b));
      }
    }
  }

  // The place of a stage that is not used there; null where it has none.
  const PlacedMatrix* result(Stage stage) const {
    const auto found = std::ranges::find_if(layout_.matrices, [&](const PlacedMatrix& matrix) {
      return matrix.stage == stage && matrix.role == PlacedRole::result;
    });
    return found == layout_.matrices.end() ? nullptr : &*found;
  }

  // Every block stands there, in its order within its line.
  void order_is_that_of_computation() {
    const scene::DiagramShape& shape = document_.shape;
    for (const auto* const blocks : {&shape.project, &shape.compare, &shape.main_matrix, &shape.mix}) {
      const PlacedMatrix* last = nullptr;
      for (const scene::DiagramBlock& block : *blocks) {
        if (block.is_copy) continue;
        const PlacedMatrix* const placed = result(block.stage);
        if (!placed) {
          if (block.stage != Stage::head_context || !layout_.is_merged)
            fail("a stage is missing: {}", info(block.stage).id);
          continue;
        }
        // Around the weights, what follows from them cell by cell stands below them; squares have a line of their own.
        const bool is_split = is_placed() || layout_.wrap == scene::DiagramWrap::squares;
        if (last && placed->line != last->line && !is_split)
          fail("order of computation: {} is not beside {}", name_of(*placed), name_of(*last));
        if (last && placed->line == last->line && placed->box.x < last->box.right())
          fail("order of computation: {} before {}", name_of(*placed), name_of(*last));
        last = placed;
      }
    }
  }

  const RuledDocument& document_;
  const DiagramCanvas& canvas_;
  const DiagramLayout& layout_;
  std::vector<Named> boxes_;
  std::vector<std::string> broken_;
};

// In the order of what counts most; thumbnails may count as stages without numbers, which they are.
std::array<std::ptrdiff_t, 6> losses(const DiagramLayout& layout, bool with_thumbs = false) {
  const auto is_lost = [&](std::string_view words) {
    return std::ranges::find(layout.given_up, words) != layout.given_up.end();
  };
  const bool has_thumbs = is_lost("stages between as thumbnails");
  return {is_lost("numbers of the weights"), is_lost("ends of keys' names"),
          is_lost("numbers of features"),    is_lost("numbers of elementwise stages") || (with_thumbs && has_thumbs),
          is_lost("no corner for the card"), has_thumbs};
}

}  // namespace

double letter_width(std::string_view text, double size, scene::Face face) {
  constexpr std::string_view narrow = " ijl.,:;|!'()[]It";
  constexpr std::string_view wide = "mwMW";
  double em = 0;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte & 0xC0U) == 0x80U) continue;  // within a letter
    if (letter >= '0' && letter <= '9')
      em += 0.64;
    else if (byte >= 0x80U)
      em += 0.66;
    else if (narrow.find(letter) != std::string_view::npos)
      em += 0.3;
    else if (wide.find(letter) != std::string_view::npos)
      em += 0.87;
    else
      em += letter >= 'A' && letter <= 'Z' ? 0.68 : 0.57;
  }
  return size * em * (face == scene::Face::bold ? 1.04 : 1);
}

scene::DiagramCanvas window_canvas(double width, double height) {
  constexpr double rail = 44;
  constexpr double panel = 220;
  const double setup = width < 1400 ? rail : panel;
  scene::DiagramCanvas canvas;
  canvas.box = {setup + 1, 37, width - setup - 1, height - 62};
  canvas.wants_card = true;
  return canvas;
}

std::vector<scene::DiagramCanvas> page_canvases() {
  std::vector<scene::DiagramCanvas> pages(3);
  pages[0].box = {0, 0, 462, 1.95 * 462};
  pages[0].is_page = true;
  pages[1].box = {0, 0, 798, 0.62 * 798};
  pages[2].box = {10, 62, 1580, 796};
  pages[2].least_text = 14;
  return pages;
}

std::vector<std::string> broken_rules(const RuledDocument& document, const scene::DiagramCanvas& canvas,
                                      const scene::DiagramLayout& layout) {
  return Rules(document, canvas, layout).broken();
}

std::vector<std::string> broken_by_growing(const scene::DiagramLayout& smaller, const scene::DiagramLayout& larger) {
  std::vector<std::string> broken;
  const auto cell = [](const DiagramLayout& layout) {
    return layout.main_matrix()->cell_width() * layout.main_matrix()->row_height();
  };
  const bool is_same = smaller.wrap == larger.wrap && smaller.given_up == larger.given_up;
  if (is_same && cell(larger) < (1 - searched) * cell(smaller))
    broken.push_back(
        fmt::format("nothing shrinks by growing: cells of the weights {:.0f} → {:.0f}", cell(smaller), cell(larger)));
  const auto legible = [](const DiagramLayout& layout) {
    return std::ranges::count_if(layout.matrices, [](const PlacedMatrix& matrix) { return matrix.text > 0; });
  };
  const bool has_more = legible(larger) > legible(smaller);  // numbers that come back take room
  const bool is_worse = losses(smaller) < losses(larger) && losses(smaller, true) < losses(larger, true);
  if (is_worse && !has_more)
    broken.push_back(fmt::format("nothing is given up by growing: {} [{}] → {} [{}]", fmt::join(losses(smaller), ","),
                                 fmt::join(smaller.given_up, ", "), fmt::join(losses(larger), ","),
                                 fmt::join(larger.given_up, ", ")));
  return broken;
}

}  // namespace attnscope::test
