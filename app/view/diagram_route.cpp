#include <algorithm>
#include <cmath>
#include <functional>

#include "view/diagram_draft.h"

// Routes: arrows between lines, the pills on them, the card's corner and the headings, which stand where nothing else
// does.

namespace attnscope::scene {
namespace {

Box around(double left, double top, double right, double bottom) { return {left, top, right - left, bottom - top}; }

bool is_met_by(const std::vector<Point>& points, const Box& box) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto [left, right] = std::minmax(points[i].x, points[i + 1].x);
    const auto [top, bottom] = std::minmax(points[i].y, points[i + 1].y);
    if (overlap(around(left - 0.6, top - 0.6, right + 0.6, bottom + 0.6), box)) return true;
  }
  return false;
}

constexpr double head_and_pill = 21;  // from an arrow's point to the middle of a pill below its head

class DiagramRoutes : public DiagramDraft {
public:
  explicit DiagramRoutes(DiagramDraft draft) : DiagramDraft(std::move(draft)) {}

  DiagramLayout route() {
    if (is_compared()) {
      frame_projections();
      route_compared();
    } else {
      place_card();
      frame_projections();
      for (const LaidLine& line : lines_) {
        if (!line.is_compare) continue;
        if (line.blocks.front().is_copy) route_operands(line.blocks.front(), line);
        route_into_main(line);
      }
      if (o_.has_steps_above) {
        route_steps_above(first(), lines_.back());
      } else if (has_line_of_squares()) {
        route_squares(lines_.back());
      } else {
        if (lines_.back().blocks.back().is_after) route_after_weights(lines_.back());
        route_values();
      }
      if (compare_) place_pills();
    }
    place_headings();
    return std::move(out_);
  }

private:
  double lane(const LaidLine& line, double number) const { return line.bottom + (6 + 6 * number) * f_; }
  double channel() const { return x0_ - channel_ * (has_line_of_squares() ? 0.7 : 0.55); }
  bool is_three() const { return wrap_ == DiagramWrap::three_lines; }
  bool has_frame() const { return s_.is_projected && !s_.is_given; }  // says whether a frame surrounds the projections
  const LaidLine& first() const { return lines_.front(); }
  double end_of(const LaidBlock& projected) const {  // arrows may turn right of this
    return std::max(projected.right, projected.x + span(first(), projected) - 4 * f_);
  }

  // Returns whether a box meets a text, a matrix, a pill, a card, or an arrow other than its own.
  bool hits(const Box& box, int own_arrow = -1) const {
    for (std::size_t i = 0; i < out_.arrows.size(); ++i)
      if (static_cast<int>(i) != own_arrow && is_met_by(out_.arrows[i].points, box)) return true;
    const auto meets = [&](const Box& other) { return overlap(box, other); };
    const auto is_in_way = [&](const PlacedFrame& frame) { return is_around() && meets(frame.box); };
    return std::ranges::any_of(out_.frames, is_in_way) ||
           std::ranges::any_of(out_.matrices, meets, &PlacedMatrix::box) ||
           std::ranges::any_of(out_.texts, meets, &PlacedText::box) ||
           std::ranges::any_of(out_.pills, meets, &PlacedText::box) || (out_.card && meets(*out_.card));
  }

  // Returns the block of a stage that is drawn in its own place; null if there is none.
  const LaidBlock* find(Stage stage) const {
    for (const LaidLine& line : lines_)
      for (const LaidBlock& laid : line.blocks)
        if (laid.stage == stage && !laid.is_copy && !laid.is_ghost) return &laid;
    return nullptr;
  }

