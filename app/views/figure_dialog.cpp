#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "figure/figure_painter.h"
#include "figure/stage_look.h"
#include "views/dialog.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float choices_width = 290;
constexpr std::size_t typed_bytes = 2000;

bool choose(const ViewContext& context, const std::string& name, const char* label, bool is_chosen) {
  return choice_button(context, name, label, is_chosen);
}

// Pipeline, or one of the stages that the document has.
void draw_stage(const ViewContext& context, FigureOptions& options) {
  const std::string shown = options.stage ? std::string(info(*options.stage).title) : "pipeline";
  begin_row(context, "stage");
  ImGui::SetNextItemWidth(-1);
  const bool is_open = ImGui::BeginCombo("##stage", shown.c_str());
  end_row(context, "figure/stage");
  if (!is_open) return;
  if (ImGui::Selectable("pipeline", !options.stage)) {
    options.stage.reset();
    options.head = options.head.value_or(0);
  }
  for (const StageInfo& stage : stages()) {
    if (!has(*context.result(), stage.stage)) continue;
    if (ImGui::Selectable(std::string(stage.title).c_str(), options.stage == stage.stage)) options.stage = stage.stage;
    register_item(context, fmt::format("figure/stage/{}", stage.id));
  }
  ImGui::EndCombo();
}

void draw_head(const ViewContext& context, FigureOptions& options) {
  const auto heads = static_cast<int>(head_count(context.result()->config));
  const std::string reason = heads == 1 ? "This mechanism has one head." : "";
  begin_row(context, "head", reason);
  const bool can_be_all = options.stage.has_value();
  int number = static_cast<int>(options.head.value_or(-1)) + 1;
  const std::string shown = number == 0 ? "all" : fmt::format("{} of {}", number, heads);
  ImGui::SetNextItemWidth(-1);
  if (step_slider("##head", number, can_be_all ? 0 : 1, std::max(heads, 1), shown.c_str())) {
    options.head = number == 0 ? std::nullopt : std::optional<Index>(number - 1);
  }
  end_row(context, "figure/head", reason, can_be_all ? "All heads at the left end" : "");
}

void draw_size(const ViewContext& context, FigureOptions& options) {
  begin_row(context, "width");
  const bool is_metric = options.width.unit == LengthUnit::millimetres;
  const WidthBounds bounds = width_bounds(options.width.unit);
  ImGui::SetNextItemWidth(80 * unit(context));
  if (ImGui::InputDouble("##width", &options.width.length, 0, 0, "%.0f"))
    options.width.length = std::clamp(options.width.length, bounds.smallest, bounds.largest);
  end_row(context, "figure/width");
  ImGui::SameLine();
  if (choose(context, "figure/mm", "mm", is_metric) && !is_metric) options.width = {};
  ImGui::SameLine(0, 0);
  if (choose(context, "figure/px", "px", !is_metric) && is_metric) options.width = {1200, LengthUnit::pixels};
  begin_row(context, "scale");
  int scale = static_cast<int>(options.scale);
  ImGui::SetNextItemWidth(-1);
  if (step_slider("##scale", scale, 1, static_cast<int>(largest_scale), "%.0f ×")) options.scale = scale;
  end_row(context, "figure/scale", {}, "Pixels of a PNG for each of 1/96 inch");
  begin_row(context, "font size");
  int points = static_cast<int>(options.font_size);
  ImGui::SetNextItemWidth(-1);
  if (step_slider("##font", points, static_cast<int>(smallest_font), 24, "%.0f pt")) options.font_size = points;
  end_row(context, "figure/font");
}

void draw_colours(const ViewContext& context, FigureOptions& options) {
  begin_row(context, "background");
  if (choose(context, "figure/light", "light", options.theme == FigureTheme::light)) options.theme = FigureTheme::light;
  ImGui::SameLine(0, 0);
  if (choose(context, "figure/dark", "dark", options.theme == FigureTheme::dark)) options.theme = FigureTheme::dark;
  ImGui::SameLine(0, 0);
  if (choose(context, "figure/none", "none", options.theme == FigureTheme::transparent))
    options.theme = FigureTheme::transparent;
  end_row(context, "figure/theme");
  begin_row(context, "range");
  if (choose(context, "figure/standard", "standard", options.range == RangeMode::standard))
    options.range = RangeMode::standard;
  ImGui::SameLine(0, 0);
  if (choose(context, "figure/shared", "shared", options.range == RangeMode::shared)) options.range = RangeMode::shared;
  ImGui::SameLine(0, 0);
  if (choose(context, "figure/own", "own", options.range == RangeMode::own)) options.range = RangeMode::own;
  end_row(context, "figure/range");
}

