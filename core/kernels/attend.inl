// Attention of one head without its T x T matrices. Included once by the file of each instruction set.

#include "core/kernels/kernels.h"
#include "core/kernels/tile.h"
#include "core/kernels/weigh.inl"

namespace attnscope {
namespace {

constexpr int block_rows = 2 * tile_rows;  // queries that go through all steps together
constexpr int chunk_keys = 1024;           // keys whose scores are held at a time: they fit the nearest caches
constexpr std::ptrdiff_t score_stride = chunk_keys + 16;  // a power of two would fall on the same cache lines
constexpr float infinity = __builtin_inff();

std::ptrdiff_t rounded_up(std::ptrdiff_t count, std::ptrdiff_t step) { return (count + step - 1) / step * step; }

std::ptrdiff_t attend_scratch(std::ptrdiff_t head_dim) {
  return block_rows * (score_stride + rounded_up(head_dim, lanes) + lanes);
}

// Some queries on their way through the chunks of keys.
struct Block {
  const AttendTask& task;
  std::ptrdiff_t query;  // first one
  int rows;
  std::ptrdiff_t key = 0;   // first one of the chunk
  std::ptrdiff_t keys = 0;  // of the chunk
  bool is_first = true;     // chunk
  bool is_last = false;
  float* scores;   // (rows, score_stride): scores of the chunk, then its weights before they are divided
  float* partial;  // (rows, padded head_dim): weighted values of the chunks so far
  float* largest;  // (rows, lanes): largest of the chunk's scores, each lane for itself
  float max[block_rows] = {};
  float sum[block_rows] = {};
  float masked_sum[block_rows] = {};
  float rescale[block_rows] = {};  // what a new maximum does to the sums so far
};

bool is_masked_after(const AttendTask& task) {
  return task.mask == MaskRoute::causal_after_softmax || task.mask == MaskRoute::causal_renormalized;
}

// Capped scores are scaled as they are made, so that the largest of them is known at once.
float scale_after_scoring(const AttendTask& task) { return task.score.cap > 0 ? 1.0F : task.score.scale; }

// c * tanh(score * scale / c): near 0 by a fraction that is exact to the last bit there, beyond by exponentials.
ATTNSCOPE_INLINE Floats capped(Floats score, const ScoreMap& map) {
  const Floats y = score * broadcast(map.scale / map.cap);
  const Floats square = y * y;
  Floats above = square + broadcast(378.0F);
  above = multiply_add(above, square, broadcast(17325.0F));
  above = multiply_add(above, square, broadcast(135135.0F));
  Floats below = multiply_add(broadcast(28.0F), square, broadcast(3150.0F));
  below = multiply_add(below, square, broadcast(62370.0F));
  below = multiply_add(below, square, broadcast(135135.0F));
  const Floats one = broadcast(1.0F);
  const Floats size = y < 0 ? -y : y;
  const Floats power = exp2_of_negative(size * broadcast(-2 * log2_of_e));
  const Floats far = (one - power) / (one + power);
  return broadcast(map.cap) * (size > one ? (y < 0 ? -far : far) : y * above / below);
}

// Keys of the chunk that this many rows from the block's first on need: those that the mask does not hide.
std::ptrdiff_t keys_until(const Block& block, int rows, bool is_hidden) {
  if (!is_hidden) return block.keys;
  const std::ptrdiff_t until = block.query + rows - block.key;
  return until < 0 ? 0 : until < block.keys ? until : block.keys;
}

// Takes a tile's scores into the largest of their rows while they are in registers, but for what the mask hides and
// keys that are missing; NaN wins or loses as the processor has it, and shows in the sum.
template <int R, int V>
ATTNSCOPE_INLINE void note_largest(const Block& block, int row, std::ptrdiff_t panel, const Floats (&scores)[R][V]) {
  const bool is_causal = block.task.mask == MaskRoute::causal;
  const bool is_whole = keys_until(block, row + 1, is_causal) >= panel + V * lanes;
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    float* const place = block.largest + (row + r) * lanes;
    Floats largest = load(place);
    if (is_whole) {
      ATTNSCOPE_UNROLL
      for (int v = 0; v < V; ++v) largest = larger(largest, scores[r][v]);
    } else {
      const std::ptrdiff_t count = keys_until(block, row + r + 1, is_causal) - panel;
      ATTNSCOPE_UNROLL
      for (int v = 0; v < V; ++v) {
        largest = larger(largest, first_lanes(scores[r][v], count - v * lanes, -infinity));
      }
    }
    store(place, largest);
  }
}

template <int R, int V>
ATTNSCOPE_INLINE void score_tile(const Block& block, int row, std::ptrdiff_t panel) {
  const AttendTask& task = block.task;
  Floats sum[R][V];
  clear(sum);
  accumulate(sum, task.queries + (block.query + row) * task.head_dim, task.head_dim,
             task.keys + (block.key + panel) * task.head_dim, tile_width, task.head_dim);
  if (task.score.cap > 0) {
    for (int r = 0; r < R; ++r) {
      for (int v = 0; v < V; ++v) sum[r][v] = capped(sum[r][v], task.score);
    }
  }
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    ATTNSCOPE_UNROLL
    for (int v = 0; v < V; ++v) store(block.scores + (row + r) * score_stride + panel + v * lanes, sum[r][v]);
  }
  if (!task.by_sum) note_largest(block, row, panel, sum);
}

