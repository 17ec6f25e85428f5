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
  return block_rows * (score_stride + rounded_up(head_dim, lanes) + lanes) + tile_rows * tile_width;
}

// Keys of the chunk, counted from its first, that rows of the block need; of each row, and for each tile of rows.
struct Spans {
  KeyRange row[block_rows];
  KeyRange any[block_rows / tile_rows];  // of the tile's rows need it
  KeyRange all[block_rows / tile_rows];
};

// Some queries on their way through the chunks of keys.
struct Block {
  const AttendTask& task;
  std::ptrdiff_t query;  // first one
  int rows;
  std::ptrdiff_t key = 0;   // first one of the chunk
  std::ptrdiff_t keys = 0;  // of the chunk
  bool is_first = true;     // chunk
  float* scores;            // (rows, score_stride): scores of the chunk, then its weights before they are divided
  float* partial;           // (rows, padded head_dim): weighted values of the chunks so far
  float* part;              // (tile_rows, tile_width): of one tile, the keys of the chunk so far
  float* largest;           // (rows, lanes): largest of the chunk's scores, each lane for itself
  Spans read = {};          // by normalization
  Spans seen = {};          // whose values are added; those that are read, but where the weights are masked
  float max[block_rows] = {};
  float sum[block_rows] = {};
  float masked_sum[block_rows] = {};
  float rescale[block_rows] = {};  // what a new maximum does to the sums so far
};

KeyRange seen_by(const AttendTask& task, std::ptrdiff_t query) {
  return task.visible ? task.visible[query - task.first_query] : KeyRange{0, task.key_count};
}

KeyRange read_by(const AttendTask& task, std::ptrdiff_t query) {
  return task.masks_weights ? KeyRange{0, task.key_count} : seen_by(task, query);
}

// The smallest range that holds both.
KeyRange joined(const KeyRange& a, const KeyRange& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {a.first < b.first ? a.first : b.first, a.last > b.last ? a.last : b.last};
}

KeyRange common(const KeyRange& a, const KeyRange& b) {
  return {a.first > b.first ? a.first : b.first, a.last < b.last ? a.last : b.last};
}

// range_of(task, query) of each row, as far as it lies in the chunk.
void set_spans(Spans& spans, const Block& block, KeyRange (*range_of)(const AttendTask&, std::ptrdiff_t)) {
  const KeyRange chunk{block.key, block.key + block.keys};
  for (int row = 0; row < block.rows; ++row) {
    KeyRange range = common(range_of(block.task, block.query + row), chunk);
    range = range.is_empty() ? KeyRange{} : KeyRange{range.first - block.key, range.last - block.key};
    const int tile = row / tile_rows;
    const bool is_first = row % tile_rows == 0;
    spans.row[row] = range;
    spans.any[tile] = is_first ? range : joined(spans.any[tile], range);
    spans.all[tile] = is_first ? range : common(spans.all[tile], range);
  }
}

const Spans& seen(const Block& block) { return block.task.masks_weights ? block.seen : block.read; }

// Takes a tile's scores into the largest of their rows while they are in registers, but for those that are not read;
// NaN wins or loses as the processor has it, and shows in the sum.
template <int R, int V>
ATTNSCOPE_INLINE void note_largest(const Block& block, int row, std::ptrdiff_t panel, const Floats (&scores)[R][V]) {
  const KeyRange& all = block.read.all[row / tile_rows];
  const bool is_whole = all.first <= panel && panel + V * lanes <= all.last;
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    float* const place = block.largest + (row + r) * lanes;
    Floats largest = load(place);
    if (is_whole) {
      ATTNSCOPE_UNROLL
      for (int v = 0; v < V; ++v) largest = larger(largest, scores[r][v]);
    } else {
      const KeyRange& range = block.read.row[row + r];
      ATTNSCOPE_UNROLL
      for (int v = 0; v < V; ++v) {
        const std::ptrdiff_t first = panel + v * lanes;
        largest = larger(largest, lanes_between(scores[r][v], range.first - first, range.last - first, -infinity));
      }
    }
    store(place, largest);
  }
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

// Of a tile in memory: indexed by loops, its vectors would not stay in registers while they are summed.
__attribute__((noinline)) void cap_rows(float* scores, int rows, int vectors, const ScoreMap& map) {
  for (int r = 0; r < rows; ++r) {
    float* const row = scores + r * score_stride;
    for (int v = 0; v < vectors; ++v) store(row + v * lanes, capped(load(row + v * lanes), map));
  }
}

