#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "view/diagram_draft.h"

// Places: where matrices, titles, names and colour bars of each line stand.

namespace attnscope::scene {

PlacedText& DiagramDraft::add_text(double x, double y, std::string text, double size, Face face, double anchor) {
  PlacedText& placed = out_.texts.emplace_back(
      PlacedText{{.text = std::move(text), .x = x, .y = y, .size = size, .face = face, .anchor = anchor}});
  placed.box = box_of(placed, measure_);
  return placed;
}

PlacedText& DiagramDraft::add_quiet(double x, double y, std::string text, double anchor) {
  PlacedText& placed = add_text(x, y, std::move(text), note_, Face::text, anchor);
  placed.is_quiet = true;
  return placed;
}

int DiagramDraft::add_arrow(std::optional<Stage> from, std::optional<Stage> to, std::vector<Point> points) {
  out_.arrows.push_back({from, to, std::move(points)});
  return static_cast<int>(out_.arrows.size()) - 1;
}

namespace {

constexpr double least_ratio_of_feature = 0.42;  // width of a cell, in heights
constexpr double downward = 0.22;                // depth of a text below its baseline, in sizes
constexpr double least_striped_row = 6;
constexpr double line_air = 1.4;  // height of a line of words with its air, in sizes

class DiagramPlaces : public DiagramDraft {
public:
  explicit DiagramPlaces(DiagramDraft draft) : DiagramDraft(std::move(draft)) {}

  void place() {
    if (is_around()) {
      for (LaidLine& line : lines_) {
        place_line(line);
        place_names(line);
      }
      place_stripes();
      share_decimals();
      return;
    }
    if (has_line_of_squares()) centre();
    const double lines = as_double(std::ssize(lines_));
    double y = c_.box.y + std::min(spare_ / (lines + 1), 16 * f_);
    const double extra = std::min(spare_ / (lines + 1), 40 * f_);
    for (LaidLine& line : lines_) {
      line.top = y;
      const double row = y + line.heading + line.operands + line.title + line.names;
      line.y0 = std::round(row * c_.pixels_per_unit) / c_.pixels_per_unit;
      line.end = line.y0 + line.height();
      line.bottom = line.end + (line.has_main() ? 12 : 4) * f_;
      y = line.end + line.gutter + extra;
      place_line(line);
      place_names(line);
    }
    place_stripes();
    share_decimals();
  }

private:
  int number_of(const LaidLine& line) const { return static_cast<int>(&line - lines_.data()); }

  std::string shortened(std::string_view name, double room, double size, Face face = Face::text) const {
    if (width_of(name, size, face) <= room + 1) return std::string(name);
    return picture::shortened(name, room, size, face, measure_);
  }

  // Returns the step between named rows or columns at which names stand clear of each other.
  Index name_step(double pitch) const {
    Index step = 1;
    while (as_double(step) * pitch < label_ * 1.12) step *= 2;
    return step;
  }

  double number_size(double cell, double height, std::string_view widest) const {
    const double em = width_of(widest, number_, Face::number) / number_;
    const double air = is_compared() ? std::max(number_air, 0.06 * cell) : number_air;
    const double room = cell - 2 * air;
    const double fitting = std::min(room / em, height - 3);
    if (fitting < number_ - 0.01) return 0;
    double size = std::max(number_, std::min({fitting, type_.most_number, cell * 0.34 + 2}));
    // Letters are whole pixels wide, so that some sizes are wider than others by their share.
    while (size > number_ && width_of(widest, size, Face::number) > room) size = std::max(number_, size - 0.5);
    return size;
  }

  // Returns the first of these texts that fits; null if none does.
  const std::string* fitting(const std::vector<std::string>& texts, double room) const {
    const auto found = std::ranges::find_if(texts, [&](const auto& each) { return width_of(each, note_) <= room; });
    return found == texts.end() ? nullptr : &*found;
  }

