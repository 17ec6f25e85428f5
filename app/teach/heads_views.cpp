#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "core/parameters.h"
#include "core/text.h"
#include "teach/teaching_view_support.h"

// Teaching views of heads: how they are split, and why they are not averaged.
namespace attnscope {
namespace {

constexpr Index most_split_heads = 3;
constexpr Index most_moving_numbers = 6;  // numbers of a token
constexpr Index most_moving_rows = 16;    // rows of all heads below each other

// One projection's numbers, (T, d_out) in the order of memory.
struct Projected {
  Index tokens = 0;
  Index heads = 0;
  Index head_dim = 0;
  std::vector<float> numbers;

  Index d_out() const { return heads * head_dim; }
  // Returns the place of number i of head h of token t in one batch entry: view(B, T, H, head_dim).transpose(1, 2), or
  // view(B, H, T, head_dim).
  Index place(Index head, Index token, Index i, bool is_wrong) const {
    return is_wrong ? (head * tokens + token) * head_dim + i : token * d_out() + head * head_dim + i;
  }
};

Projected projected_of(const TeachingViewSubject& subject, Stage stage) {
  const AttentionConfig& config = subject.result.config;
  Projected all{token_count(config), head_count(config), head_features(config), {}};
  all.numbers.resize(static_cast<std::size_t>(all.tokens * all.d_out()));
  for (Index head = 0; head < all.heads; ++head) {
    const std::vector<float> own = read_matrix(with_head(subject, head), stage);
    for (Index token = 0; token < all.tokens; ++token) {
      for (Index i = 0; i < all.head_dim; ++i)
        all.numbers[static_cast<std::size_t>(all.place(head, token, i, false))] =
            own[static_cast<std::size_t>(token * all.head_dim + i)];
    }
  }
  return all;
}

// The tokens, heads and numbers that the view moves.
struct Shown {
  Index tokens = 0;
  Index heads = 0;
  Index head_dim = 0;

