#include "teach/questions.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/edit.h"
#include "teach/teaching_view_support.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

constexpr Index most_tokens_of_example = 2048;  // takes about a second to compute

// Keeps typed numbers if the tensors keep their sizes.
AttentionConfig with_mechanism(AttentionConfig config, Mechanism mechanism) {
  if (config.mechanism != mechanism) config.weight_overrides.clear();
  config.mechanism = mechanism;
  config.normalization = Normalization::softmax;
  config.dropout_edits.clear();
  config.heads_off.clear();
  return config;
}

AttentionConfig with_d_out(AttentionConfig config, Index d_out) {
  if (config.d_out != d_out) config.weight_overrides.clear();
  config.d_out = d_out;
  return config;
}

AttentionConfig with_causal_mask(AttentionConfig config) {
  config.normalization = Normalization::softmax;
  config.mask = MaskRoute::causal;
  config.hidden = {};
  return config;
}

bool has_dropout(const AttentionConfig& config) { return dropout_is_active(config) && config.dropout < 1; }
AttentionConfig with_dropout(AttentionConfig config) {
  if (!info(config.mechanism).has_dropout)
    config = with_causal_mask(with_mechanism(config, Mechanism::causal_attention));
  config.training = true;
  config.dropout = 0.5;
  return config;
}

bool has_two_heads(const AttentionConfig& config) { return head_count(config) > 1; }
bool splits_two_heads(const AttentionConfig& config) {
  return info(config.mechanism).splits_heads && head_count(config) > 1 && !has_shared_keys(config);
}
AttentionConfig with_two_heads(AttentionConfig config) {
  config = with_mechanism(std::move(config), Mechanism::multi_head_attention);
  config.num_heads = 2;
  if (config.num_kv_heads.has_value()) config.weight_overrides.clear();
  config.num_kv_heads.reset();
  return config.d_out < 4 || config.d_out % 2 != 0 ? with_d_out(std::move(config), 4) : config;
}

bool has_output(const AttentionConfig& config) { return has_stage(config, Stage::output); }

bool has_weights(const AttentionConfig& config) { return !parameter_shapes(config).empty(); }
AttentionConfig with_weights(AttentionConfig config) {
  return with_mechanism(std::move(config), Mechanism::self_attention_v2);
}

bool has_drawn_weights(const AttentionConfig& config) {
  return std::ranges::any_of(parameter_shapes(config), [&](const ParameterShape& parameter) {
    return !config.weight_overrides.contains(parameter.name);
  });
}
AttentionConfig with_drawn_weights(AttentionConfig config) {
  if (!has_weights(config)) config = with_weights(std::move(config));
  config.weight_overrides.clear();
  return config;
}

std::optional<Index> wholly_masked_row(const AttentionConfig& config) {
  const Visibility seen = visibility(config);
  for (Index query = 0; query < query_count(config); ++query) {
    if (seen.count(query) == 0) return query;
  }
  return {};
}
bool has_masked_row(const AttentionConfig& config) { return wholly_masked_row(config).has_value(); }
// Hides the first key, as if the text were padded at its beginning.
AttentionConfig with_padding(AttentionConfig config) {
  config.normalization = Normalization::softmax;
  const MaskSize size{query_count(config), key_count(config), config.mask_alignment};
  std::vector<std::vector<KeyRange>> hidden;
  for (Index query = 0; query < size.queries; ++query)
    hidden.push_back({{0, 1}, {std::max<Index>(1, size.own_key(query) + 1), size.keys}});
  config.mask = MaskRoute::custom;
  config.hidden = HiddenKeys(std::move(hidden));
  return config;
}

// Scaling changes something only if head_dim is above 1.
bool has_scaling(const AttentionConfig& config) { return !has_weights(config) || head_features(config) > 1; }
AttentionConfig with_scaling(AttentionConfig config) {
  const Index d_out = info(config.mechanism).splits_heads ? 4 * head_count(config) : 4;
  return with_d_out(std::move(config), d_out);
}

// A model without RoPE adds learned positions to its embeddings.
bool has_positions(const AttentionConfig& config) {
  return has_rope(config) || std::holds_alternative<ModelInputs>(config.inputs);
}
AttentionConfig with_rope(AttentionConfig config) {
  config = with_mechanism(std::move(config), Mechanism::multi_head_attention);
  if (head_features(config) < 2 || config.d_out % config.num_heads != 0)
    config = with_d_out(config, 4 * config.num_heads);
  config.rope.emplace();
  return config;
}