  // Returns the width that some blocks of a line leave, for each of their gaps.
  double loose_gap(const LaidLine& line, double room, double used, std::ptrdiff_t gaps) const {
    const double usual = !line.has_main() || is_around() ? 26 : has_line_of_squares() ? 90 : 40;
    const double most = is_compared() ? 0 : usual * f_;
    return std::min(std::max(0.0, room - used) / std::max(1.0, as_double(gaps)), most);
  }

  // Moves both lines to the right where they leave room there.
  void centre() {
    double spare = right_ - x0_;
    for (LaidLine& line : lines_) {
      const double used_width = used_by(line, 0, fixed_widths(line));
      const std::ptrdiff_t gaps = std::ssize(line.blocks) - 1;
      spare = std::min(spare, line.room - used_width - loose_gap(line, line.room, used_width, gaps) * as_double(gaps));
    }
    x0_ += std::max(0.0, spare / 2);
    left_ += std::max(0.0, spare / 2);
  }

  void place_line(LaidLine& line) {
    const auto main = std::ranges::find_if(line.blocks, &LaidBlock::is_main);
    const bool has_sides = is_around() && main != line.blocks.end();
    double loose = 0;
    double x = x0_;
    double right = x0_;
    double before = x0_;
    if (has_sides) {
      const auto count = static_cast<std::size_t>(main - line.blocks.begin());
      const double room = place_->card.x - before_card * f_ - x0_;
      loose = loose_gap(line, room, used_by(line, 0, fixed_widths(line, 0, count)), 2);
    } else {
      loose = loose_gap(line, line.room, used_by(line, 0, fixed_widths(line)), std::ssize(line.blocks) - 1);
    }
    for (LaidBlock& laid : line.blocks) {
      const bool is_first = &laid == line.blocks.data();
      const bool is_fixed = has_sides && laid.is_main();
      if (is_first || !std::prev(&laid)->is_ghost) before = right;
      const bool is_close = laid.sign.empty() && !laid.is_square() && !laid.has_own_rows;
      x += gap_before(laid, is_first) + (is_first || is_close ? 0 : loose);
      if (is_fixed) x = place_->cells.x;
      laid.x = x;
      laid.width = block_width(line, laid);
      const bool is_entered_from_weights = laid.is_after && !(is_first || std::prev(&laid)->is_after);
      const bool is_first_seen = std::all_of(line.blocks.data(), &laid, [](const LaidBlock& each) {
        return each.is_ghost || !each.is_square();  // features lead to scores, but not the ones beside these
      });
      const bool begins_scores = is_compared() && laid.is_square() && is_first_seen;
      const bool has_other_source =
          is_entered_from_weights || begins_scores || is_first_step(laid) || is_fed_from_below(laid) ||
          (laid.is_right && std::prev(&laid)->is_main() && lines_.back().blocks.back().is_after);
      if (!laid.is_ghost) place_block(line, laid, is_first || has_other_source ? std::nullopt : std::optional(before));
      right = x + (laid.is_main() ? span(line, laid) : laid.width) + room_after(laid);
      if (is_fixed) right = place_->card.right();
      laid.right = right;
      x += span(line, laid) + room_after(laid);
      if (!is_fixed) continue;
      x = right;
      const auto rest = static_cast<std::size_t>(main - line.blocks.begin()) + 1;
      const double used = used_by(line, rest, fixed_widths(line, rest, line.blocks.size()));
      loose = loose_gap(line, right_ - x, used, std::ssize(line.blocks) - static_cast<std::ptrdiff_t>(rest));
    }
    line.x_end = x;
  }

  // Puts names of rows that end at `x`, each in the room that it needs in `face`.
  void name_rows(const std::vector<std::string>& names, double x, double y, double row, double room, Stage result,
                 Index PlacedText::*token, Face face = Face::text) {
    const Index step = name_step(row);
    for (Index at = 0; at < std::ssize(names); at += step) {
      const std::string name = shortened(names[static_cast<std::size_t>(at)], room, label_, face);
      PlacedText& text = add_text(x, y + (as_double(at) + 0.5) * row + label_ * to_middle, name, label_, Face::text, 1);
      text.result = result;
      text.*token = at;
    }
  }

