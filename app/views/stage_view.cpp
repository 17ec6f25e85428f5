#include "views/stage_view.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

bool is_per_head(Stage stage) {
  const StageAxes axes = info(stage).axes;
  return axes == StageAxes::head_query_key || axes == StageAxes::head_token_feature;
}

std::optional<StageView> stage_view(const ViewContext& context, Stage stage, Index head) {
  const Result* result = context.result();
  if (!result || !result->find(stage) || !context.evaluation.summaries) return {};
  const Index heads = head_count(result->config);
  const Index batch = std::clamp<Index>(context.view.batch, 0, result->config.batch_size - 1);
  StageView view;
  view.info = &info(stage);
  view.tensor = result->share(stage);
  view.summary = (*context.evaluation.summaries)[static_cast<std::size_t>(stage)].get();
  view.head = std::clamp<Index>(head, 0, heads - 1);
  if (is_per_head(stage)) {
    view.matrix = batch * heads + view.head;
  } else {
    view.matrix = view.info->axes == StageAxes::query_key ? 0 : batch;
  }
  view.rows = view.tensor->rows();
  view.cols = view.tensor->cols();
  return view;
}

bool shows_mask(const AttentionConfig& config, Stage stage) {
  switch (stage) {
    case Stage::mask:
    case Stage::masked_weights:
    case Stage::renormalized_weights:
    case Stage::dropped_weights:
      return config.mask != MaskRoute::none;
    case Stage::masked_scores:
    case Stage::scaled_scores:
    case Stage::weights:
      return config.mask == MaskRoute::causal;
    default:
      return false;
  }
}

bool shows_dropped(const Result& result, Stage stage) {
  const bool can_drop = stage == Stage::dropout_factors || stage == Stage::dropped_weights;
  return can_drop && dropout_is_active(result.config) && result.find(Stage::dropout_factors);
}

float cell_value(const StageView& view, Index row, Index col) {
  return view.tensor->values[static_cast<std::size_t>((view.matrix * view.rows + row) * view.cols + col)];
}

bool is_hidden_cell(const ViewContext& context, const StageView& view, Index row, Index col) {
  return col > row && shows_mask(context.result()->config, view.info->stage);
}

bool is_dropped_cell(const ViewContext& context, const StageView& view, Index row, Index col) {
  if (!shows_dropped(*context.result(), view.info->stage)) return false;
  const Tensor& factors = *context.result()->find(Stage::dropout_factors);
  return factors.values[static_cast<std::size_t>((view.matrix * view.rows + row) * view.cols + col)] == 0;
}

std::string row_label(const ViewContext& context, Index row) {
  if (row < static_cast<Index>(context.labels.size())) return context.labels[static_cast<std::size_t>(row)];
  return std::to_string(row + 1);
}

std::string column_label(const ViewContext& context, const StageView& view, Index col) {
  return is_query_by_key(view.info->axes) ? row_label(context, col) : std::to_string(col + 1);
}

StageWording wording(const AttentionConfig& config, Stage stage) {
  const bool is_simple = config.mechanism == Mechanism::simple_self_attention;
  if (is_simple && stage == Stage::scores) return {"S = X Xᵀ", "attn_scores = inputs @ inputs.T"};
  if (is_simple && stage == Stage::head_context) return {"Z = A · X", "context_vecs = attn_weights @ inputs"};
  if (stage == Stage::weights && is_simple && config.normalization == Normalization::sum) {
    return {"A = S ÷ (sum of its row)", "attn_weights = attn_scores / attn_scores.sum(dim=-1, keepdim=True)"};
  }
  if (stage == Stage::weights && !config.scale) {
    return {"A = softmax(S), row by row", "attn_weights = torch.softmax(attn_scores, dim=-1)"};
  }
  return {info(stage).formula, info(stage).pytorch};
}

}  // namespace attnscope
