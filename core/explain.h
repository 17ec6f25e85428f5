#pragma once

#include "core/source.h"

#include <string>
#include <vector>

namespace attnscope {

enum class Operation {
  typed,            // by the user
  drawn,            // drawn from the generator
  dot_product,      // sum of products of the first and the second operand, plus the third if there is one: a bias
  mask_rule,        // key after query
  masked,           // replaced by minus infinity
  copied,           // unchanged from the first operand
  step,             // as the stage's ScoreStep says
  add_bias,         // first + the document's bias of the cell
  nothing_left,     // 0, because every key of the row is hidden
  softmax,          // exp(first - second) / third
  share_of_sum,     // first / second
  product,          // first * second
  keep_seen,        // first * (1 - second)
  kept_or_dropped,  // the dropout factor, as drawn
  set_by_user,      // the dropout factor, as the user keeps or drops the weight
  switched_off,     // 0: of a head that is off
  row_maximum,      // the largest of the first operand
  row_sum,          // the sum of the first operand
  exponential_sum,  // the sum of exp(number of the first operand - second)
  read,             // as another program left it
};

struct Operand {
  SourceLine line;
  std::vector<float> values;  // empty of what the generator gave, which takes its time to draw again
};

// How a number came to be, from those before it; views put it in words.
struct Explanation {
  Operation operation = Operation::typed;
  std::vector<Operand> operands;
  float value = 0;          // the number itself
  float row_sum = 0;        // read: of the finite numbers of its row
  std::string origin;       // read: the file
  std::string number_type;  // read: of the number there
  std::string place;        // read: of the cell there, as an index into the array
};

// Whether the mask of this configuration hides the cell, and whether dropout dropped it.
bool is_masked(const Result& result, const Source& cell);
bool is_dropped(const Result& result, const Source& cell);
// Whether the mask put minus infinity among these scores, so that their sum is minus infinity as well.
bool holds_minus_infinity(const AttentionConfig& config, Stage stage, Index row);

Explanation explain(const Result& result, const Source& source);

}  // namespace attnscope
