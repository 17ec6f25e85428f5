#include "features/studies/panel/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "features/predict/panel/covering.h"
#include "features/shared/panel/menu.h"
#include "look/number_text.h"
#include "paint_window/paint_picture.h"
#include "paint_window/text.h"
#include "scene/board_layout.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float list_width = 190;

// Returns the right end of what shows of the window, however wide its content is.
float visible_right() {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float scrollbar = ImGui::GetScrollMaxY() > 0 ? style.ScrollbarSize : 0;
  return ImGui::GetScrollX() + ImGui::GetWindowWidth() - scrollbar - style.ItemSpacing.x / 2;
}

void draw_list_of_studies(const ViewContext& context, CommandQueue& queue) {
  std::vector<Choice> choices;
  std::vector<std::string> reasons;
  reasons.reserve(studies().size());
  int shown = 0;
  for (const StudyInfo& study : studies()) {
    if (study.id == shown_study(context.now.view.study).id) shown = static_cast<int>(choices.size());
    reasons.push_back(obstacle_to(study, *context.now.result()));
    choices.push_back({std::string(study.title), reasons.back(), study.id});
  }
  ImGui::SetNextItemWidth(list_width * unit(context));
  const int chosen = choose_from(context, "study/view", choices, shown);
  if (chosen >= 0) show_study(queue, studies()[static_cast<std::size_t>(chosen)].id);
}

// The list of views, the question, and the way back.
void draw_study_title(const ViewContext& context, CommandQueue& queue) {
  draw_list_of_studies(context, queue);
  const float back = ImGui::CalcTextSize("×  Diagram").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float right = visible_right();
  ImGui::SameLine(0, 12 * unit(context));
  push_font(context.fonts.heading);
  ImGui::AlignTextToFramePadding();
  const float room = right - back - ImGui::GetCursorPosX() - 12 * unit(context);
  ImGui::TextUnformatted(
      fit_text(context.fonts.heading, shown_study(context.now.view.study).question, std::max(room, 1.0F)).c_str());
  ImGui::PopFont();
  register_item(context, "study/question");
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - back));
  if (push_button(context, "study/back", "×  Diagram", {}, "Back to the diagram (Esc)")) close_study(queue);
}

void draw_sentence(const ViewContext& context, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  ImGui::BeginGroup();
  plain_text(wrapped(context.fonts.text, text, visible_right() - ImGui::GetCursorPosX()));
  ImGui::EndGroup();
  register_item(context, name);
}

constexpr float control_width = 150;
constexpr double steps_a_second = 0.8;
constexpr double least_seconds = 1e-4;      // between two frames that somebody sees
constexpr double most_seconds = 0.05;       // of one: it was asleep before
constexpr float most_decimals_shown = 100;  // from here on a number has none

void set_value(CommandQueue& queue, const Board& board, const BoardControl& control, double value) {
  change_view(queue, [view = board.id, id = control.id, value](ViewState& state) {
    state.study.id = view;
    state.study.values[id] = value;
  });
}

void draw_slider(const ViewContext& context, CommandQueue& queue, const Board& board, const BoardControl& control,
                 double shown) {
  auto value = static_cast<float>(shown);
  const int flags = ImGuiSliderFlags_NoRoundToFormat | (control.is_logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  ImGui::SetNextItemWidth(control_width * unit(context));
  const char* const decimals = control.is_whole || value >= most_decimals_shown ? "%.0f" : "%.2f";
  const auto step = static_cast<std::size_t>(std::lround(shown));
  const std::string format = step < control.choices.size() ? control.choices[step] : decimals;
  if (!float_slider("##value", value, static_cast<float>(control.low), static_cast<float>(control.high), format.c_str(),
                    flags))
    return;
  const double exact = static_cast<double>(value);
  const double chosen = control.is_whole ? std::round(exact) : std::round(exact * 100) / 100;
  set_value(queue, board, control, std::clamp(chosen, control.low, control.high));
}

void draw_choice(const ViewContext& context, CommandQueue& queue, const Board& board, const BoardControl& control,
                 const std::string& name, double shown) {
  std::vector<Choice> choices;
  for (const std::string& each : control.choices) choices.push_back({each});
  ImGui::SetNextItemWidth(control_width * unit(context));
  const int current = std::clamp(static_cast<int>(shown), 0, static_cast<int>(choices.size()) - 1);
  const int chosen = choose_from(context, name, choices, current, {}, control.help);
  if (chosen >= 0) set_value(queue, board, control, chosen);
}

// From where it stands, or from its beginning, on to its end, in which the window has nothing more to do. Where no time
// passes nobody watches: it ends at once.
void draw_play(const ViewContext& context, CommandQueue& queue, const Board& board, const BoardControl& control,
               const std::string& name, double shown) {
  bool& is_playing = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("plays"), false);
  ImGui::SameLine(0, 6 * unit(context));
  if (push_button(context, name + "/play", is_playing ? "Stop" : "▸ Play", {}, "Shows the steps one after the other")) {
    is_playing = !is_playing;
    if (is_playing && shown >= control.high) set_value(queue, board, control, shown = control.low);
  }
  if (!is_playing) return;
  const auto passed = static_cast<double>(ImGui::GetIO().DeltaTime);
  const double next = passed < least_seconds ? control.high : shown + std::min(passed, most_seconds) * steps_a_second;
  set_value(queue, board, control, std::min(next, control.high));
  is_playing = next < control.high;
}

