#include "core/blocks.h"

#include "core/dropout.h"
#include "core/evaluate.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>

namespace attnscope {

namespace {

// Input features that are copied together: so many floats of a column fill a cache line.
constexpr Index depth_step = 16;

// Packs columns [first, last) of the source, which start at column `at` of the panel.
void pack_columns(const Kernels& kernels, float* panel, Index at, const WeightColumns& source, Index first, Index last,
                  Index depth) {
  const Index width = kernels.panel_width;
  const float* const from = source.first + first * source.column_stride;
  for (Index k = 0; k < depth; k += depth_step) {
    const Index count = std::min(depth_step, depth - k);
    float* const to = panel + k * width + at;
    if (source.depth_stride == 1) {
      kernels.transpose(to, width, from + k, source.column_stride, last - first, count);
    } else {
      for (Index d = 0; d < count; ++d) std::copy_n(from + (k + d) * source.depth_stride, last - first, to + d * width);
    }
  }
}

// Gives packed weights their size, and zeros as biases.
void set_size(PackedWeights& weights, const Kernels& kernels, Index columns, Index input_features) {
  weights.depth = input_features;
  weights.width = kernels.panel_width;
  weights.columns = columns;
  weights.panel_columns = rounded_up(blocks_of(columns, blocks_of(columns, weights.width)), kernels.lanes);
  const Index padded = weights.panel_count() * weights.width;
  weights.biases.reserve(static_cast<std::size_t>(padded));
  std::fill_n(weights.biases.get(), padded, 0.0F);
}

float* reserve_panels(PackedWeights& weights) {
  return weights.panels.reserve(static_cast<std::size_t>(weights.panel_count() * weights.width * weights.depth));
}

// Calls work(source, from, to, first) for each source that has columns in [begin, end) of the whole: they are
// [from, to) of the whole, and the source begins with column `first` of it.
template <typename Work>
void for_each_source(const std::vector<WeightColumns>& sources, Index begin, Index end, const Work& work) {
  Index first = 0;
  for (const WeightColumns& source : sources) {
    const Index from = std::max(begin, first);
    const Index to = std::min(end, first + source.count);
    if (from < to) work(source, from, to, first);
    first += source.count;
  }
}

}  // namespace

void PackedWeights::refer_to(const Kernels& kernels, std::span<const WeightColumns> from, Index input_features) {
  sources.assign(from.begin(), from.end());
  has_bias = std::ranges::any_of(sources, [](const WeightColumns& source) { return source.bias != nullptr; });
  Index total = 0;
  for (const WeightColumns& source : sources) total += source.count;
  set_size(*this, kernels, total, input_features);
  for_each_source(sources, 0, total, [&](const WeightColumns& source, Index begin, Index end, Index) {
    if (!source.bias) return;
    for (Index column = begin; column < end; ++column)
      biases.get()[column / panel_columns * width + column % panel_columns] = source.bias[column - begin];
  });
}

void PackedWeights::pack(const Kernels& kernels, std::span<const WeightColumns> from, Index input_features,
                         const Execution& execution) {
  refer_to(kernels, from, input_features);
  float* const first = reserve_panels(*this);
  for_each_block(execution, panel_count(),
                 [&](Index index) { pack_panel(kernels, index, first + index * depth * width); });
  sources.clear();
}

void PackedWeights::pack_panel(const Kernels& kernels, Index index, float* panel) const {
  const Index begin = first_column(index);
  const Index end = begin + column_count(index);
  if (end < begin + width) std::fill_n(panel, depth * width, 0.0F);
  for_each_source(sources, begin, end, [&](const WeightColumns& source, Index from, Index to, Index first) {
    pack_columns(kernels, panel, from - begin, source, from - first, to - first, depth);
  });
}

const float* PackedWeights::numbers_of(Index index) const {
  if (is_packed()) return panel(index);
  const float* numbers = nullptr;
  const Index begin = first_column(index);
  for_each_source(sources, begin, begin + 1, [&](const WeightColumns& source, Index from, Index, Index first) {
    if (source.depth_stride == 1) numbers = source.first + (from - first) * source.column_stride;
  });
  return numbers;
}

void PackedWeights::reserve(const Kernels& kernels, Index column_count, Index input_features) {
  set_size(*this, kernels, column_count, input_features);
  std::fill_n(reserve_panels(*this), panel_count() * width * depth, 0.0F);
}

void PackedWeights::put(const Kernels& kernels, Index column, Index feature, const WeightColumns& source,
                        Index features) {
  for (Index done = 0; done < source.count;) {
    const Index index = (column + done) / panel_columns;
    const Index at = column + done - first_column(index);
    const Index count = std::min(column_count(index) - at, source.count - done);
    float* const panel = panels.get() + (index * depth + feature) * width;
    pack_columns(kernels, panel, at, source, done, done + count, features);
    done += count;
  }
}

namespace {

// Numbers of inputs that are taken at a time: they stay in the second-level cache, with one panel of weights and the
// next on its way, while all panels pass.
constexpr Index most_block_inputs = Index{128} * 768;
constexpr Index most_block_panels = 16;
constexpr Index least_blocks = 8;  // so that no thread waits long for the last one, where there are tokens enough
constexpr Index least_block_tokens = 32;
constexpr Index most_undivided_tokens = 96;  // up to so many tokens, blocks divide panels, not tokens
constexpr Index most_groups = 8;             // vectors in a panel, for any instruction set
constexpr Index scratch_tokens = 48;
constexpr Index most_width = 64;  // columns in a panel, for any instruction set

// Part of a panel for some tokens of one batch entry.
struct Piece {
  Index batch = 0;
  Index token = 0;
  Index count = 0;
  Index panel = 0;
  Index next_panel = 0;           // the panel that is multiplied next
  const float* packed = nullptr;  // the panel
};

// Returns where the columns of a piece go, `step` columns apart.
class Places {
public:
  Places(const ProjectionTask& task, const Piece& piece, Index column, Index step)
      : task_(task), step_(step), in_head_(column % task.head_dim) {
    const Index head = piece.batch * task.head_count + column / task.head_dim;
    head_ = task.heads + (head * task.tokens + piece.token) * task.head_dim;
  }
  float* next() {
    for (; in_head_ >= task_.head_dim; in_head_ -= task_.head_dim) head_ += task_.tokens * task_.head_dim;
    float* const place = head_ + in_head_;
    in_head_ += step_;
    return place;
  }

private:
  const ProjectionTask& task_;
  Index step_;
  Index in_head_;
  float* head_;
};

PanelProduct product_of(const ProjectionTask& task, const Piece& piece) {
  const PackedWeights& weights = *task.weights;
  return {.a = task.inputs + (piece.batch * task.tokens + piece.token) * weights.depth,
          .a_stride = weights.depth,
          .rows = piece.count,
          .depth = weights.depth,
          .panel = piece.packed,
          .next = weights.numbers_of(piece.next_panel),
          .bias = weights.panel_bias(piece.panel)};
}

// Packs one panel of unpacked weights into this thread's memory, where it stays until the next call.
const float* packed_here(const PackedWeights& weights, const Kernels& kernels, Index panel) {
  thread_local Workspace scratch;
  float* const to = scratch.reserve(static_cast<std::size_t>(weights.depth * weights.width));
  weights.pack_panel(kernels, panel, to);
  return to;
}

Index most_tokens(Index depth) { return std::max<Index>(most_block_inputs / depth, 1); }

// Multiplies through a scratch of whole vectors, for heads that do not begin and end with one.
void project_scattered(const ProjectionTask& task, const Kernels& kernels, const Piece& whole) {
  alignas(64) std::array<float, scratch_tokens * most_width> scratch;
  std::array<float*, most_groups> groups{};
  const Index begin = task.weights->first_column(whole.panel);
  const Index columns = task.weights->column_count(whole.panel);
  const Index group_count = (columns + kernels.lanes - 1) / kernels.lanes;
  for (Index g = 0; g < group_count; ++g) groups.at(static_cast<std::size_t>(g)) = scratch.data() + g * kernels.lanes;
  for (Index done = 0; done < whole.count; done += scratch_tokens) {
    Piece piece = whole;
    piece.token += done;
    piece.count = std::min(scratch_tokens, whole.count - done);
    PanelProduct product = product_of(task, piece);
    product.groups = groups.data();
    product.group_count = static_cast<int>(group_count);
    product.c_stride = kernels.panel_width;
    kernels.multiply_panel(product);
    Places places(task, piece, begin, 1);
    for (Index column = 0; column < columns; ++column) {
      float* const to = places.next();
      for (Index t = 0; t < piece.count; ++t) {
        to[t * task.head_dim] = scratch[static_cast<std::size_t>(t * kernels.panel_width + column)];
      }
    }
  }
}

void project_piece(const ProjectionTask& task, const Kernels& kernels, const Piece& piece) {
  const Index begin = task.weights->first_column(piece.panel);
  const Index columns = task.weights->column_count(piece.panel);
  const bool crosses_heads = task.head_count > 1 && task.head_dim % kernels.lanes != 0;
  if (columns % kernels.lanes != 0 || crosses_heads) return project_scattered(task, kernels, piece);
  std::array<float*, most_groups> groups{};
  const Index group_count = columns / kernels.lanes;
  Places places(task, piece, begin, kernels.lanes);
  for (Index g = 0; g < group_count; ++g) groups.at(static_cast<std::size_t>(g)) = places.next();
  PanelProduct product = product_of(task, piece);
  product.groups = groups.data();
  product.group_count = static_cast<int>(group_count);
  product.c_stride = task.head_dim;
  kernels.multiply_panel(product);
}

}  // namespace

HeadPanels panels_of_head(const ProjectionTask& task, Index matrix) {
  const Index column = matrix % task.head_count * task.head_dim;
  const Index width = task.weights->panel_columns;
  return {matrix / task.head_count, column / width, blocks_of(column + task.head_dim, width)};
}

bool is_undivided(Index batch_size, Index tokens, Index depth) {
  return batch_size == 1 && tokens <= std::min(most_undivided_tokens, most_tokens(depth));
}

ProjectionBlocks blocks_of(const ProjectionTask& task, const Kernels& kernels) {
  const Index count = std::max<Index>(task.last - task.first, 1);
  const Index panel_count = task.weights->panel_count();
  ProjectionBlocks blocks;
  const bool divides_panels = panel_count > 1 && count <= most_undivided_tokens;
  const Index few = std::min(blocks_of(least_blocks, task.batch_size), std::max<Index>(count / least_block_tokens, 1));
  const Index wanted_blocks = std::max(blocks_of(count, most_tokens(task.weights->depth)), divides_panels ? 1 : few);
  blocks.tokens = rounded_up(blocks_of(count, wanted_blocks), kernels.panel_rows);
  blocks.token_blocks = blocks_of(count, blocks.tokens);
  const Index most_panels = divides_panels ? 1 : most_block_panels;
  blocks.panels = panel_count;
  if (panel_count > most_panels) {
    blocks.panels = blocks_of(panel_count, blocks_of(panel_count, most_panels));
    blocks.panel_blocks = blocks_of(panel_count, blocks.panels);
  }
  blocks.first = task.head_first.last > 0 ? blocks.token_blocks : 0;
  blocks.count = blocks.first + task.batch_size * blocks.token_blocks * blocks.panel_blocks;
  return blocks;
}

void project_block(const ProjectionTask& task, const ProjectionBlocks& blocks, const Kernels& kernels, Index block) {
  const HeadPanels& head = task.head_first;
  const bool is_head = block < blocks.first;
  const Index other = block - blocks.first;
  Piece piece{.batch = other, .token = task.first};
  Index first_panel = 0;
  Index last_panel = task.weights->panel_count();
  if (is_head) {
    piece.batch = head.batch;
    piece.token += block * blocks.tokens;
    first_panel = head.first;
    last_panel = head.last;
  } else if (blocks.token_blocks * blocks.panel_blocks > 1) {  // divisions are slow where all else is little
    piece.batch = other / blocks.panel_blocks / blocks.token_blocks;
    piece.token += other / blocks.panel_blocks % blocks.token_blocks * blocks.tokens;
    first_panel = other % blocks.panel_blocks * blocks.panels;
    last_panel = std::min(first_panel + blocks.panels, last_panel);
  }
  piece.count = std::min(blocks.tokens, task.last - piece.token);
  for (piece.panel = first_panel; piece.panel < last_panel; ++piece.panel) {
    const bool is_done = !is_head && piece.batch == head.batch && piece.panel >= head.first && piece.panel < head.last;
    if (is_done) continue;
    piece.next_panel = (piece.panel + 1) % task.weights->panel_count();  // also where the next block has it
    piece.packed =
        task.weights->is_packed() ? task.weights->panel(piece.panel) : packed_here(*task.weights, kernels, piece.panel);
    project_piece(task, kernels, piece);
  }
}

namespace {

Index words_of(const AttentionConfig& config) { return blocks_of(key_count(config), 64); }

void set_bits(std::span<std::uint64_t> words, const KeyRange& range) {
  for (Index key = range.first; key < range.last;) {
    const Index end = std::min<Index>(range.last, (key / 64 + 1) * 64);
    const std::uint64_t ones = end - key == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - key)) - 1;
    words[static_cast<std::size_t>(key / 64)] |= ones << (key % 64);
    key = end;
  }
}

}  // namespace