  // Places the card that explains a number: in its column, in its strip, or in the free corner at the lower right.
  void place_card() {
    if (!c_.wants_card) return;
    const bool is_two = wrap_ == DiagramWrap::two_lines || is_around();
    const double bottom = c_.box.bottom() - (is_around() ? 8 : 12) * f_;
    const double least_height = 180 * f_;
    const auto place = [&](double left, double top, double end) {
      const bool fits = right_ - left >= (is_around() ? 236 : 250) * f_ && end - top >= least_height;
      if (fits || o_.keeps_card_column) out_.card = around(left, top, right_, end);
      return fits;
    };
    if (wrap_ == DiagramWrap::bands) {
      if (o_.keeps_card_column) place(left_, bottom - least_height, bottom);
    } else if (is_around()) {
      const bool has_arrow = lines_.back().blocks.back().is_after;
      const double left = lines_.size() > 1 ? lines_.back().x_end + (has_arrow ? 26 : 30) * f_ : x0_;
      place(std::max(left, right_ - 460 * f_), first().end + 39 * f_, bottom);
    } else if (lines_.size() == 1) {  // the weights alone: beside them, if they leave room
      const double left = std::max(first().x_end + 30 * f_, right_ - 460 * f_);
      if (right_ - left >= 250 * f_) place(left, main_matrix().frame.y, first().end);
    } else if (o_.keeps_card_column) {
      double below = x0_;  // the end of all lines but the first
      for (std::size_t i = 1; i < lines_.size(); ++i) below = std::max(below, lines_[i].x_end);
      const double left = std::max(below + (is_two ? 30 : 52) * f_, right_ - 460 * f_);
      place(left, first().bottom + (is_two ? 40 : 54) * f_, bottom);
    } else if (lines_.size() > 1) {
      const LaidLine& last = lines_.back();
      const double top = lines_[lines_.size() - 2].bottom + (is_two ? 40 : 28) * f_;
      const bool is_placed = place(std::max(last.x_end + 30 * f_, right_ - 520 * f_), top, bottom);
      if (!is_placed && !is_two) {
        const double corner = std::max(lines_[1].x_end + 56 * f_, right_ - 520 * f_);
        double low = last.end;
        for (const LaidBlock& laid : last.blocks)
          if (laid.x + span(last, laid) + room_after(laid) > corner - 40 * f_) low = std::min(low, laid.top());
        place(corner, first().bottom + 54 * f_, low - 14 * f_);
      }
    }
    if (wrap_ == DiagramWrap::bands || !out_.card || out_.card->height <= 420 * f_) return;
    out_.card = around(out_.card->x, bottom - 420 * f_, right_, out_.card->bottom());
  }

  // Puts a frame around queries, keys and values, to which one arrow leads from the inputs.
  void frame_projections() {
    if (!has_frame()) return;
    double left = right_;
    double top = first().end;
    double right = 0;
    for (const LaidBlock& laid : first().blocks) {
      const Stage stage = laid.stage;
      if (stage != Stage::queries && stage != Stage::keys && stage != Stage::values) continue;
      left = std::min(left, laid.x);
      top = std::min(top, laid.top());
      const double question = 16 * f_;  // the "?" behind the title
      const double title = laid.x + width_of(laid.title, title_text_, Face::bold) + question - 9 * f_;
      right = std::max(right, is_compared() ? std::max(laid.right, title) : end_of(laid));
    }
    const Box frame = around(left - 9 * f_, top - 6 * f_, right + 9 * f_, first().end + 6 * f_);
    if (right > 0) out_.frames.push_back({frame, false, Stage::queries});
  }

  // Leads queries down the channel left of the line, and keys onto the middle of the matrix above the scores.
  void route_operands(const LaidBlock& copy, const LaidLine& compare) {
    const double start = first().end + (has_frame() ? 10 : 4) * f_;
    if (const LaidBlock* const queries = find(copy.stage)) {
      const double x = queries->middle_x;
      const double y = lane(first(), 0.6);
      add_arrow(copy.stage, copy.result(),
                {{x, start}, {x, y}, {channel(), y}, {channel(), compare.middle()}, {x0_ - 4 * f_, compare.middle()}});
    }
    const LaidBlock* const scores = find(Stage::scores);
    if (!scores || !scores->above_box) return;
    const LaidBlock* const keys = find(scores->above->stage);
    if (!keys) return;
    const double x = keys->middle_x;
    const double y = lane(first(), 1.7);
    const double down = scores->above_box->middle_x();
    add_arrow(keys->stage, Stage::scores, {{x, start}, {x, y}, {down, y}, {down, scores->above_box->y - 4 * f_}});
  }

