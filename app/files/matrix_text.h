#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/stage.h"
#include "core/stages/rule.h"
#include "core/tensor.h"

namespace attnscope {

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
