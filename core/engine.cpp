#include "core/engine.h"

#include "core/blocks.h"
#include "core/evaluate.h"
#include "core/heads.h"
#include "core/rope.h"
#include "core/run.h"
#include "core/visibility.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>
#include <vector>

namespace attnscope {

namespace {

constexpr Index block_keys = 256;  // packed in one go; a multiple of every panel

// Work below this ends before a second thread would have begun.
constexpr double least_shared_operations = 2e6;
// Work below this takes a few milliseconds, in which nobody asks for a stop.
constexpr double most_unasked_operations = 1e8;

struct Sizes {
  explicit Sizes(const AttentionConfig& config)
      : B(config.batch_size),
        T_query(query_count(config)),
        T_key(key_count(config)),
        H(head_count(config)),
        head_dim(head_features(config)),
        value_dim(value_features(config)),
        matrices(B * H),
        key_matrices(B * key_value_heads(config)) {}
  Index B;
  Index T_query;
  Index T_key;
  Index H;
  Index head_dim;
  Index value_dim;
  Index matrices;
  Index key_matrices;  // matrices of keys or of values; several heads may share one
};

// The order in which matrices are computed: one first, then the others.
struct MatrixOrder {
  Index first = 0;
  Index operator[](Index place) const { return place == 0 ? first : place <= first ? place - 1 : place; }
};

// Returns the matrix that is computed first: matrix 0 if nobody asks for another.
Index first_matrix(const Sizes& sizes, const EngineRequest& request) {
  return request.head_first ? std::clamp<Index>(request.head_first->matrix, 0, sizes.matrices - 1) : 0;
}

// If a single block reads the keys, it packs them, so that threads need not meet once more.
bool packs_while_attending(const Sizes& sizes) {
  return std::max(sizes.T_query, sizes.T_key) <= block_queries && sizes.key_matrices == sizes.matrices;
}

Tensor& own(Result& result, Stage stage, std::shared_ptr<Tensor> tensor) {
  Tensor& reference = *tensor;
  result.tensors[stage] = std::move(tensor);
  return reference;
}

const Tensor& operand(const Result& result, Stage (*stage)(const AttentionConfig&)) {
  return *result.find(stage(result.config));
}

// Writes zeros as the context of a head that is off. Its weights are computed all the same, because users look at them.
void clear_context(float* first_row, Index rows, const Sizes& sizes) {
  for (Index row = 0; row < rows; ++row)
    std::fill_n(first_row + row * sizes.H * sizes.value_dim, sizes.value_dim, 0.0F);
}

WeightColumns columns_of(const AttentionConfig& config, const Parameters& parameters, Projection projection,
                         Index head) {
  const Tensor& weight = *find(parameters, parameter_name(config, stages_of(projection).weight, head));
  if (info(config.mechanism).weight_style == WeightStyle::parameter) {
    return {weight.values.data(), weight.cols(), 1, weight.cols(), nullptr};
  }
  const Tensor* const bias = find(parameters, parameter_name(config, stages_of(projection).bias, head));
  return {weight.values.data(), weight.rows(), weight.cols(), 1, bias ? bias->values.data() : nullptr};
}

// Memory of one thread for the blocks that it runs.
float* thread_scratch(std::size_t count) {
  thread_local Workspace scratch;
  return scratch.reserve(count);
}

Index padded_values_size(const Kernels& kernels, const PackedHeads::Sizes& sizes) {
  const Index stride = rounded_up(sizes.value_dim, kernels.lanes);
  return stride == sizes.value_dim ? 0 : sizes.matrices * sizes.tokens * stride;
}

}  // namespace

void Engine::pack_weights(const Result& result, const Execution& execution, bool once) {
  if (packed_parameters_ == result.parameters) return;
  packed_parameters_.reset();
  const AttentionConfig& config = result.config;
  const Parameters& parameters = *result.parameters;
  const auto pack = [&](PackedWeights& weights, std::span<const WeightColumns> columns, Index depth) {
    const bool is_referred = once && is_undivided(Sizes(config).B, token_count(config), depth);
    is_referred ? weights.refer_to(*set_, columns, depth) : weights.pack(*set_, columns, depth, execution);
  };
  if (has_stage(config, Stage::query_weight)) {
    const Index modules = info(config.mechanism).splits_heads ? 1 : head_count(config);
    for (const Projection projection : {Projection::query, Projection::key, Projection::value}) {
      std::vector<WeightColumns> columns;
      for (Index head = 0; head < modules; ++head) {
        columns.push_back(columns_of(config, parameters, projection, head));
      }
      pack(heads_.at(static_cast<std::size_t>(projection)), columns, input_features(config));
    }
  }
  if (has_stage(config, Stage::output)) {
    const Tensor& weight = *find(parameters, "out_proj.weight");
    const std::array columns = {WeightColumns{weight.values.data(), weight.rows(), weight.cols(), 1,
                                              find(parameters, "out_proj.bias")->values.data()}};
    pack(output_, columns, weight.cols());
  }
  if (!once) packed_parameters_ = result.parameters;
}

auto Engine::project_heads(Result& result, const Execution& execution, const EngineRequest& request) {
  constexpr std::array<Stage, 3> heads = {Stage::queries, Stage::keys, Stage::values};
  const AttentionConfig& config = result.config;
  const Sizes sizes(config);
  const auto& [earlier, changed, head_first, is_once] = request;
  std::array<ProjectionTask, 3> tasks;
  ProjectionBlocks blocks{.count = 0};
  if (earlier && changed.first >= changed.last) {
    for (const Stage stage : heads) result.tensors[stage] = earlier->share(stage);
  } else if (has_stage(config, Stage::query_weight)) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      Tensor& tensor = own(result, heads.at(i), pool_.make(stage_shape(config, heads.at(i)), execution));
      if (earlier && changed.last - changed.first < sizes.T_query) tensor.values = earlier->find(heads.at(i))->values;
      tasks.at(i) = {&heads_.at(i),
                     result.find(Stage::inputs)->values.data(),
                     sizes.B,
                     sizes.T_query,
                     changed.first,
                     changed.last,
                     heads.at(i) == Stage::queries ? sizes.H : key_value_heads(config),
                     sizes.head_dim,
                     tensor.values.data(),
                     {}};
      if (!head_first) continue;
      const Index matrix = first_matrix(sizes, request);
      tasks.at(i).head_first =
          panels_of_head(tasks.at(i), heads.at(i) == Stage::queries ? matrix : key_value_matrix(config, matrix));
    }
    blocks = blocks_of(tasks[0], *set_);
  }
  const auto block = [this, tasks, blocks](Index index) {
    // Undivided tokens: a thread that has a head's queries is to have its keys and values, too.
    const bool is_interleaved = blocks.token_blocks == 1 || index < 3 * blocks.first;
    const Index others = blocks.count - blocks.first;
    const Index other = index - 3 * blocks.first;
    const Index task = is_interleaved ? index % 3 : other / others;
    project_block(tasks.at(static_cast<std::size_t>(task)), blocks, *set_,
                  is_interleaved ? index / 3 : blocks.first + other % others);
  };
  return Step{Phase::projections, 3 * blocks.count, block, 3 * blocks.first};
}

