#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "features/compare/panel/comparison.h"
#include "features/files/exchange_controller.h"
#include "features/files/reading_controller.h"
#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "platform/system/process.h"
#include "session/ui_state.h"
#include "session/view_state.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"
#include "view/stage_look.h"

// The bars above the workspace: menus, and tools below them.
namespace attnscope {
namespace {

// Opens a menu as keys do: the arrows go on from there to the menus beside it.
void open_first_menu(const char* label) {
  ImGuiWindow* const window = ImGui::GetCurrentWindow();
  const ImVec2 pos = ImGui::GetCursorScreenPos();
  const ImVec2 size{ImGui::CalcTextSize(label).x, ImGui::GetFrameHeight()};
  window->NavLastIds[ImGuiNavLayer_Menu] = window->GetID(label);
  window->NavRectRel[ImGuiNavLayer_Menu] = {pos.x - window->Pos.x, pos.y - window->Pos.y,
                                            pos.x - window->Pos.x + size.x, pos.y - window->Pos.y + size.y};
  ImGui::OpenPopup(label);
  show_focus();
}

void draw_copy_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/edit/copy", "Copy as")) return;
  action_items(context, queue, {"edit/copy_picture"});
  if (in_browser && menu_item(context, "menu/edit/copy/link",
                              lesson_on_screen(context.now) ? "Link to this lesson" : "Link to this document",
                              {.obstacle = lesson_on_screen(context.now) ? "" : viewing_reason(context)}))
    queue.push([](const Controllers& to) { to.exchange.copy_link(); });
  for (const CodeItem& item : code_items) {
    if (menu_item(context, fmt::format("menu/edit/copy/{}", item.id), item.label,
                  {.obstacle = viewing_reason(context)}))
      queue.push([language = item.language](const Controllers& to) { to.exchange.copy_code(language); });
  }
  end_menu();
}

void draw_copy_stage_menu(const ViewContext& context, CallQueue& queue) {
  const Stage stage = copied_stage(context.now.view);
  const std::string label = fmt::format("Copy {} as", info(stage).title);
  if (!begin_menu(context, "menu/edit/copy_stage", (label + "##copy_stage").c_str())) return;
  for (const MatrixItem& item : matrix_items) {
    if (menu_item(context, fmt::format("menu/edit/copy_stage/{}", item.id), item.label))
      queue.push([form = item.form](const Controllers& to) { to.exchange.copy_stage(form); });
  }
  end_menu();
}

void draw_edit_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/edit", "Edit")) return;
  action_items(context, queue, {"edit/undo", "edit/redo", "", "edit/go_to"});
  draw_copy_menu(context, queue);
  draw_copy_stage_menu(context, queue);
  action_items(context, queue, {"edit/paste", "", "edit/head", "", "edit/settings"});
  end_menu(context, queue, "edit/");
}

void draw_layout_items(const ViewContext& context, CallQueue& queue) {
  for (const ViewModeInfo& row : view_modes()) {
    if (menu_item(
            context, fmt::format("menu/view/{}", row.mode.id), fmt::format("{}: {}", row.title, row.help),
            {.keys = row.keys(), .is_on = context.now.view.mode == row.mode, .obstacle = row.obstacle_in(context.now)}))
      show_layout(queue, row.mode);
  }
}

void draw_view_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/view", "View")) return;
  draw_layout_items(context, queue);
  action_items(context, queue,
               {"", "view/back", "view/forward", "", "view/setup", "view/inspector", "", "view/present"});
  draw_presented_stages_menu(context, queue);
  end_menu(context, queue, "view/");
}

void draw_learn_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/learn", "Learn")) return;
  draw_lessons_menu(context, queue);
  action_items(context, queue, {"learn/questions"});
  if (begin_menu(context, "menu/learn/predict", "Predict")) {
    action_items(context, queue, {"predict/stage", "predict/row"});
    end_menu();
  }
  action_items(context, queue, {"learn/film", "learn/glossary"});
  end_menu(context, queue, "learn/");
}

void draw_help_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/help", "Help")) return;
  end_menu(context, queue, "help/");
}

}  // namespace

float draw_menu_bar(const ViewContext& context, CallQueue& queue) {
  if (!ImGui::BeginMenuBar()) return 0;
  if (context.now.view.transient.opens_menu) {
    open_first_menu("File");
    change_view(queue, [](ViewState& state) { state.transient.opens_menu = false; });
  }
  draw_file_menu(context, queue);
  draw_edit_menu(context, queue);
  draw_view_menu(context, queue);
  draw_compare_menu(context, queue);
  draw_learn_menu(context, queue);
  draw_help_menu(context, queue);
  const float end = ImGui::GetCursorScreenPos().x;
  ImGui::EndMenuBar();
  return end;
}

