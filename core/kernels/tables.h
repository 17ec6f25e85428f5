#pragma once

#include "core/kernels/kernels.h"

namespace attnscope {

extern const Kernels portable_kernels;
extern const Kernels sse2_kernels;
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;

}  // namespace attnscope
