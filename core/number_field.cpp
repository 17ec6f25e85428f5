#include "core/number_field.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/parameters.h"

namespace attnscope {

namespace {

std::string_view dropout_reason(const AttentionConfig& config) {
  if (!info(config.mechanism).has_dropout) return "Dropout begins with causal attention, three steps up the ladder.";
  if (!config.training) return "Dropout acts in training only: switch from evaluation to training under More options.";
  return {};
}

std::string_view dropout_seed_reason(const AttentionConfig& config) {
  if (const std::string_view reason = dropout_reason(config); !reason.empty()) return reason;
  if (config.dropout <= 0) return "Nothing is dropped at a rate of 0: raise dropout first.";
  return config.dropout < 1 ? "" : "Everything is dropped at a rate of 1: nothing is drawn for it.";
}

std::string_view seed_reason(const AttentionConfig& config) {
  if (!begins_with_heads(config) && std::holds_alternative<RandnInputs>(config.inputs)) return {};
  if (!config.dropout_seed && dropout_seed_reason(config).empty()) return {};
  const std::vector<ParameterShape> weights = parameter_shapes(config);
  const auto is_set = [&](const ParameterShape& weight) { return config.weight_overrides.contains(weight.name); };
  if (!std::ranges::all_of(weights, is_set)) return {};
  return "Nothing is drawn: inputs are typed, weights are set or there are none, and dropout draws nothing from here.";
}

constexpr std::array number_field_table = {
    NumberField{.key = "dropout",
                .label = "dropout",
                .what = "the share of weights to drop",
                .allowed = "a number from 0 to 1",
                .lowest = 0,
                .highest = 1,
                .get = [](const AttentionConfig& config) { return std::optional(config.dropout); },
                .set = [](AttentionConfig& config, std::optional<double> value) { config.dropout = value.value_or(0); },
                .can_be_off = false,
                .slider_end = 1,
                .help = "Rate p: a weight is dropped with probability p, a kept one grows by 1/(1-p).",
                .reason = dropout_reason},
    NumberField{.key = "softcap",
                .label = "soft cap",
                .what = "what no score can exceed",
                .allowed = "a number above 0, from 1e-30 to 1e30",
                .lowest = 1e-30,
                .highest = 1e30,
                .get = [](const AttentionConfig& config) { return config.softcap; },
                .set = [](AttentionConfig& config, std::optional<double> value) { config.softcap = value; },
                .can_be_off = true,
                .slider_end = 100,
                .help = "Scaled scores s become c·tanh(s/c) before the mask, so that none is larger than c. Off at 0.",
                .reason = [](const AttentionConfig&) { return std::string_view(); }},
};

constexpr std::array whole_field_table = {
    WholeField{.key = "seed",
               .label = "seed",
               .highest = std::numeric_limits<std::uint64_t>::max(),
               .get = [](const AttentionConfig& config) { return std::optional(config.seed); },
               .set = [](AttentionConfig& config, std::optional<std::uint64_t> value) { config.seed = value.value(); },
               .off = {},
               .help = "What torch.manual_seed is called with.",
               .reason = seed_reason},
    WholeField{
        .key = "skip_draws",
        .label = "skip draws",
        .highest = max_skip_draws,
        .get = [](const AttentionConfig& config) { return std::optional(config.skip_draws); },
        .set = [](AttentionConfig& config, std::optional<std::uint64_t> value) { config.skip_draws = value.value(); },
        .off = {},
        .help = "How many 32-bit random numbers are thrown away first: as many as a notebook takes from the generator "
                "between its seed and its weights.",
        .reason = seed_reason},
    WholeField{.key = "dropout_seed",
               .label = "dropout seed",
               .highest = std::numeric_limits<std::uint64_t>::max(),
               .get = [](const AttentionConfig& config) { return config.dropout_seed; },
               .set = [](AttentionConfig& config, std::optional<std::uint64_t> value) { config.dropout_seed = value; },
               .off = "none: goes on",
               .help = "Seeds the generator once more, right before dropout. Empty: dropout goes on after the weights.",
               .reason = dropout_seed_reason},
};

}  // namespace

std::string WholeField::allowed() const { return "a whole number from 0 to " + std::to_string(highest); }

std::span<const WholeField> whole_fields() { return whole_field_table; }

const WholeField& seed_field() { return whole_field_table.front(); }

std::span<const NumberField> number_fields() { return number_field_table; }

const NumberField* find_number_field(std::string_view key) {
  const auto found = std::ranges::find(number_field_table, key, &NumberField::key);
  return found == number_field_table.end() ? nullptr : &*found;
}

}  // namespace attnscope
