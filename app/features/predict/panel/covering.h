#pragma once

#include <string>
#include <vector>

#include "features/stages/panel/stage_view.h"
#include "ui/view_context.h"
#include "view/number_words.h"

// Numbers that a learner has covered to predict them: no text and no picture tells them.
namespace attnscope {

bool is_covered(const ViewContext& context, const Source& source);
bool is_covered(const ViewContext& context, const StageView& view, Index row, Index col);  // row and column as shown
std::vector<Index> covered_rows(const ViewContext& context, const StageView& view);        // rows of the stage
bool covers_any(const ViewContext& context, Stage stage);

// Draws a quiet pattern over the covered cells of a heatmap.
void draw_cover(const ViewContext& context, const StageView& view, const CellGrid& grid);

// Returns the lines without covered numbers, and without the lines opened below them.
std::vector<DerivationLine> without_covered(const ViewContext& context, std::vector<DerivationLine> lines);

// Draws the question about covered numbers and the score so far, above the inspector.
void draw_prediction(const ViewContext& context, CallQueue& queue);

// For the table of actions. They act on the stage of the pinned number, the one that is shown large, or the weights.
void toggle_cover(const ViewContext& context, CallQueue& queue);
void cover_row(const ViewContext& context, CallQueue& queue);
bool is_predicting(const ViewContext& context);
std::string obstacle_to_cover(const ViewContext& context);
std::string obstacle_to_cover_row(const ViewContext& context);
std::string label_of_cover(const ViewContext& context);
std::string label_of_cover_row(const ViewContext& context);

}  // namespace attnscope
