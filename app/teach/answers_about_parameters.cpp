#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/evaluate.h"
#include "core/parameters.h"
#include "document/edit.h"
#include "teach/questions.h"
#include "teach/teaching_view_support.h"

// Answers about the weight matrices: the order of draws, how classes store them, why there are three, what trains them.
namespace attnscope {

std::string answer_draws(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  constexpr std::size_t most_named = 6;
  const std::vector<GeneratorUse> uses = generator_uses(config);
  std::vector<std::string> order;
  for (const GeneratorUse& use : uses) {
    if (order.size() == most_named) break;
    order.push_back(fmt::format("{} ({})", use.name, use.words));
  }
  using enum Projection;
  const bool is_key_first = config.weight_order[0] == key;
  AttentionConfig changed = config;
  changed.weight_order = {is_key_first ? query : key, is_key_first ? key : query, value};
  return fmt::format(
      "A seed ({}) fixes one long row of random numbers, and whoever draws first gets the first of them. This document "
      "draws {}{}. Declared as {}, {} of its {} tensors get other numbers from the same seed. The same seed gives the "
      "same numbers only with the same draws in the same order.",
      config.seed, fmt::join(order, ", then "), uses.size() > most_named ? " and so on" : "",
      is_key_first ? "query, key, value" : "key, query, value", changed_parameters(config, changed),
      std::ssize(parameter_shapes(config)));
}

namespace {

// Says where the numbers of the weights come from: "were drawn and", or "were set, not drawn, and".
std::string_view origin_of_weights(const Result& result) {
  if (std::holds_alternative<ModelInputs>(result.config.inputs)) return "are a model's and";
  const auto is_drawn = [](const Parameter& parameter) { return parameter.drawn.values.empty(); };
  const auto drawn = std::ranges::count_if(*result.parameters, is_drawn);
  return drawn == 0                                ? "were set, not drawn, and"
         : drawn == std::ssize(*result.parameters) ? "were drawn and"
                                                   : "were in part set and";
}

}  // namespace

std::string answer_linear(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const QueryWeight weight = read_query_weight(subject);
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  // The draw that begins the second row of the weight as nn.Linear stores it, in either order.
  const Index draw = weight.in;
  const std::string cells =
      weight.out < 2 ? std::string()
                     : fmt::format(
                           " The same draws also land in other cells, because both fill row by row: draw {} is "
                           "W[{}, {}] of nn.Parameter, but weight[1, 0] of nn.Linear, which acts as W[0, 1].",
                           draw + 1, draw / weight.out, draw % weight.out);
  return fmt::format(
      "Both compute the same. An nn.Parameter W has the shape (d_in, d_out) = ({0}, {1}), and you write x @ W; "
      "nn.Linear stores W as (d_out, d_in) = ({1}, {0}) and computes x @ W.T, plus a bias if you want one. They start "
      "from different numbers: nn.Linear draws its own, within ±1/√d_in = ±{2}; an nn.Parameter starts from whatever "
      "you give it, in Self-attention v1 from torch.rand: 0 to 1.{3} {4}; copied transposed, they give the same "
      "numbers "
      "in the other.",
      weight.in, weight.out, number(1 / std::sqrt(static_cast<double>(weight.in))), cells,
      fmt::format("This document's weights {} {}", origin_of_weights(subject.result),
                  is_linear ? "stand as nn.Linear stores them" : "are nn.Parameters"));
}

// Three matrices.

namespace {

std::vector<float> scores_of(const TeachingViewSubject& subject, const Result& result, Index query) {
  return read_row({result, subject.labels, subject.head, subject.batch, query, subject.choice}, Stage::scores, query);
}

bool has_equal_keys(const Result& result, Index head) {
  const auto weight = [&](Stage stage) { return parameter_of(result.config, *result.parameters, stage, head); };
  return weight(Stage::query_weight)->tensor == weight(Stage::key_weight)->tensor;
}

// Returns another key than the query's own, the one with the largest score.
Index best_other_key(const std::vector<float>& scores, Index query) {
  Index best = query == 0 ? 1 : 0;
  for (Index key = 0; key < std::ssize(scores); ++key)
    if (key != query && number_at(scores, key) > number_at(scores, best)) best = key;
  return best;
}

// Says who scores itself highest where W_key = W_query, and names one that does not. A row of equal scores has no
// favourite.
std::string own_favourites_words(const TeachingViewSubject& subject) {
  const Index tokens = token_count(subject.result.config);
  Index own = 0;
  std::string other;
  for (Index query = 0; query < tokens; ++query) {
    const std::vector<float> row = scores_of(subject, subject.result, query);
    const Index key = best_other_key(row, query);
    if (number_at(row, query) > number_at(row, key)) {
      ++own;
    } else if (other.empty() && number_at(row, query) < number_at(row, key)) {
      other = fmt::format(", but “{}” scores “{}” higher", query_name(subject, query), key_name(subject, key));
    }
  }
  if (own == tokens) return fmt::format("Each of the {} tokens scores itself highest", tokens);
  if (own == 0) return "No token scores itself highest" + other;
  return fmt::format("{} of {} tokens {} highest{}", own, tokens, own == 1 ? "scores itself" : "score themselves",
                     other);
}

// Returns whether every two tokens score each other the same, but for rounding.
bool has_symmetric_scores(const TeachingViewSubject& subject) {
  const Index tokens = token_count(subject.result.config);
  std::vector<std::vector<float>> rows;
  for (Index query = 0; query < tokens; ++query) rows.push_back(scores_of(subject, subject.result, query));
  double largest = 0;
  double difference = 0;
  for (Index query = 0; query < tokens; ++query) {
    for (Index key = 0; key < tokens; ++key) {
      const double score = number_at(rows[static_cast<std::size_t>(query)], key);
      largest = std::max(largest, std::abs(score));
      difference = std::max(difference, std::abs(score - number_at(rows[static_cast<std::size_t>(key)], query)));
    }
  }
  return difference <= 1e-5 * largest;
}

// Returns the pair of a query and a key, or the pair of two tokens with the largest score if this one's is 0.
std::pair<Index, Index> pair_with_a_score(const TeachingViewSubject& subject, std::pair<Index, Index> pair) {
  double largest = std::abs(number_at(scores_of(subject, subject.result, pair.first), pair.second));
  if (largest > 0) return pair;
  for (Index query = 0; query < token_count(subject.result.config); ++query) {
    const std::vector<float> row = scores_of(subject, subject.result, query);
    for (Index key = 0; key < std::ssize(row); ++key) {
      if (key == query || std::abs(number_at(row, key)) <= largest) continue;
      largest = std::abs(number_at(row, key));
      pair = {query, key};
    }
  }
  return pair;
}

// Says that no two tokens score each other, and why.
std::string no_scores_words(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  std::vector<Index> looking;
  for (Index query = 0; query < token_count(config); ++query) {
    const std::vector<float> row = read_row(subject, queries_stage(config), query);
    if (std::ranges::any_of(row, [](float each) { return each != 0; })) looking.push_back(query);
  }
  return fmt::format(
      "every two different tokens score each other 0{}",
      looking.empty() ? ", because every query is a row of zeros"
      : looking.size() == 1
          ? fmt::format(", because only “{}” looks for something: the queries of the others are rows of zeros",
                        query_name(subject, looking[0]))
          : "");
}

// Counts the tokens that score themselves higher than every other one; a row of equal scores has no favourite.
Index count_own_favourites(const TeachingViewSubject& subject, const Result& result) {
  Index count = 0;
  for (Index query = 0; query < token_count(result.config); ++query) {
    const std::vector<float> row = scores_of(subject, result, query);
    count += number_at(row, query) > number_at(row, best_other_key(row, query)) ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string answer_three(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const char* const rule = "Looking for, being found and giving are three jobs, and each matrix learns one.";
  const char* const value = "With W_value equal, too, a token could give only what it is found by.";
  if (has_shared_keys(config))
    return fmt::format("{} Here heads share keys, so that W_key is smaller than W_query. {}", rule, value);
  if (token_count(config) < 2 || token_count(config) > most_tokens_of_trial)
    return fmt::format("{} With W_key = W_query, every two tokens would score each other the same. {}", rule, value);
  const bool has_equal = has_equal_keys(subject.result, subject.head);
  const auto [query, key] = has_equal ? pair_with_a_score(subject, telling_pair(subject)) : telling_pair(subject);
  const std::string q = query_name(subject, query);
  const std::string k = key_name(subject, key);
  const double there = number_at(scores_of(subject, subject.result, query), key);
  const double back = number_at(scores_of(subject, subject.result, key), query);
  constexpr int most_decimals = 4;
  int decimals = 2;
  while (decimals < most_decimals && number(there, decimals) == number(back, decimals)) ++decimals;
  if (has_equal) decimals = 2;
  const std::string pair = fmt::format("“{}” scores “{}” {}, and “{}” scores “{}” {}", q, k, number(there, decimals), k,
                                       q, number(back, decimals));
  if (has_equal)
    return fmt::format("In this document W_key = W_query{} {}. {}. {} {}",
                       has_symmetric_scores(subject) ? ", so the scores are symmetric:" : ":",
                       there == 0 && back == 0 ? no_scores_words(subject) : pair, own_favourites_words(subject), rule,
                       value);
  const Index tokens = token_count(config);
  const Index own = count_own_favourites(subject, subject.result);
  const Result equal = evaluate(with_keys_of_queries(config), quietly(subject));
  const Index with_equal = count_own_favourites(subject, equal);
  const std::string favourites = own == with_equal
                                     ? std::string()
                                     : fmt::format(", and {} of {} tokens would score {} highest; now {}", with_equal,
                                                   tokens, with_equal == 1 ? "itself" : "themselves",
                                                   own == 0   ? "none does"
                                                   : own == 1 ? "1 does"
                                                              : fmt::format("{} do", own));
  return fmt::format(
      "{} Now {}. With W_key = W_query the scores would be symmetric, the same in both directions: both of these would "
      "be {}{}. {}",
      rule, pair, number(number_at(scores_of(subject, equal, query), key), decimals), favourites, value);
}

std::optional<QuestionRemedy> equal_keys(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  if (subject.result.imported || subject.result.difference || parameter_shapes(config).empty() ||
      has_shared_keys(config) || has_equal_keys(subject.result, 0) || token_count(config) < 2)
    return {};
  return QuestionRemedy{
      .label = "Let W_key be W_query",
      .change = [](Document& document) { set_config(document, with_keys_of_queries(document.config)); },
      .is_answered = true,
      .controls = {{"key", static_cast<double>(telling_pair(subject).second)}}};
}

// Trained, drawn or set.

std::string answer_trained(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const char* const rule =
      "What attention looks for is in its weights, and only training finds weights that are useful.";
  if (const auto* const inputs = std::get_if<ModelInputs>(&config.inputs)) {
    const std::string of_layer = fmt::format("those of layer {} of a model's {}, with {} heads each.",
                                             inputs->layer + 1, inputs->model->shape.layers, head_count(config));
    if (const std::optional<std::uint64_t>& seed = inputs->model->drawn_by)
      return fmt::format("{} Here they are untrained, as seed {} drew them: {}", rule, *seed, of_layer);
    return fmt::format("{} Here they are trained: {}", rule, of_layer);
  }
  if (subject.result.imported)
    return fmt::format("{} Here only the shares are known: the file does not say what made them.", rule);
  std::size_t numbers = 0;
  std::size_t set = 0;
  bool are_round = true;  // no training gives numbers of two decimals
  for (const Parameter& parameter : *subject.result.parameters) {
    const auto& values = parameter.tensor.values;
    const auto& drawn = parameter.drawn.values;
    numbers += values.size();
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      set += values[i] == drawn[i] ? 0 : 1;
      const double hundredths = 100 * static_cast<double>(values[i]);
      are_round &= std::abs(hundredths - std::round(hundredths)) < 1e-4;
    }
  }
  if (numbers == 0) return fmt::format("{} This document has no weights, so there is nothing to train.", rule);
  if (set == numbers && are_round)
    return fmt::format(
        "{} Here they are neither: a person chose them, so that their meaning can be read. One sees it by their "
        "digits: "
        "each of the {} numbers of the weights ends after two decimals at most, and numbers that are drawn or trained "
        "have many more.",
        rule, numbers);
  const std::string said =
      set == 0 ? fmt::format("Here all {} numbers of the weights are as seed {} drew them", numbers, config.seed)
      : set == numbers
          ? fmt::format("Here all {} numbers of the weights were set, by hand or from a file", numbers)
          : fmt::format(
                "Here seed {} drew {} of the {} numbers of the weights, and {} were set, by hand or from a file",
                config.seed, numbers - set, numbers, set);
  return fmt::format("{} {}{}.", rule, said,
                     set == 0         ? ": nothing has told them what to look for"
                     : set == numbers ? ""
                                      : ": pin a number of a weight matrix, and its card says whether it was drawn");
}

}  // namespace attnscope
