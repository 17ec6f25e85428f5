#include "views/stage_card.h"

#include <algorithm>
#include <cmath>

#include "paint_window/text.h"
#include "views/axis_labels.h"
#include "views/colour_bar.h"
#include "views/format.h"
#include "views/heatmap.h"
#include "views/study_questions.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr Index most_enlarged = 64;  // tokens whose names are written larger
constexpr float tall_line = 3;       // cells that are so many lines high: of a step up in the size of text
constexpr float card_padding = 8;
constexpr float header_gap = 4;
constexpr float accent_width = 3;
constexpr float rounding = 6;
constexpr float most_of_few = 3.6f;  // from a cell's height to its width, or back: numbers are wider than high
constexpr float most_of_many = 1.9f;

float header_height(const ViewContext& context, const CardSpec& spec) {
  const float lines = font_height(context.fonts.heading) + font_height(context.fonts.small_text);
  const float pytorch = spec.is_large ? font_height(context.fonts.code) + header_gap * unit(context) : 0;
  return lines + pytorch + header_gap * unit(context);
}

float cell_width(const CardSpec& spec) { return spec.heat_size.x / static_cast<float>(spec.stage.cols); }

std::string title_of(const CardSpec& spec) {
  if (!spec.is_titled_by_head) return std::string(spec.stage.info->title);
  const bool is_head_off = is_off(spec.stage.result->config, spec.stage.head);
  return "Head " + std::to_string(spec.stage.head + 1) + (is_head_off ? " (off)" : "");
}

// Where the card's heatmap lies when it begins at `min_screen`.
CellGrid grid_of(const ViewContext& context, const CardSpec& spec, ImVec2 min_screen) {
  return cell_grid(context, spec.stage, min_screen, {min_screen.x + spec.heat_size.x, min_screen.y + spec.heat_size.y});
}

std::string second_line(const ViewContext& context, const CardSpec& spec) {
  const std::string pooling = spec.is_large ? "" : pooling_text(context, grid_of(context, spec, {}));
  if (!pooling.empty()) return pooling;
  const bool is_zero =
      spec.stage.info->stage == Stage::head_context && is_off(context.result()->config, spec.stage.head);
  if (is_zero) return "0: this head is switched off";
  const std::string formula = wording(*context.result(), spec.stage.info->stage).formula;
  const std::string shapes = spec.is_large && !context.result()->external
                                 ? product_shapes(context.result()->config, spec.stage.info->stage)
                                 : "";
  return shapes.empty() ? formula : formula + "    " + shapes;
}

std::string widget_name(const CardSpec& spec) {
  std::string name = "stages/" + std::string(spec.stage.info->id);
  if (spec.is_titled_by_head) name += "/" + std::to_string(spec.stage.head);
  return name;
}

// Title and shape on the first line, formula and colour bar on the second.
void draw_header(const ViewContext& context, CommandQueue& queue, const CardSpec& spec, ImVec2 pos, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Fonts& fonts = context.fonts;
  const ImU32 dim = to_u32(context.theme.dim_text);
  const std::string title = title_of(spec);
  draw_text(list, fonts.heading, pos, to_u32(context.theme.text), title);
  const std::string shape = format_shape(spec.stage.shape);
  const float shape_width = text_size(fonts.small_text, shape).x;
  const float heading = font_height(fonts.heading);
  const float small = font_height(fonts.small_text);
  const float title_width = text_size(fonts.heading, title).x;
  const float small_top = pos.y + heading - small - 1;
  const bool has_shape = title_width + shape_width + 6 * unit(context) <= width;
  if (has_shape) draw_text(list, fonts.small_text, {pos.x + width - shape_width, small_top}, dim, shape);
  const ReaderQuestion* const question = question_at(spec.stage.info->stage);
  if (question && title_width + why_width(context) + (has_shape ? shape_width : 0) <= width)
    draw_why(context, queue, *question, widget_name(spec).substr(std::string_view("stages/").size()),
             {pos.x + title_width, small_top});
  const float second = pos.y + heading;
  const float bar = spec.is_large ? 0 : draw_small_colour_bar(context, spec.stage, false, pos.x + width, second);
  const std::string formula = second_line(context, spec);
  if (spec.is_large || text_size(fonts.small_text, formula).x <= width - bar - 8 * unit(context)) {
    draw_text(list, fonts.small_text, {pos.x, second}, dim, formula);
  }
  if (spec.is_large) {
    const std::string line(wording(*context.result(), spec.stage.info->stage).pytorch);
    const ImFont* const font = text_size(fonts.code, line).x <= width ? fonts.code : fonts.number;
    draw_text(list, font, {pos.x, second + small + header_gap * unit(context)}, dim, line);
  }
}