// Counts in floats; two of them hold a word of bits.
std::size_t BlockKeys::scratch_size(const AttentionConfig& config) {
  const Index kept = dropout_is_active(config) ? 2 : 0;
  const Index hidden = config.mask == MaskRoute::custom ? 2 : 0;
  const Index bias = has_bias(config) ? 64 : 0;
  return static_cast<std::size_t>((kept + hidden + bias) * words_of(config) * block_queries);
}

BlockKeys::BlockKeys(const Result& result, Index matrix, Index first_query, Index count, float* scratch)
    : words_(words_of(result.config)) {
  const AttentionConfig& config = result.config;
  const Visibility seen = visibility(config);
  bool has_gaps = false;
  for (Index row = 0; row < count; ++row) {
    visible_.at(static_cast<std::size_t>(row)) = seen.of(first_query + row);
    has_gaps = has_gaps || (!seen.hidden.is_empty() && !seen.gaps(first_query + row).empty());
  }
  const std::size_t words = static_cast<std::size_t>(count * words_);
  const auto take_words = [&] {
    auto* const bits = reinterpret_cast<std::uint64_t*>(scratch);
    scratch += 2 * words;
    return std::span(bits, words);
  };
  if (result.dropout) read_kept(take_words(), result, matrix, first_query);
  if (has_gaps) read_hidden(take_words(), seen, first_query);
  if (has_bias(config)) read_bias({scratch, 64 * words}, config, matrix, first_query);
}

