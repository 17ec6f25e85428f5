#pragma once

#include "core/random.h"
#include "core/tensor.h"

namespace attnscope {

// (rows, cols) = torch.nn.init.orthogonal_(torch.empty(rows, cols)): rows are of length 1 and at right angles where
// there are no more of them than columns, else columns are. From torch.randn's numbers, by Householder reflections.
Tensor orthogonal_matrix(Index rows, Index cols, Generator& generator);

}  // namespace attnscope
