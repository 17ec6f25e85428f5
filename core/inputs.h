#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/random.h"

namespace attnscope {

struct ForwardPass;

// inputs (B,T,d_in) = torch.stack((x,) * B), where x is torch.randn(T, d_in), what was typed, or what the layers below
// make of a text: `below`, or if it is null they are run for it. Throws Cancelled.
void fill_inputs(Tensor& inputs, const AttentionConfig& config, Generator& generator, const Execution& execution,
                 const ForwardPass* below = nullptr);

// The generator of a configuration as the weights find it: behind the inputs, if these are drawn.
Generator generator_before_parameters(const AttentionConfig& config);
// Words that it gave until then.
std::uint64_t words_before_parameters(const AttentionConfig& config);

}  // namespace attnscope
