#pragma once

#include <optional>

#include "core/source.h"

namespace attnscope {

// The cell that an arrow key leads to in the diagram: the next one of the matrix, and from its last one into the matrix
// that stands there, in the same row or column. Steps are of what is shown, where some matrices are turned. `head` is
// the one that is looked at. Nothing where there is no place to go, or the stage has none in the diagram.
std::optional<Source> step_in_diagram(const AttentionConfig& config, const Source& from, Index head, int rows,
                                      int cols);

}  // namespace attnscope
