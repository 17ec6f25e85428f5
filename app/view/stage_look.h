#pragma once

#include <string>
#include <string_view>

#include "core/stages/rule.h"
#include "view/colours.h"

namespace attnscope {

// How stages look, the same in views and figures.

bool sums_to_one(Stage stage);  // stages of weights, whose rows should sum to 1

bool is_off_one(float row_sum);  // of such a row

// Names of the rows and columns: "query" and "key", "token" and "dim", of weights "in" and "out"; empty where a bias
// has one row.
struct AxisTitles {
  std::string_view rows;
  std::string_view columns;
};
AxisTitles axis_titles(const AttentionConfig& config, Stage stage);

// How a stage follows from the ones before it in this configuration: the lines of its row, but for what a mechanism
// leaves out (no weights, no scaling, a sum instead of softmax).
StageWording wording(const AttentionConfig& config, Stage stage);
StageWording wording(const Result& result, Stage stage);  // says so where the stage was only read

// The shapes of a matrix product as it multiplies, with weights as they are stored: "(6, 3) · (4, 3)ᵀ + (4) = (6, 4)".
// Empty where the stage is none.
std::string product_shapes(const AttentionConfig& config, Stage stage);

bool has_place(Stage stage);  // of its own in the diagram; the others stand where they are used

// The results that are computed after `last`: in a picture that shows one stage after the other, what is not there yet.
StageSet places_after(const AttentionConfig& config, Stage last);

// The operation on the arrow between a stage and its predecessor: "÷ √2", and below it "= 1.414".
struct DiagramOperator {
  std::string sign;
  std::string note = {};
};
DiagramOperator diagram_operator(const AttentionConfig& config, Stage result);

// Says in a line what a stage does, for readers who see it for the first time.
std::string about(const AttentionConfig& config, Stage stage);

std::string_view id_of(Band band);     // as it is typed: "project"
std::string_view title_of(Band band);  // "1 Project"

// One colour per head, the same everywhere. The first eight are told apart by people with any colour vision.
Rgb head_rgb(Index head, bool dark);

// Every how many rows or columns there is room for a label that needs `needed` along its axis: 1, 2, 5, 10, ... Labels
// that are thinned out stand further apart.
Index thinned_step(double cell, double needed);

}  // namespace attnscope