  // Returns where B's line begins, whose rows have names before them again; nothing for other lines.
  std::optional<double> second_card(const LaidLine& line) const {
    if (!is_compared() || number_of(line) == 0) return {};
    const LaidBlock& seen = *std::ranges::find(line.blocks, false, &LaidBlock::is_ghost);
    return seen.x - (seen.is_main() ? pad_ : 0);
  }

  // Puts the names of the tokens left of a line.
  void place_names(const LaidLine& line) {
    const std::optional<double> card = second_card(line);
    const double x = card ? *card - 8 * f_ : x0_ - (line.is_entered ? channel_ : 8 * f_);
    const auto has_queries = [](const LaidBlock& laid) { return !laid.has_own_rows && !laid.is_ghost; };
    if (std::ranges::none_of(line.blocks, has_queries)) return;
    const LaidBlock& first = line.blocks.front();
    if (has_line_of_squares() && first.is_main()) return;  // its names stand in its card
    const bool is_own = has_line_of_squares() && is_low(first);
    const double row = is_own ? column_width(line, first) : line.h;
    name_rows(s_.row_names(), x, is_own ? first.top_y : line.y0, row, names_, line.result(), &PlacedText::query);
  }

  // Adds a matrix of a block; its columns, of one head or of all, are as wide as the block's.
  PlacedMatrix& add_matrix(const LaidLine& line, const LaidBlock& laid, Stage stage, double y, double row, Index rows,
                           const BlockColumns& columns, bool is_square) {
    PlacedMatrix& matrix = out_.matrices.emplace_back();
    matrix.stage = stage;
    matrix.result = laid.result();
    matrix.rows = rows;
    matrix.line = number_of(line);
    matrix.is_second = laid.is_second;
    const double unit = column_width(line, laid);
    const double counted = as_double(columns.of_head);
    const double own = is_square ? unit * counted : effective_columns(counted) * unit;
    const double others = as_double(columns.heads - 1);
    const double other = others == 0 ? 0 : effective_columns(others * counted) * laid.other_share * unit / others;
    double at = laid.x;
    for (Index head = 0; head < columns.heads; ++head) {
      const bool is_viewed = columns.heads == 1 || head == s_.head / columns.sharers;
      const double width = is_viewed ? own : other;
      if (width == 0) continue;
      matrix.parts.push_back({is_viewed ? s_.head : head * columns.sharers, head * columns.of_head, columns.of_head, at,
                              width, is_viewed});
      at += width;
    }
    matrix.box = {laid.x, y, at - laid.x, row * as_double(rows)};
    return matrix;
  }

  // Writes the numbers of a matrix in the first form that has room. The weights are not rounded, nor are other shares.
  void size_numbers(PlacedMatrix& matrix, const LaidBlock& laid, double row) const {
    const bool is_narrow = matrix.cell_width() < least_ratio_of_feature * row;  // looks like a line, not like cells
    const bool is_share = laid.is_square() && info(laid.stage).range != StageRange::signed_value && !s_.is_difference;
    const bool has_forms = (is_around() || is_compared() || has_line_of_squares()) && !is_narrow && !is_share;
    for (const std::string& form : laid.forms_of_numbers()) {
      if (form != laid.widest && !has_forms) return;
      matrix.text = number_size(matrix.cell_width(), row, form);
      if (matrix.text == 0) continue;
      matrix.widest = form;
      matrix.is_rounded = decimals_of(form) < decimals_of(laid.widest);
      return;
    }
  }

