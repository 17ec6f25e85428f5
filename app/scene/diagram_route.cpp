#include <algorithm>
#include <cmath>

#include "scene/diagram_composer.h"

// Routes: arrows between lines, the pills on them, the card's corner and the headings, which stand where nothing else
// does.

namespace attnscope::scene {
namespace {

Box around(double left, double top, double right, double bottom) { return {left, top, right - left, bottom - top}; }

bool is_segment_in(const std::vector<Point>& points, const Box& box) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    if (crosses(points[i], points[i + 1], box)) return true;
  return false;
}

}  // namespace

bool crosses(const Point& p, const Point& q, const Box& box) {
  return overlap(
      around(std::min(p.x, q.x) - 0.6, std::min(p.y, q.y) - 0.6, std::max(p.x, q.x) + 0.6, std::max(p.y, q.y) + 0.6),
      box);
}

int DiagramComposer::add_arrow(std::optional<Stage> from, std::optional<Stage> to, std::vector<Point> points) {
  PlacedArrow& arrow = out_.arrows.emplace_back();
  arrow.from = from;
  arrow.to = to;
  arrow.points = std::move(points);
  return static_cast<int>(out_.arrows.size()) - 1;
}

// Whether a box meets a text, a matrix, a pill, a card, or an arrow other than its own.
bool DiagramComposer::hits(const Box& box, int own_arrow) const {
  for (std::size_t i = 0; i < out_.arrows.size(); ++i)
    if (static_cast<int>(i) != own_arrow && is_segment_in(out_.arrows[i].points, box)) return true;
  const auto meets = [&](const Box& other) { return overlap(box, other); };
  return std::ranges::any_of(out_.matrices, meets, &PlacedMatrix::box) ||
         std::ranges::any_of(out_.texts, meets, &PlacedText::box) ||
         std::ranges::any_of(out_.pills, meets, &PlacedPill::box) ||
         std::ranges::any_of(out_.frames,
                             [&](const PlacedFrame& frame) { return frame.is_hero && meets(frame.box); }) ||
         (out_.card && meets(*out_.card));
}

const LaidBlock* DiagramComposer::find(Stage stage) const {
  for (const LaidLine& line : lines_)
    for (const LaidBlock& laid : line.blocks)
      if (laid.block.stage == stage && !laid.block.is_copy && !laid.is_ghost) return &laid;
  return nullptr;
}

// The card that explains a number: its column, its strip, or the free corner at the lower right.
void DiagramComposer::place_card() {
  if (!c_.wants_card) return;
  const double bottom = c_.box.bottom() - 12 * f_;
  const bool is_two = wrap_ == DiagramWrap::two_lines;
  const double least_width = 250 * f_;
  const double least_height = 180 * f_;
  if (wrap_ == DiagramWrap::bands) {
    if (o_.keeps_card_column) out_.card = around(left_, bottom - least_height, right_, bottom);
    return;
  }
  double below = x0_;  // the end of all lines but the first
  for (std::size_t i = 1; i < lines_.size(); ++i) below = std::max(below, lines_[i].x_end);
  if (o_.keeps_card_column) {
    const double left = std::max(below + (is_two ? 30 : 52) * f_, right_ - 460 * f_);
    out_.card = around(left, lines_[0].bottom + (is_two ? 40 : 54) * f_, right_, bottom);
  } else if (lines_.size() > 1) {
    const LaidLine& last = lines_.back();
    const double left = std::max(last.x_end + 30 * f_, right_ - 520 * f_);
    const double top = lines_[lines_.size() - 2].bottom + (is_two ? 40 : 28) * f_;
    if (right_ - left >= least_width && bottom - top >= least_height) {
      out_.card = around(left, top, right_, bottom);
    } else if (!is_two) {
      const double corner = std::max(lines_[1].x_end + 56 * f_, right_ - 520 * f_);
      const double high = lines_[0].bottom + 54 * f_;
      double low = last.end;
      for (const LaidBlock& laid : last.blocks)
        if (laid.x + span(last, laid) + room_after(laid) > corner - 40 * f_) low = std::min(low, laid.top());
      low -= 14 * f_;
      if (right_ - corner >= least_width && low - high >= least_height) out_.card = around(corner, high, right_, low);
    }
  }
  if (out_.card && out_.card->height > 420 * f_) {
    const double top = std::max(out_.card->y, bottom - 420 * f_);
    out_.card = around(out_.card->x, top, right_, out_.card->bottom());
  }
}

