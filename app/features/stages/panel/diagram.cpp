#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/results.h"
#include "features/compare/panel/comparison.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/diagram_scene.h"
#include "features/stages/panel/stage_view.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"
#include "view/diagram.h"
#include "view/stage_look.h"

namespace attnscope {
namespace {

constexpr float zoom_step = 1.15F;
constexpr float key_pan = 0.2F;  // of the window, for an arrow key

// One document of the diagram: the one that is looked at, or A and B.
struct Sides {
  const ViewContext& first;
  const ViewContext* second = nullptr;

  const ViewContext& of(bool is_second) const { return is_second && second ? *second : first; }
};

std::optional<StageView> view_of(const ViewContext& context, Stage stage, Index head, bool is_transposed) {
  std::optional<StageView> view = stage_view(context, stage, head);
  if (view && is_transposed) transpose(*view);
  return view;
}

ImVec2 at(const PicturePlace& place, double x, double y) {
  const ImVec2 pos = place.at(x, y);
  return {std::round(pos.x), std::round(pos.y)};
}

// Returns the cells of a part: all of them, or those columns of a shared matrix that belong to one head.
CellGrid grid_of(const ViewContext& context, const StageView& view, const scene::PlacedMatrix& placed,
                 const scene::PlacedPart& part, const PicturePlace& place) {
  const ImVec2 low = at(place, part.x, placed.box.y);
  const ImVec2 high = at(place, part.x + part.width, placed.box.bottom());
  CellGrid grid = cell_grid(context, view, low, {std::max(high.x, low.x + 1), std::max(high.y, low.y + 1)});
  grid.window = whole_window(grid.rows, grid.cols);  // here the picture is zoomed, not a matrix in it
  if (part.columns >= view.cols) return grid;
  grid.window.col = static_cast<double>(part.first_column);
  grid.window.cols = static_cast<double>(part.columns);
  return grid;
}

std::string widget_name(const scene::PlacedMatrix& placed, const scene::PlacedPart& part) {
  std::string name = "stages/" + std::string(info(placed.stage).id);
  const bool is_used_elsewhere = placed.role != scene::PlacedRole::result && !is_parameter(info(placed.stage).axes) &&
                                 info(placed.stage).place.column >= 0;
  if (is_used_elsewhere) name += "/of_" + std::string(info(placed.result).id);
  if (placed.is_second) name += "/b";
  return part.is_viewed ? name : name + "/" + std::to_string(part.head);
}

scene::DiagramData data_of(const Sides& sides, const PicturePlace& place) {
  const ViewContext& context = sides.first;
  scene::DiagramData data;
  data.result = context.pictured ? context.pictured->result : context.now.evaluation.result;
  data.matrix = [sides](Stage stage, Index head, bool is_second) -> std::optional<picture::Matrix> {
    const ViewContext& side = sides.of(is_second);
    const std::optional<StageView> view = stage_view(side, stage, head);
    return view ? std::optional(coloured(side, *view)) : std::nullopt;
  };
  data.row_sum = [sides, head = context.now.view.head](Stage stage, Index row, bool is_second) {
    const ViewContext& side = sides.of(is_second);
    const std::optional<StageView> view = stage_view(side, stage, head);
    if (!view || row >= view->rows || is_covered(side, *view, row, 0)) return std::numeric_limits<float>::quiet_NaN();
    return row_sum(side, *view, row);
  };
  data.is_covered = [sides](const Source& cell) { return is_covered(sides.first, cell); };
  data.theme = &context.theme;
  data.decimals = context.now.view.numbers ? std::optional(context.now.view.decimals) : std::nullopt;
  data.marked = shown_cell(context);
  data.awaited = awaited_results(context);
  if (is_presenting(context)) data.ground = context.theme.inks.card;  // as behind films
  data.measure = measure_in(context.fonts, place.scale);
  return data;
}

// Draws the marks of a part of a matrix, and lets pointer and keys work on it.
void use_part(const ViewContext& context, CallQueue& queue, const scene::PlacedMatrix& placed,
              const scene::PlacedPart& part, const PicturePlace& place) {
  const std::optional<StageView> view = view_of(context, placed.stage, part.head, placed.is_transposed);
  if (!view) return;
  const CellGrid grid = grid_of(context, *view, placed, part, place);
  const std::string name = widget_name(placed, part);
  use_heatmap(context, queue, *view, name, grid);
  if (context.widgets && !context.widgets->matrices.empty()) {
    WidgetRegistry::Matrix& matrix = context.widgets->matrices.back();
    matrix.rank = placed.rank;
    matrix.text_size = static_cast<float>(placed.text);
  }
  if (context.reach) draw_reach(context, *view, grid);
}

void use_matrix(const ViewContext& context, CallQueue& queue, const scene::PlacedMatrix& placed,
                const PicturePlace& place) {
  ImGui::PushID(static_cast<int>(placed.result));
  ImGui::PushID(static_cast<int>(placed.role));
  for (const scene::PlacedPart& part : placed.parts) {
    ImGui::PushID(static_cast<int>(part.head));
    use_part(context, queue, placed, part, place);
    ImGui::PopID();
  }
  ImGui::PopID();
  ImGui::PopID();
}

void use_sums(const ViewContext& context, CallQueue& queue, const scene::PlacedMatrix& placed,
              const PicturePlace& place) {
  if (placed.sums == 0) return;
  const std::optional<StageView> view = view_of(context, placed.stage, context.now.view.head, false);
  if (!view) return;
  const CellGrid grid = grid_of(context, *view, placed, placed.viewed(), place);
  const std::string name = widget_name(placed, placed.viewed());
  const picture::TextMeasure measure = measure_in(context.fonts, place.scale);
  const double width = placed.sums_x - placed.box.right() + measure("0.00", placed.sums, picture::Face::text);
  ImGui::PushID(static_cast<int>(placed.stage));
  if (!is_presenting(context)) {
    const double end = placed.sums_x + measure("Σ row", placed.sums, picture::Face::text) - 2;
    draw_question_of_sums(context, queue, placed.stage, name, at(place, end, placed.box.y - 6 - placed.sums));
  }
  handle_row_sums(context, queue, *view, name, grid, static_cast<float>(width) * place.scale);
  ImGui::PopID();
}

// Draws a word about a stage that the document does without: a click leads to the control that changes it.
void use_absence(const ViewContext& context, CallQueue& queue, Stage stage, const Box& box, const PicturePlace& place) {
  const ImVec2 low = at(place, box.x, box.y);
  const ImVec2 high = at(place, box.right(), box.bottom());
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(static_cast<int>(stage));
  const bool is_pressed =
      ImGui::InvisibleButton("absent", {std::max(1.0F, high.x - low.x), std::max(1.0F, high.y - low.y)});
  ImGui::PopID();
  register_item(context, fmt::format("stages/{}/absent", info(stage).id));
  const AttentionConfig& config = context.now.result()->config;
  const bool is_there = acts_in(config, stage);
  const std::string why(is_there ? "It leaves the scores as they are, because it divides them by 1."
                                 : info(stage).absence(config));
  item_tooltip(context, why + (is_there ? "\nClick to see it." : "\nClick for its control in the setup."));
  if (!is_pressed) return;
  if (!is_there) return show_control(context, queue, info(stage).control);
  change_view(queue, [stage](ViewState& state) {
    state.mode = ViewMode::focus;
    state.stage = stage;
  });
}

bool passes(const scene::PlacedArrow& arrow, const Box& box) {
  for (std::size_t i = 1; i < arrow.points.size(); ++i) {
    const picture::Point& from = arrow.points[i - 1];
    const picture::Point& to = arrow.points[i];
    const Box way{std::min(from.x, to.x), std::min(from.y, to.y), std::abs(to.x - from.x), std::abs(to.y - from.y)};
    if (way.x < box.right() && way.right() > box.x && way.y < box.bottom() && way.bottom() > box.y) return true;
  }
  return false;
}

// Draws a quiet "?" behind the title of each stage with a question, if there is room for it.
void draw_questions_at_titles(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
                              const PicturePlace& place) {
  const double width = static_cast<double>(why_width(context) / place.scale);
  for (const scene::PlacedText& text : layout.texts) {
    // At titles, and at the captions of what has no place of its own.
    const bool is_title = text.stage && (text.face == picture::Face::bold || info(*text.stage).place.column < 0);
    if (!is_title || text.arrow >= 0) continue;
    const ReaderQuestion* const question = question_at(*text.stage);
    const Box box{text.box.right(), text.box.y, width, text.box.height};
    const auto meets = [&](const Box& other) { return scene::overlap(box, other); };
    const bool is_free =
        question && box.right() <= layout.canvas.right() &&
        std::ranges::none_of(layout.bars,
                             [&](const scene::PlacedBar& bar) {
                               // A range around 0 has no number at its low end.
                               const bool is_centred = info(bar.stage).range == StageRange::signed_value;
                               const double low = is_centred ? bar.box.x : bar.low_right - 4 * text.size;
                               return meets({low, bar.box.y - 4, bar.box.right() - low, 20});
                             }) &&
        std::ranges::none_of(layout.texts, [&](const scene::PlacedText& other) { return meets(other.box); }) &&
        std::ranges::none_of(layout.matrices, [&](const scene::PlacedMatrix& m) { return meets(m.box); }) &&
        std::ranges::none_of(layout.arrows, [&](const scene::PlacedArrow& arrow) { return passes(arrow, box); });
    if (is_free) draw_why(context, queue, *question, info(*text.stage).id, at(place, box.x, box.y - 3));
  }
}

void register_scene(const ViewContext& context, const scene::DiagramLayout& layout, const PicturePlace& place) {
  if (!context.widgets) return;
  WidgetRegistry& widgets = *context.widgets;
  widgets.canvas_min = at(place, layout.canvas.x, layout.canvas.y);
  widgets.canvas_max = at(place, layout.canvas.right(), layout.canvas.bottom());
  for (const scene::PlacedArrow& arrow : layout.arrows) {
    WidgetRegistry::Arrow& entry = widgets.arrows.emplace_back();
    if (arrow.from) entry.from = info(*arrow.from).id;
    if (arrow.to) entry.to = info(*arrow.to).id;
    entry.text = arrow.text;
    for (const picture::Point& point : arrow.points) entry.points.push_back(place.at(point.x, point.y));
  }
}

// Draws the diagram on its canvas: the room that there is, or more if it is zoomed; for an audience what is in a frame.
void draw_scene(const Sides& sides, CallQueue& queue, const scene::DiagramLayout& whole, const PicturePlace& place,
                const scene::StageFrame* frame) {
  const ViewContext& context = sides.first;
  const std::optional<scene::DiagramLayout> framed =
      frame ? std::optional(layout_in_frame(whole, *frame, *presented_stage(context))) : std::nullopt;
  const scene::DiagramLayout& layout = framed ? *framed : whole;
  const StageSet awaited = awaited_results(context);
  const scene::DiagramData data = data_of(sides, place);
  picture::Picture picture = scene::diagram_picture(layout, data);
  if (frame) picture = picture_in_frame(std::move(picture), whole, *frame, *presented_stage(context), data);
  paint_picture(context, picture, place);
  register_scene(context, layout, place);
  for (const scene::PlacedMatrix& placed : layout.matrices) {
    if (!awaited.contains(placed.result)) use_matrix(sides.of(placed.is_second), queue, placed, place);
  }
  for (const scene::PlacedMatrix& placed : layout.matrices) {
    if (!awaited.contains(placed.result)) use_sums(sides.of(placed.is_second), queue, placed, place);
  }
  if (is_presenting(context)) return;
  for (const scene::PlacedText& pill : layout.pills) {
    if (pill.is_quiet) use_absence(context, queue, *pill.stage, pill.box, place);
  }
  for (const scene::PlacedText& text : layout.texts) {
    const bool is_of_absent = text.arrow >= 0 && text.stage && !acts_in(context.now.result()->config, *text.stage);
    if (is_of_absent) use_absence(context, queue, *text.stage, text.box, place);
  }
  draw_questions_at_titles(context, queue, layout, place);
  draw_notes_at_weights(context, queue, layout, place);
  draw_drag_hint(context, queue, layout, place);
}

struct Canvas {
  scene::DiagramCanvas canvas;
  float scale = 1;  // Dear ImGui's units of one of the layout's at 100 %
};

// Returns whether a card in the picture explains numbers, because no column at its side does.
bool has_card(const ViewContext& context) {
  const ViewState& view = context.now.view;
  return view.show_inspector && !view.docks_inspector && !context.now.prediction.cover && !is_presenting(context);
}

Canvas canvas_of(const ViewContext& context, ImVec2 room) {
  Canvas canvas;
  canvas.scale = unit(context);
  canvas.canvas.box = {0, 0, static_cast<double>(room.x / canvas.scale), static_cast<double>(room.y / canvas.scale)};
  canvas.canvas.pixels_per_unit = static_cast<double>(canvas.scale * ImGui::GetIO().DisplayFramebufferScale.x);
  canvas.canvas.wants_card = has_card(context);
  canvas.canvas.is_presented = is_presenting(context) && !context.now.is_comparing();
  const std::optional<Source>& pinned = context.now.view.pinned;
  if (canvas.canvas.is_presented && context.now.lesson.lesson && pinned) canvas.canvas.told = pinned->stage;
  canvas.canvas.may_grow = canvas.canvas.is_presented && presented_stage(context);
  return canvas;
}

// The part of the diagram that is in sight, and its place in the window.
struct Sight {
  scene::StageFrame frame;
  PicturePlace place = {};
};

// Returns the part of a diagram that an audience sees: the newest stage, large.
Sight presented_sight(const ViewContext& context, DiagramLayouts& layouts, const scene::DiagramLayout& layout,
                      const Canvas& canvas, ImVec2 low) {
  const Box& screen = canvas.canvas.box;
  Sight sight{.frame = scene::frame_of_stage(layout, context.now.result()->config, *presented_stage(context),
                                             screen.width, screen.height)};
  Box& part = sight.frame.box;
  part = layouts.part_towards(part, !context.now.view.reduces_motion);
  const auto scale = static_cast<float>(screen.width / part.width) * canvas.scale;
  sight.place = {{low.x - static_cast<float>(part.x) * scale, low.y - static_cast<float>(part.y) * scale}, scale};
  return sight;
}

// Zooms around the pointer with Ctrl and the wheel; pans if the empty canvas is dragged.
void handle_canvas(const ViewContext& context, CallQueue& queue, ImVec2 origin, ImVec2 room) {
  if (!ImGui::IsWindowHovered()) return;
  const ImGuiIO& io = ImGui::GetIO();
  const float now = context.now.view.diagram_zoom;
  if (io.KeyCtrl && io.MouseWheel != 0) {
    take_wheel();
    const float zoom = std::clamp(now * std::pow(zoom_step, io.MouseWheel), min_diagram_zoom, max_diagram_zoom);
    // The point under the pointer stays there. A window scrolls no further than to what was in it in the last frame.
    ImGui::SetCursorScreenPos({origin.x + room.x * zoom, origin.y + room.y * zoom});
    ImGui::Dummy({0, 0});
    ImGui::SetScrollX(ImGui::GetScrollX() + (io.MousePos.x - origin.x) * (zoom / now - 1));
    ImGui::SetScrollY(ImGui::GetScrollY() + (io.MousePos.y - origin.y) * (zoom / now - 1));
    change_view(queue, [zoom](ViewState& state) { state.diagram_zoom = zoom; });
  }
  if (ImGui::IsAnyItemHovered() || !ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return;
  ImGui::SetScrollX(ImGui::GetScrollX() - io.MouseDelta.x);
  ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
  if (now > 1) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
}

// Shift and an arrow key pan what is zoomed, or an arrow alone where no cell is pinned.
void pan_by_keys(const ViewContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool is_meant = io.KeyShift || !context.now.view.pinned;
  if (!is_meant || io.KeyAlt || io.KeyCtrl || io.WantTextInput || !stages_have_keys(context)) return;
  const ImVec2 size = ImGui::GetWindowSize();
  const auto pressed = [](ImGuiKey key) { return is_key_pressed(keys::named(key), true) ? 1.0F : 0.0F; };
  const float right = pressed(ImGuiKey_RightArrow) - pressed(ImGuiKey_LeftArrow);
  const float down = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow);
  if (right != 0) ImGui::SetScrollX(ImGui::GetScrollX() + key_pan * right * size.x);
  if (down != 0) ImGui::SetScrollY(ImGui::GetScrollY() + key_pan * down * size.y);
}

// Returns the room of the window, whatever it is scrolled to.
ImVec2 room_of_window() {
  const ImVec2 size = ImGui::GetWindowSize();
  return {std::max(size.x, 1.0F), std::max(size.y, 1.0F)};
}

void draw_card(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
               const PicturePlace& place) {
  if (!layout.card || !has_card(context)) return;
  const Box& box = *layout.card;
  draw_inspector_card(context, queue, at(place, box.x, box.y), at(place, box.right(), box.bottom()));
}

// Returns whether the pointer is on numbers that A alone has; elsewhere the card explains B's.
bool is_on_first(const Sides& sides, const scene::DiagramLayout& layout, const PicturePlace& place) {
  return sides.second && std::ranges::any_of(layout.matrices, [&](const scene::PlacedMatrix& matrix) {
           const ImVec2 low = at(place, matrix.box.x, matrix.box.y);
           const ImVec2 high = at(place, matrix.box.right(), matrix.box.bottom());
           return !matrix.is_second && ImGui::IsMouseHoveringRect(low, high) &&
                  !is_equal(*sides.first.now.result(), *sides.second->now.result(), matrix.stage);
         });
}

void draw_with(const Sides& sides, CallQueue& queue) {
  const ViewContext& context = sides.first;
  const ImVec2 room = room_of_window();
  const Canvas canvas = canvas_of(context, room);
  DiagramLayouts own;  // where none are kept
  DiagramLayouts& layouts = context.layouts ? *context.layouts : own;
  const scene::DiagramLayout* const layout =
      sides.second ? layouts.of_both(sides.first, *sides.second, canvas.canvas, canvas.scale)
                   : layouts.of(context, canvas.canvas, canvas.scale);
  if (!layout) return dim_text(context, "There is too little room for the diagram: make the window larger.");
  const float zoom = is_presenting(context) ? 1 : context.now.view.diagram_zoom;
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 origin{std::floor(window.x - ImGui::GetScrollX()), std::floor(window.y - ImGui::GetScrollY())};
  PicturePlace place{origin, canvas.scale * zoom};
  std::optional<Sight> presented;
  if (canvas.canvas.may_grow) {
    presented = presented_sight(context, layouts, *layout, canvas, window);
    place = presented->place;
  }
  layouts.place = place;
  const ReachOutlines reach = reach_outlines(context);
  ViewContext marked(context.now, context);
  marked.reach = &reach;
  draw_scene({marked, sides.second}, queue, *layout, place, presented ? &presented->frame : nullptr);
  if (zoom > 1) {  // a cursor at the end of what is not zoomed would keep scroll bars that another view left
    ImGui::SetCursorScreenPos({origin.x + room.x * zoom, origin.y + room.y * zoom});
    ImGui::Dummy({0, 0});
  }
  draw_card(sides.of(!is_on_first(sides, *layout, place)), queue, *layout, place);
  pan_by_keys(context);
  handle_canvas(context, queue, origin, room);
}

}  // namespace

void draw_diagram(const ViewContext& context, CallQueue& queue) { draw_with({context}, queue); }

void draw_compared_diagram(const ViewContext& a, const ViewContext& b, CallQueue& queue) {
  ImGui::BeginChild("stages", {0, 0}, false, ImGuiWindowFlags_NoNav);
  register_item(a, "stages");
  begin_panel(a, queue, Panel::stages);
  draw_with({a, &b}, queue);
  end_panel(a, Panel::stages);
  ImGui::EndChild();
}

}  // namespace attnscope
