#include <algorithm>
#include <cmath>
#include <utility>

#include "view/diagram_draft.h"

// Names of the inputs' dimensions: above the columns of the inputs and beside the rows of the weights that multiply
// them, wherever a finished layout leaves room.

namespace attnscope::scene {
namespace {

bool is_crossed(const DiagramLayout& layout, const Box& box) {
  const auto crosses = [&](const Point& a, const Point& b) {
    const auto [left, right] = std::minmax(a.x, b.x);
    const auto [top, bottom] = std::minmax(a.y, b.y);
    return overlap(box, {left - 2, top - 2, right - left + 4, bottom - top + 4}, 0);
  };
  return std::ranges::any_of(layout.arrows, [&](const PlacedArrow& arrow) {
    for (std::size_t i = 1; i < arrow.points.size(); ++i)
      if (crosses(arrow.points[i - 1], arrow.points[i])) return true;
    return false;
  });
}

// Returns whether a box meets nothing; the texts of `moved` make way.
bool is_free(const DiagramLayout& layout, const Box& box, const std::vector<PlacedText*>& moved = {}) {
  const Box& canvas = layout.canvas;
  if (box.x < canvas.x || box.y < canvas.y || box.right() > canvas.right() || box.bottom() > canvas.bottom())
    return false;
  const Box wide{box.x - 2, box.y - 1, box.width + 4, box.height + 2};
  const auto is_hit = [&](const auto& item) { return overlap(wide, item.box); };
  const auto is_text_hit = [&](const PlacedText& text) {
    return overlap(wide, text.box) && std::ranges::find(moved, &text) == moved.end();
  };
  const auto is_edge_hit = [&](const PlacedFrame& frame) {
    const Box& each = frame.box;
    const bool is_inside =
        wide.x >= each.x && wide.right() <= each.right() && wide.y >= each.y && wide.bottom() <= each.bottom();
    return overlap(wide, each) && !is_inside;
  };
  const auto is_sums_hit = [&](const PlacedMatrix& matrix) {
    const double width = matrix.sums > 0 ? matrix.sums_x - matrix.box.right() + 3 * matrix.sums : 0;
    return overlap(wide, {matrix.box.x, matrix.box.y, matrix.box.width + width, matrix.box.height});
  };
  return std::ranges::none_of(layout.texts, is_text_hit) && std::ranges::none_of(layout.matrices, is_sums_hit) &&
         std::ranges::none_of(layout.pills, is_hit) && std::ranges::none_of(layout.bars, is_hit) &&
         std::ranges::none_of(layout.frames, is_edge_hit) && !(layout.card && overlap(wide, *layout.card)) &&
         !is_crossed(layout, wide);
}

class DimensionNamer {
public:
  DimensionNamer(DiagramLayout& layout, const DiagramShape& shape, const TextMeasure& measure)
      : layout_(layout), names_(shape.dimensions), measure_(measure), size_(std::max(layout.least_text, 11 * unit())) {
    for (const std::string& name : names_) widest_ = std::max(widest_, measure_(name, size_, Face::text));
  }

  void name_all() {
    for (const PlacedMatrix& matrix : layout_.matrices) {
      if (matrix.is_thumb || matrix.is_pattern) continue;
      if (matrix.stage == Stage::inputs && !matrix.is_operand()) name_columns(matrix);
      if (has_dimension_rows(matrix)) name_rows(matrix);
    }
  }

private:
  double unit() const { return layout_.unit; }

  // Operands are drawn as they multiply: the rows of a weight matrix are the inputs' dimensions.
  static bool has_dimension_rows(const PlacedMatrix& matrix) {
    const bool is_weight =
        matrix.stage == Stage::query_weight || matrix.stage == Stage::key_weight || matrix.stage == Stage::value_weight;
    return matrix.role == PlacedRole::above && (is_weight || (matrix.stage == Stage::inputs && matrix.is_transposed));
  }

  PlacedText word(std::size_t index, const PlacedMatrix& beside, double x, double y, double anchor) const {
    PlacedText text{{.text = names_[index], .x = x, .y = y, .size = size_, .anchor = anchor}};
    text.is_quiet = true;
    text.result = beside.result;
    text.box = box_of(text, measure_);
    return text;
  }

