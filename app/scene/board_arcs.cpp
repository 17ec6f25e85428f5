#include <algorithm>
#include <cmath>
#include <numbers>

#include "look/number_text.h"
#include "scene/board_items.h"

namespace attnscope::scene {
namespace {

constexpr double arc_room = 4.5;     // above the tokens, in cells
constexpr double token_pad = 14;     // beside a token's text, together
constexpr double least_token = 26;   // width
constexpr double least_gap = 8;      // between two tokens
constexpr double least_share = 0.1;  // of the largest weight, where an arc is drawn
constexpr double thickest = 9;       // arc, of the largest weight
constexpr double strip_height = 5;   // below a token, for each head
constexpr double fan = 0.4;          // of a token's width, to either side of its middle: there arcs end
constexpr double least_rise = 0.25;  // of the room above, of the shortest arc; the longest one takes all of it
constexpr double steepest = 0.8;     // from an arc's length to its height
constexpr double loop_width = 0.3;   // of a token's width: the arc to itself
constexpr double faint = 0.35;       // of its colour, of an arc from another query
constexpr std::size_t most_strips = 12;

// Tokens share the width of the page, in letters that the longest of them has room for.
struct TokenRow {
  double slot = 0;
  double box = 0;
  BoardFont font = BoardFont::heading;
};

TokenRow row_of(const BoardArcs& arcs, const BoardPen& pen, double width) {
  TokenRow row;
  row.slot = width / static_cast<double>(std::max<std::size_t>(1, arcs.tokens.size()));
  const auto needed = [&] { return pen.widest(row.font, arcs.tokens) + token_pad; };
  for (const BoardFont smaller : {BoardFont::text, BoardFont::small})
    if (needed() > row.slot - least_gap) row.font = smaller;
  row.box = std::min(row.slot - least_gap, std::max(needed(), 0.6 * row.slot));
  return row;
}

double token_height(const BoardPen& pen) { return pen.line_of(BoardFont::heading) + 8; }

std::size_t strip_count(const BoardArcs& arcs) { return std::min(arcs.heads.size(), most_strips); }

// Below each token its weight in each head: a number where heads are few, else a strip.
double weight_line(const BoardArcs& arcs, const BoardPen& pen) {
  return strip_count(arcs) <= 4 ? pen.line_of(BoardFont::text) : strip_height;
}
double weights_height(const BoardArcs& arcs, const BoardPen& pen) {
  return 4 + static_cast<double>(strip_count(arcs)) * weight_line(arcs, pen);
}

float weight_of(const BoardArcs& arcs, const BoardArcs::Head& head, std::size_t query, std::size_t token) {
  return head.weights[arcs.shows_all ? query * arcs.tokens.size() + token : token];
}

double largest_weight(const BoardArcs& arcs) {
  double largest = 0;
  for (const BoardArcs::Head& head : arcs.heads)
    for (const float weight : head.weights) largest = std::max(largest, static_cast<double>(weight));
  return largest;
}

void put_arc(BoardPen& pen, picture::Point from, picture::Point to, double height, Rgb colour, double thickness) {
  constexpr int pieces = 36;
  std::vector<picture::Point> points;
  for (int i = 0; i <= pieces; ++i) {
    const double angle = std::numbers::pi * i / pieces;
    const double share = (1 - std::cos(angle)) / 2;
    points.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y) - height * std::sin(angle)});
  }
  pen.stroke(std::move(points), colour, thickness);
}

void put_weights(const BoardArcs& arcs, BoardPen& pen, const Box& token_box, std::size_t token) {
  double y = token_box.bottom() + 4;
  const double line = weight_line(arcs, pen);
  for (std::size_t head = 0; head < strip_count(arcs); ++head) {
    const float weight = weight_of(arcs, arcs.heads[head], static_cast<std::size_t>(arcs.query), token);
    const Rgb tint = pen.tint(arcs.heads[head].tint);
    if (line > strip_height) {
      pen.word(format_fixed(static_cast<double>(weight), 2), BoardFont::text, tint, token_box.middle_x(), y, centred);
    } else {
      pen.fill({token_box.x, y, std::min(1.0F, weight) * token_box.width, strip_height - 1}, tint);
    }
    y += line;
  }
}

