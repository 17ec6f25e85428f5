#include "view/diagram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/text.h"
#include "view/cells.h"
#include "view/stage_look.h"

namespace attnscope::scene {
namespace {

using picture::Ink;
using picture::Picture;

constexpr double other_head = 0.5;  // opacity of the columns of other heads
constexpr double strip = 2.2;       // height of a head's mark above its columns

class DiagramPainter {
public:
  DiagramPainter(const DiagramLayout& layout, const DiagramData& data)
      : layout_(layout),
        data_(data),
        inks_(data.theme->inks),
        f_(layout.unit),
        query_(data.marked ? marked_lines(data.result->config, *data.marked, Stage::weights) : MarkedLines()) {}

  Picture paint() {
    for (const PlacedFrame& frame : layout_.frames) add_frame(frame);
    for (const PlacedStripe& stripe : layout_.stripes) add_stripe(stripe);
    for (const PlacedArrow& arrow : layout_.arrows) add_arrow(arrow);
    for (const PlacedMatrix& matrix : layout_.matrices) add_matrix(matrix);
    for (const PlacedBar& bar : layout_.bars) add_bar(bar);
    for (const PlacedMatrix& matrix : layout_.matrices) add_sums(matrix);
    for (const PlacedText& text : layout_.texts) add_text(text);
    for (const PlacedText& pill : layout_.pills) add_pill(pill);
    for (const PlacedMatrix& matrix : layout_.matrices) add_marks(matrix);
    return std::move(picture_);
  }

private:
  bool is_awaited(std::optional<Stage> stage) const { return stage && data_.awaited.contains(*stage); }

  // Returns a frame around those matrices in it that have come.
  Box box_of_come(const PlacedFrame& frame) const {
    Box box = frame.box;
    double right = box.x;
    for (const PlacedMatrix& matrix : layout_.matrices) {
      const bool is_within = matrix.box.x >= box.x && matrix.box.right() <= box.right() && matrix.box.y >= box.y &&
                             matrix.box.bottom() <= box.bottom();
      if (is_within && !is_awaited(matrix.result)) right = std::max(right, matrix.box.right() + 9 * f_);
    }
    box.width = std::min(box.width, right - box.x);
    return box;
  }

  void add_frame(PlacedFrame frame) {
    if (is_awaited(frame.result)) return;
    if (!frame.is_main && !data_.awaited.is_empty()) frame.box = box_of_come(frame);
    const double radius = (frame.is_main ? 8 : 7) * f_;
    if (frame.is_main) {
      const Box& box = frame.box;
      const Box shadow{box.x + f_, box.y + 2 * f_, box.width, box.height};
      picture_.add(picture::Fill{shadow, {inks_.border, 0.6}, radius});
    }
    picture_.add(picture::Fill{frame.box, {inks_.card, frame.is_main ? 1 : 0.6}, radius});
    picture_.add(picture::Outline{frame.box, {inks_.border}, 1, radius});
  }

  void add_stripe(const PlacedStripe& stripe) {
    if (query_.row < 0 || query_.row >= stripe.rows || is_awaited(stripe.result)) return;
    Box box = stripe.first;
    box.y += as_double(query_.row) * box.height;
    picture_.add(picture::Fill{box, {inks_.cross_hair, data_.theme->is_dark ? 0.14 : 0.09}});
  }

  void add_arrow(const PlacedArrow& arrow) {
    if (!data_.has_arrows || is_awaited(arrow.to)) return;
    picture_.add(picture::Stroke{.points = arrow.points,
                                 .ink = {inks_.dim_text, 0.65},
                                 .thickness = 1.3,
                                 .corner = 4 * f_,
                                 .head = 8 * f_,
                                 .halo = 5,
                                 .halo_ink = {data_.ground.value_or(inks_.window)}});
  }

  // Keeps the rows and columns of a place that the result has: in a series whose last figure has more tokens, the place
  // is larger.
  static void fit(const picture::Matrix& drawn, PlacedMatrix& placed, PlacedPart& part) {
    if (drawn.rows < placed.rows) {
      placed.box.height = as_double(drawn.rows) * placed.row_height();
      placed.rows = drawn.rows;
    }
    if (drawn.cols < part.columns) {
      part.width *= as_double(drawn.cols) / as_double(part.columns);
      part.columns = drawn.cols;
      if (placed.parts.size() == 1) placed.box.width = part.width;
    }
  }

