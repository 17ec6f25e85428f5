#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "views/diagram_parts.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float head_length = 7;
constexpr float head_width = 4;
constexpr float corner_radius = 8;
constexpr float lane_width = 5;  // arrows side by side
constexpr float side_room = 16;  // before a matrix that an arrow comes round into

struct Pen {
  ImDrawList& list;
  ImU32 colour;
  float thickness;
  float scale;
};

void arrow_head(const Pen& pen, ImVec2 tip, ImVec2 along) {
  const ImVec2 across{-along.y, along.x};
  const float length = head_length * pen.scale;
  const float width = head_width * pen.scale;
  const ImVec2 foot{tip.x - along.x * length, tip.y - along.y * length};
  pen.list.AddTriangleFilled(tip, {foot.x + across.x * width, foot.y + across.y * width},
                             {foot.x - across.x * width, foot.y - across.y * width}, pen.colour);
}

void level_arrow(const Pen& pen, float from, float to, float y) {
  if (to - from < head_length * pen.scale) return;
  pen.list.AddLine({from, y}, {to - head_length * pen.scale, y}, pen.colour, pen.thickness);
  arrow_head(pen, {to, y}, {1, 0});
}

// Along these points, corners rounded; the last piece decides where the head points.
void routed_arrow(const Pen& pen, std::initializer_list<ImVec2> points) {
  const std::vector<ImVec2> path(points);
  const float radius = corner_radius * pen.scale;
  const auto toward = [](ImVec2 from, ImVec2 to, float length) {
    const ImVec2 step{to.x - from.x, to.y - from.y};
    const float distance = std::hypot(step.x, step.y);
    const float share = distance > 0 ? std::min(0.5F, length / distance) : 0;
    return ImVec2{from.x + share * step.x, from.y + share * step.y};
  };
  const ImVec2 tip = path.back();
  const ImVec2 before = path[path.size() - 2];
  const ImVec2 end = toward(tip, before, head_length * pen.scale);
  pen.list.PathLineTo(path.front());
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    pen.list.PathLineTo(toward(path[i], path[i - 1], radius));
    pen.list.PathBezierQuadraticCurveTo(path[i], toward(path[i], path[i + 1], radius));
  }
  pen.list.PathLineTo(end);
  pen.list.PathStroke(pen.colour, 0, pen.thickness);
  const float length = std::max(std::hypot(tip.x - before.x, tip.y - before.y), 1.0F);
  arrow_head(pen, tip, {(tip.x - before.x) / length, (tip.y - before.y) / length});
}

// What a band hands down leaves below its matrix and goes along the line between the bands.
struct Descent {
  ImVec2 start;
  float level = 0;
};

Descent descent(const ViewContext& context, const DiagramLayout& layout, const PlacedMatrix& from, ImVec2 origin,
                float lane) {
  const PlacedBand& band = layout.bands[static_cast<std::size_t>(info(from.matrix.stage).place.band)];
  DiagramBox cells = from.cells;
  if (from.matrix.shows_all_heads) {  // of the head that is looked at
    const auto heads = static_cast<float>(head_count(context.result()->config));
    const float head = std::min(static_cast<float>(context.view.head), heads - 1);
    cells.width /= heads;
    cells.x += head * cells.width;
  }
  const float bottom = origin.y + band.y + band.height;
  return {{std::floor(origin.x + cells.x + cells.width / 2), origin.y + cells.bottom() + 2},
          std::floor(bottom - (6 + lane_width * lane) * unit(context))};
}

// Of a result with its operands.
float top_of_stack(const DiagramLayout& layout, const PlacedMatrix& result) {
  float top = result.header.y;
  for (const PlacedMatrix& each : layout.matrices) {
    if (each.matrix.result == result.matrix.stage && each.matrix.is_present) top = std::min(top, each.header.y);
  }
  return top;
}

void arrow_from_above(const ViewContext& context, const Pen& pen, const DiagramLayout& layout, const PlacedMatrix& from,
                      const PlacedMatrix& to, ImVec2 origin, float lane) {
  const Descent way = descent(context, layout, from, origin, lane);
  // From above into what has no operand there, and where a band begins, beside which there are the tokens' names.
  const bool begins_band = info(to.matrix.result).place.column == 0;
  if (to.matrix.role != DiagramRole::result || begins_band) {
    const float x = std::floor(origin.x + to.cells.x + to.cells.width / 2);
    const float top = begins_band ? top_of_stack(layout, to) : to.header.y;
    routed_arrow(pen, {way.start, {way.start.x, way.level}, {x, way.level}, {x, origin.y + top - 1}});
    return;
  }
  // Into its side: above it stands the right-hand operand.
  const float tip = origin.x + to.cells.x - 3 * pen.scale;
  const float x = tip - side_room * pen.scale;
  const float y = std::floor(origin.y + to.slot.y + to.slot.height / 2);
  routed_arrow(pen, {way.start, {way.start.x, way.level}, {x, way.level}, {x, y}, {tip, y}});
}

bool is_level(const PlacedMatrix& from, const PlacedMatrix& to) {
  const StagePlace& left = info(from.matrix.result).place;
  const StagePlace& right = info(to.matrix.result).place;
  return left.band == right.band && !left.is_above && !right.is_above && from.slot.x < to.slot.x;
}

