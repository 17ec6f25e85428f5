// Scores of some queries of one head and a chunk of its keys. Included once by the file of each instruction set.

#include "core/kernels/kernels.h"
#include "core/kernels/tile.h"
#include "core/kernels/weigh.inl"

namespace attnscope {
namespace {

constexpr int block_rows = 2 * tile_rows;  // queries that go through all steps together
constexpr int chunk_keys = 1024;           // keys whose scores are held at a time: they fit the nearest caches
// Chunks begin where a packed panel of every instruction set begins, so that all add the same parts of a row.
constexpr std::ptrdiff_t key_alignment = 64;
static_assert(key_alignment % tile_width == 0 && chunk_keys % key_alignment == 0);
constexpr std::ptrdiff_t score_stride = chunk_keys + 16;  // a power of two would fall on the same cache lines
constexpr float infinity = __builtin_inff();

std::ptrdiff_t rounded_up(std::ptrdiff_t count, std::ptrdiff_t step) { return (count + step - 1) / step * step; }

std::ptrdiff_t attend_scratch(std::ptrdiff_t value_dim) {
  return block_rows * (score_stride + rounded_up(value_dim, lanes) + lanes) + tile_rows * tile_width;
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
  KeyRange reads[block_rows] = {};  // of each row: keys that softmax reads
  KeyRange sees[block_rows] = {};   // and keys that have a weight
  std::ptrdiff_t key = 0;           // first one of the chunk
  std::ptrdiff_t keys = 0;          // of the chunk
  bool is_first = true;             // chunk
  float* scores;    // (rows, score_stride): scores of the chunk, then its weights before they are divided
  float* partial;   // (rows, padded value_dim): weighted values of the chunks so far
  float* part;      // (tile_rows, tile_width): of one tile, the keys of the chunk so far
  float* largest;   // (rows, lanes): largest of the chunk's scores, each lane for itself
  Spans read = {};  // `reads` within the chunk
  Spans seen = {};  // `sees` within the chunk, whose values are added; only where weights are masked
  float max[block_rows] = {};
  float sum[block_rows] = {};
  float masked_sum[block_rows] = {};
  float rescale[block_rows] = {};  // what a new maximum does to the sums so far
};

KeyRange seen_by(const AttendTask& task, std::ptrdiff_t query) {
  return task.visible ? task.visible[query - task.first_query] : KeyRange{0, task.key_count};
}

KeyRange read_by(const AttendTask& task, std::ptrdiff_t query) {
  if (task.read) return task.read[query - task.first_query];
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

// The ranges of the rows, as far as they lie in the chunk.
void set_spans(Spans& spans, const Block& block, const KeyRange* ranges) {
  const KeyRange chunk{block.key, block.key + block.keys};
  for (int row = 0; row < block.rows; ++row) {
    KeyRange range = common(ranges[row], chunk);
    range = range.is_empty() ? KeyRange{} : KeyRange{range.first - block.key, range.last - block.key};
    const int tile = row / tile_rows;
    const bool is_first = row % tile_rows == 0;
    spans.row[row] = range;
    spans.any[tile] = is_first ? range : joined(spans.any[tile], range);
    spans.all[tile] = is_first ? range : common(spans.all[tile], range);
  }
}

const Spans& seen(const Block& block) { return block.task.masks_weights ? block.seen : block.read; }

// Takes a tile's scores into the largest of their rows while they are in registers. A score that is not read is
// replaced by the one that has no weight. NaN wins or loses as the processor has it, and shows in the sum.
template <int R, int V>
ATTNSCOPE_INLINE void note_largest(const Block& block, int row, std::ptrdiff_t panel, const Floats (&scores)[R][V]) {
  const KeyRange& all = block.read.all[row / tile_rows];
  const float weightless = block.task.by_sum ? 0.0F : -infinity;
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
        const Floats read = lanes_between(scores[r][v], range.first - first, range.last - first, weightless);
        store(block.scores + (row + r) * score_stride + first, read);
        largest = larger(largest, read);
      }
    }
    store(place, largest);
  }
}

// Scores of which more than a multiple is wanted are finished as they are made, so that the largest is known at once.
ATTNSCOPE_INLINE bool finishes_scores(const AttendTask& task) { return task.score.cap > 0 || task.bias || task.hidden; }

float scale_after_scoring(const AttendTask& task) { return finishes_scores(task) ? 1.0F : task.score.scale; }

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
  Floats power[] = {size * broadcast(-2 * log2_of_e)};
  exp2_of_negative(power);
  const Floats far = (one - power[0]) / (one + power[0]);
  return broadcast(map.cap) * (size > one ? (y < 0 ? -far : far) : y * above / below);
}

// Minus infinity in the lanes of hidden keys.
ATTNSCOPE_INLINE Floats hide(Floats score, std::uint32_t hidden) {
  return lanes_of_bits(score, ~hidden) + lanes_of_bits(broadcast(-infinity), hidden);
}

// Scaled or capped, biased and hidden. Of a tile in memory: indexed by loops, its vectors would not stay in registers
// while they are summed.
__attribute__((noinline)) void finish_rows(const Block& block, int row, std::ptrdiff_t panel, int rows, int vectors) {
  const AttendTask& task = block.task;
  for (int r = row; r < row + rows; ++r) {
    const std::ptrdiff_t query = block.query + r;
    const std::uint64_t* const hidden =
        task.hidden ? task.hidden + (query - task.first_query) * task.hidden_stride : nullptr;
    const float* const bias = task.bias ? task.bias + (query - task.first_query) * task.bias_stride : nullptr;
    for (int v = 0; v < vectors; ++v) {
      float* const at = block.scores + r * score_stride + panel + v * lanes;
      const std::ptrdiff_t key = block.key + panel + v * lanes;
      Floats score = load(at);
      score = task.score.cap > 0 ? capped(score, task.score) : score * broadcast(task.score.scale);
      if (bias && key < task.key_count) score += load(bias + key);
      if (hidden && key < task.key_count) score = hide(score, kept_bits(hidden, key));
      store(at, score);
    }
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
  if (finishes_scores(task)) {
    finish_rows(block, row, panel, R, V);
    clear(sum);
    add_stored(sum, scores, score_stride);
  }
  note_largest(block, row, panel, sum);
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

}  // namespace
}  // namespace attnscope