  // Queries, keys and values stand side by side: if one of them has to be rounded, all are. A candidate loses no more
  // by that than by the one, so `is_rounded` stays as it is.
  void share_decimals() {
    if (s_.is_difference) return;
    const auto is_projection = [](const PlacedMatrix& matrix) {
      const bool is_one =
          matrix.stage == Stage::queries || matrix.stage == Stage::keys || matrix.stage == Stage::values;
      return is_one && matrix.role == PlacedRole::result && matrix.text > 0;
    };
    int fewest = std::numeric_limits<int>::max();
    for (const PlacedMatrix& matrix : out_.matrices)
      if (is_projection(matrix)) fewest = std::min(fewest, decimals_of(matrix.widest));
    for (PlacedMatrix& matrix : out_.matrices) {
      const int more = is_projection(matrix) ? decimals_of(matrix.widest) - fewest : 0;
      if (more <= 0) continue;
      matrix.widest.resize(matrix.widest.size() - static_cast<std::size_t>(more));
    }
  }

  void place_block(LaidLine& line, LaidBlock& laid, std::optional<double> before) {
    const bool is_small = is_low(laid);
    const double row = is_small            ? column_width(line, laid)
                       : laid.has_own_rows ? line.height() / as_double(laid.rows)
                                           : line.h;
    const double y = is_small ? line.middle() - row * as_double(laid.rows) / 2 : line.y0;
    PlacedMatrix& matrix = add_matrix(line, laid, laid.stage, y, row, laid.rows, laid.columns, laid.is_square());
    matrix.role = laid.is_copy ? PlacedRole::copy : PlacedRole::result;
    matrix.kind = laid.kind;
    matrix.rank = laid.rank;
    matrix.widest = laid.widest;
    matrix.is_on_spine = !laid.has_own_rows && !is_small;
    matrix.is_thumb = laid.is_thumb;
    if (!laid.is_thumb) size_numbers(matrix, laid, row);
    if ((is_around() || is_compared() || has_line_of_squares()) &&
        !laid.is_main()) {  // no digits are larger than the weights'
      const double cell = main_line().t;
      const double most = number_size(cell, cell, main_matrix().widest);
      if (most > 0) matrix.text = std::min(matrix.text, most);
    }
    laid.middle_x = matrix.viewed().x + matrix.viewed().width / 2;
    laid.top_y = y;
    place_titles(line, laid);
    if (has_column_names(laid) && line.names > 0) place_column_names(line, laid);
    if (laid.has_sums && !laid.is_thumb && line.h >= note_ && laid.rows <= most_summed_rows) {
      const double x = laid.x + laid.width + 8 * f_;
      if (line.names > 0 || is_around()) add_quiet(x, line.y0 - 6 * f_, "Σ row").stage = laid.stage;
      matrix.sums_x = x;
      matrix.sums = note_;
    }
    if (laid.has_own_rows) name_rows(s_.keys, laid.x - 7 * f_, line.y0, row, key_names_, laid.stage, &PlacedText::key);
    if (laid.is_main() && is_around()) name_axes(line, laid);
    if (laid.is_main() && has_line_of_squares())
      name_rows(s_.row_names(), laid.x - 7 * f_, y, row, names_, laid.stage, &PlacedText::query);
    if (laid.above) place_operand(line, laid);
    const bool has_arrow = !laid.sign.empty() || laid.kind == BlockKind::square;
    if (before && !laid.has_own_rows && has_arrow) place_arrow_into(line, laid, *before);
  }

  // Names the rows of the weights beside them, and both axes.
  void name_axes(const LaidLine& line, const LaidBlock& laid) {
    const double x = laid.x - 5 * f_;
    const double room = x - place_->card.x - 2 * f_;
    name_rows(s_.row_names(), x, line.y0, line.h, room, laid.stage, &PlacedText::query, Face::bold);
    const auto add = [&](double right, double y, const char* words) {
      PlacedText& text = add_text(right, y, words, note_, Face::text, 1);
      text.is_quiet = true;
      text.result = laid.stage;
    };
    if (line.h >= label_) add(x, line.y0 - 6 * f_, "query ↓");
    const double y = line.y0 - line.names - 10 * f_;
    const double right = laid.x + laid.width;
    const double words = width_of("key →", note_) + 14 * f_;
    const auto is_in_way = [&](const PlacedText& text) {
      return overlap(text.box, {right - words, y - note_, words, note_ * line_air});
    };
    if (line.has_subtitles && std::ranges::none_of(out_.texts, is_in_way)) add(right, y, "key →");
  }

