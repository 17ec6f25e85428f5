#include "view/board_items.h"

#include <algorithm>
#include <array>
#include <utility>

namespace attnscope::scene {
namespace {

constexpr double usual_cell = 44;
constexpr double most_growth = 1.5;
constexpr double least_text_width = 180;
constexpr double most_text_width = 420;        // width beside another item
constexpr double most_text_width_alone = 820;  // width of a text alone: about 100 characters
constexpr double least_cell_padding = 4;       // space above and below a number, together
constexpr double table_gap = 18;
constexpr double key_length = 18;  // length of a sample of a line

picture::Face face_of(BoardFont font) {
  if (font == BoardFont::heading) return picture::Face::bold;
  return font == BoardFont::number ? picture::Face::number : picture::Face::text;
}

double mark_of_key(const BoardPen& pen, const BoardKey& key) {
  return key.kind == BoardKey::Kind::square ? 0.6 * pen.line_of(BoardFont::small) : key_length;
}

double key_width(const BoardPen& pen, const BoardKey& key) {
  return mark_of_key(pen, key) + 6 + pen.width(BoardFont::small, key.name);
}

}  // namespace

double BoardPen::growth() const { return std::clamp(cell / usual_cell, 1.0, most_growth); }

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
  if (!shown.empty()) put(std::move(shown), em, colour, x, top, anchor, face_of(font));
}

double BoardPen::paragraph(std::string_view text, BoardFont font, Rgb colour, double x, double top,
                           double width) const {
  for (const std::string& each : picture::wrapped(text, width, size(font), face_of(font), measure)) {
    word(each, font, colour, x, top);
    top += line_of(font);
  }
  return top;
}

double BoardPen::title(std::string_view title, std::string_view caption, double x, double top, double width,
                       std::optional<Rgb> ink) const {
  const double begin = top;
  if (!title.empty()) {
    word(title, BoardFont::heading, ink.value_or(theme.inks.text), x, top, begins, width);
    top += line_of(BoardFont::heading);
  }
  top = paragraph(caption, BoardFont::small, theme.inks.dim_text, x, top, width);
  return top > begin ? top + 3 : top;
}

double widest_key(const BoardPen& pen, std::span<const BoardKey> keys) {
  double widest = 0;
  for (const BoardKey& key : keys) widest = std::max(widest, key_width(pen, key));
  return widest;
}

double put_keys(const BoardPen& pen, std::span<const BoardKey> keys, double x, double top, double width) {
  if (keys.empty()) return top;
  const double line = pen.line_of(BoardFont::small);
  double left = x;
  for (const BoardKey& key : keys) {
    if (left > x && left + key_width(pen, key) > x + width) {
      left = x;
      top += line;
    }
    const double middle = top + line / 2;
    const double length = mark_of_key(pen, key);
    const double end = left + length;
    if (key.kind == BoardKey::Kind::square) {
      pen.fill({left, middle - length / 2, length, length}, key.colour);
    } else if (key.kind == BoardKey::Kind::line) {
      pen.stroke({{left, middle}, {end, middle}}, key.colour, 2);
    } else {
      pen.stroke({{left, middle}, {left + 0.4 * length, middle}}, key.colour, 1.5);
      pen.stroke({{left + 0.6 * length, middle}, {end, middle}}, key.colour, 1.5);
    }
    pen.word(key.name, BoardFont::small, pen.theme.inks.text, end + 6, top);
    left += key_width(pen, key) + key_gap;
  }
  return top + line;
}

// Puts a table: words begin at the left, numbers of the other columns end at the right.
BoardSize set_item(const BoardTable& table, BoardPen& pen, const Box& box) {
  const BoardFont font = table.rows.size() > 10 ? BoardFont::small : BoardFont::text;
  std::vector<double> widths;
  const auto widen = [&](const std::vector<std::string>& texts, BoardFont letters) {
    widths.resize(std::max(widths.size(), texts.size()), 0);
    for (std::size_t i = 0; i < texts.size(); ++i) widths[i] = std::max(widths[i], pen.width(letters, texts[i]));
  };
  widen(table.header, BoardFont::small);
  for (const std::vector<std::string>& row : table.rows) widen(row, font);
  double width = 0;
  for (const double each : widths) width += each + table_gap;
  double top = pen.title(table.title, {}, box.x, box.y, box.width);
  const auto put_row = [&](const std::vector<std::string>& texts, BoardFont letters, Rgb colour) {
    double x = box.x;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      pen.word(texts[i], letters, colour, i == 0 ? x : x + widths[i], top, i == 0 ? begins : ends);
      x += widths[i] + table_gap;
    }
    top += pen.line_of(letters);
  };
  put_row(table.header, BoardFont::small, pen.theme.inks.dim_text);
  pen.stroke({{box.x, top + 2}, {box.x + width - table_gap, top + 2}}, pen.line);
  top += 6;
  for (const std::vector<std::string>& row : table.rows) {
    put_row(row, font, pen.theme.inks.text);
    top += font == BoardFont::small ? 2 : 4;
  }
  return {std::max(width, pen.width(BoardFont::heading, table.title)), top - box.y};
}

BoardSize set_item(const BoardText& text, BoardPen& pen, const Box& box) {
  const double most = std::min(box.width, pen.growth() * (pen.is_alone ? most_text_width_alone : most_text_width));
  const double whole = pen.width(BoardFont::text, text.text);
  const double least = pen.is_alone ? std::min(most, whole) : std::min({most, whole, least_text_width});
  const double width = pen.is_measuring ? least : box.width;
  const double top = pen.title(text.heading, {}, box.x, box.y, width);
  const double bottom = pen.paragraph(text.text, BoardFont::text, pen.theme.inks.text, box.x, top, width);
  return {std::max(least, pen.width(BoardFont::heading, text.heading)), bottom - box.y, 0,
          std::min(most, std::max(whole, least))};
}

BoardSize set_item(const BoardSign& sign, BoardPen& pen, const Box& box) {
  const double line = pen.line_of(BoardFont::heading);
  pen.word(sign.text, BoardFont::heading, pen.theme.inks.dim_text, box.x, box.y + (box.height - line) / 2);
  return {pen.width(BoardFont::heading, sign.text), line};
}

}  // namespace attnscope::scene