// The controls of the view, in a row.
void draw_board_controls(const ViewContext& context, CommandQueue& queue, const Board& board) {
  for (const BoardControl& control : board.controls) {
    // A control shows its new value at once, also while the board of before is still shown.
    const double shown = context.now.view.study.value(control.id, control.value);
    const std::string name = fmt::format("study/{}", control.id);
    ImGui::PushID(control.id.c_str());
    const float needed = ImGui::CalcTextSize(control.label.c_str()).x + (control_width + 28) * unit(context);
    if (&control != board.controls.data()) {
      const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
      if (ImGui::GetItemRectMax().x + needed <= right) ImGui::SameLine(0, 20 * unit(context));
    }
    if (control.kind == BoardControl::Kind::toggle) {
      bool is_on = shown > 0;
      if (ImGui::Checkbox(control.label.c_str(), &is_on)) set_value(queue, board, control, is_on ? 1 : 0);
      register_item(context, name, {.is_on = is_on});
      item_tooltip(context, control.help);
    } else {
      ImGui::AlignTextToFramePadding();
      ImGui::TextUnformatted(control.label.c_str());
      ImGui::SameLine(0, 8 * unit(context));
      if (control.kind == BoardControl::Kind::choice) {
        draw_choice(context, queue, board, control, name, shown);
      } else {
        draw_slider(context, queue, board, control, shown);
        register_item(context, name, {.value = shown});
        item_tooltip(context, control.help);
        if (control.plays) draw_play(context, queue, board, control, name, shown);
      }
    }
    ImGui::PopID();
  }
}

// Says where a cell stands, and its number to the last digit.
std::string cell_text(const BoardMatrix& matrix, Index row, Index col) {
  const auto label = [](const std::vector<std::string>& labels, Index at) {
    return labels.empty() ? fmt::format("{}", at + 1) : labels[static_cast<std::size_t>(at)];
  };
  const auto cell = static_cast<std::size_t>(row * matrix.cols + col);
  std::string text =
      fmt::format("{}: {}, {}", matrix.title, label(matrix.row_labels, row), label(matrix.column_labels, col));
  if (matrix.texts.empty()) text += "\n" + format_full(matrix.values[cell]);
  if (matrix.marks.empty()) return text;
  if (matrix.marks[cell].is_hidden) text += "  masked";
  if (matrix.marks[cell].is_dropped) text += "  dropped";
  if (matrix.marks[cell].differs) text += "  changed";
  return text;
}

void rest_on(CommandQueue& queue, const Source& source, bool is_clicked) {
  queue.push_back(Hover{source});
  if (is_clicked) change_view(queue, [source](ViewState& state) { state.pinned = source; });
}

// Lays an invisible button over a box, which is not empty, and returns whether it is pressed.
bool is_box_pressed(const ViewContext& context, const PicturePlace& place, const Box& box, int number,
                    const std::string& name) {
  ImGui::SetCursorScreenPos(place.at(box.x, box.y));
  ImGui::PushID(number);
  const bool is_pressed = ImGui::InvisibleButton(
      "box", {static_cast<float>(box.width) * place.scale, static_cast<float>(box.height) * place.scale});
  ImGui::PopID();
  register_item(context, name);
  return is_pressed;
}

