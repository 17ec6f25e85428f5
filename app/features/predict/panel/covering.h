#pragma once

#include <string>
#include <vector>

#include "features/stages/panel/cell_grid.h"
#include "words/derivation.h"

// The numbers that a learner has covered, to predict them: nothing that is written or drawn says what it is.
namespace attnscope {

bool is_covered(const ViewContext& context, const Source& source);
bool is_covered(const ViewContext& context, const StageView& view, Index row, Index col);  // as shown
std::vector<Index> covered_rows(const ViewContext& context, const StageView& view);        // of the stage
bool covers_any(const ViewContext& context, Stage stage);

// Over the heatmap's picture: a quiet pattern where it is covered.
void draw_cover(const ViewContext& context, const StageView& view, const CellGrid& grid);

// The lines without the numbers that are covered, and without what was opened below them.
std::vector<DerivationLine> without_covered(const ViewContext& context, std::vector<DerivationLine> lines);

}  // namespace attnscope
