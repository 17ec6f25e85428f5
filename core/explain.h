#pragma once

#include "core/source.h"

#include <string>
#include <vector>

namespace attnscope {

struct Operation;

struct Operand {
  SourceLine line;
  std::vector<float> values;  // empty of what the generator gave, which takes its time to draw again
};

// How a number came to be, from those before it; views put it in words.
struct Explanation {
  const Operation* operation = nullptr;  // what was done to make it
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