  explicit Shown(const Projected& all)
      : heads(std::min(all.heads, most_split_heads)), head_dim(std::min(all.head_dim, most_moving_numbers / heads)) {
    tokens = std::min(all.tokens, most_moving_rows / heads);
  }
  bool is_all_of(const Projected& all) const {
    return tokens == all.tokens && heads == all.heads && head_dim == all.head_dim;
  }
};

BoardMoving::Arrangement as_projected(const TeachingViewSubject& subject, const Shown& shown) {
  BoardMoving::Arrangement rows{.name = fmt::format("as projected: (B, T, d_out) = ({}, {}, {})",
                                                    subject.result.config.batch_size, shown.tokens,
                                                    shown.heads * shown.head_dim)};
  for (Index token = 0; token < shown.tokens; ++token) {
    rows.rows.push_back(key_name(subject, token));
    for (Index col = 0; col < shown.heads * shown.head_dim; ++col) rows.places.push_back({token, col});
  }
  return rows;
}

// Arranges heads below each other; `is_wrong`: cut from memory without a transpose.
BoardMoving::Arrangement as_heads(const TeachingViewSubject& subject, const Shown& shown, bool is_wrong) {
  const char* const name = is_wrong ? "view(B, H, T, head_dim)" : "transpose(1, 2): (B, H, T, head_dim)";
  BoardMoving::Arrangement heads{.name = fmt::format("{} = ({}, {}, {}, {})", name, subject.result.config.batch_size,
                                                     shown.heads, shown.tokens, shown.head_dim),
                                 .rows_together = shown.tokens};
  const Index d_out = shown.heads * shown.head_dim;
  for (Index place = 0; place < shown.tokens * d_out; ++place) {
    const Index row = is_wrong ? place / shown.head_dim : place % d_out / shown.head_dim * shown.tokens + place / d_out;
    heads.places.push_back({row, place % shown.head_dim});
  }
  heads.groups = head_names(shown.heads);
  for (Index head = 0; head < shown.heads; ++head) {
    for (Index token = 0; token < shown.tokens; ++token)
      heads.rows.push_back(is_wrong ? fmt::format("row {}", token + 1) : key_name(subject, token));
  }
  return heads;
}

BoardMoving moving_numbers(const TeachingViewSubject& subject, const Projected& all, const Shown& shown,
                           bool is_wrong) {
  BoardMoving moving{.title = is_wrong ? "queries, wrong: one view" : "queries, right: view, then transpose",
                     .of = Stage::queries};
  for (Index token = 0; token < shown.tokens; ++token) {
    for (Index head = 0; head < shown.heads; ++head) {
      for (Index i = 0; i < shown.head_dim; ++i)
        moving.numbers.push_back({all.numbers[static_cast<std::size_t>(all.place(head, token, i, false))],
                                  static_cast<int>(token), static_cast<int>(head)});
    }
  }
  const double step = std::clamp(subject.choice.value("step", 2), 0.0, 2.0);
  const BoardMoving::Arrangement first = as_projected(subject, shown);
  if (is_wrong) {
    moving.arrangements = {first, as_heads(subject, shown, true)};
    moving.step = std::min(step, 1.0);
    return moving;
  }
  BoardMoving::Arrangement cut = first;
  cut.name = fmt::format("view(B, T, H, head_dim) = ({}, {}, {}, {})", subject.result.config.batch_size, shown.tokens,
                         shown.heads, shown.head_dim);
  cut.cols_together = shown.head_dim;
  cut.groups = head_names(shown.heads);
  moving.arrangements = {first, cut, as_heads(subject, shown, false)};
  moving.step = step;
  return moving;
}

// Returns the weights of a head that is split rightly or wrongly.
BoardMatrix attention_of(const TeachingViewSubject& subject, const Projected& queries, const Projected& keys,
                         const CellRect& window, bool is_wrong) {
  const Visibility seen = visibility(subject.result.config, Stage::weights);
  std::vector<float> cells;
  for (Index row = 0; row < window.rows; ++row) {
    std::vector<double> scores;
    const float* const query = queries.numbers.data() + queries.place(subject.head, window.row + row, 0, is_wrong);
    for (Index key = 0; key < keys.tokens; ++key)
      scores.push_back(dot(query, keys.numbers.data() + keys.place(subject.head, key, 0, is_wrong), queries.head_dim));
    finish_scores(scores, subject, window.row + row, static_cast<double>(score_scale(subject.result.config)));
    for (Index key = 0; key < keys.tokens; ++key) {
      if (seen.hides(window.row + row, key))
        scores[static_cast<std::size_t>(key)] = -std::numeric_limits<double>::infinity();
    }
    const std::vector<float> shares = as_float(softmax(scores));
    cells.insert(cells.end(), shares.begin() + window.col, shares.begin() + window.col + window.cols);
  }
  BoardMatrix matrix =
      square(subject, window, is_wrong ? "weights of the wrong split" : "weights of the right split", cells);
  const bool are_turned = queries_stage(subject.result.config) != Stage::queries;
  matrix.caption = fmt::format("head {}{}", subject.head + 1, are_turned ? ", of queries and keys as projected" : "");
  mark_hidden(matrix, seen, window);
  return matrix;
}

Index parameter_count(const AttentionConfig& config) {
  Index count = 0;
  for (const ParameterShape& parameter : parameter_shapes(config)) count += element_count(parameter.shape);
  return count;
}

std::string shape_of(const AttentionConfig& config, std::string_view name) {
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    if (!parameter.name.ends_with(name)) continue;
    return fmt::format("({}, {})", parameter.shape[0], parameter.shape[1]);
  }
  return "none";
}

BoardTable compared(const AttentionConfig& split) {
  AttentionConfig wrapper = split;
  wrapper.mechanism = Mechanism::multi_head_attention_wrapper;
  wrapper.d_out = head_features(split);
  wrapper.weight_overrides.clear();
  const Index out_projection =
      parameter_count(split) - head_count(split) * (parameter_count(wrapper) / head_count(split));
  return {
      .title = "The same size in two forms",
      .header = {"", "wrapper", "split"},
      .rows = {{"d_out of the constructor", std::to_string(wrapper.d_out), std::to_string(split.d_out)},
               {"W_query, as stored", fmt::format("{} × {}", head_count(split), shape_of(wrapper, "W_query.weight")),
                shape_of(split, "W_query.weight")},
               {"matrix products for queries", std::to_string(head_count(split)), "1"},
               {"parameters", format_integer(static_cast<double>(parameter_count(wrapper))),
                format_integer(static_cast<double>(parameter_count(split)))},
               {"of these out_proj", "0", format_integer(static_cast<double>(out_projection))}}};
}

}  // namespace

