// Answers about scores, masks, softmax and dropout.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/dropout.h"
#include "study/answers.h"
#include "study/study_support.h"

namespace attnscope {
namespace {

double sum_of_row(const StudySubject& subject, Stage stage, Index query) {
  return sum_of(read_row(subject, stage, query));
}

// A row of several keys: the subject's, or the last one.
Index telling_row(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  return visibility(config).count(subject.query) > 1 ? subject.query : query_count(config) - 1;
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
  const std::string reason =
      "Dropout sets each weight to 0 with probability p and multiplies the ones it keeps by 1/(1 − p), so that a row "
      "sums "
      "to 1 on average over many masks, but not with any single one.";
  if (!dropout_is_active(config))
    return fmt::format(
        "Here they do: dropout is off, and the row of “{}” sums to {}. {} At p = 0.5 what is kept would double.",
        query_name(subject, subject.query),
        number(sum_of_row(subject, normalized_weights_stage(config), subject.query)), reason);
  const double sum = sum_of_row(subject, Stage::dropped_weights, subject.query);
  const std::string factor = config.dropout < 1 ? number(1 / (1 - config.dropout)) : "no number, as nothing is kept";
  return fmt::format("The row of “{}” sums to {} here, with p = {}. {} 1/(1 − p) is {}.",
                     query_name(subject, subject.query), number(sum), number(config.dropout), reason, factor);
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
      "{} "
      "a notebook that runs with Intel MKL on an Intel processor prints a mask that begins {}. The printed book, and "
      "every machine without MKL (AMD, Arm, Mac), begins {}. This document draws {} MKL. {} If your mask is the other "
      "one, change “dropout as on” under More options; neither is wrong.",
      book_seed, book_rate, first_rows_of_mask(book_seed, book_rate, DropoutKernel::mkl),
      first_rows_of_mask(book_seed, book_rate, DropoutKernel::standard), is_mkl ? "with" : "without", seed);
}

std::string answer_hide_or_show(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  const Index hidden = key_count(config) - seen.count(subject.query);
  return fmt::format(
      "In the book's mask 1 means hidden: triu(ones, diagonal=1) has 1 right of the diagonal, and masked_fill puts −∞ "
      "there. "
      "{}“{}” sees {} and {} hidden from it. In PyTorch's scaled_dot_product_attention a boolean attn_mask is the "
      "other "
      "way round: True means that the key takes part.",
      has_mask(config) ? "" : "This document has no mask; with a causal one, ", query_name(subject, subject.query),
      counted(seen.count(subject.query), "key", "keys"), hidden == 1 ? "1 is" : fmt::format("{} are", hidden));
}

std::string answer_softmax_axis(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Stage stage = Stage::weights;
  double column = 0;
  for (Index row = 0; row < query_count(config); ++row)
    column += static_cast<double>(read_row(subject, stage, row).front());
  return fmt::format(
      "Over the keys, the last axis (dim=-1): each query divides its attention among the words that it sees. The row "
      "of “{}” "
      "sums to {}; the column of “{}” sums to {}, because nothing makes queries share a key.",
      query_name(subject, subject.query), number(sum_of_row(subject, stage, subject.query)), key_name(subject, 0),
      number(column));
}

std::string answer_scaling(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index head_dim = stage_shape(config, queries_stage(config)).back();
  const std::vector<float> scores = read_row(subject, Stage::scores, telling_row(subject));
  const Visibility seen = visibility(config);
  std::vector<double> plain;
  for (std::size_t key = 0; key < scores.size(); ++key) {
    if (!seen.hides(telling_row(subject), static_cast<Index>(key))) plain.push_back(static_cast<double>(scores[key]));
  }
  std::vector<double> scaled = plain;
  for (double& score : scaled) score /= std::sqrt(static_cast<double>(head_dim));
  const auto largest = [](const std::vector<double>& row) {
    const std::vector<double> shares = softmax(row);
    return shares.empty() ? 0 : std::ranges::max(shares);
  };
  return fmt::format(
      "A score adds up head_dim products, so with longer vectors scores spread further apart, softmax gives nearly all "
      "to one "
      "key, and its gradient vanishes. Dividing by √head_dim keeps the spread the same. Here head_dim is {} and √{} = "
      "{}: the "
      "largest weight of “{}” would be {} without dividing and is {} with it.",
      head_dim, head_dim, number(std::sqrt(static_cast<double>(head_dim))), query_name(subject, telling_row(subject)),
      number(largest(plain), 3), number(largest(scaled), 3));
}

std::string answer_query_axis(const StudySubject& subject) {
  const Index last = query_count(subject.result.config) - 1;
  const Index query = subject.query > 0 ? subject.query : last;
  const std::vector<float> there = read_row(subject, Stage::scores, query);
  const std::vector<float> back = read_row(subject, Stage::scores, 0);
  return fmt::format(
      "Rows are queries, columns are keys: who looks stands at the left, who is looked at above. “{}” asking “{}” "
      "scores {}, "
      "the other way round it is {}. Weights sum to 1 along a row.",
      query_name(subject, query), key_name(subject, 0), number(static_cast<double>(there[0]), 3),
      number(static_cast<double>(back[static_cast<std::size_t>(query)]), 3));
}

std::string answer_mask_when(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  std::vector<double> scores = as_double(read_row(subject, Stage::scores, subject.query));
  for (double& score : scores) score *= static_cast<double>(score_scale(config));
  const std::vector<double> shares = softmax(scores);
  double lost = 0;
  for (std::size_t key = 0; key < shares.size(); ++key) {
    if (seen.hides(subject.query, static_cast<Index>(key))) lost += shares[key];
  }
  return fmt::format(
      "Before: scores of hidden keys become −∞, and softmax shares 1 among the others. Multiplying by 0 after softmax "
      "comes "
      "too late: in the row of “{}” hidden keys have taken {} of the weight by then, and the rest sums to {} only. "
      "Dividing "
      "the row by that sum repairs it, and gives the same as −∞ before.",
      query_name(subject, subject.query), number(lost), number(1 - lost));
}

std::string answer_scores_weights(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::vector<float> scores = read_row(subject, Stage::scores, subject.query);
  const std::vector<float> weights = read_row(subject, Stage::weights, subject.query);
  return fmt::format(
      "A score is a dot product: any number, here {} for “{}” and “{}”. A weight is what softmax makes of the row's "
      "scores: a "
      "share from 0 to 1, here {}, and all of the row sum to {}. Values are mixed with weights, never with scores.",
      number(static_cast<double>(scores[0]), 3), query_name(subject, subject.query), key_name(subject, 0),
      number(static_cast<double>(weights[0]), 3), number(sum_of(weights)) + (normalizes_by_sum(config) ? " too" : ""));
}

std::string answer_masked_row(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = visibility(config);
  Index empty = 0;
  for (Index query = 0; query < query_count(config); ++query) empty += seen.count(query) == 0 ? 1 : 0;
  return fmt::format(
      "Softmax of nothing but −∞ is 0/0: PyTorch's torch.softmax gives NaN, and it spreads to everything after it. "
      "Here such "
      "a row has weights of 0, and its context is 0. This document has {} of {}; “{}” sees {}.",
      empty == 0 ? "none" : std::to_string(empty), counted(query_count(config), "row", "rows"),
      query_name(subject, subject.query), counted(seen.count(subject.query), "key", "keys"));
}

}  // namespace attnscope
