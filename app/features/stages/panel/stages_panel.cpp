#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "features/compare/panel/comparison.h"
#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/diagram_scene.h"
#include "features/stages/panel/stage_sheet.h"
#include "features/stages/panel/stage_view.h"
#include "session/view_state.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"
#include "view/number_words.h"
#include "view/stage_look.h"

namespace attnscope {
namespace {

constexpr double operand_share = 0.22;  // of the width, for what the stage follows from
constexpr double most_operand_share = 0.34;
constexpr double number_cell = 36;  // width that a number of an operand needs
constexpr double most_numbers_wide = 12;
constexpr double least_operand = 120;  // units; a window with less room has the stage alone
constexpr double lowest_operand = 110;
constexpr double least_arrow = 34;
constexpr double least_large = 40;  // along a side of the stage
constexpr double least_matrix_of_operand = 8;

scene::CellSize at_least(double side, const scene::CellSize& cell, const StageView& view) {
  return {std::max(cell.width, side / static_cast<double>(view.cols)),
          std::max(cell.height, side / static_cast<double>(view.rows))};
}

// Returns the stages that this one follows from, each once, past those that change nothing.
std::vector<StageView> views_before(const ViewContext& context, const StageView& view) {
  const AttentionConfig& config = view.result->config;
  std::vector<StageView> views;
  if (view.result->imported) return views;
  for (Stage stage : predecessors(config, view.stage)) {
    while (!acts_in(config, stage) && predecessors(config, stage).size() > 0) stage = predecessors(config, stage)[0];
    if (std::ranges::find(views, stage, &StageView::stage) != views.end()) continue;  // inputs × inputs
    if (const std::optional<StageView> before = stage_view(context, stage, view.head)) views.push_back(*before);
  }
  return views;
}

// Draws a stage that the large one is computed from; a click makes it the large one.
void use_operand(const ViewContext& context, CallQueue& queue, const StageView& view, const StageSheet& sheet) {
  const scene::PlacedSheetMatrix& placed = sheet.placed(0);
  const ImVec2 low = sheet.at(placed.card.x, placed.card.y);
  const ImVec2 high = sheet.at(placed.card.right(), placed.card.bottom());
  ImGui::SetCursorScreenPos(low);
  if (ImGui::InvisibleButton(std::string(info(view.stage).id).c_str(), {high.x - low.x, high.y - low.y}))
    change_view(queue, [stage = view.stage](ViewState& state) { show_stage(state, stage); });
  const bool is_hovered = ImGui::IsItemHovered() || (ImGui::IsItemFocused() && shows_focus());
  const Box& box = placed.plot.box;
  if (is_hovered)
    outline_box(sheet.at(box.x, box.y), sheet.at(box.right(), box.bottom()), {context.theme.inks.accent},
                2 * unit(context));
  const std::string name = fmt::format("focus/{}", info(view.stage).id);
  register_item(context, name);
  item_tooltip(context, fmt::format("Show {} large: {}", info(view.stage).title, format_shape(shape_of(view))));
  register_matrix(context, view, name, sheet.grid_of(0));
  if (!context.widgets) return;
  WidgetRegistry::Matrix& matrix = context.widgets->matrices.back();
  matrix.text_size = static_cast<float>(placed.number_size);
  matrix.card_min_screen = low;
  matrix.card_max_screen = high;
}

// Returns the sheets of what the stage follows from, below each other, in the room at the left of the stage.
std::vector<StageSheet> operand_sheets(const ViewContext& context, const std::vector<StageView>& views,
                                       const SheetRoom& room, double em) {
  std::vector<StageSheet> sheets;
  for (const StageView& view : views)
    sheets.emplace_back(context, std::vector<std::optional<StageView>>{view}, SheetUse::operand, room, em);
  return sheets;
}

// Draws the operation on an arrow from the operands, which begins at a line from each of them.
void draw_arrow(const ViewContext& context, const SheetRoom& room, const std::vector<double>& middles, double left,
                double joint, double right, const DiagramOperator& words, double em) {
  const ThemeInks& inks = context.theme.inks;
  picture::Picture picture;
  const auto put_line = [&](double x1, double y1, double x2, double y2, double head) {
    picture.items.emplace_back(
        picture::Stroke{.points = {{x1, y1}, {x2, y2}}, .ink = {inks.dim_text, 0.65}, .thickness = 1.3, .head = head});
  };
  for (const double middle : middles) put_line(left, middle, joint, middle, 0);
  if (middles.size() > 1) put_line(joint, middles.front(), joint, middles.back(), 0);
  const double y = (middles.front() + middles.back()) / 2;
  put_line(joint, y, right, y, 8);
  const auto put_word = [&](std::string_view text, double baseline, Rgb ink) {
    picture.items.emplace_back(picture::Word{
        .text = std::string(text), .x = (joint + right) / 2, .y = baseline, .size = em, .ink = {ink}, .anchor = 0.5});
  };
  put_word(words.sign, y - 0.5 * em, inks.text);
  put_word(words.note, y + 1.2 * em, inks.dim_text);
  paint_picture(context, picture, {room.min_screen, unit(context)});
}

double arrow_width(const ViewContext& context, const DiagramOperator& words, double em) {
  const picture::TextMeasure measure = measure_in(context.fonts, unit(context));
  double widest = 0;
  for (const std::string_view text : {std::string_view(words.sign), std::string_view(words.note)})
    if (!text.empty()) widest = std::max(widest, measure(text, em, picture::Face::text));
  return std::max(least_arrow, widest + 14);
}

// Returns the width for the operands: wide enough for their numbers where that leaves the stage the larger part, else
// as narrow as they can be.
double operands_width(const std::vector<StageView>& operands, const SheetRoom& room, double em) {
  double columns = 0;
  for (const StageView& view : operands)
    if (static_cast<double>(view.cols) <= most_numbers_wide)
      columns = std::max(columns, static_cast<double>(view.cols));
  const double names = 7 * em;
  const double wanted = names + columns * number_cell;
  const double narrow = operand_share * room.width;
  const double most = most_operand_share * room.width;
  const bool lacks_numbers = columns > 0 && wanted > most;
  return lacks_numbers ? narrow : std::clamp(wanted, narrow, most);
}

// Part of a room, `from` units from its left.
SheetRoom part_of(const ViewContext& context, const SheetRoom& room, double from, double width) {
  return {{room.min_screen.x + static_cast<float>(from) * unit(context), room.min_screen.y}, width, room.height};
}

// Returns the size of the cells of the large stage. Before an audience those of a pair are square: where there is
// little room, their numbers need neither sums nor a colour bar.
scene::CellSize large_cell(const ViewContext& context, const StageView& view, StageSheet& large, double top) {
  scene::CellSize cell = large.fit(1, 1, top);
  const bool is_of_pair = is_presenting(context) && context.beside && is_query_by_key(info(view.stage).axes);
  const bool has_numbers = static_cast<double>(view.cols) <= most_numbers_wide;
  if (!is_of_pair || !has_numbers || cell.width >= cell.height) return cell;
  large.leave_sums_out();
  large.leave_bar_out();
  cell = large.fit(1, 1, top);
  cell.height = std::min(cell.height, cell.width);
  return cell;
}

struct LargeStage {
  std::unique_ptr<StageSheet> sheet;
  scene::CellSize cell;

