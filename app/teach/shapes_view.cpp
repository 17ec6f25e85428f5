#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/evaluate.h"
#include "core/parameters.h"
#include "core/text.h"
#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

constexpr Index most_shown_tokens = 8;
constexpr Index most_shown_features = 6;  // lets three matrices stand side by side on a slide

// The cost of a configuration.
struct Cost {
  double parameters = 0;
  double multiplications = 0;
  double bytes = 0;  // memory of every stage as float32
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

// Doubles one number of a configuration; returns nothing if that cannot be.
std::optional<AttentionConfig> doubled(AttentionConfig config, std::string_view what) {
  config.weight_overrides.clear();
  config.dropout_edits.clear();
  config.heads_off.clear();
  if (what == "B") config.batch_size *= 2;
  if (what == "T") config.inputs = RandnInputs{2 * token_count(config), input_features(config)};
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

// Removes an edited mask and a bias, which fit no size but their own.
AttentionConfig without_fixed_sizes(AttentionConfig config) {
  if (config.mask == MaskRoute::custom) config.mask = MaskRoute::causal;
  config.hidden = {};
  config.bias = Tensor();
  return config;
}

BoardTable doubling_table(const AttentionConfig& own) {
  const AttentionConfig config = without_fixed_sizes(own);
  const Cost now = cost_of(config);
  BoardTable table{.title = "When one letter doubles and the others stay",
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

// Draws a projection to scale: inputs × W_query = queries, each column in the colour of its head.
std::vector<BoardItem> widths_of(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const bool has_weights = info(config.mechanism).weight_style != WeightStyle::none && !begins_with_heads(config);
  if (!has_weights) return {};
  const QueryWeight weight = read_query_weight(subject);
  const Index tokens = std::min(query_count(config), most_shown_tokens);
  const Index ins = std::min(weight.in, most_shown_features);
  const Index outs = std::min(weight.out, most_shown_features);
  const bool is_split = info(config.mechanism).splits_heads;
  const Index head_dim = head_features(config);
  const auto head_at = [&](Index col) { return is_split ? col / head_dim : subject.head; };
  const auto tint_heads = [&](BoardMatrix& matrix) {  // each column in the colour of its head, with its numbers
    for (std::size_t i = 0; i < matrix.values.size(); ++i) {
      matrix.tints.push_back(static_cast<int>(head_at(static_cast<Index>(i) % outs)));
      matrix.texts.push_back(number(matrix.values[i]));
    }
  };
  BoardMatrix inputs{.title = "inputs",
                     .caption = fmt::format("T × d_in = {} × {}", query_count(config), weight.in),
                     .rows = tokens,
                     .cols = ins,
                     .values = read_window(subject, Stage::inputs, {0, 0, tokens, ins})};
  fit_signed_range(inputs);
  BoardMatrix projection{.title = "W_query, for x @ W",
                         .caption = fmt::format("d_in × d_out = {} × {}", weight.in, weight.out),
                         .rows = ins,
                         .cols = outs,
                         .values = collect(ins, outs, [&](Index in, Index out) { return weight.at(out, in); }),
                         .of = Stage::query_weight};
  BoardMatrix queries{.title = "queries", .rows = tokens, .cols = outs, .of = Stage::queries};
  queries.caption = is_split ? fmt::format("T × d_out = {} × {}: {} heads of {}", query_count(config), weight.out,
                                           head_count(config), head_dim)
                             : fmt::format("T × d_out = {} × {}", query_count(config), weight.out);
  if (has_stage(config, Stage::query_bias)) queries.caption += ", plus the bias";
  if (!is_split && head_count(config) > 1) queries.caption += fmt::format(", for each of {} heads", head_count(config));
  for (Index token = 0; token < tokens; ++token) inputs.row_labels.push_back(query_name(subject, token));
  queries.values = collect(tokens, outs, [&](Index token, Index col) {
    const CellRect cell = {token, is_split ? col % head_dim : col, 1, 1};
    return read_window(with_head(subject, head_at(col)), Stage::queries, cell).front();
  });
  for (BoardMatrix* const matrix : {&projection, &queries}) tint_heads(*matrix);
  for (Index col = 0; col < outs; ++col) {
    const std::string head =
        head_count(config) > 1 ? fmt::format("head {}", head_at(col) + 1) : std::to_string(col + 1);
    projection.column_labels.push_back(head);
    queries.column_labels.push_back(head);
  }
  return {std::move(inputs), BoardSign{"×"}, std::move(projection), BoardSign{"="}, std::move(queries)};
}

std::string d_out_of(const AttentionConfig& config) {
  const Index heads = head_count(config);
  if (!info(config.mechanism).has_heads)
    return fmt::format("Every query, key and value has {} numbers.", stage_shape(config, queries_stage(config)).back());
  return info(config.mechanism).splits_heads
             ? fmt::format("d_out = {0} is of all heads together: each has head_dim = {0} / {1} = {2}.", config.d_out,
                           heads, head_features(config))
             : fmt::format("d_out = {} is of each head: {} heads side by side make {}.", config.d_out, heads,
                           context_features(config));
}

}  // namespace

void build_shapes(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Cost cost = cost_of(config);
  BoardTable table{.title = "Every tensor",
                   .header = {"stage", "letters", "numbers", "elements", "multiplications", "bytes"}};
  for (const StageInfo& stage : stages()) {
    if (!has_stage(config, stage.stage)) continue;
    const double elements = elements_of(config, stage.stage);
    const double products = stage_operations(config, stage.stage) / 2;
    table.rows.push_back({std::string(stage.title), shape_letters(config, stage.stage),
                          fmt::format("({})", fmt::join(stage_shape(config, stage.stage), ", ")),
                          format_integer(elements), products > 0 ? format_integer(products) : "–",
                          format_integer(elements * sizeof(float))});
  }
  board.headline = d_out_of(config);
  board.details = fmt::format(
      "B = {}, T = {}, H = {}, d_in = {}, d_out = {}: {} trainable numbers and {} multiplications{}. Scores and what "
      "becomes of them have T × T = {} numbers for each head, so they grow with the square of the text's length.",
      config.batch_size, token_count(config), head_count(config), input_features(config), config.d_out,
      format_integer(cost.parameters), format_integer(cost.multiplications),
      has_mask(config) ? ", without those of hidden keys, which PyTorch multiplies, too" : "",
      format_integer(static_cast<double>(query_count(config)) * static_cast<double>(key_count(config))));
  if (std::vector<BoardItem> widths = widths_of(subject); !widths.empty()) board.lines.push_back(std::move(widths));
  if (config.d_out > most_shown_features || token_count(config) > most_shown_tokens)
    board.note = fmt::format("Of the matrices at most {} rows and {} columns are shown.", most_shown_tokens,
                             most_shown_features);
  board.lines.push_back({std::move(table), doubling_table(config)});
}

}  // namespace attnscope
