#include "teach/teaching_view.h"

#include <algorithm>

#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

constexpr const char* needs_inputs = "The inputs of this document are queries, keys and values from elsewhere.";

std::string none(const AttentionConfig& /*config*/) { return {}; }

std::string without_dropout(const AttentionConfig& config) {
  return info(config.mechanism).has_dropout ? ""
                                            : "This mechanism has no dropout: choose causal attention or a later step.";
}

std::string without_split(const AttentionConfig& config) {
  if (!info(config.mechanism).splits_heads)
    return "Only multi-head attention splits one projection into heads: choose that step.";
  if (has_shared_keys(config)) return "Heads share keys and values here: empty the field key heads first.";
  return head_count(config) > 1 ? "" : "One head has nothing to split: choose two heads or more.";
}

std::string without_inputs(const AttentionConfig& config) { return begins_with_heads(config) ? needs_inputs : ""; }

std::string without_draws(const AttentionConfig& config) {
  const bool is_of_model = std::holds_alternative<ModelInputs>(config.inputs);
  return is_of_model ? "Nothing is drawn here: the weights are those of a trained model." : without_inputs(config);
}

std::string without_weights(const AttentionConfig& config) {
  if (info(config.mechanism).weight_style == WeightStyle::none || begins_with_heads(config))
    return "This mechanism has no weight matrices: choose self-attention with trainable weights or a later step.";
  return {};
}

std::string without_output(const AttentionConfig& config) {
  return has_stage(config, Stage::output) ? ""
                                          : "This mechanism has no output projection: choose multi-head attention.";
}

std::string not_square(const AttentionConfig& config) {
  return query_count(config) == key_count(config) ? without_inputs(config)
                                                  : "Here queries and keys are of other tokens.";
}

constexpr TeachingViewInfo all[] = {
    {"dropout", "Dropout", "Why do rows not sum to 1 after dropout?", without_dropout, build_dropout},
    {"mask_routes", "Mask routes", "Mask before or after softmax?", none, build_mask_routes},
    {"roles", "Query, key, value", "What do query, key and value do?", none, build_roles},
    {"softmax", "Softmax", "Over which axis does softmax run?", none, build_softmax},
    {"scaling", "Scaling", "Why divide by √head_dim?", none, build_scaling},
    {"splitting", "Splitting heads", "What do view and transpose do to heads?", without_split, build_splitting},
    {"sentence", "The sentence", "Which word looks at which?", none, build_sentence, true},
    {"mix", "The mix", "Why are heads not averaged?", none, build_mix},
    {"out_proj", "Output projection", "What does out_proj do?", without_output, build_out_proj},
    {"draws", "Draws", "Why does the order of draws change everything?", without_draws, build_draws},
    {"sharpness", "Sharpness", "How many words does each query really look at?", none, build_sharpness},
    {"symmetry", "Symmetry", "Which axis is the query?", not_square, build_symmetry},
    {"shapes", "Shapes", "Is d_out per head or in all?", without_inputs, build_shapes},
    {"linear", "x @ W and nn.Linear", "x @ W or nn.Linear?", without_weights, build_linear},
};

constexpr Index most_tried_rows = 64;

// Counts the kinds of cells that a row of weights has: hidden ones, dropped ones, and kept ones, which count twice.
int kinds_of_cells(const std::vector<float>& factors, const Visibility& seen, Index row) {
  const Index seen_keys = seen.count(row);
  const Index dropped = count_dropped(factors, seen, row);
  return (seen_keys < std::ssize(factors) ? 1 : 0) + (dropped > 0 ? 1 : 0) + (dropped < seen_keys ? 2 : 0);
}

bool is_of_weights_alone(std::string_view id) { return id == "sentence" || id == "sharpness"; }

}  // namespace

std::span<const TeachingViewInfo> studies() { return all; }

const TeachingViewInfo* study_named(std::string_view id) {
  const TeachingViewInfo* const found = std::ranges::find(all, id, &TeachingViewInfo::id);
  return found == std::end(all) ? nullptr : found;
}

const TeachingViewInfo& shown_study(const TeachingViewChoice& choice) {
  const TeachingViewInfo* const study = study_named(choice.id);
  return study ? *study : studies().front();
}

Index telling_query(const Result& result, Index head, Index batch) {
  const AttentionConfig& config = result.config;
  const Stage stage = result.imported ? Stage::weights : normalized_weights_stage(config);
  if (!has(result, stage)) return 0;
  const bool drops = has(result, Stage::dropout_factors);
  const Visibility seen = visibility(config);
  const TeachingViewChoice choice;
  const std::vector<std::string> labels;
  const TeachingViewSubject subject{result, labels, head, batch, 0, choice};
  std::pair<int, double> most{-1, 0};
  Index telling = 0;
  for (Index row = 0; row < std::min(query_count(config), most_tried_rows); ++row) {
    const std::vector<float> weights = read_row(subject, stage, row);
    const std::vector<float> factors =
        drops ? read_row(subject, Stage::dropout_factors, row) : std::vector<float>(weights.size(), 1);
    const std::pair<int, double> here{kinds_of_cells(factors, seen, row), entropy_bits(as_double(weights))};
    if (here <= most) continue;
    most = here;
    telling = row;
  }
  return telling;
}

std::string obstacle_to(const TeachingViewInfo& study, const Result& result) {
  if (result.difference) return "A difference of two documents has no teaching views: show A or B.";
  if (!result.imported) return study.obstacle(result.config);
  const bool is_there = is_of_weights_alone(study.id) && has(result, Stage::weights);
  return is_there ? "" : "The file that is shown only holds attention that was computed elsewhere.";
}

Board make_board(const TeachingViewSubject& subject) {
  Board board;
  const TeachingViewInfo* const study = study_named(subject.choice.id);
  if (!study) return board;
  const std::string obstacle = obstacle_to(*study, subject.result);
  if (obstacle.empty()) {
    study->build(board, subject);
  } else {
    board.headline = obstacle;
  }
  board.id = study->id;
  board.title = study->title;
  board.question = study->question;
  return board;
}

}  // namespace attnscope
