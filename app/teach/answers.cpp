#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/dropout.h"
#include "core/parameters.h"
#include "core/text.h"
#include "teach/teaching_view_support.h"
#include "view/number_words.h"

// Answers about scores, masks, softmax and dropout, and about heads and shapes.
namespace attnscope {
namespace {

double sum_of_row(const TeachingViewSubject& subject, Stage stage, Index query) {
  return sum_of(read_row(subject, stage, query));
}

// Returns "(0.240 + 0.253 + 0.131 + 0.018 of 3 more) × 2.00 = 1.284" for the weights of a row that dropout keeps.
std::string kept_sum(const TeachingViewSubject& subject, Index row) {
  constexpr std::size_t most_terms = 4;
  const std::vector<float> weights = read_row(subject, normalized_weights_stage(subject.result.config), row);
  const std::vector<float> factors = read_row(subject, Stage::dropout_factors, row);
  std::vector<double> kept;
  float factor = 0;
  for (std::size_t key = 0; key < weights.size(); ++key) {
    if (factors[key] == 0 || weights[key] == 0) continue;
    factor = factors[key];
    kept.push_back(static_cast<double>(weights[key]));
  }
  double rest = std::accumulate(kept.begin(), kept.end(), 0.0);
  std::vector<double> numbers;
  for (const std::size_t shown : largest_terms(kept, most_terms)) {
    numbers.push_back(kept[shown]);
    rest -= kept[shown];
  }
  const std::size_t others = kept.size() - numbers.size();
  if (others > 0) numbers.push_back(rest);
  // 1/0.9 has no end, so that the sum is divided by 0.9.
  const double written = as_written(static_cast<double>(factor), 2);
  const bool has_end = std::abs(static_cast<double>(factor) - written) < 1e-6;
  const double rate = subject.result.config.dropout;
  const double sum = sum_of_row(subject, Stage::dropped_weights, row);
  const int decimals = decimals_that_give(sum, 3, [&](int digits) {
    double all = 0;
    for (const double each : numbers) all += as_written(each, digits);
    return has_end ? all * written : all / (1 - rate);
  });
  std::vector<std::string> terms;
  for (const double each : numbers) terms.push_back(number(each, decimals));
  if (others > 0) terms.back() += fmt::format(" of {} more", others);
  const std::string all = terms.size() == 1 ? terms[0] : fmt::format("({})", fmt::join(terms, " + "));
  return fmt::format("{} {} = {}", all,
                     has_end ? fmt::format("× {}", number(written)) : fmt::format("/ {:.6g}", 1 - rate),
                     number(sum, 3));
}

// Returns the first two rows of six factors that a kernel draws with a seed: "2 2 0 2 2 0 / 0 0 0 2 0 2".
std::string first_rows_of_mask(std::uint64_t seed, double rate, DropoutKernel kernel) {
  constexpr std::size_t columns = 6;
  std::array<float, 2 * columns> factors{};
  Generator generator(seed);
  draw_dropout_factors(factors, generator, rate, kernel);
  const std::span<const float> all(factors);
  return fmt::format("{} / {}", fmt::join(all.first(columns), " "), fmt::join(all.last(columns), " "));
}

}  // namespace

std::string answer_row_sums(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index row = subject.query;
  const std::vector<float> factors = read_row(subject, Stage::dropout_factors, row);
  const Visibility seen = visibility(config);
  const Index dropped = count_dropped(factors, seen, row);
  const Index all = seen.count(row);
  const std::string rule =
      "Dropout sets some weights to 0 and multiplies the others by 1/(1 − p), so that a row keeps its sum on average "
      "over many masks, but not with a single one.";
  if (config.dropout >= 1) return fmt::format("{} At p = 1 it drops everything, and every row sums to 0.", rule);
  const std::string rest = all == 0             ? "so that nothing is left"
                           : dropped == all     ? "so that the row sums to 0"
                           : all - dropped == 1 ? "the other gives " + kept_sum(subject, row)
                                                : "the others give " + kept_sum(subject, row);
  return fmt::format("{} With p = {}, 1/(1 − p) is {}. In the row of “{}” it drops {} of {}{} {}.", rule,
                     format_dropout_rate(config.dropout), format_dropout_rate(1 / (1 - config.dropout)),
                     query_name(subject, row), dropped, counted(all, "weight", "weights"), dropped == all ? "," : ";",
                     rest);
}

std::string answer_other_mask(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  constexpr std::uint64_t book_seed = 123;
  constexpr double book_rate = 0.5;
  const bool is_mkl = config.dropout_kernel == DropoutKernel::mkl;
  const std::string seed =
      config.dropout_seed ? fmt::format("Its mask has a seed of its own, {}; the weights come from seed {}.",
                                        *config.dropout_seed, config.seed)
                          : fmt::format("Its mask is drawn after the weights, from the same seed, {}.", config.seed);
  return fmt::format(
      "PyTorch draws dropout masks in two ways, which give different masks from the same seed. With seed {} and p = {} "
      "a "
      "notebook on an Intel processor, where PyTorch uses Intel's library MKL, prints a mask that begins {}. The "
      "printed book, and every machine without this library (AMD, Arm, Mac), begins {}. This document draws {} MKL. "
      "{} If your mask is the other one, change “dropout as on” under More options; neither is wrong.",
      book_seed, book_rate, first_rows_of_mask(book_seed, book_rate, DropoutKernel::mkl),
      first_rows_of_mask(book_seed, book_rate, DropoutKernel::standard), is_mkl ? "with" : "without", seed);
}

std::string answer_hide_or_show(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  const char* const side =
      hides_all_later(seen, config)
          ? "A key right of the diagonal comes later and is hidden: a causal mask hides later words from earlier ones. "
          : "";
  return fmt::format(
      "{}The query “{}” sees {} of {}. In the book's mask, torch.triu(torch.ones(T, T), diagonal=1), 1 hides a key, "
      "and "
      "masked_fill puts −∞ there; “Why −∞ and not 0?” is a question of its own. In PyTorch's "
      "scaled_dot_product_attention a boolean attn_mask is the other way round: True means that the key takes part.",
      side, query_name(subject, subject.query), seen.count(subject.query), counted(key_count(config), "key", "keys"));
}

std::string answer_softmax_axis(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Stage stage = Stage::weights;
  double column = 0;
  for (Index row = 0; row < query_count(config); ++row)
    column += static_cast<double>(read_row(subject, stage, row).front());
  const double sum = sum_of_row(subject, stage, subject.query);
  return fmt::format(
      "Over the keys, which are the last axis (dim=-1): each query divides its attention among {}. The row of “{}” "
      "sums to {}{}; the column of “{}” sums to {}, because queries do not compete for a key.",
      visibility(config, stage).hides_any(query_count(config)) ? "the keys that it sees" : "all keys",
      query_name(subject, subject.query), number(sum), sum == 0 ? ", because every key is hidden from it" : "",
      key_name(subject, 0), number(column));
}

std::string answer_scaling(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  constexpr Index usual_head_dim = 64;  // GPT-2's
  const Index keys = random_keys(config);
  const RandomScaling random = random_scaling(usual_head_dim, keys, config.seed);
  const Index head_dim = stage_shape(config, queries_stage(config)).back();
  const std::string whole = info(config.mechanism).splits_heads && head_dim != config.d_out
                                ? fmt::format(", not over all d_out = {} of them", config.d_out)
                                : std::string();
  return fmt::format(
      "Because a score adds up head_dim products (head_dim is d_k in the formula with √d_k: how many numbers a query "
      "and a "
      "key have): the longer the vectors, the further apart the scores, until softmax gives one key nearly all of the "
      "weight and learns no more. Random queries and keys of {} numbers show it: the "
      "largest of {} weights is {} on average without scaling and {} with it. The root is of head_dim because each "
      "head's dot product runs over its own {}{}.",
      usual_head_dim, keys, number(random.largest_unscaled), number(random.largest_scaled),
      counted(head_dim, "number", "numbers"), whole);
}

std::string answer_query_axis(const TeachingViewSubject& subject) {
  const Index last = query_count(subject.result.config) - 1;
  const Index query = subject.query > 0 ? subject.query : last;
  const std::vector<float> there = read_row(subject, Stage::scores, query);
  const std::vector<float> back = read_row(subject, Stage::scores, 0);
  return fmt::format(
      "Rows are queries and columns are keys: the token that looks stands at the left, the one that it looks at above. "
      "The query “{}” scores the key “{}” {}; the other way round it is {}. Weights sum to 1 along a row.",
      query_name(subject, query), key_name(subject, 0), number(there[0], 3),
      number(back[static_cast<std::size_t>(query)], 3));
}

std::string answer_mask_when(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  const auto scale = static_cast<double>(score_scale(config));
  const std::vector<double> shares = softmax(softmax_scores(subject, subject.query, scale));
  double lost = 0;
  double kept = 0;
  for (std::size_t key = 0; key < shares.size(); ++key)
    (seen.hides(subject.query, static_cast<Index>(key)) ? lost : kept) += shares[key];
  const std::string before = "Before: hidden keys get the score −∞, and softmax divides 1 among the others.";
  const std::string query = query_name(subject, subject.query);
  const Index count = seen.count(subject.query);
  if (count == 0)
    return fmt::format(
        "{} From “{}” every key is hidden, so that nothing can be divided in either order: PyTorch makes "
        "such a row NaN, and attnscope 0.",
        before, query);
  if (count == key_count(config))
    return fmt::format(
        "{} Multiplying by 0 after softmax comes too late: hidden keys have taken a part of the weight by "
        "then. From “{}” no key is hidden, so that its row is the same in either order.",
        before, query);
  return fmt::format(
      "{} Multiplying by 0 after softmax comes too late: in the row of “{}” the hidden keys have already taken {} of "
      "the weight, and the rest sums to only {}. Dividing the row by that sum repairs it and gives the same weights.",
      before, query, number(lost), number(kept));
}

namespace {

// The row of scores that softmax turns into shares, and the sum of their exponentials. Hidden keys have none; a mask
// after softmax hides nothing from it.
struct SoftmaxRow {
  std::vector<double> scores;
  std::vector<std::size_t> shared = {};  // keys that get a share
  double subtracted = 0;                 // from each score, because a sentence has no room for e to a larger power
  double sum = 0;

