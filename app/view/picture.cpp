#include "view/picture.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace attnscope {
namespace {

struct Tokens {
  Index query = -1;
  Index key = -1;
};

// An input is projected to a query and to a key.
Tokens tokens_of(const Source& source) {
  if (is_query_by_key(info(source.stage).axes)) return {source.row, source.kind == SourceKind::cell ? source.col : -1};
  if (source.stage == Stage::inputs) return {source.row, source.row};
  return has_key_rows(source.stage) ? Tokens{.key = source.row} : Tokens{.query = source.row};
}

MarkedLines marked_operands(const AttentionConfig& config, const Source& of, Stage in) {
  for (const SourceLine& line : operands(config, of)) {
    if (line.first.stage != in) continue;
    return line.is_column ? MarkedLines{.col = line.first.col} : MarkedLines{.row = line.first.row};
  }
  return {};
}

// Returns the start of a window's axis so that `cell` lies inside it.
double start_showing(double start, double length, Index cell) {
  const double position = static_cast<double>(cell);
  if (length < 1) return position + (1 - length) / 2;
  return std::clamp(start, position + 1 - length, position);
}

}  // namespace

MarkedLines marked_lines(const AttentionConfig& config, const Source& of, Stage in) {
  const StageAxes axes = info(in).axes;
  if (is_parameter(info(of.stage).axes))
    return of.stage == in ? MarkedLines{.row = of.row, .col = of.col} : MarkedLines();
  if (is_parameter(axes)) return marked_operands(config, of, in);
  const Tokens tokens = tokens_of(of);
  if (is_query_by_key(axes)) return {.row = tokens.query, .col = tokens.key};
  if (has_key_rows(in)) return {.row = tokens.key};
  if (in != Stage::inputs) return {.row = tokens.query};
  if (tokens.query < 0) return {.row = tokens.key};
  return {.row = tokens.query, .second_row = tokens.key == tokens.query ? -1 : tokens.key};
}

CellWindow whole_window(Index rows, Index cols) { return {0, 0, static_cast<double>(rows), static_cast<double>(cols)}; }

bool is_whole(const CellWindow& window, Index rows, Index cols) {
  return window.rows >= static_cast<double>(rows) && window.cols >= static_cast<double>(cols);
}

CellWindow clamped(CellWindow window, Index rows, Index cols) {
  const CellWindow whole = whole_window(rows, cols);
  if (window.rows <= 0 || window.cols <= 0) return whole;
  window.rows = std::min(window.rows, whole.rows);
  window.cols = std::min(window.cols, whole.cols);
  window.row = std::clamp(window.row, 0.0, whole.rows - window.rows);
  window.col = std::clamp(window.col, 0.0, whole.cols - window.cols);
  return window;
}

CellWindow zoomed(const CellWindow& window, const WindowLimits& limits, double factor, double row, double col) {
  const auto rows = static_cast<double>(limits.rows);
  const auto cols = static_cast<double>(limits.cols);
  CellWindow next;
  // Does not enlarge a window that is closer than the limit already because the plot grew.
  next.rows = std::clamp(window.rows / factor, std::min({limits.min_rows, rows, window.rows}), rows);
  next.cols = std::clamp(window.cols / factor, std::min({limits.min_cols, cols, window.cols}), cols);
  next.row = row - (row - window.row) * next.rows / window.rows;
  next.col = col - (col - window.col) * next.cols / window.cols;
  return clamped(next, limits.rows, limits.cols);
}

CellWindow panned(const CellWindow& window, Index rows, Index cols, double by_rows, double by_cols) {
  return clamped({window.row + by_rows, window.col + by_cols, window.rows, window.cols}, rows, cols);
}

CellWindow moved_to_show(const CellWindow& window, Index rows, Index cols, Index row, Index col) {
  CellWindow next = window;
  next.row = start_showing(window.row, window.rows, row);
  next.col = start_showing(window.col, window.cols, col);
  return clamped(next, rows, cols);
}

