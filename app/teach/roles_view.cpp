#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "teach/teaching_view_support.h"

// What query, key and value do for one token, and what the output projection makes of its context.
namespace attnscope {
namespace {

constexpr Index most_met_keys = 8;
constexpr Index most_row_numbers = 4;      // of a row, where many stand side by side
constexpr Index most_context_numbers = 8;  // numbers of a context of all heads
constexpr Index most_output_numbers = 8;

// Returns rows of a stage with the names of their tokens, cut after `most` numbers.
BoardMatrix token_rows(const TeachingViewSubject& subject, Stage stage, std::string title, Index first, Index rows,
                       Index most = most_row_numbers) {
  const Index cols = std::min(stage_shape(subject.result.config, stage).back(), most);
  BoardMatrix matrix{.title = std::move(title),
                     .rows = rows,
                     .cols = cols,
                     .values = read_window(subject, stage, {first, 0, rows, cols}),
                     .first = Source{.stage = stage, .batch = subject.batch, .head = subject.head, .row = first}};
  fit_signed_range(matrix);
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
  return {std::move(query),  BoardSign{"×"}, std::move(keys),   BoardSign{"="}, std::move(scores), BoardSign{"→"},
          std::move(shares), BoardSign{"×"}, std::move(values), BoardSign{"="}, std::move(context)};
}

}  // namespace

void build_roles(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::string name = query_name(subject, subject.query);
  const std::vector<float> weights = read_row(subject, final_weights_stage(config), subject.query);
  const auto largest = std::ranges::max_element(weights);
  if (*largest == 0) {
    board.headline = fmt::format("“{}” gets nothing: all of its weights are 0.", name);
  } else {
    board.headline = fmt::format("“{}” finds “{}” by its key and takes {} of its value.", name,
                                 key_name(subject, largest - weights.begin()), number(*largest));
  }
  board.details =
      "A query says what a token looks for, a key what a token is found by, a value what it gives. The query times "
      "each key is a score; the scores of a row become shares; the values, each times its share, add up to the "
      "context.";
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
  line.emplace_back(token_rows(subject, Stage::output, fmt::format("output of “{}”", name), subject.query, 1, outs));
  board.headline = fmt::format("Each number of the output is mixed from {}.",
                               head_count(config) == 1 ? "the whole context of its token" : "what all heads found");
  board.details =
      "The contexts of all heads stand side by side, and no head has seen another's. A column of out_projᵀ has a "
      "number for each of theirs: the products add up to a number of the output.";
  board.lines.push_back(std::move(line));
  const Index all = std::max(stage_shape(config, Stage::context).back(), stage_shape(config, Stage::output).back());
  if (all > std::max(ins, outs))
    board.note =
        fmt::format("Shown are the first {} of {} numbers; the output adds up all of them.", std::max(ins, outs), all);
}

}  // namespace attnscope
