#include <algorithm>
#include <cmath>
#include <functional>

#include "view/diagram_draft.h"

// The weights in their fixed place, and the sizes of everything that is arranged around them.

namespace attnscope::scene {
namespace {

// Lengths in units of the type's size.
constexpr double least_canvas_width = 860;
constexpr double least_canvas_height = 560;
constexpr double most_cell = 90;
constexpr double least_row_names = 57;  // from the card's left edge to the weights
constexpr double beside_row_names = 7;  // of that, free at the two ends of a name
constexpr double most_row_names = 67;
constexpr double row_sums = 48;  // from the weights to the card's right edge
constexpr double number_column = 34.6;
constexpr double left_titles = 215;                                         // width of the titles left of the weights
constexpr double right_titles = 116;                                        // and right of them
constexpr double left_edge = around_margin + least_names + around_channel;  // from the canvas's edge to the projections
constexpr double above_weights = 82;                                        // title, and the thumbnails of operands
constexpr double above_operands = 82;     // titles and captions, where operands have numbers
constexpr Index most_presented_rows = 8;  // of an operand with numbers before an audience
constexpr double presented_column = 46;   // number_column before an audience
constexpr double for_turned_names = 30;
constexpr double narrow_cell = 34;          // names of columns are turned above narrower cells
constexpr double most_above = 66;           // may be added to this
constexpr double below_weights = 38;        // the card's lower margin, and the arrows
constexpr double compared = 282;            // the line of the scores: its cells hold numbers
constexpr double compared_presented = 392;  // the same with numbers in the keys above the scores
constexpr double least_side = 222;          // of the weights, for the numbers of the scores
constexpr double compared_many = 200;       // the same without numbers
constexpr double after_card = 24;
constexpr double between_results = 22;
constexpr double least_card = 236;
constexpr double smallest = 0.02;
constexpr double least_ratio = 1.08;  // of the weights' cells to others that would not hold numbers otherwise
constexpr int halvings = 24;

double share_of(const DiagramShape& shape, double f, bool has_many) {
  if (has_many) return 0.15;
  if (!shape.is_projected) return 0.165;
  return std::clamp(0.1106 + 0.26 * (f - 1.02), 0.1106, 0.136);
}

// Returns the height that the weights leave above themselves: before an audience with room for the operands' numbers.
double height_above(const DiagramShape& shape, const DiagramCanvas& canvas, const DiagramType& type) {
  if (!canvas.is_presented) return above_weights;
  Index rows = 0;
  for (const auto* const blocks : {&shape.project, &shape.mix})
    for (const DiagramBlock& block : *blocks)
      if (block.above && block.above->kind != OperandKind::pattern) rows = std::max(rows, block.above->rows);
  if (rows > most_presented_rows) return above_weights;
  return std::max(above_weights, above_operands + as_double(rows) * (type.number + number_row_air) / type.f);
}

}  // namespace

std::optional<MainPlace> place_of_main(const DiagramShape& shape, const DiagramCanvas& canvas,
                                       const DiagramType& type) {
  const double f = type.f;
  const double width = canvas.box.width / f;
  const double height = canvas.box.height / f;
  const bool is_small = width < least_canvas_width || height < least_canvas_height || width < 1.1 * height;
  const bool is_alone = shape.project.empty() && shape.compare.empty() && shape.mix.empty();
  const bool is_square = shape.main_matrix.front().columns.of_head == std::ssize(shape.keys) &&
                         is_query_by_key(info(shape.main_matrix.front().stage).axes);
  if (canvas.is_page || is_small || is_alone || !is_square) return {};
  const double rows = as_double(shape.row_count());
  const auto keys = as_double(std::ssize(shape.keys));
  const bool has_many = std::max(rows, keys) > as_double(many_keys);
  const double most_area = share_of(shape, f, has_many) * width * height;
  const double above = height_above(shape, canvas, type);
  const double below = canvas.is_presented ? compared_presented : compared;
  double least_top = above;
  double most_side = 0;
  const double left_gaps = 56 + before_card;
  const double right_gaps = after_card + (shape.has_output ? between_results : 0);
  // A marked row has a bold name. Longer names are shortened to fit.
  const double row_names = std::clamp(type.longest_row / f + beside_row_names, least_row_names, most_row_names);
  const double taken = left_edge + row_names + row_sums + left_gaps + right_gaps + around_margin;
  const double most_width = width - taken - left_titles - right_titles;
  // Where scores cannot hold numbers, the weights take the height.
  const bool has_low_scores = height - above - below_weights - below < least_side;
  const auto cell_below = [&](double top) {
    least_top = top;
    most_side = height - top - below_weights - (has_many ? compared_many : below);
    if (has_low_scores) most_side = std::max(most_side, 0.42 * height);
    const double side = std::min(most_side, std::sqrt(most_area));
    return std::min({side / std::sqrt(rows * keys), most_side / rows, most_width / keys, most_cell});
  };
  double cell = cell_below(above);
  if (cell < narrow_cell) cell = cell_below(above + for_turned_names);
  const double spare = most_side - cell * rows;
  const double top = least_top + std::min(most_above, 0.45 * spare);

  // Each side has room for the numbers of a small document of the mechanism. Where that is too much, the output makes
  // way first, then the numbers left of the weights.
  const double left_columns = (shape.is_given ? 0 : 4) + (shape.is_projected ? 6.5 : 0);
  const double room = width - taken - cell * keys;
  const double left_need = (canvas.is_presented ? presented_column : number_column) * left_columns;
  const double right_need = shape.has_output ? 191 : 78;
  const double right_least = shape.has_output ? 126 : 78;
  const double surplus = std::max(0.0, room - left_need - right_need) * (shape.has_output ? 0.45 : 0.65);
  const double most_left = std::max(left_titles, room - right_least);
  const double left = left_edge + left_gaps + std::clamp(left_need + surplus, left_titles, most_left);
  const double y = canvas.box.y + top * f;
  MainPlace place;
  place.cells = {canvas.box.x + (left + row_names) * f, std::round(y * canvas.pixels_per_unit) / canvas.pixels_per_unit,
                 cell * keys * f, cell * rows * f};
  place.card = {place.cells.x - row_names * f, 0, place.cells.width + (row_names + row_sums) * f, 0};
  return place;
}

namespace {

class DiagramAround : public DiagramDraft {
public:
  explicit DiagramAround(DiagramDraft draft) : DiagramDraft(std::move(draft)) {}