// Queries and keys that are normalized, and turn by the positions of their tokens: a block for each matrix of either.
auto Engine::finish_heads(Result& result, const Execution& execution, const EngineRequest& request) {
  const AttentionConfig& config = result.config;
  const Sizes sizes(config);
  const Result* const earlier = request.earlier;
  const TokenRange changed = request.changed;
  struct Side {
    const Tensor* plain = nullptr;
    const Tensor* gain = nullptr;
    Tensor* normalized = nullptr;  // null: queries and keys are not normalized
    Tensor* rotated = nullptr;     // null: queries and keys do not turn
  };
  std::array<Side, 2> sides;
  const bool is_shared = earlier && changed.first >= changed.last;
  const auto make = [&](Stage stage) -> Tensor* {
    if (!has_stage(config, stage)) return nullptr;
    if (is_shared) {
      result.tensors[stage] = earlier->share(stage);
      return nullptr;
    }
    Tensor& tensor = own(result, stage, pool_.make(stage_shape(config, stage), execution));
    if (earlier) tensor.values = earlier->find(stage)->values;
    return &tensor;
  };
  for (const bool is_key : {false, true}) {
    Side& side = sides.at(is_key ? 1 : 0);
    side.plain = result.find(is_key ? Stage::keys : Stage::queries);
    side.gain = result.find(is_key ? Stage::key_gain : Stage::query_gain);
    side.normalized = make(is_key ? Stage::normalized_keys : Stage::normalized_queries);
    side.rotated = make(is_key ? Stage::rotated_keys : Stage::rotated_queries);
  }
  const bool has_work = sides[0].normalized || sides[0].rotated;
  RopeTable table;
  if (sides[0].rotated) table = rope_table(config, sizes.T_query);
  const Index count = has_work ? sizes.matrices + sizes.key_matrices : 0;
  const MatrixOrder queries{first_matrix(sizes, request)};
  const MatrixOrder keys{key_value_matrix(config, first_matrix(sizes, request))};
  const auto block = [=, table = std::move(table), &config](Index index) {
    // The first head's queries and keys, then all other queries, then all other keys.
    const bool is_key = index == 1 || index > sizes.matrices;
    const Side& side = sides.at(is_key ? 1 : 0);
    const Index matrix =
        index < 2 ? (is_key ? keys : queries).first : (is_key ? keys[index - sizes.matrices] : queries[index - 1]);
    const Index width = side.plain->cols();
    const Index last = std::min(changed.last, side.plain->rows());
    for (Index token = changed.first; token < last; ++token) {
      const auto at = static_cast<std::size_t>((matrix * side.plain->rows() + token) * width);
      const auto row_of = [&](auto& tensor) {
        return std::span(tensor.values).subspan(at, static_cast<std::size_t>(width));
      };
      std::span<const float> row = row_of(*side.plain);
      if (side.normalized) {
        normalize_row(row_of(*side.normalized), row, side.gain->values);
        row = row_of(*side.normalized);
      }
      if (side.rotated) rotate_row(row_of(*side.rotated), row, config, table, token);
    }
  };
  return Step{Phase::copies, count, block, std::min<Index>(count, 2)};
}

