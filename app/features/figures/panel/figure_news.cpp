#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "features/figures/panel/figure_choices.h"
#include "ui/view_context.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float progress_width = 240;
constexpr double millimetres_per_pixel = 25.4 / 96;

// "160 × 112 mm; as PNG 1814 × 1272 pixels"
std::string size_text(const ViewContext& context) {
  const FigurePreview* const preview = context.now.figure.preview.get();
  if (!preview || preview->width <= 0) return " ";
  const double scale = context.now.dialog.figure.options.scale;
  return fmt::format("{} × {} mm; as PNG {} × {} pixels", std::lround(preview->width * millimetres_per_pixel),
                     std::lround(preview->height * millimetres_per_pixel), std::lround(preview->width * scale),
                     std::lround(preview->height * scale));
}

std::string problem_of(const ViewContext& context) {
  if (!context.now.dialog.error.empty()) return context.now.dialog.error;
  if (!context.now.figure.obstacle.empty()) return context.now.figure.obstacle;
  return context.now.figure.preview ? context.now.figure.preview->error : "";
}

// "Drawing frame 3 of 20", and the part of all work that is done.
struct ProgressText {
  std::string text;
  float fraction = 0;
};

ProgressText progress_of(const FigureState::Export& under_way, double seconds) {
  const DrawingProgress& progress = *under_way.progress;
  const std::size_t count = progress.count;
  const std::size_t drawn = progress.drawn;
  const std::size_t computed = progress.computed;
  const auto share = [&](std::size_t done, std::size_t all) {
    return static_cast<float>(done) / static_cast<float>(std::max<std::size_t>(all, 1));
  };
  if (progress.is_of_frames && count > 0) {  // all are computed before the first is drawn
    const bool is_drawing = computed >= count;
    return {fmt::format("{} frame {} of {}", is_drawing ? "Drawing" : "Computing",
                        std::min(is_drawing ? drawn + 1 : computed + 1, count), count),
            share(is_drawing ? drawn : computed, count)};
  }
  const float encoded = progress.encoded;
  if (encoded > 0) return {fmt::format("Writing {}", under_way.name), encoded};
  const std::string waited = fmt::format("{} … {:.0f} s", under_way.name, seconds);
  if (count < 2) return {"Drawing " + waited, -1};
  if (drawn >= count) return {"Writing " + waited, -1};
  return {fmt::format("Drawing matrix {} of {}", drawn + 1, count), share(drawn, count)};
}

void draw_progress(const ViewContext& context) {
  const FigureState::Export& under_way = *context.now.figure.under_way;
  const ProgressText progress = progress_of(under_way, std::max(0.0, ImGui::GetTime() - under_way.since));
  if (progress.fraction >= 0) {
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ImGui::GetStyleColorVec4(ImGuiCol_SliderGrab));
    ImGui::ProgressBar(progress.fraction, {progress_width * unit(context), 0});
    ImGui::PopStyleColor();
    register_item(context, "figure/progress");
    ImGui::SameLine();
  }
  ImGui::TextUnformatted(progress.text.c_str());
}

}  // namespace

void draw_figure_news(const ViewContext& context) {
  const FigureState& figure = context.now.figure;
  const std::string problem = problem_of(context);
  ImGui::AlignTextToFramePadding();
  if (figure.under_way) {
    draw_progress(context);
  } else if (!problem.empty()) {
    warning_text(context, problem);
  } else {
    ImGui::TextUnformatted(figure.said.empty() ? size_text(context).c_str() : figure.said.c_str());
  }
}

float figure_news_height(const ViewContext& context) {
  const std::string problem = context.now.figure.under_way ? "" : problem_of(context);
  const float text = ImGui::CalcTextSize(problem.c_str(), nullptr, false, ImGui::GetContentRegionAvail().x).y;
  const ImGuiStyle& style = ImGui::GetStyle();
  return std::max(ImGui::GetFrameHeight(), text + style.FramePadding.y) + style.ItemSpacing.y;
}

}  // namespace attnscope
