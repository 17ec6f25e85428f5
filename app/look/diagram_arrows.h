#pragma once

#include <vector>

#include "look/diagram_layout.h"

namespace attnscope {

// The arrows of a diagram: from each stage to what follows from it, with the operator between them.

struct DiagramPoint {
  float x = 0;
  float y = 0;
};

struct DiagramArrow {
  Stage result = Stage::inputs;      // that it leads to, or to an operand of
  std::vector<DiagramPoint> points;  // corners are to be rounded; the head is at the last one
  DiagramOperator words = {};        // the sign stands above `words_y`, the note below, where there is room for them
  float words_left = 0;
  float words_right = 0;
  float words_y = 0;
};

// Sizes in gaps of the layout's text.
constexpr float arrow_head_length = 7.0F / 6;
constexpr float arrow_head_width = 4.0F / 6;  // on each side
constexpr float arrow_corner = 8.0F / 6;
constexpr float words_gap = 0.5F;  // between an arrow and its words

// `head` is the one that is looked at: what a band hands down leaves below its columns.
std::vector<DiagramArrow> diagram_arrows(const AttentionConfig& config, const DiagramLayout& layout,
                                         const DiagramText& text, Index head);

}  // namespace attnscope
