#include "core/number_field.h"

#include <algorithm>
#include <array>

namespace attnscope {

namespace {

std::string_view dropout_reason(const AttentionConfig& config) {
  if (!info(config.mechanism).has_dropout) return "Dropout begins with causal attention, three steps up the ladder.";
  if (!config.training) return "Dropout acts in training only: switch from evaluation to training under More options.";
  return {};
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

}  // namespace

std::span<const NumberField> number_fields() { return number_field_table; }

const NumberField* find_number_field(std::string_view key) {
  const auto found = std::ranges::find(number_field_table, key, &NumberField::key);
  return found == number_field_table.end() ? nullptr : &*found;
}

}  // namespace attnscope
