#pragma once

// The register tile that every product here is made of: R rows of one operand, broadcast, times V vectors of the other.

#include "core/kernels/simd.h"

namespace attnscope {
namespace {

// The registers hold these accumulators beside the vectors that are loaded.
constexpr int tile_rows = 6;
constexpr int tile_vectors = lanes == 16 ? 4 : 2;
constexpr int tile_width = tile_vectors * lanes;

// sum += a * b in place. As an intrinsic, the compiler may pick the form that overwrites a factor and copy registers to
// mend that, which costs the tile as much as a multiplication.
ATTNSCOPE_INLINE void add_product(Floats& sum, Floats a, Floats b) {
#if defined(__AVX2__)
  asm("vfmadd231ps %1, %2, %0" : "+v"(sum) : "v"(a), "v"(b));
#else
  sum = multiply_add(a, b, sum);
#endif
}

// from[row * stride + k] in every lane, the row of three. One register for the stride serves them all, where the
// compiler would take one for each sum of row and step, and the tile has none to spare.
template <int row, int k>
ATTNSCOPE_INLINE Floats broadcast_element(const float* from, std::ptrdiff_t stride) {
#if defined(__AVX2__)
  Floats value;
  if constexpr (row == 0) asm volatile("vbroadcastss %c2(%1), %0" : "=v"(value) : "r"(from), "i"(4 * k));
  if constexpr (row == 1) {
    asm volatile("vbroadcastss %c3(%1,%2,4), %0" : "=v"(value) : "r"(from), "r"(stride), "i"(4 * k));
  }
  if constexpr (row == 2) {
    asm volatile("vbroadcastss %c3(%1,%2,8), %0" : "=v"(value) : "r"(from), "r"(stride), "i"(4 * k));
  }
  return value;
#else
  return broadcast(from[row * stride + k]);
#endif
}

// Pointers to the rows of `a`: one for three rows.
template <int R>
struct RowPointers {
  static constexpr int count = (R + 2) / 3;
  const float* at[count];

  ATTNSCOPE_INLINE RowPointers(const float* first, std::ptrdiff_t stride) {
    ATTNSCOPE_UNROLL
    for (std::ptrdiff_t g = 0; g < count; ++g) at[g] = first + 3 * g * stride;
    hide();
  }
  ATTNSCOPE_INLINE void advance(std::ptrdiff_t steps) {
    ATTNSCOPE_UNROLL
    for (int g = 0; g < count; ++g) at[g] += steps;
    hide();
  }
  // Hides from the compiler how the pointers are related, so that it does not compute each anew.
  ATTNSCOPE_INLINE void hide() {
    ATTNSCOPE_UNROLL
    for (int g = 0; g < count; ++g) asm("" : "+r"(at[g]));
  }
};

template <int k, int r, int R, int V>
ATTNSCOPE_INLINE void add_rows(Floats (&sum)[R][V], const RowPointers<R>& rows, std::ptrdiff_t stride,
                               const Floats (&column)[V]) {
  const Floats factor = broadcast_element<r % 3, k>(rows.at[r / 3], stride);
  ATTNSCOPE_UNROLL
  for (int v = 0; v < V; ++v) add_product(sum[r][v], factor, column[v]);
  if constexpr (r + 1 < R) add_rows<k, r + 1>(sum, rows, stride, column);
}

constexpr int steps_ahead =
    lanes == 16 ? 2 : 8;  // rows of b are fetched so far ahead; more would push out what is still read

// Step k of `steps`, and those behind it. b is fetched some steps before it is used.
template <int k, int steps, int R, int V>
ATTNSCOPE_INLINE void add_steps(Floats (&sum)[R][V], const RowPointers<R>& rows, std::ptrdiff_t a_stride,
                                const float* b, std::ptrdiff_t b_stride) {
  Floats column[V];
  ATTNSCOPE_UNROLL
  for (std::ptrdiff_t v = 0; v < V; ++v) column[v] = load(b + v * lanes);
  ATTNSCOPE_UNROLL
  for (std::ptrdiff_t v = 0; v < V; v += 16 / lanes) __builtin_prefetch(b + steps_ahead * b_stride + v * lanes);
  add_rows<k, 0>(sum, rows, a_stride, column);
  asm volatile("" ::: "memory");  // the steps one after the other: fetched all at once, b would come late
  if constexpr (k + 1 < steps) add_steps<k + 1, steps>(sum, rows, a_stride, b + b_stride, b_stride);
}

constexpr int fetch_steps = 16;  // steps between two calls of fetch_more: a cache line of `a`

// sum (R, V vectors) += a (R, depth) @ b (depth, V vectors). a, which is read along its rows, is fetched two cache
// lines before it is used. Calls fetch_more() now and then, for what comes after.
template <int R, int V, typename FetchMore>
ATTNSCOPE_INLINE void accumulate(Floats (&sum)[R][V], const float* a, std::ptrdiff_t a_stride, const float* b,
                                 std::ptrdiff_t b_stride, std::ptrdiff_t depth, const FetchMore& fetch_more) {
  constexpr int steps = lanes == 16 ? 2 : lanes == 8 ? 4 : 1;  // fewer where addresses are cheap
  asm volatile("" ::: "memory");                               // makes the compiler read what stands in memory by now
  RowPointers<R> rows(a, a_stride);
  for (; depth >= fetch_steps; depth -= fetch_steps) {
    fetch_more();
    ATTNSCOPE_UNROLL
    for (int r = 0; r < R; ++r) __builtin_prefetch(rows.at[r / 3] + r % 3 * a_stride + 32);
    _Pragma("GCC unroll 1") for (int k = 0; k < fetch_steps; k += steps) {
      add_steps<0, steps>(sum, rows, a_stride, b, b_stride);
      rows.advance(steps);
      b += steps * b_stride;
    }
  }
  for (; depth > 0; --depth) {
    add_steps<0, 1>(sum, rows, a_stride, b, b_stride);
    rows.advance(1);
    b += b_stride;
  }
}

template <int R, int V>
ATTNSCOPE_INLINE void accumulate(Floats (&sum)[R][V], const float* a, std::ptrdiff_t a_stride, const float* b,
                                 std::ptrdiff_t b_stride, std::ptrdiff_t depth) {
  accumulate(sum, a, a_stride, b, b_stride, depth, [] {});
}

template <int R, int V>
ATTNSCOPE_INLINE void clear(Floats (&sum)[R][V]) {
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    ATTNSCOPE_UNROLL
    for (int v = 0; v < V; ++v) sum[r][v] = Floats{};
  }
}

// Products that are added one after the other, at the most, before they are added to what came before in memory. Each
// addition may round away half a unit of the last place, and where the numbers are alike, always in the same direction:
// less than 3e-6 of a part's sum. With parts, that hardly grows with the number of keys or features.
constexpr std::ptrdiff_t most_products = 128;

// Returns the number of products in the part of a sum that begins with `first`.
ATTNSCOPE_INLINE std::ptrdiff_t part_of(std::ptrdiff_t count, std::ptrdiff_t first) {
  return count - first < most_products ? count - first : most_products;
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