// A frame around queries, keys and values, which the inputs lead to together.
void DiagramComposer::frame_projections() {
  if (!s_.is_projected || s_.is_given) return;
  const LaidLine& line = lines_.front();
  double left = 0, top = 0, right = 0;
  bool is_any = false;
  for (const LaidBlock& laid : line.blocks) {
    const Stage stage = laid.block.stage;
    if (stage != Stage::queries && stage != Stage::keys && stage != Stage::values) continue;
    left = is_any ? left : laid.x;
    top = is_any ? std::min(top, laid.top()) : laid.top();
    right = std::max(
        right, wrap_ == DiagramWrap::compared ? laid.right : std::max(laid.right, laid.x + span(line, laid) - 4 * f_));
    is_any = true;
  }
  if (is_any)
    out_.frames.push_back(
        {around(left - 9 * f_, top - 6 * f_, right + 9 * f_, line.end + 6 * f_), false, false, Stage::queries});
}

void DiagramComposer::route() {
  frame_projections();
  for (LaidLine& line : lines_) {
    if (&line == &hero_line() || !line.is_compare) continue;
    LaidBlock& first = line.blocks.front();
    if (first.block.is_copy) route_operands(first, line);
    route_into_hero(line);
  }
  route_values();
}

// Queries come down the channel left of the line, keys onto the middle of the matrix above the scores.
void DiagramComposer::route_operands(LaidBlock& copy, LaidLine& compare) {
  const LaidLine& first = lines_.front();
  const bool has_frame = s_.is_projected && !s_.is_given;
  const double start = first.end + (has_frame ? 10 : 4) * f_;
  const auto below = [&](const LaidBlock& laid) {
    const PlacedPart& part = out_.matrices[static_cast<std::size_t>(laid.matrix)].viewed();
    return part.x + part.width / 2;
  };
  const LaidBlock* const queries = find(copy.block.stage);
  if (queries && queries->matrix >= 0) {
    const double x = below(*queries);
    add_arrow(copy.block.stage, copy.result(),
              {{x, start},
               {x, lane(first, 0.6)},
               {channel(), lane(first, 0.6)},
               {channel(), compare.middle()},
               {x0_ - 4 * f_, compare.middle()}});
  }
  const LaidBlock* const scores = find(Stage::scores);
  if (!scores || scores->operand < 0) return;
  const PlacedMatrix& turned = out_.matrices[static_cast<std::size_t>(scores->operand)];
  const LaidBlock* const keys = find(turned.stage);
  if (!keys || keys->matrix < 0) return;
  const double x = below(*keys);
  const double down = turned.box.middle_x();
  add_arrow(turned.stage, Stage::scores,
            {{x, start}, {x, lane(first, 1.7)}, {down, lane(first, 1.7)}, {down, turned.box.y - 4 * f_}});
}

