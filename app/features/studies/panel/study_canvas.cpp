#include <fmt/format.h>

#include <algorithm>

#include "features/shared/panel/menu.h"
#include "features/studies/panel/study.h"
#include "look/number_text.h"
#include "paint_window/paint_picture.h"
#include "paint_window/text.h"
#include "scene/board_layout.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

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

}  // namespace

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

}  // namespace attnscope