CellWindow centred_on(const CellWindow& window, Index rows, Index cols, Index row, Index col, double most) {
  CellWindow next;
  next.rows = std::min(window.rows, most);
  next.cols = std::min(window.cols, most);
  next.row = static_cast<double>(row) + 0.5 - next.rows / 2;
  next.col = static_cast<double>(col) + 0.5 - next.cols / 2;
  return clamped(next, rows, cols);
}

}  // namespace attnscope

namespace attnscope::picture {

Box box_of(const Word& word, const TextMeasure& measure) {
  constexpr double above = 0.74;
  constexpr double below = 0.22;
  const double width = word.text.empty() ? 0 : measure(word.text, word.size, word.face);
  const double height = word.size * (above + below);
  if (word.is_turned) return {word.x - word.size * above, word.y - width, height, width};
  return {word.x - word.anchor * width, word.y - word.size * above, width, height};
}

namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::string_view without_last_letter(std::string_view text) {
  while (text.size() > 1 && is_continuation(text.back())) text.remove_suffix(1);
  text.remove_suffix(1);
  return text;
}

// Up to the last blank that fits. A word that is wider than a line is broken between its letters.
template <typename Fits>
std::size_t length_of_line(std::string_view text, const Fits& fits) {
  std::size_t length = 0;
  for (std::size_t end = 0; end < text.size(); length = end) {
    end = std::min(text.find(' ', end + 1), text.size());
    if (!fits(text.substr(0, end))) break;
  }
  if (length > 0 || text.empty()) return length;
  const auto after = [&](std::size_t at) {
    do ++at;
    while (at < text.size() && is_continuation(text[at]));
    return at;
  };
  for (length = after(0); length < text.size() && fits(text.substr(0, after(length)));) length = after(length);
  return length;
}

// Goes from a point towards another one, but no further than half the way.
Point toward(Point from, Point to, double length) {
  const double distance = std::hypot(to.x - from.x, to.y - from.y);
  const double share = distance > 0 ? std::min(0.5, length / distance) : 0;
  return {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
}

}  // namespace

StrokePath path_of(const Stroke& stroke) {
  const std::vector<Point>& points = stroke.points;
  StrokePath path;
  for (std::size_t i = 1; i + 1 < points.size(); ++i)
    path.corners.push_back(
        {toward(points[i], points[i - 1], stroke.corner), points[i], toward(points[i], points[i + 1], stroke.corner)});
  const Point tip = path.end = points.back();
  const Point before = points[points.size() - 2];
  const double length = std::hypot(tip.x - before.x, tip.y - before.y);
  const double head = std::min(stroke.head, length);
  if (head <= 0) return path;
  const Point along{(tip.x - before.x) / length, (tip.y - before.y) / length};
  const Point foot{tip.x - along.x * head, tip.y - along.y * head};
  const double half = 0.45 * head;
  path.end = {tip.x - 0.7 * head * along.x, tip.y - 0.7 * head * along.y};
  path.head = {
      tip, {foot.x - along.y * half, foot.y + along.x * half}, {foot.x + along.y * half, foot.y - along.x * half}};
  return path;
}

std::string shortened(std::string_view text, double room, double size, Face face, const TextMeasure& measure) {
  if (measure(text, size, face) <= room) return std::string(text);
  while (!text.empty() && measure(std::string(text) + "…", size, face) > room) text = without_last_letter(text);
  return std::string(text) + "…";
}

std::vector<std::string> wrapped(std::string_view text, double room, double size, Face face,
                                 const TextMeasure& measure) {
  const auto fits = [&](std::string_view line) { return measure(line, size, face) <= room; };
  std::vector<std::string> lines;
  for (std::size_t at = 0; !text.empty() && at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view rest = text.substr(at, end - at);
    do {
      const std::size_t length = length_of_line(rest, fits);
      lines.emplace_back(rest.substr(0, length));
      rest.remove_prefix(length);
      if (rest.starts_with(' ')) rest.remove_prefix(1);
    } while (!rest.empty());
    at = end + 1;
  }
  return lines;
}

Picture placed(Picture picture, double scale, double x, double y) {
  const auto place = [&](auto& item) {
    const auto moved = [&](const Point& point) { return Point{x + scale * point.x, y + scale * point.y}; };
    if constexpr (requires { item.box; }) {
      const Point corner = moved({item.box.x, item.box.y});
      item.box = {corner.x, corner.y, scale * item.box.width, scale * item.box.height};
    }
    if constexpr (requires { item.points; }) std::ranges::transform(item.points, item.points.begin(), moved);
    if constexpr (requires { item.thickness; }) item.thickness *= scale;
    if constexpr (requires { item.radius; }) item.radius *= scale;
    if constexpr (std::is_same_v<decltype(item), Stroke&>)
      for (double* const length : {&item.corner, &item.head, &item.halo}) *length *= scale;
    if constexpr (std::is_same_v<decltype(item), Word&>) {
      const Point beginning = moved({item.x, item.y});
      item.x = beginning.x;
      item.y = beginning.y;
      item.size *= scale;
    }
  };
  for (Item& item : picture.items) std::visit(place, item);
  return picture;
}

Matrix matrix_of(std::shared_ptr<const Result> result, Stage stage, Index batch, Index head) {
  const std::vector<Index> shape = stage_shape(result->config, stage);
  Matrix matrix;
  matrix.stage = stage;
  matrix.head = head;
  matrix.matrix = attnscope::matrix_of(result->config, stage, batch, head);
  matrix.result = std::move(result);
  matrix.rows = shape[shape.size() - 2];
  matrix.cols = shape.back();
  return matrix;
}

void transpose(Matrix& matrix) {
  std::swap(matrix.rows, matrix.cols);
  matrix.is_transposed = !matrix.is_transposed;
}

std::vector<float> read_shown(const Matrix& matrix, Stage stage, const CellRect& shown) {
  std::vector<float> cells(static_cast<std::size_t>(shown.rows * shown.cols));
  if (!matrix.is_transposed) {
    read_cells(cells, *matrix.result, stage, matrix.matrix, shown);
    return cells;
  }
  read_cells(cells, *matrix.result, stage, matrix.matrix, {shown.col, shown.row, shown.cols, shown.rows});
  std::vector<float> turned;
  turned.reserve(cells.size());
  for (Index row = 0; row < shown.rows; ++row) {
    for (Index col = 0; col < shown.cols; ++col)
      turned.push_back(cells[static_cast<std::size_t>(col * shown.rows + row)]);
  }
  return turned;
}

Source source_at(const Matrix& matrix, Index row, Index col) {
  Source source{.stage = matrix.stage, .head = matrix.head, .row = row, .col = col};
  if (matrix.is_transposed) std::swap(source.row, source.col);
  if (is_per_batch(source.stage))
    source.batch = matrix.matrix / matrices_per_entry(matrix.result->config, source.stage);
  return source;
}

CellPlace place_of(const Matrix& matrix, const Source& source) {
  return matrix.is_transposed ? CellPlace{source.col, source.row} : CellPlace{source.row, source.col};
}

MarkedLines marked_lines(const Matrix& matrix, const Source& of) {
  const MarkedLines lines = attnscope::marked_lines(matrix.result->config, of, matrix.stage);
  return matrix.is_transposed ? MarkedLines{.row = lines.col, .col = lines.row} : lines;
}

CellPlace marked_cell(const Matrix& matrix, const Source& of) {
  const bool is_of_head = !is_per_head(matrix.result->config, of.stage) || of.head == matrix.head;
  const bool is_itself = of.stage == matrix.stage && is_of_head;
  const bool is_same_pair = is_query_by_key(info(of.stage).axes) && is_query_by_key(info(matrix.stage).axes);
  return of.kind == SourceKind::cell && (is_itself || is_same_pair) ? place_of(matrix, of) : CellPlace{};
}

}  // namespace attnscope::picture
