#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "look/board_layout.h"
#include "views/format.h"
#include "views/menu.h"
#include "views/study.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

const ImFont* font_of(const ViewContext& context, BoardFont font) {
  const Fonts& fonts = context.fonts;
  switch (font) {
    case BoardFont::heading:
      return fonts.heading;
    case BoardFont::text:
      return fonts.text;
    case BoardFont::small:
      return fonts.small_text;
    default:
      return fonts.small_number;
  }
}

BoardMeasure measure_of(const ViewContext& context) {
  BoardMeasure measure;
  measure.width_of = [&context](BoardFont font, std::string_view text) {
    return static_cast<double>(text_size(font_of(context, font), text).x);
  };
  for (std::size_t font = 0; font < board_font_count; ++font)
    measure.line[font] = static_cast<double>(font_height(font_of(context, static_cast<BoardFont>(font))));
  measure.unit = static_cast<double>(unit(context));
  return measure;
}

Rgb rgb_of(const ImVec4& colour) {
  const auto byte = [](float share) { return static_cast<std::uint8_t>(std::lround(share * 255)); };
  return {byte(colour.x), byte(colour.y), byte(colour.z)};
}
ImU32 ink_of(Rgb colour) { return IM_COL32(colour.r, colour.g, colour.b, 255); }

BoardInks inks_of(const Theme& theme) {
  return {.text = rgb_of(theme.text),
          .dim = rgb_of(theme.dim_text),
          .line = rgb_of(theme.border),
          .accent = rgb_of(theme.accent),
          .mark = rgb_of(theme.cross_hair),
          .warning = rgb_of(theme.warning),
          .hidden = grey(theme.greys.hidden),
          .hatch = grey(theme.greys.hatch),
          .paper = rgb_of(theme.card),
          .is_dark = theme.dark};
}

ImVec2 place(ImVec2 origin, double x, double y) {
  return {origin.x + static_cast<float>(x), origin.y + static_cast<float>(y)};
}

void draw_fills(ImDrawList& list, const std::vector<BoardFill>& fills, ImVec2 origin) {
  for (const BoardFill& fill : fills)
    list.AddRectFilled(place(origin, fill.box.x, fill.box.y), place(origin, fill.box.right(), fill.box.bottom()),
                       ink_of(fill.colour));
}

void draw_picture(const ViewContext& context, const BoardPicture& picture, ImVec2 origin) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_fills(list, picture.fills, origin);
  std::vector<ImVec2> points;
  for (const BoardStroke& stroke : picture.strokes) {
    points.clear();
    for (const BoardPoint& point : stroke.points) points.push_back(place(origin, point.x, point.y));
    list.AddPolyline(points.data(), static_cast<int>(points.size()), ink_of(stroke.colour), 0,
                     static_cast<float>(stroke.thickness));
  }
  for (const BoardWord& word : picture.words) {
    const ImVec2 at = place(origin, word.x, word.y);
    draw_text(list, font_of(context, word.font), {std::floor(at.x), std::floor(at.y)}, ink_of(word.colour), word.text);
  }
}

// Where it stands, and its number to the last digit.
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
  if (matrix.marks[cell].differs) text += "  another one than before";
  return text;
}

void rest_on(CommandQueue& queue, const Source& source, bool is_clicked) {
  queue.push_back(Hover{source});
  if (is_clicked) change_view(queue, [source](ViewState& state) { state.pinned = source; });
}

void handle_cells(const ViewContext& context, CommandQueue& queue, const BoardCells& cells, ImVec2 origin, int number) {
  if (cells.box.width <= 0 || cells.box.height <= 0) return;  // without cells, as where no draw is left
  ImGui::SetCursorScreenPos(place(origin, cells.box.x, cells.box.y));
  ImGui::PushID(number);
  const bool is_clicked =
      ImGui::InvisibleButton("cells", {static_cast<float>(cells.box.width), static_cast<float>(cells.box.height)});
  ImGui::PopID();
  register_item(context, fmt::format("study/matrix/{}", number));
  if (!ImGui::IsItemHovered()) return;
  const BoardMatrix& matrix = *cells.matrix;
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const auto at = [](float offset, double side, Index count) {
    return std::clamp<Index>(static_cast<Index>(static_cast<double>(offset) / side), 0, count - 1);
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

void handle_spot(const ViewContext& context, CommandQueue& queue, const BoardSpot& spot, ImVec2 origin, int number) {
  if (spot.box.width <= 0 || spot.box.height <= 0) return;
  ImGui::SetCursorScreenPos(place(origin, spot.box.x, spot.box.y));
  ImGui::PushID(number);
  const bool is_clicked =
      ImGui::InvisibleButton("spot", {static_cast<float>(spot.box.width), static_cast<float>(spot.box.height)});
  ImGui::PopID();
  register_item(context, fmt::format("study/token/{}", spot.source.row));
  if (ImGui::IsItemHovered()) rest_on(queue, spot.source, is_clicked);
}

}  // namespace

void draw_board(const ViewContext& context, CommandQueue& queue, const Board& board) {
  ImGui::Spacing();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float scrollbar = ImGui::GetStyle().ScrollbarSize;  // kept free, so that one makes nothing narrower
  const float width = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetScrollX() - origin.x - scrollbar;
  const BoardPicture picture =
      lay_out(board, measure_of(context), inks_of(context.theme), static_cast<double>(std::max(width, 100.0F)),
              static_cast<double>(std::max(room.y - 4 * unit(context), 100.0F)));
  draw_picture(context, picture, origin);
  int number = 0;
  for (const BoardCells& cells : picture.cells) handle_cells(context, queue, cells, origin, number++);
  for (const BoardSpot& spot : picture.spots) handle_spot(context, queue, spot, origin, number++);
  ImGui::SetCursorScreenPos(place(origin, 0, 0));
  ImGui::Dummy({static_cast<float>(picture.width), static_cast<float>(picture.height)});
  register_item(context, "study/board");
}

}  // namespace attnscope
