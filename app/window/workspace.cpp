#include "features/setup/document_controller.h"
#include "window/frame.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "features/compare/panel/comparison.h"
#include "features/files/reading_controller.h"
#include "features/inspect/panel/inspector.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "session/ui_state.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float bar_height = 36;    // of a line of the menu and the tool bar
constexpr float strip_height = 24;  // of the status line, and of the footer
constexpr float inspector_width = 244;
constexpr float narrow_window = 2000;  // units: below it the inspector gives way to the diagram
constexpr float narrow_inspector_width = 208;
constexpr float upright_width = 1100;      // of an upright screen, on which a lesson stands below the stages
constexpr float share_above_text = 0.68F;  // of the stages there
constexpr float share_above = 0.54F;       // of the stages on a small screen, where other panels are below them
constexpr float card_margin = 8;
constexpr float edge_reach = 4;      // of the pointer, to each side of a panel's edge
constexpr float after_menus = 8;     // to the tool bar beside them
constexpr float panel_padding = 12;  // at the sides
constexpr float panel_padding_above = 10;
constexpr float rail_padding = 6;

using Apply = std::function<void()>;

// One of the columns between the tool bar and the status line; the stages within theirs are a panel of their own.
template <typename Draw>
void column(const ViewContext& context, CallQueue& queue, std::optional<Panel> panel, const char* name, ImVec2 size,
            Rgb background, const Draw& draw) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_u32(background));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0);
  begin_steady_child(name, size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (panel) begin_panel(context, queue, *panel);
  draw();
  if (panel) end_panel(context, *panel);
  ImGui::EndChild();
  register_item(context, name);
}

// The edge of a side panel, which can be dragged; a double click gives the panel its usual width again. It is a window,
// so that it lies over the two columns that meet there.
void panel_edge(const ViewContext& context, CallQueue& queue, const char* name, float ViewState::*width, ImVec2 top,
                float height) {
  const float reach = edge_reach * unit(context);
  const float display = ImGui::GetIO().DisplaySize.x;
  ImGui::SetCursorScreenPos({top.x - reach, top.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild(name, {2 * reach, height}, false, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  ImGui::InvisibleButton("edge", {2 * reach, height});
  register_item(context, name);
  const bool is_at_work = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (is_at_work) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  stroke_line(top, {top.x, top.y + height}, {is_at_work ? context.theme.inks.accent : context.theme.inks.border});
  const float pointer = ImGui::GetIO().MousePos.x;
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    change_view(queue, [width](ViewState& state) { state.*width = 0; });
  } else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    const float wanted = (width == &ViewState::setup_width ? pointer : display - pointer) / unit(context);
    change_view(queue, [width, wanted](ViewState& state) {
      state.*width = std::clamp(wanted, min_panel_width, max_panel_width);
    });
  }
  ImGui::EndChild();
}

void draw_left_panel(const ViewContext& context, CallQueue& queue) {
  if (is_making_lesson(context)) return draw_lesson_editor(context, queue);
  draw_lesson_tabs(context, queue);
  if (!context.now.lesson.lesson) return draw_setup_panel(context, queue);
  if (!context.now.lesson.shows_setup) {
    draw_lesson_panel(context, queue);
    return;
  }
  draw_lesson_task(context, queue);
  begin_flat_child("lesson_setup", {0, 0});
  draw_setup_panel(context, queue);
  ImGui::EndChild();
}

// The inspector is a card in the diagram's free corner, unless it is docked or another layout has no such corner.
bool inspector_is_column(const ViewContext& context) {
  const ViewState& view = context.now.view;
  const bool has_text_beside = has_lesson_column(context) || view.transient.question;  // the view needs the room
  if (!view.show_inspector || (has_text_beside && view.mode == ViewMode::study)) return false;
  if (view.mode == ViewMode::model) return false;  // Model has no cell to explain
  if (is_small_screen(context) && (has_lesson_column(context) || view.mode == ViewMode::study || is_watching(context)))
    return false;  // they have the room
  return view.docks_inspector || view.mode != ViewMode::diagram || is_small_screen(context) ||
         context.now.prediction.cover.has_value();
}

// Draws the setup, its rail, or a lesson.
void draw_left(const ViewContext& context, CallQueue& queue, ImVec2 size) {
  if (!has_lesson_column(context) && !is_setup_column(context)) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {rail_padding * unit(context), rail_padding * unit(context)});
    column(context, queue, Panel::setup, "rail", size, context.theme.inks.panel,
           [&] { draw_setup_rail(context, queue); });
    return ImGui::PopStyleVar();
  }
  column(context, queue, Panel::setup, "setup", size, context.theme.inks.panel,
         [&] { draw_left_panel(context, queue); });
}

