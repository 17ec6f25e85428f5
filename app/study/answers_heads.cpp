// Answers about heads, shapes, weights and draws.

#include <fmt/format.h>

#include <cmath>

#include "core/parameters.h"
#include "study/answers.h"
#include "study/study_support.h"

namespace attnscope {

std::string answer_view_transpose(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index tokens = token_count(config);
  return fmt::format(
      "view(T, H, head_dim) splits each token's {} numbers into {} heads of {} without moving them in memory. "
      "transpose "
      "then puts the heads before the tokens: ({}, {}, {}), so that each head has every token. view(H, T, head_dim) "
      "gives the same shape in one step, but it cuts memory in other places: the rows of a head are then no longer the "
      "tokens.",
      config.d_out, head_count(config), head_features(config), head_count(config), tokens, head_features(config));
}

std::string answer_d_out(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const MechanismInfo& mechanism = info(config.mechanism);
  if (mechanism.splits_heads)
    return fmt::format(
        "In all: d_out = {} is what the {} make together, so each has head_dim = {} / {} = {} numbers. In the wrapper "
        "it is "
        "of each head: there the same d_out would give {} · {} = {} numbers side by side.",
        config.d_out, counted(head_count(config), "head", "heads"), config.d_out, head_count(config),
        head_features(config), head_count(config), config.d_out, head_count(config) * config.d_out);
  if (mechanism.has_heads)
    return fmt::format(
        "In the wrapper it is per head: {} of d_out = {} make {} numbers side by side. In MultiHeadAttention d_out is "
        "what "
        "all heads make together, and has to be divided among them.",
        counted(head_count(config), "head", "heads"), config.d_out, context_features(config));
  return fmt::format(
      "This mechanism has one head, so both are the same: {} numbers for each token. In the wrapper d_out is per head; "
      "in "
      "MultiHeadAttention it is what all heads make together.",
      context_features(config));
}

std::string answer_draws(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::vector<ParameterShape> parameters = parameter_shapes(config);
  Index words = 0;
  for (const ParameterShape& parameter : parameters) words += element_count(parameter.shape);
  const std::string order = parameters.size() < 2 ? ""
                                                  : fmt::format(" This document draws {} first and then {}.",
                                                                parameters[0].name, parameters[1].name);
  return fmt::format(
      "A seed ({}) fixes one long row of numbers, and whoever draws first gets the first of them.{} Its weights take "
      "{} numbers; "
      "one torch.rand(1) before them, or key declared before query, and each gets numbers that were another's. The "
      "same seed "
      "with the same draws in the same order gives the same again.",
      config.seed, order, thousands(static_cast<double>(words)));
}

std::string answer_linear(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  const auto in = static_cast<double>(input_features(config));
  return fmt::format(
      "They compute the same; nn.Linear stores the transpose, (d_out, d_in), and may add a bias. They begin with other "
      "numbers: "
      "nn.Parameter(torch.rand(…)) with 0 to 1, nn.Linear with ±1/√d_in, here ±{}. This document's weights are {}.",
      number(1 / std::sqrt(in)), is_linear ? "nn.Linear" : "nn.Parameter");
}

std::string answer_average_heads(const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Index heads = head_count(config);
  const std::string reason =
      "Each head looks elsewhere. Side by side all of it is kept, and out_proj learns what to do with it; an average "
      "keeps one "
      "number of each group and cannot say which head it came from.";
  if (heads == 1) return fmt::format("This document has one head; add another to see two. {}", reason);
  const auto first_number = [&](Index head) {
    const StudySubject of_head{subject.result, subject.labels, head, subject.batch, subject.query, subject.choice, {}};
    return static_cast<double>(read_row(of_head, Stage::head_context, subject.query).front());
  };
  const double first = first_number(0);
  const double second = first_number(1);
  return fmt::format("{} For “{}”, head 1 begins with {} and head 2 with {}: their average, {}, is neither.", reason,
                     query_name(subject, subject.query), number(first, 3), number(second, 3),
                     number((first + second) / 2, 3));
}

}  // namespace attnscope
