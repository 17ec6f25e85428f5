#include "look/diagram.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "look/number_text.h"

namespace attnscope {

DiagramOperator diagram_operator(const AttentionConfig& config, Stage result) {
  switch (rule_of(config, result)) {
    case CellRule::start:
    case CellRule::hide_or_not:
    case CellRule::keep_or_drop:
      return {};
    case CellRule::projection:
    case CellRule::query_times_key:
    case CellRule::weighted_sum:
      return {"×"};
    case CellRule::hide:
      return {"hide", "M = 1 → −∞"};
    case CellRule::step: {
      const auto amount = static_cast<double>(info(result).step(config)->amount(config));
      if (!info(result).step(config)->factor) return {fmt::format("c = {}", format_fixed(amount, 2)), "c · tanh(S/c)"};
      if (config.scale_factor) return {fmt::format("× {}", format_fixed(amount, 3))};
      return {fmt::format("÷ √{}", head_features(config)), fmt::format("= {}", format_fixed(amount, 3))};
    }
    case CellRule::add_bias:
      return {"+ b", "cell by cell"};
    case CellRule::normalize:
      if (normalizes_by_sum(config)) return {"÷ Σ", "of the row"};
      return {"softmax", "along the row"};
    case CellRule::keep_seen:
      return {"× (1 − M)"};
    case CellRule::share_of_row:
      return {"÷ Σ", "of the row"};
    case CellRule::product:
      return {"×", "cell by cell"};
    case CellRule::side_by_side:
      if (head_count(config) == 1) return {"=", "one head"};
      return {"concat", "heads"};
  }
  return {};
}

bool has_place(Stage stage) { return info(stage).place.column >= 0; }

StageSet places_after(const AttentionConfig& config, Stage last) {
  StageSet after;
  bool is_after = false;
  for (const Stage stage : computed_stages(config)) {
    if (is_after && has_place(stage)) after.add(stage);
    if (stage == last) is_after = true;
  }
  return after;
}

std::string about(const AttentionConfig& config, Stage stage) {
  const bool has_queries = has_stage(config, Stage::queries);
  const bool has_heads = head_count(config) > 1;
  switch (stage) {
    case Stage::inputs:
      return "an embedding for each token: the row of numbers that stands for it";
    case Stage::queries:
      return "what each token looks for";
    case Stage::keys:
      return "what each token can be found by";
    case Stage::values:
      return "what each token hands on";
    case Stage::scores:
      return has_queries ? "how well each query matches each key: their dot product"
                         : "how alike two embeddings are: their dot product";
    case Stage::mask:
      return "1 hides a key from a query";
    case Stage::masked_scores:
      return "a hidden key's score is −∞, which softmax turns into 0";
    case Stage::scaled_scores:
      if (config.scale_factor) return "each score times a factor that you chose";
      return fmt::format("divided by √{} = {}, so that scores do not grow with head_dim", head_features(config),
                         format_fixed(std::sqrt(static_cast<double>(head_features(config))), 3));
    case Stage::capped_scores:
      return "squeezed, so that no score is further from 0 than the cap";
    case Stage::biased_scores:
      return "each score plus its bias";
    case Stage::weights:
      return "each query's scores turned into shares: every row sums to 1";
    case Stage::masked_weights:
      return "hidden keys lose their weight after softmax, and rows no longer sum to 1";
    case Stage::renormalized_weights:
      return "each row divided by its sum, so that it sums to 1 again";
    case Stage::dropout_factors:
      return "0 drops a weight; the others grow to make up for it";
    case Stage::dropped_weights:
      return "in training, weights chosen at random are dropped and the others scaled up";
    case Stage::context:
      if (has_heads) return "the contexts of all heads, side by side";
      [[fallthrough]];
    case Stage::head_context:
      return has_queries ? "each query's mix of the values, by its weights"
                         : "each token's mix of all embeddings, by its weights";
    case Stage::output:
      return has_heads ? "out_proj mixes what the heads have found"
                       : "out_proj, a last linear layer, turns the context into the output";
    default:
      return std::string(info(stage).formula);
  }
}

std::string_view id_of(Band band) {
  if (band == Band::project) return "project";
  return band == Band::compare ? "compare" : "mix";
}

std::string_view title_of(Band band) {
  if (band == Band::project) return "1 Project";
  return band == Band::compare ? "2 Compare" : "3 Mix";
}

}  // namespace attnscope
