#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"
#include "core/stages/rule.h"
#include "document/document.h"

namespace attnscope {

enum class CodeLanguage { pytorch, numpy, latex };

std::string_view name_of(CodeLanguage language);  // "PyTorch code"

// A document as code for a notebook or a paper. Each text is complete and gives the engine's numbers.
//
// pytorch: the notebook's class for the mechanism, its seed and inputs; prints every stage by its id, the result last.
//          Dropout is a mask in the code, because PyTorch's kernels differ: written out up to max_mask_numbers, else
//          computed as the document's kernel does.
// numpy:   the same stages, with weights and mask as data, because NumPy does not draw PyTorch's numbers.
// latex:   a document for pdflatex with the formula of each stage and its matrices where they fit on a page.
//
// `result` is an evaluation of the document, for latex; null where there is none, then latex evaluates. Throws Error
// when the code would carry more than max_code_numbers, or the document is not valid.
std::string code_of(const Document& document, CodeLanguage language, const Result* result = nullptr);

// Returns whether the code needs an evaluation, which code_of() makes if it is given none.
bool code_needs_result(const Document& document, CodeLanguage language);

constexpr Index max_code_numbers = 100'000;  // inputs, weights and masks written out: about a megabyte
constexpr Index max_mask_numbers = 10'000;   // factors of dropout written out in PyTorch code

// Shared by the writers of code. Private to this folder.

constexpr std::size_t code_width = 110;  // characters of a line

// A line of code that computes one stage: `name = expression  # shape`. The expression is empty if the code already has
// the name.
struct CodeStep {
  Stage stage;
  std::string name;
  std::string expression;
  std::string shape;  // "(B, H, T, T)"
};

// Returns "queries=queries" for each stage that the code names, given or projected heads first.
std::vector<std::string> stage_words(const AttentionConfig& config, const std::vector<CodeStep>& steps);

// Returns the steps of every stage from queries to output, in order, without inputs and projections.
std::vector<CodeStep> attention_steps(const AttentionConfig& config, const CodeDialect& dialect, bool has_head_axis);

// Appends "name = expression" for each step, indented, with the shapes as comments in one column.
void append_steps(std::string& code, const std::vector<CodeStep>& steps, std::string_view indent);

// Appends the lines that make `mask` from the ranges of an edited mask; nothing for other masks.
void append_mask(std::string& code, const AttentionConfig& config, const CodeDialect& dialect);
// Appends the line that makes `bias` with the axes of the scores; `heads` is an axis if each head has its own.
void append_bias(std::string& code, const AttentionConfig& config, const CodeDialect& dialect, bool has_head_axis);
bool differs_by_head(const AttentionConfig& config);                    // whether heads have different biases
void append_softmax(std::string& code, const AttentionConfig& config);  // defines softmax in NumPy
// Appends a nested Python list of numbers that reads back as the same float32, its items indented by 4 from `indent`;
// `row_names` become comments behind the rows.
void append_list(std::string& code, const Tensor& tensor, std::string_view indent,
                 std::span<const std::string> row_names = {});
// Appends "switch_off", a function for PyTorch and NumPy that makes heads' contexts zero.
void append_switch_off(std::string& code, const AttentionConfig& config);
// Appends "shared", which says which head of keys and values each of `heads` heads of queries reads; nothing if each
// has its own.
void append_shared(std::string& code, const AttentionConfig& config, const CodeDialect& dialect, std::string_view heads,
                   std::string_view indent);
// Appends the class "RMSNorm" or the function "rms_norm", which normalizes queries and keys; nothing if none are
// normalized.
void append_rms_norm(std::string& code, const AttentionConfig& config, bool is_numpy);
// Appends "rotate", a function that turns queries or keys by the positions of their tokens; nothing if none turn.
void append_rotate(std::string& code, const AttentionConfig& config, bool is_numpy);
// Appends "name = torch.tensor(...)", with a comment behind it if there is one.
void append_array(std::string& code, const CodeDialect& dialect, std::string_view name, const Tensor& tensor,
                  std::span<const std::string> row_names = {}, std::string_view comment = {});
// Appends the weights that dropout keeps as zeros and ones, and the line that makes factors of them.
void append_kept(std::string& code, const AttentionConfig& config, const CodeDialect& dialect);
void append_factors(std::string& code, const AttentionConfig& config);  // appends only the line that makes the factors

// Appends the first line of every script, which says what it computes and prints.
std::string opening_comment(const Document& document, const CodeDialect& dialect);
// Returns the names of tokens fit for comments: "Your".
std::vector<std::string> comment_names(const Document& document);
// Appends a comment that names the columns of the inputs; nothing if they have no names.
void append_dimensions(std::string& code, const AttentionConfig& config);
// "opening a, b, c closing" on one line, or with the words on lines of their own where that gets too long.
void append_call(std::string& code, std::string_view opening, const std::vector<std::string>& words,
                 std::string_view closing, std::string_view indent);
void append_printing(std::string& code);  // prints the dict `stages` by id
std::string python_number(double value);  // spells a float even if it is whole

// These write a trained model's layer in PyTorch, whose weights are loaded from the checkpoint.

// Returns why the inputs and weights of a trained model's layer stand in the code as data, to follow "because"; empty
// if they are loaded from its checkpoint.
std::string reason_for_data(const Document& document);
void append_checkpoint_imports(std::string& code, const Document& document);
// Appends "trained", which gives an attention its weights, and "norm" and "feed_forward"; all read `checkpoint`.
void append_checkpoint_functions(std::string& code, const Document& document);
void append_loading(std::string& code, const Document& document);  // loads `checkpoint` and sets `tokens`
// Appends lines that run the layers below, whose attention the expression `attention` makes, and set the layer's `name`
// and `inputs`.
void append_layers_below(std::string& code, const Document& document, std::string_view attention);
// Writes a sliding window as the ranges of keys that it hides.
void write_window_as_ranges(AttentionConfig& config);

// Returns the generator in its state before dropout: after the inputs and the weights, or reseeded.
Generator generator_before_dropout(const AttentionConfig& config);

// Throws Error if code in this language would carry too many numbers.
void check_code_numbers(Index numbers, std::string_view language, std::string_view what);

// Words and numbers as LaTeX with amsmath, for pdflatex and its first fonts.

// Returns a token in math mode: its name as text, cut if it is long, or x_3 if pdflatex lacks its letters.
std::string latex_label(std::string_view name, std::size_t index);

// Returns four decimals, with room for a minus sign if other numbers of the column have one.
std::string latex_number(float value, bool leaves_room_for_sign);

// One function for each language of code.h; the document is valid.

std::string pytorch_code(const Document& document);
std::string numpy_code(const Document& document);
// Returns the code of a document that begins with queries, keys and values, in its library's dialect.
std::string heads_code(const Document& document, CodeDialect dialect, bool is_numpy);
std::string latex_code(const Document& document, const Result* result);
bool latex_prints_numbers(const AttentionConfig& config);  // whether any stage is small enough

}  // namespace attnscope