void header_tooltip(const ViewContext& context, const CardSpec& spec, ImVec2 min_screen, float width) {
  const ImVec2 max_screen{min_screen.x + width, min_screen.y + header_height(context, spec)};
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(min_screen, max_screen)) return;
  const StageInfo& stage = *spec.stage.info;
  ImGui::BeginTooltip();
  constexpr float share = 0.9f;  // of the window: formulas stay on one line where there is room
  ImGui::PushTextWrapPos(share * ImGui::GetIO().DisplaySize.x);
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(std::string(stage.title).c_str());
  ImGui::PopFont();
  const StageWording words = wording(*context.result(), stage.stage);
  ImGui::TextUnformatted(std::string(words.formula).c_str());
  push_font(context.fonts.number);
  ImGui::TextUnformatted(std::string(words.pytorch).c_str());
  ImGui::TextUnformatted((shape_letters(context.result()->config, stage.stage) + " = " + format_shape(spec.stage.shape)).c_str());
  ImGui::PopFont();
  if (const std::string pooling = pooling_text(context, grid_of(context, spec, {})); !pooling.empty()) {
    ImGui::TextUnformatted(("A point shows the " + pooling + ".").c_str());
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void draw_frame(const ViewContext& context, const CardSpec& spec, ImVec2 min_screen, ImVec2 max_screen) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float radius = rounding * unit(context);
  const bool coloured =
      is_per_head(context.result()->config, spec.stage.info->stage) && head_count(context.result()->config) > 1;
  const ImU32 card = to_u32(context.theme.card);
  if (coloured) {
    // The head's colour shows as a strip at the left, inside the rounded corners.
    const ImU32 colour = to_u32(head_colour(static_cast<long>(spec.stage.head), context.theme.dark));
    list.AddRectFilled(min_screen, max_screen, colour, radius);
    list.AddRectFilled({min_screen.x + accent_width * unit(context), min_screen.y}, max_screen, card, radius,
                       ImDrawFlags_RoundCornersRight);
  } else {
    list.AddRectFilled(min_screen, max_screen, card, radius);
  }
  list.AddRect(min_screen, max_screen, to_u32(context.theme.border), radius);
}

}  // namespace

CardSpec make_card(const ViewContext& context, const StageView& view) {
  CardSpec card;
  card.stage = view;
  const bool has_sums = view.share() == 1;  // else few of them are ever known
  card.sum_width = has_sums ? row_sum_width(context, view) : 0;
  return card;
}

ImVec2 shaped_heat(const StageView& view, ImVec2 room) {
  const bool is_few = view.rows <= few_tokens;
  if (!is_few && !is_query_by_key(view.info->axes)) return room;  // many tokens of few features, or the reverse
  const float square = static_cast<float>(view.cols) / static_cast<float>(view.rows);
  const float most = is_few ? most_of_few : most_of_many;
  const float width = std::min(room.x, most * square * room.y);
  return {width, std::min(room.y, most * width / square)};
}

int text_step_of_cards(const ViewContext& context, const StageView& view,
                       const std::function<ImVec2(const ViewContext&)>& heat) {
  if (std::ssize(context.labels) > most_enlarged) return 0;
  int step = 0;
  while (step < last_text_step) {
    const ViewContext larger = resized(context, step + 1);
    const ImVec2 size = heat(larger);
    const bool is_tall = size.y / static_cast<float>(view.rows) >= tall_line * font_height(larger.fonts.small_text);
    const bool is_wide = !has_token_columns(view) || size.x / static_cast<float>(view.cols) >= larger.label_width;
    if (!is_tall || !is_wide) break;
    ++step;
  }
  return step;
}

CardMargins card_margins(const ViewContext& context, const CardSpec& spec) {
  const float edge = card_padding * unit(context);
  const float bar = spec.is_large ? colour_bar_width(context, spec.stage) + 2 * edge : 0;
  const float caption = spec.is_large ? font_height(context.fonts.small_text) + edge / 2 : 0;
  return {.left = edge + row_label_width(context),
          .top = edge + header_height(context, spec) + column_label_height(context, spec.stage, cell_width(spec)),
          .right = edge + spec.sum_width + bar,
          .bottom = edge + caption};
}

float min_card_width(const ViewContext& context, const CardSpec& spec) {
  const float title = text_size(context.fonts.heading, title_of(spec)).x;
  const float bar = small_colour_bar_width(context, spec.stage, false);
  const float edges = 2 * card_padding * unit(context);
  return edges + std::max(title, bar);
}

void draw_stage_card(const ViewContext& context, CommandQueue& queue, const CardSpec& spec, ImVec2 min_screen,
                     ImVec2 size) {
  const ImVec2 max_screen{min_screen.x + size.x, min_screen.y + size.y};
  const CardMargins margins = card_margins(context, spec);
  draw_frame(context, spec, min_screen, max_screen);
  const float edge = card_padding * unit(context);
  const ImVec2 header{min_screen.x + edge, min_screen.y + edge * 0.75f};
  draw_header(context, queue, spec, header, size.x - 2 * edge);
  header_tooltip(context, spec, header, size.x - 2 * edge);

  const ImVec2 heat_min{std::floor(min_screen.x + margins.left), std::floor(min_screen.y + margins.top)};
  const CellGrid grid = grid_of(context, spec, heat_min);
  draw_axis_titles(context, spec.stage, {min_screen.x, header.y + header_height(context, spec)}, heat_min);
  draw_row_labels(context, spec.stage, grid);
  draw_column_labels(context, spec.stage, grid);
  draw_row_sums(context, spec.stage, grid, spec.sum_width);
  if (spec.is_large) {
    draw_colour_bar(context, spec.stage, {grid.max_screen.x + spec.sum_width + 2 * edge, heat_min.y}, spec.heat_size.y,
                    pooling_text(context, grid));
  }
  ImGui::PushID(widget_name(spec).c_str());
  const float sigma = text_size(context.fonts.small_text, "Σ").x;
  if (spec.sum_width > sigma + why_width(context))
    draw_question_of_sums(context, queue, spec.stage.info->stage, widget_name(spec),
                          {grid.max_screen.x + spec.sum_width - sigma - why_width(context),
                           grid.min_screen.y - font_height(context.fonts.small_text) - 2 * unit(context)});
  handle_row_sums(context, queue, spec.stage, widget_name(spec), grid, spec.sum_width);
  ImGui::PopID();
  draw_heatmap(context, queue, spec.stage, widget_name(spec), grid);
  if (!context.widgets) return;
  WidgetRegistry::Matrix& matrix = context.widgets->matrices.back();
  matrix.title = title_of(spec);
  matrix.card_min_screen = min_screen;
  matrix.card_max_screen = max_screen;
}

}  // namespace attnscope
