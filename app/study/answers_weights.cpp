// Answers about scores, masks, softmax and dropout.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <span>

#include "core/dropout.h"
#include "study/study_support.h"
#include "study/study_views.h"

namespace attnscope {
namespace {

double sum_of_row(const StudySubject& subject, Stage stage, Index query) {
  return sum_of(read_row(subject, stage, query));
}

// "(0.240 + 0.253) × 2.00 = 0.986" of the weights of a row that dropout keeps; of many the first ones.
std::string kept_sum(const StudySubject& subject, Index row) {
  constexpr std::size_t most_terms = 4;
  const std::vector<float> weights = read_row(subject, normalized_weights_stage(subject.result.config), row);
  const std::vector<float> factors = read_row(subject, Stage::dropout_factors, row);
  std::vector<std::string> terms;
  float factor = 0;
  for (std::size_t key = 0; key < weights.size(); ++key) {
    if (factors[key] == 0 || weights[key] == 0) continue;
    factor = factors[key];
    terms.push_back(number(weights[key], 3));
  }
  if (terms.size() > most_terms) {
    terms.resize(most_terms);
    terms.emplace_back("…");
  }
  return fmt::format("({}) × {} = {}", fmt::join(terms, " + "), number(factor),
                     number(sum_of_row(subject, Stage::dropped_weights, row), 3));
}

// The first two rows of six factors that a kernel draws with a seed: "2 2 0 2 2 0 / 0 0 0 2 0 2".
std::string first_rows_of_mask(std::uint64_t seed, double rate, DropoutKernel kernel) {
  constexpr std::size_t columns = 6;
  std::array<float, 2 * columns> factors{};
  Generator generator(seed);
  fill_dropout_factors(factors, generator, rate, kernel);
  const std::span<const float> all(factors);
  return fmt::format("{} / {}", fmt::join(all.first(columns), " "), fmt::join(all.last(columns), " "));
}

}  // namespace

std::string answer_row_sums(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index row = subject.query;
  const std::vector<float> factors = read_row(subject, Stage::dropout_factors, row);
  const Visibility seen = visibility(config);
  const Index dropped = count_dropped(factors, seen, row);
  const Index all = seen.count(row);
  const std::string rule =
      "Dropout sets some weights to 0 and multiplies the others by 1/(1 − p), so that a row sums to 1 on average over "
      "many masks, but not with a single one.";
  if (config.dropout >= 1) return fmt::format("{} At p = 1 it drops everything, and every row sums to 0.", rule);
  return fmt::format("{} With p = {}, 1/(1 − p) is {}. In the row of “{}” it drops {} of {}; the others give {}.", rule,
                     number(config.dropout), number(1 / (1 - config.dropout)), query_name(subject, row), dropped,
                     counted(all, "weight", "weights"), dropped == all ? "0" : kept_sum(subject, row));
}

std::string answer_other_mask(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  constexpr std::uint64_t book_seed = 123;
  constexpr double book_rate = 0.5;
  const bool is_mkl = config.dropout_kernel == DropoutKernel::mkl;
  const std::string seed =
      config.dropout_seed ? fmt::format("Its mask has a seed of its own, {}; the weights come from seed {}.",
                                        *config.dropout_seed, config.seed)
                          : fmt::format("Its mask is drawn after the weights, from the same seed, {}.", config.seed);
  return fmt::format(
      "PyTorch has two implementations of dropout, which draw different masks from the same seed. With seed {} and p = "
      "{} a notebook that runs with Intel MKL on an Intel processor prints a mask that begins {}. The printed book, "
      "and every machine without MKL (AMD, Arm, Mac), begins {}. This document draws {} MKL. {} If your mask is the "
      "other one, change “dropout as on” under More options; neither is wrong.",
      book_seed, book_rate, first_rows_of_mask(book_seed, book_rate, DropoutKernel::mkl),
      first_rows_of_mask(book_seed, book_rate, DropoutKernel::standard), is_mkl ? "with" : "without", seed);
}

std::string answer_hide_or_show(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  const Index hidden = key_count(config) - seen.count(subject.query);
  return fmt::format(
      "In the book's mask 1 hides a key: triu(ones, diagonal=1) has 1 right of the diagonal, and masked_fill puts −∞ "
      "there. In PyTorch's scaled_dot_product_attention a boolean attn_mask is the other way round: True means that "
      "the key takes part. Here “{}” sees {}, and {} hidden from it.",
      query_name(subject, subject.query), counted(seen.count(subject.query), "key", "keys"),
      hidden == 1 ? "1 is" : fmt::format("{} are", hidden));
}

std::string answer_softmax_axis(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Stage stage = Stage::weights;
  double column = 0;
  for (Index row = 0; row < query_count(config); ++row)
    column += static_cast<double>(read_row(subject, stage, row).front());
  return fmt::format(
      "Over the keys, which are the last axis (dim=-1): each query divides its attention among the keys that it sees. "
      "The row of “{}” sums to {}; the column of “{}” sums to {}, because queries do not compete for a key.",
      query_name(subject, subject.query), number(sum_of_row(subject, stage, subject.query)), key_name(subject, 0),
      number(column));
}

std::string answer_scaling(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  constexpr Index usual_head_dim = 64;  // GPT-2's
  constexpr Index keys = 6;
  const RandomScaling random = random_scaling(usual_head_dim, keys, config.seed);
  const Index head_dim = stage_shape(config, queries_stage(config)).back();
  const std::string whole = info(config.mechanism).splits_heads
                                ? fmt::format(", not over all d_out = {} of them", config.d_out)
                                : std::string();
  return fmt::format(
      "Because a score adds up head_dim products: the longer the vectors, the further apart the scores, until softmax "
      "gives one key nearly all of the weight and learns no more. Random queries and keys of {} numbers show it: the "
      "largest of {} weights is {} on average without scaling and {} with it. The root is of head_dim because each "
      "head's dot product runs over its own {}{}.",
      usual_head_dim, keys, number(random.largest_unscaled), number(random.largest_scaled),
      counted(head_dim, "number", "numbers"), whole);
}

std::string answer_query_axis(const StudySubject& subject) {
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

std::string answer_mask_when(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  const auto scale = static_cast<double>(score_scale(config));
  const std::vector<double> shares = softmax(softmax_scores(subject, subject.query, scale));
  double lost = 0;
  for (std::size_t key = 0; key < shares.size(); ++key) {
    if (seen.hides(subject.query, static_cast<Index>(key))) lost += shares[key];
  }
  return fmt::format(
      "Before: hidden keys get the score −∞, and softmax divides 1 among the others. Multiplying by 0 after softmax "
      "comes too late: in the row of “{}” the hidden keys have already taken {} of the weight, and the rest sums to "
      "only {}. Dividing the row by that sum repairs it and gives the same weights.",
      query_name(subject, subject.query), number(lost), number(1 - lost));
}

std::string answer_scores_weights(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const double score = static_cast<double>(read_row(subject, Stage::scores, subject.query)[0]);
  const std::vector<float> weights = read_row(subject, Stage::weights, subject.query);
  const double weight = static_cast<double>(weights[0]);
  const std::string query = query_name(subject, subject.query);
  const std::string kinds = "A score is a dot product and can be any number; a weight is a share from 0 to 1.";
  const std::string end = fmt::format(
      "All weights of the row sum to {}. Values are mixed with weights, never with scores.", number(sum_of(weights)));
  if (normalizes_by_sum(config))
    return fmt::format("{} For “{}” and “{}” the score is {}; divided by the sum of its row it is the weight {}. {}",
                       kinds, query, key_name(subject, 0), number(score, 3), number(weight, 3), end);
  const double scale = static_cast<double>(score_scale(config));
  const std::string scaled =
      scale == 1 ? "" : fmt::format(", times {} it is the scaled score {}", number(scale, 3), number(score * scale, 3));
  double sum = 0;
  const Visibility seen = visibility(config);
  Index key = 0;
  for (const double each : softmax_scores(subject, subject.query, scale))
    sum += seen.hides(subject.query, key++) ? 0 : std::exp(each);
  const double exponential = std::exp(softmax_scores(subject, subject.query, scale)[0]);
  const std::string softmax_words =
      weight == 0
          ? "hidden, it gets the weight 0"
          : fmt::format("softmax makes it the weight {} / {} = {}: e to its power, divided by the sum of the row's",
                        number(exponential, 3), number(sum, 3), number(exponential / sum, 3));
  return fmt::format("{} For “{}” and “{}” the score is {}{}; {}. {}", kinds, query, key_name(subject, 0),
                     number(score, 3), scaled, softmax_words, end);
}

std::string answer_masked_row(const StudySubject& subject) {
  return fmt::format(
      "Softmax of nothing but −∞ divides 0 by 0: PyTorch gives NaN for the whole row, and NaN spreads to everything "
      "computed from it. It happens with padding: where a text is filled up at its beginning, causal attention leaves "
      "the first queries nothing to see. Here “{}” sees {}; attnscope shows weights and a context of 0. In PyTorch let "
      "such a query see at least itself, or replace NaN with torch.nan_to_num and ignore its output.",
      query_name(subject, subject.query),
      counted(visibility(subject.result.config).count(subject.query), "key", "keys"));
}

}  // namespace attnscope