  bool has_numbers() const { return !sheet->sheet().matrices.empty() && sheet->placed(0).number_size > 0; }
};

// Lays the large stage out in the room right of `side`.
LargeStage large_stage(const ViewContext& context, const StageView& view, const SheetRoom& room, double side,
                       double top, double em) {
  const bool has_bar = !stacks_panels(context);  // the numbers need its room, and the question at the sums a little
  const double why = 2 + static_cast<double>(why_width(context) / unit(context));
  const SheetRoom part = part_of(context, room, side, room.width - side - (has_bar ? 0 : why));
  LargeStage large{std::make_unique<StageSheet>(context, std::vector{std::optional(view)}, SheetUse::large, part, em),
                   {}};
  if (!has_bar) large.sheet->leave_bar_out();
  large.cell = large_cell(context, view, *large.sheet, top);
  large.sheet->place(1, top, at_least(least_large, large.cell, view));
  return large;
}

void draw_focus(const ViewContext& context, CallQueue& queue) {
  const std::optional<StageView> view = stage_view(context, context.now.view.stage, context.now.view.head);
  if (!view) {
    dim_text(context, why_missing(context, context.now.view.stage));
    return;
  }
  const ImVec2 corner = ImGui::GetCursorPos();
  const SheetRoom room = sheet_room(context, ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail());
  const double em = text_size_in(room);
  const std::vector<StageView> before = views_before(context, *view);
  const double top = 2.1 * em + static_cast<double>(font_height(context.fonts.number) / unit(context));
  const double width = operands_width(before, room, em);
  const double height = before.empty() ? 0 : (room.height - top) / static_cast<double>(before.size());
  const DiagramOperator words = diagram_operator(view->result->config, view->stage);
  const double gap = 0.8 * em;
  const double arrow = arrow_width(context, words, em);
  const double side = width + gap + arrow + 0.3 * em;
  bool has_operands =  // side by side the two stages have all the room
      !before.empty() && !context.beside && width >= least_operand && height >= lowest_operand;
  LargeStage large = large_stage(context, *view, room, has_operands ? side : 0, top, em);
  if (has_operands && !large.has_numbers()) {  // its numbers come before the stages that it follows from
    LargeStage alone = large_stage(context, *view, room, 0, top, em);
    has_operands = !alone.has_numbers();
    if (!has_operands) large = std::move(alone);
  }
  if (large.sheet->sheet().matrices.empty())
    return dim_text(context, "There is too little room: make the window larger.");

  if (has_operands) {
    std::vector<StageSheet> sheets = operand_sheets(context, before, part_of(context, room, 0, width), em);
    std::vector<double> middles;
    double y = top;
    for (std::size_t i = 0; i < sheets.size(); ++i) {
      // The other part of the room is another operand's.
      scene::CellSize fitted = sheets[i].fit(1, 1, room.height - height + (i == 0 ? 0 : 0.6 * em));
      if (is_query_by_key(info(before[i].stage).axes)) {
        // Never larger than what it becomes; without numbers square, as that is: a causal mask ends at the diagonal.
        fitted = {std::min(fitted.width, large.cell.width), std::min(fitted.height, large.cell.height)};
        const bool has_numbers = static_cast<double>(before[i].cols) <= most_numbers_wide;
        if (!has_numbers) fitted.width = fitted.height = std::min(fitted.width, fitted.height);
      }
      sheets[i].place(1, y, at_least(least_matrix_of_operand, fitted, before[i]));
      if (sheets[i].sheet().matrices.empty()) continue;
      sheets[i].paint_alone();
      use_operand(context, queue, before[i], sheets[i]);
      middles.push_back(sheets[i].placed(0).plot.box.middle_y());
      y += height;
    }
    if (!middles.empty())
      draw_arrow(context, room, middles, width + 0.3 * em, width + gap, width + gap + arrow, words, em);
  }
  draw_sheet_header(context, queue, *view, room, em, !is_presenting(context), pooling_text(large.sheet->grid_of(0)));
  large.sheet->draw(queue);
  ImGui::SetCursorPos(corner);
  ImGui::Dummy({1, 0});
}

constexpr double least_matrix = 60;  // units along a side: where there is no room for that, the page is scrolled
constexpr Index most_columns = 16;

struct HeadGrid {
  Index columns = 1;
  scene::CellSize cell;
  bool is_scrolled = false;  // there are too many heads for the page
};

// Chooses the columns that give the largest cells, of those the most nearly square.
HeadGrid choose_grid(const StageSheet& sheet, const StageView& like, Index heads, double top) {
  HeadGrid best;
  double most = -1;
  for (Index columns = 1; columns <= std::min(heads, most_columns); ++columns) {
    const Index lines = (heads + columns - 1) / columns;
    if (columns > 1 && lines == (heads + columns - 2) / (columns - 1)) continue;  // a column less does as well
    const scene::CellSize cell = sheet.fit(columns, lines, top);
    const double low = std::min(cell.width, cell.height);
    const double high = std::max(cell.width, cell.height);
    const double worth = low <= 0 ? 0 : std::sqrt(low * high) * (0.7 + 0.3 * low / high);
    if (worth <= most) continue;
    most = worth;
    best = {columns, cell};
  }
  const scene::CellSize least{least_matrix / static_cast<double>(like.cols),
                              least_matrix / static_cast<double>(like.rows)};
  if (best.cell.width >= least.width && best.cell.height >= least.height) return best;
  best = {1, least, true};
  while (best.columns < std::min(heads, most_columns) && sheet.fit(best.columns + 1, 1, top).width >= least.width)
    ++best.columns;
  return best;
}

void draw_heads(const ViewContext& context, CallQueue& queue) {
  const bool is_of_heads = context.now.result() && is_per_head(context.now.result()->config, context.now.view.stage);
  const Index heads = is_of_heads ? head_count(context.now.result()->config) : 1;
  std::vector<std::optional<StageView>> views;
  for (Index head = 0; head < heads; ++head) views.push_back(stage_view(context, context.now.view.stage, head));
  const auto first = std::ranges::find_if(views, [](const auto& view) { return view.has_value(); });
  if (first == views.end()) {
    dim_text(context, why_missing(context, context.now.view.stage));
    return;
  }
  const StageView like = **first;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const SheetRoom room = sheet_room(context, corner, ImGui::GetContentRegionAvail());
  const double em = text_size_in(room);
  StageSheet sheet(context, std::move(views), SheetUse::heads, room, em);
  const double top = 2.1 * em;  // below the sheet's title
  HeadGrid grid = choose_grid(sheet, like, heads, top);
  if (grid.is_scrolled) {
    sheet.leave_sums_out();
    grid = choose_grid(sheet, like, heads, top);
  }
  sheet.place(grid.columns, top, grid.cell);
  const std::string pooling =
      sheet.sheet().matrices.empty() ? "" : pooling_text(sheet.grid_of(static_cast<std::size_t>(like.head)));
  draw_sheet_header(context, queue, like, room, em, false, pooling);
  sheet.draw(queue);
  const Box& box = sheet.sheet().box;
  ImGui::SetCursorScreenPos(sheet.at(std::max(box.right(), 0.0) - 1, box.bottom()));
  ImGui::Dummy({1, 0});
}

// Returns whether an audience sees a stage that is computed from none: it has the screen for itself.
bool presents_alone(const ViewContext& context) {
  const std::optional<Stage> stage = presented_stage(context);
  return stage && stage == context.now.view.stage && predecessors(context.now.result()->config, *stage).size() == 0;
}

void draw_layout(const ViewContext& context, CallQueue& queue) {
  const ViewMode& layout = context.now.view.mode;
  if (layout == ViewMode::heads) return draw_heads(context, queue);
  if (layout == ViewMode::focus) return draw_focus(context, queue);
  if (layout == ViewMode::model) return draw_model(context, queue);
  if (layout == ViewMode::layers) return draw_layers(context, queue);
  if (layout == ViewMode::study) return draw_study(context, queue);
  const bool is_alone = presents_alone(context) || is_small_screen(context);
  if (context.layouts) context.layouts->was_seen = !is_alone;
  is_alone ? draw_focus(context, queue) : draw_diagram(context, queue);
}

}  // namespace

void draw_stages(const ViewContext& context, CallQueue& queue) {
  if (!context.now.evaluation.error.empty() && context.now.is_current)
    warning_text(context, context.now.evaluation.error + " The picture below is the last valid one.");
  // The arrows move the cell in there, not from item to item.
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  // Each teaching view begins at its top, however far the diagram was scrolled.
  const bool is_study = context.now.view.mode == ViewMode::study;
  const std::string name = is_study ? fmt::format("stages/{}", shown_study(context.now.view.study).id) : "stages";
  // A part of the diagram fills the screen before an audience.
  const bool is_part = is_presenting(context) && context.now.view.mode == ViewMode::diagram;
  const ImGuiWindowFlags bars = is_part ? ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse
                                        : ImGuiWindowFlags_HorizontalScrollbar;
  ImGui::BeginChild(name.c_str(), {0, 0}, false, bars | ImGuiWindowFlags_NoNav);
  register_item(context, "stages");
  if (context.scrolled) share_scrolling(*context.scrolled);
  begin_panel(context, queue, Panel::stages);
  const std::string_view obstacle = info(context.now.view.mode).obstacle_in(context.now);
  if (!context.now.result()) {
    dim_text(context, "The first evaluation is under way.");
  } else if (!obstacle.empty()) {
    dim_text(context, obstacle);
  } else {
    draw_layout(context, queue);
  }
  end_panel(context, Panel::stages);
  ImGui::EndChild();
  ImGui::PopItemFlag();
}

}  // namespace attnscope
