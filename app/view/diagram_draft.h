#pragma once

#include <string>
#include <vector>

#include "view/diagram.h"

namespace attnscope::scene {

bool has_values_above(const DiagramBlock& block);  // the block mixes them

// One candidate of a diagram's layout while it is made. Private to this folder: view/diagram.h declares the result.

constexpr double main_ratio = 1.25;         // size of the weights' cells, in cells of other matrices of queries by keys
constexpr double large_of_compared = 0.24;  // height of large weights of one of two documents, in that of the canvas
constexpr double ratio_of_squares = 1.08;   // the same where all squares stand on one line
constexpr Index many_keys = 12;             // with more keys, cells have no numbers and the weights are square
constexpr Index most_summed_rows = 40;
constexpr double before_card = 26;      // width before the weights' card in its fixed place: the arrow of the values
constexpr double number_air = 2;        // between a number and the edge of its cell
constexpr double number_row_air = 4.5;  // what a row of an operand is higher than its numbers
// Around the weights in their fixed place: the least room of rows' names, of arrows beside them, and of the edge.
constexpr double least_names = 50;
constexpr double around_channel = 18;
constexpr double around_margin = 10;

inline const std::vector<DiagramWrap> usual_wraps = {DiagramWrap::around, DiagramWrap::two_lines,
                                                     DiagramWrap::three_lines, DiagramWrap::bands};

// What stands above results: all of it, only masks, dropout's factors and biases, or nothing.
enum class KeptOperands { all, patterns, none };

// What two compared diagrams show of their stages beside the weights and the contexts of a head.
struct ComparedParts {
  double project = 1;      // width of the projections' columns, in those of the contexts; 0: they are left out
  bool has_steps = false;  // the scores that lead to the weights
  bool has_output = true;
  bool has_subtitles = true;
};

struct LayoutOptions {
  double other_share = 1;  // width of another head's column, in columns of the head that is looked at
  bool is_merged = false;  // the head's context stands within the context of all heads
  bool has_operand_numbers = true;
  int thumbs = 0;  // 1: the stages between others are small; 2: all but the last ones before and after the softmax;
                   // 3: and the last one before it, if that makes room for the card. On a line of squares 2: all
                   // after the scores, or all but the one that is told about; 3: and the scores; 4: and those between
                   // the weights and the last one
  bool keeps_card_column = false;
  bool is_presented = false;     // other heads have columns only where the contexts stand side by side
  bool has_steps_above = false;  // of the lines of squares: what leads to the weights stands beside the projections
  // Gives height to the weights: names of keys are cut instead of turned, other lines and patterns are low.
  bool is_tight = false;
  KeptOperands operands = KeptOperands::all;
  ComparedParts compared = {};
};

// A block in its line.
struct LaidBlock : DiagramBlock {
  explicit LaidBlock(const DiagramBlock& block) : DiagramBlock(block) {}
  double other_share = 1;  // width of another head's column, in columns of this one
  double shrink = 1;       // factor of its columns while it stands aside
  bool is_thumb = false;   // drawn small and without numbers
  bool is_ghost = false;   // takes room but is not drawn
  bool is_second = false;
  bool is_difference = false;
  bool is_after = false;             // follows from the weights and stands in the line of the scores
  bool is_right = false;             // stands right of the weights, whose place is fixed
  bool is_close = false;             // the gap before it makes way for its numbers
  bool is_captioned_beside = false;  // the caption of its pattern stands beside it
  double operand_row = 0;            // height of a row of the operand above it; 0: it follows from the canvas
  double x = 0, width = 0, right = 0;
  double middle_x = 0;  // the middle of the viewed head's columns
  double top_y = 0;     // top of its rows
  double head_top = 0;  // top of its title
  double caption_top = 0;
  std::optional<Box> above_box;  // the box of the operand above it
  Box frame;                     // the card of the main matrix