  // Leads queries and keys down to the scores, the last of the weights up to the context, and the values above it.
  void route_squares(const LaidLine& squares) {
    if (s_.compare.front().is_copy) route_operands(LaidBlock(s_.compare.front()), squares);
    name_absent_below(squares);
    const auto user = std::ranges::find_if(first().blocks, [&](const auto& each) { return is_fed_from_below(each); });
    if (user == first().blocks.end()) return;
    const LaidBlock& last = squares.blocks.back();
    const double up = user->middle_x;
    const double y = lane(first(), 2.2);
    const Box& card = main_matrix().frame;
    std::vector<Point> points;
    if (last.is_main()) {
      const double start = std::clamp(up, card.x + 14 * f_, card.right() - 14 * f_);
      points = {{start, card.y - 2 * f_}};
      if (start != up) points.insert(points.end(), {{start, y}, {up, y}});
    } else {
      const double side = end_in(squares, last) + 12 * f_;
      points = {{last.right + 4 * f_, squares.middle()}, {side, squares.middle()}};
      if (side != up) points.insert(points.end(), {{side, y}, {up, y}});
    }
    points.push_back({up, first().end + 4 * f_});
    const int arrow = add_arrow(last.stage, user->stage, std::move(points));
    out_.arrows.back().text = user->sign;
    PlacedText& sign = add_text(up + 7 * f_, first().end + 16 * f_, user->sign, title_text_, Face::bold);
    sign.arrow = arrow;
    sign.stage = sign.result = user->stage;
    const LaidBlock* const values = user->above_box ? find(user->above->stage) : nullptr;
    if (!values) return;
    const double end = end_of(*values);
    const double out = end + (has_frame() ? 17 : 12) * f_;
    const double into = user->above_box->middle_y();
    add_arrow(values->stage, user->stage,
              {{has_frame() ? end + 12 * f_ : values->right + 4 * f_, first().middle()},
               {out, first().middle()},
               {out, into},
               {user->above_box->x - 5 * f_, into}});
  }

  // Leads the projections to the scores beside them, the last of the scores down to the weights, and the values down to
  // the contexts.
  void route_steps_above(const LaidLine& steps, const LaidLine& mix) {
    const auto scores = std::ranges::find_if(steps.blocks, [&](const auto& each) { return is_first_step(each); });
    if (scores == steps.blocks.begin() || scores == steps.blocks.end()) return;
    const LaidBlock& projected = *std::prev(scores);
    const double end = end_of(projected);
    const double start = has_frame() ? end + 12 * f_ : projected.right + 4 * f_;
    const double out = end + (has_frame() ? 17 : 12) * f_;
    const double middle = steps.middle();
    const int arrow =
        add_arrow(s_.compare.front().stage, Stage::scores, {{start, middle}, {scores->x - 5 * f_, middle}});
    out_.arrows.back().text = scores->sign;
    PlacedText& sign = add_text((out + scores->x) / 2, middle - 7 * f_, scores->sign, title_text_, Face::bold, 0.5);
    sign.arrow = arrow;
    sign.stage = sign.result = Stage::scores;
    if (const LaidBlock* const keys = scores->above_box ? find(scores->above->stage) : nullptr) {
      const double into = scores->above_box->middle_y();
      add_arrow(keys->stage, Stage::scores,
                {{start, middle}, {out, middle}, {out, into}, {scores->above_box->x - 5 * f_, into}});
    }
    const LaidBlock& last = steps.blocks.back();
    const Box& card = main_matrix().frame;
    compare_ = &steps;
    label_of_pill_ = s_.pill;
    riser_ = end_in(steps, last) + 12 * f_;
    target_ = card.middle_x();
    pill_x_ = (riser_ + target_) / 2;
    pill_y_ = lane(steps, 2);
    softmax_arrow_ = add_arrow(last.stage, main_matrix().stage,
                               {{last.right + 4 * f_, middle},
                                {riser_, middle},
                                {riser_, pill_y_},
                                {target_, pill_y_},
                                {target_, card.y - 3 * f_}});
    const auto user = std::ranges::find_if(
        mix.blocks, [](const LaidBlock& each) { return !each.is_square() && has_values_above(each); });
    const LaidBlock* const values = user != mix.blocks.end() && user->above_box ? find(user->above->stage) : nullptr;
    if (!values) return;
    const double x = values->middle_x;
    const double y = lane(steps, 0);
    const double down = user->above_box->x - 12 * f_;
    const double into = user->above_box->middle_y();
    add_arrow(values->stage, user->stage,
              {{x, steps.end + (has_frame() ? 10 : 4) * f_},
               {x, y},
               {down, y},
               {down, into},
               {user->above_box->x - 4 * f_, into}});
  }

