#include "view/board.h"

#include <algorithm>
#include <array>
#include <utility>

#include "view/board_items.h"

namespace attnscope::scene {

// The pen, and the items without cells.
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

double BoardPen::name_room(const std::vector<std::string>& names, std::size_t at, double column) const {
  const double own = column - 2;
  const auto beside = [&](std::size_t other) { return own - std::min(width(BoardFont::small, names[other]), own) / 2; };
  const double before = at == 0 ? own / 2 : beside(at - 1);
  const double after = at + 1 == names.size() ? own / 2 + overhang(names, column) : beside(at + 1);
  return std::max(own, 2 * std::min(before, after));
}

double BoardPen::overhang(const std::vector<std::string>& names, double column) const {
  constexpr double most = 6;
  return names.empty() ? 0 : std::clamp((width(BoardFont::small, names.back()) - column) / 2 + 1, 0.0, most);
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

// The lines that items stand in.

namespace {

constexpr double tallest_cell = 96;
constexpr double tallest_on_endless_page = 46;
constexpr double widest_shape = 2.2;      // widest cell, in its heights
constexpr double comfortable = 1.35;      // lines are left out until cells are so high, in least heights
constexpr double well_filled = 0.75;      // lines are left out only while others fill this share of the page
constexpr double gain_of_breaking = 1.3;  // lines are broken only to make cells so much larger
constexpr double page_shape = 1.5;        // widths of an endless page in the height that is filled
constexpr int search_steps = 6;
constexpr double item_gap = 18;
constexpr double sign_gap = 7;  // gap beside a sign
constexpr double line_gap = 16;
constexpr double most_line_gap = 40;

BoardSize set_item(const BoardItem& item, BoardPen& pen, const Box& box) {
  return std::visit([&](const auto& each) { return set_item(each, pen, box); }, item);
}

struct BoardPlace {
  const BoardItem* item = nullptr;
  BoardSize size;
  double gap = 0;             // gap before the item
  bool repeats_rows = false;  // the matrix before it in the line names the same rows
};

// Items that stand beside each other, and their size together.
struct BoardLine {
  std::vector<BoardPlace> places;
  double width = 0;   // least width of all items
  double header = 0;  // height above the cells of its matrices
  double height = 0;
  int flexible = 0;  // number of items that take the room that is left
};

bool is_sign(const BoardItem& item) { return std::holds_alternative<BoardSign>(item); }

double gap_before(const BoardLine& line, const BoardItem& item) {
  if (line.places.empty()) return 0;
  return is_sign(item) || is_sign(*line.places.back().item) ? sign_gap : item_gap;
}

// Returns whether the matrix before an item in the line has the same names of rows; a sign may stand between them.
bool repeats_rows(const BoardLine& line, const BoardItem& item) {
  const auto is_no_sign = [](const BoardPlace& place) { return !is_sign(*place.item); };
  const auto before = std::find_if(line.places.rbegin(), line.places.rend(), is_no_sign);
  if (before == line.places.rend()) return false;
  const auto* const matrix = std::get_if<BoardMatrix>(&item);
  const auto* const other = std::get_if<BoardMatrix>(before->item);
  return matrix && other && other->row_labels == matrix->row_labels;
}

void add_item(BoardLine& line, const BoardPlace& place) {
  const BoardSize& size = place.size;
  line.width += place.gap + size.width;
  const double lower = std::max(0.0, size.header - line.header);  // the other items move down by so much
  line.height = std::max(line.height + (line.header > 0 ? lower : 0), size.height);
  line.header = std::max(line.header, size.header);
  if (size.header > 0) line.height = std::max(line.height, size.height - size.header + line.header);
  line.flexible += size.most_width > 0 ? 1 : 0;
  line.places.push_back(place);
}

// Takes the sign at the end of a line, because it leads on to the next line.
BoardLine begun_by_last_sign(BoardLine& line) {
  BoardLine next;
  if (line.places.size() < 2 || !is_sign(*line.places.back().item)) return next;
  BoardPlace sign = line.places.back();
  line.places.pop_back();
  line.width -= sign.gap + sign.size.width;
  sign.gap = 0;
  add_item(next, sign);
  return next;
}

// The board at one size of cells. If a line is too wide, the items at its end go on in a line of their own.
struct Flow {
  std::vector<BoardLine> lines;
  double width = 0;
  double height = 0;
  bool is_broken = false;
};

using Lines = std::vector<std::vector<const BoardItem*>>;

Flow flow_at(const Lines& lines, BoardPen& pen, double width) {
  Flow flow;
  pen.is_measuring = true;
  for (const std::vector<const BoardItem*>& items : lines) {
    BoardLine line;
    pen.is_alone = items.size() == 1;
    const auto measured = [&](const BoardItem& item) {
      pen.repeats_rows = repeats_rows(line, item);
      return BoardPlace{&item, set_item(item, pen, {0, 0, width, 0}), gap_before(line, item), pen.repeats_rows};
    };
    for (const BoardItem* const item : items) {
      BoardPlace place = measured(*item);
      if (!line.places.empty() && line.width + place.gap + place.size.width > width) {
        BoardLine next = begun_by_last_sign(line);
        flow.lines.push_back(std::exchange(line, std::move(next)));
        flow.is_broken = true;
        place = measured(*item);
      }
      add_item(line, place);
    }
    if (!line.places.empty()) flow.lines.push_back(std::move(line));
  }
  for (const BoardLine& line : flow.lines) {
    flow.width = std::max(flow.width, line.width);
    flow.height += line.height + (&line == flow.lines.data() ? 0 : line_gap);
  }
  pen.is_measuring = false;
  pen.picture.items.clear();
  return flow;
}

// Returns about the largest value between two for which something holds; it must hold for the lowest.
template <typename Holds>
double largest_where(double low, double high, Holds holds) {
  if (holds(high)) return high;
  for (int step = 0; step < search_steps; ++step) {
    const double middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

// Makes cells as large as a page allows, first high and then wide. Returns whether there is room at all.
bool fit_cells(const Lines& lines, BoardPen& pen, double height, double most) {
  const double width = pen.canvas.width;
  const auto fits = [&](double cell, double shape, bool may_break) {
    pen.cell = cell;
    pen.cell_shape = shape;
    const Flow flow = flow_at(lines, pen, width);
    return flow.width <= width && flow.height <= height && (may_break || !flow.is_broken);
  };
  const double least = pen.least_cell();
  const auto tallest = [&](double low, bool may_break) {
    if (low > most || !fits(low, 1, may_break)) return 0.0;
    return largest_where(low, most, [&](double cell) { return fits(cell, 1, may_break); });
  };
  const double whole = tallest(least, false);
  const double broken = tallest(std::max(least, gain_of_breaking * whole), true);
  const bool breaks = broken > 0;
  const double cell = breaks ? broken : whole;
  if (cell == 0) {
    fits(least, 1, true);  // leaves the pen at the least size
    return false;
  }
  pen.cell_shape = largest_where(1, widest_shape, [&](double shape) { return fits(cell, shape, breaks); });
  pen.cell = cell;
  return true;
}

// Leaves out the last lines until the others are large enough. Keeps the first line, and every line without which much
// of the page would be empty.
void fit_first_lines(Lines& lines, BoardPen& pen) {
  const bool is_endless = pen.canvas.height >= endless_height;
  const double height = is_endless ? page_shape * pen.canvas.width : pen.canvas.height;
  const double most = is_endless ? tallest_on_endless_page : tallest_cell;
  while (true) {
    const bool is_fit = fit_cells(lines, pen, height, most);
    if (lines.size() == 1 || (is_fit && pen.cell >= comfortable * pen.least_cell())) return;
    Lines all = lines;
    lines.pop_back();
    if (!is_fit || !fit_cells(lines, pen, height, most)) continue;
    if (flow_at(lines, pen, pen.canvas.width).height >= well_filled * height) continue;
    lines = std::move(all);
    fit_cells(lines, pen, height, most);
    return;
  }
}

// Makes cells as large as the lines that have room allow; a canvas that scrolls keeps the others below them.
void fit_lines(Lines& lines, BoardPen& pen) {
  const Lines all = lines;
  fit_first_lines(lines, pen);
  if (!pen.canvas.scrolls || lines.size() == all.size()) return;
  lines = all;
  const auto is_narrow = [&](double cell) {
    pen.cell = cell;
    return flow_at(lines, pen, pen.canvas.width).width <= pen.canvas.width;
  };
  pen.cell = largest_where(pen.least_cell(), std::max(pen.cell, pen.least_cell()), is_narrow);
}

double width_of(const BoardLine& line, const BoardSize& size, double width) {
  const double spare = line.flexible == 0 ? 0 : std::max(0.0, width - line.width) / line.flexible;
  return std::min(size.width + spare, std::max(size.width, size.most_width));
}

// Returns how wide a line becomes if flexible items take the room that is left.
double stretched_width(const BoardLine& line, double width) {
  double stretched = 0;
  for (const BoardPlace& place : line.places) stretched += place.gap + width_of(line, place.size, width);
  return stretched;
}

void put_line(const BoardLine& line, BoardPen& pen, double left, double top, double width) {
  pen.header = line.header;
  double x = left;
  for (const BoardPlace& place : line.places) {
    pen.repeats_rows = place.repeats_rows;
    x += place.gap;
    const double item_width = width_of(line, place.size, width);
    set_item(*place.item, pen, {x, top, item_width, line.height});
    x += item_width;
  }
}

}  // namespace

BoardLayout layout_board(const Board& board, const BoardCanvas& canvas) {
  BoardLayout layout;
  BoardPen pen{{.picture = layout.picture, .measure = canvas.measure, .theme = *canvas.theme, .line = canvas.line},
               canvas,
               layout,
               tallest_cell};
  const BoardItem details = BoardText{"", board.details};
  Lines lines;
  for (const std::vector<BoardItem>& line : board.lines) {
    lines.emplace_back();
    for (const BoardItem& item : line) lines.back().push_back(&item);
  }
  if (!board.details.empty()) lines.push_back({&details});
  if (lines.empty()) return layout;
  fit_lines(lines, pen);
  const Flow flow = flow_at(lines, pen, canvas.width);
  double width = 1;
  for (const BoardLine& line : flow.lines) width = std::max(width, stretched_width(line, canvas.width));
  const double left = std::max(0.0, (canvas.width - width) / 2);
  const double spare = canvas.height >= endless_height ? 0 : std::max(0.0, canvas.height - flow.height);
  const double gap = std::min(line_gap + spare / static_cast<double>(flow.lines.size() + 1), most_line_gap);
  double top = 0;
  for (const BoardLine& line : flow.lines) {
    put_line(line, pen, left, top, width);
    top += line.height + gap;
  }
  // Words come last, so that no line runs across one.
  std::stable_partition(layout.picture.items.begin(), layout.picture.items.end(),
                        [](const picture::Item& item) { return !std::holds_alternative<picture::Word>(item); });
  layout.width = left + width;
  layout.height = std::max(top - gap, 1.0);
  return layout;
}

}  // namespace attnscope::scene