// The last matrix of scores leads into the weights' card, with the softmax on the arrow.
void DiagramComposer::route_into_hero(LaidLine& compare) {
  const LaidBlock& last = compare.blocks.back();
  const LaidBlock& weights = hero();
  const Box& card = weights.frame;
  const double pill = width_of(s_.pill, label_, Face::bold) + 18 * f_;
  const double x1 = compare.x_end + (c_.is_page ? 7 : 14) * f_;
  const double from = last.right + 4 * f_;
  const double middle = compare.middle();
  double target = 0;
  double pill_x = 0;
  double pill_y = 0;
  if (wrap_ == DiagramWrap::bands) {
    const double y = lane(compare, 1.2);
    target = std::min(std::max(card.middle_x(), card.x + 30 * f_), card.right() - 30 * f_);
    target = std::max(card.x + pill * 0.2, target);
    softmax_arrow_ = add_arrow(last.block.stage, weights.block.stage,
                               {{from, middle}, {x1, middle}, {x1, y}, {target, y}, {target, card.y - 3 * f_}});
    pill_x = (x1 + target) / 2;
    pill_y = y;
    if (std::abs(x1 - target) < pill + 20 * f_)
      pill_x = std::min(std::max(pill_x, left_ + pill / 2), right_ - pill / 2);
  } else {
    const bool is_three = wrap_ == DiagramWrap::three_lines;
    const double y = card.bottom() + 18 * f_;
    const double edge = card.right() - (is_three ? 26 * f_ : 0);  // the weights leave at the lower right corner
    if (x1 >= card.x + 24 * f_ && x1 <= card.right() - 24 * f_) {
      target = x1;
    } else if (x1 < card.x + 24 * f_) {
      target = std::min(edge - 20 * f_, card.x + pill + 24 * f_);
    } else {
      target = std::max(card.x + 30 * f_, std::min(edge - 30 * f_, (is_three ? edge : x1) - pill - 44 * f_));
    }
    std::vector<Point> points = {{from, middle}, {x1, middle}};
    if (target != x1) {
      points.push_back({x1, y});
      points.push_back({target, y});
    }
    points.push_back({target, card.bottom() + 4 * f_});
    softmax_arrow_ = add_arrow(last.block.stage, weights.block.stage, std::move(points));
    pill_x = target == x1 ? x1 : (x1 + target) / 2;
    pill_y = y + f_;
    if (is_three && target != x1 && x1 > edge) pill_x = std::min(pill_x, edge - pill / 2);
    if (x1 < target) pill_x = std::max(card.x + pill / 2 + 6 * f_, (x1 + target) / 2);
    if (target == x1) pill_x = std::min(std::max(pill_x, card.x + pill / 2), std::max(edge - pill / 2, x1));
  }
  pill_x = std::min(std::max(pill_x, left_ + pill / 2), right_ - pill / 2);
  riser_ = x1;
  pill_target_ = target;
  pill_x_ = pill_x;
  pill_y_ = pill_y;
}

// Values go up beside their matrix, at `out`, and above the weights of the same line to what they are mixed to.
void DiagramComposer::route_above_weights(const LaidLine& line, Stage values, const LaidBlock& user, double start,
                                          double out) {
  const Box& above = out_.matrices[static_cast<std::size_t>(user.operand)].box;
  const Box& card = hero().frame;
  double top = card.height > 0 ? card.y : above.bottom();
  for (const LaidBlock& laid : line.blocks)
    if (laid.block.above && laid.block.above->kind == OperandKind::pattern) top = std::min(top, laid.caption_top);
  const double y = (above.y + 3 * f_ + top - 6 * f_) / 2;
  add_arrow(values, user.block.stage, {{start, line.middle()}, {out, line.middle()}, {out, y}, {above.x - 5 * f_, y}});
}