  void add_matrix(PlacedMatrix placed) {
    if (is_awaited(placed.result)) return;
    for (PlacedPart part : std::vector(placed.parts)) {
      std::optional<picture::Matrix> drawn = data_.matrix(placed.stage, part.head, placed.is_second);
      if (!drawn) continue;
      if (placed.is_transposed) transpose(*drawn);
      fit(*drawn, placed, part);
      drawn->opacity *= part.is_viewed ? 1 : other_head;
      // Heads have matrices of their own, or share one, side by side in its columns.
      const bool is_of_head = is_per_head(drawn->result->config, placed.stage);
      const picture::Heatmap cells{
          *drawn,
          {part.x, placed.box.y, part.width, placed.box.height},
          {0, is_of_head ? 0 : as_double(part.first_column), as_double(placed.rows), as_double(part.columns)}};
      picture_.add(cells);
      add_numbers(placed, part, cells);
      if (placed.parts.size() > 1 && !placed.is_operand() && part.width > 2)
        picture_.add(picture::Fill{{part.x + 0.5, placed.box.y - strip - 1.5, part.width - 1, strip},
                                   {head_rgb(part.head, data_.theme->is_dark)}});
    }
    const bool is_operand = info(placed.stage).side && !is_parameter(info(placed.stage).axes);
    const Rgb line = is_operand ? title_ink(*data_.theme, placed.stage) : inks_.border;
    picture_.add(picture::Outline{placed.box, {line}});
  }

  void add_numbers(const PlacedMatrix& placed, const PlacedPart& part, const picture::Heatmap& cells) {
    const double cell_width = part.width / as_double(part.columns);
    if (placed.text == 0 || !data_.decimals) return;
    if (!part.is_viewed && cell_width < data_.measure(placed.widest, layout_.least_text, Face::number) + 1) return;
    CellNumbers numbers{{.least = layout_.least_text,
                         .decimals = data_.result->difference ? decimals_of(placed.widest)
                                                              : std::min(*data_.decimals, decimals_of(placed.widest)),
                         .omits_zero = placed.widest.starts_with(".") || placed.widest.starts_with("−."),
                         .ground = inks_.card,
                         .alpha = part.is_viewed ? 1 : 0.75,
                         .names_hidden = false},
                        cells,
                        placed.text};
    if (data_.is_covered)
      numbers.is_covered = [&](Index row, Index col) { return data_.is_covered(source_at(cells, row, col)); };
    put_numbers(picture_, numbers, *data_.theme, data_.measure);
  }

  void add_bar(const PlacedBar& bar) {
    if (is_awaited(bar.stage)) return;
    const auto of = std::ranges::find(layout_.matrices, bar.stage, &PlacedMatrix::stage);
    if (of == layout_.matrices.end()) return;
    const std::optional<picture::Matrix> drawn = data_.matrix(bar.stage, of->viewed().head, bar.is_second);
    if (!drawn) return;
    const ColourRange& range = drawn->range;
    const int decimals = std::min(data_.decimals.value_or(2), 2);
    const std::string high = (is_centred(range) ? "±" : "") + end_text(range, range.high, decimals);
    picture_.add(picture::Gradient{bar.box, range.map, false, range.ends});
    picture_.add(picture::Outline{bar.box, {inks_.border}});
    add_word(high, bar.high_left, bar.baseline, bar.size, Face::text, inks_.dim_text, 0);
    if (!is_centred(range))
      add_word(end_text(range, range.low, decimals), bar.low_right, bar.baseline, bar.size, Face::text, inks_.dim_text,
               1);
  }

  // Writes whole ends without decimals: "0", "1", "2×".
  static std::string end_text(const ColourRange& range, float at, int decimals) {
    std::string text = bar_number(range, at, decimals);
    const std::size_t point = text.find('.');
    if (point == std::string::npos) return text;
    const std::size_t end = std::min(text.find_first_not_of('0', point + 1), text.size());
    const bool is_whole = end == text.size() || text.find_first_of("0123456789", end) != end;
    return is_whole ? text.erase(point, end - point) : text;
  }

