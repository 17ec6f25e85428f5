#pragma once

// The register tile that every product here is made of: R rows of one operand, broadcast, times V vectors of the other.

#include "core/kernels/simd.h"

namespace attnscope {
namespace {

// As many accumulators as the registers hold beside the vectors that are loaded.
constexpr int tile_rows = 6;
constexpr int tile_vectors = lanes == 16 ? 4 : 2;
constexpr int tile_width = tile_vectors * lanes;

#define ATTNSCOPE_UNROLL _Pragma("GCC unroll 32")

// sum (R, V vectors) += a (R, depth) @ b (depth, V vectors). b is fetched `ahead` steps before it is used, and a, which
// is read along its rows, two cache lines before.
template <int R, int V, int ahead = 8>
ATTNSCOPE_INLINE void accumulate(Floats (&sum)[R][V], const float* a, std::ptrdiff_t a_stride, const float* b,
                                 std::ptrdiff_t b_stride, std::ptrdiff_t depth) {
  const auto step = [&](std::ptrdiff_t k) __attribute__((always_inline)) {
    const float* const row = b + k * b_stride;
    Floats column[V];
    ATTNSCOPE_UNROLL
    for (std::ptrdiff_t v = 0; v < V; ++v) column[v] = load(row + v * lanes);
    if constexpr (ahead > 0) {
      ATTNSCOPE_UNROLL
      for (std::ptrdiff_t v = 0; v < V; v += 16 / lanes) __builtin_prefetch(row + ahead * b_stride + v * lanes);
    }
    ATTNSCOPE_UNROLL
    for (int r = 0; r < R; ++r) {
      const Floats factor = broadcast(a[r * a_stride + k]);
      ATTNSCOPE_UNROLL
      for (int v = 0; v < V; ++v) sum[r][v] = multiply_add(factor, column[v], sum[r][v]);
    }
  };
  std::ptrdiff_t k = 0;
  for (; k + 16 <= depth; k += 16) {
    ATTNSCOPE_UNROLL
    for (int r = 0; r < R; ++r) __builtin_prefetch(a + r * a_stride + k + 32);
    _Pragma("GCC unroll 2") for (int i = 0; i < 16; ++i) step(k + i);
  }
  for (; k < depth; ++k) step(k);
}

template <int R, int V>
ATTNSCOPE_INLINE void clear(Floats (&sum)[R][V]) {
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    ATTNSCOPE_UNROLL
    for (int v = 0; v < V; ++v) sum[r][v] = Floats{};
  }
}

// Calls work.template operator()<R, V>() for sizes that are only known at run time, 1 <= rows <= R and
// 1 <= vectors <= V.
template <int R, int V, typename Work>
ATTNSCOPE_INLINE void with_sizes(int rows, int vectors, const Work& work) {
  if constexpr (R > 1) {
    if (rows < R) return with_sizes<R - 1, V>(rows, vectors, work);
  }
  if constexpr (V > 1) {
    if (vectors < V) return with_sizes<R, V - 1>(rows, vectors, work);
  }
  work.template operator()<R, V>();
}

}  // namespace
}  // namespace attnscope