  static const LaidBlock& last_before_weights(const LaidLine& line) {
    return *std::ranges::find_if(line.blocks.rbegin(), line.blocks.rend(), std::not_fn(&LaidBlock::is_after));
  }

  double end_in(const LaidLine& line, const LaidBlock& laid) const {
    return laid.x + span(line, laid) + room_after(laid);
  }

  // Leads the weights down to the stages that follow from them in the line below, and the last of these up to the
  // context.
  void route_after_weights(const LaidLine& line) {
    const auto next = std::ranges::find_if(line.blocks, &LaidBlock::is_after);
    const Box& card = main_matrix().frame;
    const double down = next->x - 18 * f_;
    const double start = std::clamp(down, card.x + 14 * f_, card.right() - 14 * f_);
    const double first_lane = card.bottom() + 5 * f_;
    std::vector<Point> points = {{start, card.bottom() + 2 * f_}};
    if (start != down) points.insert(points.end(), {{start, first_lane}, {down, first_lane}});
    points.insert(points.end(), {{down, line.middle()}, {next->x - 4 * f_, line.middle()}});
    const int entry = add_arrow(main_matrix().stage, next->stage, std::move(points));
    out_.arrows.back().text = next->sign;
    PlacedText& of_entry = add_text(next->x - 9 * f_, line.middle() - 7 * f_, next->sign, title_text_, Face::bold, 0.5);
    of_entry.arrow = entry;
    of_entry.stage = of_entry.result = next->stage;
    const LaidBlock* user = nullptr;
    for (const LaidBlock& laid : first().blocks)
      if (laid.is_right && !user) user = &laid;
    if (!user) return;
    const LaidBlock& last = line.blocks.back();
    const double up = end_in(line, last) + 12 * f_;
    const double y = first().end + 18 * f_;
    std::vector<Point> way = {{last.right + 4 * f_, line.middle()}, {up, line.middle()}};
    if (up != user->middle_x) way.insert(way.end(), {{up, y}, {user->middle_x, y}});
    way.push_back({user->middle_x, first().end + 4 * f_});
    const int arrow = add_arrow(last.stage, user->stage, std::move(way));
    out_.arrows.back().text = user->sign;
    const bool is_passed = start < user->middle_x + 7 * f_ && user->middle_x < down;  // by the arrow to `next`
    PlacedText& sign =
        is_passed ? add_text(up + 5 * f_, (line.middle() + y) / 2, user->sign, title_text_, Face::bold)
                  : add_text(user->middle_x + 7 * f_, first().end + 16 * f_, user->sign, title_text_, Face::bold);
    sign.arrow = arrow;
    sign.stage = sign.result = user->stage;
  }

