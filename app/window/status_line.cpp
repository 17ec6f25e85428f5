#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/model/transformer.h"
#include "core/results.h"
#include "core/text.h"
#include "features/files/reading_controller.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_sheet.h"
#include "ui/widgets.h"
#include "view/number_words.h"

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
    std::vector<Index> shape = stage_shape(result.config, step.stage);
    const MechanismInfo& mechanism = info(result.config.mechanism);
    if (shape.size() > 3 && !mechanism.has_heads) shape.erase(shape.begin() + 1);  // its class has no axis of heads
    if (!mechanism.has_dropout && result.config.batch_size == 1) shape.erase(shape.begin());  // nor a batch
    texts.push_back(fmt::format("{} {}", step.name, format_shape(shape)));
  }
  return texts;
}

// "attention.npy (12, 12, 64, 64) float16 → layer 3 of 12 → weights (1, 12, 64, 64)".
std::vector<std::string> viewing_steps(const ImportedView& viewing, const Result& result) {
  std::vector<std::string> texts = {
      fmt::format("{} {} {}", shown_path(viewing.file.filename()), viewing.shape, viewing.number_type)};
  if (viewing.layers > 1) texts.push_back(fmt::format("layer {} of {}", viewing.layer + 1, viewing.layers));
  if (result.imported) {
    const Stage stage = result.imported->stage;
    texts.push_back(fmt::format("{} {}", info(stage).title, format_shape(stage_shape(result.config, stage))));
  }
  return texts;
}

std::string computing(float progress) {
  return fmt::format("computing, {:.0f} % done", static_cast<double>(progress) * 100);
}

std::string_view instruction_set_title(std::string_view set) {
  if (set == "avx512") return "AVX-512";
  if (set == "avx2") return "AVX2";
  return set == "sse2" ? "SSE2" : "portable code";
}

// "59.50 ms · 2 threads · AVX-512", or the time alone where there is little room.
std::string time_text(const Result& result, const std::function<bool(const std::string&)>& fits) {
  const std::string time = format_duration(result.seconds);
  const std::string threads =
      result.backend == Backend::serial || result.threads == 1 ? "1 thread" : fmt::format("{} threads", result.threads);
  const std::string whole = fmt::format("{} · {} · {}", time, threads, instruction_set_title(result.instruction_set));
  return fits(whole) ? whole : fits(time) ? time : "";
}

// Returns what is being read, how far the evaluation under way has come, or how long the last one took.
std::string progress_text(const ViewContext& context, float room) {
  const auto fits = [&](const std::string& text) { return text_size(context.fonts.small_text, text).x <= room; };
  if (!context.now.reading.empty()) return context.now.reading;
  if (context.now.progress) return fits(computing(1)) ? computing(*context.now.progress) : "";
  if (!context.now.view.show_timing) return "";  // a picture of a document has no clock in it
  const Result* const result = context.now.result();
  return result && !result->instruction_set.empty() ? time_text(*result, fits) : "";
}

// The texts of the line, cut to their room. Shapes stand on the left, progress on the right, the message before it.
struct Texts {
  std::string shapes;
  std::string message;
  std::string progress;
};

// Gives room to the message first, then to the time of the evaluation, the shapes, and threads and instruction set.
Texts fit(const ViewContext& context, const Texts& whole, float width, float gap) {
  const ImFont* const font = context.fonts.small_text;
  const auto room_of = [&](const std::string& text) { return text.empty() ? 0 : text_size(font, text).x + gap; };
  const float shapes = room_of(whole.shapes);
  const float message = room_of(whole.message);
  const float least_shapes = whole.message.empty() ? shapes : std::min(shapes, 0.4f * width);
  Texts fitted;
  fitted.progress = progress_text(context, std::max(width - least_shapes - message, text_size(font, "000.00 ms").x));
  const float room = width - room_of(fitted.progress);  // room for shapes and message
  fitted.shapes = fit_text(font, whole.shapes, std::max(0.4f * room, room - message));
  if (!whole.message.empty()) fitted.message = fit_text(font, whole.message, room - room_of(fitted.shapes));
  return fitted;
}

// `right` is where the text ends, from the beginning of the line.
void draw_part(const ViewContext& context, float right, std::string_view name, const std::string& text, Rgb colour) {
  ImGui::SameLine(right - text_size(context.fonts.small_text, text).x);
  ImGui::TextColored(to_vec4(colour), "%s", text.c_str());
  register_item(context, name);
}

float stop_width(const ViewContext& context) {
  if (context.now.reading.empty()) return 0;
  return text_size(context.fonts.small_text, "Stop").x + 4 * ImGui::GetStyle().FramePadding.x;
}

// A button at the end of the line that stops the reading of a file. Returns where the text before it must end.
float draw_stop(const ViewContext& context, CallQueue& queue, float right) {
  if (context.now.reading.empty()) return right;
  const float width = stop_width(context);
  ImGui::SameLine(right - width + 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::SmallButton("Stop")) queue.push([](const Controllers& to) { to.reading.stop_and_say(); });
  register_item(context, "status/stop");
  item_tooltip(context, "The last picture stays.");
  return right - width;
}

// Returns the layer of a trained model that the shapes belong to.
std::string layer_words(const ViewContext& context) {
  const auto* const model = std::get_if<ModelInputs>(&context.now.document.config.inputs);
  if (!model) return {};
  if (context.now.view.mode == ViewMode::model) return "each layer:  ";
  const std::string name = bracketed_name(context.now.document.config, context.now.view.head);
  return fmt::format("layer {} of {}{}:  ", model->layer + 1, model->model->shape.layers,
                     name.empty() ? "" : fmt::format(", head {}{}", context.now.view.head + 1, name));
}

}  // namespace

void draw_status_line(const ViewContext& context, CallQueue& queue) {
  push_font(context.fonts.small_text);
  const float gap = 24 * unit(context);
  const float line = ImGui::GetWindowWidth() - 2 * ImGui::GetCursorPosX();
  const float legend = mark_legend_width(context);
  const float width = legend > 0 ? line - legend - gap : line;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  Texts whole;
  if (context.now.result()) {
    const std::vector<std::string> steps = context.now.viewing
                                               ? viewing_steps(*context.now.viewing, *context.now.result())
                                               : shape_steps(*context.now.result());
    whole.shapes = fmt::format("{}{}", layer_words(context), fmt::join(steps, " → "));
  }
  if (!context.now.messages.empty()) whole.message = context.now.messages.back().text;
  const Texts fitted = fit(context, whole, width - stop_width(context), gap);

  ImGui::TextDisabled("%s", fitted.shapes.c_str());
  register_item(context, "status/shapes");
  if (fitted.shapes != whole.shapes) item_tooltip(context, whole.shapes);
  float right = draw_stop(context, queue, width);
  if (!fitted.progress.empty()) {
    draw_part(context, right, "status/progress", fitted.progress, context.theme.inks.dim_text);
    right -= text_size(context.fonts.small_text, fitted.progress).x + gap;
  }
  if (!whole.message.empty()) {
    const bool is_error = context.now.messages.back().is_error;
    draw_part(context, right, "status/message", fitted.message,
              is_error ? context.theme.inks.warning : context.theme.inks.text);
    if (fitted.message != whole.message) item_tooltip(context, whole.message);
  }
  if (legend > 0) {
    draw_mark_legend(context, {start.x + line - legend, start.y});
    register_part(context, "status/marks", {start.x + line - legend, start.y},
                  {start.x + line, start.y + font_height(context.fonts.small_text)});
  }
  ImGui::PopFont();
}

}  // namespace attnscope
