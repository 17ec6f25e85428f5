#include "look/diagram_arrows.h"

#include <algorithm>
#include <cmath>

#include "views/diagram_parts.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float least_gap = 5;  // that heads and corners are of, so that they are seen where all else is close

struct Pen {
  ImDrawList& list;
  ImU32 colour;
  float thickness;
  float gap;
};

void arrow_head(const Pen& pen, ImVec2 tip, ImVec2 along) {
  const ImVec2 across{-along.y, along.x};
  const float length = arrow_head_length * pen.gap;
  const float width = arrow_head_width * pen.gap;
  const ImVec2 foot{tip.x - along.x * length, tip.y - along.y * length};
  pen.list.AddTriangleFilled(tip, {foot.x + across.x * width, foot.y + across.y * width},
                             {foot.x - across.x * width, foot.y - across.y * width}, pen.colour);
}

// From a point towards another one, but no further than half the way.
ImVec2 toward(ImVec2 from, ImVec2 to, float length) {
  const ImVec2 step{to.x - from.x, to.y - from.y};
  const float distance = std::hypot(step.x, step.y);
  const float share = distance > 0 ? std::min(0.5F, length / distance) : 0;
  return {from.x + share * step.x, from.y + share * step.y};
}

void draw_path(const Pen& pen, const DiagramArrow& arrow, ImVec2 origin) {
  // In the middle of pixels, where lines are crisp.
  const auto point = [&](std::size_t i) {
    return ImVec2{origin.x + arrow.points[i].x + 0.5F, origin.y + arrow.points[i].y + 0.5F};
  };
  const std::size_t last = arrow.points.size() - 1;
  const ImVec2 tip = point(last);
  const ImVec2 before = point(last - 1);
  const float length = std::hypot(tip.x - before.x, tip.y - before.y);
  if (last == 1 && length < arrow_head_length * pen.gap) return;
  pen.list.PathLineTo(point(0));
  for (std::size_t i = 1; i < last; ++i) {
    pen.list.PathLineTo(toward(point(i), point(i - 1), arrow_corner * pen.gap));
    pen.list.PathBezierQuadraticCurveTo(point(i), toward(point(i), point(i + 1), arrow_corner * pen.gap));
  }
  const ImVec2 along{(tip.x - before.x) / std::max(length, 1.0F), (tip.y - before.y) / std::max(length, 1.0F)};
  const float head = std::min(arrow_head_length * pen.gap, length);
  pen.list.PathLineTo({tip.x - along.x * head, tip.y - along.y * head});
  pen.list.PathStroke(pen.colour, 0, pen.thickness);
  arrow_head(pen, tip, along);
}

void draw_operator(const ViewContext& context, const DiagramArrow& arrow, ImVec2 origin) {
  const Fonts& fonts = context.fonts;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = origin.x + (arrow.words_left + arrow.words_right) / 2;
  const float gap = 3 * unit(context);
  const auto centred = [&](const ImFont* font, std::string_view text, float top, const ImVec4& colour) {
    const float width = text_size(font, text).x;
    if (width > arrow.words_right - arrow.words_left) return;
    draw_text(list, font, {std::floor(middle - width / 2), top}, to_u32(colour), text);
  };
  const float y = origin.y + arrow.words_y;
  centred(fonts.small_text, arrow.words.sign, y - font_height(fonts.small_text) - gap, context.theme.text);
  centred(fonts.small_text, arrow.words.note, y + gap, context.theme.dim_text);
}

}  // namespace

void draw_diagram_arrows(const ViewContext& context, const DiagramLayout& layout, const DiagramText& text,
                         ImVec2 origin, const StageSet& awaited) {
  const Pen pen{*ImGui::GetWindowDrawList(), with_alpha(context.theme.dim_text, 0.45F),
                std::max(1.0F, 1.3F * unit(context)), std::max(text.gap, least_gap * unit(context))};
  for (const DiagramArrow& arrow : diagram_arrows(context.result()->config, layout, text, context.view.head)) {
    if (awaited.contains(arrow.result)) continue;
    draw_path(pen, arrow, origin);
    draw_operator(context, arrow, origin);
  }
}

}  // namespace attnscope