  // Lets words above a matrix speak of a stage: its own, or its operand.
  static void assign(PlacedText& words, const LaidBlock& laid, Stage stage) {
    words.stage = stage;
    words.result = laid.result();
  }

  void place_titles(const LaidLine& line, LaidBlock& laid) {
    const bool has_names = has_column_names(laid);
    const double left = is_around() && laid.is_main() ? place_->card.x + 12 * f_ : laid.x;
    const double y = laid.top_y - (has_names ? line.names : 0) - 7 * f_ - (laid.is_main() ? 3 * f_ : 0);
    const double size = laid.is_main() ? type_.main_matrix : title_text_;
    const double width = width_of(laid.title, title_text_, Face::bold);
    const std::string* const subtitle =
        fitting(laid.other_share == 1 && !laid.whole_subtitles.empty() ? laid.whole_subtitles : laid.subtitles,
                std::min(std::max(laid.width + room_after(laid) * 0.9, width + 12 * f_), c_.box.right() - laid.x));
    const bool is_wanted =
        has_subtitles() && (!is_around() || line.has_subtitles || (!laid.is_square() && line.has_main()));
    const bool has_subtitle = is_wanted && subtitle && !subtitle->empty();
    const double title_y = y - (has_subtitle ? note_ * 1.3 : f_) - (laid.is_main() ? 2 * f_ : 0);
    assign(add_text(left, title_y, laid.title, size, Face::bold), laid, laid.stage);
    if (laid.is_main() && !laid.head_name.empty()) name_head(laid, left, title_y, size);
    if (has_subtitle) assign(add_quiet(left, y, *subtitle), laid, laid.stage);
    laid.head_top = title_y - size;
    if (laid.is_main()) {
      place_main_frame(line, laid, title_y + 2 * f_);
    } else if (has_names) {
      place_bar(laid, title_y, width);
    }
  }

  // Puts what the head does behind the title of the weights, if its colour bar leaves room.
  void name_head(const LaidBlock& laid, double left, double title_y, double title_size) {
    const double question = 14 * f_;  // the "?" behind the title
    const double x = left + width_of(laid.title, title_size, Face::bold) + question + 5 * f_;
    const double right = place_ ? place_->card.right() : laid.x + laid.width + room_after(laid);
    const double ends = width_of(laid.bar_low, note_) + width_of(laid.bar_high, note_);
    const double bar = (12 + 5 + 64 + 4 + 4) * f_ + ends;
    const std::string name = shortened(laid.head_name, right - bar - x, note_);
    if (name.size() < 4) return;
    assign(add_quiet(x, title_y, name), laid, laid.stage);
  }

  void place_main_frame(const LaidLine& line, LaidBlock& laid, double title_y) {
    const double left = place_ ? place_->card.x : laid.x - pad_before_main();
    const double top = title_y - type_.main_matrix - 9 * f_;
    const double right = place_ ? place_->card.right() : laid.x + span(line, laid) + room_after(laid) - pad_ * 0.4;
    laid.frame = {left, top, right - left, line.end + 12 * f_ - top};
    out_.frames.push_back({laid.frame, true, laid.stage});
    if (laid.is_thumb || is_overview()) return;
    const double high = right - 12 * f_ - width_of(laid.bar_high, note_);
    const Box bar{high - 64 * f_ - 5 * f_, title_y - 9 * f_, 64 * f_, 8 * f_};
    add_bar(laid, bar, 4 * f_, high, title_y - 1.5 * f_);
  }