  // Returns whether everything fits.
  bool solve() {
    LaidLine& spine = main_line();
    spine.h = spine.t = place_->cells.height / as_double(s_.row_count());
    spine.y0 = place_->cells.y;
    spine.top = c_.box.y;
    spine.end = place_->cells.bottom();
    spine.bottom = spine.end + 12 * f_;
    name_columns(spine);
    if (!fit_sides(spine)) return false;
    for (LaidBlock& laid : spine.blocks)
      if (laid.above) size_operand(spine, laid);
    return lines_.size() == 1 || fit_below(lines_.back());
  }

private:
  double above(const LaidLine& line) const { return line.y0 - c_.box.y; }

  // Returns whether all names stand clear of each other in columns of this width.
  bool lies_flat(double cell, double size) const {
    double before = 0;
    for (const std::string& name : s_.keys) {
      const double width = width_of(name, size);
      if (before > 0 && (before + width) / 2 + 3 > cell) return false;
      before = width;
    }
    return width_of(s_.keys.back(), size) < 1.6 * cell;
  }

  // Names of the weights' columns lie flat if they fit, else they are turned if there is room, else cut.
  void name_columns(LaidLine& line) {
    line.name_size = lies_flat(line.t, label_) ? label_ : note_;
    const double flat = label_ + 7 * f_;
    line.names = flat;
    if (!lies_flat(line.t, line.name_size)) {
      const double most = above(line) - 66 * f_;
      const double turned = std::min(type_.longest_label + 6 * f_, most);
      line.is_turned = has_many_ || line.t < 2.4 * label_ || turned >= type_.longest_label + 5.9 * f_;
      if (line.is_turned) line.names = std::max(flat, turned);
      line.is_cut = !line.is_turned;
    }
    line.has_subtitles = above(line) - line.names - 51 * f_ >= 27 * f_;
    // The values stand below a heading only if they still reach above the weights' card, where their arrow comes.
    const double card_top = above(line) - line.names - (line.has_subtitles ? 51 : 38) * f_;
    if (card_top < 56 * f_) std::erase_if(line.bands, [](const LaidLine::Band& band) { return band.block > 0; });
  }

