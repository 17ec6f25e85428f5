#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "features/performance/panel/performance_text.h"
#include "features/shared/panel/panels.h"
#include "ui/widgets.h"
#include "words/format.h"

namespace attnscope {
namespace {

constexpr std::size_t most_bars = 60;
constexpr float widest_bar = 14;

// The smallest of 1, 2, 5, 10, ... that is not below a time: the upper end of the axis.
double round_time(double seconds) {
  double power = std::pow(10.0, std::floor(std::log10(std::max(seconds, 1e-7))));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= seconds) return step * power;
  }
  return 10 * power;
}

std::string format_tick(double seconds) {
  if (seconds >= 1) return fmt::format("{:g} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:g} ms", seconds * 1e3) : fmt::format("{:g} µs", seconds * 1e6);
}

std::string bar_text(const Performance& performance, const EvaluationRecord& record) {
  return fmt::format("Document change {}\n{}", record.ticket, performance_details(performance, record));
}

// The place of the bars: x and y grow to the right and upwards from the lower left corner.
struct Chart {
  ImVec2 corner_screen;
  ImVec2 size;
  float step = 1;  // from bar to bar
  std::size_t count = 0;

  // The newest stands at the right end.
  float left_of(std::size_t index) const { return corner_screen.x + size.x - static_cast<float>(count - index) * step; }
  int index_at(float x_screen) const {
    const float from_right = corner_screen.x + size.x - x_screen;
    return static_cast<int>(count) - 1 - static_cast<int>(std::floor(from_right / step));
  }
};

void draw_axis(const ViewContext& context, const Chart& chart, double highest) {
  const ImFont* const font = context.fonts.small_text;
  for (const double share : {0.0, 0.5, 1.0}) {
    const float y = chart.corner_screen.y - chart.size.y * static_cast<float>(share);
    stroke_line({chart.corner_screen.x, y}, {chart.corner_screen.x + chart.size.x, y}, {context.theme.inks.border});
    const std::string text = share == 0 ? "0" : format_tick(highest * share);
    const ImVec2 size = text_size(font, text);
    draw_text(font, {chart.corner_screen.x - size.x - 6 * unit(context), y - size.y / 2}, {context.theme.inks.dim_text},
              text);
  }
}

void draw_bars(const ViewContext& context, const Chart& chart, const EvaluationRecord* records, double highest,
               int hovered) {
  const float gap = std::min(2 * unit(context), chart.step / 4);
  for (std::size_t i = 0; i < chart.count; ++i) {
    const auto share = static_cast<float>(records[i].seconds / highest);
    const float height = std::max(unit(context), chart.size.y * share);
    Rgb colour = static_cast<int>(i) == hovered ? context.theme.inks.cross_hair : context.theme.inks.accent;
    fill_box({chart.left_of(i) + gap / 2, chart.corner_screen.y - height},
             {chart.left_of(i) + chart.step - gap / 2, chart.corner_screen.y},
             {colour, records[i].is_whole() ? 1 : 0.45});
  }
}

}  // namespace

void draw_performance_history(const ViewContext& context, float height) {
  const std::vector<EvaluationRecord>& all = context.now.performance->evaluations;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::InvisibleButton("history", {width, height});
  register_item(context, "performance/history");
  if (all.empty()) return;
  Chart chart;
  chart.count = std::min(all.size(), most_bars);
  const EvaluationRecord* const records = all.data() + (all.size() - chart.count);
  const float edge = font_height(context.fonts.small_text) / 2;
  const float axis_width = 54 * unit(context);
  chart.corner_screen = {top.x + axis_width, top.y + height - edge};
  chart.size = {width - axis_width, height - 2 * edge};
  chart.step = std::min(widest_bar * unit(context), chart.size.x / static_cast<float>(chart.count));
  double longest = 0;
  for (std::size_t i = 0; i < chart.count; ++i) longest = std::max(longest, records[i].seconds);
  const int pointed = ImGui::IsItemHovered() ? chart.index_at(ImGui::GetIO().MousePos.x) : -1;
  const int hovered = pointed < static_cast<int>(chart.count) ? pointed : -1;
  draw_axis(context, chart, round_time(longest));
  draw_bars(context, chart, records, round_time(longest), hovered);
  if (hovered >= 0) item_tooltip(context, bar_text(*context.now.performance, records[hovered]));
}

}  // namespace attnscope
