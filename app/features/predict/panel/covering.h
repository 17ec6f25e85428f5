#pragma once

#include <string>
#include <vector>

#include "features/stages/panel/cell_grid.h"
#include "ui/view_context.h"
#include "view/number_words.h"

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

// Above the inspector, while something is covered: what is asked about it, and how it went so far.
void draw_prediction(const ViewContext& context, CallQueue& queue);

// For the table of actions: the stage of the pinned number, the one that is shown large, or the weights.
void toggle_cover(const ViewContext& context, CallQueue& queue);
void cover_row(const ViewContext& context, CallQueue& queue);
bool is_predicting(const ViewContext& context);
std::string obstacle_to_cover(const ViewContext& context);
std::string obstacle_to_cover_row(const ViewContext& context);
std::string label_of_cover(const ViewContext& context);
std::string label_of_cover_row(const ViewContext& context);

}  // namespace attnscope