auto Engine::pack_heads(const Result& result, const EngineRequest& request, bool holds_earlier) {
  const Sizes sizes(result.config);
  const TokenRange changed = holds_earlier ? request.changed : TokenRange{0, sizes.T_key};
  const MatrixOrder order{key_value_matrix(result.config, first_matrix(sizes, request))};
  packed_heads_.reserve(*set_, {sizes.key_matrices, sizes.T_key, sizes.head_dim, sizes.value_dim},
                        operand(result, keys_stage).values.data(), operand(result, values_stage).values.data());
  const Index first_block = changed.first / block_keys;
  const Index blocks = packs_while_attending(sizes) ? 0 : blocks_of(changed.last, block_keys) - first_block;
  const auto block = [this, order, first_block, blocks, T = sizes.T_key](Index index) {
    const Index first = (first_block + index % blocks) * block_keys;
    packed_heads_.pack(order[index / blocks], first, std::min(first + block_keys, T));
  };
  return Step{Phase::key_packing, sizes.key_matrices * blocks, block, blocks};
}

auto Engine::attend(Result& result, const Execution& execution, const EngineRequest& request, Index first_query) {
  const AttentionConfig& config = result.config;
  const Sizes sizes(config);
  const Result* const earlier = request.earlier;
  const MatrixOrder order{first_matrix(sizes, request)};
  Tensor& context = own(result, Stage::context, pool_.make(stage_shape(config, Stage::context), execution));
  if (earlier && first_query > 0) context.values = earlier->find(Stage::context)->values;
  const float* const queries = operand(result, queries_stage).values.data();
  const Index first_block = first_query / block_queries;
  const Index blocks = blocks_of(sizes.T_query, block_queries) - first_block;
  const auto scratch_size = static_cast<std::size_t>(set_->attend_scratch(sizes.value_dim));
  const std::size_t keys_size = BlockKeys::scratch_size(config);
  float* const contexts = context.values.data();
  const auto block = [=, this, &result, &config](Index index) {
    const Index matrix = order[index / blocks];
    const Index query = (first_block + blocks - 1 - index % blocks) * block_queries;  // the longest rows first
    const Index count = std::min(block_queries, sizes.T_query - query);
    float* const scratch = thread_scratch(scratch_size + keys_size);
    const BlockKeys keys(result, matrix, query, count, scratch + scratch_size);
    const Index keys_and_values = key_value_matrix(config, matrix);
    // Heads that share keys and values would pack the same memory at the same time.
    assert(keys_and_values == matrix || !packs_while_attending(sizes));
    if (packs_while_attending(sizes)) packed_heads_.pack(keys_and_values, 0, sizes.T_key);
    const Index column = matrix % sizes.H * sizes.value_dim;
    float* const context_of_block =
        contexts + ((matrix / sizes.H * sizes.T_query + query) * sizes.H * sizes.value_dim + column);
    AttendTask task{.queries = queries + matrix * sizes.T_query * sizes.head_dim,
                    .keys = packed_heads_.keys(keys_and_values),
                    .values = packed_heads_.values(keys_and_values),
                    .key_count = sizes.T_key,
                    .head_dim = sizes.head_dim,
                    .value_dim = sizes.value_dim,
                    .value_stride = packed_heads_.value_stride(),
                    .first_query = query,
                    .query_count = count,
                    .masks_weights = has_stage(config, Stage::masked_weights),
                    .renormalizes = has_stage(config, Stage::renormalized_weights),
                    .by_sum = normalizes_by_sum(config),
                    .score = score_map(config),
                    .context = context_of_block,
                    .context_stride = sizes.H * sizes.value_dim,
                    .scratch = scratch};
    keys.put_into(task);
    set_->attend(task);
    if (is_off(config, matrix % sizes.H)) clear_context(context_of_block, count, sizes);
  };
  return Step{Phase::attention, sizes.matrices * blocks, block, blocks};
}