  Stage result() const { return is_copy ? Stage::scores : stage; }  // the stage whose result it belongs to
  bool is_main() const { return kind == BlockKind::main_matrix; }
  // Returns what its numbers need: the widest with a sign first, then narrower forms for cells with little room.
  std::vector<std::string> forms_of_numbers() const;
  bool is_square() const { return kind != BlockKind::feature; }
  double weight() const;  // width of its columns, in columns of one head
  bool has_above() const { return above && !is_ghost; }
  double top() const { return above ? caption_top : head_top; }
};

struct LaidLine {
  struct Band {
    std::string title, words;
    std::size_t block = 0;  // index of the block that the band begins at
  };
  std::vector<LaidBlock> blocks;
  std::vector<Band> bands;
  double share = 1;            // height of the rows, in rows of the main matrix's line
  bool is_compare = false;     // the line compares: it leads up to the weights
  bool is_entered = false;     // an arrow comes down the channel left of the line
  double u = 0, t = 0, h = 0;  // widths of a feature's and of a square's column, height of a row
  double u_right = 0;          // width of a feature's column right of the weights, if their place is fixed
  bool has_subtitles = true;
  double most_h = 0;    // height of a row that suits its columns
  bool is_open = true;  // rows of the line may still grow
  double room = 0;
  bool is_turned = false;  // names of columns are turned
  bool is_cut = false;     // names of columns are cut
  double name_size = 0;
  double heading = 0, operands = 0, title = 0, names = 0, gutter = 0;  // heights of zones
  double top = 0, y0 = 0, end = 0, bottom = 0, x_end = 0;

  double zones() const { return heading + operands + title + names + gutter; }
  Index rows() const { return blocks.back().rows; }
  Stage result() const { return blocks.front().result(); }  // its first result
  bool has_main() const;
  bool has_squares() const;
  double height() const { return h * static_cast<double>(rows()); }
  double middle() const { return y0 + height() / 2; }
};

// Sizes of letters and gaps, the same for all candidates for a canvas.
struct DiagramType {
  double f = 1;  // factor of the type and of gaps
  double main_matrix = 18, title = 13.5, label = 11.5, note = 11, number = 11, most_number = 20;
  double longest_label = 0, longest_note = 0;  // widths of the keys' names
  double longest_row = 0;                      // width of the rows' names as labels
};

// The place of the weights, if it follows from the canvas, the mechanism and the numbers of queries and keys alone.
struct MainPlace {
  Box cells;
  Box card;  // its top follows from the names of the columns
};

// Returns nothing for canvases that are small or upright, and for diagrams without queries and keys.
std::optional<MainPlace> place_of_main(const DiagramShape& shape, const DiagramCanvas& canvas, const DiagramType& type);

// Holds what the steps of a layout share: lines get their sizes first, then blocks get places, then arrows come.
class DiagramDraft {
public:
  DiagramDraft(const DiagramShape& shape, const DiagramCanvas& canvas, const TextMeasure& measure,
               const DiagramType& type, DiagramWrap wrap, const LayoutOptions& options, std::vector<LaidLine> lines,
               const std::optional<MainPlace>& place);

protected:
  double width_of(std::string_view text, double size, Face face = Face::text) const {
    return measure_(text, size, face);
  }
  void use_own_widths(LaidBlock& laid) const;
  double gap_before(const LaidBlock& block, bool is_first) const;
  double room_after(const LaidBlock& block) const;
  double feature_width(const LaidLine& line, const LaidBlock& block) const;  // of a column
  double column_width(const LaidLine& line, const LaidBlock& block) const;
  double block_width(const LaidLine& line, const LaidBlock& block) const;
  double least_width(const LaidBlock& block) const;                  // of its title
  double span(const LaidLine& line, const LaidBlock& block) const {  // width of its matrix or its title
    return std::max(block_width(line, block), least_width(block));
  }
  // The widths of a block that do not depend on its columns: the gaps around it and the width of its title. A search
  // for the columns' widths computes them once, because they are those of texts.
  struct FixedWidths {
    double before = 0, least = 0, after = 0;
  };
  std::vector<FixedWidths> fixed_widths(const LaidLine& line, std::size_t first, std::size_t end) const;
  std::vector<FixedWidths> fixed_widths(const LaidLine& line) const {
    return fixed_widths(line, 0, line.blocks.size());
  }
  // Returns the width of blocks from `first` on with their gaps, and that of a line with columns `u` and `t`.
  double used_by(const LaidLine& line, std::size_t first, const std::vector<FixedWidths>& fixed) const;
  double used(LaidLine& line, const std::vector<FixedWidths>& fixed, double u, double t) const;
  double operand_row(const LaidBlock& block) const;
  double lane_needs(const LaidLine& line) const;
  LaidLine& main_line() { return lines_[main_line_]; }
  const LaidLine& main_line() const { return lines_[main_line_]; }
  const LaidBlock& main_matrix() const;
  bool is_wide() const {
    return wrap_ == DiagramWrap::two_lines || is_compared() || is_around();
  }  // says that values pass above the weights
  bool is_around() const { return wrap_ == DiagramWrap::around; }
  // Returns whether an audience sees the whole diagram at once: titles and gaps make way for numbers.
  bool is_overview() const { return c_.is_presented && !is_around() && !is_compared(); }
  bool is_compared() const { return wrap_ == DiagramWrap::compared; }
  bool has_subtitles() const { return !is_overview() && o_.compared.has_subtitles; }
  bool is_fed_from_below(const LaidBlock& laid) const {
    return has_line_of_squares() && !o_.has_steps_above && !laid.is_square() && has_values_above(laid);
  }
  bool has_column_names(const LaidBlock& laid) const {
    return laid.is_square() && !laid.is_thumb && (laid.is_main() || !has_line_of_squares());
  }
  bool has_line_of_squares() const { return wrap_ == DiagramWrap::squares; }
  // Returns whether a block is the first of the squares beside the projections.
  bool is_first_step(const LaidBlock& laid) const {
    return o_.has_steps_above && laid.stage == Stage::scores && !laid.is_copy;
  }
  // Returns whether the rows of a block are lower than those of its line: it stands at the line's middle.
  bool is_low(const LaidBlock& laid) const {
    return laid.is_square() && laid.shrink < 1 && (laid.is_thumb || has_line_of_squares());
  }
  // Returns the margin left of the weights in their card; names of their rows may stand there.
  double pad_before_main() const { return pad_ + (has_line_of_squares() ? names_ + 2 * f_ : 0); }
  double by_page(double narrow, double wide) const { return (c_.is_page ? narrow : wide) * f_; }

