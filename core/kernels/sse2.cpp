#define ATTNSCOPE_KERNELS sse2_kernels
#define ATTNSCOPE_KERNELS_NAME "sse2"
#include "core/kernels/instruction_set.inl"
