#pragma once

#include "core/evaluate.h"

#include <optional>
#include <string>
#include <vector>

namespace attnscope {

// One cell of one stage. For (T,T) and (B,T,d) stages the indices that do not apply are ignored.
struct Cell {
  Stage stage = Stage::inputs;
  Index batch = 0;
  Index head = 0;
  Index row = 0;
  Index col = 0;
  bool operator==(const Cell&) const = default;
};

enum class Operation {
  given,            // typed by the user
  drawn,            // drawn from the generator
  dot_product,      // sum of products, plus bias
  mask_rule,        // key after query
  masked,           // replaced by minus infinity
  copied,           // unchanged from `left`
  scaled,           // left / right
  softmax,          // exp(left - row_max) / row_sum
  share_of_sum,     // left / right
  product,          // left * right
  kept_or_dropped,  // the dropout factor
  read,             // as another program left it
};

// How the value of a cell came to be, from the stages before it; views put it in words.
struct Explanation {
  struct Term {
    Cell left;   // where the factors stand
    Cell right;  // for dot products with a weight matrix, meaningless
    float left_value = 0;
    float right_value = 0;
  };
  Operation operation = Operation::given;
  std::vector<Term> terms;    // dot_product: one per feature or key, in order; else at most one
  std::optional<float> bias;  // dot_product through nn.Linear with a bias
  std::string weight_name;    // dot_product with a parameter: its state_dict name
  float row_max = 0;          // softmax
  float row_sum = 0;   // softmax: sum of the exponentials; share_of_sum: sum of the row; read: of its finite numbers
  float value = 0;     // the cell itself
  std::string origin;  // read: the file
  std::string number_type;  // read: of the number there
  std::string place;        // read: of the cell there, as an index into the array
};

// Value of a cell. Indices must be in range.
float value_at(const Result& result, const Cell& cell);
// Whether the mask of this configuration hides the cell, and whether dropout dropped it.
bool is_masked(const Result& result, const Cell& cell);
bool is_dropped(const Result& result, const Cell& cell);

Explanation explain(const Result& result, const Cell& cell);

}  // namespace attnscope
