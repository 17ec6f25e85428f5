// Matrices as text for other programs.

#include "files/result_file.h"

#include <limits>
#include <tuple>

#include "files/arrays.h"
#include "support.h"

namespace attnscope::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

LabelledMatrix scores() {
  LabelledMatrix matrix = labelled_matrix(Stage::masked_scores, std::vector<std::string>{"the", "a_b|c"}, 2, 2);
  matrix.values = Tensor({2, 2}, {0.1F, -infinity, -0.0F, -12.345678F});
  return matrix;
}

TEST(MatrixText, EveryFormSpellsNamesAndNumbersAsItsReadersDo) {
  const std::tuple<MatrixForm, int, const char*> cases[] = {
      {MatrixForm::table, 2, "query\tthe\ta_b|c\nthe\t0.1\t-inf\na_b|c\t-0.0\t-12.345678\n"},
      {MatrixForm::python_list, 2, "[[0.1, float(\"-inf\")],\n [-0.0, -12.345678]]\n"},
      {MatrixForm::numpy_array, 2, "np.array([[0.1, -np.inf],\n          [-0.0, -12.345678]], dtype=np.float32)\n"},
      {MatrixForm::latex_table, 2,
       "\\begin{tabular}{l*{2}{r}}\n  \\hline\n  query & the & a\\_b\\textbar{}c \\\\\n  \\hline\n"
       "  the & $0.10$ & $-\\infty$ \\\\\n  a\\_b\\textbar{}c & $0.00$ & $-12.35$ \\\\\n  \\hline\n\\end{tabular}\n"},
      {MatrixForm::latex_matrix, 1, "\\begin{bmatrix}\n  0.1 & -\\infty \\\\\n  0.0 & -12.3\n\\end{bmatrix}\n"},
      {MatrixForm::markdown, 4,
       "| query | the | a\\_b\\|c |\n| --- | ---: | ---: |\n| the | 0.1000 | −∞ |\n| a\\_b\\|c | 0.0000 | -12.3457 "
       "|\n"}};
  for (const auto& [form, decimals, text] : cases) EXPECT_EQ(matrix_text(scores(), form, decimals), text);
}

TEST(MatrixText, ATableIsReadBackWithTheSameNumbersAndNames) {
  const std::vector<std::vector<std::string>> names = {
      {"the", "cat"}, {"7", "8"},     {"1", "2"},     {",", "1,5"},     {"", " x "},
      {"# a", "nan"}, {"\"", "a\"b"}, {"a;b", "c,d"}, {"query", "1.0"}, {"1,000,5", "."}};
  for (const std::vector<std::string>& tokens : names) {
    LabelledMatrix matrix = scores();
    matrix.row_names = matrix.column_names = tokens;
    for (const std::string& text : {matrix_text(matrix, MatrixForm::table, 2), matrix_csv(matrix)}) {
      const NamedArrays file = parse_csv(text);
      EXPECT_TRUE(same_bits(to_tensor(load(file, 0)), matrix.values)) << text;
      EXPECT_EQ(file.row_names, tokens) << text;
      EXPECT_EQ(file.column_names, tokens) << text;
    }
  }
}

