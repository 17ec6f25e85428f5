#include "core/config_fields.h"

#include "core/evaluate.h"
#include "core/parameters.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <vector>

namespace attnscope {

namespace {

using Config = AttentionConfig;
using Value = ChoiceField::Value;

std::string_view no_reason(const Config&) { return {}; }

// The reason of fields that a trained model's layer sets itself.
std::string_view model_reason(const Config& config) {
  return std::holds_alternative<ModelInputs>(config.inputs) ? "The trained model has this as it is." : "";
}

std::string_view dropout_reason(const Config& config) {
  if (!info(config.mechanism).has_dropout) return "Dropout begins with causal attention, further up the ladder.";
  if (!config.training) return "Dropout acts in training only: switch from evaluation to training under More options.";
  return {};
}

std::string_view dropout_seed_reason(const Config& config) {
  if (const std::string_view reason = dropout_reason(config); !reason.empty()) return reason;
  if (config.dropout <= 0) return "Nothing is dropped at a rate of 0: raise dropout first.";
  return config.dropout < 1 ? "" : "Everything is dropped at a rate of 1: nothing is drawn for it.";
}

std::string_view seed_reason(const Config& config) {
  if (!begins_with_heads(config) && std::holds_alternative<RandnInputs>(config.inputs)) return {};
  if (!config.dropout_seed && dropout_seed_reason(config).empty()) return {};
  const std::vector<ParameterShape> weights = parameter_shapes(config);
  if (std::holds_alternative<ModelInputs>(config.inputs)) return {};  // words are drawn with it
  const auto is_set = [&](const ParameterShape& weight) { return config.weight_overrides.contains(weight.name); };
  if (!std::ranges::all_of(weights, is_set)) return {};
  return "Nothing is drawn: inputs are typed, weights are set or there are none, and dropout draws nothing from here.";
}

std::string_view skip_reason(const Config& config) {
  const bool is_of_model = std::holds_alternative<ModelInputs>(config.inputs) && !dropout_seed_reason(config).empty();
  return is_of_model ? "Nothing is drawn: the weights are the model's." : seed_reason(config);
}

std::string_view normalization_reason(const Config& config) {
  return config.mechanism == Mechanism::simple_self_attention
             ? ""
             : "Only simple self-attention can divide by the sum; the others use softmax.";
}

std::string_view normalization_obstacle(const Config& config, int value) {
  const bool hides_scores = has_stage(config, Stage::masked_scores);
  return value == static_cast<int>(Normalization::sum) && hides_scores
             ? "Impossible with −∞ in the scores: choose another mask first."
             : "";
}

std::string_view mask_obstacle(const Config& config, int value) {
  const bool puts_infinity =
      value == static_cast<int>(MaskRoute::causal) || value == static_cast<int>(MaskRoute::custom);
  const bool sums = config.mechanism == Mechanism::simple_self_attention && config.normalization == Normalization::sum;
  return puts_infinity && sums ? "A sum that contains −∞ cannot be divided by: choose softmax first." : "";
}

std::string_view alignment_reason(const Config& config) {
  if (config.mask == MaskRoute::none || config.mask == MaskRoute::custom)
    return "Only a causal mask is aligned: choose one first.";
  return query_count(config) == key_count(config) ? "There are as many queries as keys, so both are the same." : "";
}

constexpr std::array normalization_values = {Value{"softmax", "softmax"}, Value{"sum", "sum"}};
constexpr std::array mask_values = {Value{"none", "none"}, Value{"causal", "causal: −∞"},
                                    Value{"causal_after_softmax", "after softmax: × 0"},
                                    Value{"causal_renormalized", "× 0, renormalized"}, Value{"custom", "custom: −∞"}};
constexpr std::array alignment_values = {Value{"lower_right", "last query at last key", "at the end"},
                                         Value{"upper_left", "first query at first key", "at the start"}};
constexpr std::array kernel_values = {Value{"mkl", "Intel with MKL (the book's notebooks)", "Intel, MKL"},
                                      Value{"default", "any other machine", "any other"}};

std::span<const Value> mechanism_values() {
  static const std::vector<Value> values = [] {
    std::vector<Value> all;
    for (const MechanismInfo& row : every_mechanism()) all.push_back({row.id, row.title});
    return all;
  }();
  return values;
}

template <auto member>
int choice_in(const Config& config) {
  return static_cast<int>(config.*member);
}

template <auto member>
void choose_in(Config& config, int value) {
  config.*member = static_cast<std::remove_cvref_t<decltype(config.*member)>>(value);
}

constexpr std::array rope_values = {Value{"none", "none"}, Value{"half", "RoPE: i with i + dims/2", "RoPE: halves"},
                                    Value{"interleaved", "RoPE: 2i with 2i + 1", "RoPE: neighbours"}};

constexpr std::array norm_values = {Value{"none", "none"}, Value{"rms", "RMSNorm of each head", "RMSNorm"}};

std::string_view rope_reason(const Config& config) {
  return config.mechanism == Mechanism::multi_head_attention ? "" : "Only multi-head attention turns by positions.";
}

// Fields beside the layout, which switches the rotation on.
std::string_view rope_part_reason(const Config& config) {
  return config.rope ? rope_reason(config) : "Nothing is turned by its position: choose RoPE first.";
}

Rope rope_of(const Config& config) { return config.rope.value_or(Rope{}); }

// Changes a part of the rotation; nothing where there is none.
template <auto member>
void set_rope(Config& config, const auto& value) {
  if (config.rope) (*config.rope).*member = value;
}

constexpr FlagField scale_flag = {
    .key = "scale",
    .label = "scaling",
    .on = "÷ √head_dim",
    .off = {},
    .help = "Divide the scores by the square root of head_dim, so that they do not grow with it.",
    .reason = no_reason,
    .member = &Config::scale};

std::vector<ConfigField> make_fields() {
  return {
      CountField{.key = "batch_size",
                 .label = "batch size",
                 .highest = max_batch,
                 .reason = [](const Config& config) -> std::string_view {
                   if (begins_with_heads(config)) return "There are as many batch entries as the given queries have.";
                   const bool is_of_model = std::holds_alternative<ModelInputs>(config.inputs);
                   return is_of_model ? "A trained model reads one text." : "";
                 },
                 .member = &Config::batch_size,
                 .help = "Copies of the inputs, stacked. They differ in their dropout mask only."},
      ChoiceField{.key = "mechanism",
                  .label = "mechanism",
                  .values = mechanism_values(),
                  .get = choice_in<&Config::mechanism>,
                  .set = choose_in<&Config::mechanism>,
                  .help = {},
                  .reason = model_reason,
                  .is_option = false},
      CountField{.key = "d_out",
                 .label = "d_out",
                 .highest = max_features,
                 .reason = [](const Config& config) -> std::string_view {
                   if (begins_with_heads(config)) return "The width of the given queries, keys and values is fixed.";
                   return info(config.mechanism).weight_style == WeightStyle::none
                              ? "This mechanism has no weights: its vectors keep the inputs' d_in."
                              : model_reason(config);
                 },
                 .member = &Config::d_out,
                 .is_option = false},
      CountField{.key = "num_heads",
                 .label = "heads",
                 .highest = max_heads,
                 .reason = [](const Config& config) -> std::string_view {
                   if (begins_with_heads(config)) return "There are as many heads as the given queries have.";
                   return info(config.mechanism).has_heads
                              ? model_reason(config)
                              : "Only the two multi-head mechanisms have more than one head.";
                 },
                 .member = &Config::num_heads,
                 .is_option = false},
      IntegerField{.key = "num_kv_heads",
                   .label = "key heads",
                   .highest = max_heads,
                   .get = [](const Config& config) -> std::optional<std::uint64_t> { return config.num_kv_heads; },
                   .set = [](Config& config, std::optional<std::uint64_t> value) { config.num_kv_heads = value; },
                   .off = "as many as heads",
                   .is_rare = true,
                   .help =
                       "Heads of keys and values, which several heads of queries share (grouped-query attention; 1 is "
                       "multi-query attention). It divides the number of heads; empty: each head has its own.",
                   .reason = [](const Config& config) -> std::string_view {
                     return config.mechanism == Mechanism::multi_head_attention
                                ? model_reason(config)
                                : "Only multi-head attention shares keys and values between heads.";
                   }},
      FlagField{.key = "qkv_bias",
                .label = "qkv bias",
                .on = "add a bias",
                .off = {},
                .help = "Whether W_query, W_key and W_value add a bias.",
                .reason = [](const Config& config) -> std::string_view {
                  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
                  return is_linear ? "" : "Only nn.Linear has a bias: from self-attention v2 upwards.";
                },
                .member = &Config::qkv_bias},
      ChoiceField{.key = "qk_norm",
                  .label = "Q, K norm",
                  .values = norm_values,
                  .get = choice_in<&Config::qk_norm>,
                  .set = choose_in<&Config::qk_norm>,
                  .is_rare = true,
                  .is_first_without_effect = true,
                  .help = "Divides each query and each key of a head by its root mean square and multiplies it by "
                          "gains that are learned, so that no score grows with their lengths. Qwen3 does so.",
                  .reason = [](const Config& config) -> std::string_view {
                    return config.mechanism == Mechanism::multi_head_attention
                               ? ""
                               : "Only multi-head attention normalizes queries and keys.";
                  }},
      ChoiceField{
          .key = "rope.layout",
          .label = "positions",
          .values = rope_values,
          .get = [](const Config& config) { return config.rope ? static_cast<int>(config.rope->layout) + 1 : 0; },
          .set =
              [](Config& config, int value) {
                Rope rope = rope_of(config);
                rope.layout = static_cast<RopeLayout>(std::max(value - 1, 0));
                config.rope = value > 0 ? std::optional(rope) : std::nullopt;
              },
          .is_first_without_effect = true,
          .help = "Rotary position embedding turns pairs of dimensions of queries and keys by an angle that "
                  "grows with the token's position, so that a score depends on how far the two stand apart. "
                  "Llama pairs dimension i with i + dims/2, the paper 2i with 2i + 1.",
          .reason = rope_reason},
      NumberField{
          .key = "rope.base",
          .label = "rope base",
          .what = "the base of the angles",
          .allowed = "a number from 0.001 to 1e12",
          .lowest = least_rope_base,
          .highest = most_rope_base,
          .get = [](const Config& config) { return std::optional(rope_of(config).base); },
          .set = [](Config& config,
                    std::optional<double> value) { set_rope<&Rope::base>(config, value.value_or(Rope{}.base)); },
          .off = {},
          .slider_end = 20'000,
          .help = "Pair i turns by base^(−2i ÷ dims) from a token to the next: with a larger base most pairs "
                  "turn more slowly.",
          .reason = rope_part_reason},
      IntegerField{
          .key = "rope.dims",
          .label = "rope dims",
          .highest = max_features,
          .get = [](const Config& config) -> std::optional<std::uint64_t> { return rope_of(config).dims; },
          .set = [](Config& config, std::optional<std::uint64_t> value) { set_rope<&Rope::dims>(config, value); },
          .off = "all of a head",
          .help = "How many of a head's first dimensions turn. An even number; empty: all.",
          .reason = rope_part_reason},
      IntegerField{.key = "rope.offset",
                   .label = "first position",
                   .highest = max_rope_offset,
                   .get = [](const Config& config) { return std::optional<std::uint64_t>(rope_of(config).offset); },
                   .set =
                       [](Config& config, std::optional<std::uint64_t> value) {
                         set_rope<&Rope::offset>(config, static_cast<Index>(value.value_or(0)));
                       },
                   .off = {},
                   .help = "The position of the first token. Scores stay the same: only distances count.",
                   .reason = rope_part_reason},
      ChoiceField{.key = "normalization",
                  .label = "normalize",
                  .values = normalization_values,
                  .get = choice_in<&Config::normalization>,
                  .set = choose_in<&Config::normalization>,
                  .is_first_without_effect = true,
                  .help = "How a row of scores becomes weights.",
                  .reason = normalization_reason,
                  .obstacle = normalization_obstacle},
      ChoiceField{.key = "mask",
                  .label = "mask",
                  .values = mask_values,
                  .get = choice_in<&Config::mask>,
                  .set = choose_in<&Config::mask>,
                  .help = "How keys after the query are hidden: minus infinity before softmax, or zeros after it.",
                  .reason = no_reason,
                  .obstacle = mask_obstacle},
      ChoiceField{.key = "mask_alignment",
                  .label = "mask begins",
                  .values = alignment_values,
                  .get = choice_in<&Config::mask_alignment>,
                  .set = choose_in<&Config::mask_alignment>,
                  .is_rare = true,
                  .help = "Where a causal mask lies if there are more or fewer queries than keys: the last query "
                          "beside the last key, or the first beside the first.",
                  .reason = alignment_reason},
      IntegerField{.key = "sliding_window",
                   .label = "window",
                   .lowest = 1,
                   .highest = max_tokens,
                   .get = [](const Config& config) -> std::optional<std::uint64_t> { return config.sliding_window; },
                   .set = [](Config& config, std::optional<std::uint64_t> value) { config.sliding_window = value; },
                   .off = "all keys before",
                   .is_rare = true,
                   .help = "Under a causal mask a query sees only so many keys, its own the last (sliding-window "
                           "attention). Empty: it sees all keys before it.",
                   .reason = [](const Config& config) -> std::string_view {
                     const bool is_causal = config.mask != MaskRoute::none && config.mask != MaskRoute::custom;
                     return is_causal ? "" : "Only a causal mask has a window: choose one first.";
                   }},
      NumberField{.key = "scale",
                  .label = "scaling",
                  .what = "what the scores are multiplied with",
                  .allowed = "true, false or a number above 0, from 1e-30 to 1e30",
                  .lowest = least_scale,
                  .highest = most_scale,
                  .get = [](const Config& config) { return config.scale_factor; },
                  .set =
                      [](Config& config, std::optional<double> value) {
                        config.scale_factor = value;
                        config.scale = true;
                      },
                  .off = "÷ √head_dim",
                  .slider_end = 2,
                  .help = "What the scores are multiplied with. At 0 they are divided by √head_dim.",
                  .reason = [](const Config& config) -> std::string_view {
                    return config.scale ? "" : "The scores are not scaled: switch scaling on first.";
                  },
                  .flag = &scale_flag},
      NumberField{
          .key = "softcap",
          .label = "soft cap",
          .what = "what no score can exceed",
          .allowed = "a number above 0, from 1e-30 to 1e30",
          .lowest = 1e-30,
          .highest = 1e30,
          .get = [](const Config& config) { return config.softcap; },
          .set = [](Config& config, std::optional<double> value) { config.softcap = value; },
          .off = "off",
          .slider_end = 100,
          .help = "Scaled scores s become c·tanh(s/c) before the mask, so that none is larger than c. Off at 0.",
          .reason = no_reason},
      NumberField{.key = "dropout",
                  .label = "dropout",
                  .what = "the share of weights to drop",
                  .allowed = "a number from 0 to 1",
                  .lowest = 0,
                  .highest = 1,
                  .get = [](const Config& config) { return std::optional(config.dropout); },
                  .set = [](Config& config, std::optional<double> value) { config.dropout = value.value_or(0); },
                  .off = {},
                  .slider_end = 1,
                  .help = "Rate p: a weight is dropped with probability p, a kept one is multiplied by 1/(1-p).",
                  .reason = dropout_reason,
                  .is_option = false},
      FlagField{.key = "training",
                .label = "mode",
                .on = "training",
                .off = "evaluation",
                .help = "Dropout acts in training only: model.train() or model.eval().",
                .reason = [](const Config& config) -> std::string_view {
                  return info(config.mechanism).has_dropout ? ""
                                                            : "Without dropout, training and evaluation are the same.";
                },
                .member = &Config::training},
      IntegerField{.key = "seed",
                   .label = "seed",
                   .highest = std::numeric_limits<std::uint64_t>::max(),
                   .get = [](const Config& config) { return std::optional(config.seed); },
                   .set = [](Config& config, std::optional<std::uint64_t> value) { config.seed = value.value(); },
                   .off = {},
                   .help = "What torch.manual_seed is called with. Words of a trained model are drawn with it, too.",
                   .reason = seed_reason,
                   .is_option = false},
      IntegerField{.key = "skip_draws",
                   .label = "skip draws",
                   .highest = max_skip_draws,
                   .get = [](const Config& config) { return std::optional(config.skip_draws); },
                   .set = [](Config& config, std::optional<std::uint64_t> value) { config.skip_draws = value.value(); },
                   .off = {},
                   .help = "How many 32-bit random numbers are thrown away first: as many as a notebook takes from the "
                           "generator between its seed and its weights.",
                   .reason = skip_reason},
      IntegerField{
          .key = "dropout_seed",
          .label = "dropout seed",
          .highest = std::numeric_limits<std::uint64_t>::max(),
          .get = [](const Config& config) { return config.dropout_seed; },
          .set = [](Config& config, std::optional<std::uint64_t> value) { config.dropout_seed = value; },
          .off = "none: goes on",
          .help = "Seeds the generator once more, right before dropout. Empty: dropout goes on after the weights.",
          .reason = dropout_seed_reason},
      ChoiceField{
          .key = "dropout_kernel",
          .label = "dropout as on",
          .values = kernel_values,
          .get = choice_in<&Config::dropout_kernel>,
          .set = choose_in<&Config::dropout_kernel>,
          .help =
              "One seed, two masks: PyTorch built with Intel MKL and running on an Intel processor draws its dropout "
              "mask from one random word and a stream that follows from it; on AMD, Arm and Apple processors, or "
              "built without MKL, it draws two words for every weight. Choose the machine whose numbers you compare "
              "with.",
          .reason = [](const Config& config) -> std::string_view {
            return info(config.mechanism).has_dropout ? "" : "Dropout begins with causal attention.";
          }},
  };
}

std::string whole_number(std::uint64_t smallest, std::uint64_t largest) {
  return "a whole number from " + std::to_string(smallest) + " to " + std::to_string(largest);
}

}  // namespace

std::string CountField::allowed() const { return whole_number(1, static_cast<std::uint64_t>(highest)); }

std::string IntegerField::allowed() const { return whole_number(lowest, highest); }

std::string ChoiceField::allowed() const {
  std::string text;
  for (const Value& value : values) {
    if (!text.empty()) text += value.word == values.back().word ? " or " : ", ";
    text.append("\"").append(value.word).append("\"");
  }
  return text;
}

std::span<const ConfigField> config_fields() {
  static const std::vector<ConfigField> fields = make_fields();
  return fields;
}

}  // namespace attnscope