void build_splitting(Board& board, const TeachingViewSubject& subject) {
  const Projected queries = projected_of(subject, Stage::queries);
  const Projected keys = projected_of(subject, Stage::keys);
  const Shown shown(queries);
  Index strangers = 0;  // tokens in the first wrong head
  for (Index place = 0; place < queries.tokens * queries.head_dim; place += queries.d_out()) ++strangers;
  board.headline = fmt::format("Each of {} heads reads the whole input and makes {} of the {} numbers of a query.",
                               queries.heads, queries.head_dim, queries.d_out());
  board.details = fmt::format(
      "d_out = {0} is all heads together, so head_dim = {0} / {1} = {2}. view(B, T, H, head_dim) cuts each row into "
      "heads, transpose(1, 2) brings the heads before the tokens, and each head still has all {3} tokens. view(B, H, "
      "T, head_dim) has the same shape but cuts memory in the wrong places: its head 1 holds only the first {4} "
      "tokens, and its rows are no longer tokens.",
      queries.d_out(), queries.heads, queries.head_dim, queries.tokens, strangers);
  board.note =
      "The colour of a number tells its token, and the parts of the strip below it count its head: one part is head 1, "
      "two parts are head 2.";
  if (const Index entries = subject.result.config.batch_size; entries > 1)
    board.note += fmt::format(" Of {} batch entries, number {} is shown.", entries, subject.batch + 1);
  if (!shown.is_all_of(queries))
    board.note += fmt::format(
        " Of {1} tokens {0} are shown, of {3} heads {2}, and of each head's {5} numbers {4}, as if there were no "
        "others; the weights are of all.",
        shown.tokens, queries.tokens, shown.heads, queries.heads, shown.head_dim, queries.head_dim);
  board.controls.push_back(slider("step", "step", subject.choice.value("step", 2), 0, 2,
                                  "Shows the numbers as the projection gives them, after view, and after transpose"));
  board.controls.back().choices = {"as projected", "after view", "after transpose"};
  board.controls.back().plays = true;
  const CellRect window = window_of(subject, 8);
  board.lines.push_back(
      {moving_numbers(subject, queries, shown, false), moving_numbers(subject, queries, shown, true)});
  board.lines.push_back({attention_of(subject, queries, keys, window, false),
                         attention_of(subject, queries, keys, window, true), compared(subject.result.config)});
}

namespace {

constexpr Index most_dims = 8;
constexpr Index most_keys = 6;

// Weight × value of each key that the query looks at: the parts of its context vector. If there are many keys, it holds
// those with the largest weights, in the order of the text, and adds the others up.
struct Parts {
  std::vector<Index> keys;
  std::vector<float> weights;
  std::vector<float> values;  // all dimensions, key by key
  std::vector<float> rest;    // sum of weight × value over the other keys
  Index others = 0;
  Index dims = 0;

