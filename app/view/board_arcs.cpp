#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/text.h"
#include "view/board_items.h"

namespace attnscope::scene {
namespace {

constexpr double arc_room = 4.5;     // room above the tokens, in cells
constexpr double token_pad = 14;     // space on both sides of a token's text, together
constexpr double least_token = 26;   // width of the narrowest token
constexpr double least_gap = 8;      // space between two tokens
constexpr double least_share = 0.1;  // smaller weights, in shares of the query's largest, have no arc
constexpr double thickest = 9;       // thickness of the arc of the largest weight of all queries
constexpr double thinnest = 1.6;     // least thickness of the shown query's arcs; others may be half as thick
constexpr double strip_height = 5;   // height of the strip of each head below a token
constexpr double fan = 0.4;          // arcs end so near the middle of a token, in its widths
constexpr double least_rise = 0.25;  // height of the shortest arc, in shares of the room above; the longest takes all
constexpr double steepest = 0.8;     // limits an arc's height, in its lengths
constexpr double loop_width = 0.3;   // width of an arc from a token to itself, in widths of the token
constexpr double faint_arc = 0.35;   // opacity of arcs from other queries
constexpr std::size_t most_strips = 12;

// Tokens share the width of the page; their letters are so large that the longest token fits.
struct TokenRow {
  Box whole;
  double slot = 0;   // width of a token and the gap beside it
  double width = 0;  // width of a token's box
  BoardFont font = BoardFont::heading;

