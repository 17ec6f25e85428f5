#include "scene/board_items.h"

#include <algorithm>
#include <array>
#include <utility>

namespace attnscope::scene {
namespace {

constexpr double least_text_width = 180;
constexpr double most_text_width = 420;        // beside something else
constexpr double most_text_width_alone = 820;  // about 100 characters
constexpr double least_cell_padding = 4;       // above and below a number, together
constexpr double table_gap = 18;

picture::Face face_of(BoardFont font) {
  if (font == BoardFont::heading) return picture::Face::bold;
  return font == BoardFont::number ? picture::Face::number : picture::Face::text;
}

// A table with many rows has smaller letters.
BoardFont font_of(const BoardTable& table) { return table.rows.size() > 10 ? BoardFont::small : BoardFont::text; }

double row_height(const BoardTable& table, const BoardPen& pen) {
  return pen.line_of(font_of(table)) + (font_of(table) == BoardFont::small ? 2 : 4);
}

std::vector<double> column_widths(const BoardTable& table, const BoardPen& pen) {
  std::vector<double> widths;
  const auto widen = [&](const std::vector<std::string>& texts, BoardFont font) {
    widths.resize(std::max(widths.size(), texts.size()), 0);
    for (std::size_t i = 0; i < texts.size(); ++i) widths[i] = std::max(widths[i], pen.width(font, texts[i]));
  };
  widen(table.header, BoardFont::small);
  for (const std::vector<std::string>& row : table.rows) widen(row, font_of(table));
  return widths;
}

BoardSize size_of(const BoardTable& table, const BoardPen& pen, double /*width*/) {
  double width = 0;
  for (const double each : column_widths(table, pen)) width += each + table_gap;
  width = std::max(width, pen.width(BoardFont::heading, table.title));
  const double title = title_height(pen, table.title, {}, width);
  return {width,
          title + pen.line_of(BoardFont::small) + 6 + static_cast<double>(table.rows.size()) * row_height(table, pen)};
}

// Words begin at the left, numbers of the other columns end at the right.
void put(const BoardTable& table, BoardPen& pen, const Box& box) {
  const std::vector<double> widths = column_widths(table, pen);
  double top = box.y;
  put_title(pen, table.title, {}, box.x, top, box.width);
  const auto put_row = [&](const std::vector<std::string>& texts, BoardFont font, Rgb colour) {
    double x = box.x;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const bool is_first = i == 0;
      pen.word(texts[i], font, colour, is_first ? x : x + widths[i], top, is_first ? begins : ends);
      x += widths[i] + table_gap;
    }
  };
  put_row(table.header, BoardFont::small, pen.theme.inks.dim_text);
  top += pen.line_of(BoardFont::small) + 2;
  double width = 0;
  for (const double each : widths) width += each + table_gap;
  pen.stroke({{box.x, top}, {box.x + width - table_gap, top}}, pen.line);
  top += 4;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const bool is_marked = static_cast<Index>(row) == table.marked_row;
    put_row(table.rows[row], font_of(table), is_marked ? pen.theme.inks.accent : pen.theme.inks.text);
    top += row_height(table, pen);
  }
}

double text_height(const BoardText& text, const BoardPen& pen, double width) {
  const double lines = static_cast<double>(pen.wrapped(text.text, BoardFont::text, width).size());
  return title_height(pen, text.heading, {}, width) + lines * pen.line_of(BoardFont::text);
}

BoardSize size_of(const BoardText& text, const BoardPen& pen, double width) {
  const double most = std::min(width, pen.growth() * (pen.is_alone ? most_text_width_alone : most_text_width));
  const double whole = pen.width(BoardFont::text, text.text);
  const double least = pen.is_alone ? std::min(most, whole) : std::min({most, whole, least_text_width});
  return {std::max(least, pen.width(BoardFont::heading, text.heading)), text_height(text, pen, least), 0,
          std::min(most, std::max(whole, least))};
}

void put(const BoardText& text, BoardPen& pen, const Box& box) {
  double top = box.y;
  put_title(pen, text.heading, {}, box.x, top, box.width);
  pen.paragraph(text.text, BoardFont::text, pen.theme.inks.text, box.x, top, box.width);
}

BoardSize size_of(const BoardSign& sign, const BoardPen& pen, double /*width*/) {
  return {pen.width(BoardFont::heading, sign.text), pen.line_of(BoardFont::heading)};
}

void put(const BoardSign& sign, BoardPen& pen, const Box& box) {
  pen.word(sign.text, BoardFont::heading, pen.theme.inks.dim_text, box.x,
           box.y + (box.height - pen.line_of(BoardFont::heading)) / 2);
}

}  // namespace

double BoardPen::size(BoardFont font) const {
  constexpr std::array<double, 4> sizes = {1.05, 1, 0.85, 0.8};
  return sizes.at(static_cast<std::size_t>(font)) * canvas.text * growth();
}

double BoardPen::least_cell() const { return picture::line_height * 0.8 * canvas.text + least_cell_padding; }

double BoardPen::width(BoardFont font, std::string_view text) const {
  return SheetPen::width(text, size(font), face_of(font));
}

double BoardPen::widest(BoardFont font, const std::vector<std::string>& texts) const {
  double widest = 0;
  for (const std::string& text : texts) widest = std::max(widest, width(font, text));
  return widest;
}

void BoardPen::word(std::string_view text, BoardFont font, Rgb colour, double x, double top, double anchor,
                    double room) const {
  const double em = size(font);
  std::string shown = room > 0 ? picture::shortened(text, room, em, face_of(font), measure) : std::string(text);
  if (!shown.empty()) SheetPen::put(std::move(shown), em, colour, x, top, anchor, face_of(font));
}

void BoardPen::paragraph(std::string_view text, BoardFont font, Rgb colour, double x, double& top, double width) const {
  for (const std::string& each : wrapped(text, font, width)) {
    word(each, font, colour, x, top);
    top += line_of(font);
  }
}

std::vector<std::string> BoardPen::wrapped(std::string_view text, BoardFont font, double width) const {
  return picture::wrapped(text, width, size(font), face_of(font), measure);
}

double title_height(const BoardPen& pen, std::string_view title, std::string_view caption, double width) {
  double height = 0;
  if (!title.empty()) height += pen.line_of(BoardFont::heading);
  height += static_cast<double>(pen.wrapped(caption, BoardFont::small, width).size()) * pen.line_of(BoardFont::small);
  return height == 0 ? 0 : height + 3;
}

void put_title(BoardPen& pen, std::string_view title, std::string_view caption, double x, double& top, double width) {
  const double begin = top;
  if (!title.empty()) {
    pen.word(title, BoardFont::heading, pen.theme.inks.text, x, top, begins, width);
    top += pen.line_of(BoardFont::heading);
  }
  pen.paragraph(caption, BoardFont::small, pen.theme.inks.dim_text, x, top, width);
  if (top > begin) top += 3;
}

BoardSize size_of_item(const BoardItem& item, const BoardPen& pen, double width) {
  return std::visit([&](const auto& each) { return size_of(each, pen, width); }, item);
}

void put_item(const BoardItem& item, BoardPen& pen, const Box& box) {
  std::visit([&](const auto& each) { put(each, pen, box); }, item);
}

}  // namespace attnscope::scene
