#define ATTNSCOPE_KERNELS avx2_kernels
#define ATTNSCOPE_KERNELS_NAME "avx2"
#include "core/kernels/instruction_set.inl"