// scores (rows, keys) = queries @ keys.T for the chunk, what the mask hides left out by whole vectors.
void score(const Block& block) {
  const bool is_causal = block.task.mask == MaskRoute::causal;
  for (int row = 0; row < block.rows; ++row) store(block.largest + row * lanes, broadcast(-infinity));
  for (std::ptrdiff_t panel = 0; panel < block.keys; panel += tile_width) {
    for (int row = 0; row < block.rows; row += tile_rows) {
      const int rows = block.rows - row < tile_rows ? block.rows - row : tile_rows;
      const std::ptrdiff_t needed = keys_until(block, row + rows, is_causal) - panel;
      if (needed <= 0) continue;
      const std::ptrdiff_t vectors = (needed + lanes - 1) / lanes;
      const int wanted = vectors < tile_vectors ? static_cast<int>(vectors) : tile_vectors;
      with_sizes<tile_rows, tile_vectors>(rows, wanted, [&]<int R, int V>() { score_tile<R, V>(block, row, panel); });
    }
  }
}

template <int R>
void weigh_rows(const AttendTask& task, const ScoreRows& rows, float* sums) {
  if (task.by_sum) return rows.kept ? weigh<true, true, R>(rows, sums) : weigh<true, false, R>(rows, sums);
  return rows.kept ? weigh<false, true, R>(rows, sums) : weigh<false, false, R>(rows, sums);
}

// What a mask after softmax leaves of a row: its sum before dropout, which therefore happens here and not before.
float mask_after(const Block& block, float* scores, std::ptrdiff_t visible, const std::uint64_t* kept) {
  const float masked_sum = sum_of(scores, visible);
  if (!kept) return masked_sum;
  for (std::ptrdiff_t k = 0; k < visible; k += lanes) {
    store(scores + k, lanes_of_bits(load(scores + k), kept_bits(kept, block.key + k)));
  }
  return masked_sum;
}