  bool shares(std::size_t key) const { return std::ranges::find(shared, key) != shared.end(); }
  double power(std::size_t key) const { return std::exp(scores[key] - subtracted); }
  // Returns "1.20 / 8.60 = 0.14".
  std::string division(std::size_t key, int least) const {
    const double share = power(key) / sum;
    const int decimals = decimals_that_give(
        share, least, [&](int digits) { return as_written(power(key), digits) / as_written(sum, digits); });
    return fmt::format("{} / {} = {}", number(power(key), decimals), number(sum, decimals), number(share, least));
  }
  std::string less() const {
    return subtracted == 0 ? "" : fmt::format(" less the row's largest, {}", number(subtracted, 3));
  }
};

SoftmaxRow softmax_row(const TeachingViewSubject& subject) {
  constexpr double comfortable = 20;
  const AttentionConfig& config = subject.result.config;
  SoftmaxRow row{softmax_scores(subject, subject.query, static_cast<double>(score_scale(config)))};
  const Visibility seen = visibility(config, Stage::weights);
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t key = 0; key < row.scores.size(); ++key) {
    if (seen.hides(subject.query, static_cast<Index>(key))) continue;
    row.shared.push_back(key);
    largest = std::max(largest, row.scores[key]);
  }
  if (!std::isfinite(largest)) row.shared.clear();
  if (std::abs(largest) > comfortable) row.subtracted = largest;
  for (const std::size_t key : row.shared) row.sum += row.power(key);
  return row;
}

}  // namespace

