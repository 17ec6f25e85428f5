#pragma once

#include "core/execution.h"
#include "core/kernels/select.h"

namespace attnscope {

// Measures the peak of the processor: floating-point operations a second of fused multiply-adds in registers, on as
// many threads as the execution has. Takes about 15 ms; the clock and other programs decide what it finds.
double measure_peak(const Execution& execution, const Kernels& set = kernels());

}  // namespace attnscope
