#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/visibility.h"
#include "teach/teaching_view.h"

namespace attnscope {

struct QuestionRemedy;

// The parts of teaching views. Private to this folder.

// Returns the rows and columns of a matrix of queries by keys that are shown: all of them, or those around the query.
constexpr Index most_shown = 12;
CellRect window_of(const TeachingViewSubject& subject, Index most = most_shown);
// Notes on the board which part of the matrix is shown, unless all of it is.
void note_window(Board& board, const TeachingViewSubject& subject, const CellRect& window);

// Read numbers of a stage, of the subject's head.
std::vector<float> read_window(const TeachingViewSubject& subject, Stage stage, const CellRect& window);
std::vector<float> read_row(const TeachingViewSubject& subject, Stage stage, Index row);
// Reads the whole matrix of a stage, which must be small.
std::vector<float> read_matrix(const TeachingViewSubject& subject, Stage stage);

Tensor read_inputs(const TeachingViewSubject& subject);
// Returns the document with these inputs. Weights stay: what was drawn for the inputs is skipped.
AttentionConfig with_inputs(AttentionConfig config, Tensor inputs);

// W_query as the document stores it: (out, in) for a Linear layer, (in, out) for a parameter. If heads have weights of
// their own, it is that of the subject's head.
struct QueryWeight {
  Index in = 0;
  Index out = 0;
  bool is_linear = false;
  std::vector<float> numbers;

