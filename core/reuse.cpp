#include "core/reuse.h"

namespace attnscope {

std::optional<Stage> first_stale_stage(const AttentionConfig& before, const AttentionConfig& after) {
  if (before == after) return std::nullopt;
  AttentionConfig alike = before;
  alike.dropout = after.dropout;
  alike.training = after.training;
  alike.dropout_seed = after.dropout_seed;
  alike.dropout_kernel = after.dropout_kernel;
  if (alike == after) return Stage::dropout_factors;
  alike.mask = after.mask;
  alike.scale = after.scale;
  alike.normalization = after.normalization;
  return alike == after ? Stage::mask : Stage::inputs;
}

bool differ_by_typed_inputs(const AttentionConfig& before, const AttentionConfig& after) {
  const Tensor* const old_inputs = std::get_if<Tensor>(&before.inputs);
  const Tensor* const new_inputs = std::get_if<Tensor>(&after.inputs);
  if (!old_inputs || !new_inputs || old_inputs->shape != new_inputs->shape) return false;
  AttentionConfig alike = before;
  alike.inputs = after.inputs;
  return alike == after;
}

bool drop_alike(const AttentionConfig& left, const AttentionConfig& right) {
  return left.dropout == right.dropout && left.training == right.training && left.dropout_seed == right.dropout_seed &&
         left.dropout_kernel == right.dropout_kernel;
}

}  // namespace attnscope