// Names the heads' colours; by their numbers alone where there is no room for more.
void put_heads(const BoardArcs& arcs, const BoardPen& pen, const Box& box) {
  std::vector<BoardKey> keys;
  for (const BoardArcs::Head& head : arcs.heads) keys.push_back({head.name, pen.tint(head.tint)});
  const double each = widest_key(pen, keys) + key_gap;
  for (std::size_t head = 0; head < keys.size() && each * static_cast<double>(keys.size()) > box.width; ++head)
    keys[head].name = std::to_string(arcs.heads[head].tint + 1);
  put_keys(pen, keys, box.x, box.y, box.width);
}

}  // namespace

BoardSize set_item(const BoardArcs& arcs, BoardPen& pen, const Box& box) {
  const std::size_t count = arcs.tokens.size();
  const double room = arc_room * pen.cell;
  const double top = box.y + pen.line_of(BoardFont::text) + room;  // of the tokens
  const BoardSize size{static_cast<double>(count) * (least_token + least_gap),
                       top + token_height(pen) + weights_height(arcs, pen) - box.y, 0, 1e6};
  if (pen.is_measuring) return size;
  const TokenRow row = row_of(arcs, pen, box.width);
  const double heads = static_cast<double>(arcs.heads.size());
  const auto query = static_cast<std::size_t>(arcs.query);
  put_heads(arcs, pen, box);
  const auto box_of_token = [&](std::size_t token) {
    const double slot = box.x + static_cast<double>(token) * row.slot;
    return Box{slot + (row.slot - row.box) / 2, top, row.box, token_height(pen)};
  };
  const auto end_at = [&](std::size_t token, std::size_t other, double head) {
    // Arcs to near tokens end outside of those to far ones, so that none crosses another.
    const double distance = (static_cast<double>(other) - static_cast<double>(token)) / static_cast<double>(count);
    const double lean = distance == 0 ? 0 : distance < 0 ? -1 - distance : 1 - distance;
    const double shift = (head - (heads - 1) / 2) / std::max(heads, 2.0) * 0.3;
    return picture::Point{box_of_token(token).middle_x() + row.box * fan * (lean + shift), top};
  };
  const double largest = largest_weight(arcs);
  double longest = 1;  // distance that an arc spans
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t token = 0; token < count; ++token) {
      const bool is_drawn = std::ranges::any_of(arcs.heads, [&](const BoardArcs::Head& head) {
        return static_cast<double>(weight_of(arcs, head, from, token)) >= least_share * largest;
      });
      if ((arcs.shows_all || from == query) && is_drawn)
        longest = std::max(longest, std::abs(end_at(from, token, 0).x - end_at(token, from, 0).x));
    }
  }
  const auto put_arcs_from = [&](std::size_t from, double strength) {
    for (std::size_t head = 0; head < arcs.heads.size(); ++head) {
      const auto at_head = static_cast<double>(head);
      for (std::size_t token = 0; token < count; ++token) {
        const auto weight = static_cast<double>(weight_of(arcs, arcs.heads[head], from, token));
        if (weight < least_share * largest || weight == 0) continue;
        const double thickness = std::max(0.8, thickest * pen.growth() * weight / largest);
        picture::Point begin = end_at(from, token, at_head);
        picture::Point end = end_at(token, from, at_head);
        if (token == from) {
          begin.x += loop_width / 2 * row.box;
          end.x -= loop_width / 2 * row.box;
        }
        const double reach = std::abs(begin.x - end.x) / longest;
        const double rise = (room - thickness) * (least_rise + (1 - least_rise) * reach);
        const double height = std::min(rise, std::max(steepest * std::abs(begin.x - end.x), least_rise * room));
        put_arc(pen, begin, end, height * (1 - 0.08 * at_head / heads),
                mix(pen.canvas.paper, pen.tint(arcs.heads[head].tint), strength), thickness);
      }
    }
  };
  for (std::size_t from = 0; arcs.shows_all && from < count; ++from) {
    if (from != query) put_arcs_from(from, faint);
  }
  put_arcs_from(query, 1);
  for (std::size_t token = 0; token < count; ++token) {
    const Box at = box_of_token(token);
    const bool is_query = token == query;
    const Rgb ground = is_query ? pen.theme.inks.accent : pen.canvas.paper;
    pen.fill(at, ground);
    pen.word(arcs.tokens[token], row.font, is_query ? ink_on(ground) : pen.theme.inks.text, at.middle_x(),
             at.middle_y() - pen.line_of(row.font) / 2, centred, at.width - 4);
    pen.frame(at, is_query ? pen.theme.inks.accent : pen.line);
    put_weights(arcs, pen, at, token);
    if (token < arcs.sources.size()) pen.layout.spots.push_back({at, arcs.sources[token], arcs.tokens[token]});
  }
  return size;
}

}  // namespace attnscope::scene
