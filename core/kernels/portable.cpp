#define ATTNSCOPE_KERNELS portable_kernels
#define ATTNSCOPE_KERNELS_NAME "portable"
#include "core/kernels/instruction_set.inl"