// Returns the row nearest to another one from which some keys are hidden and others are not; the same row if there is
// none.
Index nearest_masked_row(const AttentionConfig& config, Index row) {
  const Visibility seen = shown_mask(config);
  const Index rows = query_count(config);
  for (Index away = 0; away < rows; ++away) {
    for (const Index near : {row - away, row + away})
      if (near >= 0 && near < rows && seen.count(near) > 0 && seen.count(near) < key_count(config)) return near;
  }
  return row;
}

AttentionConfig with_batch(AttentionConfig config) {
  config.batch_size = 2;
  return config;
}
// Shapes are told without an example where the batch cannot be changed.
bool has_batch(const AttentionConfig& config) {
  return config.batch_size > 1 || begins_with_heads(config) || std::holds_alternative<ModelInputs>(config.inputs);
}

constexpr QuestionExample batch_example{"second batch entry", "with a batch of 2", has_batch, with_batch};
constexpr QuestionExample rope_example{"rotary positions", "with rotary positions", has_positions, with_rope};
constexpr QuestionExample scaling_example{"head_dim above 1", "with head_dim = 4", has_scaling, with_scaling};
constexpr QuestionExample dropout_example{"dropout", "with p = 0.50", has_dropout, with_dropout};
constexpr QuestionExample mask_example{"mask", "with a causal mask", has_mask, with_causal_mask};
constexpr QuestionExample heads_example{"second head", "with two heads", has_two_heads, with_two_heads};
constexpr QuestionExample split_example{"pair of heads with keys of their own", "with two heads of this kind",
                                        splits_two_heads, with_two_heads};
constexpr QuestionExample weights_example{"trainable weights", "with trainable weights", has_weights, with_weights};
constexpr QuestionExample drawn_example{"weights that the seed draws", "with weights that it draws", has_drawn_weights,
                                        with_drawn_weights};
constexpr QuestionExample output_example{"output projection", "with two heads and out_proj", has_output,
                                         with_two_heads};
constexpr QuestionExample padding_example{"row that is masked wholly", "with its first token as padding",
                                          has_masked_row, with_padding};

std::optional<QuestionRemedy> larger_scores(const Result& result) {
  if (!has_nearly_equal_shares(result)) return {};
  const std::optional<double> factor = telling_factor(result);
  if (!factor) return {};
  return QuestionRemedy{fmt::format("Multiply the scores by {:.0f}", *factor),
                        [factor = *factor](Document& document) { multiply_scale(document, factor); }};
}

