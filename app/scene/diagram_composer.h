#pragma once

#include <string>
#include <vector>

#include "scene/diagram_layout.h"

namespace attnscope::scene {

// One candidate of a diagram's layout. Private to this folder: scene/diagram_layout.h says what comes of it.

constexpr double hero_ratio = 1.25;  // width of the weights' cells : that of any other matrix of queries by keys
constexpr double sliver = 0.25;      // of a column: that of another head where there is little room
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
struct LaidBlock {
  DiagramBlock block;
  double other_share = 1;  // width of another head's column
  double shrink = 1;       // of its columns, where it stands aside
  bool is_thumb = false;   // small and without numbers
  bool is_faint = false;
  bool is_ghost = false;  // takes its room but is not drawn
  bool is_second = false;
  double x = 0, width = 0, right = 0;
  double head_top = 0;  // of its title
  double caption_top = 0;
  int matrix = -1;  // in the layout
  int operand = -1;
  Box frame;  // of the hero's card

  Stage result() const { return block.is_copy ? Stage::scores : block.stage; }  // that it comes with
  bool is_hero() const { return block.kind == BlockKind::hero; }
  bool is_square() const { return block.kind != BlockKind::feature; }
  double weight() const;  // of its columns, in those of a single one
  double top() const { return block.above ? caption_top : head_top; }
};

struct LaidLine {
  struct Band {
    std::string title, words;
    std::size_t block = 0;  // that it begins at
  };
  std::vector<LaidBlock> blocks;
  std::vector<Band> bands;
  double share = 1;            // of the height of the rows, against the hero's line
  bool is_compare = false;     // the workshop
  bool is_focused = false;     // it has the stage that is presented
  bool is_entered = false;     // an arrow comes down the channel to its left
  double u = 0, t = 0, h = 0;  // width of a feature's column, of a square's, height of a row
  double room = 0;
  bool is_turned = false;  // names of columns
  double name_size = 0;
  double heading = 0, operands = 0, title = 0, names = 0, gutter = 0;  // heights of its zones
  double top = 0, title_y = 0, y0 = 0, end = 0, bottom = 0, x_end = 0;

  double zones() const { return heading + operands + title + names + gutter; }
  Index rows() const { return blocks.back().block.rows; }
  Stage result() const;  // the first that comes in it
  bool has_hero() const;
  bool has_squares() const;
  double height() const { return h * static_cast<double>(rows()); }
  double middle() const { return y0 + height() / 2; }
};

// Sizes of letters and gaps, the same for all candidates for a canvas.
struct DiagramType {
  double f = 1;  // of the type and of gaps
  double hero = 18, title = 13.5, label = 11.5, note = 11, number = 11, most_number = 20;
  double longest_label = 0, longest_note = 0;  // widths of the keys' names
  double longest_row = 0;                      // of the rows' names as labels
};
DiagramType type_of(const DiagramShape& shape, const DiagramCanvas& canvas, const TextMeasure& measure);

class DiagramComposer {
public:
  DiagramComposer(const DiagramShape& shape, const DiagramCanvas& canvas, const TextMeasure& measure,
                  const DiagramType& type, DiagramWrap wrap, const LayoutOptions& options,
                  const DiagramShape* other = nullptr);

  bool solve();  // whether it fits
  DiagramLayout place();

private:
  // scene/diagram_compose.cpp: lines
  void make_lines(const DiagramShape* other);
  void add_compared(const std::vector<LaidBlock>& project, std::vector<LaidBlock> hero,
                    const std::vector<LaidBlock>& mix, std::vector<LaidBlock> b_hero,
                    const std::vector<LaidBlock>& b_mix, std::vector<LaidLine::Band> bands);
  void shorten_words(LaidLine& line);
  void focus(LaidLine& line);