// Draws the film that is watched, or else the stages that it covers.
void draw_subject(const ViewContext& context, CallQueue& queue) {
  if (is_watching(context)) return draw_film(context, queue);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  context.now.is_comparing() ? draw_compared_stages(context, queue) : draw_stages(context, queue);
  draw_landing(context, queue, low, {low.x + room.x, low.y + room.y});
}

void draw_inspector_column(const ViewContext& context, CallQueue& queue, ImVec2 size) {
  column(context, queue, Panel::inspector, "inspector", size, context.theme.inks.panel, [&] {
    draw_prediction(context, queue);
    if (context.now.is_comparing() && context.now.view.side == ComparedSide::baseline)
      return draw_inspector(SideContext(context, ComparedSide::baseline), queue);
    draw_inspector(context, queue);
  });
}

// Draws the card that lies in the diagram elsewhere, or the column.
void draw_inspector_below(const ViewContext& context, CallQueue& queue, ImVec2 low, ImVec2 high) {
  const UiState& now = context.now;
  ImGui::SetCursorScreenPos(low);
  if (now.view.docks_inspector || now.prediction.cover || now.is_comparing())
    return draw_inspector_column(context, queue, {high.x - low.x, high.y - low.y});
  const float margin = card_margin * unit(context);
  draw_inspector_card(context, queue, {low.x + margin, low.y + margin}, {high.x - margin, high.y - margin});
}

// Return whether the text of a lesson, or its editor, stands below the stages, or beside them.
bool has_lesson_below(const ViewContext& context) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const bool is_upright = display.x < display.y && display.x < upright_width * unit(context);
  return has_lesson_column(context) && (is_upright || stacks_panels(context));
}
bool has_lesson_beside(const ViewContext& context) { return has_lesson_column(context) && !has_lesson_below(context); }

// Draws what is below the bars; `compared` is the height of the line that says what is compared.
void draw_columns(const ViewContext& context, CallQueue& queue, const Apply& apply, ImVec2 top, float height,
                  float compared) {
  const ViewState& view = context.now.view;
  const float display = ImGui::GetIO().DisplaySize.x;
  const bool is_lesson_below = has_lesson_below(context);
  // The line of the comparison stands beside a lesson, whose buttons keep their place from step to step.
  const float beside = has_lesson_beside(context) ? compared : 0;
  const bool has_inspector_below = stacks_panels(context) && inspector_is_column(context);
  const float share = stacks_panels(context) ? share_above : share_above_text;
  const float above = is_lesson_below || has_inspector_below ? std::floor(share * height) : height;
  const bool has_film_alone = stacks_panels(context) && is_watching(context);  // which has no room to spare
  const float left = is_lesson_below || has_film_alone ? 0 : left_width(context);
  const float usual = display < narrow_window * unit(context) ? narrow_inspector_width : inspector_width;
  const bool has_inspector_beside = inspector_is_column(context) && !has_inspector_below;
  const float right = has_inspector_beside ? panel_width(context, view.inspector_width, usual) : 0;
  ImGui::SetCursorScreenPos({top.x, top.y + (is_lesson_below ? above : -beside)});
  if (is_lesson_below || !has_film_alone)
    draw_left(context, queue, is_lesson_below ? ImVec2{display, height - above} : ImVec2{left, height + beside});
  apply();
  ImGui::SetCursorScreenPos({top.x + left, top.y});
  const float answer = answer_beside_width(context);
  if (answer > 0) {
    column(context, queue, {}, "answer", {answer, height}, context.theme.inks.window,
           [&] { draw_question_column(context, queue); });
    ImGui::SameLine(0, 0);
  }
  // The diagram has margins of its own.
  const bool is_diagram =
      view.mode == ViewMode::diagram && context.now.evaluation.error.empty() && !is_small_screen(context);
  const ImVec2 padding = is_diagram || has_film_alone ? ImVec2{0, 0} : ImGui::GetStyle().WindowPadding;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  column(context, queue, {}, "workspace", {display - left - answer - right, above}, context.theme.inks.window,
         [&] { draw_subject(context, queue); });
  ImGui::PopStyleVar();
  apply();
  if (has_inspector_below) draw_inspector_below(context, queue, {left, top.y + above}, {display, top.y + height});
  if (above < height) stroke_line({left, top.y + above}, {display, top.y + above}, {context.theme.inks.border});
  if (right > 0) {
    ImGui::SameLine(0, 0);
    draw_inspector_column(context, queue, {right, height});
    panel_edge(context, queue, "inspector/edge", &ViewState::inspector_width, {display - right, top.y}, height);
  }
  if (is_lesson_below || has_film_alone) {
    // It is as wide as the window.
  } else if (has_lesson_column(context) || is_setup_column(context)) {
    panel_edge(context, queue, "setup/edge", &ViewState::setup_width, {left, top.y - beside}, height + beside);
  } else {
    stroke_line({left, top.y}, {left, top.y + height}, {context.theme.inks.border});
    draw_open_setup(context, queue, top.y, height);
  }
  apply();
}