std::string answer_softmax(const TeachingViewSubject& subject) {
  const std::string query = query_name(subject, subject.query);
  if (normalizes_by_sum(subject.result.config))
    return "It turns a row of scores into shares: e to the power of each score, divided by the sum of these powers. "
           "This document divides each score by the sum of its row instead, which fails where scores are negative.";
  const SoftmaxRow row = softmax_row(subject);
  const char* const rule =
      "It turns a row of scores into shares of 1: e to the power of each score, divided by the sum of these powers.";
  if (row.shared.empty()) return fmt::format("{} From “{}” every key is hidden, so it has no shares.", rule, query);
  const auto by_score = [&](std::size_t a, std::size_t b) { return row.scores[a] < row.scores[b]; };
  const auto [least, most] = std::ranges::minmax(row.shared, by_score);
  const auto words = [&](std::size_t key) {
    return fmt::format("“{}” with the score {} gets {}", key_name(subject, static_cast<Index>(key)),
                       number(row.scores[key]), row.division(key, 2));
  };
  const std::string smallest = row.shared.size() > 1 ? fmt::format(", and {}", words(least)) : std::string();
  return fmt::format(
      "{} In the row of “{}”, {}{}{}. Every share is above 0, and only differences count: a score that is 1 larger "
      "gives {} times the share.",
      rule, query, words(most), smallest,
      row.subtracted == 0
          ? ""
          : fmt::format(" (of each score the row's largest, {}, is subtracted first, which changes no share)",
                        number(row.subtracted)),
      number(std::exp(1.0)));
}