  // scene/diagram_fit.cpp: sizes
  double width_of(std::string_view text, double size, Face face = Face::text) const {
    return measure_(text, size, face);
  }
  double gap_before(const LaidBlock& block, bool is_first) const;
  double room_after(const LaidBlock& block) const;
  double square_width(const LaidLine& line, const LaidBlock& block) const;
  double block_width(const LaidLine& line, const LaidBlock& block) const;
  double span(const LaidLine& line, const LaidBlock& block) const;
  double used(LaidLine& line, double u, double t) const;
  bool fit_width(LaidLine& line, double limit);
  double operand_row(const LaidBlock& block) const;
  double lane_needs(const LaidLine& line) const;
  double set_zones(LaidLine& line);
  bool share_height(double height);
  void balance(LaidLine& hero);
  double least_square(const LaidLine& line) const;
  LaidLine& hero_line() { return lines_[hero_line_]; }
  const LaidLine& hero_line() const { return lines_[hero_line_]; }
  LaidBlock& hero();

  // scene/diagram_place.cpp: places
  void place_line(std::size_t index);
  void place_names(std::size_t index);
  void place_block(std::size_t index, LaidBlock& block, std::optional<double> before);
  void place_titles(LaidLine& line, LaidBlock& block);
  void place_hero_frame(LaidLine& line, LaidBlock& block, double title_y);
  void place_bar(const LaidBlock& block, double title_y, double title_width);
  void place_column_names(LaidLine& line, LaidBlock& block, double cell);
  void place_operand(std::size_t index, LaidBlock& block);
  void place_arrow_into(std::size_t index, LaidBlock& block, double before);
  void place_stripes();
  void fade();
  PlacedMatrix& add_matrix(const LaidBlock& block, Stage stage, double x, double y, double row, Index rows,
                           const BlockColumns& columns, double unit, double other_share, int line);
  double number_size(double cell, double height, std::string_view widest) const;
  PlacedText& add_text(double x, double y, std::string text, double size, Face face = Face::text,
                       TextInk ink = TextInk::text, double anchor = 0);
  void add_caption(const LaidBlock& block, Stage stage, double y, std::string text, double size, Face face,
                   TextInk ink);
  void name_rows(const std::vector<std::string>& names, double x, double y, double row, double room, Stage result,
                 bool are_keys);
  std::string shortened(std::string_view name, double room, double size, Face face = Face::bold) const;
  Index name_step(double pitch) const;
  double column_unit(const LaidLine& line, const LaidBlock& block) const;

  // scene/diagram_route.cpp: arrows, pills, headings, the card
  int add_arrow(std::optional<Stage> from, std::optional<Stage> to, std::vector<Point> points);
  void route();
  void route_operands(LaidBlock& copy, LaidLine& compare);
  void route_into_hero(LaidLine& compare);
  void route_values();
  void route_above_weights(const LaidLine& line, Stage values, const LaidBlock& user, double start, double out);
  void route_compared();
  void place_softmax_pill(double middle, double y, double from, double to);
  void place_absent_pill();
  void place_card();
  void place_headings();
  void frame_projections();
  double lane(const LaidLine& line, double number) const { return line.bottom + (6 + 6 * number) * f_; }
  double channel() const { return x0_ - channel_ * 0.55; }
  bool hits(const Box& box, int own_arrow = -1) const;
  const LaidBlock* find(Stage stage) const;  // drawn in its own place; null where it is not

  const DiagramShape& s_;
  const DiagramCanvas& c_;
  const TextMeasure& measure_;
  const DiagramType& type_;
  DiagramWrap wrap_;
  LayoutOptions o_;
  DiagramLayout out_;
  std::vector<LaidLine> lines_;
  std::size_t hero_line_ = 0;
  double f_, hero_text_, title_text_, label_, note_, number_, most_number_;  // of the type
  double left_ = 0, right_ = 0, x0_ = 0;
  double names_ = 0;    // width of the tokens' names left of a line
  double channel_ = 0;  // for arrows that come down left of a line
  double key_names_ = 0;
  double sums_ = 0;
  double pad_ = 0;         // within the hero's card
  double least_cell_ = 0;  // that a number fits into
  double card_ = 0;
  double spare_ = 0;
  int softmax_arrow_ = -1;
  double riser_ = 0;        // where the arrow into the weights goes up
  double pill_target_ = 0;  // where it reaches them
  double pill_x_ = 0, pill_y_ = 0;
};

bool has_values_above(const DiagramBlock& block);  // it mixes them
double effective_columns(double count);            // wide matrices count less
bool crosses(const Point& p, const Point& q, const Box& box);

}  // namespace attnscope::scene