auto Engine::project_output(Result& result, const Execution& execution, const Result* earlier, Index first_token) {
  const AttentionConfig& config = result.config;
  const Sizes sizes(config);
  ProjectionTask task;
  ProjectionBlocks blocks{.count = 0};
  if (has_stage(config, Stage::output)) {
    Tensor& output = own(result, Stage::output, pool_.make(stage_shape(config, Stage::output), execution));
    if (earlier && first_token > 0) output.values = earlier->find(Stage::output)->values;
    task = {&output_,
            result.find(Stage::context)->values.data(),
            sizes.B,
            sizes.T_query,
            first_token,
            sizes.T_query,
            1,
            output_features(config),
            output.values.data()};
    blocks = blocks_of(task, *set_);
  }
  const auto block = [this, task, blocks](Index index) { project_block(task, blocks, *set_, index); };
  return Step{Phase::output, blocks.count, block};
}

void Engine::run(Result& result, const Execution& asked, const EngineRequest& wanted) {
  if (!result.heads) result.heads = std::make_shared<HeadStore>();
  const AttentionConfig& config = result.config;
  const double operations = operation_count(config);
  Execution execution = asked;
  if (operations < least_shared_operations) execution.backend = Backend::serial;
  EngineRequest request = wanted;
  if (!request.earlier) request.changed = {0, token_count(config)};
  const Result* const earlier = request.earlier;
  const TokenRange changed = request.changed;
  if (execution.progress) begin_pass(execution, expected_work(config, Phase::weight_packing));
  check_stop(execution);
  pack_weights(result, execution, request.has_weights_once);
  const bool same_rows = earlier && changed.first < changed.last && has_stage(config, Stage::masked_scores);
  const Index first_changed = std::min(changed.first, visibility(config).first_query_of(changed.first));
  const Index first_query = same_rows ? first_changed / block_queries * block_queries : 0;
  const auto projections = project_heads(result, execution, request);
  const auto rotations = finish_heads(result, execution, request);
  const bool holds_earlier = earlier && packed_keys_ && packed_keys_ == earlier->share(keys_stage(config));
  packed_keys_.reset();
  const auto packing = pack_heads(result, request, holds_earlier);
  const auto attention = attend(result, execution, request, first_query);
  const auto output = project_output(result, execution, earlier, first_query);
  const bool is_short = packs_while_attending(Sizes(config)) && operations <= most_unasked_operations;
  if (request.head_first) {
    run_in_turn(execution, result, first_part(projections), first_part(rotations), first_part(packing),
                first_part(attention));
    Result published = result;
    published.finished.only = first_matrix(Sizes(config), request);
    request.head_first->publish(std::move(published));
    run_in_turn(execution, result, second_part(projections), second_part(rotations), second_part(packing),
                second_part(attention), output);
  } else if (is_short && execution.backend == Backend::openmp) {
    run_together(execution, result, projections, rotations, packing, attention, output);
  } else {
    run_in_turn(execution, result, projections, rotations, packing, attention, output);
  }
  packed_keys_ = result.share(keys_stage(config));
}