// Values go up and above the weights to where they are mixed, or down a gutter where that is another line. The pills
// come after all arrows, so that they stand clear of them.
void DiagramComposer::route_values() {
  LaidLine* mix = nullptr;
  LaidBlock* user = nullptr;
  for (LaidLine& line : lines_) {
    for (LaidBlock& laid : line.blocks) {
      if (laid.operand < 0 || !has_values_above(laid.block) || laid.is_ghost) continue;
      user = &laid;
      mix = &line;
    }
  }
  LaidLine& first = lines_.front();
  const Stage source = user ? user->block.above->stage : Stage::values;
  const LaidBlock* const values = find(source);
  if (user && values && values->matrix >= 0) {
    const bool has_frame = s_.is_projected && !s_.is_given;
    const PlacedMatrix& above = out_.matrices[static_cast<std::size_t>(user->operand)];
    const double end_of_values = std::max(values->right, values->x + span(first, *values) - 4 * f_);
    const double start = has_frame ? end_of_values + 12 * f_ : values->right + 4 * f_;
    const double x_out = end_of_values + (has_frame ? std::min(17.0, (right_ - end_of_values) / f_) : 12) * f_;
    const Box& card = hero().frame;
    if (mix == &first) {
      route_above_weights(first, source, *user, start, x_out);
    } else {
      const auto mix_index = static_cast<std::size_t>(mix - lines_.data());
      const LaidLine& gutter = lines_[mix_index - 1];
      double side = x0_;
      for (std::size_t i = 1; i < mix_index; ++i) {
        side = std::max(side, lines_[i].x_end + (c_.is_page ? 10 : 26) * f_);
        if (lines_[i].has_hero()) side = std::max(side, card.right() + 12 * f_);
      }
      side = std::min(side, right_ - 2 * f_);
      const bool is_three = wrap_ == DiagramWrap::three_lines;
      double down = above.box.x - 12 * f_;
      double end = above.box.x - 4 * f_;
      if (user == &mix->blocks.front()) {  // the channel is taken: from the right
        end = above.box.right() + 4 * f_;
        down = end + 10 * f_;
        for (const PlacedText& text : out_.texts)  // its caption may be wider than itself
          if (text.stage == source && text.box.x == above.box.x && text.box.bottom() <= above.box.y)
            down = std::max(down, text.box.right() + 6 * f_);
      }
      const double out_lane = lane(first, is_three ? 4.9 : 2.9);
      double low_lane = lane(gutter, 2.2);
      const bool is_below_card = out_.card && down > out_.card->x && out_.card->bottom() < above.box.y;
      if (is_below_card) low_lane = std::max(low_lane, out_.card->bottom() + 6 * f_);
      const double y = above.box.middle_y();
      add_arrow(source, user->block.stage,
                {{start, first.middle()},
                 {x_out, first.middle()},
                 {x_out, out_lane},
                 {side, out_lane},
                 {side, low_lane},
                 {down, low_lane},
                 {down, y},
                 {end, y}});
      const LaidBlock& next = mix->blocks.front();
      const double lane1 = lane(gutter, 0.8);
      const double x = is_three ? card.right() - 14 * f_ : card.middle_x();
      std::vector<Point> points = {{x, card.bottom() + 2 * f_}};
      if (is_three) {  // around the scores, which are between
        const double turn = lane(first, 5.9);
        const double far = side + 9 * f_;
        points.insert(points.end(), {{x, turn}, {far, turn}, {far, lane1}});
      } else {
        points.push_back({x, lane1});
      }
      const Point ends[] = {{channel(), lane1}, {channel(), mix->middle()}, {next.x - 4 * f_, mix->middle()}};
      points.insert(points.end(), std::begin(ends), std::end(ends));
      add_arrow(hero().block.stage, next.block.stage, std::move(points));
    }
  }
  if (softmax_arrow_ < 0) return;
  place_softmax_pill(pill_x_, pill_y_, riser_, pill_target_);
  if (!s_.words.empty()) place_absent_pill();
}

// On its own arrow, moved along it until it meets no other one.
void DiagramComposer::place_softmax_pill(double middle, double y, double from, double to) {
  const double width = width_of(s_.pill, label_, Face::bold) + 18 * f_;
  const double low = std::min(from, to) - width / 2 + 8 * f_;
  const double high = std::max(from, to) + width / 2 - 8 * f_;
  const auto at = [&](double x) { return Box{x - width / 2, y - 10 * f_, width, 20 * f_}; };
  double best = middle;
  out_.is_crowded = true;
  for (int step = 0; step < 80; ++step) {
    const double x = middle + 5.0 * ((step % 2) == 0 ? step / 2 : -(step + 1) / 2);
    if (x < low || x > high || at(x).x < left_ || at(x).right() > right_ || hits(at(x), softmax_arrow_)) continue;
    best = x;
    out_.is_crowded = false;
    break;
  }
  pill_x_ = best;
  out_.pills.push_back({at(best), s_.pill, hero().block.stage, label_, true, hero().block.stage});
}

