#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/stages/rule.h"
#include "view/colours.h"

namespace attnscope {

// Words, signs and colours of stages, the same in views and figures.

bool sums_to_one(Stage stage);  // returns true for weights whose rows should sum to 1

bool is_off_one(float row_sum);  // returns whether the sum of such a row is not 1

// Names of the rows and columns: "query" and "key", "token" and "dim", for weights "in" and "out"; empty for the one
// row of a bias.
struct AxisTitles {
  std::string_view rows;
  std::string_view columns;
};
AxisTitles axis_titles(const AttentionConfig& config, Stage stage);

// Says how a stage follows from those before it in this configuration: the lines of its row, without what a mechanism
// leaves out (no weights, no scaling, a sum instead of softmax).
StageWording wording(const AttentionConfig& config, Stage stage);
StageWording wording(const Result& result, Stage stage);  // says so if the stage was only read

// Returns the shapes of a matrix product as it multiplies, weights as stored: "(6, 3) · (4, 3)ᵀ + (4) = (6, 4)". Empty
// if the stage is no product.
std::string product_shapes(const AttentionConfig& config, Stage stage);

bool has_place(Stage stage);  // returns whether the diagram has a place for it; other stages stand at their use

// Returns the results that are computed after `last`: a picture that shows stage after stage does not show them yet.
StageSet places_after(const AttentionConfig& config, Stage last);

// The operation on the arrow between a stage and its predecessor: "÷ √2", and below it "= 1.414".
struct DiagramOperator {
  std::string sign;
  std::string note = {};
};
DiagramOperator diagram_operator(const AttentionConfig& config, Stage result);

// Says in a line what a stage does, for readers who see it for the first time.
std::string about(const AttentionConfig& config, Stage stage);

std::string_view id_of(Band band);     // returns the typed name: "project"
std::string_view title_of(Band band);  // returns the heading: "1 Project"

// Returns the shade of a head's mark: heads have numbers, and one of two greys that alternate, because hues mean
// something else.
Rgb head_rgb(Index head, bool dark);

// Returns the colour of one of several things in a chart, such as tokens. People with any colour vision can tell the
// first eight apart.
Rgb series_rgb(Index number, bool dark);

// Returns the ink of a stage's title: the hue of queries, keys and values, else that of texts.
Rgb title_ink(const ThemeColours& theme, Stage stage);

// Returns the step between labels that need `needed` along their axis: every row or column has one, or every 2nd, 5th,
// 10th, ... Labels that are thinned out stand further apart.
Index thinned_step(double cell, double needed);

}  // namespace attnscope
