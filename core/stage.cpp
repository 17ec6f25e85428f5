#include "core/stage.h"

#include "core/bias.h"
#include "core/config.h"

#include <algorithm>

namespace attnscope {

namespace {

// Each step follows from the last one before it that a configuration has.
constexpr std::array plain_route = {
    Stage::scores,  Stage::masked_scores,  Stage::scaled_scores,        Stage::capped_scores,
    Stage::weights, Stage::masked_weights, Stage::renormalized_weights, Stage::dropped_weights};
// A mask of minus infinity would come out of the cap as -c, and be seen. A bias is added after scaling and cap.
constexpr std::array late_mask_route = {Stage::scores,         Stage::scaled_scores,        Stage::capped_scores,
                                        Stage::biased_scores,  Stage::masked_scores,        Stage::weights,
                                        Stage::masked_weights, Stage::renormalized_weights, Stage::dropped_weights};

std::span<const Stage> route_of(const AttentionConfig& config) {
  return config.softcap || has_bias(config) ? std::span<const Stage>(late_mask_route) : plain_route;
}

}  // namespace

StageList score_route(const AttentionConfig& config) {
  StageList list;
  for (const Stage stage : route_of(config)) {
    if (has_stage(config, stage)) list.add(stage);
  }
  return list;
}

Stage before_on_route(const AttentionConfig& config, Stage stage) {
  Stage before = Stage::scores;
  for (const Stage step : route_of(config)) {
    if (step == stage) break;
    if (has_stage(config, step)) before = step;
  }
  return before;
}

CellRule rule_of(const AttentionConfig& config, Stage stage) {
  const bool is_of_heads = stage == Stage::queries || stage == Stage::keys || stage == Stage::values;
  return is_of_heads && begins_with_heads(config) ? CellRule::start : info(stage).rule;
}

bool has_stage(const AttentionConfig& config, Stage stage) { return info(stage).exists(config); }

bool acts_in(const AttentionConfig& config, Stage stage) {
  if (!has_stage(config, stage)) return false;
  if (info(stage).rule == CellRule::step) return info(stage).step(config)->acts(config);
  return info(stage).rule != CellRule::product || dropout_is_active(config);
}

StageList predecessors(const AttentionConfig& config, Stage stage) { return info(stage).follows_from(config, stage); }

bool depends_on(const AttentionConfig& config, Stage stage, Stage origin) {
  return stage == origin ||
         std::ranges::any_of(predecessors(config, stage), [&](Stage from) { return depends_on(config, from, origin); });
}

std::vector<Stage> computed_stages(const AttentionConfig& config) {
  const StageList steps = score_route(config);
  const Stage* step = steps.begin();
  std::vector<Stage> present;
  for (const StageInfo& stage : stages()) {
    if (!stage.exists(config) || is_parameter(stage.axes)) continue;
    const bool is_step = std::ranges::find(steps, stage.stage) != steps.end();
    present.push_back(is_step ? *step++ : stage.stage);
  }
  return present;
}

}  // namespace attnscope