  void add_bar(const LaidBlock& laid, const Box& bar, double gap, double high_left, double baseline) {
    out_.bars.push_back({laid.stage, bar, bar.x - gap, high_left, baseline, note_, laid.is_second});
  }

  // Puts a colour bar right of a title, if there is room for it.
  void place_bar(const LaidBlock& laid, double title_y, double title_width) {
    const double low = width_of(laid.bar_low, note_);
    const double high = width_of(laid.bar_high, note_);
    if (title_width + 30 * f_ + low + high + 16 * f_ > laid.width) return;
    const double high_left = laid.x + laid.width - high;
    add_bar(laid, {high_left - 34 * f_, title_y - 8 * f_, 30 * f_, 7 * f_}, 3 * f_, high_left, title_y);
  }

  void place_column_names(const LaidLine& line, const LaidBlock& laid) {
    const double cell = column_width(line, laid);
    const double y = line.y0 - 6 * f_;
    const double size = line.is_turned ? label_ : line.name_size;
    const double turned = is_around() ? line.names - 6 * f_ : 80 * f_;
    const double flat = line.is_cut || !is_around() ? cell - 2 : c_.box.width;
    const double room = line.is_turned ? turned : flat;
    const Index step = line.is_turned ? name_step(cell) : 1;
    for (Index column = 0; column < std::ssize(s_.keys); column += step) {
      const double middle = laid.x + (as_double(column) + 0.5) * cell;
      const std::string name = shortened(s_.keys[static_cast<std::size_t>(column)], room, size);
      PlacedText& text = add_text(line.is_turned ? middle + label_ * to_middle : middle, y, name, size, Face::text,
                                  line.is_turned ? 0 : 0.5);
      text.is_turned = line.is_turned;
      text.box = box_of(text, measure_);
      text.result = laid.stage;
      text.key = column;
      text.is_quiet = !laid.is_main();
    }
  }

  void place_operand(const LaidLine& line, LaidBlock& laid) {
    const BlockOperand& operand = *laid.above;
    double row = operand_row(laid);
    const double area = main_line().t * as_double(main_matrix().columns.of_head) * main_line().height();
    row = std::min(row, 0.9 * area / (laid.width * as_double(operand.rows)));
    if (operand.kind == OperandKind::pattern) row = std::min(row, column_width(line, laid));
    if (has_values_above(laid) && is_wide() && !is_around())
      row = std::max(row, lane_needs(line) / as_double(operand.rows));
    const double height = as_double(operand.rows) * row;
    const double top = laid.head_top - 4 * f_ - height;
    const bool is_pattern = operand.kind == OperandKind::pattern;
    const bool is_square = operand.kind != OperandKind::feature || laid.is_square();
    const auto add = [&](PlacedRole role, Stage stage, double y, Index rows) {
      PlacedMatrix& matrix = add_matrix(line, laid, stage, y, row, rows, operand.columns, is_square);
      if (is_pattern && row < column_width(line, laid)) {  // its cells are square, too
        matrix.box.width = matrix.parts.front().width = row * as_double(operand.columns.of_head);
      }
      matrix.role = role;
      matrix.is_on_spine = false;
      matrix.is_pattern = is_pattern;
      matrix.is_transposed = operand.is_transposed && role == PlacedRole::above;
      matrix.widest = operand.widest;
      matrix.text = is_pattern ? 0 : std::min(number_size(matrix.cell_width(), row, operand.widest), number_ * 1.3);
      return matrix.box;
    };
    const Index rows = operand.rows - (operand.bias ? 1 : 0);
    laid.above_box = add(PlacedRole::above, operand.stage, top, rows);
    if (operand.bias) add(PlacedRole::bias, *operand.bias, top + as_double(rows) * row, 1);
    laid.caption_top = top - 5 * f_ - note_;
    if (laid.is_captioned_beside) {
      const double x = laid.above_box->right() + 6 * f_;
      const std::string* const words = fitting(operand.captions, laid.x + span(line, laid) - x);
      const double y = laid.above_box->middle_y() + note_ * to_middle;
      if (words) assign(add_quiet(x, y, *words), laid, operand.stage);
      return;
    }
    double room = std::max(laid.width, width_of(operand.captions.back(), note_));
    if (operand.kind == OperandKind::transposed) room = laid.width / 2 - 8 * f_;
    if (operand.kind == OperandKind::feature) room = span(line, laid) + 8 * f_;
    const std::string* const caption = fitting(operand.captions, std::min(room, c_.box.right() - laid.x));
    if (caption) assign(add_quiet(laid.x, top - 5 * f_, *caption), laid, operand.stage);
  }

