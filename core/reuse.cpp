#include "core/reuse.h"

#include "core/stages/rule.h"

#include <algorithm>

namespace attnscope {

namespace {

// Whether anything differs but what single stages read.
bool differ_in_basis(const AttentionConfig& before, const AttentionConfig& after) {
  AttentionConfig alike = before;
  for (const StageInfo& stage : stages()) {
    if (stage.reads) stage.reads->copy(alike, after);
  }
  return alike != after;
}

}  // namespace

StageSet stale_stages(const AttentionConfig& before, const AttentionConfig& after) {
  const bool is_other_basis = differ_in_basis(before, after);
  StageSet changed;
  for (const StageInfo& stage : stages()) {
    const bool is_new = stage.exists(after) && !stage.exists(before);
    const bool is_drawn = stage.rule(after).is_drawn;
    const bool reads_change = (stage.reads && stage.reads->differs(before, after)) || (is_drawn && is_other_basis);
    if (is_new || reads_change || predecessors(before, stage.stage) != predecessors(after, stage.stage)) {
      changed.add(stage.stage);
    }
  }
  StageSet stale;
  for (const StageInfo& stage : stages()) {
    const bool is_reached = std::ranges::any_of(stages(), [&](const StageInfo& origin) {
      return changed.contains(origin.stage) && depends_on(after, stage.stage, origin.stage);
    });
    if (is_reached) stale.add(stage.stage);
  }
  return stale;
}

bool differ_by_typed_inputs(const AttentionConfig& before, const AttentionConfig& after) {
  const auto* const old_inputs = std::get_if<SharedTensor>(&before.inputs);
  const auto* const new_inputs = std::get_if<SharedTensor>(&after.inputs);
  if (!old_inputs || !new_inputs || old_inputs->shape() != new_inputs->shape()) return false;
  AttentionConfig alike = before;
  alike.inputs = after.inputs;
  return alike == after;
}

bool keeps_parameters(const AttentionConfig& before, const AttentionConfig& after) {
  return differ_by_typed_inputs(before, after) || !stale_stages(before, after).contains(Stage::inputs);
}

bool drop_alike(const AttentionConfig& left, const AttentionConfig& right) {
  return left.dropout == right.dropout && left.training == right.training && left.dropout_seed == right.dropout_seed &&
         left.dropout_kernel == right.dropout_kernel && left.dropout_edits == right.dropout_edits;
}

}  // namespace attnscope
