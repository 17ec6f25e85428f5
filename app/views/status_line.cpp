#include <fmt/format.h>

#include <string>
#include <vector>

#include "views/format.h"
#include "views/panels.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

// "x (2, 6, 3) → Q, K, V (2, 2, 6, 1) → ...": the shapes of one evaluation, in the order of the data.
std::vector<std::string> shape_steps(const Result& result) {
  static constexpr struct {
    Stage stage;
    const char* name;
  } steps[] = {{Stage::inputs, "x"},        {Stage::queries, "Q, K, V"},
               {Stage::scores, "scores"},   {Stage::head_context, "per head"},
               {Stage::context, "context"}, {Stage::output, "output"}};
  std::vector<std::string> texts;
  for (const auto& step : steps) {
    if (!has(result, step.stage)) continue;
    texts.push_back(fmt::format("{} {}", step.name, format_shape(stage_shape(result.config, step.stage))));
  }
  return texts;
}

}  // namespace

void draw_status_line(const ViewContext& context, CommandQueue&) {
  push_font(context.fonts.small_text);
  const bool has_message = !context.messages.empty();
  const std::string message = has_message ? context.messages.back().text : std::string();
  const float width = ImGui::GetContentRegionAvail().x;
  const float start = ImGui::GetCursorPosX();
  float shapes_width = 0;
  if (context.result()) {
    const std::string shapes = fmt::format("{}", fmt::join(shape_steps(*context.result()), "  →  "));
    const float message_width = has_message ? text_size(context.fonts.small_text, message).x : 0;
    const float room = std::max(width * 0.4f, width - message_width - 24 * unit(context));
    const std::string fitted = fit_text(context.fonts.small_text, shapes, room);
    shapes_width = text_size(context.fonts.small_text, fitted).x;
    ImGui::TextDisabled("%s", fitted.c_str());
    register_item(context, "status/shapes");
  }
  if (has_message) {
    const float room = width - shapes_width - 24 * unit(context);
    const std::string fitted = fit_text(context.fonts.small_text, message, room);
    ImGui::SameLine(start + width - text_size(context.fonts.small_text, fitted).x);
    const ImVec4 colour = context.messages.back().is_error ? context.theme.warning : context.theme.text;
    ImGui::TextColored(colour, "%s", fitted.c_str());
    register_item(context, "status/message");
    if (fitted != message) item_tooltip(message);
  }
  ImGui::PopFont();
}

}  // namespace attnscope