std::string answer_scores_weights(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const double score = static_cast<double>(read_row(subject, Stage::scores, subject.query)[0]);
  const std::vector<float> weights = read_row(subject, Stage::weights, subject.query);
  const double weight = static_cast<double>(weights[0]);
  const std::string query = query_name(subject, subject.query);
  const std::string kinds = fmt::format("A score is a dot product and can be any number; a weight is a share {}.",
                                        normalizes_by_sum(config) ? "of its row" : "from 0 to 1");
  const std::string end = fmt::format(
      "All weights of the row sum to {}. A high weight means that the query takes much of this key's value; values are "
      "mixed with weights, never with scores.",
      number(sum_of(weights)));
  if (normalizes_by_sum(config))
    return fmt::format("{} For “{}” and “{}” the score is {}; divided by the sum of its row it is the weight {}. {}",
                       kinds, query, key_name(subject, 0), number(score, 3), number(weight, 3), end);
  const double scale = static_cast<double>(score_scale(config));
  const int decimals = decimals_that_give(
      score * scale, 3, [&](int digits) { return as_written(score, digits) * as_written(scale, digits); });
  const std::string scaled = scale == 1 ? ""
                                        : fmt::format(", times {} it is the scaled score {}", number(scale, decimals),
                                                      number(score * scale, 3));
  const SoftmaxRow row = softmax_row(subject);
  const bool is_changed = weight != 0 && std::abs(row.scores[0] - score * scale) > 1e-6;  // by a bias or a cap
  const std::string finished = is_changed ? fmt::format(", and {} as it enters softmax", number(row.scores[0], 3)) : "";
  const std::string softmax_words =
      !row.shares(0) ? "hidden, it gets the weight 0"
                     : fmt::format("softmax makes it the weight {}: e to its power{}, divided by the sum of the row's",
                                   row.division(0, 3), row.less());
  return fmt::format("{} For “{}” and “{}” the score is {}{}{}; {}. {}", kinds, query, key_name(subject, 0),
                     number(score, decimals), scaled, finished, softmax_words, end);
}

std::string answer_masked_row(const TeachingViewSubject& subject) {
  return fmt::format(
      "Softmax of nothing but −∞ divides 0 by 0: PyTorch gives NaN for the whole row, and NaN spreads to everything "
      "computed from it. It happens with padding: where a text is filled up at its beginning, causal attention leaves "
      "the first queries nothing to see. Here “{}” sees {}; attnscope shows weights and a context of 0. In PyTorch let "
      "such a query see at least itself, or replace NaN with torch.nan_to_num and ignore its output.",
      query_name(subject, subject.query),
      counted(visibility(subject.result.config).count(subject.query), "key", "keys"));
}

std::string answer_view_transpose(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index tokens = token_count(config);
  return fmt::format(
      "view splits and transpose reorders. Each head's numbers come from the whole input: only the result is split. "
      "view(B, T, H, head_dim) splits each token's {0} numbers into {1} heads of {2} without moving them in memory; "
      "transpose(1, 2) then puts the heads before the tokens, ({3}, {1}, {4}, {2}), so that each head has every token. "
      "view(B, H, T, head_dim) would give the same shape in one step but cut memory in the wrong places: the rows of a "
      "head would no longer be tokens.",
      config.d_out, head_count(config), head_features(config), config.batch_size, tokens);
}

std::string answer_d_out(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const MechanismInfo& mechanism = info(config.mechanism);
  const Index heads = head_count(config);
  if (mechanism.splits_heads)
    return fmt::format(
        "In MultiHeadAttention it is for all heads together: d_out = {0} makes {1} of head_dim = {0} / {2} = {3} "
        "numbers. In the wrapper it is for each head: there the same d_out would give {2} × {0} = {4} numbers side by "
        "side.",
        config.d_out, counted(heads, "head", "heads"), heads, head_features(config), heads * config.d_out);
  if (mechanism.has_heads)
    return fmt::format(
        "In the wrapper it is for each head: {} of d_out = {} make {} numbers side by side. In MultiHeadAttention it "
        "is for all heads together and is divided among them.",
        counted(heads, "head", "heads"), config.d_out, context_features(config));
  return fmt::format(
      "This mechanism has one head, so both are the same: {} numbers for each token. In the wrapper d_out is for each "
      "head; in MultiHeadAttention it is for all heads together.",
      context_features(config));
}