  Box at(std::size_t token) const {
    return {whole.x + (static_cast<double>(token) + 0.5) * slot - width / 2, whole.y, width, whole.height};
  }
};

TokenRow row_of(const BoardArcs& arcs, const BoardPen& pen, const Box& whole) {
  TokenRow row;
  row.whole = whole;
  row.slot = whole.width / static_cast<double>(std::max<std::size_t>(1, arcs.tokens.size()));
  const auto needed = [&] { return pen.widest(row.font, arcs.tokens) + token_pad; };
  for (const BoardFont smaller : {BoardFont::text, BoardFont::small})
    if (needed() > row.slot - least_gap) row.font = smaller;
  row.width = std::min(row.slot - least_gap, std::max(needed(), 0.6 * row.slot));
  return row;
}

std::size_t strip_count(const BoardArcs& arcs) { return std::min(arcs.heads.size(), most_strips); }

// Puts below each token its weight in each head: as a number if heads are few, else as a strip.
double weight_line(const BoardArcs& arcs, const BoardPen& pen) {
  return strip_count(arcs) <= 4 ? pen.line_of(BoardFont::text) : strip_height;
}

float weight_of(const BoardArcs& arcs, const BoardArcs::Head& head, std::size_t query, std::size_t token) {
  return head.weights[arcs.shows_all ? query * arcs.tokens.size() + token : token];
}

struct Arc {
  std::size_t from = 0;
  std::size_t head = 0;
  double weight = 0;
  double begin = 0, end = 0;
};

// Returns where an arc ends above a token. Arcs to near tokens end outside of arcs to far ones, so that none crosses
// another.
double end_at(const BoardArcs& arcs, const TokenRow& row, std::size_t token, std::size_t other, std::size_t head) {
  const auto heads = static_cast<double>(arcs.heads.size());
  const double distance =
      (static_cast<double>(other) - static_cast<double>(token)) / static_cast<double>(arcs.tokens.size());
  const double lean = distance == 0 ? 0 : distance < 0 ? -1 - distance : 1 - distance;
  const double shift = (static_cast<double>(head) - (heads - 1) / 2) / std::max(heads, 2.0) * 0.3;
  return row.at(token).middle_x() + row.width * fan * (lean + shift);
}

// Returns the arcs of all weights that can be seen; those of the query come last, on top of others.
std::vector<Arc> arcs_to_draw(const BoardArcs& arcs, const TokenRow& row) {
  std::vector<Arc> all;
  const auto weight = [&](std::size_t from, std::size_t head, std::size_t token) {
    return static_cast<double>(weight_of(arcs, arcs.heads[head], from, token));
  };
  const auto add_from = [&](std::size_t from) {
    double largest = 0;
    for (std::size_t head = 0; head < arcs.heads.size(); ++head)
      for (std::size_t token = 0; token < arcs.tokens.size(); ++token)
        largest = std::max(largest, weight(from, head, token));
    for (std::size_t head = 0; head < arcs.heads.size(); ++head) {
      for (std::size_t token = 0; token < arcs.tokens.size(); ++token) {
        const double share = weight(from, head, token);
        if (share < least_share * largest || share == 0) continue;
        const double loop = token == from ? loop_width / 2 * row.width : 0;
        all.push_back({from, head, share, end_at(arcs, row, from, token, head) + loop,
                       end_at(arcs, row, token, from, head) - loop});
      }
    }
  };
  const auto query = static_cast<std::size_t>(arcs.query);
  for (std::size_t from = 0; arcs.shows_all && from < arcs.tokens.size(); ++from)
    if (from != query) add_from(from);
  add_from(query);
  return all;
}

void put_arcs(const BoardArcs& arcs, const BoardPen& pen, const TokenRow& row, double room) {
  double largest = 0;  // largest weight
  for (const BoardArcs::Head& head : arcs.heads)
    for (const float weight : head.weights) largest = std::max(largest, static_cast<double>(weight));
  const std::vector<Arc> all = arcs_to_draw(arcs, row);
  double longest = 1;
  for (const Arc& arc : all) longest = std::max(longest, std::abs(arc.begin - arc.end));
  for (const Arc& arc : all) {
    const bool stands_out = static_cast<Index>(arc.from) == arcs.query;
    const double thickness =
        std::max(stands_out ? thinnest : thinnest / 2, thickest * pen.growth() * arc.weight / largest);
    const double length = std::abs(arc.begin - arc.end);
    const double rise = (room - thickness) * (least_rise + (1 - least_rise) * length / longest);
    const double nested = 1 - 0.08 * static_cast<double>(arc.head) / static_cast<double>(arcs.heads.size());
    const double height = nested * std::min(rise, std::max(steepest * length, least_rise * room));
    constexpr int pieces = 36;
    std::vector<picture::Point> points;
    for (int i = 0; i <= pieces; ++i) {
      const double angle = std::numbers::pi * i / pieces;
      const double share = (1 - std::cos(angle)) / 2;
      points.push_back({arc.begin + share * (arc.end - arc.begin), row.whole.y - height * std::sin(angle)});
    }
    const Rgb tint = pen.tint(arcs.heads[arc.head].tint);
    pen.stroke(std::move(points), mix(pen.canvas.paper, tint, stands_out ? 1 : faint_arc), thickness);
  }
}

void put_weights(const BoardArcs& arcs, BoardPen& pen, const Box& token_box, std::size_t token) {
  double y = token_box.bottom() + 4;
  const double line = weight_line(arcs, pen);
  if (arcs.hidden.contains(static_cast<Index>(token))) {
    const double height = line * static_cast<double>(strip_count(arcs));
    pen.picture.add(picture::Hatch{{token_box.x, y, token_box.width, height}});
    return;
  }
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

// Names the heads' colours; by their numbers alone if there is no room for more.
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
  const double room = arc_room * pen.cell;
  const double top = box.y + pen.line_of(BoardFont::text) + room;  // top of the tokens
  const double height = pen.line_of(BoardFont::heading) + 8;       // height of a token
  const double weights = 4 + static_cast<double>(strip_count(arcs)) * weight_line(arcs, pen);
  const BoardSize size{static_cast<double>(arcs.tokens.size()) * (least_token + least_gap),
                       top + height + weights - box.y, 0, 1e6};
  if (pen.is_measuring) return size;
  const TokenRow row = row_of(arcs, pen, {box.x, top, box.width, height});
  put_heads(arcs, pen, box);
  put_arcs(arcs, pen, row, room);
  for (std::size_t token = 0; token < arcs.tokens.size(); ++token) {
    const Box at = row.at(token);
    const bool is_query = static_cast<Index>(token) == arcs.query;
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