template <int R, int V>
ATTNSCOPE_INLINE void store_rows(float* rows, std::ptrdiff_t stride, const Floats (&from)[R][V]) {
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    ATTNSCOPE_UNROLL
    for (int v = 0; v < V; ++v) store(rows + r * stride + v * lanes, from[r][v]);
  }
}

template <int R, int V>
ATTNSCOPE_INLINE void add_stored(Floats (&sum)[R][V], const float* rows, std::ptrdiff_t stride) {
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    ATTNSCOPE_UNROLL
    for (int v = 0; v < V; ++v) sum[r][v] += load(rows + r * stride + v * lanes);
  }
}

template <int R, int V>
ATTNSCOPE_INLINE void add_scaled(Floats (&sum)[R][V], const float* rows, std::ptrdiff_t stride, const float* factors) {
  ATTNSCOPE_UNROLL
  for (int r = 0; r < R; ++r) {
    const Floats factor = broadcast(factors[r]);
    ATTNSCOPE_UNROLL
    for (int v = 0; v < V; ++v) sum[r][v] = multiply_add(load(rows + r * stride + v * lanes), factor, sum[r][v]);
  }
}

// Scores = or += what the features from `feature` on add to them.
template <int R, int V>
ATTNSCOPE_INLINE void score_tile(const Block& block, int row, std::ptrdiff_t panel, std::ptrdiff_t feature) {
  const AttendTask& task = block.task;
  const std::ptrdiff_t count = part_of(task.head_dim, feature);
  Floats sum[R][V];
  clear(sum);
  accumulate(sum, task.queries + (block.query + row) * task.head_dim + feature, task.head_dim,
             task.keys + (block.key + panel) * task.head_dim + feature * tile_width, tile_width, count);
  float* const scores = block.scores + row * score_stride + panel;
  if (feature > 0) add_stored(sum, scores, score_stride);
  store_rows(scores, score_stride, sum);
  if (feature + count < task.head_dim) return;
  if (task.score.cap > 0) {
    cap_rows(scores, R, V, task.score);
    clear(sum);
    add_stored(sum, scores, score_stride);
  }
  if (!task.by_sum) note_largest(block, row, panel, sum);
}

// scores (rows, keys) = queries @ keys.T for the chunk, those that are not read left out by whole vectors.
void score(const Block& block) {
  for (int row = 0; row < block.rows; ++row) store(block.largest + row * lanes, broadcast(-infinity));
  for (std::ptrdiff_t panel = 0; panel < block.keys; panel += tile_width) {
    for (int row = 0; row < block.rows; row += tile_rows) {
      const int rows = block.rows - row < tile_rows ? block.rows - row : tile_rows;
      const KeyRange& needed = block.read.any[row / tile_rows];
      if (needed.last <= panel || needed.first >= panel + tile_width) continue;
      const std::ptrdiff_t vectors = (needed.last - panel + lanes - 1) / lanes;
      const int wanted = vectors < tile_vectors ? static_cast<int>(vectors) : tile_vectors;
      for (std::ptrdiff_t feature = 0; feature < block.task.head_dim; feature += most_products) {
        with_sizes<tile_rows, tile_vectors>(rows, wanted,
                                            [&]<int R, int V>() { score_tile<R, V>(block, row, panel, feature); });
      }
    }
  }
}

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
  block.rescale[row] = now == before ? 1.0F : __builtin_expf((before - now) * scale_after_scoring(block.task));
  return now == -infinity ? 0.0F : now;
}

// What the mask leaves of weights: their sum before dropout, which therefore happens here and not before.
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
                 .ranges = block.read.row + row,
                 .any = block.read.any[tile],
                 .all = block.read.all[tile],
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

// What the row's sum is at last: not a number where all that softmax read had overflown to minus infinity.
float final_sum(const Block& block, int row) {
  const bool reads_nothing = read_by(block.task, block.query + row).is_empty();
  if (!block.task.by_sum && block.max[row] == -infinity && !reads_nothing) return __builtin_nanf("");
  return block.sum[row];
}