// The chunk's scores of R rows become their undivided weights; the running maxima and sums take them in.
template <int R>
void normalize(Block& block, int row) {
  const AttendTask& task = block.task;
  const bool masks_after = is_masked_after(task);
  std::ptrdiff_t count[R];
  for (int r = 0; r < R; ++r) {
    count[r] = keys_until(block, row + r + 1, task.mask == MaskRoute::causal);
    const float before = block.max[row + r];
    if (!task.by_sum && count[r] > 0) {
      const float largest = largest_lane(load(block.largest + (row + r) * lanes));
      block.max[row + r] = block.is_first || largest > before || largest != largest ? largest : before;
    }
    const float shrink = (before - block.max[row + r]) * scale_after_scoring(task);
    block.rescale[row + r] = block.is_first || task.by_sum ? 1.0F : __builtin_expf(shrink);
  }
  float* const scores = block.scores + row * score_stride;
  const std::uint64_t* const kept =
      task.kept ? task.kept + (block.query - task.first_query + row) * task.kept_stride : nullptr;
  float sums[R];
  weigh_rows<R>(task,
                {.first = scores,
                 .stride = score_stride,
                 .count = count,
                 .max = block.max + row,
                 .scale = scale_after_scoring(task),
                 .kept = masks_after ? nullptr : kept,
                 .kept_stride = task.kept_stride,
                 .key = block.key},
                sums);
  for (int r = 0; r < R; ++r) block.sum[row + r] = block.sum[row + r] * block.rescale[row + r] + sums[r];
  if (!masks_after) return;
  const std::ptrdiff_t end = keys_until(block, row + R, true);
  for (int r = 0; r < R; ++r) {
    const std::ptrdiff_t visible = keys_until(block, row + r + 1, true);
    const float masked_sum =
        mask_after(block, scores + r * score_stride, visible, kept ? kept + r * task.kept_stride : nullptr);
    block.masked_sum[row + r] = block.masked_sum[row + r] * block.rescale[row + r] + masked_sum;
    fill_zeros(scores + r * score_stride + visible, scores + r * score_stride + end);
  }
}

// What a row's weighted values are multiplied by at the end.
float final_factor(const Block& block, int row) {
  const AttendTask& task = block.task;
  const bool is_last_row = block.query + row + 1 == task.tokens;
  if (task.by_sum && task.mask == MaskRoute::causal && !is_last_row) return __builtin_nanf("");  // -inf / -inf
  const bool renormalizes = task.mask == MaskRoute::causal_renormalized;
  return task.kept_factor / (renormalizes ? block.masked_sum[row] : block.sum[row]);
}

template <int R, int V>
ATTNSCOPE_INLINE void weigh_values_tile(const Block& block, int row, std::ptrdiff_t column, std::ptrdiff_t keys) {
  const AttendTask& task = block.task;
  const std::ptrdiff_t partial_stride = rounded_up(task.head_dim, lanes);
  Floats sum[R][V];
  clear(sum);
  if (!block.is_first) {
    ATTNSCOPE_UNROLL
    for (int r = 0; r < R; ++r) {
      const Floats rescale = broadcast(block.rescale[row + r]);
      ATTNSCOPE_UNROLL
      for (int v = 0; v < V; ++v) {
        sum[r][v] = load(block.partial + (row + r) * partial_stride + column + v * lanes) * rescale;
      }
    }
  }
  accumulate(sum, block.scores + row * score_stride, score_stride, task.values + block.key * task.value_stride + column,
             task.value_stride, keys);
  const bool goes_out = block.is_last && column + V * lanes <= task.head_dim;
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    const Floats factor = broadcast(block.is_last ? final_factor(block, row + r) : 1.0F);
    float* const out = goes_out
                           ? task.context + (block.query - task.first_query + row + r) * task.context_stride + column
                           : block.partial + (row + r) * partial_stride + column;
    ATTNSCOPE_UNROLL
    for (int v = 0; v < V; ++v) store(out + v * lanes, sum[r][v] * factor);
  }
  if (!block.is_last || goes_out) return;
  for (int r = 0; r < R; ++r) {  // columns that do not fill a vector must not run over what stands behind them
    float* const out = task.context + (block.query - task.first_query + row + r) * task.context_stride;
    const float* const from = block.partial + (row + r) * partial_stride;
    for (std::ptrdiff_t d = column; d < task.head_dim && d < column + V * lanes; ++d) out[d] = from[d];
  }
}