namespace {

constexpr Index max_head_chips = 16;
constexpr float batch_slider_width = 64;
constexpr float stage_width = 170;
constexpr float small_stage_width = 150;  // on a small screen
constexpr float bar_padding = 8;          // at both ends
constexpr float group_gap = 14;

// The parts of a narrow bar. The settings have what is left out, and heads are chosen one by one.
struct Form {
  bool has_chips = true;
  bool has_range = true;
  bool has_decimals = true;
};

// The fullest first. The last one is for bars that are broken into lines.
constexpr Form forms[] = {{true, true, true},   {true, false, true},  {false, true, true},
                          {true, false, false}, {false, false, true}, {false, false, false}};

float width_of_stage_choice(const ViewContext& context) {
  return (is_small_screen(context) ? small_stage_width : stage_width) * unit(context);
}

// A part of the bar that stays together: its width, and the function that draws it at the cursor.
struct Piece {
  float width = 0;
  float gap = 0;  // distance to the piece before
  std::function<void()> draw;
};

struct Pieces {
  std::vector<Piece> left;
  std::vector<Piece> right;  // drawn as one at the right end
};

float width_of(const std::vector<Piece>& pieces) {
  float width = 0;
  for (const Piece& piece : pieces) width += piece.width + piece.gap;
  return width;
}

float room_in(const ViewContext& context, float width) { return width - 2 * bar_padding * unit(context); }

std::string capitalized(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

void draw_stage_choice(const ViewContext& context, CallQueue& queue) {
  std::vector<Choice> choices;
  std::vector<Stage> offered;
  for (const StageInfo& stage : stages()) {
    if (!context.now.result() || !has(*context.now.result(), stage.stage)) continue;
    choices.push_back({std::string(stage.title), {}, stage.id});
    offered.push_back(stage.stage);
  }
  const auto at = std::ranges::find(offered, context.now.view.stage);
  const StageInfo& current = info(context.now.view.stage);
  if (at == offered.end()) {  // of another mechanism: what is shown instead says so
    choices.push_back({std::string(current.title), "This mechanism has no such stage.", current.id});
    offered.push_back(context.now.view.stage);
  }
  const auto shown = static_cast<int>(std::ranges::find(offered, context.now.view.stage) - offered.begin());
  ImGui::SetNextItemWidth(width_of_stage_choice(context));
  const int chosen = choose_from(context, "view/stage", choices, shown);
  if (chosen < 0) return;
  change_view(queue,
              [stage = offered[static_cast<std::size_t>(chosen)]](ViewState& state) { show_stage(state, stage); });
}

// Draws the button of a head, framed in the grey of its mark: its digit is as dark as any text, unless it is off.
void draw_head_chip(const ViewContext& context, CallQueue& queue, Index head) {
  const Rgb colour = head_rgb(head, context.theme.is_dark);
  const bool chosen = head == context.now.view.head;
  ImGui::PushStyleColor(ImGuiCol_Button, chosen ? to_u32(colour) : 0);
  const ThemeInks& inks = context.theme.inks;
  const bool is_head_off = is_off(context.now.result()->config, head);
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(chosen ? inks.card : is_head_off ? inks.dim_text : inks.text));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
  ImGui::PushStyleColor(ImGuiCol_Border, to_u32(is_head_off ? inks.border : colour));
  if (push_button(context, "view/head/" + std::to_string(head), std::to_string(head + 1).c_str(), {},
                  is_head_off ? "Switched off (O): its context is zero" : "", chosen))
    set_head(queue, head);
  if (is_head_off) {
    stroke_line({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y},
                {ImGui::GetItemRectMax().x, ImGui::GetItemRectMin().y}, {chosen ? inks.card : inks.warning},
                1.5f * unit(context));
  }
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar();
}

float text_width(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

void draw_label(const std::string& text) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(text.c_str());
}

constexpr float after_label = 6;
constexpr float between_chips = 3;

Piece head_chips(const ViewContext& context, CallQueue& queue, Index heads) {
  float width = text_width("Head") + after_label * unit(context);
  for (Index head = 0; head < heads; ++head) {
    width += button_width(std::to_string(head + 1).c_str());
    if (head > 0) width += between_chips * unit(context);
  }
  return {width, group_gap * unit(context), [&context, &queue, heads] {
            draw_label("Head");
            if (!context.now.result()->finished.are_all()) item_tooltip(context, "The others follow.");
            for (Index head = 0; head < heads; ++head) {
              ImGui::SameLine(0, (head == 0 ? after_label : between_chips) * unit(context));
              draw_head_chip(context, queue, head);
            }
          }};
}

// Wide enough for any of the heads, so that the arrows stay where they are.
Piece head_arrows(const ViewContext& context, CallQueue& queue, Index heads) {
  const float label = text_width(fmt::format("Head {} of {}", heads, heads));
  const float width = label + (after_label + between_chips) * unit(context) + button_width("‹") + button_width("›");
  return {width, group_gap * unit(context), [&context, &queue, heads, label] {
            const float begin = ImGui::GetCursorPosX();
            draw_label(fmt::format("Head {} of {}", std::min(context.now.view.head, heads - 1) + 1, heads));
            ImGui::SameLine();
            ImGui::SetCursorPosX(begin + label + after_label * unit(context));
            if (push_button(context, "view/head/previous", "‹", {}, "Previous head ([)")) step_head(context, queue, -1);
            ImGui::SameLine(0, between_chips * unit(context));
            if (push_button(context, "view/head/next", "›", {}, "Next head (])")) step_head(context, queue, 1);
          }};
}

std::string batch_text(Index batch, Index batch_size) { return fmt::format("Batch {} of {}", batch, batch_size); }

void draw_batch_choice(const ViewContext& context, CallQueue& queue, Index batch_size) {
  int batch = static_cast<int>(std::min(context.now.view.batch, batch_size - 1)) + 1;
  draw_label(batch_text(batch, batch_size));
  ImGui::SameLine(0, after_label * unit(context));
  ImGui::SetNextItemWidth(batch_slider_width * unit(context));
  if (track_slider(context, "##batch", batch, 1, static_cast<int>(batch_size)))
    change_view(queue, [batch](ViewState& state) { state.batch = batch - 1; });
  register_item(context, "view/batch", {.value = static_cast<double>(batch)});
}

void add_layouts(std::vector<Piece>& pieces, const ViewContext& context, CallQueue& queue) {
  for (const ViewModeInfo& row : view_modes()) {
    const bool is_shown = context.now.view.mode == row.mode;
    const std::string_view obstacle = is_shown ? "" : row.obstacle_in(context.now);
    if (!obstacle.empty() && !row.keeps_button) continue;
    pieces.push_back(
        {button_width(row.title), pieces.empty() ? 0 : 2 * unit(context), [&context, &queue, &row, is_shown, obstacle] {
           const std::string help = fmt::format("{} ({})", capitalized(row.help), row.keys());
           if (choice_button(context, fmt::format("view/{}", row.mode.id), row.title, is_shown, help, obstacle))
             show_layout(queue, row.mode);
         }});
  }
}

std::vector<Piece> left_pieces(const ViewContext& context, CallQueue& queue, bool has_chips) {
  std::vector<Piece> pieces;
  add_layouts(pieces, context, queue);
  const ViewModeInfo& mode = info(context.now.view.mode);
  const float gap = group_gap * unit(context);
  if (mode.mode.shows_one_stage || (mode.mode == ViewMode::diagram && is_small_screen(context)))
    pieces.push_back({width_of_stage_choice(context), gap, [&context, &queue] { draw_stage_choice(context, queue); }});
  const Result* const result = context.now.result();
  if (!result) return pieces;
  const Index heads = head_count(result->config);
  if (mode.mode.shows_one_head && heads > 1) {
    const bool are_few = has_chips && heads <= max_head_chips;
    pieces.push_back(are_few ? head_chips(context, queue, heads) : head_arrows(context, queue, heads));
  }
  if (const Index size = result->config.batch_size; size > 1) {
    const float width = text_width(batch_text(size, size)) + (after_label + batch_slider_width) * unit(context);
    pieces.push_back({width, gap, [&context, &queue, size] { draw_batch_choice(context, queue, size); }});
  }
  return pieces;
}

const char* decimals_label(const ViewContext& context) {
  return context.now.view.decimals == 4 ? "4 decimals" : "2 decimals";
}

void draw_decimals_choice(const ViewContext& context, CallQueue& queue) {
  const bool four = context.now.view.decimals == 4;
  if (choice_button(context, "view/decimals", decimals_label(context), four,
                    "Decimals of the numbers in the cells: 2, or 4 to match a notebook"))
    change_view(queue, [four](ViewState& state) { state.decimals = four ? 2 : 4; });
}

std::string range_label(const RangeModeName& row) { return fmt::format("Colours: {}", row.title); }

float range_width(const ViewContext& context) {
  const auto row = std::ranges::find(range_modes, context.now.view.range, &RangeModeName::mode);
  return text_width(range_label(*row)) + ImGui::GetStyle().FramePadding.x + ImGui::GetFrameHeight() + unit(context);
}

void draw_range_choice(const ViewContext& context, CallQueue& queue) {
  std::vector<Choice> choices;
  int shown = 0;
  for (const RangeModeName& row : range_modes) {
    if (row.mode == context.now.view.range) shown = static_cast<int>(choices.size());
    choices.push_back({range_label(row), {}, row.id});
  }
  for (const ImGuiCol flat : {ImGuiCol_FrameBg, ImGuiCol_Button}) ImGui::PushStyleColor(flat, ImVec4{0, 0, 0, 0});
  ImGui::SetNextItemWidth(range_width(context));
  const int chosen = choose_from(context, "view/range", choices, shown, {}, range_modes_help);
  ImGui::PopStyleColor(2);
  if (chosen < 0) return;
  change_view(queue, [chosen](ViewState& state) { state.range = range_modes[static_cast<std::size_t>(chosen)].mode; });
}

std::string fit_label(const ViewContext& context) {
  const float zoom = context.now.view.diagram_zoom;
  const bool is_larger = info(context.now.view.mode).mode == ViewMode::diagram && zoom != 1;
  return is_larger ? fmt::format("{:.0f} %: fit", zoom * 100) : "Fit";
}

void draw_fit(const ViewContext& context, CallQueue& queue) {
  const Action& fit = action("view/fit");
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4{0, 0, 0, 0});
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(context.theme.inks.accent));
  if (push_button(context, "view/fit", fit_label(context).c_str(), obstacle_of(fit, context),
                  "Shows all of it (0). Ctrl+wheel zooms around the pointer."))
    fit.run(context, queue);
  ImGui::PopStyleColor(2);
}

