#pragma once

#include "core/kernels/kernels.h"

#include <vector>

namespace attnscope {

// The best set for this processor, or the one that the environment variable ATTNSCOPE_ISA names. Throws Error when it
// names one that is not known or that this processor lacks.
const Kernels& kernels();

// Every set that this processor can run, best first.
std::vector<const Kernels*> available_kernels();

}  // namespace attnscope