  float product(std::size_t key, Index dim) const {
    return weights[key] * values[key * static_cast<std::size_t>(dims) + static_cast<std::size_t>(dim)];
  }
};

Parts parts_of(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::vector<double> weights = as_double(read_row(subject, final_weights_stage(config), subject.query));
  const Stage stage = values_stage(config);
  Parts parts;
  parts.dims = stage_shape(config, stage).back();
  std::vector<double> rest(static_cast<std::size_t>(parts.dims));
  const std::vector<std::size_t> largest = largest_terms(weights, most_keys);
  for (std::size_t key = 0; key < weights.size(); ++key) {
    if (weights[key] == 0) continue;
    const std::vector<float> row = read_row(subject, stage, static_cast<Index>(key));
    if (std::ranges::binary_search(largest, key)) {
      parts.keys.push_back(static_cast<Index>(key));
      parts.weights.push_back(static_cast<float>(weights[key]));
      parts.values.insert(parts.values.end(), row.begin(), row.end());
      continue;
    }
    ++parts.others;
    for (std::size_t dim = 0; dim < rest.size(); ++dim) rest[dim] += weights[key] * static_cast<double>(row[dim]);
  }
  parts.rest = as_float(rest);
  return parts;
}

// Returns each key's value times its weight, and below them their sum: the context vector.
BoardMatrix sum_of_parts(const TeachingViewSubject& subject, const Parts& parts, Index dims) {
  BoardMatrix matrix{.title = fmt::format("context of “{}”", query_name(subject, subject.query)),
                     .caption = "each weight × value, and their sum",
                     .rows = std::ssize(parts.keys) + (parts.others > 0 ? 2 : 1),
                     .cols = dims};
  std::vector<float> sums(static_cast<std::size_t>(dims));
  for (std::size_t key = 0; key < parts.keys.size(); ++key) {
    matrix.row_labels.push_back(fmt::format("{} × {}", number(parts.weights[key]), key_name(subject, parts.keys[key])));
    for (Index dim = 0; dim < dims; ++dim) {
      matrix.values.push_back(parts.product(key, dim));
      sums[static_cast<std::size_t>(dim)] += matrix.values.back();
    }
  }
  if (parts.others > 0) {
    matrix.row_labels.push_back(fmt::format("{} more", parts.others));
    matrix.values.insert(matrix.values.end(), parts.rest.begin(), parts.rest.begin() + dims);
    for (Index dim = 0; dim < dims; ++dim)
      sums[static_cast<std::size_t>(dim)] += matrix.values[matrix.values.size() - static_cast<std::size_t>(dims - dim)];
  }
  matrix.row_labels.emplace_back("sum");
  matrix.marked_row = matrix.rows - 1;
  matrix.values.insert(matrix.values.end(), sums.begin(), sums.end());
  for (Index dim = 0; dim < dims; ++dim) matrix.column_labels.push_back(fmt::format("{}", dim + 1));
  fit_signed_range(matrix);
  return matrix;
}

// Returns two heads that look at different words, side by side or averaged. If the words change places, the average
// stays the same.
BoardMatrix averaging_example(bool is_averaged) {
  constexpr float words[2][2] = {{1, 0}, {0, 1}};  // the values of "dog" and "man"
  BoardMatrix example{.title = is_averaged ? "their average" : "side by side",
                      .caption = is_averaged ? "the two are the same" : "the two sentences differ",
                      .rows = 2,
                      .cols = is_averaged ? 2 : 4,
                      .row_labels = {"dog bites man", "man bites dog"},
                      .column_labels = {"h1", "h1", "h2", "h2"}};
  if (is_averaged) example.column_labels = {"mean", "mean"};
  // Head 1 looks at the first word, head 2 at the last one.
  example.values = collect(2, example.cols, [&](Index sentence, Index col) {
    const float of_head_1 = words[sentence][col % 2];
    const float of_head_2 = words[1 - sentence][col % 2];
    return is_averaged ? (of_head_1 + of_head_2) / 2 : col < 2 ? of_head_1 : of_head_2;
  });
  return example;
}

// Returns this document's heads for the query: concatenated, and their average.
std::vector<BoardItem> heads_of(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  std::vector<BoardItem> line;
  const Index heads = std::min<Index>(head_count(config), 6);
  if (heads < 2) return line;
  const Index dims = std::min<Index>(value_features(config), most_dims);  // the same as of the query's own head
  BoardMatrix each{.title = "heads of this document",
                   .caption = fmt::format("context of “{}”", query_name(subject, subject.query)),
                   .rows = heads,
                   .cols = dims,
                   .row_labels = head_names(heads)};
  BoardMatrix mean{.title = "average of all heads", .caption = "keeps none of them", .rows = 1, .cols = dims};
  mean.values.resize(static_cast<std::size_t>(dims));
  for (Index head = 0; head < head_count(config); ++head) {
    const std::vector<float> row = read_row(with_head(subject, head), Stage::head_context, subject.query);
    for (Index dim = 0; dim < dims; ++dim) {
      const float value = row[static_cast<std::size_t>(dim)];
      if (head < heads) each.values.push_back(value);
      mean.values[static_cast<std::size_t>(dim)] += value / static_cast<float>(head_count(config));
    }
  }
  fit_signed_range(each);
  mean.is_signed = true;
  mean.high = each.high;
  line.emplace_back(std::move(each));
  line.emplace_back(std::move(mean));
  return line;
}

// Names the keys of the largest weight: several may have it.
std::string largest_weights_of(const TeachingViewSubject& subject, const Parts& parts) {
  const float largest = std::ranges::max(parts.weights);
  std::vector<std::string> keys;
  for (std::size_t at = 0; at < parts.keys.size(); ++at)
    if (parts.weights[at] == largest) keys.push_back(fmt::format("“{}”", key_name(subject, parts.keys[at])));
  const std::string query = query_name(subject, subject.query);
  if (keys.size() == 1)
    return fmt::format("In this document “{}” gives its largest weight to {} ({}).", query, keys[0], number(largest));
  return fmt::format("In this document “{}” gives its largest weight to {} keys, {} each: {}.", query, keys.size(),
                     number(largest), fmt::join(keys, ", "));
}

}  // namespace

void build_mix(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Parts parts = parts_of(subject);
  const Index dims = std::min(parts.dims, most_dims);
  board.headline = "With equal values, averaged heads would confuse “dog bites man” with “man bites dog”.";
  board.details =
      "An average adds up what the heads found, and then nobody can tell which head found it. Heads are therefore "
      "concatenated, so that the numbers of each head stay apart. ";
  std::vector<BoardItem> line = heads_of(subject);
  if (parts.keys.empty()) {
    board.details += fmt::format("“{}” looks at nothing: all of its weights are 0, and so is its context vector.",
                                 query_name(subject, subject.query));
  } else {
    board.details += largest_weights_of(subject, parts);
    line.insert(line.begin(), sum_of_parts(subject, parts, dims));
  }
  if (dims < parts.dims || parts.others > 0)
    board.note =
        fmt::format("Shown are {} of {} numbers of the vector, and at most {} keys, those of the largest weights.",
                    dims, parts.dims, most_keys);
  if (is_off(config, subject.head)) board.details += " This head is switched off: its context is zero in the document.";
  board.lines.push_back({averaging_example(false), averaging_example(true),
                         BoardText{"Who bites whom?",
                                   "Head 1 looks at the first word, head 2 at the last one; in both heads “dog” has "
                                   "the value (1, 0), “man” (0, 1). No matrix after the average can tell the two "
                                   "sentences apart."}});
  if (!line.empty()) board.lines.push_back(std::move(line));
}

}  // namespace attnscope
