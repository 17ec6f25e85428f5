#pragma once

#include <string>
#include <vector>

#include "view/diagram.h"

namespace attnscope::test {

// Widths of letters that are about those of the program's font: digits alike, bold a little wider.
double letter_width(std::string_view text, double size, scene::Face face);

// The canvas that a window of this size leaves beside the setup, which is a rail where the window is narrow.
scene::DiagramCanvas window_canvas(double width, double height);

// A column of a paper, 89 mm at 6 points, a figure of 160 mm, and a slide.
std::vector<scene::DiagramCanvas> page_canvases();

// What a rule says of a document beside its shape.
struct RuledDocument {
  scene::DiagramShape shape;
};

// The rules of the diagram that a layout breaks, a sentence each.
std::vector<std::string> broken_rules(const RuledDocument& document, const scene::DiagramCanvas& canvas,
                                      const scene::DiagramLayout& layout);

// What a layout on a larger canvas breaks against one on a smaller canvas.
std::vector<std::string> broken_by_growing(const scene::DiagramLayout& smaller, const scene::DiagramLayout& larger);

}  // namespace attnscope::test