// What a row's weighted values are multiplied by at the end. A query that sees no key gets zeros.
float final_factor(const Block& block, int row) {
  const AttendTask& task = block.task;
  const KeyRange range = read_by(task, block.query + row);
  if (seen_by(task, block.query + row).is_empty()) return 0;
  const bool reads_all = range == KeyRange{0, task.key_count};
  if (task.by_sum && !reads_all) return __builtin_nanf("");  // -inf / -inf
  return task.kept_factor / (task.renormalizes ? block.masked_sum[row] : final_sum(block, row));
}

// The part of weights @ values that begins with a key of the chunk, added to what came before: the chunk's other parts,
// and with the last of them the chunks before.
template <int R, int V>
ATTNSCOPE_INLINE void weigh_values_tile(const Block& block, int row, std::ptrdiff_t column, std::ptrdiff_t key) {
  const AttendTask& task = block.task;
  const KeyRange& keys = seen(block).any[row / tile_rows];
  const std::ptrdiff_t partial_stride = rounded_up(task.head_dim, lanes);
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

// partial (rows, head_dim) += weights of the chunk @ its values
void weigh_values(const Block& block) {
  for (int row = 0; row < block.rows; row += tile_rows) {
    const int rows = block.rows - row < tile_rows ? block.rows - row : tile_rows;
    const KeyRange& keys = seen(block).any[row / tile_rows];
    for (std::ptrdiff_t column = 0; column < block.task.head_dim; column += tile_width) {
      const std::ptrdiff_t vectors = (block.task.head_dim - column + lanes - 1) / lanes;
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

// context (rows, head_dim): what all chunks came to, divided at last. Columns that do not fill a vector must not run
// over what stands behind them.
void write_context(const Block& block) {
  const AttendTask& task = block.task;
  for (int row = 0; row < block.rows; ++row) {
    const Floats factor = broadcast(final_factor(block, row));
    const float* const from = block.partial + row * rounded_up(task.head_dim, lanes);
    float* const to = task.context + (block.query - task.first_query + row) * task.context_stride;
    std::ptrdiff_t d = 0;
    for (; d + lanes <= task.head_dim; d += lanes) store(to + d, load(from + d) * factor);
    if (d == task.head_dim) continue;
    float last[lanes];
    store(last, load(from + d) * factor);
    for (int lane = 0; d < task.head_dim; ++d, ++lane) to[d] = last[lane];
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
  KeyRange needed;
  for (int row = 0; row < block.rows; ++row) {
    needed = joined(needed, read_by(task, block.query + row));
    block.max[row] = -infinity;
  }
  block.key = needed.first / tile_width * tile_width;  // where a packed panel begins
  do {                                                 // once for queries that see nothing, too
    block.keys = needed.last - block.key < chunk_keys ? needed.last - block.key : chunk_keys;
    set_spans(block.read, block, read_by);
    if (task.masks_weights) set_spans(block.seen, block, seen_by);
    score(block);
    for (int row = 0; row < block.rows; row += tile_rows) {
      const int rows = block.rows - row < tile_rows ? block.rows - row : tile_rows;
      with_sizes<tile_rows, 1>(rows, 1, [&]<int R, int V>() { normalize<R>(block, row); });
    }
    weigh_values(block);
    block.key += block.keys;
    block.is_first = false;
  } while (block.key < needed.last);
  write_context(block);
}

void attend(const AttendTask& task) {
  for (std::ptrdiff_t done = 0; done < task.query_count; done += block_rows) {
    const std::ptrdiff_t left = task.query_count - done;
    float* const partial = task.scratch + block_rows * score_stride;
    float* const part = partial + block_rows * rounded_up(task.head_dim, lanes);
    Block block{.task = task,
                .query = task.first_query + done,
                .rows = left < block_rows ? static_cast<int>(left) : block_rows,
                .scores = task.scratch,
                .partial = partial,
                .part = part,
                .largest = part + tile_rows * tile_width};
    attend_block(block);
    for (int row = 0; row < block.rows; ++row) {
      task.row_max[done + row] = task.by_sum ? 0.0F : block.max[row] * scale_after_scoring(task);
      task.row_sum[done + row] = final_sum(block, row);
      if (task.masks_weights) task.masked_sum[done + row] = block.masked_sum[row] / final_sum(block, row);
    }
  }
}

}  // namespace
}  // namespace attnscope
