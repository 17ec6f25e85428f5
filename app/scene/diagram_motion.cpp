#include <algorithm>

#include "scene/diagram_layout.h"

namespace attnscope::scene {
namespace {

double mixed(double from, double to, double share) { return from + share * (to - from); }

Box mixed(const Box& from, const Box& to, double share) {
  return {mixed(from.x, to.x, share), mixed(from.y, to.y, share), mixed(from.width, to.width, share),
          mixed(from.height, to.height, share)};
}

bool are_same(const PlacedMatrix& a, const PlacedMatrix& b) {
  return a.stage == b.stage && a.result == b.result && a.role == b.role && a.is_second == b.is_second;
}

bool are_same(const PlacedText& a, const PlacedText& b) {
  return a.text == b.text && a.kind == b.kind && a.index == b.index && a.stage == b.stage && a.result == b.result;
}

}  // namespace

DiagramLayout between(const DiagramLayout& from, const DiagramLayout& to, double share) {
  DiagramLayout now = to;
  now.arrows.clear();
  now.pills.clear();
  for (PlacedMatrix& matrix : now.matrices) {
    const auto before =
        std::ranges::find_if(from.matrices, [&](const PlacedMatrix& each) { return are_same(each, matrix); });
    if (before == from.matrices.end() || before->parts.size() != matrix.parts.size()) continue;
    matrix.box = mixed(before->box, matrix.box, share);
    for (std::size_t i = 0; i < matrix.parts.size(); ++i) {
      matrix.parts[i].x = mixed(before->parts[i].x, matrix.parts[i].x, share);
      matrix.parts[i].width = mixed(before->parts[i].width, matrix.parts[i].width, share);
    }
    if (before->text == 0 || matrix.text == 0) continue;
    matrix.text = std::min(before->text, matrix.text);
  }
  for (PlacedText& text : now.texts) {
    const auto before = std::ranges::find_if(from.texts, [&](const PlacedText& each) { return are_same(each, text); });
    if (before == from.texts.end()) continue;
    text.x = mixed(before->x, text.x, share);
    text.y = mixed(before->y, text.y, share);
  }
  for (PlacedFrame& frame : now.frames) {
    const auto before = std::ranges::find(from.frames, frame.is_hero, &PlacedFrame::is_hero);
    if (before != from.frames.end()) frame.box = mixed(before->box, frame.box, share);
  }
  for (PlacedSums& sums : now.sums) {
    const auto before = std::ranges::find(from.sums, sums.stage, &PlacedSums::stage);
    if (before == from.sums.end()) continue;
    sums.x = mixed(before->x, sums.x, share);
    sums.y = mixed(before->y, sums.y, share);
    sums.row = mixed(before->row, sums.row, share);
  }
  return now;
}

}  // namespace attnscope::scene
