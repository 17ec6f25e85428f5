#pragma once

#include "core/config.h"
#include "core/execution.h"
#include "core/random.h"

#include <span>

namespace attnscope {

// out[i] is 0 where dropped and 1/(1-rate) where kept: torch.nn.functional.dropout(torch.ones(n), rate), for the kernel
// that the reader's PyTorch uses. Rate 0 gives ones and rate 1 zeros, and neither draws. 0 <= rate <= 1.
// Throws Cancelled when a stop was requested, which leaves the generator somewhere.
void fill_dropout_factors(std::span<float> out, Generator& generator, double rate, DropoutKernel kernel,
                          const Execution& execution = {});

// factors (B,H,T,T) of a configuration: the wrapper's heads drop one after the other, each its (B,T,T) in one call;
// elsewhere one call drops all. Ones where nothing is dropped. What the user keeps or drops comes last. Throws
// Cancelled.
void fill_dropout_factors(Tensor& factors, const AttentionConfig& config, Generator generator,
                          const Execution& execution);

}  // namespace attnscope