std::uint64_t engine_bytes(const AttentionConfig& config) {
  constexpr Index no_limit = Index{1} << 20;  // a document this large is refused later
  const bool is_absurd = std::max({token_count(config), input_features(config), config.d_out, config.num_heads,
                                   key_value_heads(config), config.batch_size}) > no_limit;
  if (is_absurd) return std::numeric_limits<std::uint64_t>::max();
  const Kernels& set = kernels();
  const Sizes sizes(config);
  const Index heads = PackedHeads::size(set, {sizes.key_matrices, sizes.T_key, sizes.head_dim, sizes.value_dim});
  const Index width = rounded_up(context_features(config), set.panel_width);
  Index weights = has_stage(config, Stage::query_weight) ? 3 * input_features(config) * width : 0;
  if (has_stage(config, Stage::output))
    weights += context_features(config) * rounded_up(output_features(config), set.panel_width);
  const auto keys = static_cast<Index>(BlockKeys::scratch_size(config));
  const Index threads = thread_count({}) * (set.attend_scratch(sizes.value_dim) + keys);
  return sizeof(float) * static_cast<std::uint64_t>(heads + weights + threads);
}

Index PackedHeads::size(const Kernels& kernels, const Sizes& sizes) {
  return sizes.matrices * rounded_up(sizes.tokens, kernels.key_panel) * sizes.head_dim +
         padded_values_size(kernels, sizes);
}

void PackedHeads::reserve(const Kernels& kernels, const Sizes& sizes, const float* keys, const float* values) {
  kernels_ = &kernels;
  sizes_ = sizes;
  key_size_ = rounded_up(sizes.tokens, kernels.key_panel) * sizes.head_dim;
  value_stride_ = rounded_up(sizes.value_dim, kernels.lanes);
  from_keys_ = keys;
  from_values_ = values;
  keys_.reserve(static_cast<std::size_t>(sizes.matrices * key_size_));
  const Index padded = padded_values_size(kernels, sizes);
  read_values_ = padded == 0 ? values : padded_values_.reserve(static_cast<std::size_t>(padded));
}

void PackedHeads::pack(Index matrix, Index first, Index last) {
  const Index token = matrix * sizes_.tokens + first;
  kernels_->pack_keys(keys_.get() + matrix * key_size_ + first * sizes_.head_dim, from_keys_ + token * sizes_.head_dim,
                      last - first, sizes_.head_dim);
  if (read_values_ == from_values_) return;
  for (Index t = 0; t < last - first; ++t) {
    float* const to = padded_values_.get() + (token + t) * value_stride_;
    std::copy_n(from_values_ + (token + t) * sizes_.value_dim, sizes_.value_dim, to);
    std::fill(to + sizes_.value_dim, to + value_stride_, 0.0F);
  }
}

}  // namespace attnscope