const ReaderQuestion every_question[] = {
    {"embedding",
     "What is a row of the inputs?",
     "roles",
     "embedding vector token dimension",
     answer_embedding,
     {Stage::inputs}},
    {"query",
     "What is a query?",
     "roles",
     "queries W_query looks for Q",
     answer_query,
     {Stage::queries, Stage::normalized_queries}},
    {"key", "What is a key?", "roles", "keys W_key found K", answer_key, {Stage::keys, Stage::normalized_keys}},
    {"value", "What is a value?", "roles", "values W_value gives V", answer_value, {Stage::values}},
    {"context",
     "What is the context?",
     "roles",
     "context vector mix sum of values result of attention",
     answer_context,
     {Stage::head_context, Stage::context}},
    {"head", "What is a head?", "splitting", "multi-head attention", answer_head, {}, &split_example},
    {"out_proj",
     "What does out_proj do?",
     "out_proj",
     "output projection W_o linear heads final last end after concatenate combine mix",
     answer_out_proj,
     {Stage::output, Stage::output_weight, Stage::output_bias},
     &output_example,
     "",
     {},
     nullptr,
     "",
     mixing_number},
    {"row_sums",
     "Why do rows not sum to 1 after dropout, and what is 1/(1−p)?",
     "dropout",
     "inverted scale keep dropped weights sum larger bigger doubled twice zeros 1/(1-p) 1 / (1 - p) rescale",
     answer_row_sums,
     {Stage::dropped_weights},
     &dropout_example,
     "dropout"},
    {"other_mask",
     "Why is my dropout mask not the book's?",
     "dropout",
     "seed mkl kernel intel amd arm apple mac colab random",
     answer_other_mask,
     {Stage::dropout_factors},
     &dropout_example,
     "dropout_kernel"},
    {"view_transpose",
     "What do view and transpose do to heads?",
     "splitting",
     "reshape split divide part slice piece vector embedding dimension sees reads",
     answer_view_transpose,
     {},
     &split_example},
    {"hide_or_show",
     "Does 1 in the mask hide or show?",
     "mask_routes",
     "attn_mask true false triu tril bool future later side half part hidden upper lower triangle above below diagonal "
     "causal look ahead "
     "see next top right corner grey gray hatched triangle",
     answer_hide_or_show,
     {Stage::mask},
     &mask_example},
    {"softmax",
     "What does softmax do?",
     "softmax",
     "exp exponential share probabilities sum temperature percent",
     answer_softmax,
     {Stage::weights}},
    {"softmax_axis", "Over which axis does softmax run?", "softmax", "dim=-1 row column direction sum to 1 normalize",
     answer_softmax_axis},
    {"scaling",
     "Why divide by √head_dim?",
     "scaling",
     "sqrt 1/sqrt scale scaling factor scores square root key dimension d_k large variance gradient",
     answer_scaling,
     {Stage::scaled_scores},
     &scaling_example,
     "scale"},
    {"query_axis",
     "Which axis is the query?",
     "symmetry",
     "row column key transpose",
     answer_query_axis,
     {Stage::scores}},
    {"wrapper",
     "A list of heads or one class: is it the same?",
     "wrapper",
     "MultiHeadAttentionWrapper MultiHeadAttention wrapper split equal equivalent separate single big loop stack "
     "stacking "
     "matrix vs ModuleList for several small",
     answer_wrapper,
     {},
     &heads_example,
     "",
     {},
     nullptr,
     "wrapper_split"},
    {"d_out",
     "Is d_out per head or in all?",
     "shapes",
     "head_dim size parameters wrapper",
     answer_d_out,
     {},
     nullptr,
     "d_out"},
    {"batch_shapes",
     "What are the shapes with a batch of 2?",
     "shapes",
     "batch size B first dimension tensor shape two sentences texts at once",
     answer_batch_shapes,
     {},
     &batch_example,
     "batch_size",
     {{"tensors", 1}}},
    {"minus_infinity",
     "Why −∞ and not 0?",
     "mask_routes",
     "-inf minus negative infinity zero masked_fill -torch.inf mask masked scores large",
     answer_minus_infinity,
     {Stage::masked_scores},
     &mask_example},
    {"mask_when",
     "Mask before or after softmax?",
     "mask_routes",
     "masked_fill infinity tril renormalize leak first order weights scores hide",
     answer_mask_when,
     {Stage::masked_weights, Stage::renormalized_weights},
     &mask_example,
     "mask"},
    {"order", "Where do positions come from?", "sentence",
     "position positional encoding embedding order permute permutation word order", answer_order},
    {"positions",
     "How does a query know where a key stands?",
     "sentence",
     "position order rope rotary embedding distance",
     answer_positions,
     {Stage::rotated_queries, Stage::rotated_keys},
     &rope_example,
     "rope.layout"},
    {"scores_weights", "Scores or weights: what is the difference?", "softmax", "attention exp share",
     answer_scores_weights},
    {"masked_row",
     "What about a row that is wholly masked?",
     "mask_routes",
     "nan padding zeros hidden",
     answer_masked_row,
     {},
     &padding_example},
    {"draws",
     "Why does the order of draws change everything?",
     "draws",
     "seed random generator manual_seed weight order key before query",
     answer_draws,
     {},
     &drawn_example,
     "seed",
     {{"order", 2}, {"inserted", 0}}},
    {"three",
     "Why three matrices, and what if K = Q?",
     "symmetry",
     "W_query W_key W_value queries keys values share same equal tied enough one identical symmetric separate",
     answer_three,
     {},
     &weights_example,
     "",
     {{"key", -1}},
     nullptr,
     "",
     equal_keys},
    {"explanation", "Is attention an explanation?", "roles",
     "interpretability meaning why importance important cause reason matters large high highest weight influence "
     "decision decide prediction trust tell",
     answer_explanation},
    {"linear",
     "nn.Linear or nn.Parameter?",
     "linear",
     "x @ W x @ W.T transpose weight bias initialization init kaiming torch.rand SelfAttention_v1 SelfAttention_v2 v1 "
     "v2",
     answer_linear,
     {Stage::query_weight, Stage::key_weight, Stage::value_weight},
     &weights_example},
    {"trained",
     "Are these numbers trained or random?",
     "trained",
     "trained untrained random drawn seed set by hand learned where from come real made up who chose",
     answer_trained,
     {},
     nullptr,
     {},
     {},
     nullptr,
     "untrained"},
    {"average_heads",
     "Why not average the heads?",
     "mix",
     "concatenate mean context",
     answer_average_heads,
     {},
     &heads_example,
     "num_heads"},
    {"changes",
     "If I change one number of one word, what else changes?",
     "changes",
     "change input embedding depends effect edit differ affect influence cells rows word elsewhere follow rest",
     answer_changes,
     {},
     nullptr,
     "",
     {},
     nullptr,
     "",
     change_of_number},
    {"equal_shares",
     "Why does every key get nearly the same share?",
     "sharpness",
     "equal uniform random flat small scores untrained training invented sentence",
     answer_equal_shares,
     {},
     nullptr,
     "",
     {{"factor", 50}},
     larger_scores},
};

