#include "views/colour_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "paint_window/text.h"
#include "views/covering.h"
#include "views/format.h"
#include "views/heatmap.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float small_length = 44;
constexpr float compact_length = 24;
constexpr float small_thickness = 8;
constexpr float large_thickness = 14;
constexpr float bar_gap = 4;
constexpr Index unpooled_cells = 256;  // along an axis of a large heatmap: more may be too many for its pixels

ImU32 colour_at(const ColourRange& range, float fraction) {
  const Rgb colour = colour_of(range.map, fraction, 0, 1);
  return IM_COL32(colour.r, colour.g, colour.b, 255);
}

// Of numbers that are to be predicted the bar does not say how large they are.
std::string bar_text(const ViewContext& context, const StageView& view, const ColourRange& range, float value,
                     int decimals) {
  return covers_any(context, view.info->stage) ? "" : bar_number(range, value, decimals);
}

std::string end_text(const ViewContext& context, const StageView& view, const ColourRange& range, float value) {
  return bar_text(context, view, range, value,
                  value == std::round(value) && std::abs(value) < 100 ? 0 : context.view.decimals);
}

// One rectangle per screen unit: the bar shows the map's own steps, not a gradient between a few of them.
void fill_bar(const ColourRange& range, ImVec2 min_screen, ImVec2 max_screen, bool vertical) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float length = vertical ? max_screen.y - min_screen.y : max_screen.x - min_screen.x;
  const int steps = std::max(1, static_cast<int>(length));
  for (int step = 0; step < steps; ++step) {
    const float begin = length * static_cast<float>(step) / static_cast<float>(steps);
    const float end = length * static_cast<float>(step + 1) / static_cast<float>(steps);
    const float fraction = (static_cast<float>(step) + 0.5f) / static_cast<float>(steps);
    if (vertical) {
      list.AddRectFilled({min_screen.x, max_screen.y - end}, {max_screen.x, max_screen.y - begin},
                         colour_at(range, fraction));
    } else {
      list.AddRectFilled({min_screen.x + begin, min_screen.y}, {min_screen.x + end, max_screen.y},
                         colour_at(range, fraction));
    }
  }
}

// Powers of ten are whole.
int tick_count(const ColourRange& range) {
  return range.measure.kind == MeasureKind::logarithm ? 1 + static_cast<int>(range.high - range.low) : 5;
}

bool has_bar(const StageView& view) { return view.info->range != StageRange::boolean; }

struct SmallBar {
  std::string low;   // before the bar
  std::string high;  // after it
  float length = 0;
};

SmallBar small_bar(const ViewContext& context, const StageView& view, bool is_compact) {
  const ColourRange range = range_of(context, view);
  const float length = (is_compact ? compact_length : small_length) * unit(context);
  if (is_compact && range.low == -range.high && !covers_any(context, view.info->stage))
    return {"±" + end_text(context, view, range, range.high), "", length};
  return {end_text(context, view, range, range.low), end_text(context, view, range, range.high), length};
}

std::string range_caption(const ViewContext& context, const StageView& view) {
  const bool is_signed = view.info->range == StageRange::signed_value;
  const RangeMode mode = effective_range(context.result()->config, view.info->stage, context.view.range);
  const std::string_view measure = measure_name(range_of(context, view));
  if (!measure.empty()) return std::string(measure);
  if (mode == RangeMode::fixed && !is_signed) return "fixed range";
  const bool is_own = mode == RangeMode::own;
  const double share = is_own ? view.share() : view.share_of(static_cast<double>(view.summary->matrices.size()));
  return std::string(is_signed ? "± " : "") + (is_own ? "this matrix" : "all heads") + (share < 1 ? ", sampled" : "");
}

}  // namespace

std::string bar_ends(const ViewContext& context, const StageView& view) {
  const ColourRange range = range_of(context, view);
  return fmt::format("{} to {} ({})", end_text(context, view, range, range.low),
                     end_text(context, view, range, range.high), range_caption(context, view));
}

