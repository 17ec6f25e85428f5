#include <algorithm>
#include <cmath>

#include "scene/diagram_composer.h"

// Sizes: how wide columns and how high rows of each line are.

namespace attnscope::scene {
namespace {

constexpr double unlimited = 1e9;
constexpr double most_square = 400;   // width of a cell
constexpr double most_feature = 200;  //
constexpr int search_steps = 22;

// The largest number between the two at which everything fits, which it does at none or at all smaller ones.
template <typename Fits>
double largest(const Fits& fits, double low, double high) {
  if (fits(high)) return high;
  for (int step = 0; step < search_steps; ++step) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double effective_columns(double count) { return count <= 8 ? count : 8 + 3 * std::log2(count / 8); }

double LaidBlock::weight() const {
  const BlockColumns& columns = block.columns;
  const double others = as_double((columns.heads - 1) * columns.of_head);
  const double own = effective_columns(as_double(columns.of_head));
  return shrink * (own + (others > 0 ? effective_columns(others) * other_share : 0));
}

Stage LaidLine::result() const { return blocks.front().result(); }
bool LaidLine::has_hero() const { return std::ranges::any_of(blocks, &LaidBlock::is_hero); }
bool LaidLine::has_squares() const { return std::ranges::any_of(blocks, &LaidBlock::is_square); }

LaidBlock& DiagramComposer::hero() { return *std::ranges::find_if(hero_line().blocks, &LaidBlock::is_hero); }

double DiagramComposer::gap_before(const LaidBlock& laid, bool is_first) const {
  const DiagramBlock& block = laid.block;
  const double tight = c_.is_page ? 0.7 : 1;
  if (is_first) return block.has_own_rows ? key_names_ : laid.is_hero() ? pad_ : 0;
  if (block.has_own_rows) return 14 * f_ + key_names_;
  if (laid.is_hero()) return 26 * f_ + pad_;
  if (block.sign.empty() && !laid.is_square()) return 13 * f_ * tight;
  const double sign = width_of(block.sign, block.sign.size() < 4 ? title_text_ : label_, Face::bold);
  const double note = wrap_ == DiagramWrap::compared ? 0 : width_of(block.note, note_);
  return std::max(30 * f_ * tight, std::max(sign, note) + 12 * f_);
}

double DiagramComposer::room_after(const LaidBlock& laid) const {
  const bool has_sums = laid.block.has_sums && !laid.is_thumb && s_.row_count() <= most_summed_rows;
  return (has_sums ? sums_ : 0) + (laid.is_hero() ? pad_ : 0);
}

double DiagramComposer::square_width(const LaidLine& line, const LaidBlock& laid) const {
  const double share = laid.is_hero() || !line.has_hero() || c_.focus ? 1 : 1 / hero_ratio;
  return line.t * share * laid.shrink;
}

double DiagramComposer::block_width(const LaidLine& line, const LaidBlock& laid) const {
  if (laid.is_square()) return square_width(line, laid) * as_double(laid.block.columns.of_head);
  return laid.weight() * line.u;
}

// Returns the width of a block: that of its matrix or its title, whichever is wider.
double DiagramComposer::span(const LaidLine& line, const LaidBlock& laid) const {
  const DiagramBlock& block = laid.block;
  double title = width_of(block.title, laid.is_hero() ? hero_text_ : title_text_, Face::bold);
  if (block.above && is_parameter(info(block.above->stage).axes) && block.stage != Stage::output)
    title = std::max(title, width_of(block.above->captions.front(), note_));
  if (laid.is_hero()) {
    title += (s_.keys.size() <= static_cast<std::size_t>(many_keys) ? 100 : 146) * f_;  // its colour bar
    title -= room_after(laid) - pad_;
  }
  return std::max(block_width(line, laid), title + 6 * f_);
}

double DiagramComposer::used(LaidLine& line, double u, double t) const {
  line.u = u;
  line.t = t;
  double width = 0;
  for (std::size_t i = 0; i < line.blocks.size(); ++i)
    width += gap_before(line.blocks[i], i == 0) + span(line, line.blocks[i]) + room_after(line.blocks[i]);
  return width;
}

// Columns u (of features) and t (of squares). Numbers of features first, then the ratio of the weights to these.
bool DiagramComposer::fit_width(LaidLine& line, double limit) {
  const double n = least_cell_;
  const double keys = as_double(static_cast<Index>(s_.keys.size()));
  const double counted = std::min(keys, static_cast<double>(many_keys));
  const double part = counted / keys;  // of many tokens one twelfth of the weights counts as their cell
  double wide = 0;
  for (const LaidBlock& laid : line.blocks)
    if (!laid.is_square()) wide = std::max(wide, laid.weight());
  limit /= part;
  const double most = keys > many_keys ? 0.35 : 0.9;  // of the weights' width, that a matrix of features takes
  const bool is_heros = line.has_hero() && !c_.focus;
  double ratio = is_heros ? std::max(1.5, wide / most / counted) : 1;
  const double top = line.has_squares() ? std::min(limit, most_square / std::min(part, 1.0)) : most_feature;
  const auto fits = [&](double u, double t) { return used(line, u, t * part) <= line.room; };
  double u = 0;
  double t = 0;
  if (is_heros && line.has_squares()) {
    u = largest([&](double each) { return fits(each, ratio * each); }, 1, top / ratio);
    t = ratio * u;
    if (u < n) {
      const double least = std::max(hero_ratio * n * 1.02, 1.1 * wide * n / counted);
      if (fits(n, least)) {
        u = n;
        t = largest([&](double each) { return fits(n, each); }, least, top);
      } else {
        ratio = std::max(2.4, wide / most / counted);
        t = largest([&](double each) { return fits(each / ratio, each); }, 0.05, top);
        u = t / ratio;
      }
    }
  } else {
    const double cap = c_.focus ? most_square : keys > many_keys ? hero_line().u : std::max(n, hero_line().u);
    const auto column = [&](double each) { return std::min(cap, std::max(each, each > n * 0.75 ? n : 0)); };
    t = largest([&](double each) { return fits(column(each), each); }, 0.05, top);
    u = column(t);
  }
  return used(line, u, t * part) <= line.room + 0.5;
}

// The height of a row of what hangs above a result.
double DiagramComposer::operand_row(const LaidBlock& laid) const {
  const BlockOperand& operand = *laid.block.above;
  const double share = wrap_ == DiagramWrap::two_lines ? 0.17 : wrap_ == DiagramWrap::three_lines ? 0.13 : 0.085;
  const double cap = c_.box.height * share;
  const double rows = as_double(operand.rows);
  const double low = cap * (operand.rows <= many_keys ? 0.8 : 0.5) / rows;
  if (operand.kind == OperandKind::pattern) {
    const double row = std::min((wrap_ == DiagramWrap::two_lines ? 9 : 7) * f_, low);
    return std::max(0.02, o_.is_tight ? row / 2 : row);
  }
  if (o_.has_operand_numbers && (number_ + 4.5) * rows <= cap * 1.25) return number_ + 4.5;
  return std::min(9 * f_, low);
}

// The arrow from the values passes above the weights: the values above the context must reach that far up.
double DiagramComposer::lane_needs(const LaidLine& line) const {
  if (wrap_ != DiagramWrap::two_lines && wrap_ != DiagramWrap::compared) return 0;
  double patterns = 16 * f_;
  for (const LaidBlock& laid : line.blocks) {
    if (laid.block.above && laid.block.above->kind == OperandKind::pattern)
      patterns = std::max(patterns, as_double(laid.block.above->rows) * operand_row(laid) + 20 * f_);
  }
  return patterns + line.names + 18 * f_;
}

double DiagramComposer::least_square(const LaidLine& line) const {
  double least = unlimited;
  for (const LaidBlock& laid : line.blocks)
    if (laid.is_square() && !laid.is_thumb) least = std::min(least, square_width(line, laid));
  return least;
}

bool has_values_above(const DiagramBlock& block) {
  return block.above && (block.stage == Stage::head_context || block.stage == Stage::context);
}

// The heights of what stands above and below the rows of a line.
double DiagramComposer::set_zones(LaidLine& line) {
  const bool has_many = static_cast<Index>(s_.keys.size()) > many_keys;
  const bool has_hero = line.has_hero();
  line.heading = c_.has_headings && !line.bands.empty() ? 26 * f_ : 14 * f_;
  const double longest = type_.longest_label;
  const double cell = least_square(line);
  const double hero_cell = has_hero ? line.t : cell;
  const double least_cut = 2.4 * label_;  // in less only the dots of a name would be left
  line.is_turned = line.has_squares() && type_.longest_note + 3 > hero_cell &&
                   (has_hero || has_many || hero_cell < 30 * f_) && (!o_.is_tight || hero_cell < least_cut);
  line.name_size = longest + 3 <= hero_cell ? label_ : note_;
  const bool is_unnamed = o_.is_tight && !has_hero && cell < least_cut;
  if (!line.has_squares() || is_unnamed || (has_many && !has_hero) || (c_.focus && has_hero && !line.is_focused)) {
    line.names = 0;
  } else {
    line.names = line.is_turned ? std::min(longest, 80 * f_) + 6 * f_ : label_ + 7 * f_;
  }
  line.operands = 0;
  for (const LaidBlock& laid : line.blocks) {
    if (!laid.block.above) continue;
    line.operands = std::max(line.operands, as_double(laid.block.above->rows) * operand_row(laid) + 17 * f_);
    if (has_values_above(laid.block)) line.operands = std::max(line.operands, lane_needs(line) + 17 * f_);
  }
  const bool is_first = &line == lines_.data();
  if (!is_first && line.operands >= 24 * f_) line.heading = 8 * f_;  // it stands left of the operands
  line.title = title_text_ * 1.15 + note_ * 1.25 + 5 * f_;
  if (has_hero) line.title = std::max(line.title, hero_text_ * 1.15 + note_ * 1.3 + 6 * f_);
  const bool is_three = wrap_ == DiagramWrap::three_lines;
  if (is_three && has_hero && line.operands >= 40 * f_) line.heading = 8 * f_;
  const bool is_last = &line == &lines_.back();
  const int lanes = is_three || wrap_ == DiagramWrap::bands ? 3 : 2;
  line.gutter = has_hero ? 12 * f_ : 4 * f_;
  line.gutter +=
      is_last ? 4 * f_ : (20 + 5 * lanes - (is_three && !has_hero ? 8 : 0) + (has_hero && is_three ? 11 : 0)) * f_;
  if (has_hero && line.operands == 0) line.title += 10 * f_;
  return line.zones();
}

bool DiagramComposer::solve() {
  double height = c_.box.height;
  card_ = std::min(std::max(0.2 * c_.box.width, 250 * f_), 350 * f_);
  const bool has_column = o_.keeps_card_column && wrap_ != DiagramWrap::bands;
  const bool is_two = wrap_ == DiagramWrap::two_lines;
  if (o_.keeps_card_column && wrap_ == DiagramWrap::bands) height -= 196 * f_;
  for (LaidLine& line : lines_) {
    const bool is_first = &line == lines_.data();
    line.room = right_ - x0_;
    if (wrap_ == DiagramWrap::bands && is_first) line.room -= (c_.is_page ? 12 : 22) * f_;
    if (has_column && !is_first) {
      line.room -= card_ + (is_two ? 40 : 62) * f_;
    } else if (!is_two && wrap_ != DiagramWrap::compared && !is_first) {
      line.room -= (c_.is_page ? 16 : 40) * f_;
    }
  }
  if (!fit_width(hero_line(), unlimited)) return false;
  for (LaidLine& line : lines_) {
    if (&line == &hero_line()) continue;
    if (wrap_ == DiagramWrap::compared) {
      line.u = hero_line().u;
      line.t = hero_line().t;
    } else if (!fit_width(line, c_.focus ? unlimited : hero_line().t / hero_ratio)) {
      return false;
    }
  }
  for (std::size_t pass = 0; pass <= lines_.size(); ++pass)  // names may turn when columns change, once in each line
    if (!share_height(height)) return false;
  balance(hero_line());
  double spare = height;
  for (LaidLine& line : lines_) spare -= set_zones(line) + line.height();
  spare_ = std::max(0.0, spare);
  return spare > -0.6;
}

// Rows share the height that the zones leave. A line that is as high as suits its columns leaves the rest to others.
bool DiagramComposer::share_height(double height) {
  double room = height;
  for (LaidLine& line : lines_) room -= set_zones(line);
  if (room < as_double(hero_line().rows()) * 2 && room < 60) return false;
  const bool is_square = s_.keys.size() > static_cast<std::size_t>(many_keys) || s_.row_count() > many_keys;
  std::vector<double> caps(lines_.size(), unlimited);
  std::vector<double> heights(lines_.size(), 0);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const LaidLine& line = lines_[i];
    const double square = least_square(line);
    caps[i] = square < unlimited ? square : 1.5 * std::max(line.u, least_cell_ * 0.6);
    const bool has_features = std::ranges::any_of(
        line.blocks, [](const LaidBlock& laid) { return !laid.is_square() && !laid.block.has_own_rows; });
    if (square < unlimited && line.u >= least_cell_ && has_features) caps[i] = std::min(caps[i], 1.9 * line.u);
    const bool feeds_weights = line.is_compare && c_.focus == Stage::weights;
    if (c_.focus && !line.is_focused) caps[i] = std::min(caps[i], (feeds_weights ? 0.03 : 0.025) * c_.box.height);
  }
  std::vector<bool> is_open(lines_.size(), true);
  double left = room;
  while (true) {
    double total = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (is_open[i]) total += lines_[i].share * as_double(lines_[i].rows());
    if (total == 0) break;
    const double unit = left / total;
    bool is_any_full = false;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!is_open[i] || lines_[i].share * unit < caps[i]) continue;
      heights[i] = caps[i];
      left -= caps[i] * as_double(lines_[i].rows());
      is_open[i] = false;
      is_any_full = true;
    }
    if (is_any_full) continue;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (is_open[i]) heights[i] = lines_[i].share * unit;
    break;
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    LaidLine& line = lines_[i];
    const bool is_heros = &line == &hero_line();
    if (!is_heros && !c_.focus) heights[i] = std::min(heights[i], heights[hero_line_]);
    line.h = heights[i];
    if (line.height() < 12 * f_) return false;
    const double limit = !is_square ? 2 * line.h : is_heros ? line.h : 1.2 * line.h;
    if (line.has_squares()) line.t = std::min(line.t, limit);
    if (line.u >= least_cell_) line.u = std::min(line.u, 2 * line.h);
  }
  LaidLine& first = hero_line();
  if (wrap_ == DiagramWrap::compared) {
    double LaidLine::*const sizes[] = {&LaidLine::t, &LaidLine::u, &LaidLine::h};
    for (double LaidLine::*const size : sizes) {
      double least = unlimited;
      for (const LaidLine& line : lines_) least = std::min(least, line.*size);
      for (LaidLine& line : lines_) line.*size = least;
    }
  } else if (!c_.focus) {
    for (LaidLine& line : lines_)
      if (&line != &first) line.t = std::min(line.t, first.t / hero_ratio);
  }
  if (is_square) first.h = std::min(first.h, first.t);
  return true;
}