  std::size_t main_index(const LaidLine& line) const {
    return static_cast<std::size_t>(std::ranges::find_if(line.blocks, &LaidBlock::is_main) - line.blocks.begin());
  }

  // Returns the largest width of columns, up to `most`, at which `used` has room; nothing if none has.
  template <typename Used>
  std::optional<double> widest(const Used& used, double room, double most) const {
    if (used(smallest) > room) return {};
    double low = smallest;
    double high = most;
    if (used(high) <= room) return high;
    for (int step = 0; step < halvings; ++step) {
      const double middle = (low + high) / 2;
      (used(middle) <= room ? low : high) = middle;
    }
    return low;
  }

  // Returns the most that a column may take: no matrix is larger than the weights.
  double most_feature(const LaidLine& line, std::size_t first, std::size_t end) const {
    double wide = 1;
    for (std::size_t i = first; i < end; ++i) wide = std::max(wide, line.blocks[i].weight());
    const double share = has_many_ ? 0.5 : 0.9;
    const double most_ratio = c_.is_presented ? 1.7 : 1.2;  // to the weights' cells
    const double beside = has_many_ ? 84 * f_ : most_ratio * line.t;
    return std::min({84 * f_, beside, 1.7 * line.h * (has_many_ ? as_double(line.rows()) / many_keys : 1),
                     share * place_->cells.width / wide});
  }

  // Returns the share of a usual column that holds a block's numbers with all decimals.
  double share_of_numbers(const LaidBlock& laid) const {
    return std::min(1.0,
                    (width_of(laid.forms_of_numbers()[1], number_, Face::number) + 2.02 * number_air) / least_cell_);
  }

  bool fit_sides(LaidLine& line) {
    const std::size_t main = main_index(line);
    const std::size_t end = line.blocks.size();
    const double left_room = place_->card.x - before_card * f_ - x0_;
    const double right_room = right_ - place_->card.right();
    const auto widest_side = [&](double LaidLine::*width, std::size_t first, std::size_t last, double room) {
      const std::vector<FixedWidths> fixed = fixed_widths(line, first, last);
      const auto used_with = [&](double u) {
        line.*width = u;
        return used_by(line, first, fixed);
      };
      return widest(used_with, room, most_feature(line, first, last));
    };
    const auto widest_right = [&](double room) { return widest_side(&LaidLine::u_right, main + 1, end, room); };
    std::optional<double> left = widest_side(&LaidLine::u, 0, main, left_room);
    std::optional<double> right = widest_right(right_room);
    if (main + 1 < end && right.value_or(0) < least_cell_) {  // words on arrows make way for numbers
      for (std::size_t i = main + 1; i < end; ++i) drop_note(line.blocks[i]);
      // Columns without minus signs are narrower; gaps and the margin make way for digits, if that is enough.
      const auto try_with = [&](bool has_shares, bool is_close) {
        for (std::size_t i = main + 1; i < end; ++i) {
          line.blocks[i].shrink = has_shares ? share_of_numbers(line.blocks[i]) : 1;
          line.blocks[i].is_close = is_close;
        }
        right = widest_right(right_room + (is_close ? 5 * f_ : 0));
        return right.value_or(0) >= least_cell_;
      };
      if (!try_with(true, false) && !try_with(true, true)) try_with(false, false);
      LaidBlock& last = line.blocks.back();
      std::vector<double> shares = {0.65, 0.5, 0.4, 0.33};
      for (const std::string& form : last.forms_of_numbers())  // shares of a column that still hold its numbers
        shares.push_back(std::min(1.0, (width_of(form, number_, Face::number) + 2.02 * number_air) / least_cell_));
      std::ranges::sort(shares, std::greater());
      for (const double share : shares) {  // the output makes way for the numbers of the context
        if (last.stage != Stage::output || right.value_or(0) >= least_cell_) break;
        last.shrink = share;
        right = widest_right(right_room);
      }
    }
    if (!left || !right) return false;
    const double least = std::min(*left, *right);
    if (main > 0 && main + 1 < end && least >= least_cell_) {
      left = std::min(*left, 1.5 * least);
      right = std::min(*right, 1.5 * least);
    }
    line.u = *left;
    line.u_right = *right;
    return true;
  }

