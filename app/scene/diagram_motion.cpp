#include <algorithm>

#include "scene/diagram_layout.h"

namespace attnscope::scene {
namespace {

bool are_same(const PlacedMatrix& a, const PlacedMatrix& b) {
  return a.stage == b.stage && a.result == b.result && a.role == b.role && a.is_second == b.is_second;
}
bool are_same(const PlacedText& a, const PlacedText& b) {
  return a.text == b.text && a.kind == b.kind && a.index == b.index && a.stage == b.stage && a.result == b.result;
}
bool are_same(const PlacedFrame& a, const PlacedFrame& b) { return a.is_hero == b.is_hero; }
bool are_same(const PlacedSums& a, const PlacedSums& b) { return a.stage == b.stage; }

// Moves what both layouts have, each from where it was before.
template <typename Placed, typename Move>
void move_all(const std::vector<Placed>& from, std::vector<Placed>& to, const Move& move) {
  for (Placed& now : to) {
    const auto before = std::ranges::find_if(from, [&](const Placed& each) { return are_same(each, now); });
    if (before != from.end()) move(*before, now);
  }
}

}  // namespace

DiagramLayout between(const DiagramLayout& from, const DiagramLayout& to, double share) {
  DiagramLayout now = to;
  now.arrows.clear();
  now.pills.clear();
  const auto move = [share](double before, double& after) { after = before + share * (after - before); };
  const auto move_box = [&](const Box& before, Box& after) {
    for (double Box::*const side : {&Box::x, &Box::y, &Box::width, &Box::height}) move(before.*side, after.*side);
  };
  move_all(from.matrices, now.matrices, [&](const PlacedMatrix& before, PlacedMatrix& matrix) {
    if (before.parts.size() != matrix.parts.size()) return;
    move_box(before.box, matrix.box);
    for (std::size_t i = 0; i < matrix.parts.size(); ++i) {
      move(before.parts[i].x, matrix.parts[i].x);
      move(before.parts[i].width, matrix.parts[i].width);
    }
    if (before.text > 0) matrix.text = std::min(before.text, matrix.text);
  });
  move_all(from.texts, now.texts, [&](const PlacedText& before, PlacedText& text) {
    move(before.x, text.x);
    move(before.y, text.y);
  });
  move_all(from.frames, now.frames,
           [&](const PlacedFrame& before, PlacedFrame& frame) { move_box(before.box, frame.box); });
  move_all(from.sums, now.sums, [&](const PlacedSums& before, PlacedSums& sums) {
    for (double PlacedSums::*const place : {&PlacedSums::x, &PlacedSums::y, &PlacedSums::row})
      move(before.*place, sums.*place);
  });
  return now;
}

}  // namespace attnscope::scene