  float at(Index output, Index input) const {
    return numbers[static_cast<std::size_t>(is_linear ? output * in + input : input * out + output)];
  }
};
QueryWeight read_query_weight(const TeachingViewSubject& subject);

// Returns at most so many rows and columns of W_query as it multiplies: (in, out).
BoardMatrix query_weight_matrix(const TeachingViewSubject& subject, std::string title, Index most);

// The mean of the largest weight of a row, if queries and keys are standard normal numbers.
struct RandomScaling {
  double largest_unscaled = 0;
  double largest_scaled = 0;  // divided by √head_dim
};
Index random_keys(const AttentionConfig& config);  // so many keys as are drawn beside this document
RandomScaling random_scaling(Index head_dim, Index keys, std::uint64_t seed);

// One use of the generator's words.
struct GeneratorUse {
  std::string name;
  std::string shape;
  std::uint64_t words = 0;
};
std::vector<GeneratorUse> generator_uses(const AttentionConfig& config);

// Counts the parameters that two configurations with the same seed draw differently.
Index changed_parameters(const AttentionConfig& now, const AttentionConfig& then);

TeachingViewSubject with_head(TeachingViewSubject subject, Index head);
std::vector<std::string> head_names(Index count);  // "head 1", "head 2", …
std::string query_name(const TeachingViewSubject& subject, Index query);
std::string key_name(const TeachingViewSubject& subject, Index key);
std::vector<std::string> query_names(const TeachingViewSubject& subject, const CellRect& window);
std::vector<std::string> key_names(const TeachingViewSubject& subject, const CellRect& window);

// Returns a matrix of queries by keys with its names; its cells cannot be pinned.
BoardMatrix square(const TeachingViewSubject& subject, const CellRect& window, std::string title,
                   std::vector<float> values);
// Returns the matrix of a stage, whose cells can be pinned.
BoardMatrix stage_matrix(const TeachingViewSubject& subject, const CellRect& window, std::string title, Stage stage);
// Hatches the cells that the mask hides.
void mark_hidden(BoardMatrix& matrix, const Visibility& seen, const CellRect& window);
void fit_signed_range(BoardMatrix& matrix);  // makes colours reach the largest magnitude

// Returns the mask of the document; a causal one if it has none.
Visibility shown_mask(const AttentionConfig& config);
bool has_mask(const AttentionConfig& config);
// Returns whether no query sees a key after its own, as with a causal mask.
bool hides_all_later(const Visibility& seen, const AttentionConfig& config);

// Returns a query and one of the keys that it sees, whose scores in both directions differ most among the tokens that
// `symmetry` shows: the chosen one ("key") where there is such a choice, so that a pair stays when its scores become
// equal. The document has at least two tokens.
std::pair<Index, Index> telling_pair(const TeachingViewSubject& subject);

// Returns what softmax would read of a row without a mask: its scores times `factor`, capped and with the bias added if
// the document does that.
std::vector<double> softmax_scores(const TeachingViewSubject& subject, Index row, double factor);
// Multiplies, caps and biases given scores of a row in this way.
void finish_scores(std::vector<double>& scores, const TeachingViewSubject& subject, Index row, double factor);

// Returns the softmax of the numbers that are not hidden, in double: 0 for a hidden one, and all 0 if all are hidden.
std::vector<double> softmax(const std::vector<double>& scores);  // minus infinity: hidden
double entropy_bits(const std::vector<double>& shares);
// Returns how many equal weights would be spread as evenly as these, whatever they sum to; 0 if all of them are 0.
double effective_keys(const std::vector<float>& weights);
// Counts the weights of a row that dropout drops, among those that no mask hides.
Index count_dropped(const std::vector<float>& factors, const Visibility& seen, Index row);

std::vector<double> as_double(const std::vector<float>& values);
std::vector<float> as_float(const std::vector<double>& values);
double sum_of(const std::vector<float>& values);
double dot(const float* left, const float* right, Index count);
inline double number_at(const std::vector<float>& row, Index index) {
  return static_cast<double>(row[static_cast<std::size_t>(index)]);
}

// How an answer computes a document a second time, and for how many tokens it does so; the most take about a second.
inline Execution quietly(const TeachingViewSubject& subject) { return {Backend::serial, 1, subject.stop}; }
constexpr Index most_tokens_of_trial = 2048;

// Collects number_of(row, col) of all cells, row by row.
template <typename NumberOf>
std::vector<float> collect(Index rows, Index cols, const NumberOf& number_of) {
  std::vector<float> cells;
  cells.reserve(static_cast<std::size_t>(rows * cols));
  for (Index row = 0; row < rows; ++row) {
    for (Index col = 0; col < cols; ++col) cells.push_back(static_cast<float>(number_of(row, col)));
  }
  return cells;
}

std::string number(double value, int decimals = 2);  // writes a true minus
// Returns the fewest decimals, `least` or more, with which numbers must be written so that what a reader computes from
// them is the result as it stands beside them, with `least` decimals.
int decimals_that_give(double result, int least, const std::function<double(int decimals)>& computed);
double as_written(double value, int decimals);
std::string small_number(double value);  // writes a tiny number as "6 × 10⁻⁸"
std::string counted(Index count, std::string_view singular, std::string_view plural);

BoardControl slider(std::string id, std::string label, double value, double low, double high, std::string help);

// One function for each teaching view, in the file of its subject. Private to this folder.
void build_dropout(Board& board, const TeachingViewSubject& subject);
void build_mask_routes(Board& board, const TeachingViewSubject& subject);
void build_roles(Board& board, const TeachingViewSubject& subject);
void build_out_proj(Board& board, const TeachingViewSubject& subject);
void build_softmax(Board& board, const TeachingViewSubject& subject);
void build_scaling(Board& board, const TeachingViewSubject& subject);
void build_splitting(Board& board, const TeachingViewSubject& subject);
void build_sentence(Board& board, const TeachingViewSubject& subject);
void build_mix(Board& board, const TeachingViewSubject& subject);
void build_draws(Board& board, const TeachingViewSubject& subject);
void build_sharpness(Board& board, const TeachingViewSubject& subject);
void build_symmetry(Board& board, const TeachingViewSubject& subject);
void build_shapes(Board& board, const TeachingViewSubject& subject);
void build_linear(Board& board, const TeachingViewSubject& subject);
void build_wrapper(Board& board, const TeachingViewSubject& subject);
void build_changes(Board& board, const TeachingViewSubject& subject);
void build_trained(Board& board, const TeachingViewSubject& subject);

// One function for each question: two or three sentences with the subject's numbers. Private to this folder.
std::string answer_embedding(const TeachingViewSubject& subject);
std::string answer_query(const TeachingViewSubject& subject);
std::string answer_key(const TeachingViewSubject& subject);
std::string answer_value(const TeachingViewSubject& subject);
std::string answer_context(const TeachingViewSubject& subject);
std::string answer_head(const TeachingViewSubject& subject);
std::string answer_out_proj(const TeachingViewSubject& subject);
std::string answer_row_sums(const TeachingViewSubject& subject);
std::string answer_other_mask(const TeachingViewSubject& subject);
std::string answer_view_transpose(const TeachingViewSubject& subject);
std::string answer_hide_or_show(const TeachingViewSubject& subject);
std::string answer_softmax(const TeachingViewSubject& subject);
std::string answer_softmax_axis(const TeachingViewSubject& subject);
std::string answer_scaling(const TeachingViewSubject& subject);
std::string answer_query_axis(const TeachingViewSubject& subject);
std::string answer_positions(const TeachingViewSubject& subject);
std::string answer_batch_shapes(const TeachingViewSubject& subject);
std::string answer_d_out(const TeachingViewSubject& subject);
std::string answer_mask_when(const TeachingViewSubject& subject);
std::string answer_scores_weights(const TeachingViewSubject& subject);
std::string answer_masked_row(const TeachingViewSubject& subject);
std::string answer_draws(const TeachingViewSubject& subject);
std::string answer_linear(const TeachingViewSubject& subject);
std::string answer_average_heads(const TeachingViewSubject& subject);
std::string answer_equal_shares(const TeachingViewSubject& subject);
std::string answer_minus_infinity(const TeachingViewSubject& subject);
std::string answer_order(const TeachingViewSubject& subject);
std::string answer_three(const TeachingViewSubject& subject);
std::string answer_trained(const TeachingViewSubject& subject);
std::string answer_explanation(const TeachingViewSubject& subject);
std::string answer_changes(const TeachingViewSubject& subject);
std::string answer_wrapper(const TeachingViewSubject& subject);

// Proposes W_key = W_query.
std::optional<QuestionRemedy> equal_keys(const TeachingViewSubject& subject);
// Proposes a number of out_proj that mixes two numbers of the context, where each number of the output is one of them.
std::optional<QuestionRemedy> mixing_number(const TeachingViewSubject& subject);
// Proposes to change the number of the inputs that answer_changes() tells about.
std::optional<QuestionRemedy> change_of_number(const TeachingViewSubject& subject);

}  // namespace attnscope
