#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/operations.h"
#include "core/parameters.h"
#include "study/study_support.h"
#include "study/study_views.h"

namespace attnscope {
namespace {

// The cost of a configuration.
struct Cost {
  double parameters = 0;
  double multiplications = 0;
  double bytes = 0;  // of every stage as float32
};

double elements_of(const AttentionConfig& config, Stage stage) {
  return static_cast<double>(element_count(stage_shape(config, stage)));
}

Cost cost_of(const AttentionConfig& config) {
  Cost cost{0, operation_count(config) / 2, 0};
  for (const ParameterShape& parameter : parameter_shapes(config))
    cost.parameters += static_cast<double>(element_count(parameter.shape));
  for (const StageInfo& stage : stages()) {
    if (has_stage(config, stage.stage)) cost.bytes += elements_of(config, stage.stage) * sizeof(float);
  }
  return cost;
}

// Twice as many; nothing where that cannot be.
std::optional<AttentionConfig> doubled(AttentionConfig config, std::string_view what) {
  config.weight_overrides.clear();
  config.dropout_edits.clear();
  config.heads_off.clear();
  if (what == "B") config.batch_size *= 2;
  if (what == "T") {
    config.inputs = RandnInputs{2 * token_count(config), input_features(config)};
    if (config.mask == MaskRoute::custom) config.mask = MaskRoute::causal;
    config.bias = Tensor();
  }
  if (what == "H") config.num_heads *= 2;
  if (what == "d_out") config.d_out *= 2;
  try {
    check(config);
  } catch (const Error&) {
    return {};
  }
  return config;
}

std::string times(double now, double before) {
  return before == 0 ? "–" : fmt::format("× {}", number(now / before, 2));
}

BoardTable doubling_table(const AttentionConfig& config) {
  const Cost now = cost_of(config);
  BoardTable table{.title = "What grows when one letter doubles and the others stay",
                   .header = {"twice", "parameters", "multiplications", "bytes of all stages"}};
  for (const std::string_view what : {"B", "T", "H", "d_out"}) {
    const std::optional<AttentionConfig> twice = doubled(config, what);
    const bool is_used = what != "H" || info(config.mechanism).has_heads;
    if (!twice || !is_used) continue;
    const Cost then = cost_of(*twice);
    table.rows.push_back({std::string(what), times(then.parameters, now.parameters),
                          times(then.multiplications, now.multiplications), times(then.bytes, now.bytes)});
  }
  return table;
}

}  // namespace

void build_shapes(Board& board, const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Cost cost = cost_of(config);
  BoardTable table{.title = "Every tensor",
                   .header = {"stage", "letters", "numbers", "elements", "multiplications", "bytes"}};
  for (const StageInfo& stage : stages()) {
    if (!has_stage(config, stage.stage)) continue;
    const double elements = elements_of(config, stage.stage);
    const double products = stage_operations(config, stage.stage) / 2;
    table.rows.push_back({std::string(stage.title), shape_letters(config, stage.stage),
                          fmt::format("({})", fmt::join(stage_shape(config, stage.stage), ", ")), thousands(elements),
                          products > 0 ? thousands(products) : "–", thousands(elements * sizeof(float))});
  }
  const Index heads = head_count(config);
  board.sentence = fmt::format(
      "B = {}, T = {}, H = {}, d_in = {}, d_out = {}: {} trainable numbers and {} multiplications{}. {}Scores and what "
      "becomes of them have T × T = {} numbers for each head, so they grow with the square of the text's length.",
      config.batch_size, token_count(config), heads, input_features(config), config.d_out, thousands(cost.parameters),
      thousands(cost.multiplications),
      has_mask(config) ? ", without those of hidden keys, which PyTorch multiplies, too" : "",
      !info(config.mechanism).has_heads ? ""
      : info(config.mechanism).splits_heads
          ? fmt::format("d_out is of all heads together: each has head_dim = {} / {} = {}. ", config.d_out, heads,
                        head_features(config))
          : fmt::format("d_out is of each head here: {} heads side by side make {}. ", heads, context_features(config)),
      thousands(static_cast<double>(query_count(config)) * static_cast<double>(key_count(config))));
  board.lines.push_back({doubling_table(config)});
  board.lines.push_back({std::move(table)});
}

}  // namespace attnscope