  void add_sums(const PlacedMatrix& placed) {
    if (placed.sums == 0 || is_awaited(placed.result)) return;
    for (Index row = 0; row < placed.rows; ++row) {
      const float sum = data_.row_sum(placed.stage, row, placed.is_second);
      if (std::isnan(sum)) continue;
      const bool is_off = is_off_one(sum);
      const double y = placed.box.y + (as_double(row) + 0.5) * placed.row_height() + placed.sums * to_middle;
      add_word(format_fixed(static_cast<double>(sum), data_.decimals.value_or(2)), placed.sums_x, y, placed.sums,
               is_off ? Face::bold : Face::text, is_off ? inks_.warning : inks_.dim_text, 0);
    }
  }

  void add_word(std::string text, double x, double y, double size, Face face, Rgb ink, double anchor) {
    picture_.add(picture::Word{
        .text = std::move(text), .x = x, .y = y, .size = size, .face = face, .ink = {ink}, .anchor = anchor});
  }

  void add_text(const PlacedText& text) {
    const AttentionConfig& config = data_.result->config;
    // Gives no name to a token that only another figure of the series has.
    const bool is_beyond = text.query >= query_count(config) || text.key >= key_count(config);
    if (is_awaited(text.result ? text.result : text.stage) || is_beyond) return;
    const bool is_marked = (text.query >= 0 && text.query == query_.row) || (text.key >= 0 && text.key == query_.col);
    picture::Word word = text;
    Rgb ink = text.is_quiet ? inks_.dim_text : inks_.text;
    const bool is_name = text.stage && (!text.is_quiet || text.stage != text.result) && text.query < 0 && text.key < 0;
    if (is_name && info(*text.stage).side && text.arrow < 0) ink = title_ink(*data_.theme, *text.stage);
    word.ink = {is_marked ? inks_.cross_hair : ink};
    if (is_marked) word.face = Face::bold;
    picture_.add(std::move(word));
  }

  void add_pill(const PlacedText& pill) {
    if (is_awaited(pill.result)) return;
    const double radius = pill.box.height / 2;
    picture_.add(picture::Fill{pill.box, {inks_.card}, radius});
    picture_.add(picture::Outline{pill.box, {inks_.border}, 1, radius});
    add_text(pill);
  }

  // Marks the rows and columns that go with the marked cell, and the cell itself.
  void add_marks(const PlacedMatrix& placed) {
    if (!data_.marked || is_awaited(placed.result)) return;
    const Source& marked = *data_.marked;
    const AttentionConfig& config = data_.result->config;
    picture::Matrix matrix{.result = data_.result, .stage = placed.stage, .is_transposed = placed.is_transposed};
    const MarkedLines lines = picture::marked_lines(matrix, marked);
    const double height = placed.row_height();
    for (const Index row : {lines.row, lines.second_row}) {
      if (row >= 0 && row < placed.rows)
        outline({placed.box.x, placed.box.y + as_double(row) * height, placed.box.width, height}, 1, 0.85);
    }
    for (const PlacedPart& part : placed.parts) {
      const bool is_of_head = !is_per_head(config, marked.stage) || marked.head == part.head;
      if (placed.parts.size() > 1 && !is_of_head) continue;
      const Index first = is_per_head(config, placed.stage) ? 0 : part.first_column;
      const double width = part.width / as_double(part.columns);
      const auto outline_column = [&](Index column, double y, double high, double thickness, double alpha) {
        const Index at = column - first;
        if (column >= 0 && at >= 0 && at < part.columns)
          outline({part.x + as_double(at) * width, y, width, high}, thickness, alpha);
      };
      outline_column(lines.col, placed.box.y, placed.box.height, 1, 0.85);
      matrix.head = part.head;
      const picture::CellPlace cell = marked_cell(matrix, marked);
      if (cell.row >= 0 && cell.row < placed.rows)
        outline_column(cell.col, placed.box.y + as_double(cell.row) * height, height,
                       marked.stage == placed.stage ? 2.5 : 2, 1);
    }
  }

  void outline(const Box& box, double thickness, double alpha) {
    picture_.add(picture::Outline{box, {inks_.cross_hair, alpha}, thickness});
  }