std::string answer_batch_shapes(const TeachingViewSubject& subject) {
  AttentionConfig config = subject.result.config;
  if (!begins_with_heads(config)) config.batch_size = std::max<Index>(2, config.batch_size);  // also of a model
  // Stages of one shape stand together, in the order in which they are computed.
  std::vector<std::pair<std::string, std::vector<Index>>> groups;
  for (const StageInfo& stage : stages()) {
    if (!has_stage(config, stage.stage) || is_parameter(stage.axes)) continue;
    const std::vector<Index> shape = shape_in_class(config, stage.stage);
    if (shape.front() != config.batch_size) continue;  // a mask is the same for all entries
    if (!groups.empty() && groups.back().second == shape) {
      groups.back().first += fmt::format(", {}", stage.title);
    } else {
      groups.emplace_back(std::string(stage.title), shape);
    }
  }
  std::vector<std::string> words;
  for (const auto& [names, shape] : groups) words.push_back(fmt::format("{} {}", names, format_shape(shape)));
  return fmt::format(
      "The first number of each shape is B, the batch: how many sentences are computed at once. With B = {}: {}. {}"
      "Sentences of a batch do not see each other: each one has its own scores and weights.{}",
      config.batch_size, fmt::join(words, "; "),
      shape_in_class(config, Stage::weights).size() > 3
          ? fmt::format("After B stands H, the {} heads, where each head has numbers of its own. ", head_count(config))
          : "",
      parameter_shapes(config).empty() ? "" : " The weight matrices have no B, because all sentences share them.");
}

std::string answer_average_heads(const TeachingViewSubject& subject) {
  const auto context = [&](Index head, Index query) {
    return read_row(with_head(subject, head), Stage::head_context, query);
  };
  Index shown = subject.query;
  for (Index row = 0; row < query_count(subject.result.config) && context(0, shown) == context(1, shown); ++row)
    shown = row;  // another query, if the heads agree about this one
  const std::vector<float> first = context(0, shown);
  const std::vector<float> second = context(1, shown);
  std::size_t most = 0;
  for (std::size_t i = 1; i < first.size(); ++i) {
    if (std::abs(first[i] - second[i]) > std::abs(first[most] - second[most])) most = i;
  }
  const bool has_projection = has_stage(subject.result.config, Stage::output);
  const std::string rule = fmt::format(
      "They are not averaged but concatenated: each head looks elsewhere, and {} what to do with each of "
      "their numbers. An average could not tell the heads apart.",
      has_projection ? "out_proj learns" : "the layers that follow learn");
  if (first == second) return fmt::format("{} Here heads 1 and 2 have the same context for every query.", rule);
  const std::string query = query_name(subject, shown);
  return fmt::format(
      "{} In dimension {}, the context of “{}” is {} in head 1 and {} in head 2; their average, {}, is "
      "neither.",
      rule, most + 1, query, number(first[most], 3), number(second[most], 3),
      number((first[most] + second[most]) / 2, 3));
}

// Says how far the scores of the query's row lie apart, and what softmax makes of that.
std::string answer_equal_shares(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::string query = query_name(subject, subject.query);
  const Visibility seen = visibility(config, Stage::weights);
  const std::vector<float> row = read_row(subject, Stage::weights, subject.query);
  std::vector<double> shares;
  for (std::size_t key = 0; key < row.size(); ++key)
    if (!seen.hides(subject.query, static_cast<Index>(key)) && row[key] > 0)
      shares.push_back(static_cast<double>(row[key]));
  const std::string rule =
      "Softmax looks at differences: scores that differ by 0.1 give shares of which one is 1.1 times the other, scores "
      "that differ by 3 give 20 times.";
  if (normalizes_by_sum(config))
    return "Here each score is divided by the sum of its row, so shares are nearly equal where the scores are.";
  if (shares.size() < 2) return fmt::format("{} “{}” has no two keys to share its weight among.", rule, query);
  const auto [least, most] = std::ranges::minmax(shares);
  const double apart = std::log(most / least);
  const std::string here =
      fmt::format("The scores of “{}” lie {} apart, so its largest share, {}, is {} times its smallest, {}.", query,
                  number(apart), number(most), number(most / least, most / least < 10 ? 2 : 0), number(least));
  constexpr double much = 1;
  if (apart > much) return fmt::format("{} {} These are not equal.", rule, here);
  const bool is_drawn = !parameter_shapes(config).empty() && !std::holds_alternative<ModelInputs>(config.inputs);
  const std::string why = apart == 0 ? std::string()
                          : is_drawn ? " The weights are small random numbers, and small numbers in give small scores "
                                       "out: nothing has told this attention what to look for."
                                     : " Small numbers in give small scores out.";
  return fmt::format(
      "{} {}{} Training makes W_query and W_key larger where that helps, until scores lie far apart. Larger scores "
      "show the same without training: multiply them, and the pattern that is there comes out.",
      rule, here, why);
}

}  // namespace attnscope
