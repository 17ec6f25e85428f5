#pragma once

#include <string>
#include <vector>

#include "view/diagram.h"

namespace attnscope::scene {

// One candidate of a diagram's layout while it is made. Private to this folder: scene/diagram.h says what comes of it.

constexpr double main_ratio = 1.25;  // width of the weights' cells : that of any other matrix of queries by keys
constexpr Index many_keys = 12;      // above it cells have no numbers and the weights are square
constexpr Index most_summed_rows = 40;

struct LayoutOptions {
  bool has_slivers = false;         // other heads' columns are thin
  bool is_merged = false;           // head context stands within context
  bool has_operand_numbers = true;  //
  bool has_thumbs = false;          // the stages between are small
  bool keeps_card_column = false;
  // Height goes to the weights: names of keys are cut instead of turned, other lines and patterns are low.
  bool is_tight = false;
};

// A block in its line.
struct LaidBlock : DiagramBlock {
  explicit LaidBlock(const DiagramBlock& block) : DiagramBlock(block) {}
  double other_share = 1;  // width of another head's column
  double shrink = 1;       // of its columns, where it stands aside
  bool is_thumb = false;   // small and without numbers
  bool is_faint = false;
  bool is_ghost = false;  // takes its room but is not drawn
  bool is_second = false;
  double x = 0, width = 0, right = 0;
  double middle_x = 0;  // of the viewed head's columns
  double head_top = 0;  // of its title
  double caption_top = 0;
  std::optional<Box> above_box;  // where the operand above it stands
  Box frame;                     // of the main_matrix's card

  Stage result() const { return is_copy ? Stage::scores : stage; }  // that it comes with
  bool is_main() const { return kind == BlockKind::main_matrix; }
  bool is_square() const { return kind != BlockKind::feature; }
  double weight() const;  // of its columns, in those of a single one
  bool has_above() const { return above && !is_ghost; }
  double top() const { return above ? caption_top : head_top; }
};

struct LaidLine {
  struct Band {
    std::string title, words;
    std::size_t block = 0;  // that it begins at
  };
  std::vector<LaidBlock> blocks;
  std::vector<Band> bands;
  double share = 1;            // of the height of the rows, against the main_matrix's line
  bool is_compare = false;     // the workshop
  bool is_focused = false;     // it has the stage that is presented
  bool is_entered = false;     // an arrow comes down the channel to its left
  double u = 0, t = 0, h = 0;  // width of a feature's column, of a square's, height of a row
  double most_h = 0;           // that suits its columns
  bool is_open = true;         // its rows may still grow
  double room = 0;
  bool is_turned = false;  // names of columns
  double name_size = 0;
  double heading = 0, operands = 0, title = 0, names = 0, gutter = 0;  // heights of its zones
  double top = 0, y0 = 0, end = 0, bottom = 0, x_end = 0;

  double zones() const { return heading + operands + title + names + gutter; }
  Index rows() const { return blocks.back().rows; }
  Stage result() const { return blocks.front().result(); }  // the first that comes in it
  bool has_main() const;
  bool has_squares() const;
  double height() const { return h * static_cast<double>(rows()); }
  double middle() const { return y0 + height() / 2; }
};

// Sizes of letters and gaps, the same for all candidates for a canvas.
struct DiagramType {
  double f = 1;  // of the type and of gaps
  double main_matrix = 18, title = 13.5, label = 11.5, note = 11, number = 11, most_number = 20;
  double longest_label = 0, longest_note = 0;  // widths of the keys' names
  double longest_row = 0;                      // of the rows' names as labels
};

// Holds what the steps of a layout share: lines get their sizes first, then blocks get places, then arrows come.
class DiagramDraft {
public:
  DiagramDraft(const DiagramShape& shape, const DiagramCanvas& canvas, const TextMeasure& measure,
               const DiagramType& type, DiagramWrap wrap, const LayoutOptions& options, std::vector<LaidLine> lines);

protected:
  double width_of(std::string_view text, double size, Face face = Face::text) const {
    return measure_(text, size, face);
  }
  double gap_before(const LaidBlock& block, bool is_first) const;
  double room_after(const LaidBlock& block) const;
  double column_width(const LaidLine& line, const LaidBlock& block) const;
  double block_width(const LaidLine& line, const LaidBlock& block) const;
  double span(const LaidLine& line, const LaidBlock& block) const;
  double used(LaidLine& line, double u, double t) const;
  double operand_row(const LaidBlock& block) const;
  double lane_needs(const LaidLine& line) const;
  LaidLine& main_line() { return lines_[main_line_]; }
  const LaidLine& main_line() const { return lines_[main_line_]; }
  const LaidBlock& main_matrix() const;
  bool is_wide() const { return wrap_ == DiagramWrap::two_lines || is_compared(); }  // values pass above the weights
  bool is_compared() const { return wrap_ == DiagramWrap::compared; }
  double by_page(double narrow, double wide) const { return (c_.is_page ? narrow : wide) * f_; }

  PlacedText& add_text(double x, double y, std::string text, double size, Face face = Face::text, double anchor = 0);
  PlacedText& add_quiet(double x, double y, std::string text, double anchor = 0);  // a small note
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
  double f_ = type_.f, title_text_ = type_.title, label_ = type_.label, note_ = type_.note, number_ = type_.number;
  double keys_ = static_cast<double>(s_.keys.size());  // how many there are
  bool has_many_ = std::ssize(s_.keys) > many_keys;
  double margin_ = by_page(6, 16);
  double left_ = c_.box.x + margin_, right_ = c_.box.right() - margin_;
  double names_ = std::min(std::max(type_.longest_row, by_page(30, 76)), by_page(60, 120));  // left of a line
  double channel_ = by_page(18, 24);  // for arrows that come down left of a line
  double x0_ = left_ + names_ + channel_;
  double key_names_ = s_.queries.empty() ? 0 : std::min(type_.longest_label, 120 * f_) + 10 * f_;
  double sums_ = width_of("Σ row", note_) + 12 * f_;
  double pad_ = 14 * f_;   // within the main_matrix's card
  double least_cell_ = 0;  // that a number fits into
  double spare_ = 0;       // height that is left
};

std::optional<DiagramDraft> with_sizes(DiagramDraft draft);  // nothing where it does not fit
DiagramDraft with_places(DiagramDraft draft);
DiagramLayout with_routes(DiagramDraft draft);

bool has_values_above(const DiagramBlock& block);  // it mixes them
double effective_columns(double count);            // wide matrices count less

}  // namespace attnscope::scene