// Puts a pill beside the softmax for each stage that the document does without, where there is room.
void DiagramComposer::place_absent_pill() {
  const LaidLine* compare = nullptr;
  for (const LaidLine& line : lines_)
    if (line.is_compare) compare = &line;
  if (!compare) return;
  const double gap = 6 * f_;
  double total = -gap;
  std::vector<double> widths;
  for (const std::string& words : s_.words) {
    widths.push_back(width_of(words, note_) + 16 * f_);
    total += widths.back() + gap;
  }
  const double half = 9 * f_;
  const double pill = out_.pills.back().box.width;
  const Point places[] = {{riser_ + 8 * f_, compare->middle()},
                          {pill_x_ - pill / 2 - 10 * f_ - total, pill_y_},
                          {pill_x_ + pill / 2 + 10 * f_, pill_y_},
                          {pill_x_ - total / 2, pill_y_ + 24 * f_},
                          {riser_ - total - 14 * f_, pill_y_ + 24 * f_},
                          {riser_ - total / 2, compare->end + 12 * f_},
                          {x0_, compare->end + 12 * f_}};
  for (const Point& place : places) {
    const Box box{place.x, place.y - half, total, 2 * half};
    const bool is_inside = box.x >= left_ && box.right() <= right_ && box.bottom() <= c_.box.bottom();
    if (!is_inside || hits(box)) continue;
    double x = place.x;
    for (std::size_t i = 0; i < s_.words.size(); ++i) {
      out_.pills.push_back(
          {{x, place.y - half, widths[i], 2 * half}, s_.words[i], s_.absent[i], note_, false, hero().block.stage});
      x += widths[i] + gap;
    }
    return;
  }
}

void DiagramComposer::route_compared() {
  frame_projections();
  const LaidBlock& second = *std::ranges::find_if(lines_[1].blocks, &LaidBlock::is_hero);
  const double bottom = c_.box.bottom() - 12 * f_;
  const double top = lines_[0].end + 26 * f_;
  const double right = second.x - pad_ - 84 * f_;
  if (right - left_ > 160 * f_) out_.card = around(left_, top, right, std::min(bottom, top + 250 * f_));
  const LaidBlock* const values = find(s_.is_projected ? Stage::values : Stage::inputs);
  if (!values) return;
  const LaidLine& line = lines_[0];
  const double end = std::max(values->right, values->x + span(line, *values) - 4 * f_);
  for (const LaidBlock& laid : line.blocks) {
    if (laid.operand >= 0 && has_values_above(laid.block) && !laid.is_ghost)
      route_above_weights(line, values->block.stage, laid, end + 12 * f_, end + 17 * f_);
  }
}

// A heading's words stand where nothing passes, or are left out; its title never is.
void DiagramComposer::place_headings() {
  if (!c_.has_headings) return;
  const auto box_at = [&](double x, double y, const std::string& text, double size, Face face, double air) {
    const Box box = box_of(picture::Word{.text = text, .x = x, .y = y, .size = size, .face = face}, measure_);
    return around(box.x - 4, box.y - air, box.right() + 12, box.bottom() + air);
  };
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    LaidLine& line = lines_[i];
    for (std::size_t k = 0; k < line.bands.size(); ++k) {
      const LaidLine::Band& band = line.bands[k];
      double x = band.block == 0 ? left_ : line.blocks[band.block].x;
      const double y = line.top + (i == 0 ? 18 : 14) * f_;
      double size = title_text_ + f_;
      while (size > note_ && hits(box_at(x, y, band.title, size, Face::bold, 2))) size -= 0.5;
      PlacedText& title = add_text(x, y, band.title, size, Face::bold);
      const bool is_faint = title.is_faint = c_.focus && !line.is_focused;
      const Stage result = line.blocks[band.block].result();
      title.kind = PlacedText::Kind::heading;
      title.result = result;
      x = title.box.right() + 16 * f_;
      const bool has_next = band.block == 0 && k + 1 < line.bands.size();
      const double limit = (has_next ? line.blocks[line.bands[k + 1].block].x : right_) - 10 * f_;
      const double air = i == 0 ? 2 : 9 * f_;
      const double furthest = x + 70 * f_;
      while (x < furthest && hits(box_at(x, y, band.words, note_, Face::text, air))) x += 6 * f_;
      const Box words = box_at(x, y, band.words, note_, Face::text, air);
      if (words.right() - 12 >= limit || hits(words)) continue;
      PlacedText& about = add_text(x, y, band.words, note_, Face::text, TextInk::quiet);
      about.kind = PlacedText::Kind::heading;
      about.is_faint = is_faint;
      about.result = result;
    }
  }
}

}  // namespace attnscope::scene
