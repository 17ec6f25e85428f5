#pragma once

// Functions and parts of the configuration that the rows of core/stage_table.cpp name.

#include "core/bias.h"
#include "core/evaluate.h"
#include "core/rms_norm.h"
#include "core/stage.h"
#include "core/visibility.h"

namespace attnscope::stage_rules {

// Tests of what a configuration has.

inline bool has_weights(const AttentionConfig& config) {
  return info(config.mechanism).weight_style != WeightStyle::none;
}

inline bool has_inputs(const AttentionConfig& config) { return !begins_with_heads(config); }

inline bool has_queries(const AttentionConfig& config) { return has_weights(config) || begins_with_heads(config); }

inline bool has_biases(const AttentionConfig& config) {
  return config.qkv_bias && info(config.mechanism).weight_style == WeightStyle::linear;
}

inline bool has_output(const AttentionConfig& config) { return info(config.mechanism).has_output_projection; }

inline bool has_dropout(const AttentionConfig& config) { return info(config.mechanism).has_dropout; }

inline bool is_masked(const AttentionConfig& config) { return config.mask != MaskRoute::none; }

inline bool masks_scores(const AttentionConfig& config) {
  return config.mask == MaskRoute::causal || config.mask == MaskRoute::custom;
}

inline bool renormalizes(const AttentionConfig& config) { return config.mask == MaskRoute::causal_renormalized; }

inline bool masks_weights(const AttentionConfig& config) { return is_masked(config) && !masks_scores(config); }

inline bool has_scaled_scores(const AttentionConfig& config) { return has_queries(config) || config.scale; }

inline bool has_softcap(const AttentionConfig& config) { return config.softcap.has_value(); }

// Why it has not.

inline std::string_view no_inputs(const AttentionConfig&) { return "no inputs: queries, keys and values are given"; }

inline std::string_view no_weights(const AttentionConfig&) { return "no weights: the inputs are compared themselves"; }

inline std::string_view no_weighted_values(const AttentionConfig&) {
  return "no weights: the inputs are mixed themselves";
}

inline std::string_view no_masked_scores(const AttentionConfig& config) {
  return is_masked(config) ? "the mask comes after softmax" : "no mask: every query sees every key";
}

inline std::string_view no_scaling(const AttentionConfig&) { return "scaling is off: scores go straight on"; }

inline std::string_view no_softcap(const AttentionConfig&) { return "no soft cap"; }

inline std::string_view no_masked_weights(const AttentionConfig& config) {
  return is_masked(config) ? "masked before softmax: weights go straight on" : "no mask: weights go straight on";
}

inline std::string_view not_renormalized(const AttentionConfig& config) {
  return masks_weights(config) ? "not renormalized: rows stay below 1" : "rows sum to 1 as they are";
}

inline std::string_view no_dropout(const AttentionConfig& config) {
  if (!has_dropout(config)) return "no dropout: weights go straight on";
  return config.training ? "dropout is off: weights go straight on" : "evaluation: nothing is dropped";
}

inline std::string_view no_output(const AttentionConfig&) { return "no output projection: the context is the result"; }

// The stages that each one follows from.

// Through a layer's weights, and its bias where it has one.
template <Stage from, Stage weight_stage, Stage bias_stage>
StageList through(const AttentionConfig& config, Stage) {
  if (begins_with_heads(config)) return {};
  StageList list = {from, weight_stage};
  if (has_stage(config, bias_stage)) list.add(bias_stage);
  return list;
}

// A norm's gain stands beside what it multiplies.
template <Stage from, Stage gain>
StageList with_gain(const AttentionConfig&, Stage) {
  return {from, gain};
}

// A dimension and its partner stand in one row of the same stage.
template <Stage from, Stage normalized>
StageList pairs_of(const AttentionConfig& config, Stage) {
  return has_qk_norm(config) ? StageList{normalized, normalized} : StageList{from, from};
}

inline StageList queries_and_keys(const AttentionConfig& config, Stage) {
  if (has_rope(config)) return {Stage::rotated_queries, Stage::rotated_keys};
  if (has_qk_norm(config)) return {Stage::normalized_queries, Stage::normalized_keys};
  return has_queries(config) ? StageList{Stage::queries, Stage::keys} : StageList{Stage::inputs, Stage::inputs};
}

inline StageList before(const AttentionConfig& config, Stage stage) { return {before_on_route(config, stage)}; }

inline StageList before_and_mask(const AttentionConfig& config, Stage stage) {
  return {before_on_route(config, stage), Stage::mask};
}

inline StageList before_and_factors(const AttentionConfig& config, Stage stage) {
  return {before_on_route(config, stage), Stage::dropout_factors};
}

inline StageList weights_and_values(const AttentionConfig& config, Stage) {
  return {score_route(config).back(), has_queries(config) ? Stage::values : Stage::inputs};
}

inline StageList head_contexts(const AttentionConfig&, Stage) { return {Stage::head_context}; }

template <auto... fields>
inline constexpr ConfigPart part_of = {
    .differs = [](const AttentionConfig& left,
                  const AttentionConfig& right) { return ((left.*fields != right.*fields) || ...); },
    .copy = [](AttentionConfig& to, const AttentionConfig& from) { ((to.*fields = from.*fields), ...); }};

// Heads of other shapes change all that there is.
inline bool have_heads_of_one_shape(const AttentionConfig& left, const AttentionConfig& right) {
  return left.heads.queries.shape() == right.heads.queries.shape() &&
         left.heads.keys.shape() == right.heads.keys.shape() && left.heads.values.shape() == right.heads.values.shape();
}
inline constexpr ConfigPart heads_of_one_shape = {.differs = part_of<&AttentionConfig::heads>.differs,
                                                  .copy = [](AttentionConfig& to, const AttentionConfig& from) {
                                                    if (have_heads_of_one_shape(to, from)) to.heads = from.heads;
                                                  }};

// The mask follows from no other stage, and is as large as there are tokens.
inline constexpr ConfigPart mask_and_size = {
    .differs =
        [](const AttentionConfig& left, const AttentionConfig& right) {
          return left.mask != right.mask || visibility(left) != visibility(right) ||
                 query_count(left) != query_count(right);
        },
    .copy = part_of<&AttentionConfig::mask, &AttentionConfig::hidden, &AttentionConfig::mask_alignment,
                    &AttentionConfig::sliding_window>
                .copy};

// Steps from scores to scores, in score_steps.cpp.
const ScoreStep* scaling(const AttentionConfig& config);
const ScoreStep* capping(const AttentionConfig& config);

}  // namespace attnscope::stage_rules
