#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/evaluate.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/text.h"
#include "teach/teaching_view_support.h"
#include "view/number_words.h"

// Teaching views of projections: what query, key and value do for one token, and what the output projection makes of
// its context; x @ W beside nn.Linear; shapes.
namespace attnscope {
namespace {

constexpr Index most_met_keys = 8;
constexpr Index most_row_numbers = 4;      // of a row, where many stand side by side
constexpr Index most_context_numbers = 8;  // numbers of a context of all heads
constexpr Index most_output_numbers = 8;

// Returns rows of a stage, cut after `most` numbers. Colours are those of all rows, so that a number has the same
// colour wherever it stands on the board.
BoardMatrix token_rows(const TeachingViewSubject& subject, Stage stage, std::string title, Index first, Index rows,
                       Index most = most_row_numbers) {
  const std::vector<Index> shape = stage_shape(subject.result.config, stage);
  const Index cols = std::min(shape.back(), most);
  BoardMatrix all{.values = read_window(subject, stage, {0, 0, shape.size() > 1 ? shape[shape.size() - 2] : 1, cols})};
  fit_signed_range(all);
  BoardMatrix matrix{.title = std::move(title),
                     .rows = rows,
                     .cols = cols,
                     .values = read_window(subject, stage, {first, 0, rows, cols}),
                     .first = Source{.stage = stage, .batch = subject.batch, .head = subject.head, .row = first}};
  matrix.is_signed = true;
  matrix.high = all.high;
  return matrix;
}

// Returns a column with a number for each key.
BoardMatrix column_of_keys(std::string title, std::vector<float> values) {
  const Index rows = std::ssize(values);
  return {.title = std::move(title), .rows = rows, .cols = 1, .values = std::move(values)};
}

void hatch_hidden_keys(BoardMatrix& matrix, const TeachingViewSubject& subject, const CellRect& window) {
  const Visibility seen = visibility(subject.result.config);
  for (Index key = 0; key < window.cols; ++key)
    matrix.marks.push_back({.is_hidden = seen.hides(subject.query, window.col + key)});
}

// Returns a part of a row of queries by keys.
std::vector<float> part_of_row(const TeachingViewSubject& subject, Stage stage, const CellRect& window) {
  return read_window(subject, stage, {subject.query, window.col, 1, window.cols});
}

// Returns the embedding of the token and what is made of it.
std::vector<BoardItem> projections_of(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  if (begins_with_heads(config) || query_count(config) != key_count(config)) return {};
  const std::string name = query_name(subject, subject.query);
  const auto row_of = [&](Stage stage, std::string title) {
    return token_rows(subject, stage, std::move(title), subject.query, 1);
  };
  std::vector<BoardItem> line = {row_of(Stage::inputs, fmt::format("embedding of “{}”", name))};
  if (!has_stage(config, Stage::queries)) return line;
  line.emplace_back(BoardSign{"→"});
  line.emplace_back(row_of(queries_stage(config), "its query"));
  line.emplace_back(row_of(keys_stage(config), "its key"));
  line.emplace_back(row_of(values_stage(config), "its value"));
  return line;
}

// Returns query · keys = scores → shares, and shares × values = context.
std::vector<BoardItem> meeting_of(const TeachingViewSubject& subject, const CellRect& window) {
  const AttentionConfig& config = subject.result.config;
  const std::string name = query_name(subject, subject.query);
  BoardMatrix query = token_rows(subject, queries_stage(config), fmt::format("query of “{}”", name), subject.query, 1);
  BoardMatrix keys = token_rows(subject, keys_stage(config), "keys", window.col, window.cols);
  keys.row_labels = key_names(subject, window);
  BoardMatrix scores = column_of_keys("scores", part_of_row(subject, Stage::scores, window));
  fit_signed_range(scores);
  hatch_hidden_keys(scores, subject, window);
  BoardMatrix shares = column_of_keys("shares", part_of_row(subject, final_weights_stage(config), window));
  for (const float share : shares.values) shares.high = std::max(shares.high, share);  // after dropout above 1
  hatch_hidden_keys(shares, subject, window);
  BoardMatrix values = token_rows(subject, values_stage(config), "values", window.col, window.cols);
  const Stage mixed = has_stage(config, Stage::head_context) ? Stage::head_context : Stage::context;
  BoardMatrix context = token_rows(subject, mixed, fmt::format("context of “{}”", name), subject.query, 1);
  return {std::move(query),  BoardSign{"×"},
          std::move(keys),   BoardSign{"="},
          std::move(scores), BoardSign{"→"},
          std::move(shares), BoardSign{"×"},
          std::move(values), BoardSign{is_off(config, subject.head) ? "→" : "="},
          std::move(context)};
}

}  // namespace

void build_roles(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::string name = query_name(subject, subject.query);
  const std::vector<float> weights = read_row(subject, final_weights_stage(config), subject.query);
  const auto largest = std::ranges::max_element(weights);
  if (*largest == 0) {
    board.headline = fmt::format("“{}” gets nothing: all of its weights are 0.", name);
  } else if (is_off(config, subject.head)) {
    board.headline = fmt::format("“{}” finds “{}” by its key but takes nothing of its value: head {} is switched off.",
                                 name, key_name(subject, largest - weights.begin()), subject.head + 1);
  } else {
    board.headline = fmt::format("“{}” finds “{}” by its key and takes {} of its value.", name,
                                 key_name(subject, largest - weights.begin()), number(*largest));
  }
  board.details =
      "A query says what a token looks for, a key what a token is found by, a value what it gives. The query times "
      "each key is a score; the scores of a row become shares; the values, each times its share, add up to the "
      "context.";
  if (is_off(config, subject.head))
    board.details += fmt::format(" With the head on, the query would take {} of this value; now its context is 0.",
                                 number(*largest));
  const CellRect window = window_of(subject, most_met_keys);
  std::vector<BoardItem> first = projections_of(subject);
  if (!first.empty()) board.lines.push_back(std::move(first));
  board.lines.push_back(meeting_of(subject, window));
  const bool is_cut = std::max(stage_shape(config, keys_stage(config)).back(),
                               stage_shape(config, values_stage(config)).back()) > most_row_numbers;
  if (is_cut) board.note = fmt::format("Shown are the first {} numbers of each row.", most_row_numbers);
  if (window.cols < key_count(config))
    board.note += fmt::format("{}Shown are keys {} to {} of {}.", is_cut ? " " : "", window.col + 1,
                              window.col + window.cols, key_count(config));
}

namespace {

constexpr Index most_heads_alone = 6;         // more heads stand in one row together
constexpr std::size_t most_output_bars = 20;  // that have room beside these numbers

// Returns what each head, the bias, and so all of them together put into the output of the query: the head's part of
// the context times its rows of out_projᵀ.
BoardMatrix parts_of_output(const TeachingViewSubject& subject, Index outs) {
  const AttentionConfig& config = subject.result.config;
  const Index heads = head_count(config);
  const Index of_head = value_features(config);
  const Index alone = heads > most_heads_alone + 1 ? most_heads_alone : heads;
  const std::vector<float> context = read_row(subject, Stage::context, subject.query);
  const std::vector<float> weight = read_window(subject, Stage::output_weight, {0, 0, outs, heads * of_head});
  BoardMatrix parts{.title = "what each head adds",
                    .caption = "its part of the context × its rows of out_projᵀ",
                    .cols = outs,
                    .row_labels = head_names(alone)};
  const auto add_products = [&](Index first, Index count) {
    for (Index out = 0; out < outs; ++out)
      parts.values.push_back(
          static_cast<float>(dot(context.data() + first, weight.data() + out * heads * of_head + first, count)));
  };
  for (Index head = 0; head < alone; ++head) add_products(head * of_head, of_head);
  if (alone < heads) {
    parts.row_labels.push_back(fmt::format("{} more heads", heads - alone));
    add_products(alone * of_head, (heads - alone) * of_head);
  }
  const auto add_row = [&](std::string name, const std::vector<float>& row) {
    parts.row_labels.push_back(std::move(name));
    parts.values.insert(parts.values.end(), row.begin(), row.begin() + outs);
  };
  if (has_stage(config, Stage::output_bias)) add_row("bias", read_row(subject, Stage::output_bias, 0));
  add_row("output", read_row(subject, Stage::output, subject.query));
  parts.rows = std::ssize(parts.row_labels);
  parts.marked_row = parts.rows - 1;
  fit_signed_range(parts);
  return parts;
}

// Returns the same numbers as bars, which stand in groups: how each number of the output adds up.
BoardBars bars_of_parts(const BoardMatrix& added) {
  BoardBars bars{.title = "each number of the output", .caption = "in this order, the last one is their sum:"};
  for (Index out = 0; out < added.cols; ++out) bars.labels.push_back(fmt::format("{}", out + 1));
  for (Index row = 0; row < added.rows; ++row) {
    const auto first = added.values.begin() + row * added.cols;
    const std::string& name = added.row_labels[static_cast<std::size_t>(row)];
    const bool is_sum = row + 1 == added.rows;
    BoardBars::Part part{.name = name, .values = {first, first + added.cols}};
    if (name == "bias") {
      part.tint = neutral_tint;
    } else if (!is_sum) {
      part.grey = static_cast<int>(row);
    }
    bars.parts.push_back(std::move(part));
  }
  return bars;
}

}  // namespace

void build_out_proj(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::string name = query_name(subject, subject.query);
  const Index ins = std::min(stage_shape(config, Stage::context).back(), most_context_numbers);
  const Index outs = std::min(stage_shape(config, Stage::output).back(), most_output_numbers);
  const Index of_head = value_features(config);
  BoardMatrix context =
      token_rows(subject, Stage::context, fmt::format("context of “{}”, all heads", name), subject.query, 1, ins);
  BoardMatrix weight{.title = "out_projᵀ", .rows = ins, .cols = outs};
  const std::vector<float> stored = read_window(subject, Stage::output_weight, {0, 0, outs, ins});
  weight.values =
      collect(ins, outs, [&](Index in, Index out) { return stored[static_cast<std::size_t>(out * ins + in)]; });
  fit_signed_range(weight);
  for (Index in = 0; in < ins; ++in) {
    const std::string head = fmt::format("head {}", in / of_head + 1);
    context.column_labels.push_back(head);
    weight.row_labels.push_back(head);
  }
  std::vector<BoardItem> line = {std::move(context), BoardSign{"×"}, std::move(weight)};
  if (has_stage(config, Stage::output_bias)) {
    line.emplace_back(BoardSign{"+"});
    line.emplace_back(token_rows(subject, Stage::output_bias, "bias", 0, 1, outs));
  }
  line.emplace_back(BoardSign{"="});
  BoardMatrix output = token_rows(subject, Stage::output, fmt::format("output of “{}”", name), subject.query, 1, outs);
  std::vector<BoardItem> parts;
  if (head_count(config) > 1) {
    BoardMatrix added = parts_of_output(subject, outs);
    added.high = output.high = std::max(added.high, output.high);  // the same number has the same colour
    BoardBars bars = bars_of_parts(added);
    parts.emplace_back(std::move(added));
    if (bars.parts.size() * bars.labels.size() <= most_output_bars) parts.emplace_back(std::move(bars));
  }
  line.emplace_back(std::move(output));
  board.headline = fmt::format("Each number of the output is mixed from {}.",
                               head_count(config) == 1 ? "the whole context of its token" : "what all heads found");
  board.details =
      "The contexts of all heads stand side by side, and no head has seen another's. A column of out_projᵀ has a "
      "number for each of theirs: the products add up to a number of the output.";
  board.lines.push_back(std::move(line));
  if (!parts.empty()) board.lines.push_back(std::move(parts));
  const Index all = std::max(stage_shape(config, Stage::context).back(), stage_shape(config, Stage::output).back());
  if (all > std::max(ins, outs))
    board.note =
        fmt::format("Shown are the first {} of {} numbers; the output adds up all of them.", std::max(ins, outs), all);
}

namespace {

constexpr Index most_features = 6;
constexpr std::size_t drawn_numbers = 4000;
constexpr int bins = 24;

// Returns bars that count numbers in equal parts of −1 to 1.
BoardBars histogram(const char* title, std::string caption, float from, float to, std::uint64_t seed, int tint) {
  Generator generator(seed);
  std::vector<float> numbers(drawn_numbers);
  fill_uniform(numbers, generator, from, to, {Backend::serial, 1, {}});
  BoardBars bars{.title = title, .caption = std::move(caption), .is_narrow = true};
  BoardBars::Part part{.tint = tint};
  part.values.resize(bins);
  for (const float each : numbers) {
    const auto bin = static_cast<int>((each + 1) / 2 * bins);
    part.values[static_cast<std::size_t>(std::clamp(bin, 0, bins - 1))] += 1;
  }
  bars.labels.resize(bins);
  bars.labels[0] = "−1";
  bars.labels[bins / 2] = "0";
  bars.labels[bins - 1] = "1";
  bars.parts.push_back(std::move(part));
  return bars;
}

BoardMatrix matrix_of_weight(const QueryWeight& weight, bool is_linear) {
  const Index ins = std::min(weight.in, most_features);
  const Index outs = std::min(weight.out, most_features);
  BoardMatrix matrix{.title = is_linear ? "as nn.Linear stores it" : "as x @ W has it",
                     .caption = is_linear ? fmt::format("({}, {}): (d_out, d_in), x @ weight.T", weight.out, weight.in)
                                          : fmt::format("({}, {}): (d_in, d_out), nn.Parameter", weight.in, weight.out),
                     .rows = is_linear ? outs : ins,
                     .cols = is_linear ? ins : outs,
                     .of = Stage::query_weight};
  matrix.values = collect(matrix.rows, matrix.cols,
                          [&](Index row, Index col) { return is_linear ? weight.at(row, col) : weight.at(col, row); });
  for (Index row = 1; row <= matrix.rows; ++row)
    matrix.row_labels.push_back(fmt::format("{} {}", is_linear ? "out" : "in", row));
  for (Index col = 1; col <= matrix.cols; ++col)
    matrix.column_labels.push_back(fmt::format("{} {}", is_linear ? "in" : "out", col));
  fit_signed_range(matrix);
  return matrix;
}

}  // namespace

void build_linear(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const QueryWeight weight = read_query_weight(subject);
  const std::vector<float> inputs = read_row(subject, Stage::inputs, subject.query);
  const Index outs = std::min(weight.out, most_features);
  BoardMatrix by_hand{.title = "x @ W of the query",
                      .caption = "from either storage, without the bias",
                      .rows = 1,
                      .cols = outs,
                      .row_labels = {query_name(subject, subject.query)},
                      .of = Stage::queries};
  for (Index out = 0; out < outs; ++out) {
    double sum = 0;
    for (Index in = 0; in < weight.in; ++in)
      sum += static_cast<double>(inputs[static_cast<std::size_t>(in)]) * static_cast<double>(weight.at(out, in));
    by_hand.values.push_back(static_cast<float>(sum));
  }
  fit_signed_range(by_hand);
  const auto reach = static_cast<float>(1 / std::sqrt(static_cast<double>(weight.in)));
  board.headline = fmt::format("Both compute the same: nn.Linear stores W transposed, ({}, {}), and returns x @ W.T.",
                               weight.out, weight.in);
  board.details = fmt::format(
      "To move weights from one to the other, transpose them. They begin differently: torch.rand draws from 0 to 1, "
      "nn.Linear from ±1/√{} = ±{}. This document's W_query is {}.",
      weight.in, number(reach), weight.is_linear ? "an nn.Linear" : "an nn.Parameter");
  if (weight.in > most_features || weight.out > most_features)
    board.note = fmt::format("Shown are {} of {} inputs and {} of {} outputs.", std::min(weight.in, most_features),
                             weight.in, outs, weight.out);
  board.lines.push_back(
      {matrix_of_weight(weight, false), BoardSign{"transposed"}, matrix_of_weight(weight, true), std::move(by_hand)});
  board.lines.push_back(
      {histogram("torch.rand", fmt::format("{} numbers, 0 to 1: only positive", drawn_numbers), 0, 1, config.seed, 1),
       histogram("nn.Linear", fmt::format("{} numbers, ±{}: both signs", drawn_numbers, number(reach)), -reach, reach,
                 config.seed, 0),
       BoardText{
           "Why it matters",
           "With weights from 0 to 1, queries and keys of positive inputs are positive and large, and so are scores. "
           "Around 0 they cancel out in part. The same seed therefore gives other attention in both forms."}});
}

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
  Cost cost;
  for (const ParameterShape& parameter : parameter_shapes(config))
    cost.parameters += static_cast<double>(element_count(parameter.shape));
  for (const StageInfo& stage : stages()) {
    if (!has_stage(config, stage.stage)) continue;
    cost.multiplications += stage_operations(config, stage.stage) / 2;
    cost.bytes += elements_of(config, stage.stage) * sizeof(float);
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

// Draws a projection to scale: inputs × W_query = queries, each column below the number of its head.
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
  for (BoardMatrix* const matrix : {&projection, &queries}) fit_signed_range(*matrix);
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

// Adds what becomes of queries before they are those of heads: their row is that after transpose(1, 2).
void add_steps_of_split(BoardTable& table, const AttentionConfig& config, double elements) {
  const auto add = [&](const char* title, const char* letters, const std::vector<Index>& shape) {
    table.rows.push_back({title, letters, fmt::format("({})", fmt::join(shape, ", ")), format_integer(elements), "–",
                          format_integer(elements * sizeof(float))});
  };
  const Index batch = config.batch_size;
  add("queries as projected", "(B, T, d_out)",
      {batch, token_count(config), head_count(config) * head_features(config)});
  add("after view", "(B, T, H, head_dim)", {batch, token_count(config), head_count(config), head_features(config)});
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
    if (stage.stage == Stage::queries && info(config.mechanism).splits_heads)
      add_steps_of_split(table, config, elements);
    const double products = stage_operations(config, stage.stage) / 2;
    table.rows.push_back({std::string(stage.title), shape_letters_in_class(config, stage.stage),
                          format_shape(shape_in_class(config, stage.stage)), format_integer(elements),
                          products > 0 ? format_integer(products) : "–", format_integer(elements * sizeof(float))});
  }
  const double hidden = cost.multiplications - operation_count(config) / 2;
  board.headline = d_out_of(config);
  board.details = fmt::format(
      "B = {}, T = {}, H = {}, d_in = {}, d_out = {}: {} trainable numbers and {} multiplications{}. Scores and what "
      "becomes of them have T × T = {} numbers for each head, so they grow with the square of the text's length.",
      config.batch_size, token_count(config), head_count(config), input_features(config), config.d_out,
      format_integer(cost.parameters), format_integer(cost.multiplications),
      hidden > 0 ? fmt::format(", {} of these for hidden keys, which PyTorch multiplies, too", format_integer(hidden))
                 : "",
      format_integer(static_cast<double>(query_count(config)) * static_cast<double>(key_count(config))));
  const bool is_about_batch = subject.choice.values.contains("tensors");  // a question is: its table comes first
  if (is_about_batch) {
    board.headline = fmt::format("Every tensor with B = {}.", config.batch_size);
    board.lines.push_back({table});
  }
  if (std::vector<BoardItem> widths = widths_of(subject); !widths.empty()) board.lines.push_back(std::move(widths));
  if (config.d_out > most_shown_features || token_count(config) > most_shown_tokens)
    board.note = fmt::format("Of the matrices at most {} rows and {} columns are shown.", most_shown_tokens,
                             most_shown_features);
  if (is_about_batch) {
    board.lines.push_back({doubling_table(config)});
  } else {
    board.lines.push_back({std::move(table), doubling_table(config)});
  }
}

}  // namespace attnscope
