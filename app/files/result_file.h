#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/stage.h"
#include "core/stages/rule.h"
#include "core/tensor.h"

namespace attnscope {

// The part of a result that is written.
struct ResultPart {
  std::vector<Stage> stages = {};  // written in this order; none: all that the result has
  // One batch entry or one head only, as indexing gives them: weights[batch, head]. Stages without such an axis stay
  // whole.
  std::optional<Index> batch = {};
  std::optional<Index> head = {};
};

// Writes one nested list per stage, by id, a line for each row; -inf, inf and nan as strings, the mask as booleans. It
// hands the text on in pieces, because that of a large result is several times its size.
void write_json(const Result& result, const ResultPart& part, const std::function<void(std::string_view)>& write);

class WrittenArray;
// Writes arrays by the ending of the path: .npz, .json, or .npy if there is one.
void write_arrays(const std::vector<WrittenArray>& arrays, const std::filesystem::path& path);
void write_json(const std::vector<WrittenArray>& arrays, const std::function<void(std::string_view)>& write);

// Writes by the ending of the path, .npz, .json, .npy or .csv; throws Error for any other. Tokens name what .csv holds.
void write_result(const Result& result, const ResultPart& part, const std::filesystem::path& path,
                  const RowNames& tokens = std::vector<std::string>());

// Throws Error when write_result has no format for the path's ending.
void check_result_path(const std::filesystem::path& path);

// Throws Error when the path's format cannot hold the part: .npy takes one stage, .csv one matrix.
void check_result_fits(const AttentionConfig& config, const ResultPart& part, const std::filesystem::path& path);

// Returns the stages of a whole model that has run on a text: token_ids (T), embeddings (T,d), residual (L+1,T,d), the
// last of them before the final norm, weights (L,H,T,T) and logits (T,V).
std::vector<std::string_view> model_stages();

// Returns the stages of these names; no names mean all. The pass must have gone through all layers, and has to outlive
// the arrays. Throws Error for an unknown name.
std::vector<WrittenArray> arrays_of(const ForwardPass& pass, const std::vector<std::string_view>& names);

// One matrix with the names of its rows and columns, as it goes into a table.
struct LabelledMatrix {
  std::string corner;                     // says what the rows are: "query" or "token"
  std::vector<std::string> row_names;     // UTF-8, in the user's words
  std::vector<std::string> column_names;  // tokens where columns are keys, else "d1", "d2", …
  Tensor values;                          // (rows, columns)
  bool is_boolean = false;                // the mask: true or false
};

// Returns a stage's matrix with its names and with zeros for numbers. Tokens without a name are numbered.
LabelledMatrix labelled_matrix(Stage stage, const RowNames& tokens, Index rows, Index cols);

// The forms in which a matrix is copied into other programs.
enum class MatrixForm { table, python_list, numpy_array, latex_table, latex_matrix, markdown };
std::string_view name_of(MatrixForm form);  // "a LaTeX table"

// Returns the matrix in one of the forms. A table with tabs, a Python list and a NumPy array give every digit and read
// back as the same bits; LaTeX and Markdown are for people and give `decimals`. Each spells infinity in its own way.
std::string matrix_text(const LabelledMatrix& matrix, MatrixForm form, int decimals);

// Writes it as .csv: names in the first line and column, in quotation marks where they need them.
std::string matrix_csv(const LabelledMatrix& matrix);

}  // namespace attnscope