// Results, the left-hand operand of the scores, and the keys above them. Arrows into keys and values would cross the
// queries: that they come from the inputs is seen in the row that all of them share.
bool receives_arrow(const PlacedMatrix& placed) {
  const StageInfo& stage = info(placed.matrix.stage);
  if (placed.matrix.role == DiagramRole::left) return true;
  if (placed.matrix.role == DiagramRole::above) return info(placed.matrix.result).rule == CellRule::query_times_key;
  return placed.matrix.role == DiagramRole::result && stage.rule != CellRule::start;
}

// Where the numbers of a result come from on the screen: of scores, the queries beside them.
const PlacedMatrix* source_of(const AttentionConfig& config, const DiagramLayout& layout, const PlacedMatrix& result) {
  if (result.matrix.role != DiagramRole::result) return layout.result(result.matrix.stage);
  if (info(result.matrix.stage).rule == CellRule::query_times_key) {
    const auto left = std::ranges::find(layout.matrices, DiagramRole::left,
                                        [](const PlacedMatrix& each) { return each.matrix.role; });
    return left == layout.matrices.end() ? nullptr : &*left;
  }
  return layout.result(diagram_source(config, result.matrix.stage));
}

void draw_operator(const ViewContext& context, const DiagramOperator& words, float left, float right, float y) {
  const Fonts& fonts = context.fonts;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = (left + right) / 2;
  const float gap = 3 * unit(context);
  const auto centred = [&](const ImFont* font, std::string_view text, float top, const ImVec4& colour) {
    const float width = text_size(font, text).x;
    if (width <= right - left) draw_text(list, font, {std::floor(middle - width / 2), top}, to_u32(colour), text);
  };
  centred(fonts.small_text, words.sign, y - font_height(fonts.small_text) - gap, context.theme.text);
  centred(fonts.small_text, words.note, y + gap, context.theme.dim_text);
}

void draw_level(const ViewContext& context, const Pen& pen, const PlacedMatrix& from, const PlacedMatrix& to,
                ImVec2 origin) {
  const float gap = 4 * unit(context);
  const bool has_sums = info(from.matrix.stage).range == StageRange::probability;
  const float sums = has_sums ? text_size(context.fonts.small_text, "0.00").x + gap : 0;
  const float start = origin.x + from.cells.right() + gap + sums;
  const float end = origin.x + to.cells.x - gap;
  const float y = std::floor(origin.y + to.slot.y + to.slot.height / 2);
  level_arrow(pen, start, end, y);
  const float room = std::min(end - start, text_size(context.fonts.small_text, "along the row").x);
  draw_operator(context, diagram_operator(context.result()->config, to.matrix.stage), end - room, end, y);
}

// Past what stands between: below the cells, and up into the side.
void draw_beneath(const ViewContext& context, const Pen& pen, const PlacedMatrix& from, const PlacedMatrix& to,
                  ImVec2 origin) {
  const float tip = origin.x + to.cells.x - 3 * pen.scale;
  const float x = tip - side_room * pen.scale;
  const float y = std::floor(origin.y + to.slot.y + to.slot.height / 2);
  const float start = std::floor(origin.x + from.cells.x + from.cells.width / 2);
  const float level = std::floor(origin.y + from.cells.bottom() + lane_width * pen.scale);
  routed_arrow(pen, {{start, level - 3 * pen.scale}, {start, level}, {x, level}, {x, y}, {tip, y}});
  draw_operator(context, diagram_operator(context.result()->config, to.matrix.stage), x - side_room, tip, y);
}

bool is_something_between(const DiagramLayout& layout, const PlacedMatrix& from, const PlacedMatrix& to) {
  return std::ranges::any_of(layout.matrices, [&](const PlacedMatrix& each) {
    return each.matrix.is_present && is_level(from, each) && is_level(each, to) &&
           each.matrix.role == DiagramRole::result;
  });
}

}  // namespace

void draw_diagram_arrows(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin) {
  const AttentionConfig& config = context.result()->config;
  const Pen pen{*ImGui::GetWindowDrawList(), with_alpha(context.theme.dim_text, 0.45F),
                std::max(1.0F, 1.3F * unit(context)), unit(context)};
  for (const PlacedMatrix& placed : layout.matrices) {
    if (!placed.matrix.is_present || !receives_arrow(placed)) continue;
    const PlacedMatrix* const from = source_of(config, layout, placed);
    if (!from || from == &placed || !from->matrix.is_present) continue;
    if (is_level(*from, placed) && !is_something_between(layout, *from, placed)) {
      draw_level(context, pen, *from, placed, origin);
    } else if (is_level(*from, placed)) {
      draw_beneath(context, pen, *from, placed, origin);
    } else if (info(from->matrix.stage).place.band != info(placed.matrix.result).place.band) {
      const bool is_keys = placed.matrix.role == DiagramRole::above;
      arrow_from_above(context, pen, layout, *from, placed, origin, is_keys ? 1 : 0);
    }
  }
}

}  // namespace attnscope