void draw_numbers(const ViewContext& context, FigureOptions& options) {
  begin_row(context, "decimals");
  int decimals = options.decimals.value_or(-1);
  ImGui::SetNextItemWidth(-1);
  const std::string shown = decimals < 0 ? "no numbers" : std::to_string(decimals);
  if (step_slider("##decimals", decimals, -1, most_decimals, shown.c_str()))
    options.decimals = decimals < 0 ? std::nullopt : std::optional<int>(decimals);
  end_row(context, "figure/decimals");
  begin_row(context, "row sums");
  const Stage stage = options.stage.value_or(Stage::scores);
  bool has_sums = options.row_sums.value_or(options.head && sums_to_one(stage));
  if (ImGui::Checkbox("##sums", &has_sums)) options.row_sums = has_sums;
  end_row(context, "figure/sums");
}

void draw_text_field(const ViewContext& context, const char* label, const char* id, std::string& text) {
  begin_row(context, label);
  std::string typed = text;
  typed.resize(std::max(typed.size() + 1, typed_bytes));
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputText(id, typed.data(), typed.size())) text = typed.c_str();
  end_row(context, fmt::format("figure/{}", label));
}

void draw_preview(const ViewContext& context, CommandQueue& queue, ImVec2 size) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, {min.x + size.x, min.y + size.y}, to_u32(context.theme.window), 6 * unit(context));
  const float margin = 10 * unit(context);
  const float pixels = ImGui::GetIO().DisplayFramebufferScale.x;
  const ImVec2 room{(size.x - 2 * margin) * pixels, (size.y - 2 * margin) * pixels};
  if (room.x > 0 && room.y > 0 && (context.dialog.preview_width != room.x || context.dialog.preview_height != room.y)) {
    queue.push_back(UpdateDialog{[room](DialogState& state) {
      state.preview_width = room.x;
      state.preview_height = room.y;
    }});
  }
  const PaintedFigure* const figure = context.figure.get();
  if (figure && figure->error.empty()) {
    const ImVec2 shown{static_cast<float>(figure->image.width) / pixels,
                       static_cast<float>(figure->image.height) / pixels};
    const ImVec2 at{std::floor(min.x + (size.x - shown.x) / 2), std::floor(min.y + (size.y - shown.y) / 2)};
    const ImVec2 end{at.x + shown.x, at.y + shown.y};
    if (figure->job.options.theme == FigureTheme::transparent) list.AddRectFilled(at, end, to_u32(context.theme.card));
    if (context.heatmaps)
      context.heatmaps->draw_image(
          list, {figure->image.width, figure->image.height, figure->image.pixels.data(), context.figure}, at, end);
  }
  ImGui::Dummy(size);
  register_item(context, "figure/preview");
}

void draw_choices(const ViewContext& context, CommandQueue& queue) {
  FigureOptions options = context.dialog.figure;
  draw_stage(context, options);
  draw_head(context, options);
  draw_size(context, options);
  draw_colours(context, options);
  draw_numbers(context, options);
  draw_text_field(context, "title", "##title", options.title);
  draw_text_field(context, "caption", "##caption", options.caption);
  if (options == context.dialog.figure) return;
  queue.push_back(UpdateDialog{[options](DialogState& state) {
    state.figure = options;
    state.error.clear();
  }});
}

}  // namespace

void draw_figure_dialog(const ViewContext& context, CommandQueue& queue) {
  if (!context.result()) return;
  const float footer = 2 * ImGui::GetFrameHeightWithSpacing();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::BeginChild("choices", {choices_width * unit(context), room.y - footer});
  draw_choices(context, queue);
  const std::string problem = !context.dialog.error.empty() ? context.dialog.error
                              : context.figure              ? context.figure->error
                                                            : "";
  if (!problem.empty()) warning_text(context, problem);
  ImGui::EndChild();
  ImGui::SameLine();
  draw_preview(context, queue, {ImGui::GetContentRegionAvail().x, room.y - footer});
  std::string name = context.dialog.name;
  name.resize(name.size() + 1024);
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint("##name", "File name or path: .png, .svg or .pdf", name.data(), name.size())) {
    queue.push_back(UpdateDialog{[text = std::string(name.c_str())](DialogState& state) {
      state.name = text;
      state.error.clear();
    }});
  }
  register_item(context, "dialog/name");
  if (push_button(context, "dialog/accept", "Export")) queue.push_back(ExportFigure{});
  ImGui::SameLine();
  if (push_button(context, "dialog/cancel", "Cancel")) queue.push_back(CloseDialog{});
  ImGui::SameLine();
  dim_text(context, context.dialog.folder.string());
}

}  // namespace attnscope
