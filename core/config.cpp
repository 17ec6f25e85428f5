#include "core/config.h"

#include "core/model/transformer.h"
#include "core/text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

namespace attnscope {

namespace {

std::strong_ordering compare(const KeyRange& left, const KeyRange& right) {
  const std::strong_ordering by_first = left.first <=> right.first;
  return by_first == 0 ? left.last <=> right.last : by_first;
}

// Returns 0 for a tensor that has no numbers yet.
Index axis_of(const SharedTensor& tensor, std::size_t axis) { return tensor.rank() == 4 ? tensor.shape()[axis] : 0; }

constexpr std::array mechanism_table = {
    MechanismInfo{
        .mechanism = Mechanism::simple_self_attention,
        .id = "simple_self_attention",
        .title = "Simple self-attention",
        .adds = "Compares every token with every other by the dot product of their embeddings, with nothing to train.",
        .weight_style = WeightStyle::none,
    },
    MechanismInfo{
        .mechanism = Mechanism::self_attention_v1,
        .id = "self_attention_v1",
        .title = "Self-attention v1",
        .notebook_class = "SelfAttention_v1",
        .adds = "Learns three views of each token, query, key and value, and divides the scores by √head_dim.",
        .weight_style = WeightStyle::parameter,
        .scales_by_default = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::self_attention_v2,
        .id = "self_attention_v2",
        .title = "Self-attention v2",
        .notebook_class = "SelfAttention_v2",
        .adds = "Makes the projections nn.Linear layers: smaller, centred starting weights and an optional bias.",
        .weight_style = WeightStyle::linear,
        .scales_by_default = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::causal_attention,
        .id = "causal_attention",
        .title = "Causal attention",
        .notebook_class = "CausalAttention",
        .adds = "Hides later tokens from earlier ones, drops weights at random in training, and takes a batch.",
        .weight_style = WeightStyle::linear,
        .has_mask_by_default = true,
        .scales_by_default = true,
        .has_dropout = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::multi_head_attention_wrapper,
        .id = "multi_head_attention_wrapper",
        .title = "Multi-head attention wrapper",
        .short_title = "Multi-head wrapper",
        .notebook_class = "MultiHeadAttentionWrapper",
        .adds = "Runs several causal attentions side by side, each with weights of its own, and joins their contexts.",
        .weight_style = WeightStyle::linear,
        .has_mask_by_default = true,
        .scales_by_default = true,
        .has_dropout = true,
        .has_heads = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::multi_head_attention,
        .id = "multi_head_attention",
        .title = "Multi-head attention",
        .notebook_class = "MultiHeadAttention",
        .adds = "Projects once, splits the result into heads, and mixes their contexts with a last linear layer.",
        .weight_style = WeightStyle::linear,
        .has_mask_by_default = true,
        .scales_by_default = true,
        .has_dropout = true,
        .has_heads = true,
        .splits_heads = true,
        .has_output_projection = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::scaled_dot_product_attention,
        .id = "scaled_dot_product_attention",
        .title = "Scaled dot-product attention",
        .short_title = "Given Q, K, V",
        .adds =
            "Begins with queries, keys and values from elsewhere, such as a model's, and has no weights of its own.",
        .weight_style = WeightStyle::none,
        .scales_by_default = true,
        .has_dropout = true,
        .has_heads = true,
        .splits_heads = true,
    },
};
constexpr std::size_t ladder_length = 6;

}  // namespace

bool begins_with_heads(const AttentionConfig& config) {
  return config.mechanism == Mechanism::scaled_dot_product_attention;
}

Index key_value_heads(const AttentionConfig& config) {
  if (begins_with_heads(config)) return axis_of(config.heads.keys, 1);
  const bool may_share = config.mechanism == Mechanism::multi_head_attention;
  return may_share ? config.num_kv_heads.value_or(head_count(config)) : head_count(config);
}

Index value_features(const AttentionConfig& config) {
  return begins_with_heads(config) ? axis_of(config.heads.values, 3) : head_features(config);
}

Index token_count(const AttentionConfig& config) {
  if (begins_with_heads(config)) return axis_of(config.heads.queries, 2);
  if (const auto* drawn = std::get_if<RandnInputs>(&config.inputs)) return drawn->tokens;
  if (const auto* model = std::get_if<ModelInputs>(&config.inputs)) return std::ssize(model->tokens);
  const auto& typed = std::get<SharedTensor>(config.inputs);
  return typed.rank() == 2 ? typed.shape().front() : 0;
}

Index input_features(const AttentionConfig& config) {
  if (begins_with_heads(config)) return head_features(config);
  if (const auto* drawn = std::get_if<RandnInputs>(&config.inputs)) return drawn->features;
  if (const auto* model = std::get_if<ModelInputs>(&config.inputs)) return model->model->shape.features;
  const auto& typed = std::get<SharedTensor>(config.inputs);
  return typed.rank() == 2 ? typed.cols() : 0;
}

Index head_count(const AttentionConfig& config) {
  if (begins_with_heads(config)) return axis_of(config.heads.queries, 1);
  return info(config.mechanism).has_heads ? config.num_heads : 1;
}

Index head_features(const AttentionConfig& config) {
  if (begins_with_heads(config)) return axis_of(config.heads.queries, 3);
  if (info(config.mechanism).weight_style == WeightStyle::none) return input_features(config);
  return info(config.mechanism).splits_heads ? config.d_out / std::max<Index>(1, config.num_heads) : config.d_out;
}

Index key_features(const AttentionConfig& config) {
  return has_shared_keys(config) ? key_value_heads(config) * head_features(config) : config.d_out;
}

bool has_shared_keys(const AttentionConfig& config) { return key_value_heads(config) != head_count(config); }

Index context_features(const AttentionConfig& config) {
  constexpr Index largest = std::numeric_limits<Index>::max();  // a configuration need not be checked yet
  const Index heads = std::max<Index>(0, head_count(config));
  const Index features = std::max<Index>(0, value_features(config));
  Index both = 0;
  return __builtin_mul_overflow(heads, features, &both) ? largest : both;
}

Index output_features(const AttentionConfig& config) {
  return std::holds_alternative<ModelInputs>(config.inputs) ? input_features(config) : config.d_out;
}

bool has_own_heads(const AttentionConfig& config) {
  return info(config.mechanism).has_heads && !info(config.mechanism).splits_heads;
}

bool dropout_is_active(const AttentionConfig& config) {
  if (!info(config.mechanism).has_dropout || !config.training) return false;
  return config.dropout > 0 || !config.dropout_edits.empty();
}

std::span<const DropoutEdit> acting_dropout_edits(const AttentionConfig& config) {
  const bool act = dropout_is_active(config) && config.dropout < 1;
  return act ? config.dropout_edits : std::span<const DropoutEdit>();
}

std::span<const DropoutEdit> in_row(std::span<const DropoutEdit> edits, Index batch, Index head, Index query) {
  const auto row_of = [](const DropoutEdit& edit) { return std::tuple(edit.batch, edit.head, edit.query); };
  const auto row = std::tuple(batch, head, query);
  return {std::ranges::lower_bound(edits, row, {}, row_of), std::ranges::upper_bound(edits, row, {}, row_of)};
}

std::optional<bool> kept_by_user(const AttentionConfig& config, Index batch, Index head, Index query, Index key) {
  const std::span<const DropoutEdit> row = in_row(acting_dropout_edits(config), batch, head, query);
  const auto edit = std::ranges::lower_bound(row, key, {}, &DropoutEdit::key);
  return edit == row.end() || edit->key != key ? std::nullopt : std::optional(edit->keeps);
}

bool is_off(const AttentionConfig& config, Index head) {
  return info(config.mechanism).has_heads && std::ranges::binary_search(config.heads_off, head);
}

std::size_t bytes_beyond(const AttentionConfig& config, const AttentionConfig& other) {
  const SharedTensor nothing;
  const auto* const inputs = std::get_if<SharedTensor>(&config.inputs);
  const auto* const other_inputs = std::get_if<SharedTensor>(&other.inputs);
  std::size_t bytes = inputs ? inputs->bytes_beyond(other_inputs ? *other_inputs : nothing) : 0;
  for (const auto& [name, tensor] : config.weight_overrides) {
    const auto found = other.weight_overrides.find(name);
    bytes += tensor.bytes_beyond(found == other.weight_overrides.end() ? nothing : found->second);
  }
  if (config.dropout_edits != other.dropout_edits) bytes += config.dropout_edits.size() * sizeof(DropoutEdit);
  return bytes + config.dimensions.bytes_beyond(other.dimensions) + config.hidden.bytes_beyond(other.hidden) +
         config.bias.bytes_beyond(other.bias) + config.heads.queries.bytes_beyond(other.heads.queries) +
         config.heads.keys.bytes_beyond(other.heads.keys) + config.heads.values.bytes_beyond(other.heads.values);
}

std::span<const MechanismInfo> mechanisms() { return std::span(mechanism_table).first(ladder_length); }

std::span<const MechanismInfo> every_mechanism() { return mechanism_table; }

int rung_of(Mechanism mechanism) { return static_cast<int>(mechanism) + 1; }

const MechanismInfo& info(Mechanism mechanism) { return mechanism_table.at(static_cast<std::size_t>(mechanism)); }

namespace {

bool is_weight_of_inputs(Stage stage) {
  return stage == Stage::query_weight || stage == Stage::key_weight || stage == Stage::value_weight;
}

WeightStyle style_of(const AttentionConfig& config) { return info(config.mechanism).weight_style; }

bool has_dimension_columns(const AttentionConfig& config, Stage stage) {
  if (begins_with_heads(config)) return false;
  if (stage == Stage::inputs) return true;
  const bool mixes_inputs = stage == Stage::head_context || stage == Stage::context;
  return style_of(config) == WeightStyle::none ? mixes_inputs
                                               : style_of(config) == WeightStyle::linear && is_weight_of_inputs(stage);
}

bool has_dimension_rows(const AttentionConfig& config, Stage stage) {
  return !begins_with_heads(config) && style_of(config) == WeightStyle::parameter && is_weight_of_inputs(stage);
}

}  // namespace

std::vector<KeyRange> merged(std::vector<KeyRange> ranges) {
  std::erase_if(ranges, [](const KeyRange& range) { return range.is_empty(); });
  std::ranges::sort(ranges, [](const KeyRange& left, const KeyRange& right) { return left.first < right.first; });
  std::vector<KeyRange> apart;
  for (const KeyRange& range : ranges) {
    if (apart.empty() || range.first > apart.back().last) {
      apart.push_back(range);
    } else {
      apart.back().last = std::max(apart.back().last, range.last);
    }
  }
  return apart;
}

HiddenKeys::HiddenKeys(std::vector<std::vector<KeyRange>> queries) {
  Contents contents{{0}, {}};
  contents.starts.reserve(queries.size() + 1);
  for (std::vector<KeyRange>& query : queries) {
    const std::vector<KeyRange> ranges = merged(std::exchange(query, {}));
    contents.ranges.insert(contents.ranges.end(), ranges.begin(), ranges.end());
    contents.starts.push_back(contents.ranges.size());
  }
  contents_ = std::make_shared<const Contents>(std::move(contents));
}

std::span<const KeyRange> HiddenKeys::of(Index query) const {
  if (query < 0 || query >= queries()) return {};
  const auto at = static_cast<std::size_t>(query);
  return std::span(contents_->ranges).subspan(contents_->starts[at], contents_->starts[at + 1] - contents_->starts[at]);
}

std::size_t HiddenKeys::bytes_beyond(const HiddenKeys& other) const {
  if (!contents_ || contents_ == other.contents_) return 0;
  return contents_->ranges.size() * sizeof(KeyRange) + contents_->starts.size() * sizeof(std::size_t);
}

bool operator==(const HiddenKeys& left, const HiddenKeys& right) { return (left <=> right) == 0; }

std::strong_ordering operator<=>(const HiddenKeys& left, const HiddenKeys& right) {
  if (left.contents_ == right.contents_) return std::strong_ordering::equal;
  if (!left.contents_ || !right.contents_) return left.queries() <=> right.queries();
  const auto& a = *left.contents_;
  const auto& b = *right.contents_;
  if (a.starts != b.starts) return a.starts <=> b.starts;
  return std::lexicographical_compare_three_way(a.ranges.begin(), a.ranges.end(), b.ranges.begin(), b.ranges.end(),
                                                compare);
}

DimensionNames::DimensionNames(std::vector<std::string> names) {
  if (std::ranges::all_of(names, &std::string::empty)) return;
  names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
}

std::size_t DimensionNames::bytes_beyond(const DimensionNames& others) const {
  if (names_ == others.names_ || !names_) return 0;
  std::size_t bytes = 0;
  for (const std::string& name : *names_) bytes += sizeof(std::string) + name.size();
  return bytes;
}

bool operator==(const DimensionNames& left, const DimensionNames& right) {
  if (left.names_ == right.names_) return true;
  return left.names_ && right.names_ && *left.names_ == *right.names_;
}

std::string dimension_name(const AttentionConfig& config, Index dimension) {
  const auto at = static_cast<std::size_t>(dimension);
  if (dimension < 0 || at >= config.dimensions.size()) return {};
  constexpr std::size_t most = 40;  // characters
  return shown_text(config.dimensions[at], most);
}

std::string column_dimension(const AttentionConfig& config, Stage stage, Index col) {
  return has_dimension_columns(config, stage) ? dimension_name(config, col) : std::string();
}

std::string row_dimension(const AttentionConfig& config, Stage stage, Index row) {
  return has_dimension_rows(config, stage) ? dimension_name(config, row) : std::string();
}

std::vector<std::string> dimension_labels(const AttentionConfig& config) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < config.dimensions.size(); ++i) {
    const std::string name = dimension_name(config, static_cast<Index>(i));
    labels.push_back(name.empty() ? std::to_string(i + 1) : name);
  }
  return labels;
}

}  // namespace attnscope
