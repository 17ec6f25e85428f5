#pragma once

#include <array>
#include <vector>

#include "look/diagram_layout.h"

namespace attnscope {

// How much room the places of a diagram take, in cells: of sizes alone, and of which stages are left out. Private to
// this folder.

constexpr std::size_t band_count = 3;
constexpr Index most_diagram_tokens = 16;  // a matrix of more is no larger

// Rows and columns of the places, in cells.
struct DiagramSizes {
  float tokens = 0;
  float inputs = 0;
  float features = 0;
};

DiagramSizes sizes_of(const AttentionConfig& config);

// One column of a band: the results that stand in it, and the distance to what stands before it.
struct DiagramColumn {
  float cells = 0;
  float before = 0;  // for an arrow and its words
  float after = 0;   // for row sums
  bool has_signs = true;
};

using DiagramColumns = std::array<std::vector<DiagramColumn>, band_count>;
DiagramColumns columns_of(const DiagramSizes& sizes, const DiagramText& text, const StageSet& left_out);
std::size_t first_column(
    const std::vector<DiagramColumn>& band);  // that is not empty; how many there are where all are
float fixed_width(const std::vector<DiagramColumn>& band);
float cell_count(const std::vector<DiagramColumn>& band);
float cells_without_sign(const std::vector<DiagramColumn>& band);

// Rows above the results of a band: of operands, and of a bias below them.
struct RowsAbove {
  float rows = 0;
  bool has_bias = false;
};

RowsAbove above_results(const DiagramSizes& sizes, Band band, const StageSet& left_out);

bool is_shown(Band band, const StageSet& left_out);  // anything of it
bool has_columns_of_tokens(Band band, const StageSet& left_out);

}  // namespace attnscope