// Returns the distance from the top of a strip to its text.
float text_drop(const ViewContext& context) {
  return std::floor((strip_height * unit(context) - font_height(context.fonts.small_text)) / 2);
}

// Draws a line about the picture, in a strip of its own below the status line.
void draw_footer(const ViewContext& context, float height) {
  if (height == 0) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  stroke_line({0, display.y - height}, {display.x, display.y - height}, {context.theme.inks.border});
  ImGui::SetCursorScreenPos({12 * unit(context), display.y - height + text_drop(context)});
  push_font(context.fonts.small_text);
  const std::string text =
      fit_text(context.fonts.small_text, std::string(context.now.footer), display.x - 24 * unit(context));
  ImGui::TextDisabled("%s", text.c_str());
  register_item(context, "footer");
  ImGui::PopFont();
}

// Draws the line that says where to begin. Any choice closes it for good.
void draw_start_line(const ViewContext& context, CallQueue& queue) {
  constexpr float room_for_title = 850;  // units; in less the first lesson is named by its number
  constexpr float room_for_words = 620;
  const auto close = [&] { change_view(queue, [](ViewState& state) { state.shows_start = false; }); };
  const Lesson& first = *shipped_lessons().front();
  const bool is_narrow = ImGui::GetContentRegionAvail().x < room_for_title * unit(context);
  const bool is_narrowest = ImGui::GetContentRegionAvail().x < room_for_words * unit(context);
  const std::string lesson = is_narrow ? "Lesson 1" : "Lesson 1: " + first.title;
  ImGui::AlignTextToFramePadding();
  if (!is_narrowest) {
    ImGui::TextUnformatted("Start here");
    ImGui::SameLine(0, 12 * unit(context));
  }
  if (push_button(context, "start/lesson", lesson.c_str(), {}, first.summary)) {
    open_lesson(queue, first.id);
    close();
  }
  ImGui::SameLine();
  if (push_button(context, "start/sentence", is_narrowest ? "Your sentence…" : "A sentence of your own…", {},
                  "Its words become the tokens")) {
    change_view(queue, [](ViewState& state) { state.transient.opens_tokens = true; });
    type_sentence(queue);
    close();
  }
  if (!is_narrowest) ImGui::SameLine();
  if (!is_narrowest &&
      push_button(context, "start/notebook", "The notebooks' words", {}, "Your journey starts with one step")) {
    queue.push([](const Controllers& to) { to.reading.open_example("notebook"); });
    close();
  }
  ImGui::SameLine();
  if (push_button(context, "start/examples", "Examples…")) {
    show_dialog(queue, DialogState::Kind::examples);
    close();
  }
  ImGui::SameLine();
  if (push_button(context, "start/close", "×", {}, "Close for good; Edit > Settings… brings it back")) close();
}

struct Bars {
  float height = 0;
  float compared = 0;  // of it, the height of the line that says what is compared
};

// Menus and tool bar: in one line where both have room in it, else the tool bar below the menus. What is compared has a
// line of its own.
Bars draw_bars(const ViewContext& context, CallQueue& queue, const Apply& apply) {
  const float menus_end = draw_menu_bar(context, queue);
  apply();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float line = std::floor(bar_height * unit(context));
  const float beside = menus_end + after_menus * unit(context);
  const bool is_one_line = tool_bar_lines(context, display.x - beside) == 1;
  const ImVec2 corner{is_one_line ? beside : 0, is_one_line ? 0 : line};
  const int lines = tool_bar_lines(context, display.x - corner.x);
  const bool has_start = context.now.view.shows_start && !has_lesson_column(context) && !context.now.is_comparing();
  const float below = context.now.is_comparing() || has_start ? line : 0;
  const float height = static_cast<float>(lines) * line + below;
  ImGui::PushClipRect({0, 0}, display, false);  // the menus' line is not a part of what else is in the window
  ImGui::SetCursorScreenPos(corner);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("tools", {display.x - corner.x, height}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  begin_panel(context, queue, Panel::tools);
  draw_tool_bar(context, queue, line);
  const float column = has_lesson_beside(context) ? left_width(context) : 0;
  ImGui::SetCursorScreenPos({std::max(corner.x, column) + after_menus * unit(context),
                             corner.y + height - std::floor((line + ImGui::GetFrameHeight()) / 2)});
  if (context.now.is_comparing()) draw_comparison_line(context, queue);
  if (has_start) draw_start_line(context, queue);
  end_panel(context, Panel::tools);
  ImGui::EndChild();
  register_item(context, "tools");
  ImGui::PopClipRect();
  apply();
  return {corner.y + height, below};
}

// Draws menus, tool bar, panels and status line.
void draw_window_content(const ViewContext& context, CallQueue& queue, const Apply& apply, float footer_height) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const auto [bars, compared] = draw_bars(context, queue, apply);
  const float bottom = display.y - footer_height - std::floor(strip_height * unit(context));
  draw_columns(context, queue, apply, {0, bars}, bottom - bars, compared);
  const float column = compared > 0 && has_lesson_beside(context) ? left_width(context) : 0;
  if (column > 0) stroke_line({0, bars - compared}, {column, bars - compared}, {context.theme.inks.border});
  stroke_line({column, bars}, {display.x, bars}, {context.theme.inks.border});
  stroke_line({0, bottom}, {display.x, bottom}, {context.theme.inks.border});
  ImGui::SetCursorScreenPos({panel_padding * unit(context), bottom + text_drop(context)});
  ImGui::BeginGroup();
  ImGui::PushClipRect({0, bottom}, display, false);
  draw_status_line(context, queue);
  ImGui::PopClipRect();
  ImGui::EndGroup();
}

