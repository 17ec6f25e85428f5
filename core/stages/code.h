#pragma once

#include "core/evaluate.h"

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// The names or symbols of the stages that a stage follows from.
using Names = std::vector<std::string>;

// How a library spells data and the operations of the stages; the two differ in little else.
struct CodeDialect {
  std::string_view library;    // "PyTorch"
  std::string_view module;     // "torch", where both have a function of one name
  std::string_view imports;    // with how numbers are printed
  std::string_view array;      // opens one
  std::string_view array_end;  // closes it
  std::string_view zeros;      // a mask that hides nothing, a format of its sizes
  std::string_view later;      // a causal mask, a format of its sizes and its diagonal
  std::string_view arange;
  std::string_view transpose;     // ".transpose": swaps two axes
  std::string_view norm = {};     // of queries or keys {0} with the gains {1}
  std::string_view row_sum;       // behind a tensor: its sums along the keys, as a column
  std::string_view softmax;       // a format string with a place for the scores
  std::string_view zero_rows;     // the same, behind it: zeros in the rows whose scores are all minus infinity
  std::string_view masked;        // a format string with a place for the scores and the mask
  std::string_view mask_is_made;  // what makes the mask; empty where `mask` is there already
  std::string_view mask;
  std::string_view bias;
  std::string_view ones_like;  // dropout factors where nothing is drawn, a format of the weights
  std::string_view output;
};

// The stages of a configuration in the code of one library.
struct StageCode {
  const AttentionConfig& config;
  const CodeDialect& dialect;
  bool has_head_axis;

  std::string name(Stage stage) const;
  std::string shape(Stage stage) const;  // "(B, H, T, T)"
  // Returns what computes a stage; empty where its name stands for something that is there already.
  std::string expression(Stage stage) const;

  std::string transposed(const std::string& tensor) const;
  // Returns what stands behind keys and values that several heads share.
  std::string_view shared_heads() const;
};

// "S^{(h)}"; without the superscript where there is one head, or where the stage has no heads.
std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript);

// The formula of a stage and the words behind it: "A = \operatorname{softmax}(\tilde{S})".
std::string latex_formula(const AttentionConfig& config, Stage stage);

bool has_batch_axis(const AttentionConfig& config);  // causal attention and above take a batch, others one if asked to
bool draws_dropout(const AttentionConfig& config);   // dropout is active and does not drop everything
bool has_heads_off(const AttentionConfig& config);   // of those that it has
std::string_view input_name(const AttentionConfig& config);  // "batch" or "inputs"
// Whether some query sees no key: PyTorch's softmax gives NaN there.
bool has_empty_rows(const AttentionConfig& config);

}  // namespace attnscope