  const DiagramLayout& layout_;
  const DiagramData& data_;
  const ThemeInks& inks_;
  double f_;
  MarkedLines query_;  // the lines of the marked cell in the weights
  Picture picture_;
};

// Motion: from one layout to the next.

bool are_same(const PlacedMatrix& a, const PlacedMatrix& b) {
  return a.stage == b.stage && a.result == b.result && a.role == b.role && a.is_second == b.is_second;
}
bool are_same(const PlacedText& a, const PlacedText& b) {
  return a.text == b.text && a.query == b.query && a.key == b.key && a.stage == b.stage && a.result == b.result;
}
bool are_same(const PlacedFrame& a, const PlacedFrame& b) { return a.is_main == b.is_main; }

// Moves what both layouts have, each from where it was before.
template <typename Placed, typename Move>
void move_all(const std::vector<Placed>& from, std::vector<Placed>& to, const Move& move) {
  for (Placed& now : to) {
    const auto before = std::ranges::find_if(from, [&](const Placed& each) { return are_same(each, now); });
    if (before != from.end()) move(*before, now);
  }
}

// Steps: from cell to cell by the arrow keys.

// A drawn column: the head and the column of its cells, and its middle.
struct DrawnColumn {
  Index head = 0;
  Index column = 0;
  double x = 0;
};

std::vector<DrawnColumn> columns_of(const AttentionConfig& config, const PlacedMatrix& placed) {
  const bool is_of_head = is_per_head(config, placed.stage);
  std::vector<DrawnColumn> columns;
  for (const PlacedPart& part : placed.parts) {
    for (Index i = 0; i < part.columns; ++i)
      columns.push_back({is_of_head ? part.head : 0, i + (is_of_head ? 0 : part.first_column),
                         part.x + part.width * (as_double(i) + 0.5) / as_double(part.columns)});
  }
  return columns;
}

// Returns the columns that a step into a matrix may lead to: of a stage of each head those of the head that is looked
// at.
std::vector<DrawnColumn> entered_columns(const AttentionConfig& config, const PlacedMatrix& placed) {
  std::vector<DrawnColumn> columns = columns_of(config, placed);
  if (is_per_head(config, placed.stage))
    std::erase_if(columns, [&](const DrawnColumn& each) { return each.head != placed.viewed().head; });
  return columns;
}

Source cell_at(const PlacedMatrix& placed, const Source& from, Index row, const DrawnColumn& column) {
  Source cell{placed.stage, from.batch, column.head, row, column.column, SourceKind::cell, from.layer};
  if (placed.is_transposed) std::swap(cell.row, cell.col);
  return cell;
}

// Returns the one place of a stage that the keys go to: its own, else the place of its use.
const PlacedMatrix* main_place(const DiagramLayout& layout, Stage stage) {
  const PlacedMatrix* found = nullptr;
  for (const PlacedMatrix& placed : layout.matrices) {
    if (placed.stage != stage || placed.is_second) continue;
    if (!found || placed.role == PlacedRole::result) found = &placed;
  }
  return found;
}

// Returns how far two spans are apart; below 0 if they overlap.
double apart(double low, double high, double other_low, double other_high) {
  return std::max(other_low - high, low - other_high);
}

// Returns the nearest matrix in that direction; a distance to the side costs more than one ahead.
const PlacedMatrix* neighbour(const DiagramLayout& layout, const PlacedMatrix& from, int rows, int columns) {
  constexpr double aside = 3;
  const PlacedMatrix* nearest = nullptr;
  double least = std::numeric_limits<double>::max();
  for (const PlacedMatrix& placed : layout.matrices) {
    if (&placed == &from || main_place(layout, placed.stage) != &placed) continue;
    const bool is_forward = rows + columns > 0;
    const Box& a = is_forward ? from.box : placed.box;
    const Box& b = is_forward ? placed.box : from.box;
    const double distance = columns != 0 ? b.x - a.right() : b.y - a.bottom();
    const double side =
        std::max(0.0, columns != 0 ? apart(a.y, a.bottom(), b.y, b.bottom()) : apart(a.x, a.right(), b.x, b.right()));
    const double cost = distance + aside * side;
    if (distance < -1 || (columns != 0 && side > 0) || cost >= least) continue;  // a row goes on within its line
    least = cost;
    nearest = &placed;
  }
  return nearest;
}

}  // namespace

Picture diagram_picture(const DiagramLayout& layout, const DiagramData& data) {
  return DiagramPainter(layout, data).paint();
}

DiagramLayout between(const DiagramLayout& from, const DiagramLayout& to, double share) {
  DiagramLayout now = to;
  now.arrows.clear();
  now.pills.clear();
  const auto move = [share](double before, double& after) { after = before + share * (after - before); };
  const auto move_box = [&](const Box& before, Box& after) {
    for (double Box::*const side : {&Box::x, &Box::y, &Box::width, &Box::height}) move(before.*side, after.*side);
  };
  move_all(from.matrices, now.matrices, [&](const PlacedMatrix& before, PlacedMatrix& matrix) {
    if (before.parts.size() != matrix.parts.size()) return;
    move_box(before.box, matrix.box);
    if (before.sums > 0) move(before.sums_x, matrix.sums_x);
    for (std::size_t i = 0; i < matrix.parts.size(); ++i) {
      move(before.parts[i].x, matrix.parts[i].x);
      move(before.parts[i].width, matrix.parts[i].width);
    }
    if (before.text > 0) matrix.text = std::min(before.text, matrix.text);
  });
  move_all(from.texts, now.texts, [&](const PlacedText& before, PlacedText& text) {
    move(before.x, text.x);
    move(before.y, text.y);
  });
  move_all(from.frames, now.frames,
           [&](const PlacedFrame& before, PlacedFrame& frame) { move_box(before.box, frame.box); });
  return now;
}

std::optional<Source> step_in_diagram(const DiagramLayout& layout, const AttentionConfig& config, const Source& from,
                                      int rows, int columns) {
  const PlacedMatrix* const here = main_place(layout, from.stage);
  if (!here) return {};
  const std::vector<DrawnColumn> own = columns_of(config, *here);
  const Index row = here->is_transposed ? from.col : from.row;
  const Index column = here->is_transposed ? from.row : from.col;
  const bool is_any_head = here->parts.size() == 1 || !is_per_head(config, here->stage);
  const auto at = std::ranges::find_if(
      own, [&](const DrawnColumn& each) { return each.column == column && (is_any_head || each.head == from.head); });
  if (at == own.end()) return {};
  const Index next = at - own.begin() + columns;
  if (row + rows >= 0 && row + rows < here->rows && next >= 0 && next < std::ssize(own))
    return cell_at(*here, from, row + rows, own[static_cast<std::size_t>(next)]);
  const PlacedMatrix* const other = neighbour(layout, *here, rows, columns);
  if (!other) return {};
  const std::vector<DrawnColumn> others = entered_columns(config, *other);
  if (rows != 0) {
    const auto distance = [&](const DrawnColumn& each) { return std::abs(each.x - at->x); };
    return cell_at(*other, from, rows > 0 ? 0 : other->rows - 1, *std::ranges::min_element(others, {}, distance));
  }
  const bool shares_rows = here->line == other->line && here->rows == other->rows && !here->is_operand();
  if (shares_rows && !other->is_operand())
    return cell_at(*other, from, row, columns > 0 ? others.front() : others.back());
  const double y = here->box.y + (as_double(row) + 0.5) * here->row_height();
  const auto beside = static_cast<Index>(std::floor((y - other->box.y) / other->row_height()));
  return cell_at(*other, from, std::clamp<Index>(beside, 0, other->rows - 1),
                 columns > 0 ? others.front() : others.back());
}

std::optional<Box> box_in_diagram(const DiagramLayout& layout, const AttentionConfig& config, const Source& cell) {
  const PlacedMatrix* const placed = main_place(layout, cell.stage);
  if (!placed) return {};
  const Index row = placed->is_transposed ? cell.col : cell.row;
  const Index column = placed->is_transposed ? cell.row : cell.col;
  const bool is_of_head = is_per_head(config, placed->stage);
  for (const PlacedPart& part : placed->parts) {
    const Index at = column - (is_of_head ? 0 : part.first_column);
    const bool is_here = (!is_of_head || part.head == cell.head) && at >= 0 && at < part.columns;
    if (!is_here || row < 0 || row >= placed->rows) continue;
    const double width = part.width / as_double(part.columns);
    return Box{part.x + as_double(at) * width, placed->box.y + as_double(row) * placed->row_height(), width,
               placed->row_height()};
  }
  return {};
}

}  // namespace attnscope::scene
