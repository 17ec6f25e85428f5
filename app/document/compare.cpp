#include "document/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/config_fields.h"
#include "core/error.h"
#include "core/evaluate.h"
#include "core/parameters.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/builtin.h"
#include "document/edit.h"

namespace attnscope {
namespace {

constexpr double usual_dropout = 0.5;  // for pairs about dropout, if the document has none

// Makes A of the document by the first function, B by the second.
template <typename MakeA, typename MakeB>
void pair_of(Document& document, const MakeA& make_a, const MakeB& make_b) {
  document.compared.reset();
  Document before = document;
  make_a(before.config);
  make_b(document.config);
  document.compared = std::make_shared<const Document>(std::move(before));
}

std::string needs_dropout(const Document& document) {
  return info(document.config.mechanism).has_dropout
             ? ""
             : "This mechanism has no dropout: causal attention is the first mechanism with dropout.";
}

std::string needs_heads(const Document& document) {
  if (has_shared_keys(document.config)) return "Heads share keys and values here.";
  return head_count(document.config) > 1 ? "" : "There is only one head.";
}

std::string needs_two_dimensions(const Document& document) {
  if (document.config.mechanism != Mechanism::multi_head_attention)
    return "Only multi-head attention turns by positions.";
  return head_features(document.config) > 1 ? "" : "A head needs two dimensions that turn: raise d_out.";
}

std::string needs_weights(const Document& document) {
  return info(document.config.mechanism).weight_style == WeightStyle::none ? "This mechanism has no weights." : "";
}

// SelfAttention_v1 and _v2 have one head.
std::string needs_one_bias(const Document& document) {
  const SharedTensor& bias = document.config.bias;
  const bool is_for_each = bias.rank() > 2 && bias.shape()[static_cast<std::size_t>(bias.rank() - 3)] > 1;
  return is_for_each ? "The bias has numbers for several heads, but SelfAttention has one head."
                     : needs_weights(document);
}

std::string needs_layers_of_heads(const Document& document) {
  const AttentionConfig& config = document.config;
  return config.mechanism == Mechanism::multi_head_attention_wrapper ||
                 config.mechanism == Mechanism::multi_head_attention
             ? ""
             : "Only multi-head attention has heads to be wrapped or split.";
}

// Both documents hide the future, whatever the user's own mask hid.
template <MaskRoute route>
void hide_future(AttentionConfig& config) {
  config.mask = route;
  config.hidden = {};
}

template <MaskRoute after>
void before_or_after_softmax(Document& document, Index) {
  pair_of(document, hide_future<MaskRoute::causal>, hide_future<after>);
}

void positions_or_not(Document& document, Index) {
  pair_of(
      document, [](AttentionConfig& a) { a.rope.reset(); },
      [](AttentionConfig& b) {
        if (!b.rope) b.rope.emplace();
      });
}

void scaled_or_not(Document& document, Index) {
  pair_of(
      document, [](AttentionConfig& a) { a.scale = true; },
      [](AttentionConfig& b) {
        b.scale = false;
        b.scale_factor.reset();
      });
}

// Dropout that is seen to act.
void let_drop(AttentionConfig& config) {
  config.training = true;
  if (config.dropout <= 0) config.dropout = usual_dropout;
}

void dropout_off_or_on(Document& document, Index) {
  pair_of(
      document, [](AttentionConfig& a) { a.dropout = 0; }, let_drop);
}

void training_or_evaluation(Document& document, Index) {
  pair_of(document, let_drop, [](AttentionConfig& b) {
    let_drop(b);
    b.training = false;
  });
}

void two_kernels(Document& document, Index) {
  const auto drop_by = [](AttentionConfig& config, DropoutKernel kernel) {
    let_drop(config);
    config.dropout_kernel = kernel;
  };
  pair_of(
      document, [&](AttentionConfig& a) { drop_by(a, DropoutKernel::mkl); },
      [&](AttentionConfig& b) { drop_by(b, DropoutKernel::standard); });
}

void two_seeds(Document& document, Index) {
  pair_of(
      document, [](AttentionConfig&) {}, [](AttentionConfig& b) { b.seed = b.seed + 1 == 0 ? 0 : b.seed + 1; });
}

Parameters drawn_parameters(const AttentionConfig& config) {
  Generator generator = generator_before_parameters(config);
  return draw_parameters(config, generator);
}

// Makes every weight an override, so that it stays when the mechanism changes.
void make_weights_explicit(AttentionConfig& config) {
  for (Parameter& parameter : drawn_parameters(config))
    config.weight_overrides[parameter.name] = std::move(parameter.tensor);
}

void v1_or_v2(Document& document, Index) {
  document.compared.reset();
  make_inputs_explicit(document);
  set_mechanism(document, Mechanism::self_attention_v1);
  make_weights_explicit(document.config);
  auto before = std::make_shared<const Document>(document);
  document.config.qkv_bias = false;  // v1 has none
  set_mechanism(document, Mechanism::self_attention_v2);
  document.compared = std::move(before);
}

// The wrapper's layers one below the other are the layers of one that splits; its output projection changes nothing.
std::map<std::string, SharedTensor> stacked(const AttentionConfig& wrapper) {
  std::map<std::string, Tensor> layers;
  for (const Parameter& parameter : drawn_parameters(wrapper)) {
    const std::string name = parameter.name.substr(parameter.name.find('.', parameter.name.find('.') + 1) + 1);
    Tensor& layer = layers[name];
    if (layer.shape.empty()) {
      layer = parameter.tensor;
    } else {
      layer.values.insert(layer.values.end(), parameter.tensor.values.begin(), parameter.tensor.values.end());
      layer.shape.front() += parameter.tensor.shape.front();
    }
  }
  const Index width = context_features(wrapper);
  Tensor identity({width, width});
  for (Index i = 0; i < width; ++i) identity.matrix()(i, i) = 1;
  layers["out_proj.weight"] = std::move(identity);
  layers["out_proj.bias"] = Tensor({width});
  return {layers.begin(), layers.end()};
}

// Returns the layers of a wrapper that computes the same as a split document: each head gets its rows of the layers.
std::map<std::string, SharedTensor> taken_apart(const AttentionConfig& split) {
  std::map<std::string, SharedTensor> layers;
  const Index size = head_features(split);
  for (const Parameter& parameter : drawn_parameters(split)) {
    if (!parameter.name.starts_with("W_")) continue;
    const Index blocks = parameter.tensor.shape.front() / size;  // keys and values may be shared
    const Index block = parameter.tensor.size() / blocks;
    for (Index head = 0; head < head_count(split); ++head) {
      Tensor layer;
      layer.shape = parameter.tensor.shape;
      layer.shape.front() = size;
      const auto first = parameter.tensor.values.begin() + head * blocks / head_count(split) * block;
      layer.values.assign(first, first + block);
      layers[fmt::format("heads.{}.{}", head, parameter.name)] = std::move(layer);
    }
  }
  return layers;
}

// The document stays what it is, the wrapper or the one that splits, and gets its counterpart with the same weights.
void wrapper_or_split(Document& document, Index) {
  document.compared.reset();
  make_inputs_explicit(document);
  AttentionConfig& config = document.config;
  config.qk_norm = QkNorm::none;  // the wrapper has neither norms nor positions
  config.rope.reset();
  std::erase_if(config.weight_overrides, [](const auto& given) { return given.first.ends_with("_norm.weight"); });
  if (dropout_is_active(config)) config.training = false;  // the two would drop different weights
  AttentionConfig wrapper = config;
  if (config.mechanism == Mechanism::multi_head_attention) {
    wrapper.weight_overrides = taken_apart(config);
    wrapper.d_out = head_features(config);
    wrapper.num_kv_heads.reset();
    wrapper.mechanism = Mechanism::multi_head_attention_wrapper;
  } else {
    config.weight_overrides = stacked(wrapper);
    config.num_kv_heads.reset();
    config.d_out = context_features(wrapper);
    config.mechanism = Mechanism::multi_head_attention;
  }
  Document before = document;
  before.config = std::move(wrapper);
  document.compared = std::make_shared<const Document>(std::move(before));
}

// Swaps the parts of two heads: blocks of rows of a layer, or of columns.
void swap_rows(Tensor& tensor, Index one, Index other, Index count) {
  const Index block = tensor.size() / tensor.shape.front() * count;
  const auto first = tensor.values.begin() + one * block;
  std::swap_ranges(first, first + block, tensor.values.begin() + other * block);
}

void swap_columns(Tensor& tensor, Index one, Index other, Index count) {
  for (Index row = 0; row < tensor.rows(); ++row) {
    const auto numbers = tensor.matrix().row(row);
    const auto first = numbers.begin() + one * count;
    std::swap_ranges(first, first + count, numbers.begin() + other * count);
  }
}

// Makes A with the next head in the place of the shown one, so that A and B differ in the heads and not in the weights
// that dropout hits.
void this_head_or_next(Document& document, Index head) {
  document.compared.reset();
  const AttentionConfig& config = document.config;
  const Index heads = head_count(config);
  const Index one = std::clamp<Index>(head, 0, heads - 1);
  const Index other = (one + 1) % heads;
  Document before = document;
  make_weights_explicit(before.config);
  std::map<std::string, SharedTensor>& weights = before.config.weight_overrides;
  if (has_own_heads(config)) {
    for (auto& [name, tensor] : weights) {
      const std::string prefix = fmt::format("heads.{}.", one);
      if (name.starts_with(prefix))
        std::swap(tensor, weights.at(fmt::format("heads.{}.{}", other, name.substr(prefix.size()))));
    }
  } else {
    for (auto& [name, tensor] : weights) {
      Tensor swapped = tensor.copy();
      if (name == "out_proj.weight") swap_columns(swapped, one, other, head_features(config));
      const bool is_of_all = name.starts_with("out_proj") || name.ends_with("_norm.weight");
      if (!is_of_all) swap_rows(swapped, one, other, head_features(config));
      tensor = std::move(swapped);
    }
  }
  document.compared = std::make_shared<const Document>(std::move(before));
}

// Examples in which pairs show their subject.

Document of_trained_model() { return document_of(read_model(std::string(example_prefix) + "stories")); }

// One head: contexts of several, beside two squares each, would have no room for numbers.
Document of_drawn_weights() {
  Document document = notebook_document();
  document.config.mechanism = Mechanism::causal_attention;
  document.config.d_out = 2;
  document.config.dropout = usual_dropout;
  return document;
}

// Queries so short that the largest weight is far from 1, with or without scaling.
Document of_short_queries() {
  constexpr double shorter = 0.35;
  Document document = opening_document();
  scale_weights(document, {Stage::query_weight, 0, all_cells(document.config, Stage::query_weight)}, shorter);
  return document;
}

std::string needs_small_model(const Document& document) {
  constexpr std::uint64_t most_weights = 60'000'000;
  return document.model && weight_count(document.model->weights->shape) > most_weights
             ? "The model is so large that drawing all of its weights takes too long."
             : "";
}

// A document without a model gives its place to the model that comes with the program.
void trained_or_untrained(Document& document, Index) {
  if (!document.model) document = of_trained_model();
  document.compared.reset();
  Document before = document;
  const auto with = [](Document& of, std::shared_ptr<const TrainedModel> model) {
    std::get<ModelInputs>(of.config.inputs).model = model->weights;
    of.model = std::move(model);
  };
  const std::string& path = document.model->path;
  with(before, read_model(trained_name(path)));
  with(document, read_model(untrained_name(path, document.config.seed)));
  document.compared = std::make_shared<const Document>(std::move(before));
}

constexpr ReadyPair all_pairs[] = {
    {"mask_after_softmax", "Mask before | after softmax",
     "Masking after softmax loses the weight of hidden keys: rows sum to less than 1.",
     before_or_after_softmax<MaskRoute::causal_after_softmax>, nullptr, opening_document},
    {"mask_renormalized", "Mask before softmax | after it and renormalized", "Both ways give the same weights.",
     before_or_after_softmax<MaskRoute::causal_renormalized>},
    {"scaling", "Scaled by √head_dim | not", "Without scaling, the largest score of a row gets a larger weight.",
     scaled_or_not, nullptr, of_short_queries},
    {"positions", "Without positions | turned by them (RoPE)",
     "Without them only the mask tells a query where a key stands.", positions_or_not, needs_two_dimensions,
     opening_document},
    {"dropout", "Dropout off | on", "Kept weights are multiplied by 1/(1 − p).", dropout_off_or_on, needs_dropout,
     opening_document},
    {"two_seeds", "This seed | the next one", "Different weights, and different cells are dropped.", two_seeds,
     needs_weights, of_drawn_weights},
    {"training", "Training | evaluation", "Evaluation drops nothing.", training_or_evaluation, needs_dropout,
     opening_document},
    {"v1_v2", "SelfAttention_v1 | _v2 with the same weights", "The same results: the weights are stored transposed.",
     v1_or_v2, needs_one_bias},
    {"wrapper_split", "Wrapper | split heads with the same weights",
     "The same contexts from one split layer. Only B has an out_proj.", wrapper_or_split, needs_layers_of_heads},
    {"heads", "The next head | this head", "Keys to which this head gives more weight than the next one.",
     this_head_or_next, needs_heads, opening_document},
    {"kernels", "Dropout as on Intel | elsewhere", "The same seed drops different cells.", two_kernels, needs_dropout,
     opening_document},
    {"untrained", "Trained | untrained model",
     "Before training, weights are drawn and heads look at nothing in particular.", trained_or_untrained,
     needs_small_model, of_trained_model, true},
};

}  // namespace

void keep_as_compared(Document& document) {
  Document kept = document;
  kept.compared.reset();
  document.compared = std::make_shared<const Document>(std::move(kept));
}

void swap_compared(Document& document) {
  if (!document.compared) throw Error("There is no A to swap with: keep the document as A first.");
  Document other = *document.compared;
  keep_as_compared(document);
  other.compared = document.compared;
  document = std::move(other);
}

void stop_comparing(Document& document) { document.compared.reset(); }

namespace {

// Return what a field of a configuration is, in words for a name.
std::string words_of(const CountField& field, const AttentionConfig& config) {
  return fmt::format("{} {}", field.label, config.*field.member);
}
std::string words_of(const FlagField& field, const AttentionConfig& config) {
  const bool is_on = config.*field.member;
  if (!field.off.empty()) return std::string(is_on ? field.on : field.off);
  return fmt::format("{}{}", is_on ? "" : "no ", field.label);
}
std::string words_of(const ChoiceField& field, const AttentionConfig& config) {
  const ChoiceField::Value& value = field.values[static_cast<std::size_t>(field.get(config))];
  if (value.word == "none") return fmt::format("no {}", field.label);
  const std::string label(value.short_label.empty() ? value.label : value.short_label);
  return field.key == "mechanism" || field.key == "rope.layout" ? label : fmt::format("{} {}", field.label, label);
}
std::string words_of(const NumberField& field, const AttentionConfig& config) {
  const std::optional<double> value = field.get(config);
  if (field.flag && !(config.*field.flag->member)) return "not scaled";
  if (!value) return field.flag ? "scaled" : fmt::format("no {}", field.label);
  return fmt::format("{} {}", field.label, format_dropout_rate(*value));
}
std::string words_of(const IntegerField& field, const AttentionConfig& config) {
  const std::optional<std::uint64_t> value = field.get(config);
  const std::string_view off = field.off.substr(0, field.off.find(':'));
  return value ? fmt::format("{} {}", field.label, *value) : fmt::format("{}: {}", field.label, off);
}

std::string heads_off_words(const AttentionConfig& config) {
  if (config.heads_off.empty()) return "all heads on";
  std::vector<Index> numbers;
  for (const Index head : config.heads_off) numbers.push_back(head + 1);
  return fmt::format("{} {} off", numbers.size() == 1 ? "head" : "heads", fmt::join(numbers, ", "));
}

}  // namespace

std::pair<std::string, std::string> names_of_sides(const AttentionConfig& a, const AttentionConfig& b) {
  constexpr std::size_t most_named = 2;
  std::vector<std::string> of_a;
  std::vector<std::string> of_b;
  const auto add = [&](std::string in_a, std::string in_b) {
    if (in_a == in_b || of_a.size() == most_named) return;
    of_a.push_back(std::move(in_a));
    of_b.push_back(std::move(in_b));
  };
  const bool is_same_mechanism = a.mechanism == b.mechanism;
  const auto trained_words = [](const AttentionConfig& config) {
    const auto* const inputs = std::get_if<ModelInputs>(&config.inputs);
    return !inputs || !inputs->model ? "" : inputs->model->drawn_by ? "untrained" : "trained";
  };
  add(trained_words(a), trained_words(b));
  visit_fields([&](const auto& field) {
    // The fields of another mechanism differ because of it, and a field without effect makes no difference.
    const bool is_named =
        is_same_mechanism ? field.reason(a).empty() || field.reason(b).empty() : field.key == "mechanism";
    if (is_named) add(words_of(field, a), words_of(field, b));
  });
  if (is_same_mechanism) add(heads_off_words(a), heads_off_words(b));
  return {fmt::format("{}", fmt::join(of_a, ", ")), fmt::format("{}", fmt::join(of_b, ", "))};
}

std::string side_name(std::string_view side, const std::string& name) {
  return name.empty() ? std::string(side) : fmt::format("{}: {}", side, name);
}

std::span<const ReadyPair> ready_pairs() { return all_pairs; }

const ReadyPair* ready_pair_named(std::string_view id) {
  const auto* const pair = std::ranges::find(all_pairs, id, &ReadyPair::id);
  return pair == std::end(all_pairs) ? nullptr : pair;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  if (a.shape != b.shape) return largest;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    largest = std::max(largest, static_cast<double>(std::abs(a.values[i] - b.values[i])));
  return largest;
}

double largest_difference(const Document& pair) {
  if (!pair.compared) return 0;
  const Result a = evaluate(pair.compared->config);
  const Result b = evaluate(pair.config);
  const auto between = [&](Stage of_a, Stage of_b) {
    if (!has(a, of_a) || !has(b, of_b)) return 0.0;
    return largest_difference(read_stage(a, of_a), read_stage(b, of_b));
  };
  return std::max(between(final_weights_stage(a.config), final_weights_stage(b.config)),
                  between(Stage::head_context, Stage::head_context));
}

bool make_telling_pair(Document& document, const ReadyPair& pair, Index head) {
  constexpr Index most_cells = Index{1} << 16;
  Document made = document;
  make_pair(made, pair, head);
  const AttentionConfig& config = made.config;
  const Index cells = config.batch_size * head_count(config) * query_count(config) *
                      std::max(key_count(config), std::max(input_features(config), config.d_out));
  const bool is_measured = pair.example && cells <= most_cells;
  const bool is_example =
      pair.is_of_model ? !document.model : is_measured && largest_difference(made) < telling_difference;
  if (is_example) {
    made = pair.example();
    make_pair(made, pair, 0);
  }
  document = std::move(made);
  return is_example;
}

void make_pair(Document& document, const ReadyPair& pair, Index head) {
  const std::string obstacle = pair.obstacle ? pair.obstacle(document) : "";
  if (!obstacle.empty()) throw Error(obstacle);
  Document changed = document;
  pair.make(changed, head);
  check(changed);
  document = std::move(changed);
}

}  // namespace attnscope