  void drop_note(LaidBlock& laid) {
    if (laid.note.empty()) return;
    if (!laid.passed.empty()) {
      words_.push_back(laid.note);
      absent_.push_back(laid.passed.front());
    }
    laid.note.clear();
  }

  // Operands beside the weights' title take the height that there is, as thumbnails if it is too little for numbers.
  void size_operand(const LaidLine& line, LaidBlock& laid) {
    const BlockOperand& operand = *laid.above;
    const double rows = as_double(operand.rows);
    const double bottom = line.y0 - 11 * f_ - note_ * 1.3 - title_text_;
    const bool has_heading = laid.is_right && !line.bands.empty() && line.bands.back().block > 0;
    const double top = c_.box.y + (laid.is_right ? (has_heading ? 26 : 4) : 12) * f_ + note_ + 6 * f_;
    const double room = std::max(4.0, bottom - top);
    double row = std::min(9 * f_, room / rows);
    const bool has_room = feature_width(line, laid) >= least_cell_ && (number_ + number_row_air) * rows <= room;
    if (has_room) row = number_ + number_row_air;
    if (has_values_above(laid)) row = std::max(row, std::min(room, bottom - top - 2 * f_) / rows);
    laid.operand_row = row;
  }

  double title_height(bool has_subtitle) const {
    return title_text_ * 1.15 + (has_subtitle ? note_ * 1.25 + 5 * f_ : 4 * f_);
  }

  // How much the line below shows beside its cells.
  struct Dress {
    bool has_subtitles = true;
    bool has_names = true;
    bool has_operand_numbers = true;
    bool has_captions = true;
    bool has_low_patterns = false;
  };

  // Sets the heights above the rows of the line below, and returns their sum.
  double dress(LaidLine& line, const Dress& how, double cell) {
    line.has_subtitles = how.has_subtitles;
    line.title = title_height(how.has_subtitles);
    line.name_size = lies_flat(cell, label_) ? label_ : note_;
    const bool is_flat = lies_flat(cell, line.name_size);
    line.is_turned = !is_flat;
    const bool is_named = how.has_names && !has_many_ && cell >= label_;
    line.names = !is_named ? 0 : is_flat ? label_ + 7 * f_ : std::min(type_.longest_label, 80 * f_) + 6 * f_;
    line.operands = 0;
    for (LaidBlock& laid : line.blocks) {
      if (!laid.has_above()) continue;
      const double rows = as_double(laid.above->rows);
      const bool is_pattern = laid.above->kind == OperandKind::pattern;
      const double most = (is_pattern ? 56 : 48) * f_;
      const double cross = laid.above->stage == Stage::dropout_factors ? std::min(6.1, most / rows) : 0;
      const double usual = how.has_captions ? 9 : is_pattern && how.has_low_patterns ? 4 : 6;
      laid.operand_row = std::max(cross, std::min(usual * f_, most / rows));
      laid.is_captioned_beside = is_pattern && !how.has_captions;
      const double most_rows = c_.is_presented ? as_double(most_presented_rows) : 4;
      if (!is_pattern && how.has_operand_numbers && rows <= most_rows && cell >= least_cell_)
        laid.operand_row = number_ + number_row_air;
      line.operands =
          std::max(line.operands, rows * laid.operand_row + (laid.is_captioned_beside ? 5 * f_ : note_ + 8 * f_));
    }
    line.heading = line.operands >= 24 * f_ || line.bands.empty() ? 0 : 20 * f_;
    return line.heading + line.operands + line.title + line.names;
  }

  // Returns the width of a cell that holds the numbers of all squares of a line that are not small.
  double needed_square(const LaidLine& line) const {
    double needed = 0;
    for (const LaidBlock& laid : line.blocks)
      if (laid.is_square() && !laid.is_thumb) needed = std::max(needed, share_of_numbers(laid) * least_cell_);
    return needed;
  }

