#pragma once

#include "features/files/exchange_controller.h"
#include "features/files/reading_controller.h"
#include "ui/view_context.h"

namespace attnscope {

// The items of submenus, which the palette has, too.

struct CodeItem {
  CodeLanguage language;
  const char* id;
  const char* label;
};
inline constexpr CodeItem code_items[] = {{CodeLanguage::pytorch, "pytorch", "PyTorch code"},
                                          {CodeLanguage::numpy, "numpy", "NumPy code"},
                                          {CodeLanguage::latex, "latex", "LaTeX"}};

struct MatrixItem {
  MatrixForm form;
  const char* id;
  const char* label;
};
inline constexpr MatrixItem matrix_items[] = {
    {MatrixForm::table, "table", "Table for a spreadsheet"},    {MatrixForm::python_list, "python_list", "Python list"},
    {MatrixForm::numpy_array, "numpy_array", "NumPy array"},    {MatrixForm::latex_table, "latex_table", "LaTeX table"},
    {MatrixForm::latex_matrix, "latex_matrix", "LaTeX matrix"}, {MatrixForm::markdown, "markdown", "Markdown"}};

struct ArraysItem {
  ArraysAs as;
  const char* id;
  const char* label;
};
inline constexpr ArraysItem arrays_items[] = {{ArraysAs::attention, "attention", "Attention to look at"},
                                              {ArraysAs::inputs, "inputs", "Embeddings or weights to compute with"}};

// The stage that is copied: that of the pinned number, else the one that is shown alone.
inline Stage copied_stage(const ViewContext& context) {
  return context.now.view.pinned ? context.now.view.pinned->stage : context.now.view.stage;
}

}  // namespace attnscope
