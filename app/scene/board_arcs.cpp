#include <algorithm>
#include <cmath>
#include <numbers>

#include "scene/board_items.h"

namespace attnscope::scene {
namespace {

constexpr double arc_room = 3.2;       // above the tokens, in cells
constexpr double token_gap = 0.3;      // between tokens, in cells
constexpr double least_weight = 0.03;  // of an arc that is drawn
constexpr double thickest = 7;

struct PlacedToken {
  double x = 0;
  double width = 0;
  std::size_t line = 0;
};

std::vector<PlacedToken> place_tokens(const BoardArcs& arcs, const BoardPen& pen, double width) {
  std::vector<PlacedToken> placed;
  double x = 0;
  std::size_t line = 0;
  for (const std::string& token : arcs.tokens) {
    const double needed = pen.width(BoardFont::heading, token) + token_gap * pen.cell;
    if (x > 0 && x + needed > width) {
      x = 0;
      ++line;
    }
    placed.push_back({x, needed, line});
    x += needed + token_gap * pen.cell;
  }
  return placed;
}

double token_height(const BoardPen& pen) { return pen.line_of(BoardFont::heading) + 6; }

// Below each token a strip of each head's share.
double strips_height(const BoardArcs& arcs) {
  return static_cast<double>(std::min<std::size_t>(arcs.heads.size(), 16)) * 5 + 4;
}

double line_height_of(const BoardArcs& arcs, const BoardPen& pen) {
  return arc_room * pen.cell + token_height(pen) + strips_height(arcs);
}

void put_arc(BoardPen& pen, picture::Point from, picture::Point to, double height, Rgb colour, double thickness) {
  constexpr int pieces = 28;
  std::vector<picture::Point> points;
  for (int i = 0; i <= pieces; ++i) {
    const double angle = std::numbers::pi * i / pieces;
    const double share = (1 - std::cos(angle)) / 2;
    points.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y) - height * std::sin(angle)});
  }
  pen.stroke(std::move(points), colour, thickness);
}

double mean_weight(const BoardArcs& arcs, std::size_t token) {
  double sum = 0;
  for (const BoardArcs::Head& head : arcs.heads) sum += static_cast<double>(head.weights[token]);
  return arcs.heads.empty() ? 0 : sum / static_cast<double>(arcs.heads.size());
}

}  // namespace

BoardSize size_of(const BoardArcs& arcs, const BoardPen& pen, double width) {
  const std::vector<PlacedToken> placed = place_tokens(arcs, pen, width);
  double right = 0;
  for (const PlacedToken& token : placed) right = std::max(right, token.x + token.width);
  const auto lines = static_cast<double>(placed.empty() ? 1 : placed.back().line + 1);
  return {right, lines * line_height_of(arcs, pen)};
}

void put(const BoardArcs& arcs, BoardPen& pen, const Box& box) {
  const double whole = size_of(arcs, pen, 1e9).width;
  const std::vector<PlacedToken> placed = place_tokens(arcs, pen, std::min(whole, std::max(box.width, 1.0)) + 1);
  const double room = arc_room * pen.cell;
  const auto top_of = [&](std::size_t token) {
    return box.y + static_cast<double>(placed[token].line) * line_height_of(arcs, pen) + room;
  };
  const auto anchor = [&](std::size_t token) {
    return picture::Point{box.x + placed[token].x + placed[token].width / 2, top_of(token)};
  };
  const auto query = static_cast<std::size_t>(arcs.query);
  for (std::size_t token = 0; token < placed.size(); ++token) {
    const Box at{box.x + placed[token].x, top_of(token), placed[token].width, token_height(pen)};
    const Rgb ground = mix(pen.canvas.paper, pen.theme.inks.accent, 0.75 * std::min(1.0, mean_weight(arcs, token)));
    pen.fill(at, ground);
    pen.word(arcs.tokens[token], BoardFont::heading, ink_on(ground), at.x + at.width / 2, at.y + 3, centred);
    pen.frame(at, token == query ? pen.theme.inks.cross_hair : pen.line, token == query ? 2 : 1);
    double y = at.bottom() + 4;
    for (std::size_t head = 0; head < std::min<std::size_t>(arcs.heads.size(), 16); ++head) {
      const double share = std::min(1.0, static_cast<double>(arcs.heads[head].weights[token]));
      pen.fill({at.x, y, share * at.width, 4}, pen.tint(arcs.heads[head].tint));
      y += 5;
    }
    if (token < arcs.sources.size()) pen.layout.spots.push_back({at, arcs.sources[token], arcs.tokens[token]});
  }
  const double heads = static_cast<double>(arcs.heads.size());
  for (std::size_t head = 0; head < arcs.heads.size(); ++head) {
    const double shift = (static_cast<double>(head) - (heads - 1) / 2) * 3;
    for (std::size_t token = 0; token < placed.size(); ++token) {
      const auto weight = static_cast<double>(arcs.heads[head].weights[token]);
      if (weight < least_weight) continue;
      const picture::Point from = anchor(query);
      const picture::Point to = anchor(token);
      const double distance = std::abs(to.x - from.x);
      const double height =
          std::min(0.95 * room, 0.25 * room + 0.3 * distance) * (0.75 + 0.25 * (static_cast<double>(head) + 1) / heads);
      const bool is_self = token == query;
      const double loop = is_self ? 9 : 0;
      put_arc(pen, {from.x + shift + loop, from.y}, {to.x + shift - loop, to.y}, is_self ? 0.35 * room : height,
              pen.tint(arcs.heads[head].tint), std::max(0.8, thickest * std::min(1.0, weight)));
    }
  }
}

}  // namespace attnscope::scene