// context (rows, head_dim) += weights of the chunk @ its values
void weigh_values(const Block& block) {
  const bool is_hidden = block.task.mask != MaskRoute::none;
  for (int row = 0; row < block.rows; row += tile_rows) {
    const int rows = block.rows - row < tile_rows ? block.rows - row : tile_rows;
    const std::ptrdiff_t keys = keys_until(block, row + rows, is_hidden);
    for (std::ptrdiff_t column = 0; column < block.task.head_dim; column += tile_width) {
      const std::ptrdiff_t vectors = (block.task.head_dim - column + lanes - 1) / lanes;
      const int wanted = vectors < tile_vectors ? static_cast<int>(vectors) : tile_vectors;
      with_sizes<tile_rows, tile_vectors>(rows, wanted,
                                          [&]<int R, int V>() { weigh_values_tile<R, V>(block, row, column, keys); });
    }
  }
}

// The weights of the block's rows for whoever looks at them, divided at last.
void show_weights(const Block& block) {
  const AttendTask& task = block.task;
  for (int row = 0; row < block.rows; ++row) {
    const Floats factor = broadcast(final_factor(block, row));
    const float* const from = block.scores + row * score_stride;
    float* const to = task.weights + (block.query - task.first_query + row) * task.tokens;
    const std::ptrdiff_t visible = keys_until(block, row + 1, task.mask != MaskRoute::none);
    std::ptrdiff_t k = 0;
    for (; k + lanes <= visible; k += lanes) store(to + k, load(from + k) * factor);
    float last[lanes];
    store(last, load(from + k) * factor);
    for (int lane = 0; k < visible; ++k, ++lane) to[k] = last[lane];
  }
}

// What is written last is the farthest away: it comes while the scores are computed.
void fetch_context(const Block& block) {
  const AttendTask& task = block.task;
  for (int row = 0; row < block.rows; ++row) {
    const float* const out = task.context + (block.query - task.first_query + row) * task.context_stride;
    for (std::ptrdiff_t d = 0; d < task.head_dim; d += 16) __builtin_prefetch(out + d, 1);
  }
}

void attend_block(Block& block) {
  const AttendTask& task = block.task;
  fetch_context(block);
  const std::ptrdiff_t end = task.mask == MaskRoute::causal ? block.query + block.rows : task.tokens;
  for (block.key = 0; block.key < end; block.key += chunk_keys) {
    block.is_first = block.key == 0;
    block.is_last = block.key + chunk_keys >= end;
    block.keys = block.is_last ? end - block.key : chunk_keys;
    score(block);
    for (int row = 0; row < block.rows; row += tile_rows) {
      const int rows = block.rows - row < tile_rows ? block.rows - row : tile_rows;
      with_sizes<tile_rows, 1>(rows, 1, [&]<int R, int V>() { normalize<R>(block, row); });
    }
    weigh_values(block);
    if (task.weights) show_weights(block);
  }
}

void attend(const AttendTask& task) {
  for (std::ptrdiff_t done = 0; done < task.query_count; done += block_rows) {
    const std::ptrdiff_t left = task.query_count - done;
    float* const partial = task.scratch + block_rows * score_stride;
    Block block{.task = task,
                .query = task.first_query + done,
                .rows = left < block_rows ? static_cast<int>(left) : block_rows,
                .scores = task.scratch,
                .partial = partial,
                .largest = partial + block_rows * rounded_up(task.head_dim, lanes)};
    attend_block(block);
    for (int row = 0; row < block.rows; ++row) {
      task.row_max[done + row] = task.by_sum ? 0.0F : block.max[row] * scale_after_scoring(task);
      task.row_sum[done + row] = block.sum[row];
      if (is_masked_after(task)) task.masked_sum[done + row] = block.masked_sum[row] / block.sum[row];
    }
  }
}

}  // namespace
}  // namespace attnscope