  PlacedText& add_text(double x, double y, std::string text, double size, Face face = Face::text, double anchor = 0);
  PlacedText& add_quiet(double x, double y, std::string text, double anchor = 0);  // adds a small note
  int add_arrow(std::optional<Stage> from, std::optional<Stage> to, std::vector<Point> points);

  const DiagramShape& s_;
  const DiagramCanvas& c_;
  const TextMeasure& measure_;
  DiagramType type_;
  DiagramWrap wrap_;
  LayoutOptions o_;
  DiagramLayout out_;
  std::vector<LaidLine> lines_;
  std::size_t main_line_ = 0;
  std::optional<MainPlace> place_;  // of the weights, if everything else is arranged around them
  double f_ = type_.f, title_text_ = type_.title, label_ = type_.label, note_ = type_.note, number_ = type_.number;
  double keys_ = static_cast<double>(s_.keys.size());  // number of keys
  bool has_many_ = std::ssize(s_.keys) > many_keys;
  double margin_ = by_page(6, 16);
  double left_ = c_.box.x + margin_, right_ = c_.box.right() - margin_;
  double names_ = std::min(std::max(type_.longest_row, by_page(30, 76)), by_page(60, 120));  // room left of a line
  double channel_ = by_page(18, 24);  // room for arrows that come down left of a line
  double x0_ = left_ + names_ + channel_;
  double key_names_ = s_.queries.empty() ? 0 : std::min(type_.longest_label, 120 * f_) + 10 * f_;
  double sums_ = width_of("Σ row", note_) + 12 * f_;
  double pad_ = 14 * f_;                       // margin within the main matrix's card
  double least_cell_ = 0;                      // a number fits into a cell this wide
  double spare_ = 0;                           // height that lines leave
  std::vector<std::string> words_ = s_.words;  // name what the document lacks, beside the softmax
  std::vector<Stage> absent_ = s_.absent;      // one for each of them
};

// Lays a diagram out on a canvas that does not grow; `wraps` are tried in their order.
std::optional<DiagramLayout> layout_wrapped(const DiagramShape& shape, const DiagramCanvas& canvas,
                                            const TextMeasure& measure, const std::vector<DiagramWrap>& wraps);
// Lays a diagram out on a canvas that may grow.
std::optional<DiagramLayout> layout_grown(const DiagramShape& shape, const DiagramCanvas& canvas,
                                          const TextMeasure& measure);
std::optional<DiagramDraft> with_sizes(DiagramDraft draft);         // returns nothing if it does not fit
std::optional<DiagramDraft> with_sizes_around(DiagramDraft draft);  // the same around the weights in their fixed place
void shorten_titles(LaidLine& line);
DiagramDraft with_places(DiagramDraft draft);
DiagramLayout with_routes(DiagramDraft draft);

// Adds the names of the inputs' dimensions to a finished layout, where they have room.
void name_dimensions(DiagramLayout& layout, const DiagramShape& shape, const TextMeasure& measure);

double effective_columns(double count);  // counts columns of wide matrices less

}  // namespace attnscope::scene