// So that the menus' text is in the middle of their line, which is higher than Dear ImGui's.
void begin_main_window(const ViewContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(io.DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImVec2& offset = ImGui::GetCurrentContext()->NextWindowData.MenuBarOffsetMinVal;
  const float spare = std::max(0.0f, std::floor(bar_height * unit(context)) - ImGui::GetFrameHeight());
  offset = {0, std::floor(spare / 2)};
  const ImGuiWindowFlags bar = is_presenting(context) ? ImGuiWindowFlags_None : ImGuiWindowFlags_MenuBar;
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | bar |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::Begin("attnscope", nullptr, flags);
  offset = {0, 0};
  ImGui::PopStyleVar();
}

// Draws the whole window: menu bar, setup, stages, inspector, status line, and the dialog over them if one is open.
// Panels that change the document are drawn before panels that show its numbers, and `apply` runs the calls in between,
// so that a change is seen in its own frame.
void draw_workspace(const ViewContext& context, CallQueue& queue, const Apply& apply) {
  handle_shortcuts(context, queue);
  apply();
  begin_main_window(context);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      {panel_padding * unit(context), panel_padding_above * unit(context)});
  const float footer_height = context.now.footer.empty() ? 0 : std::floor(strip_height * unit(context));
  if (is_presenting(context)) {
    draw_presentation(context, queue, ImGui::GetIO().DisplaySize.y - footer_height);
  } else {
    draw_window_content(context, queue, apply, footer_height);
  }
  draw_footer(context, footer_height);
  if (context.now.is_comparing()) {
    draw_cell_menu(SideContext(context, context.now.view.side), queue);
  } else {
    draw_cell_menu(context, queue);
  }
  ImGui::PopStyleVar();
  draw_token_window(context, queue);
  for (const Action& action : actions()) {
    if (action.draw_window) action.draw_window(context, queue);
  }
  // Last, and within the same window as they: in the frame in which a dialog opens, Dear ImGui 1.86 has no place for a
  // window or a tooltip that appears after it.
  draw_dialog(context, queue);
  ImGui::End();
}

void measure(ViewContext& context) {
  const ImFont* const font = context.fonts.small_text;
  context.widest_label = context.widest ? context.widest->of(context.now, font) : widest_of(context.now.labels, font);
}

}  // namespace

bool build_frame(Session& session, const FrameTools& tools) {
  if (tools.widgets) tools.widgets->clear();
  std::set<CellMark> marks;
  ViewContext context(session.shown(), {tools});
  context.marks = &marks;
  const std::optional<Source> hovered = session.shown().hovered;
  session.begin_frame();
  bool is_changed = false;
  const auto apply = [&] {
    const std::uint64_t replaced = session.shown().replaced;
    if (session.run_calls()) is_changed = true;
    forget_text_steps(session.shown().replaced != replaced);
    measure(context);
  };
  apply();
  draw_workspace(context, session.queue(), apply);
  // A drag whose slider is gone, with the panel around it, ends too.
  if (session.is_editing() && !ImGui::IsAnyItemActive())
    session.queue().push_idle([](const Controllers& to) { to.documents.finish_edit(); });
  apply();
  session.end_frame();
  return is_changed || hovered != session.shown().hovered;
}

void build_frame(const UiState& moment, const FrameTools& tools) {
  std::set<CellMark> marks;
  ViewContext context(moment, {tools});
  context.marks = &marks;
  measure(context);
  CallQueue nobody_listens;
  draw_workspace(context, nobody_listens, [] {});
}

}  // namespace attnscope
