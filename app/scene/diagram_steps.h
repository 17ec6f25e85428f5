#pragma once

#include <optional>

#include "core/source.h"
#include "scene/diagram_layout.h"

namespace attnscope::scene {

// Returns the cell that an arrow key leads to in the diagram: the next one of the matrix, and from its last one into
// the nearest matrix in that direction, in the same row or column. Steps are of what is shown, where some matrices are
// turned. Nothing where there is no place to go, or the stage has none in the diagram.
std::optional<Source> step_in_diagram(const DiagramLayout& layout, const AttentionConfig& config, const Source& from,
                                      int rows, int columns);

}  // namespace attnscope::scene
