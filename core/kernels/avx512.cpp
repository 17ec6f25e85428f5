#define ATTNSCOPE_KERNELS avx512_kernels
#define ATTNSCOPE_KERNELS_NAME "avx512"
#include "core/kernels/instruction_set.inl"
