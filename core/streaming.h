#pragma once

#include "core/evaluate.h"

namespace attnscope {

// What attention reads when it is computed block by block.
struct StreamingSource {
  const AttentionConfig& config;
  const Tensor& queries;  // (B,H,T,head_dim); for mechanisms without weights all three are the inputs (B,T,d_in)
  const Tensor& keys;
  const Tensor& values;
  const DropoutMask* dropout;  // null where nothing is dropped
};

// head_context (B,H,T,head_dim) = dropout(softmax(mask(queries @ keys.transpose(2, 3)))) @ values, by any mask route
// and either normalization, and what softmax knows of its rows, without a (T,T) matrix at any time. Throws Cancelled
// within milliseconds of the stop.
void stream_attention(Tensor& head_context, RowStatistics& rows, const StreamingSource& source,
                      const Execution& execution);

// Working memory of that, on all threads of this machine.
std::uint64_t streaming_scratch_bytes(const AttentionConfig& config);

}  // namespace attnscope
