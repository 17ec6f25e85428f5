#pragma once

#include <string>

#include "core/tensor.h"

namespace attnscope {

// The panel that finds cells: its text, its choices, and the place that it has reached in the matrix.
struct GoToState {
  enum class Side { query, key, both };

  bool is_open = false;
  std::string text;       // of a token: part of its name, or its number
  Side side = Side::key;  // what the token is in the cell gone to
  Index token = -1;       // found last for `text`
  Index largest = -1;     // rank of the cell gone to among the largest, from 0
  bool is_searching = false;
  std::string status;  // where the last step led
};

}  // namespace attnscope