bool has_all_words(const ReaderQuestion& question, std::string_view words) {
  const std::string haystack = lower_case(question.text) + " " + lower_case(question.keywords);
  std::string rest = lower_case(words);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (haystack.find(rest.substr(0, end)) == std::string::npos) return false;
    rest.erase(0, end + 1);
  }
  return true;
}

}  // namespace

std::span<const ReaderQuestion> questions() { return every_question; }

const ReaderQuestion* question_named(std::string_view id) {
  const ReaderQuestion* const found = std::ranges::find(every_question, id, &ReaderQuestion::id);
  return found == std::end(every_question) ? nullptr : found;
}

const ReaderQuestion* question_at(Stage stage) {
  const auto is_asked = [&](const ReaderQuestion& question) {
    return std::ranges::find(question.stages, stage) != question.stages.end();
  };
  const ReaderQuestion* const found = std::ranges::find_if(every_question, is_asked);
  return found == std::end(every_question) ? nullptr : found;
}

const ReaderQuestion* question_at_control(std::string_view control) {
  if (control.empty()) return nullptr;
  const ReaderQuestion* const found = std::ranges::find(every_question, control, &ReaderQuestion::control);
  return found == std::end(every_question) ? nullptr : found;
}

std::vector<const ReaderQuestion*> find_questions(std::string_view text) {
  std::vector<const ReaderQuestion*> found;
  for (const ReaderQuestion& question : every_question) {
    if (has_all_words(question, text)) found.push_back(&question);
  }
  return found;
}

std::optional<AttentionConfig> example_for(const ReaderQuestion& question, const Result& result) {
  if (!question.example || result.imported || question.example->is_there(result.config)) return {};
  if (key_count(result.config) > most_tokens_of_example) return {};
  AttentionConfig example = question.example->with(result.config);
  try {
    check(example);
  } catch (const Error&) {  // for example because queries, keys and values are given
    return {};
  }
  return example;
}

Index row_for(const ReaderQuestion& question, const Result& result, Index head, Index batch,
              std::optional<Index> pinned) {
  if (question.example == &padding_example) {
    if (const std::optional<Index> row = wholly_masked_row(result.config)) return *row;
  }
  if (question.example == &dropout_example) pinned.reset();  // dropout may keep all of the pinned row
  const Index row = pinned ? std::min(*pinned, query_count(result.config) - 1) : telling_query(result, head, batch);
  return question.example == &mask_example ? nearest_masked_row(result.config, row) : row;
}

std::string answer_of(const ReaderQuestion& question, const TeachingViewSubject& subject) {
  const TeachingViewInfo* const study = study_named(question.study);
  const std::string obstacle = obstacle_to(*study, subject.result);
  if (!obstacle.empty()) return obstacle;
  const bool is_there = !question.example || question.example->is_there(subject.result.config);
  return is_there ? question.answer(subject) : fmt::format("This document has no {}.", question.example->missing);
}

std::string example_words(const ReaderQuestion& question, const AttentionConfig& own, const AttentionConfig& example) {
  const QuestionExample& of = *question.example;
  const bool keeps_softmax = own.normalization == example.normalization;
  const bool keeps_weights = own.mechanism == example.mechanism && own.d_out == example.d_out &&
                             own.num_heads == example.num_heads && own.num_kv_heads == example.num_kv_heads;
  if (keeps_weights)
    return fmt::format("This document has no {}, so this is the same document {}{}.", of.missing, of.change,
                       keeps_softmax ? "" : " and softmax");
  const std::string heads = info(example.mechanism).has_heads
                                ? fmt::format(", {}", counted(head_count(example), "head", "heads"))
                                : std::string();
  const std::string sizes = begins_with_heads(example) ? "" : fmt::format(", d_out = {}", example.d_out);
  return fmt::format(
      "This document has no {}, so this is another document of the same tokens, {}: {}{}{}, and weights of its own.",
      of.missing, of.change, info(example.mechanism).title, sizes, heads);
}

}  // namespace attnscope