void handle_cells(const ViewContext& context, CommandQueue& queue, const scene::BoardCells& cells,
                  const PicturePlace& place, int number) {
  if (cells.box.width <= 0 || cells.box.height <= 0) return;  // without cells, as where no draw is left
  const bool is_clicked = is_box_pressed(context, place, cells.box, number, fmt::format("study/matrix/{}", number));
  if (!ImGui::IsItemHovered()) return;
  const BoardMatrix& matrix = *cells.matrix;
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const auto at = [&](float offset, double side, Index count) {
    return std::clamp<Index>(static_cast<Index>(static_cast<double>(offset / place.scale) / side), 0, count - 1);
  };
  const Index row = at(pointer.y - low.y, cells.cell_height(), matrix.rows);
  const Index col = at(pointer.x - low.x, cells.cell_width(), matrix.cols);
  item_tooltip(context, cell_text(matrix, row, col));
  if (!matrix.first) return;
  Source source = *matrix.first;
  source.row += row;
  source.col += col;
  rest_on(queue, source, is_clicked);
}

void handle_spot(const ViewContext& context, CommandQueue& queue, const scene::BoardSpot& spot,
                 const PicturePlace& place, int number) {
  if (spot.box.width <= 0 || spot.box.height <= 0) return;
  const bool is_clicked =
      is_box_pressed(context, place, spot.box, number, fmt::format("study/token/{}", spot.source.row));
  if (ImGui::IsItemHovered()) rest_on(queue, spot.source, is_clicked);
}

// The board as large as there is room, and what the pointer does on it.
void draw_board(const ViewContext& context, CommandQueue& queue, const Board& board) {
  ImGui::Spacing();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const PicturePlace place{ImGui::GetCursorScreenPos(), unit(context)};
  const float scrollbar = ImGui::GetStyle().ScrollbarSize;  // kept free, so that one makes nothing narrower
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetScrollX();
  const auto units = [&](float length) { return static_cast<double>(std::max(length, 100.0F) / place.scale); };
  const Theme& theme = context.theme;
  const scene::BoardLayout layout = scene::layout_board(
      board, {.width = units(right - place.origin.x - scrollbar),
              .height = units(room.y - 4 * place.scale),
              .text = static_cast<double>(context.fonts.text_em * font_height(context.fonts.text) / place.scale),
              .theme = &theme,
              .paper = theme.inks.card,
              .line = theme.inks.border,
              .measure = measure_in(context.fonts, place.scale)});
  paint_picture(context, layout.picture, place);
  int number = 0;
  for (const scene::BoardCells& cells : layout.cells) handle_cells(context, queue, cells, place, number++);
  for (const scene::BoardSpot& spot : layout.spots) handle_spot(context, queue, spot, place, number++);
  ImGui::SetCursorScreenPos(place.origin);
  ImGui::Dummy({static_cast<float>(layout.width) * place.scale, static_cast<float>(layout.height) * place.scale});
  register_item(context, "study/board");
}

void draw_view(const ViewContext& context, CommandQueue& queue) {
  draw_study_title(context, queue);
  if (const std::string covered = obstacle_of_cover(context.now); !covered.empty()) return dim_text(context, covered);
  const Board* const board = context.now.board.get();
  if (!board || board->id != shown_study(context.now.view.study).id) return dim_text(context, "Being computed.");
  draw_sentence(context, "study/sentence", board->headline);
  if (!board->controls.empty()) draw_board_controls(context, queue, *board);
  if (!board->note.empty()) dim_text(context, board->note);
  if (!board->lines.empty()) draw_board(context, queue, *board);
}

}  // namespace

void show_study(CommandQueue& queue, std::string_view id) {
  change_view(queue, [id = std::string(id)](ViewState& state) {
    state.layout = Layout::study;
    if (state.study.id != id) state.study = {.id = id};
    state.passing.question.reset();
  });
}

void close_study(CommandQueue& queue) {
  change_view(queue, [](ViewState& state) {
    state.layout = Layout::diagram;
    state.passing.question.reset();
  });
}

void draw_study(const ViewContext& context, CommandQueue& queue) {
  if (!draw_questions(context, queue)) return draw_view(context, queue);
  ImGui::SameLine(0, 16 * unit(context));
  ImGui::BeginChild("view", {0, 0}, false);
  draw_view(context, queue);
  ImGui::EndChild();
}

void draw_study_menu(const ViewContext& context, CommandQueue& queue) {
  if (!begin_menu(context, "menu/learn/views", "Views")) return;
  for (const StudyInfo& study : studies()) {
    const std::string obstacle =
        context.now.result() ? obstacle_to(study, *context.now.result()) : "Nothing is computed yet.";
    const bool is_shown =
        context.now.view.layout == Layout::study && shown_study(context.now.view.study).id == study.id;
    const std::string label = fmt::format("{}: {}", study.title, study.question);
    if (menu_item(context, fmt::format("menu/learn/views/{}", study.id), label,
                  {.is_on = is_shown, .obstacle = obstacle}))
      show_study(queue, study.id);
  }
  ImGui::EndMenu();
}

}  // namespace attnscope
