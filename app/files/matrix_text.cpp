#include "files/result_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "document/document.h"
#include "document/spelling.h"

namespace attnscope {
namespace {

// The words of a form for infinity, NaN, true and false.
struct Spelling {
  std::string_view infinity;
  std::string_view minus_infinity;
  std::string_view not_a_number;
  std::string_view yes;
  std::string_view no;
};

constexpr Spelling plain = {"inf", "-inf", "nan", "1", "0"};
constexpr Spelling python = {"float(\"inf\")", "float(\"-inf\")", "float(\"nan\")", "True", "False"};
constexpr Spelling numpy = {"np.inf", "-np.inf", "np.nan", "True", "False"};
constexpr Spelling latex = {"\\infty", "-\\infty", "\\mathrm{nan}", "1", "0"};
constexpr Spelling markdown = {"∞", "−∞", "nan", "1", "0"};

// Decimals of a number that is read by people; none: every digit that is needed.
constexpr int all_digits = -1;

std::string number_text(float value, bool is_boolean, const Spelling& spelling, int decimals) {
  if (is_boolean) return std::string(value != 0 ? spelling.yes : spelling.no);
  if (std::isnan(value)) return std::string(spelling.not_a_number);
  if (std::isinf(value)) return std::string(value < 0 ? spelling.minus_infinity : spelling.infinity);
  std::string text;
  if (decimals == all_digits) {
    append_float(text, value);
  } else {
    text = fmt::format("{:.{}f}", value, decimals);
    if (text.find_first_not_of("-0.") == std::string::npos && text.starts_with('-')) text.erase(0, 1);  // no -0.00
  }
  return text;
}

std::string replaced(std::string_view text, std::string_view (*replacement)(char)) {
  std::string result;
  for (const char c : text) {
    const std::string_view piece = replacement(c);
    piece.data() ? void(result += piece) : void(result += c);
  }
  return result;
}

std::string on_one_line(std::string_view text) {
  return replaced(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 ? std::string_view(" ") : std::string_view(); });
}

std::string in_latex(std::string_view text) { return latex_words(on_one_line(text)); }

std::string in_markdown(std::string_view text) {
  return replaced(on_one_line(text), [](char c) -> std::string_view {
    static constexpr std::string_view escaped = "\\\\\\`\\*\\_\\[\\]\\|\\<\\>\\~\\#\\$";
    constexpr std::string_view special = "\\`*_[]|<>~#$";
    const std::size_t at = special.find(c);
    return at == std::string_view::npos ? std::string_view() : escaped.substr(2 * at, 2);
  });
}

// Returns a name as a field of a table. One that would be read as something else stands in quotation marks: it has one
// of the signs, blanks at its ends, spells a number, also with a decimal comma, or is empty.
std::string in_field(std::string_view text, std::string_view signs) {
  const bool is_of_digits = text.find_first_not_of("+-0123456789.,eE") == std::string_view::npos &&
                            text.find_first_of("0123456789") != std::string_view::npos;
  const bool has_edges = text.empty() || text.front() == ' ' || text.back() == ' ' || text.front() == '#';
  const bool has_sign = text.find_first_of(signs) != std::string_view::npos;
  if (!is_of_digits && !read_float(text) && !has_sign && !has_edges) return std::string(text);
  return "\"" + replaced(text, [](char c) { return c == '"' ? std::string_view("\"\"") : std::string_view(); }) + "\"";
}

std::string in_csv(std::string_view text) { return in_field(text, ",;\t\"\r\n"); }

std::string in_table(std::string_view text) { return in_field(on_one_line(text), "\""); }

std::string as_is(std::string_view text) { return std::string(text); }

// Everything that makes a text of lines out of a matrix.
struct LineForm {
  Spelling spelling;
  int decimals = all_digits;
  bool has_names = false;
  std::string (*name)(std::string_view) = as_is;
  std::string_view number_edge = {};  // stands around a number that is no plain text: "$"
  std::string_view row_begin = {};
  std::string_view between = {};
  std::string_view row_end = {};
  std::string_view between_rows = {};
};

std::string header_line(const LabelledMatrix& matrix, const LineForm& form) {
  std::string line(form.row_begin);
  line += form.name(matrix.corner);
  for (const std::string& name : matrix.column_names) {
    line += form.between;
    line += form.name(name);
  }
  return line.append(form.row_end);
}

void append_row(std::string& text, const LabelledMatrix& matrix, Index row, const LineForm& form) {
  text += form.row_begin;
  if (form.has_names) text += form.name(matrix.row_names[static_cast<std::size_t>(row)]);
  for (Index col = 0; col < matrix.values.cols(); ++col) {
    if (col > 0 || form.has_names) text += form.between;
    const float value = matrix.values.values[static_cast<std::size_t>(row * matrix.values.cols() + col)];
    text += form.number_edge;
    text += number_text(value, matrix.is_boolean, form.spelling, form.decimals);
    text += form.number_edge;
  }
  text += form.row_end;
}

std::string rows_text(const LabelledMatrix& matrix, const LineForm& form) {
  std::string text;
  for (Index row = 0; row < matrix.values.rows(); ++row) {
    if (row > 0) text += form.between_rows;
    append_row(text, matrix, row, form);
  }
  return text;
}

std::string table_text(const LabelledMatrix& matrix) {
  const LineForm form{.spelling = plain, .has_names = true, .name = in_table, .between = "\t", .row_end = "\n"};
  return header_line(matrix, form) + rows_text(matrix, form);
}

std::string python_text(const LabelledMatrix& matrix, const Spelling& spelling, std::string_view indent) {
  const std::string between_rows = fmt::format(",\n{}", indent);
  const LineForm form{
      .spelling = spelling, .row_begin = "[", .between = ", ", .row_end = "]", .between_rows = between_rows};
  return "[" + rows_text(matrix, form) + "]";
}

std::string numpy_text(const LabelledMatrix& matrix) {
  const std::string_view type = matrix.is_boolean ? "bool" : "np.float32";
  return fmt::format("np.array({}, dtype={})\n", python_text(matrix, numpy, std::string(10, ' ')), type);
}

std::string latex_table(const LabelledMatrix& matrix, int decimals) {
  const LineForm form{.spelling = latex,
                      .decimals = decimals,
                      .has_names = true,
                      .name = in_latex,
                      .number_edge = "$",
                      .row_begin = "  ",
                      .between = " & ",
                      .row_end = " \\\\\n"};
  return fmt::format("\\begin{{tabular}}{{l*{{{}}}{{r}}}}\n  \\hline\n{}  \\hline\n{}  \\hline\n\\end{{tabular}}\n",
                     matrix.values.cols(), header_line(matrix, form), rows_text(matrix, form));
}

// bmatrix has at most ten columns unless MaxMatrixCols says otherwise.
std::string latex_matrix(const LabelledMatrix& matrix, int decimals) {
  const LineForm form{
      .spelling = latex, .decimals = decimals, .row_begin = "  ", .between = " & ", .between_rows = " \\\\\n"};
  constexpr Index known_columns = 10;
  const Index columns = matrix.values.cols();
  const std::string more = columns > known_columns ? fmt::format("\\setcounter{{MaxMatrixCols}}{{{}}}\n", columns) : "";
  return fmt::format("{}\\begin{{bmatrix}}\n{}\n\\end{{bmatrix}}\n", more, rows_text(matrix, form));
}

std::string markdown_table(const LabelledMatrix& matrix, int decimals) {
  const LineForm form{.spelling = markdown,
                      .decimals = decimals,
                      .has_names = true,
                      .name = in_markdown,
                      .row_begin = "| ",
                      .between = " | ",
                      .row_end = " |\n"};
  std::string rule = "| --- |";
  for (Index col = 0; col < matrix.values.cols(); ++col) rule += " ---: |";
  return header_line(matrix, form) + rule + "\n" + rows_text(matrix, form);
}

std::vector<std::string> names_of(const std::vector<std::string>& tokens, Index count) {
  std::vector<std::string> names = numbered_tokens(count);
  std::copy_n(tokens.begin(), std::min(tokens.size(), names.size()), names.begin());
  return names;
}

}  // namespace