TEST(MatrixText, QueriesHaveNotTheNamesOfKeys) {
  const std::vector<std::string> none;
  const std::vector<std::string> keys = {"k", "l"};
  const LabelledMatrix others = labelled_matrix(Stage::weights, RowNames(none, keys), 2, 2);
  EXPECT_EQ(others.row_names, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(others.column_names, keys);
}

TEST(MatrixText, TheMaskIsTrueOrFalse) {
  LabelledMatrix mask = labelled_matrix(Stage::mask, std::vector<std::string>(), 1, 2);
  mask.values = Tensor({1, 2}, {0, 1});
  EXPECT_EQ(matrix_text(mask, MatrixForm::numpy_array, 2), "np.array([[False, True]], dtype=bool)\n");
  EXPECT_EQ(matrix_text(mask, MatrixForm::table, 2), "query\tx1\tx2\nx1\t0\t1\n");
}

TEST(MatrixText, LatexSpellsWhatTexWouldReadOtherwise) {
  LabelledMatrix matrix = scores();
  matrix.row_names[0] = "\"--\" $5";
  const std::string text = matrix_text(matrix, MatrixForm::latex_table, 2);
  EXPECT_NE(text.find("''-{}-{}'' $\\mathdollar$5 &"), std::string::npos) << text;
}

TEST(MatrixText, WideLatexMatricesSaySo) {
  const LabelledMatrix wide = labelled_matrix(Stage::queries, std::vector<std::string>{}, 1, 11);
  EXPECT_TRUE(matrix_text(wide, MatrixForm::latex_matrix, 2).starts_with("\\setcounter{MaxMatrixCols}{11}\n"));
}

// One row and three columns, so that neither count stands for the other; and every number without digits.
TEST(MatrixText, EveryFormHasAsManyRowsAndColumnsAsTheMatrix) {
  LabelledMatrix matrix = labelled_matrix(Stage::queries, std::vector<std::string>{"a`b"}, 1, 3);
  matrix.values = Tensor({1, 3}, {infinity, -std::numeric_limits<float>::quiet_NaN(), -0.004F});
  const std::pair<MatrixForm, std::string> cases[] = {
      {MatrixForm::table, "token\td1\td2\td3\na`b\tinf\tnan\t-0.004\n"},
      {MatrixForm::python_list, "[[float(\"inf\"), float(\"nan\"), -0.004]]\n"},
      {MatrixForm::numpy_array, "np.array([[np.inf, np.nan, -0.004]], dtype=np.float32)\n"},
      {MatrixForm::latex_table,
       "\\begin{tabular}{l*{3}{r}}\n  \\hline\n  token & d1 & d2 & d3 \\\\\n  \\hline\n"
       "  a`{}b & $\\infty$ & $\\mathrm{nan}$ & $0.00$ \\\\\n  \\hline\n\\end{tabular}\n"},
      {MatrixForm::latex_matrix, "\\begin{bmatrix}\n  \\infty & \\mathrm{nan} & 0.00\n\\end{bmatrix}\n"},
      {MatrixForm::markdown, "| token | d1 | d2 | d3 |\n| --- | ---: | ---: | ---: |\n| a\\`b | ∞ | nan | 0.00 |\n"}};
  for (const auto& [form, text] : cases) EXPECT_EQ(matrix_text(matrix, form, 2), text);
  EXPECT_EQ(matrix_csv(matrix), "token,d1,d2,d3\na`b,inf,nan,-0.004\n");
  EXPECT_FALSE(
      matrix_text(labelled_matrix(Stage::queries, std::vector<std::string>{}, 1, 10), MatrixForm::latex_matrix, 2)
          .starts_with("\\set"));
  EXPECT_EQ(labelled_matrix(Stage::query_weight, std::vector<std::string>{"a", "b"}, 2, 1).row_names,
            (std::vector<std::string>{"x1", "x2"}));
}

TEST(MatrixText, NamesStayOnTheirLine) {
  const LabelledMatrix matrix = labelled_matrix(Stage::inputs, std::vector<std::string>{"two\nlines\there"}, 1, 1);
  for (const MatrixForm form : {MatrixForm::table, MatrixForm::latex_table, MatrixForm::markdown}) {
    EXPECT_NE(matrix_text(matrix, form, 2).find("two lines here"), std::string::npos);
  }
}

// What is written is read back: numbers to the last bit, names to the last character.
TEST(MatrixCsv, IsReadBack) {
  const std::vector<std::string> names = {"a,b",        "say \"hi\"", "-3.5", "",    " edge",
                                          "two\nlines", "nan",        "# no", "日本"};
  const auto count = static_cast<Index>(names.size());
  for (const Stage stage : {Stage::scores, Stage::queries}) {
    LabelledMatrix matrix = labelled_matrix(stage, names, count, count);
    for (std::size_t i = 0; i < matrix.values.values.size(); ++i) {
      matrix.values.values[i] = i % 7 == 0 ? -infinity : 1.0F / static_cast<float>(i);
    }
    const std::string csv = matrix_csv(matrix);
    const NamedArrays file = parse_csv(csv);
    EXPECT_EQ(file.row_names, names) << csv;
    EXPECT_TRUE(same_bits(to_tensor(load(file, 0)), matrix.values)) << csv;
  }
}

}  // namespace
}  // namespace attnscope::test