// No matrix is larger than the weights; columns of features take the width that the weights cannot use.
void DiagramComposer::balance(LaidLine& line) {
  const double keys = as_double(hero().block.columns.of_head);
  const double part = keys / std::min(keys, static_cast<double>(many_keys));
  const double t = line.t;
  double wide = 1;
  for (const LaidBlock& laid : line.blocks)
    if (!laid.is_square()) wide = std::max(wide, laid.weight());
  line.u = std::min(line.u, 0.95 * t * keys / wide);
  const double area = t * keys * line.h * as_double(line.rows());
  for (LaidLine& other : lines_) {
    if (&other == &line || c_.focus) continue;
    double widest = 0;
    for (const LaidBlock& laid : other.blocks)
      if (!laid.is_square()) widest = std::max(widest, laid.weight());
    if (widest > 0) other.u = std::min(other.u, 0.95 * area / (widest * other.height()));
    if (other.has_squares() && wrap_ != DiagramWrap::compared) other.h = std::min(other.h, least_square(other));
  }
  const bool has_many = keys > many_keys;
  const double high = std::max(
      line.u, std::min({t * part / 1.2, 1.7 * line.h * part, 84 * f_, (has_many ? 0.35 : 0.95) * t * keys / wide}));
  line.u = largest([&](double u) { return used(line, u, t) <= line.room; }, line.u, high);
  line.t = t;
}

}  // namespace attnscope::scene