  // The titles of the inputs move up to make room for the names, which are turned where a column is too narrow.
  void name_columns(const PlacedMatrix& matrix) {
    const double cell = matrix.cell_width();
    if (matrix.parts.size() != 1 || std::ssize(names_) != matrix.viewed().columns) return;
    const bool is_turned = widest_ > cell - 3;
    if (is_turned && cell < size_ * 1.12) return;
    const double gap = 5 * unit();
    const double rise = (is_turned ? widest_ + gap : size_ * 1.35);
    const Box zone{matrix.box.x, matrix.box.y - rise - 2, matrix.box.width, rise};
    std::vector<PlacedText*> moved;
    for (PlacedText& text : layout_.texts)
      if (text.result == matrix.result && text.stage == matrix.stage && !text.is_turned) moved.push_back(&text);
    double aside = 0;  // titles may have to stand right of a heading
    const auto is_blocked = [&](const PlacedText* text) {
      const double air = 12 * unit();  // between the heading and the title
      const Box& box = text->box;
      return !is_free(layout_, {box.x + aside - air, box.y - rise, box.width + air, box.height}, moved);
    };
    while (aside < 0.6 * matrix.box.width && std::ranges::any_of(moved, is_blocked)) aside += 4 * unit();
    if (std::ranges::any_of(moved, is_blocked) || !is_free(layout_, zone, moved)) return;
    for (PlacedText* const text : moved) {
      text->x += aside;
      text->box.x += aside;
      text->y -= rise;
      text->box.y -= rise;
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const double middle = matrix.viewed().x + (static_cast<double>(i) + 0.5) * cell;
      const double x = is_turned ? middle + size_ * to_middle : middle;
      PlacedText text = word(i, matrix, x, matrix.box.y - gap, is_turned ? 0 : 0.5);
      text.is_turned = is_turned;
      text.box = box_of(text, measure_);
      layout_.texts.push_back(std::move(text));
    }
  }

  // Returns the left end of a matrix, or of the frame that it stands in if that is near.
  double left_end(const PlacedMatrix& matrix) const {
    double left = matrix.box.x;
    for (const PlacedFrame& frame : layout_.frames) {
      const bool is_within = frame.box.y <= matrix.box.y && frame.box.bottom() >= matrix.box.bottom();
      const double between = matrix.box.x - frame.box.x;
      if (is_within && between > 0 && between < 3 * size_) left = std::min(left, frame.box.x);
    }
    return left;
  }

  void name_rows(const PlacedMatrix& matrix) {
    const double row = matrix.row_height();
    if (std::ssize(names_) != matrix.rows || row < size_ * 1.12) return;
    std::vector<PlacedText> words;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const double y = matrix.box.y + (static_cast<double>(i) + 0.5) * row + size_ * to_middle;
      words.push_back(word(i, matrix, left_end(matrix) - 6 * unit(), y, 1));
    }
    if (!std::ranges::all_of(words, [&](const PlacedText& each) { return is_free(layout_, each.box); })) return;
    std::ranges::move(words, std::back_inserter(layout_.texts));
  }

  DiagramLayout& layout_;
  const std::vector<std::string>& names_;
  const TextMeasure& measure_;
  double size_;
  double widest_ = 0;
};

}  // namespace

std::optional<Box> free_place(const DiagramLayout& layout, double width, double height, const Point& near,
                              double reach) {
  constexpr double step = 8;
  std::optional<Box> best;
  double least = reach;
  for (double y = near.y - reach; y <= near.y + reach; y += step) {
    for (double x = near.x - reach; x <= near.x + reach; x += step) {
      const double distance = std::hypot(x - near.x, y - near.y);
      const Box box{x, y, width, height};
      if (distance >= least || !is_free(layout, box)) continue;
      least = distance;
      best = box;
    }
  }
  return best;
}

void name_dimensions(DiagramLayout& layout, const DiagramShape& shape, const TextMeasure& measure) {
  if (!shape.dimensions.empty()) DimensionNamer(layout, shape, measure).name_all();
}

}  // namespace attnscope::scene
