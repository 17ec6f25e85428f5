// Products with packed panels: the projections. Included once by the file of each instruction set.

#include "core/kernels/kernels.h"
#include "core/kernels/tile.h"

namespace attnscope {
namespace {

// Taller and narrower than other tiles where there are registers: the panel comes from the second-level cache, and a
// narrow one comes in time.
constexpr int panel_rows = lanes == 16 ? 8 : 6;
constexpr int panel_vectors = lanes == 16 ? 3 : 2;
constexpr int panel_width = panel_vectors * lanes;

// The next panel on its way to the second-level cache, a few lines at a time: left alone, it would come when its first
// rows already wait for it.
struct NextPanel {
  const float* at;
  std::ptrdiff_t lines = 0;  // at a time, so that all of it has come when this panel is done

  explicit NextPanel(const PanelProduct& product) : at(product.next) {
    const std::ptrdiff_t tiles = (product.rows + panel_rows - 1) / panel_rows;
    if (at) lines = (panel_width + tiles - 1) / tiles;
  }
  ATTNSCOPE_INLINE void fetch() {
    if constexpr (lanes < 8) return;  // too few registers, and too slow to be kept waiting
    for (std::ptrdiff_t line = 0; line < lines; ++line, at += fetch_steps) __builtin_prefetch(at, 0, 2);
  }
};

// c = or += the part of a @ panel that begins with a depth.
template <int R, int V>
ATTNSCOPE_INLINE void multiply_tile(const PanelProduct& product, std::ptrdiff_t row, std::ptrdiff_t depth,
                                    NextPanel& next) {
  Floats sum[R][V];
  clear(sum);
  accumulate(
      sum, product.a + row * product.a_stride + depth, product.a_stride, product.panel + depth * panel_width,
      panel_width, part_of(product.depth, depth), [&]() __attribute__((always_inline)) { next.fetch(); });
  ATTNSCOPE_UNROLL
  for (int v = 0; v < V; ++v) {
    const Floats bias = product.bias && depth == 0 ? load(product.bias + v * lanes) : Floats{};
    float* const column = product.groups[v] + row * product.c_stride;
    if (depth > 0) {
      ATTNSCOPE_UNROLL
      for (int r = 0; r < R; ++r) sum[r][v] += load(column + r * product.c_stride);
    }
    ATTNSCOPE_UNROLL
    for (int r = 0; r < R; ++r) store(column + r * product.c_stride, sum[r][v] + bias);
  }
}

void multiply_panel(const PanelProduct& product) {
  NextPanel next(product);
  for (std::ptrdiff_t row = 0; row < product.rows; row += panel_rows) {
    const std::ptrdiff_t left = product.rows - row;
    const int rows = left < panel_rows ? static_cast<int>(left) : panel_rows;
    for (std::ptrdiff_t depth = 0; depth < product.depth; depth += most_products) {
      with_sizes<panel_rows, panel_vectors>(rows, product.group_count,
                                            [&]<int R, int V>() { multiply_tile<R, V>(product, row, depth, next); });
    }
  }
}

typedef float Four __attribute__((vector_size(16)));
typedef float LooseFour __attribute__((vector_size(16), aligned(4), may_alias));

ATTNSCOPE_INLINE Four load_four(const float* from) { return *reinterpret_cast<const LooseFour*>(from); }
ATTNSCOPE_INLINE void store_four(float* to, Four value) { *reinterpret_cast<LooseFour*>(to) = value; }

// to (4, 4) = from (4, 4).T
ATTNSCOPE_INLINE void transpose_four(float* to, std::ptrdiff_t to_stride, const float* from,
                                     std::ptrdiff_t from_stride) {
  const Four a = load_four(from);
  const Four b = load_four(from + from_stride);
  const Four c = load_four(from + 2 * from_stride);
  const Four d = load_four(from + 3 * from_stride);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store_four(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store_four(to + to_stride, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store_four(to + 2 * to_stride, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store_four(to + 3 * to_stride, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

void transpose(float* to, std::ptrdiff_t to_stride, const float* from, std::ptrdiff_t from_stride, std::ptrdiff_t rows,
               std::ptrdiff_t cols) {
  const std::ptrdiff_t whole_rows = rows / 4 * 4;
  const std::ptrdiff_t whole_cols = cols / 4 * 4;
  for (std::ptrdiff_t row = 0; row < whole_rows; row += 4) {
    for (std::ptrdiff_t col = 0; col < whole_cols; col += 4) {
      transpose_four(to + col * to_stride + row, to_stride, from + row * from_stride + col, from_stride);
    }
  }
  for (std::ptrdiff_t col = 0; col < cols; ++col) {
    for (std::ptrdiff_t row = col < whole_cols ? whole_rows : 0; row < rows; ++row) {
      to[col * to_stride + row] = from[row * from_stride + col];
    }
  }
}

void pack_keys(float* packed, const float* keys, std::ptrdiff_t tokens, std::ptrdiff_t head_dim) {
  for (std::ptrdiff_t first = 0; first < tokens; first += tile_width, packed += head_dim * tile_width) {
    const std::ptrdiff_t count = tokens - first < tile_width ? tokens - first : tile_width;
    transpose(packed, tile_width, keys + first * head_dim, head_dim, count, head_dim);
    for (std::ptrdiff_t d = 0; d < head_dim; ++d) {
      for (std::ptrdiff_t k = count; k < tile_width; ++k) packed[d * tile_width + k] = 0;
    }
  }
}

double probe_peak(std::ptrdiff_t count, float* sink) {
  constexpr int chains = lanes == 16 ? 24 : 12;
  Floats sum[chains];
  for (int c = 0; c < chains; ++c) sum[c] = broadcast(static_cast<float>(c));
  const Floats factor = broadcast(0.5F);
  const Floats addend = broadcast(1.25F);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    ATTNSCOPE_UNROLL
    for (int c = 0; c < chains; ++c) sum[c] = multiply_add(sum[c], factor, addend);
  }
  Floats all{};
  for (int c = 0; c < chains; ++c) all += sum[c];
  *sink = sum_of_lanes(all);
  return 2.0 * lanes * chains * static_cast<double>(count);
}

}  // namespace
}  // namespace attnscope