std::vector<Piece> right_pieces(const ViewContext& context, CallQueue& queue, const Form& form) {
  std::vector<Piece> pieces;
  const float gap = 2 * unit(context);
  if (form.has_decimals)
    pieces.push_back({button_width("2 decimals"), 0, [&context, &queue] { draw_decimals_choice(context, queue); }});
  if (form.has_range)
    pieces.push_back({range_width(context), gap, [&context, &queue] { draw_range_choice(context, queue); }});
  pieces.push_back({button_width(fit_label(context).c_str()), gap, [&context, &queue] { draw_fit(context, queue); }});
  return pieces;
}

Pieces pieces_of(const ViewContext& context, CallQueue& queue, const Form& form) {
  return {left_pieces(context, queue, form.has_chips), right_pieces(context, queue, form)};
}

float width_of(const ViewContext& context, const Pieces& pieces) {
  return width_of(pieces.left) + group_gap * unit(context) + width_of(pieces.right);
}

// Returns the pieces of the fullest form that fits into a line, else of the barest.
Pieces fitting_pieces(const ViewContext& context, CallQueue& queue, float room) {
  Pieces pieces;
  for (const Form& form : forms) {
    pieces = pieces_of(context, queue, form);
    if (width_of(context, pieces) <= room) break;
  }
  return pieces;
}

