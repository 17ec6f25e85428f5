#include <algorithm>
#include <cmath>

#include "view/diagram_draft.h"

// Sizes: how wide columns and how high rows of each line are.

namespace attnscope::scene {

double effective_columns(double count) { return count <= 8 ? count : 8 + 3 * std::log2(count / 8); }

double LaidBlock::weight() const {
  const double others = as_double((columns.heads - 1) * columns.of_head);
  const double own = effective_columns(as_double(columns.of_head));
  return shrink * (own + (others > 0 ? effective_columns(others) * other_share : 0));
}

std::vector<std::string> LaidBlock::forms_of_numbers() const {
  constexpr std::string_view minus = "−";
  const std::string sign = widest.starts_with(minus) ? std::string(minus) : "";
  const std::string digits = widest.substr(sign.size());
  const std::string needed_sign = has_negatives ? sign : "";
  std::vector<std::string> forms = {widest, needed_sign + digits};
  const std::size_t point = digits.find('.');
  if (point == std::string::npos) return forms;
  if (is_difference) {  // its digits say how large a change is: none is given up, but for the 0 before the point
    if (is_fraction) forms.push_back(sign + digits.substr(point));
    return forms;
  }
  for (const std::size_t decimals : {std::size_t{2}, std::size_t{1}})
    if (point + 1 + decimals < digits.size()) forms.push_back(needed_sign + digits.substr(0, point + 1 + decimals));
  return forms;
}

bool LaidLine::has_main() const { return std::ranges::any_of(blocks, &LaidBlock::is_main); }
bool LaidLine::has_squares() const { return std::ranges::any_of(blocks, &LaidBlock::is_square); }

const LaidBlock& DiagramDraft::main_matrix() const {
  return *std::ranges::find_if(main_line().blocks, &LaidBlock::is_main);
}

double DiagramDraft::gap_before(const LaidBlock& laid, bool is_first) const {
  const double tight = c_.is_page ? 0.7 : 1;
  if (is_first) return laid.has_own_rows ? key_names_ : laid.is_main() ? pad_before_main() : 0;
  if (is_fed_from_below(laid) || is_first_step(laid)) return 46 * f_;  // the values or the keys lead up here
  if (laid.is_after) {
    const auto before = std::ranges::find_if(lines_.back().blocks, &LaidBlock::is_after);
    if (before->stage == laid.stage) return 46 * f_;  // the softmax leads up here, and the weights down
  }
  if (laid.has_own_rows) return 14 * f_ + key_names_;
  if (laid.is_main() && laid.sign.empty()) return 26 * f_ + pad_before_main();
  if (laid.sign.empty() && !laid.is_square()) return 13 * f_ * tight;
  const double sign = width_of(laid.sign, laid.sign.size() < 4 ? title_text_ : label_, Face::bold);
  const double note = is_compared() ? 0 : width_of(laid.note, note_);
  if (laid.is_close) return std::max(15 * f_, sign + 4 * f_);
  const double least = laid.is_right ? 22 * f_ : 30 * f_ * tight;
  return std::max(least, std::max(sign, note) + 12 * f_) + (laid.is_main() ? pad_before_main() : 0);
}

double DiagramDraft::room_after(const LaidBlock& laid) const {
  const bool has_sums = laid.has_sums && !laid.is_thumb && s_.row_count() <= most_summed_rows;
  return (has_sums ? sums_ : 0) + (laid.is_main() ? pad_ : 0);
}

double DiagramDraft::feature_width(const LaidLine& line, const LaidBlock& laid) const {
  return laid.is_right ? line.u_right : line.u;
}

double DiagramDraft::column_width(const LaidLine& line, const LaidBlock& laid) const {
  return (laid.is_square() ? line.t : feature_width(line, laid)) * laid.shrink;
}

double DiagramDraft::block_width(const LaidLine& line, const LaidBlock& laid) const {
  if (laid.is_square()) return column_width(line, laid) * as_double(laid.columns.of_head);
  return laid.weight() * feature_width(line, laid);
}

double DiagramDraft::least_width(const LaidBlock& laid) const {
  if (laid.is_main() && is_around()) return 0;
  double title = width_of(laid.title, laid.is_main() ? type_.main_matrix : title_text_, Face::bold);
  if (laid.above && !is_around() && is_parameter(info(laid.above->stage).axes) && laid.stage != Stage::output)
    title = std::max(title, width_of(laid.above->captions.front(), note_));
  if (laid.is_main()) {
    title += (is_overview() ? 12 : has_many_ ? 146 : 100) * f_;  // room for its colour bar
    title -= room_after(laid) - pad_;
  }
  return title + 6 * f_;
}

std::vector<DiagramDraft::FixedWidths> DiagramDraft::fixed_widths(const LaidLine& line, std::size_t first,
                                                                  std::size_t end) const {
  std::vector<FixedWidths> fixed;
  for (std::size_t i = first; i < end; ++i) {
    const LaidBlock& laid = line.blocks[i];
    fixed.push_back({gap_before(laid, i == 0), least_width(laid), room_after(laid)});
  }
  return fixed;
}

double DiagramDraft::used(LaidLine& line, const std::vector<FixedWidths>& fixed, double u, double t) const {
  line.u = u;
  line.t = t;
  return used_by(line, 0, fixed);
}

double DiagramDraft::used_by(const LaidLine& line, std::size_t first, const std::vector<FixedWidths>& fixed) const {
  double width = 0;
  for (std::size_t i = 0; i < fixed.size(); ++i)
    width += fixed[i].before + std::max(block_width(line, line.blocks[first + i]), fixed[i].least) + fixed[i].after;
  return width;
}

// Returns the height of a row of the operand above a result.
double DiagramDraft::operand_row(const LaidBlock& laid) const {
  if (laid.operand_row > 0) return laid.operand_row;
  const BlockOperand& operand = *laid.above;
  const bool is_two = wrap_ == DiagramWrap::two_lines;
  const double cap = c_.box.height * (is_two ? 0.17 : wrap_ == DiagramWrap::three_lines ? 0.13 : 0.085);
  const double rows = as_double(operand.rows);
  const double low = cap * (operand.rows <= many_keys ? 0.8 : 0.5) / rows;
  if (operand.kind == OperandKind::pattern) {
    const double least = operand.stage == Stage::dropout_factors ? 6.1 : 0;  // a cross has no room in lower rows
    const double row = std::min((is_two ? 9 : 7) * f_, low);
    return std::max(0.02, o_.is_tight ? std::max(row / 2, std::min(row, least)) : row);
  }
  if (o_.has_operand_numbers && (number_ + number_row_air) * rows <= cap * 1.25) return number_ + number_row_air;
  return std::min(9 * f_, low);
}

// The arrow from the values passes above the weights: the values above the context must reach that far up.
double DiagramDraft::lane_needs(const LaidLine& line) const {
  if (!is_wide()) return 0;
  double patterns = 16 * f_;
  for (const LaidBlock& laid : line.blocks) {
    if (laid.has_above() && laid.above->kind == OperandKind::pattern)
      patterns = std::max(patterns, as_double(laid.above->rows) * operand_row(laid) + 20 * f_);
  }
  return patterns + line.names + 18 * f_;
}

bool has_values_above(const DiagramBlock& block) {
  return block.stage == Stage::head_context || block.stage == Stage::context;
}

namespace {

constexpr double unlimited = 1e9;
constexpr double most_square = 400;  // width of a cell
constexpr double most_feature = 200;
constexpr int width_steps = 22;

// Returns the largest number between two at which everything fits. If it fits at one, it must fit at all smaller ones.
template <typename Fits>
double largest(const Fits& fits, double low, double high) {
  if (fits(high)) return high;
  for (int step = 0; step < width_steps; ++step) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

// Returns the most columns that a feature matrix of the line has; 0 if it has none.
double widest_feature_in(const LaidLine& line) {
  double wide = 0;
  for (const LaidBlock& laid : line.blocks)
    if (!laid.is_square()) wide = std::max(wide, laid.weight());
  return wide;
}

class DiagramSizes : public DiagramDraft {
public:
  explicit DiagramSizes(DiagramDraft draft) : DiagramDraft(std::move(draft)) {}

  // Returns whether everything fits.
  bool solve() {
    double height = c_.box.height;
    if (o_.keeps_card_column && wrap_ == DiagramWrap::bands) height -= 196 * f_;
    for (LaidLine& line : lines_) line.room = right_ - x0_ - kept_from(line);
    if (!fit_width(main_line(), unlimited)) return false;
    for (LaidLine& line : lines_) {
      if (&line == &main_line()) continue;
      if (is_compared()) {
        line.u = main_line().u;
        line.t = main_line().t;
      } else if (!fit_width(line, main_line().t / main_ratio)) {
        return false;
      }
    }
    for (std::size_t pass = 0; pass <= lines_.size(); ++pass)  // names may turn when columns change, once in each line
      if (!share_height(height)) return false;
    balance(main_line());
    double spare = height;
    for (LaidLine& line : lines_) spare -= set_zones(line) + line.height();
    spare_ = std::max(0.0, spare);
    return spare > -0.6;
  }

private:
  bool is_first(const LaidLine& line) const { return &line == lines_.data(); }

  // Returns the width at the right of a line that arrows or the card take.
  double kept_from(const LaidLine& line) const {
    const bool is_bands = wrap_ == DiagramWrap::bands;
    if (o_.has_steps_above) return is_first(line) ? 22 * f_ : 0;  // an arrow leads down
    if (is_first(line)) return is_bands ? by_page(12, 22) : 0;
    if (o_.keeps_card_column && !is_bands) {
      const double card = std::min(std::max(0.2 * c_.box.width, 250 * f_), 350 * f_);
      return card + (wrap_ == DiagramWrap::two_lines ? 40 : 62) * f_;
    }
    if (has_line_of_squares()) return line.blocks.back().is_main() ? 0 : 22 * f_;  // an arrow leads up
    return is_wide() ? 0 : by_page(16, 40);
  }

  // Columns u (of features) and t (of squares). Numbers of features first, then the ratio of the weights to these.
  bool fit_width(LaidLine& line, double limit) {
    const double n = least_cell_;
    const double counted = std::min(keys_, static_cast<double>(many_keys));
    const double part = counted / keys_;  // of many tokens one twelfth of the weights counts as their cell
    const double wide = widest_feature_in(line);
    limit /= part;
    const double most = has_many_ ? 0.35 : 0.9;  // of the weights' width, that a matrix of features takes
    const double top = line.has_squares() ? std::min(limit, most_square / part) : most_feature;
    const std::vector<FixedWidths> fixed = fixed_widths(line);
    const auto fits = [&](double u, double t) { return used(line, fixed, u, t * part) <= line.room; };
    double u = 0;
    double t = 0;
    if (line.has_main()) {
      const double ratio = std::max(is_overview() ? 1.0 : 1.5, wide / most / counted);
      u = largest([&](double each) { return fits(each, ratio * each); }, 1, top / ratio);
      t = ratio * u;
      const double own = width_of(main_matrix().widest, number_, Face::number) + 2 * number_air;
      const double least = std::max((is_overview() ? own : main_ratio * n) * 1.02, 1.1 * wide * n / counted);
      if (u < n && fits(n, least)) {
        u = n;
        t = largest([&](double each) { return fits(n, each); }, least, top);
      } else if (u < n) {
        const double without = std::max(2.4, wide / most / counted);
        t = largest([&](double each) { return fits(each / without, each); }, 0.05, top);
        u = t / without;
        // The contexts of two documents get room for numbers with one decimal if the weights stay nearly as large.
        const double rounded = 0.8 * n;
        const double large = std::max(1.1 * own, large_of_compared * c_.box.height / as_double(line.rows()));
        if (is_compared() && !has_many_ && u < rounded && fits(rounded, large)) {
          u = rounded;
          t = largest([&](double each) { return fits(u, each); }, large, top);
        }
        // Before an audience the weights have their numbers first: wide matrices of features make way.
        const double narrow = u / 3;
        if (is_overview() && !has_many_ && t < 1.02 * own && fits(narrow, 1.02 * own)) {
          t = 1.02 * own;
          u = largest([&](double each) { return fits(each, t); }, narrow, u);
        }
      }
    } else {
      const double cap = has_line_of_squares() ? most_feature : has_many_ ? main_line().u : std::max(n, main_line().u);
      const double enough = o_.has_steps_above ? 0.5 : 0.75;  // of columns of features, for a column of squares
      const auto column = [&](double each) { return std::min(cap, std::max(each, each > n * enough ? n : 0)); };
      t = largest([&](double each) { return fits(column(each), each); }, 0.05, top);
      u = column(t);
    }
    return used(line, fixed, u, t * part) <= line.room + 0.5;
  }

  double least_square(const LaidLine& line) const {
    double least = unlimited;
    for (const LaidBlock& laid : line.blocks)
      if (laid.is_square() && !laid.is_thumb) least = std::min(least, column_width(line, laid));
    return least;
  }

  // Sets the heights of the zones above and below the rows of a line.
  double set_zones(LaidLine& line) {
    const bool has_main = line.has_main();
    line.heading = is_overview()                        ? (has_line_of_squares() && !has_main ? 13 : 4) * f_
                   : !c_.is_page && !line.bands.empty() ? 26 * f_
                                                        : 14 * f_;
    const double longest = type_.longest_label;
    const double cell = least_square(line);
    const double main_cell = has_main ? line.t : cell;
    const double least_cut = 2.4 * label_;  // less room would leave only the dots of a name
    line.is_turned = line.has_squares() && type_.longest_note + 3 > main_cell &&
                     (has_main || has_many_ || main_cell < 30 * f_) && (!o_.is_tight || main_cell < least_cut);
    const bool is_wide_enough = type_.longest_note + 3 <= main_cell;
    if (is_overview()) line.is_turned = line.has_squares() && has_main && !is_wide_enough;
    line.name_size = longest + 3 <= main_cell ? label_ : note_;
    const bool is_unnamed = (o_.is_tight || is_overview()) && !has_main && cell < least_cut;
    line.names = line.is_turned ? std::min(longest, 80 * f_) + 6 * f_ : label_ + 7 * f_;
    if (!line.has_squares() || is_unnamed || (o_.has_steps_above && !has_main) || (has_many_ && !has_main))
      line.names = 0;
    line.operands = 0;
    for (const LaidBlock& laid : line.blocks) {
      if (!laid.has_above()) continue;
      double needed = as_double(laid.above->rows) * operand_row(laid) + 17 * f_;
      if (has_values_above(laid)) needed = std::max(needed, lane_needs(line) + 17 * f_);
      // Columns of features have no names here: their operands hang beside those of the weights.
      if (is_overview() && !has_column_names(laid)) needed -= line.names;
      line.operands = std::max(line.operands, needed);
    }
    const bool is_three = wrap_ == DiagramWrap::three_lines;
    const bool is_beside_operands =
        (!is_first(line) && line.operands >= 24 * f_) || (is_three && has_main && line.operands >= 40 * f_);
    if (is_beside_operands) line.heading = std::min(line.heading, 8 * f_);
    const double subtitle = has_subtitles() ? note_ : 0;
    line.title = title_text_ * 1.15 + subtitle * 1.25 + 5 * f_;
    if (has_main) line.title = std::max(line.title, type_.main_matrix * 1.15 + subtitle * 1.3 + 6 * f_);
    if (has_main && line.operands == 0) line.title += 10 * f_;
    line.gutter = has_main ? 12 * f_ : 4 * f_;
    if (o_.has_steps_above && !has_main) line.gutter += 6 * f_;  // the softmax stands there
    if (is_compared()) {                                         // no arrow passes below a line
      line.gutter += 6 * f_;
      return line.zones();
    }
    const int lanes = is_wide() || has_line_of_squares() ? 2 : 3;
    const int for_lanes = 20 + 5 * lanes - (is_three && !has_main ? 8 : 0) + (has_main && is_three ? 11 : 0);
    line.gutter += (&line == &lines_.back() ? 4 : for_lanes) * f_;
    return line.zones();
  }

  // Returns the height of a row that suits the columns of its line.
  double most_height(const LaidLine& line) const {
    const double square = has_line_of_squares() && line.has_main() ? line.t : least_square(line);
    const bool has_squares = square < unlimited;
    double most = has_squares ? square : 1.5 * std::max(line.u, least_cell_ * 0.6);
    if (has_squares && line.u >= least_cell_ && widest_feature_in(line) > 0) most = std::min(most, 1.9 * line.u);
    return most;
  }

  // Shares a height among rows by the shares of their lines. A line whose rows suit its columns leaves the rest to
  // others.
  void share(double height) {
    for (bool is_any_full = true; is_any_full;) {
      double total = 0;
      for (const LaidLine& line : lines_)
        if (line.is_open) total += line.share * as_double(line.rows());
      const double unit = height / total;
      is_any_full = false;
      for (LaidLine& line : lines_) {
        if (!line.is_open) continue;
        line.h = std::min(line.share * unit, line.most_h);
        line.is_open = line.share * unit < line.most_h;
        if (line.is_open) continue;
        height -= line.h * as_double(line.rows());
        is_any_full = true;
      }
    }
  }

  // Rows share the height that the zones leave.
  bool share_height(double height) {
    LaidLine& first = main_line();
    double room = height;
    for (LaidLine& line : lines_) room -= set_zones(line);
    if (room < as_double(first.rows()) * 2 && room < 60) return false;
    for (LaidLine& line : lines_) {
      line.most_h = most_height(line);
      line.is_open = true;
    }
    share(room);
    for (LaidLine& line : lines_) {
      line.h = std::min(line.h, first.h);
      if (line.height() < 12 * f_) return false;
      if (line.has_squares()) line.t = std::min(line.t, line.h);
      if (line.u >= least_cell_) line.u = std::min(line.u, (has_line_of_squares() ? 2.35 : 2) * line.h);
    }
    if (is_compared()) {
      for (double LaidLine::*const size : {&LaidLine::t, &LaidLine::u, &LaidLine::h}) {
        const double least = std::ranges::min(lines_, {}, size).*size;
        for (LaidLine& line : lines_) line.*size = least;
      }
    } else {
      for (LaidLine& line : lines_)
        if (&line != &first) line.t = std::min(line.t, first.t / main_ratio);
    }
    for (LaidLine& line : lines_)
      if (line.has_squares()) line.h = std::min(line.h, line.t);
    return true;
  }

  // No matrix is larger than the weights; columns of features take the width that the weights cannot use.
  void balance(LaidLine& line) {
    const double keys = as_double(main_matrix().columns.of_head);
    const double part = keys / std::min(keys, static_cast<double>(many_keys));
    const double t = line.t;
    const double wide = std::max(1.0, widest_feature_in(line));
    line.u = std::min(line.u, 0.95 * t * keys / wide);
    const double area = t * keys * line.h * as_double(line.rows());
    for (LaidLine& other : lines_) {
      if (&other == &line) continue;
      other.u = std::min(other.u, 0.95 * area / (widest_feature_in(other) * other.height()));
      if (other.has_squares() && !is_compared()) other.h = std::min(other.h, least_square(other));
    }
    const double most_share = keys > many_keys ? 0.35 : 0.95;
    const double least = is_compared() && !has_many_ ? least_cell_ : 0;  // so that contexts have numbers
    const double high =
        std::max({line.u, std::min(least, most_share * t * keys / wide),
                  std::min({t * part / 1.2, 1.7 * line.h * part, 84 * f_, most_share * t * keys / wide})});
    const std::vector<FixedWidths> fixed = fixed_widths(line);
    line.u = largest([&](double u) { return used(line, fixed, u, t) <= line.room; }, line.u, high);
    line.t = t;
    for (LaidLine& other : lines_)
      if (is_compared()) other.u = line.u;
  }
};

}  // namespace

std::optional<DiagramDraft> with_sizes(DiagramDraft draft) {
  DiagramSizes sizes(std::move(draft));
  if (!sizes.solve()) return {};
  return sizes;
}

}  // namespace attnscope::scene