void BlockKeys::read_bias(std::span<float> numbers, const AttentionConfig& config, Index matrix, Index first_query) {
  const Bias bias(config);
  const Index keys = key_count(config);
  const bool masks_weights = has_stage(config, Stage::masked_weights);
  const Stage masked = masks_weights ? Stage::masked_weights : Stage::weights;
  const Index count = std::ssize(numbers) / (64 * words_);
  bias_ = numbers.data();
  has_read_ = true;
  for (Index row = 0; row < count; ++row) {
    const std::span<const float> from = bias.row(matrix, first_query + row);
    float* const to = numbers.data() + row * 64 * words_;
    if (std::ssize(from) == keys) {
      std::ranges::copy(from, to);
    } else {
      std::fill_n(to, keys, from.front());
    }
    std::fill(to + keys, to + 64 * words_, 0.0F);
    const auto at = static_cast<std::size_t>(row);
    if (sees_nothing(config, masked, matrix, first_query + row)) visible_.at(at) = {};
    read_.at(at) = masks_weights ? KeyRange{0, keys} : visible_.at(at);
    if (sees_nothing(config, Stage::weights, matrix, first_query + row)) read_.at(at) = {};
  }
}

void BlockKeys::read_kept(std::span<std::uint64_t> bits, const Result& result, Index matrix, Index first_query) {
  kept_ = bits.data();
  kept_factor_ = result.dropout->factor();
  DropoutRows rows(*result.dropout);
  for (std::size_t row = 0; row * static_cast<std::size_t>(words_) < bits.size(); ++row) {
    const Index last = visible_.at(row).last;
    const auto of_row = bits.subspan(row * static_cast<std::size_t>(words_));
    rows.read(of_row.first(static_cast<std::size_t>(blocks_of(last, 64))), matrix,
              first_query + static_cast<Index>(row), 0, last);
  }
}

void BlockKeys::read_hidden(std::span<std::uint64_t> bits, const Visibility& seen, Index first_query) {
  hidden_ = bits.data();
  std::ranges::fill(bits, 0);
  Index query = first_query;
  for (auto left = bits; !left.empty(); left = left.subspan(static_cast<std::size_t>(words_)), ++query) {
    for (const KeyRange& gap : seen.gaps(query)) set_bits(left, gap);
  }
}

void BlockKeys::put_into(AttendTask& task) const {
  task.visible = visible_.data();
  task.read = has_read_ ? read_.data() : nullptr;
  task.bias = bias_;
  task.bias_stride = 64 * words_;
  task.kept = kept_;
  task.kept_stride = words_;
  task.kept_factor = kept_factor_;
  task.hidden = hidden_;
  task.hidden_stride = words_;
}

}  // namespace attnscope
