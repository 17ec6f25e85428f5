#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "teach/teaching_view_support.h"

// Teaching views of attention weights: softmax, the mask before or after it, how sharp rows are, and the sentence.
namespace attnscope {
namespace {

// Returns the keys that softmax reads; a later mask hides none from it.
Visibility seen_by_softmax(const TeachingViewSubject& subject) {
  return visibility(subject.result.config, Stage::weights);
}

// Returns the scores that softmax reads, divided by a temperature; hidden ones are minus infinity.
std::vector<double> read_scores(const TeachingViewSubject& subject, Index row, double temperature) {
  std::vector<double> scores = softmax_scores(subject, row, static_cast<double>(score_scale(subject.result.config)));
  const Visibility seen = seen_by_softmax(subject);
  for (std::size_t key = 0; key < scores.size(); ++key) {
    scores[key] /= temperature;
    if (seen.hides(row, static_cast<Index>(key))) scores[key] = -std::numeric_limits<double>::infinity();
  }
  return scores;
}

BoardBars bars_of(const TeachingViewSubject& subject, const CellRect& window, const char* title, const char* caption,
                  const std::vector<double>& values, bool has_infinities = false) {
  BoardBars bars{.title = title, .caption = caption, .labels = key_names(subject, window)};
  BoardBars::Part part;
  const Visibility seen = seen_by_softmax(subject);
  for (Index col = 0; col < window.cols; ++col) {
    part.values.push_back(static_cast<float>(values[static_cast<std::size_t>(window.col + col)]));
    // A hidden key has the score −∞, so that its exponential and its share are 0 like any other number.
    if (has_infinities) bars.marks.push_back({.is_hidden = seen.hides(subject.query, window.col + col)});
  }
  bars.parts.push_back(std::move(part));
  return bars;
}

// Says what softmax makes of a row, also of one whose keys are all hidden.
void say_shares(Board& board, const TeachingViewSubject& subject, const std::vector<double>& shares, double sum) {
  const std::string query = query_name(subject, subject.query);
  if (sum == 0) {
    board.headline = fmt::format("“{}” has nothing to share out: every key is hidden from it.", query);
    board.details =
        "Its row is 0 here. In PyTorch it is NaN: softmax subtracts the row's largest score, and −∞ − (−∞) "
        "is not a number.";
    return;
  }
  const auto largest = std::ranges::max_element(shares) - shares.begin();
  board.headline =
      fmt::format(fmt::runtime(normalizes_by_sum(subject.result.config)
                                   ? "With softmax, “{}” would give “{}” the largest share, {}."
                                   : "“{}” gives “{}” the largest share, {}; the shares of its row sum to 1."),
                  query, key_name(subject, largest), number(shares[static_cast<std::size_t>(largest)]));
  board.details = fmt::format(
      "The row's largest score is subtracted from each; e to the power of the result is divided by the sum of all of "
      "these, {}. The row is as undecided as one of {} equal shares: 2 to the power of its entropy, which measures "
      "how evenly a row is spread.",
      number(sum), number(std::exp2(entropy_bits(shares)), 1));
}

// Softmax over rows, and over columns, which is wrong.
struct BothAxes {
  BoardMatrix rows;
  BoardMatrix columns;
};

BothAxes both_axes(const TeachingViewSubject& subject, const CellRect& window, double temperature) {
  const AttentionConfig& config = subject.result.config;
  std::vector<std::vector<double>> scores;
  for (Index row = 0; row < query_count(config); ++row) {
    if (subject.stop.stop_requested()) throw Cancelled{};
    scores.push_back(read_scores(subject, row, temperature));
  }
  std::vector<float> right;
  std::vector<float> wrong(static_cast<std::size_t>(window.rows * window.cols));
  std::vector<float> right_sums;
  for (Index row = 0; row < window.rows; ++row) {
    const std::vector<double> shares = softmax(scores[static_cast<std::size_t>(window.row + row)]);
    right_sums.push_back(static_cast<float>(sum_of(as_float(shares))));
    for (Index col = 0; col < window.cols; ++col)
      right.push_back(static_cast<float>(shares[static_cast<std::size_t>(window.col + col)]));
  }
  std::vector<double> wrong_sums(scores.size(), 0);
  for (Index key = 0; key < key_count(config); ++key) {
    std::vector<double> column;
    for (const std::vector<double>& row : scores) column.push_back(row[static_cast<std::size_t>(key)]);
    const std::vector<double> shares = softmax(column);
    for (std::size_t row = 0; row < shares.size(); ++row) wrong_sums[row] += shares[row];
    if (key < window.col || key >= window.col + window.cols) continue;
    for (Index row = 0; row < window.rows; ++row)
      wrong[static_cast<std::size_t>(row * window.cols + key - window.col)] =
          static_cast<float>(shares[static_cast<std::size_t>(window.row + row)]);
  }
  BothAxes both{square(subject, window, "softmax over keys: dim=-1", std::move(right)),
                square(subject, window, "softmax over queries: dim=-2", std::move(wrong))};
  both.rows.caption = "right: each row sums to 1";
  both.columns.caption = "wrong: each column does";
  both.rows.row_sums = std::move(right_sums);
  for (Index row = 0; row < window.rows; ++row)
    both.columns.row_sums.push_back(static_cast<float>(wrong_sums[static_cast<std::size_t>(window.row + row)]));
  for (BoardMatrix* const matrix : {&both.rows, &both.columns}) mark_hidden(*matrix, seen_by_softmax(subject), window);
  return both;
}

}  // namespace

void build_softmax(Board& board, const TeachingViewSubject& subject) {
  const double temperature = std::clamp(subject.choice.value("temperature", 1), 0.1, 10.0);
  const CellRect window = window_of(subject, 8);
  note_window(board, subject, window);
  const std::vector<double> scores = read_scores(subject, subject.query, temperature);
  const std::vector<double> shares = softmax(scores);
  const double largest_score = *std::ranges::max_element(scores);
  std::vector<double> exponentials = scores;
  double sum = 0;
  for (double& each : exponentials) sum += each = std::isfinite(largest_score) ? std::exp(each - largest_score) : 0;
  say_shares(board, subject, shares, sum);
  if (temperature != 1)
    board.details +=
        fmt::format(" Scores are divided by a temperature of {}: below 1 makes the shares sharper, above 1 flatter.",
                    number(temperature));
  BoardBars score_bars = bars_of(subject, window, "scores", "scaled, and divided by the temperature", scores, true);
  for (float& value : score_bars.parts[0].values) value = std::isfinite(value) ? value : 0;
  BoardBars exponential_bars = bars_of(subject, window, "exponentials", "e^(score − the row's largest)", exponentials);
  BoardBars share_bars = bars_of(subject, window, "shares", "divided by their sum", shares);
  exponential_bars.high = share_bars.high = 1;  // both share one axis
  BothAxes both = both_axes(subject, window, temperature);
  board.lines.push_back(
      {std::move(score_bars), BoardSign{"→"}, std::move(exponential_bars), BoardSign{"→"}, std::move(share_bars)});
  board.lines.push_back({std::move(both.rows), std::move(both.columns),
                         BoardText{"Why the axis matters",
                                   "Each query divides its attention among the keys, so its row must sum to 1. Along "
                                   "the other axis each key would be divided among the queries: a row could sum to "
                                   "anything, and its context vector would no longer be an average of values."}});
  board.controls.push_back(slider("temperature", "temperature", temperature, 0.1, 10,
                                  "Scores are divided by it before softmax: 1 is what the document does"));
  board.controls.back().is_logarithmic = true;
}

namespace {

// The three ways of a row from scores to weights.
struct Routes {
  std::vector<double> before;  // shares with −∞ before softmax
  std::vector<double> after;   // shares of all keys, hidden ones then times 0
  std::vector<double> again;   // `after` divided by the row's sum
  double kept = 0;             // share of softmax that visible keys get
  double lost = 0;             // share of softmax that hidden keys take
};

Routes routes_of(const TeachingViewSubject& subject, const Visibility& seen, Index row) {
  std::vector<double> scores = softmax_scores(subject, row, static_cast<double>(score_scale(subject.result.config)));
  Routes routes;
  routes.after = softmax(scores);
  for (std::size_t key = 0; key < scores.size(); ++key) {
    const bool is_hidden = seen.hides(row, static_cast<Index>(key));
    (is_hidden ? routes.lost : routes.kept) += routes.after[key];
    if (!is_hidden) continue;
    scores[key] = -std::numeric_limits<double>::infinity();
    routes.after[key] = 0;
  }
  routes.before = softmax(scores);
  routes.again = routes.after;
  for (double& weight : routes.again) weight = routes.kept > 0 ? weight / routes.kept : 0;
  return routes;
}

// Says what each route makes of the row of the view's query.
std::string row_words(const TeachingViewSubject& subject, const Visibility& seen, const Routes& row) {
  const std::string query = query_name(subject, subject.query);
  const Index count = seen.count(subject.query);
  if (count == key_count(subject.result.config))
    return fmt::format("No key is hidden from “{}”, so its row is the same on all three.", query);
  if (count == 0)
    return fmt::format(
        "Every key is hidden from “{}”, and nothing is left on any of them. PyTorch makes such a row NaN before "
        "softmax, where it computes −∞ − (−∞), and when it is divided by its sum, 0 / 0.",
        query);
  return fmt::format(
      "Softmax over all keys gives the keys that are hidden from “{}” {} of the weight. Set to 0 afterwards, they "
      "leave a row that sums to {}; divided by that sum, it equals the row that −∞ before softmax gives.",
      query, number(row.lost), number(row.kept));
}

BoardMatrix route_matrix(const TeachingViewSubject& subject, const CellRect& window, const Visibility& seen,
                         const char* title, const char* caption, std::vector<float> cells) {
  BoardMatrix matrix = square(subject, window, title, std::move(cells));
  matrix.caption = caption;
  mark_hidden(matrix, seen, window);
  return matrix;
}

}  // namespace

void build_mask_routes(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  const CellRect window = window_of(subject, 8);
  note_window(board, subject, window);
  std::vector<Routes> routes;
  double largest = 0;  // largest difference of `before` and `again`
  for (Index row = 0; row < window.rows; ++row) {
    const Routes& route = routes.emplace_back(routes_of(subject, seen, window.row + row));
    for (Index key = window.col; key < window.col + window.cols; ++key) {
      const auto at = static_cast<std::size_t>(key);
      largest = std::max(largest, std::abs(route.before[at] - route.again[at]));
    }
  }
  const auto most = std::ranges::max_element(routes, {}, &Routes::lost);
  const auto cells_of = [&](std::vector<double> Routes::*way) {
    return collect(window.rows, window.cols, [&](Index row, Index col) {
      return (routes[static_cast<std::size_t>(row)].*way)[static_cast<std::size_t>(window.col + col)];
    });
  };
  const auto matrix = [&](const char* title, const char* caption, std::vector<double> Routes::*way) {
    BoardMatrix one = route_matrix(subject, window, seen, title, caption, cells_of(way));
    for (const Routes& route : routes) one.row_sums.push_back(static_cast<float>(sum_of(as_float(route.*way))));
    return one;
  };
  const auto difference = [&](const char* title, const char* caption, std::vector<double> Routes::*way) {
    std::vector<float> cells = cells_of(&Routes::before);
    std::ranges::transform(cells, cells_of(way), cells.begin(), std::minus());
    BoardMatrix one = route_matrix(subject, window, seen, title, caption, std::move(cells));
    fit_signed_range(one);
    return one;
  };
  const bool is_assumed = !has_mask(config);
  board.headline = fmt::format("{} before softmax equals masking after it and renormalizing.",
                               is_assumed ? "With a causal mask, masking" : "Masking");
  board.details =
      fmt::format("{}{} No weight of routes 1 and 3 differs by more than {}. The row of “{}” loses most, {}.",
                  is_assumed ? "This document has no mask; a causal one is assumed. " : "",
                  row_words(subject, seen, routes[static_cast<std::size_t>(subject.query - window.row)]),
                  small_number(largest), query_name(subject, window.row + (most - routes.begin())), number(most->lost));
  board.lines.push_back({matrix("1  −∞ before softmax", "masked_fill, then softmax", &Routes::before),
                         matrix("2  × 0 after softmax", "softmax, then weights × tril", &Routes::after),
                         matrix("3  … and divided by its sum", "2 / its row sum", &Routes::again)});
  board.lines.push_back({difference("first − third", "nothing is left but rounding", &Routes::again),
                         difference("first − second", "what the second lacks without renormalizing", &Routes::after),
                         BoardText{"Which one PyTorch uses",
                                   "Route 1. In the book's mask, 1 means hidden (triu, masked_fill). The attn_mask of "
                                   "PyTorch's scaled_dot_product_attention is the other way round where it is of "
                                   "booleans: True means that the key takes part."}});
}

namespace {

constexpr Index most_sharp_heads = 8;

struct Measured {
  float entropy = 0;  // bits
  float keys = 0;     // 2 to the entropy: as many equal keys
  float first = 0;    // share of the first token
};

Measured measure(const std::vector<float>& row) {
  const double keys = effective_keys(row);
  return {static_cast<float>(keys > 0 ? std::log2(keys) : 0), static_cast<float>(keys), row.front()};
}

// Returns the weights that scores `factor` times as large would give: softmax turns a factor into a power. Shares of a
// plain sum do not change.
std::vector<float> sharpened(const AttentionConfig& config, const std::vector<float>& row, double factor) {
  if (normalizes_by_sum(config)) return row;
  const double largest = static_cast<double>(std::ranges::max(row));
  std::vector<double> shares;
  double sum = 0;
  for (const float weight : row)
    sum += shares.emplace_back(largest > 0 ? std::pow(static_cast<double>(weight) / largest, factor) : 0);
  for (double& share : shares) share = sum > 0 ? share / sum : 0;
  return as_float(shares);
}

// Returns bars for each query: the number of keys that it sees, and its effective keys.
BoardBars bars_of(const TeachingViewSubject& subject, const CellRect& window, Stage stage, double factor) {
  const Visibility seen = visibility(subject.result.config);
  BoardBars bars{.title = "How many keys each query looks at",
                 .caption = fmt::format("head {}; effective keys: 2 to the power of the entropy", subject.head + 1),
                 .labels = query_names(subject, window),
                 .decimals = 1};
  BoardBars::Part all{.name = "keys that it sees", .tint = neutral_tint};
  BoardBars::Part own{.name = "effective keys"};
  BoardBars::Part sharp{.name = fmt::format("… with scores × {}", number(factor, 0)), .tint = 1};
  for (Index row = window.row; row < window.row + window.rows; ++row) {
    const std::vector<float> weights = read_row(subject, stage, row);
    all.values.push_back(static_cast<float>(seen.count(row)));
    own.values.push_back(measure(weights).keys);
    sharp.values.push_back(measure(sharpened(subject.result.config, weights, factor)).keys);
  }
  bars.parts = {std::move(all), std::move(own), std::move(sharp)};
  return bars;
}

}  // namespace

void build_sharpness(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Stage stage = subject.result.imported ? Stage::weights : normalized_weights_stage(config);
  const CellRect window = window_of(subject, 8);
  const Index heads = std::min(head_count(config), most_sharp_heads);
  const double factor = std::clamp(subject.choice.value("factor", 10), 1.0, 100.0);
  BoardMatrix entropy{.title = "entropy, in bits", .caption = "0: one key has all the weight"};
  BoardMatrix keys{.title = "effective keys", .caption = "of every head"};
  BoardMatrix first{.title = "weight of the first token", .caption = "of every head"};
  BoardMatrix* const all[] = {&entropy, &keys, &first};
  for (BoardMatrix* const each : all) {
    each->rows = window.rows;
    each->cols = heads;
    each->row_labels = query_names(subject, window);
    each->marked_row = subject.query - window.row;
    each->column_labels = head_names(heads);
  }
  for (Index row = 0; row < window.rows; ++row) {
    for (Index head = 0; head < heads; ++head) {
      const Measured measured = measure(read_row(with_head(subject, head), stage, window.row + row));
      entropy.values.push_back(measured.entropy);
      keys.values.push_back(measured.keys);
      first.values.push_back(measured.first);
    }
  }
  entropy.high = std::log2(static_cast<float>(key_count(config)));
  keys.low = 1;
  keys.high = static_cast<float>(key_count(config));
  if (entropy.high == 0) entropy.high = keys.high = 2;
  const std::vector<float> own = read_row(subject, stage, subject.query);
  const Measured measured = measure(own);
  const Visibility seen = visibility(config);
  const std::string query = query_name(subject, subject.query);
  const Index seen_keys = seen.count(subject.query);
  board.headline = seen_keys == 0
                       ? fmt::format("“{}” looks at nothing: every key is hidden from it.", query)
                       : fmt::format("“{}” spreads its weight over {} of {}; scores × {} make it {}.", query,
                                     number(measured.keys, 1), counted(seen_keys, "key", "keys"), number(factor, 0),
                                     number(measure(sharpened(config, own, factor)).keys, 1));
  board.details = fmt::format(
      "“Effective keys” says as how many equal weights the weights of a row count; the row of “{}” has an entropy of "
      "{} bits.{}",
      query, number(measured.entropy),
      has_mask(config) && seen.count(0) == 1
          ? " A mask keeps early rows sharp: the first one has a single key to choose from."
          : "");
  if (window.rows < query_count(config) || heads < head_count(config))
    board.note = fmt::format("Shown are queries {} to {} of {} and {} of {} heads.", window.row + 1,
                             window.row + window.rows, query_count(config), heads, head_count(config));
  board.lines.push_back({bars_of(subject, window, stage, factor)});
  board.lines.push_back({std::move(keys), std::move(entropy), std::move(first)});
  board.controls.push_back(slider("factor", "scores ×", factor, 1, 100,
                                  "Shows how sharp the weights would be if every score were so many times as large"));
  board.controls.back().is_logarithmic = board.controls.back().is_whole = true;
}

namespace {

constexpr Index most_tokens = 16;  // a slide has no room for more names
constexpr Index most_arc_heads = 12;

}  // namespace

void build_sentence(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Stage stage = subject.result.imported ? Stage::weights : normalized_weights_stage(config);
  const Index keys = key_count(config);
  const Index shown = std::min(keys, most_tokens);
  const Index first = std::clamp<Index>(subject.query - shown + 6, 0, keys - shown);
  const Index heads = std::min(head_count(config), most_arc_heads);
  const auto only_head = std::clamp<Index>(static_cast<Index>(subject.choice.value("head", 0)) - 1, -1, heads - 1);
  BoardArcs arcs{.query = subject.query - first, .shows_all = subject.choice.value("all", 1) > 0};
  const Visibility seen = visibility(config);
  for (Index key = first; key < first + shown; ++key) {
    if (seen.hides(subject.query, key)) arcs.hidden.insert(key - first);
    arcs.tokens.push_back(key_name(subject, key));
    arcs.sources.push_back({.stage = stage, .batch = subject.batch, .head = subject.head, .row = key, .col = key});
  }
  const std::string query = query_name(subject, subject.query);
  BoardTable table{.title = fmt::format("Where “{}” looks", query),
                   .header = {"head", "most at", "weight", "effective keys"}};
  for (Index head = 0; head < heads; ++head) {
    if (only_head >= 0 && head != only_head) continue;
    const TeachingViewSubject of_head = with_head(subject, head);
    const std::vector<float> row = read_row(of_head, stage, subject.query);
    const auto largest = std::ranges::max_element(row) - row.begin();
    const float weight = row[static_cast<std::size_t>(largest)];
    table.rows.push_back({fmt::format("{}", head + 1), weight > 0 ? key_name(subject, largest) : "nothing",
                          number(weight), number(effective_keys(row), 1)});
    BoardArcs::Head arc{fmt::format("head {}", head + 1), static_cast<int>(head), {}};
    arc.weights = arcs.shows_all ? read_window(of_head, stage, {first, first, shown, shown})
                                 : std::vector<float>(row.begin() + first, row.begin() + first + shown);
    arcs.heads.push_back(std::move(arc));
  }
  const std::size_t said = only_head < 0 && subject.head < heads ? static_cast<std::size_t>(subject.head) : 0;
  board.headline = seen.count(subject.query) == 0
                       ? fmt::format("“{}” looks at nothing: every key is hidden from it.", query)
                       : fmt::format("In head {} “{}” gives “{}” the largest weight, {}.", table.rows[said][0], query,
                                     table.rows[said][1], table.rows[said][2]);
  board.details =
      "An arc leads from the query to each token that it gives weight: the thicker, the more; arcs of heads with "
      "even numbers are dashed. Below a token stands the weight that each head gives it. Weights below a tenth of the "
      "query's largest "
      "have no arc, and tokens that the mask hides from the query are hatched.";
  if (shown < keys || heads < head_count(config))
    board.note = fmt::format("Shown are tokens {} to {} of {} and {} of {} heads.", first + 1, first + shown, keys,
                             heads, head_count(config));
  board.lines.push_back({std::move(arcs)});
  board.lines.push_back({std::move(table)});
  board.controls.push_back({.id = "all",
                            .label = "arcs of all queries",
                            .kind = BoardControl::Kind::toggle,
                            .value = subject.choice.value("all", 1),
                            .help = "Draws the arcs of every query; those of the others are faint"});
  if (heads < 2) return;
  std::vector<std::string> choices = head_names(heads);
  choices.insert(choices.begin(), "all heads");
  board.controls.push_back({.id = "head",
                            .label = "heads",
                            .kind = BoardControl::Kind::choice,
                            .value = static_cast<double>(only_head + 1),
                            .choices = std::move(choices),
                            .help = "The heads whose arcs are drawn"});
}

}  // namespace attnscope
