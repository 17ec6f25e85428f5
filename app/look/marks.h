#pragma once

#include "core/source.h"

namespace attnscope {

// The rows and the column of a stage that a number is marked in; -1 for none.
struct MarkedLines {
  Index row = -1;
  Index second_row = -1;  // in inputs: the key's row beside the query's
  Index col = -1;

  bool has_row(Index index) const { return index >= 0 && (index == row || index == second_row); }
  bool operator==(const MarkedLines&) const = default;
};

// A number stands for a query, a key or both: marked are their rows and columns in the stages that it follows from and
// in those that follow from it, and the value that a weight is multiplied with. Of weight matrices and biases, which
// have no tokens, those lines that a number is computed from.
MarkedLines marked_lines(const AttentionConfig& config, const Source& of, Stage in);

bool is_key_side(Stage stage);  // its rows are keys

}  // namespace attnscope
