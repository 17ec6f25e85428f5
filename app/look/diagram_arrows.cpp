#include "look/diagram_arrows.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

// In units of a sixth of a gap.
constexpr float lane_width = 5;  // arrows side by side
constexpr float side_room = 16;  // before a matrix that an arrow comes round into

// What a band hands down leaves below its matrix and goes along the line between the bands.
struct Descent {
  DiagramPoint start;
  float level = 0;
};

// Of a result with its operands; of another matrix its own, though its stage may be a result elsewhere.
float top_of_stack(const DiagramLayout& layout, const PlacedMatrix& result) {
  float top = result.header.y;
  if (result.matrix.role != DiagramRole::result) return top;
  for (const PlacedMatrix& each : layout.matrices) {
    if (each.matrix.result == result.matrix.stage && each.matrix.is_present) top = std::min(top, each.header.y);
  }
  return top;
}

bool is_level(const PlacedMatrix& from, const PlacedMatrix& to) {
  const StagePlace& left = info(from.matrix.result).place;
  const StagePlace& right = info(to.matrix.result).place;
  return left.band == right.band && !left.is_above && !right.is_above && from.slot.x < to.slot.x;
}

// Results, the left-hand operand of the scores, and the keys above them.
bool receives_arrow(const PlacedMatrix& placed) {
  const StageInfo& stage = info(placed.matrix.stage);
  if (placed.matrix.role == DiagramRole::left) return true;
  if (placed.matrix.role == DiagramRole::above) return info(placed.matrix.result).rule == CellRule::query_times_key;
  return placed.matrix.role == DiagramRole::result && stage.rule != CellRule::start;
}

struct ArrowSource {
  const PlacedMatrix* matrix = nullptr;
  bool skips = false;  // stages that were left out
};

// Where the numbers of a result come from on the screen: of scores, the queries beside them.
ArrowSource source_of(const AttentionConfig& config, const DiagramLayout& layout, const PlacedMatrix& result) {
  if (result.matrix.role != DiagramRole::result) return {layout.result(result.matrix.stage)};
  if (info(result.matrix.stage).rule == CellRule::query_times_key) {
    const auto left = std::ranges::find(layout.matrices, DiagramRole::left,
                                        [](const PlacedMatrix& each) { return each.matrix.role; });
    return {left == layout.matrices.end() ? nullptr : &*left};
  }
  const std::optional<DiagramSource> source = diagram_source(config, result.matrix.stage, layout.left_out);
  if (!source) return {};
  return {layout.result(source->stage), source->skips};
}

bool is_something_between(const DiagramLayout& layout, const PlacedMatrix& from, const PlacedMatrix& to) {
  return std::ranges::any_of(layout.matrices, [&](const PlacedMatrix& each) {
    return each.matrix.is_present && is_level(from, each) && is_level(each, to) &&
           each.matrix.role == DiagramRole::result;
  });
}

class Router {
public:
  Router(const AttentionConfig& config, const DiagramLayout& layout, const DiagramText& text, Index head)
      : config_(config), layout_(layout), text_(text), unit_(text.gap / 6), head_(head) {}

  std::vector<DiagramArrow> run() {
    for (const PlacedMatrix& to : layout_.matrices) {
      if (!to.matrix.is_present || !receives_arrow(to)) continue;
      const auto [from, skips] = source_of(config_, layout_, to);
      if (!from || from == &to || !from->matrix.is_present) continue;
      if (is_level(*from, to)) {
        is_something_between(layout_, *from, to) ? add_beneath(*from, to) : add_level(*from, to);
      } else if (info(from->matrix.stage).place.band != info(to.matrix.result).place.band) {
        add_from_above(*from, to, to.matrix.role == DiagramRole::above ? 1 : 0);
      } else if (info(to.matrix.stage).place.is_above) {
        add_up(*from, to);
      } else {
        add_back(*from, to);
      }
      if (skips) arrows_.back().words = {.sign = "…"};
    }
    return std::move(arrows_);
  }

private:
  Descent descent(const PlacedMatrix& from, float lane) const {
    const PlacedBand& band = layout_.bands[static_cast<std::size_t>(info(from.matrix.stage).place.band)];
    DiagramBox cells = from.cells;
    if (from.matrix.shows_all_heads) {  // of the head that is looked at
      const auto heads = static_cast<float>(head_count(config_));
      cells.width /= heads;
      cells.x += std::min(static_cast<float>(head_), heads - 1) * cells.width;
    }
    return {{std::floor(cells.x + cells.width / 2), cells.bottom() + 2},
            std::floor(band.y + band.height - (6 + lane_width * lane) * unit_)};
  }