// Pieces with their places: in as many lines as they need.
struct PlacedPiece {
  const Piece* piece = nullptr;
  float x = 0;
  int line = 0;
};

std::vector<PlacedPiece> place(const ViewContext& context, const Pieces& pieces, float room) {
  std::vector<PlacedPiece> placed;
  float x = 0;
  int line = 0;
  for (const Piece& piece : pieces.left) {
    const bool is_full = x > 0 && x + piece.gap + piece.width > room;
    line += is_full ? 1 : 0;
    x = is_full || x == 0 ? 0 : x + piece.gap;
    placed.push_back({&piece, x, line});
    x += piece.width;
  }
  const float right = width_of(pieces.right);
  if (x > 0 && x + group_gap * unit(context) + right > room) ++line;
  x = std::max(0.0f, room - right);
  for (const Piece& piece : pieces.right) {
    x += piece.gap;
    placed.push_back({&piece, x, line});
    x += piece.width;
  }
  return placed;
}

}  // namespace

int tool_bar_lines(const ViewContext& context, float width) {
  CallQueue unused;
  const float room = room_in(context, width);
  const Pieces pieces = fitting_pieces(context, unused, room);
  return place(context, pieces, room).back().line + 1;
}

void draw_tool_bar(const ViewContext& context, CallQueue& queue, float line_height) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = room_in(context, ImGui::GetWindowWidth());
  const float drop = std::floor((line_height - ImGui::GetFrameHeight()) / 2);
  const Pieces pieces = fitting_pieces(context, queue, room);
  for (const PlacedPiece& placed : place(context, pieces, room)) {
    ImGui::SetCursorScreenPos({corner.x + bar_padding * unit(context) + std::floor(placed.x),
                               corner.y + static_cast<float>(placed.line) * line_height + drop});
    ImGui::BeginGroup();
    placed.piece->draw();
    ImGui::EndGroup();
  }
}

}  // namespace attnscope