  // Returns where an arrow that comes up below the weights turns up after a piece to the left that bears its pill: on
  // the last piece it would cover the arrow's head. A short pill stands where there is less room; without any the arrow
  // goes straight up.
  double turned_for_pill(double riser, double y) {
    const Box& card = main_matrix().frame;
    for (const std::string& words : {s_.pill, short_pill()}) {
      const double to = riser - pill_width(words) - 24 * f_;
      if (to < card.x + 14 * f_ || hits(around(to - 4 * f_, y - 8 * f_, riser - f_, y + 8 * f_))) continue;
      label_of_pill_ = words;
      return to;
    }
    return riser;
  }

  // Leads the last matrix of scores into the weights' card, with the softmax on the arrow.
  void route_into_main(const LaidLine& compare) {
    compare_ = &compare;
    const LaidBlock& last = last_before_weights(compare);
    const Box& card = main_matrix().frame;
    label_of_pill_ = s_.pill;
    const double end = &last == &compare.blocks.back() ? compare.x_end : end_in(compare, last);
    const double x1 = riser_ = end + by_page(7, 14);
    double pill = pill_width(label_of_pill_);
    std::vector<Point> points = {{last.right + 4 * f_, compare.middle()}, {x1, compare.middle()}};
    if (wrap_ == DiagramWrap::bands) {
      pill_y_ = lane(compare, 1.2);
      target_ = card.middle_x();
      points.insert(points.end(), {{x1, pill_y_}, {target_, pill_y_}, {target_, card.y - 3 * f_}});
      pill_x_ = (x1 + target_) / 2;
    } else {
      const double y = card.bottom() + (is_around() ? 14.5 : 18) * f_;
      const double edge = card.right() - (is_three() ? 26 * f_ : 0);  // the weights leave at the lower right corner
      if (x1 >= card.x + 24 * f_ && x1 <= card.right() - 24 * f_) {
        target_ = x1;
      } else if (x1 < card.x + 24 * f_) {
        target_ = std::min(edge - 20 * f_, card.x + pill + 24 * f_);
      } else {
        target_ = std::max(card.x + 30 * f_, std::min(edge - 30 * f_, (is_three() ? edge : x1) - pill - 44 * f_));
      }
      if (target_ == x1) target_ = turned_for_pill(x1, y);
      pill = pill_width(label_of_pill_);
      if (target_ != x1) points.insert(points.end(), {{x1, y}, {target_, y}});
      points.push_back({target_, card.bottom() + 4 * f_});
      pill_x_ = target_ == x1 ? x1 : (x1 + target_) / 2;
      pill_y_ = target_ == x1 ? card.bottom() + (4 + head_and_pill) * f_ : y + f_;
      if (is_three() && target_ != x1 && x1 > edge) pill_x_ = std::min(pill_x_, edge - pill / 2);
      if (x1 < target_) pill_x_ = std::max(card.x + pill / 2 + 6 * f_, (x1 + target_) / 2);
      if (target_ == x1) pill_x_ = std::max(pill_x_, card.x + pill / 2);
    }
    softmax_arrow_ = add_arrow(last.stage, main_matrix().stage, std::move(points));
    pill_x_ = std::min(pill_x_, right_ - pill / 2);
  }

  // Leads values up beside their matrix, at `out`, and above the weights of the same line to the context.
  void route_above_weights(Stage values, const LaidBlock& user, double start, double out) {
    const Box& above = *user.above_box;
    const Box& card = main_matrix().frame;
    double top = card.y;
    for (const LaidBlock& laid : first().blocks)
      if (laid.has_above() && laid.above->kind == OperandKind::pattern) top = std::min(top, laid.caption_top);
    const double y = (above.y + 3 * f_ + top - 6 * f_) / 2;
    const double middle = first().middle();
    add_arrow(values, user.stage, {{start, middle}, {out, middle}, {out, y}, {above.x - 5 * f_, y}});
  }