LabelledMatrix labelled_matrix(Stage stage, const RowNames& tokens, Index rows, Index cols) {
  LabelledMatrix matrix;
  const bool is_square = is_query_by_key(info(stage).axes);
  const bool has_tokens = !is_parameter(info(stage).axes);
  matrix.corner = is_square ? "query" : (has_tokens ? "token" : "dimension");
  matrix.row_names = names_of(has_tokens ? tokens.of(stage) : std::vector<std::string>(), rows);
  if (has_tokens && tokens.of(stage).empty() && !tokens.keys.empty()) {  // queries that are other tokens
    for (std::size_t row = 0; row < matrix.row_names.size(); ++row) matrix.row_names[row] = std::to_string(row + 1);
  }
  if (is_square) {
    matrix.column_names = names_of(tokens.keys, cols);
  } else {
    for (Index number = 1; number <= cols; ++number) matrix.column_names.push_back(fmt::format("d{}", number));
  }
  matrix.values = Tensor({rows, cols});
  matrix.is_boolean = stage == Stage::mask;
  return matrix;
}

std::string_view name_of(MatrixForm form) {
  static constexpr std::array<std::string_view, 6> names = {"a table",       "a Python list",  "a NumPy array",
                                                            "a LaTeX table", "a LaTeX matrix", "Markdown"};
  return names.at(static_cast<std::size_t>(form));
}

std::string matrix_text(const LabelledMatrix& matrix, MatrixForm form, int decimals) {
  switch (form) {
    case MatrixForm::table:
      return table_text(matrix);
    case MatrixForm::python_list:
      return python_text(matrix, python, " ") + "\n";
    case MatrixForm::numpy_array:
      return numpy_text(matrix);
    case MatrixForm::latex_table:
      return latex_table(matrix, decimals);
    case MatrixForm::latex_matrix:
      return latex_matrix(matrix, decimals);
    case MatrixForm::markdown:
      return markdown_table(matrix, decimals);
  }
  return {};
}

std::string matrix_csv(const LabelledMatrix& matrix) {
  const LineForm form{.spelling = plain, .has_names = true, .name = in_csv, .between = ",", .row_end = "\n"};
  return header_line(matrix, form) + rows_text(matrix, form);
}

}  // namespace attnscope
