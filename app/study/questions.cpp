#include "study/questions.h"

#include <algorithm>
#include <cctype>

#include "study/answers.h"

namespace attnscope {
namespace {

const ReaderQuestion every_question[] = {
    {"row_sums",
     "Why do rows not sum to 1 after dropout, and what is 1/(1−p)?",
     "dropout",
     "inverted scale keep",
     {Stage::dropped_weights},
     "dropout",
     answer_row_sums},
    {"other_mask",
     "Why is my dropout mask not the book's?",
     "dropout",
     "seed mkl kernel intel amd arm apple mac colab random",
     {Stage::dropout_factors},
     "dropout_kernel",
     answer_other_mask},
    {"view_transpose",
     "What do view and transpose do to heads?",
     "splitting",
     "reshape split shape",
     {Stage::queries, Stage::keys, Stage::values},
     "",
     answer_view_transpose},
    {"hide_or_show",
     "Does 1 in the mask hide or show?",
     "mask_routes",
     "attn_mask true false triu tril bool",
     {Stage::mask},
     "",
     answer_hide_or_show},
    {"softmax_axis",
     "Over which axis does softmax run?",
     "softmax",
     "dim=-1 row column",
     {Stage::weights},
     "",
     answer_softmax_axis},
    {"scaling",
     "Why divide by √head_dim?",
     "scaling",
     "sqrt scale variance gradient",
     {Stage::scaled_scores},
     "scale",
     answer_scaling},
    {"query_axis",
     "Which axis is the query?",
     "symmetry",
     "row column key transpose",
     {Stage::scores},
     "",
     answer_query_axis},
    {"d_out",
     "Is d_out per head or in all?",
     "shapes",
     "head_dim size parameters wrapper",
     {Stage::output},
     "d_out",
     answer_d_out},
    {"mask_when",
     "Mask before or after softmax?",
     "mask_routes",
     "masked_fill infinity tril renormalize leak",
     {Stage::masked_scores, Stage::masked_weights, Stage::renormalized_weights},
     "mask",
     answer_mask_when},
    {"scores_weights",
     "Scores or weights: what is the difference?",
     "softmax",
     "attention exp share",
     {},
     "",
     answer_scores_weights},
    {"masked_row",
     "What about a row that is wholly masked?",
     "mask_routes",
     "nan padding zeros hidden",
     {},
     "",
     answer_masked_row},
    {"draws",
     "Why does the order of draws change everything?",
     "draws",
     "seed random generator manual_seed weight order key before query",
     {Stage::inputs},
     "seed",
     answer_draws},
    {"linear",
     "x @ W or nn.Linear?",
     "linear",
     "parameter transpose weight bias initialization kaiming",
     {Stage::query_weight, Stage::key_weight, Stage::value_weight, Stage::output_weight},
     "",
     answer_linear},
    {"average_heads",
     "Why not average the heads?",
     "mix",
     "concatenate mean context",
     {Stage::head_context, Stage::context},
     "num_heads",
     answer_average_heads},
};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower;
}

bool has_all_words(const ReaderQuestion& question, std::string_view words) {
  const std::string haystack = in_lower_case(question.text) + " " + in_lower_case(question.keywords);
  std::string rest = in_lower_case(words);
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

std::string answer_of(const ReaderQuestion& question, const StudySubject& subject) {
  const StudyInfo* const study = study_named(question.study);
  const std::string obstacle = obstacle_to(*study, subject.result);
  return obstacle.empty() ? question.answer(subject) : obstacle;
}

}  // namespace attnscope