  // Leads values up and above the weights to the context, or down a gutter if that stands in another line.
  void route_values() {
    const LaidLine* mix = nullptr;
    const LaidBlock* user = nullptr;
    for (const LaidLine& line : lines_) {
      for (const LaidBlock& laid : line.blocks) {
        if (!laid.above_box || !has_values_above(laid)) continue;
        user = &laid;
        mix = &line;
      }
    }
    const LaidBlock* const values = user ? find(user->above->stage) : nullptr;
    if (!values) return;
    const Stage source = values->stage;
    const double end = end_of(*values);
    const double start = has_frame() ? end + 12 * f_ : values->right + 4 * f_;
    const double out = end + (has_frame() ? std::min(17.0, (right_ - end) / f_) : 12) * f_;
    if (mix == &first()) return route_above_weights(source, *user, start, out);
    double side = x0_;
    for (const LaidLine* line = &first() + 1; line != mix; ++line) side = std::max(side, line->x_end + by_page(10, 26));
    route_down_to(*mix, *user, source, {{start, first().middle()}, {out, first().middle()}}, side);
    route_weights_to(*mix, side);
  }

  // Leads the values, which begin with `points`, down the gutter at `side` to the operand of another line.
  void route_down_to(const LaidLine& mix, const LaidBlock& user, Stage source, std::vector<Point> points, double side) {
    const Box& above = *user.above_box;
    double down = above.x - 12 * f_;
    double end = above.x - 4 * f_;
    if (&user == &mix.blocks.front()) {  // the channel is taken, so they come from the right
      end = above.right() + 4 * f_;
      down = end + 10 * f_;
      for (const PlacedText& text : out_.texts)  // a caption may be wider than its matrix
        if (text.stage == source && text.box.x == above.x && text.box.bottom() <= above.y)
          down = std::max(down, text.box.right() + 6 * f_);
    }
    const double high = lane(first(), is_three() ? 4.9 : 2.9);
    double low = lane(*(&mix - 1), 2.2);
    const bool is_below_card = out_.card && down > out_.card->x && out_.card->bottom() < above.y;
    if (is_below_card) low = std::max(low, out_.card->bottom() + 6 * f_);
    const double y = above.middle_y();
    points.insert(points.end(), {{points.back().x, high}, {side, high}, {side, low}, {down, low}, {down, y}, {end, y}});
    add_arrow(source, user.stage, std::move(points));
  }

  void route_weights_to(const LaidLine& mix, double side) {
    const LaidBlock& next = mix.blocks.front();
    const Box& card = main_matrix().frame;
    const double y = lane(*(&mix - 1), 0.8);
    const double x = is_three() ? card.right() - 14 * f_ : card.middle_x();
    std::vector<Point> points = {{x, card.bottom() + 2 * f_}};
    if (is_three()) {  // leads around the scores between them
      const double turn = lane(first(), 5.9);
      const double far = side + 9 * f_;
      points.insert(points.end(), {{x, turn}, {far, turn}, {far, y}});
    } else {
      points.push_back({x, y});
    }
    points.insert(points.end(), {{channel(), y}, {channel(), mix.middle()}, {next.x - 4 * f_, mix.middle()}});
    add_arrow(main_matrix().stage, next.stage, std::move(points));
  }

  void add_pill(const Box& box, std::string words, Stage stage, bool is_quiet) {
    const double size = is_quiet ? note_ : label_;
    PlacedText& pill = out_.pills.emplace_back(PlacedText{{.text = std::move(words),
                                                           .x = box.middle_x(),
                                                           .y = box.middle_y() + size * to_middle,
                                                           .size = size,
                                                           .face = is_quiet ? Face::text : Face::bold,
                                                           .anchor = 0.5}});
    pill.is_quiet = is_quiet;
    pill.stage = stage;
    pill.result = main_matrix().stage;
    pill.box = box;
  }

  // Names the stages that the document does without below the arrow into the weights, if they have room there.
  void name_absent_below(const LaidLine& squares) {
    const auto main = std::ranges::find_if(squares.blocks, &LaidBlock::is_main);
    const double left = std::prev(main)->right;
    const double right = main->frame.x;
    double y = squares.middle() + 12 * f_;
    for (std::size_t i = 0; i < words_.size(); ++i, y += 24 * f_) {
      const double width = width_of(words_[i], note_) + 16 * f_;
      const Box box{(left + right - width) / 2, y, width, 18 * f_};
      if (width < right - left && !hits(box)) add_pill(box, words_[i], absent_[i], true);
    }
  }

