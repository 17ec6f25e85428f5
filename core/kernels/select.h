#pragma once

#include "core/kernels/kernels.h"

#include <string_view>
#include <vector>

namespace attnscope {

// The best set for this processor, or the one that the environment variable ATTNSCOPE_ISA names. Throws Error when it
// names one that is not known or that this processor lacks.
const Kernels& kernels();

// Returns the kernels that the text of that variable names; an empty text names none.
const Kernels& kernels_named(std::string_view name);

// Every set that this processor can run, best first.
std::vector<const Kernels*> available_kernels();

}  // namespace attnscope