  void place_arrow_into(const LaidLine& line, const LaidBlock& laid, double before) {
    const double start = before + 4 * f_;
    const double end = laid.x - (laid.stage == Stage::queries ? 10 : 5) * f_ - (laid.is_main() ? pad_before_main() : 0);
    std::optional<Stage> from;
    for (const LaidBlock* each = line.blocks.data(); each != &laid; ++each)
      if (!each->is_ghost) from = each->stage;
    const int arrow = add_arrow(from, laid.stage, {{start, line.middle()}, {end, line.middle()}});
    out_.arrows.back().text = laid.sign;
    const double middle = (start + end) / 2;
    if (!laid.sign.empty()) place_sign(laid, arrow, middle, line.middle() - 7 * f_);
    if (laid.note.empty() || (is_compared() && width_of(laid.note, note_) + 12 * f_ > end - start)) return;
    const double lowest = c_.box.bottom() - downward * note_;
    PlacedText& note = add_quiet(middle, std::min(line.middle() + note_ + 5 * f_, lowest), laid.note, 0.5);
    note.arrow = arrow;
    note.stage = laid.passed.empty() || is_compared() ? laid.stage : laid.passed.front();  // a kept one is not changed
    note.result = laid.stage;
  }

  void place_sign(const DiagramBlock& block, int arrow, double middle, double y) {
    const std::size_t before_it = out_.texts.size();
    PlacedText& sign = add_text(middle, y, block.sign, block.sign.size() < 4 ? title_text_ : label_, Face::bold, 0.5);
    for (std::size_t i = 0; i < before_it; ++i) {  // titles of a low line stand beside its middle
      const Box& words = out_.texts[i].box;
      if (!overlap(sign.box, words, -2)) continue;
      sign.x = words.right() + 3 + sign.box.width / 2;
      sign.box = box_of(sign, measure_);
    }
    sign.arrow = arrow;
    sign.stage = sign.result = block.stage;
  }

  void place_stripes() {
    for (const LaidLine& line : lines_) {
      if (line.rows() < 2 || line.h < least_striped_row) continue;
      const auto add = [&](double left, double right) {
        out_.stripes.push_back({{left, line.y0, right - left, line.h}, s_.row_count(), line.result()});
      };
      if (has_line_of_squares() && line.has_main() && !o_.has_steps_above) {
        const Box& card = main_matrix().frame;
        add(card.x + 4 * f_, card.right() - 4 * f_);
        continue;
      }
      const std::optional<double> card = second_card(line);
      double left = card ? *card - 70 * f_ : left_ - 6 * f_;
      const auto own = [](const LaidBlock& laid) { return laid.has_own_rows; };
      const auto first = std::ranges::find_if(line.blocks, own);
      if (first != line.blocks.end()) {
        if (first != line.blocks.begin()) add(left, first->x - key_names_ - 6 * f_);
        left = std::find_if(line.blocks.rbegin(), line.blocks.rend(), own)->right + 30 * f_;
      }
      add(left, std::min(line.x_end + 6 * f_, right_));
    }
  }
};

}  // namespace

DiagramDraft with_places(DiagramDraft draft) {
  DiagramPlaces places(std::move(draft));
  places.place();
  return places;
}

}  // namespace attnscope::scene