float small_colour_bar_width(const ViewContext& context, const StageView& view, bool is_compact) {
  if (!has_bar(view)) return 0;
  const SmallBar bar = small_bar(context, view, is_compact);
  const ImFont* font = context.fonts.small_text;
  const float low = text_size(font, bar.low).x;
  const float high = bar.high.empty() ? 0 : text_size(font, bar.high).x + bar_gap * unit(context);
  return low + bar_gap * unit(context) + bar.length + high;
}

float draw_small_colour_bar(const ViewContext& context, const StageView& view, bool is_compact, float right,
                            float top) {
  const float width = small_colour_bar_width(context, view, is_compact);
  if (width == 0) return 0;
  const SmallBar bar = small_bar(context, view, is_compact);
  const ImFont* font = context.fonts.small_text;
  const float line = font_height(font);
  const ImU32 ink = to_u32(context.theme.dim_text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float left = right - width;
  draw_text(list, font, {left, top}, ink, bar.low);
  const float bar_left = std::floor(left + text_size(font, bar.low).x + bar_gap * unit(context));
  const float bar_top = std::floor(top + (line - small_thickness * unit(context)) / 2);
  const ImVec2 bar_max{bar_left + bar.length, bar_top + small_thickness * unit(context)};
  fill_bar(range_of(context, view), {bar_left, bar_top}, bar_max, false);
  list.AddRect({bar_left, bar_top}, bar_max, to_u32(context.theme.border));
  draw_text(list, font, {bar_max.x + bar_gap * unit(context), top}, ink, bar.high);
  return width;
}

float colour_bar_width(const ViewContext& context, const StageView& view) {
  if (!has_bar(view)) return 0;
  const ColourRange range = range_of(context, view);
  const ImFont* font = context.fonts.small_text;
  const float numbers =
      std::max(text_size(font, bar_number(range, range.low, 2)).x, text_size(font, bar_number(range, range.high, 2)).x);
  // Room for the longer caption also where nothing is pooled: zooming must not move the heatmap.
  const bool may_pool = view.rows > unpooled_cells || view.cols > unpooled_cells;
  const float caption = text_size(font, may_pool ? "largest of about 16 × 16 cells" : range_caption(context, view)).x;
  return std::max(caption, (large_thickness + 2 * bar_gap) * unit(context) + numbers);
}

void draw_colour_bar(const ViewContext& context, const StageView& view, ImVec2 min_screen, float height,
                     std::string_view pooling) {
  if (!has_bar(view)) return;
  const ColourRange range = range_of(context, view);
  const ImFont* font = context.fonts.small_text;
  const float line = font_height(font);
  const ImVec2 max_screen{min_screen.x + large_thickness * unit(context), min_screen.y + height};
  fill_bar(range, min_screen, max_screen, true);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRect(min_screen, max_screen, to_u32(context.theme.border));
  const int ticks = tick_count(range);
  for (int tick = 0; tick < ticks; ++tick) {
    const float fraction = static_cast<float>(tick) / static_cast<float>(ticks - 1);
    const float y = max_screen.y - fraction * height;
    const float value = range.low + fraction * (range.high - range.low);
    list.AddLine({max_screen.x, y}, {max_screen.x + 3 * unit(context), y}, to_u32(context.theme.dim_text));
    const float text_y = std::clamp(y - line / 2, min_screen.y - 2, max_screen.y - line + 2);
    draw_text(list, font, {max_screen.x + 2 * bar_gap * unit(context), text_y}, to_u32(context.theme.dim_text),
              bar_text(context, view, range, value, 2));
  }
  draw_text(list, font, {min_screen.x, max_screen.y + bar_gap * unit(context)}, to_u32(context.theme.dim_text),
            range_caption(context, view));
  draw_text(list, font, {min_screen.x, min_screen.y - line - bar_gap * unit(context)}, to_u32(context.theme.dim_text),
            pooling);
}

}  // namespace attnscope