  void add_from_above(const PlacedMatrix& from, const PlacedMatrix& to, float lane) {
    const Descent way = descent(from, lane);
    // From above into what has no operand there, and where a band begins, beside which there are the tokens' names.
    if (to.matrix.role != DiagramRole::result || to.begins_band) {
      const float x = std::floor(to.cells.x + to.cells.width / 2);
      const bool has_stack = to.begins_band && to.matrix.role == DiagramRole::result;
      const float top = has_stack ? top_of_stack(layout_, to) : to.header.y;
      arrows_.push_back({to.matrix.result, {way.start, {way.start.x, way.level}, {x, way.level}, {x, top - 1}}});
      return;
    }
    // Into its side: above it stands the right-hand operand.
    const float tip = to.cells.x - 3 * unit_;
    const float x = tip - side_room * unit_;
    const float y = middle_of(to);
    arrows_.push_back({to.matrix.result, {way.start, {way.start.x, way.level}, {x, way.level}, {x, y}, {tip, y}}});
  }

  void add_level(const PlacedMatrix& from, const PlacedMatrix& to) {
    const float gap = 4 * unit_;
    const bool has_sums = info(from.matrix.stage).range == StageRange::probability;
    const float start = from.cells.right() + (has_sums ? text_.row_sums : gap);
    const float end = to.cells.x - gap;
    const float room = std::min(end - start, text_.width_of("along the row"));
    arrows_.push_back({to.matrix.result,
                       {{start, middle_of(to)}, {end, middle_of(to)}},
                       diagram_operator(config_, to.matrix.stage),
                       end - room,
                       end,
                       middle_of(to)});
  }

  // Past what stands between: below the cells, and up into the side.
  void add_beneath(const PlacedMatrix& from, const PlacedMatrix& to) {
    const float tip = to.cells.x - 3 * unit_;
    const float x = tip - side_room * unit_;
    const float y = middle_of(to);
    const float start = std::floor(from.cells.x + from.cells.width / 2);
    const float level = std::floor(from.cells.bottom() + lane_width * unit_);
    arrows_.push_back({to.matrix.result,
                       {{start, level - 3 * unit_}, {start, level}, {x, level}, {x, y}, {tip, y}},
                       diagram_operator(config_, to.matrix.stage),
                       x,
                       tip,
                       y});
  }

  // From a result into what hangs above it, past its header.
  void add_up(const PlacedMatrix& from, const PlacedMatrix& to) {
    const float tip = to.cells.right() + 3 * unit_;
    const float x = tip + side_room * unit_;
    const float y = middle_of(to);
    const float start = std::floor(from.slot.y + from.slot.height / 4);
    arrows_.push_back({to.matrix.result,
                       {{from.cells.right() + 3 * unit_, start}, {x, start}, {x, y}, {tip, y}},
                       diagram_operator(config_, to.matrix.stage),
                       x + 4 * unit_,
                       x + 4 * unit_ + text_.width_of("c · tanh(S/c)"),
                       y});
  }

  // From what hangs above a result to the one on the left of that.
  void add_back(const PlacedMatrix& from, const PlacedMatrix& to) {
    const float start = from.cells.x - 3 * unit_;
    const float x = start - side_room / 2 * unit_;
    const float tip = to.cells.right() + 3 * unit_;
    const float y = std::floor(to.slot.y + to.slot.height / 4);
    arrows_.push_back({to.matrix.result, {{start, middle_of(from)}, {x, middle_of(from)}, {x, y}, {tip, y}}});
  }

  static float middle_of(const PlacedMatrix& placed) { return std::floor(placed.slot.y + placed.slot.height / 2); }

  const AttentionConfig& config_;
  const DiagramLayout& layout_;
  const DiagramText& text_;
  float unit_;
  Index head_;
  std::vector<DiagramArrow> arrows_;
};

}  // namespace

std::vector<DiagramArrow> diagram_arrows(const AttentionConfig& config, const DiagramLayout& layout,
                                         const DiagramText& text, Index head) {
  return Router(config, layout, text, head).run();
}

}  // namespace attnscope