  std::string short_pill() const { return s_.pill.substr(0, s_.pill.find(' ')); }  // its first word says it, too
  double pill_width(const std::string& words) const { return width_of(words, label_, Face::bold) + 18 * f_; }

  // The pills come after all arrows, so that they stand clear of them: the softmax on its own arrow, moved along it
  // until it meets no other one, and beside it one for each stage that the document does without, where there is room.
  void place_pills() {
    double width = 0;
    const auto at = [&](double x) { return Box{x - width / 2, pill_y_ - 10 * f_, width, 20 * f_}; };
    const Point& tip = out_.arrows[static_cast<std::size_t>(softmax_arrow_)].points.back();
    const Box head = around(tip.x - 5 * f_, tip.y - 10 * f_, tip.x + 5 * f_, tip.y + 10 * f_);
    bool spares_head = true;
    const auto moves_along = [&](double wanted, double end) {
      const double half_width = width / 2 - 8 * f_;
      const double low = std::min(riser_, end) - half_width;
      const double high = std::max(riser_, end) + half_width;
      for (int step = 0; step < 80; ++step) {
        const double x = wanted + 5.0 * ((step % 2) == 0 ? step / 2 : -(step + 1) / 2);
        if (x < low || x > high || at(x).right() > right_ || hits(at(x), softmax_arrow_)) continue;
        if (spares_head && overlap(at(x), head)) continue;
        pill_x_ = x;
        return true;
      }
      return false;
    };
    const double highest = pill_y_;
    const auto finds_room = [&](const std::string& words) {
      width = pill_width(words);
      if (moves_along(pill_x_, target_)) return true;
      for (int lower = 1; lower <= 4 && is_around(); ++lower) {  // down the riser
        pill_y_ = highest + 13 * lower * f_;
        if (pill_y_ <= compare_->middle() - 12 * f_ && moves_along(riser_, riser_)) return true;
      }
      pill_y_ = highest;
      return false;
    };
    std::string label;
    const auto has_room = [&] {
      label = label_of_pill_;
      if (finds_room(label)) return true;
      if (!is_around()) return false;
      label = short_pill();
      return finds_room(label);
    };
    spares_head = has_room();
    out_.is_crowded = !spares_head && !has_room();
    add_pill(at(pill_x_), label, main_matrix().stage, false);
    const double gap = 6 * f_;
    double total = -gap;
    for (const std::string& words : words_) total += width_of(words, note_) + 16 * f_ + gap;
    const double half = 9 * f_;
    const Point places[] = {{riser_ + 8 * f_, compare_->middle()},
                            {pill_x_ - width / 2 - 10 * f_ - total, pill_y_},
                            {pill_x_ + width / 2 + 10 * f_, pill_y_},
                            {pill_x_ - total / 2, pill_y_ + 24 * f_},
                            {riser_ - total - 14 * f_, pill_y_ + 24 * f_},
                            {riser_ - total / 2, compare_->end + 12 * f_},
                            {x0_, compare_->end + 12 * f_}};
    const auto is_free = [&](const Point& place) {
      const Box box{place.x, place.y - half, total, 2 * half};
      return box.x >= left_ && box.right() <= right_ && box.bottom() <= c_.box.bottom() && !hits(box);
    };
    const Point* const place = words_.empty() ? std::end(places) : std::ranges::find_if(places, is_free);
    if (place == std::end(places)) return;
    double x = place->x;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const Box box{x, place->y - half, width_of(words_[i], note_) + 16 * f_, 2 * half};
      add_pill(box, words_[i], absent_[i], true);
      x += box.width + gap;
    }
  }

  void route_compared() {
    const LaidBlock& second = *std::ranges::find(lines_[1].blocks, false, &LaidBlock::is_ghost);
    const double bottom = c_.box.bottom() - 12 * f_;
    const double top = first().end + 26 * f_;
    const double right = second.x - pad_ - 84 * f_;
    if (right - left_ > 160 * f_) out_.card = around(left_, top, right, std::min(bottom, top + 300 * f_));
    for (const LaidLine& line : lines_)
      if (!out_.card) place_card_above_arrow(line);
    const LaidBlock* const values = find(s_.is_projected ? Stage::values : Stage::inputs);
    if (!values) return;
    const double end = end_of(*values);
    for (const LaidBlock& laid : first().blocks) {
      if (laid.above_box && has_values_above(laid))
        route_above_weights(values->stage, laid, end + 12 * f_, end + 17 * f_);
    }
  }

  // Places the card where the line lacks squares that the other document has, above the arrow that passes there.
  void place_card_above_arrow(const LaidLine& line) {
    for (auto each = line.blocks.begin() + 1; each != line.blocks.end(); ++each) {
      if (!each->is_ghost || !each->is_square() || std::prev(each)->is_ghost) continue;
      const auto next = std::find_if(each, line.blocks.end(), std::not_fn(&LaidBlock::is_ghost));
      if (next == line.blocks.end()) return;
      const double left = std::prev(each)->right + 12 * f_;
      const double right = next->x - (next->is_main() ? pad_ : 0) - 12 * f_;
      const double top = line.top + 6 * f_;
      const double bottom = line.middle() - 26 * f_;
      if (right - left >= 236 * f_ && bottom - top >= 150 * f_) out_.card = around(left, top, right, bottom);
    }
  }

  // Puts a heading's words where no arrow passes, or leaves them out; its title always stays.
  void place_headings() {
    if (c_.is_page) return;
    for (const LaidLine& line : lines_)
      for (const LaidLine::Band& band : line.bands) place_heading(line, band);
  }

  void place_heading(const LaidLine& line, const LaidLine::Band& band) {
    const bool is_in_first = &line == &first();
    const auto box_at = [&](double x, double y, const std::string& text, double size, Face face, double air) {
      const Box box = box_of(picture::Word{.text = text, .x = x, .y = y, .size = size, .face = face}, measure_);
      return around(box.x - 4, box.y - air, box.right() + 12, box.bottom() + air);
    };
    const auto assign = [&](PlacedText& placed) {
      placed.result = line.blocks[band.block].result();
      return placed.box.right();
    };
    const bool is_below = is_around() && !is_in_first;  // right of the arrow from the queries
    const double left = is_below ? x0_ - 4 * f_ : band.block == 0 ? left_ : line.blocks[band.block].x;
    const double y = line.top + (is_in_first ? 18 : 14) * f_;
    double size = title_text_ + f_;
    while (size > note_ && hits(box_at(left, y, band.title, size, Face::bold, 2))) size -= 0.5;
    double x = assign(add_text(left, y, band.title, size, Face::bold)) + 16 * f_;
    const bool has_next = band.block == 0 && &band != &line.bands.back();
    const double limit = (has_next ? line.blocks[line.bands[1].block].x : right_) - 10 * f_;
    const double air = is_in_first ? 2 : 9 * f_;
    const double furthest = x + 70 * f_;
    while (x < furthest && hits(box_at(x, y, band.words, note_, Face::text, air))) x += 6 * f_;
    const Box words = box_at(x, y, band.words, note_, Face::text, air);
    if (words.right() - 12 < limit && !hits(words)) assign(add_quiet(x, y, band.words));
  }

  const LaidLine* compare_ = nullptr;  // the line of the scores, from which an arrow leads into the weights
  int softmax_arrow_ = -1;
  double riser_ = 0;   // the arrow goes up here
  double target_ = 0;  // the arrow reaches the weights here
  double pill_x_ = 0, pill_y_ = 0;
  std::string label_of_pill_;
};

}  // namespace

DiagramLayout with_routes(DiagramDraft draft) { return DiagramRoutes(std::move(draft)).route(); }

}  // namespace attnscope::scene
