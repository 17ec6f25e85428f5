// Answers about heads, shapes, weights and draws.

#include <fmt/format.h>

#include <cmath>

#include "core/parameters.h"
#include "study/study_support.h"
#include "study/study_views.h"

namespace attnscope {

std::string answer_view_transpose(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index tokens = token_count(config);
  return fmt::format(
      "view splits and transpose reorders. view(T, H, head_dim) splits each token's {} numbers into {} heads of {} "
      "without moving them in memory; transpose(1, 2) then puts the heads first, ({}, {}, {}), so that each head has "
      "every token. view(H, T, head_dim) would give the same shape in one step but cut memory in the wrong places: the "
      "rows of a head would no longer be tokens.",
      config.d_out, head_count(config), head_features(config), head_count(config), tokens, head_features(config));
}

std::string answer_d_out(const StudySubject& subject) {
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

std::string answer_draws(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  std::vector<std::string> order;
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    if (order.size() == 6) break;
    order.push_back(fmt::format("{} ({})", parameter.name, element_count(parameter.shape)));
  }
  AttentionConfig changed = config;
  changed.weight_order = {Projection::key, Projection::query, Projection::value};
  return fmt::format(
      "A seed ({}) fixes one long row of random numbers, and whoever draws first gets the first of them. This document "
      "draws {}{}. Declared as key, query, value, {} of its {} tensors get other numbers from the same seed. The same "
      "seed gives the same numbers only with the same draws in the same order.",
      config.seed, fmt::join(order, ", then "), std::ssize(parameter_shapes(config)) > 6 ? " and so on" : "",
      changed_parameters(config, changed), std::ssize(parameter_shapes(config)));
}

std::string answer_linear(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const QueryWeight weight = read_query_weight(subject);
  return fmt::format(
      "Both compute the same. An nn.Parameter W has the shape (d_in, d_out) = ({0}, {1}), and you write x @ W; "
      "nn.Linear stores W as (d_out, d_in) = ({1}, {0}) and computes x @ W.T, plus a bias if you want one. They start "
      "from different numbers: torch.rand from 0 to 1, nn.Linear from ±1/√d_in = ±{2}. This document's weights are "
      "{3}.",
      weight.in, weight.out, number(1 / std::sqrt(static_cast<double>(weight.in))),
      info(config.mechanism).weight_style == WeightStyle::linear ? "those of nn.Linear" : "nn.Parameters");
}

std::string answer_average_heads(const StudySubject& subject) {
  const auto first_number = [&](Index head) {
    return static_cast<double>(read_row(with_head(subject, head), Stage::head_context, subject.query).front());
  };
  const double first = first_number(0);
  const double second = first_number(1);
  return fmt::format(
      "They are not averaged but concatenated: each head looks elsewhere, and out_proj learns what to do with each of "
      "their numbers. An average could not tell the heads apart. For “{}” the context of head 1 begins with {} and "
      "that of head 2 with {}; their average, {}, is neither.",
      query_name(subject, subject.query), number(first, 3), number(second, 3), number((first + second) / 2, 3));
}

}  // namespace attnscope
