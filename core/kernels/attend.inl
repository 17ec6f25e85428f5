// Attention of one head without its T x T matrices. Included once by the file of each instruction set.

#include "core/kernels/kernels.h"
#include "core/kernels/score.inl"

namespace attnscope {
namespace {

template <int R>
void weigh_rows(const AttendTask& task, const ScoreRows& rows, float* sums) {
  if (task.by_sum) return rows.kept ? weigh<true, true, R>(rows, sums) : weigh<true, false, R>(rows, sums);
  return rows.kept ? weigh<false, true, R>(rows, sums) : weigh<false, false, R>(rows, sums);
}

// The running maximum of a row takes in the chunk's; all that was summed shrinks by as much as it grows. Returns what
// is subtracted from the chunk's scores: 0 as long as there is nothing but minus infinity.
float raise_max(Block& block, int row) {
  const float before = block.max[row];
  const float largest = largest_lane(load(block.largest + row * lanes));
  const float now = largest > before || largest != largest ? largest : before;
  block.max[row] = now;
  const bool is_same = block.is_first || now == before;  // nothing has been summed before the first chunk
  block.rescale[row] = is_same ? 1.0F : __builtin_expf((before - now) * scale_after_scoring(block.task));
  return now == -infinity ? 0.0F : now;
}

// Masks a row of weights and sums what is left. Dropout comes after that sum, so it happens here, too.
void mask_weights(Block& block, int row, const std::uint64_t* kept) {
  float* const weights = block.scores + row * score_stride;
  const KeyRange& any = block.seen.any[row / tile_rows];
  const KeyRange& range = block.seen.row[row];
  block.masked_sum[row] *= block.rescale[row];
  block.masked_sum[row] += sum_of(weights + range.first, range.last - range.first);
  for (std::ptrdiff_t k = range.first / lanes * lanes; kept && k < range.last; k += lanes) {
    store(weights + k, lanes_of_bits(load(weights + k), kept_bits(kept, block.key + k)));
  }
  fill_zeros(weights + any.first, weights + (range.is_empty() ? any.last : range.first));
  fill_zeros(weights + range.last, weights + any.last);
}

// The chunk's scores of R rows become their undivided weights; the running maxima and sums take them in.
template <int R>
void normalize(Block& block, int row) {
  const AttendTask& task = block.task;
  const int tile = row / tile_rows;
  float subtracted[R] = {};
  for (int r = 0; r < R; ++r) {
    block.rescale[row + r] = 1.0F;
    if (!task.by_sum) subtracted[r] = raise_max(block, row + r);
  }
  const std::uint64_t* const kept =
      task.kept ? task.kept + (block.query - task.first_query + row) * task.kept_stride : nullptr;
  float sums[R];
  weigh_rows<R>(task,
                {.first = block.scores + row * score_stride,
                 .stride = score_stride,
                 .any = block.read.any[tile],
                 .subtracted = subtracted,
                 .scale = scale_after_scoring(task),
                 .kept = task.masks_weights ? nullptr : kept,
                 .kept_stride = task.kept_stride,
                 .key = block.key},
                sums);
  for (int r = 0; r < R; ++r) {
    block.sum[row + r] = block.sum[row + r] * block.rescale[row + r] + sums[r];
    if (task.masks_weights) mask_weights(block, row + r, kept ? kept + r * task.kept_stride : nullptr);
  }
}

// Returns the final sum of a row: not a number where a score had overflown to infinity, or all of them to minus infinity.
float final_sum(const Block& block, int row) {
  const bool is_infinite = block.max[row] == -infinity || block.max[row] == infinity;
  if (!block.task.by_sum && is_infinite && !block.reads[row].is_empty()) return __builtin_nanf("");
  return block.sum[row];
}

// Returns the factor of a row's weighted values. A query that sees no key gets zeros.
float final_factor(const Block& block, int row, float sum) {
  const AttendTask& task = block.task;
  if (block.sees[row].is_empty()) return 0;
  if (sum != sum) return sum;
  const bool reads_all = block.reads[row] == KeyRange{0, task.key_count};
  if (task.by_sum && !reads_all) return __builtin_nanf("");  // -inf / -inf
  return task.kept_factor / (task.renormalizes ? block.masked_sum[row] : sum);
}

// The part of weights @ values that begins with a key of the chunk, added to what came before: the chunk's other parts,
// and with the last of them the chunks before.
template <int R, int V>
ATTNSCOPE_INLINE void weigh_values_tile(const Block& block, int row, std::ptrdiff_t column, std::ptrdiff_t key) {
  const AttendTask& task = block.task;
  const KeyRange& keys = seen(block).any[row / tile_rows];
  const std::ptrdiff_t partial_stride = rounded_up(task.value_dim, lanes);
  Floats sum[R][V];
  clear(sum);
  accumulate(sum, block.scores + row * score_stride + key, score_stride,
             task.values + (block.key + key) * task.value_stride + column, task.value_stride, part_of(keys.last, key));
  if (key > keys.first) add_stored(sum, block.part, tile_width);
  float* const partial = block.partial + row * partial_stride + column;
  const bool is_last = key + most_products >= keys.last;
  if (!is_last) return store_rows(block.part, tile_width, sum);
  if (!block.is_first) add_scaled(sum, partial, partial_stride, block.rescale + row);
  store_rows(partial, partial_stride, sum);
}

// partial (rows, value_dim) += weights of the chunk @ its values
void weigh_values(const Block& block) {
  for (int row = 0; row < block.rows; row += tile_rows) {
    const int rows = block.rows - row < tile_rows ? block.rows - row : tile_rows;
    const KeyRange& keys = seen(block).any[row / tile_rows];
    for (std::ptrdiff_t column = 0; column < block.task.value_dim; column += tile_width) {
      const std::ptrdiff_t vectors = (block.task.value_dim - column + lanes - 1) / lanes;
      const int wanted = vectors < tile_vectors ? static_cast<int>(vectors) : tile_vectors;
      std::ptrdiff_t key = keys.first;
      do {  // once for rows that see nothing, too
        with_sizes<tile_rows, tile_vectors>(rows, wanted,
                                            [&]<int R, int V>() { weigh_values_tile<R, V>(block, row, column, key); });
        key += most_products;
      } while (key < keys.last);
    }
  }
}

// Writes the context (rows, value_dim), which is divided at last. Columns that do not fill a vector must not run over
// what stands behind them.
void write_results(const Block& block) {
  const AttendTask& task = block.task;
  for (int row = 0; row < block.rows; ++row) {
    const std::ptrdiff_t at = block.query - task.first_query + row;
    const Floats factor = broadcast(final_factor(block, row, final_sum(block, row)));
    const float* const from = block.partial + row * rounded_up(task.value_dim, lanes);
    float* const to = task.context + at * task.context_stride;
    std::ptrdiff_t d = 0;
    for (; d + lanes <= task.value_dim; d += lanes) store(to + d, load(from + d) * factor);
    if (d == task.value_dim) continue;
    float last[lanes];
    store(last, load(from + d) * factor);
    for (int lane = 0; d < task.value_dim; ++d, ++lane) to[d] = last[lane];
  }
}

// Fetches the context, which is written last, while the scores are computed.
void fetch_context(const Block& block) {
  const AttendTask& task = block.task;
  for (int row = 0; row < block.rows; ++row) {
    const float* const out = task.context + (block.query - task.first_query + row) * task.context_stride;
    for (std::ptrdiff_t d = 0; d < task.value_dim; d += 16) __builtin_prefetch(out + d, 1);
  }
}

void attend_block(Block& block) {
  const AttendTask& task = block.task;
  fetch_context(block);
  KeyRange needed;
  for (int row = 0; row < block.rows; ++row) {
    block.reads[row] = read_by(task, block.query + row);
    block.sees[row] = seen_by(task, block.query + row);
    block.max[row] = -infinity;
    needed = joined(needed, block.reads[row]);
  }
  block.key = needed.first / key_alignment * key_alignment;
  do {                                                 // once for queries that see nothing, too
    block.keys = needed.last - block.key < chunk_keys ? needed.last - block.key : chunk_keys;
    set_spans(block.read, block, block.reads);
    if (task.masks_weights) set_spans(block.seen, block, block.sees);
    score(block);
    for (int row = 0; row < block.rows; row += tile_rows) {
      const int rows = block.rows - row < tile_rows ? block.rows - row : tile_rows;
      with_sizes<tile_rows, 1>(rows, 1, [&]<int R, int V>() { normalize<R>(block, row); });
    }
    weigh_values(block);
    block.key += block.keys;
    block.is_first = false;
  } while (block.key < needed.last);
  write_results(block);
}

void attend(const AttendTask& task) {
  for (std::ptrdiff_t done = 0; done < task.query_count; done += block_rows) {
    const std::ptrdiff_t left = task.query_count - done;
    float* const partial = task.scratch + block_rows * score_stride;
    float* const part = partial + block_rows * rounded_up(task.value_dim, lanes);
    Block block{.task = task,
                .query = task.first_query + done,
                .rows = left < block_rows ? static_cast<int>(left) : block_rows,
                .scores = task.scratch,
                .partial = partial,
                .part = part,
                .largest = part + tile_rows * tile_width};
    attend_block(block);
  }
}

}  // namespace
}  // namespace attnscope