  bool fit_below(LaidLine& line) {
    const double top = main_line().end + below_weights * f_;
    const double height = c_.box.bottom() - 7 * f_ - top;
    line.room = right_ - x0_ - (o_.keeps_card_column ? (least_card + 28) * f_ : 20 * f_);
    const double rows = as_double(line.rows());
    const double main_cell = main_line().t;
    const double may_hold = least_cell_ <= main_cell / least_ratio ? least_cell_ : 0;
    const double most = std::max(main_cell / main_ratio, may_hold);
    const LaidBlock& copy = line.blocks.front();
    const double most_copy = copy.is_copy ? 0.9 * place_->cells.width / copy.weight() : most_cell;
    const auto column = [&](double t) {
      if (most_copy < least_cell_) return std::min({main_line().u, most_copy, t});
      const double u = std::max(main_line().u, least_cell_);
      return std::min({u, most_copy, std::max(t, t > 0.75 * least_cell_ ? least_cell_ : 0)});
    };
    const auto widest_square = [&] {
      const std::vector<FixedWidths> fixed = fixed_widths(line);
      return widest([&](double t) { return used(line, fixed, column(t), t); }, line.room, most);
    };
    std::optional<double> by_width = widest_square();
    if (by_width.value_or(0) < most) {  // words on arrows make way for cells
      for (LaidBlock& laid : line.blocks)
        if ((o_.thumbs > 1 || laid.sign.size() < 4) && laid.passed.empty()) laid.note.clear();
      by_width = widest_square();
    }
    const double needed = std::min(least_cell_, needed_square(line));
    if (by_width.value_or(0) < std::min(most, needed)) {
      const std::vector<LaidBlock> before = line.blocks;
      const std::optional<double> by_titles = by_width;
      shorten_titles(line);
      by_width = widest_square();
      if (by_titles && by_width.value_or(0) < needed) {
        line.blocks = before;
        by_width = by_titles;
      }
    }
    if (!by_width) return false;
    const auto fitting = [&](const Dress& how) {
      double cell = *by_width;  // names may turn in smaller cells
      for (int pass = 0; pass < 3; ++pass) cell = std::min(cell, (height - dress(line, how, cell)) / rows);
      return cell;
    };
    constexpr Dress dresses[] = {{},
                                 {true, true, false, true},
                                 {false, true, false, true},
                                 {false, false, false, true},
                                 {false, false, false, false},
                                 {false, false, false, false, true}};
    const double barest = fitting(dresses[4]);
    double target = barest >= least_cell_ ? std::max(least_cell_, 0.8 * barest) : 0.8 * barest;
    // Patterns get low only where that saves the numbers.
    if (barest < least_cell_ && fitting(dresses[5]) >= least_cell_) target = least_cell_;
    double cell = 0;
    for (const Dress& how : dresses) {
      cell = fitting(how);
      if (cell >= target) break;
    }
    if (cell < least_cell_) cell = std::min(cell, main_cell / main_ratio);
    if (cell * rows < 12 * f_) return false;
    line.t = line.h = cell;
    line.u = column(cell);
    const double zones = line.heading + line.operands + line.title + line.names;
    const double spare = std::max(0.0, height - zones - line.height());
    line.top = top + std::min(0.4 * spare, 30 * f_);
    line.y0 = std::round((line.top + zones) * c_.pixels_per_unit) / c_.pixels_per_unit;
    line.end = line.y0 + line.height();
    line.bottom = line.end + 4 * f_;
    return true;
  }
};

}  // namespace

void shorten_titles(LaidLine& line) {
  for (LaidBlock& each : line.blocks) {
    std::string& title = each.title;
    if (!each.short_title.empty()) title = each.short_title;
    for (const std::string_view tail : {" scores", " weights"})
      if (title.size() > tail.size() && title.ends_with(tail) && !each.is_main())
        title.resize(title.size() - tail.size());
  }
}

std::optional<DiagramDraft> with_sizes_around(DiagramDraft draft) {
  DiagramAround sizes(std::move(draft));
  if (!sizes.solve()) return {};
  return sizes;
}

}  // namespace attnscope::scene
