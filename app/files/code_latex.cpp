#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/config_fields.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "document/spelling.h"
#include "files/code.h"

// A document for pdflatex: a paragraph for each stage, its formula, and its matrices where they fit on a page.
namespace attnscope {
namespace {

// Returns nothing if the name has a character that pdflatex would stop at.
std::optional<std::string> latex_text(std::string_view name) {
  constexpr std::size_t longest = 24;
  std::string text;
  std::size_t length = 0;
  for (std::size_t i = 0; i < name.size(); ++length) {
    const std::size_t bytes = std::max<std::size_t>(utf8_character(name, i).length, 1);
    const std::optional<std::string> character = latex_character(name.substr(i, bytes));
    if (!character) return std::nullopt;
    if (length < longest) text += *character;
    i += bytes;
  }
  return length > longest ? text + "\\dots" : text;
}

constexpr Index most_rows = 24;
constexpr Index most_columns = 16;
constexpr Index most_numbers = 1000;  // numbers of a stage that are printed

// Returns how many matrices of a stage are printed: one is enough before dropout, where all batch entries are equal.
Index shown_entries(const AttentionConfig& config, Stage stage) {
  const bool differ =
      dropout_is_active(config) && config.dropout < 1 && depends_on(config, stage, Stage::dropout_factors);
  return differ ? config.batch_size : 1;
}

bool is_printed(const AttentionConfig& config, Stage stage) {
  const std::vector<Index> shape = stage_shape(config, stage);
  const Index rows = shape[shape.size() - 2];
  const Index columns = shape.back();
  if (rows > most_rows || columns > most_columns) return false;
  return shown_entries(config, stage) * matrices_per_entry(config, stage) * rows * columns <= most_numbers;
}

std::string label_column(const std::vector<std::string>& labels) {
  return fmt::format("\\begin{{array}}{{r}}\n  {}\n\\end{{array}}\n", fmt::join(labels, " \\\\\n  "));
}

std::string matrix_of(const MatrixView<const float>& matrix, Stage stage) {
  std::vector<bool> has_sign(static_cast<std::size_t>(matrix.cols()));  // by column
  for (Index row = 0; row < matrix.rows(); ++row) {
    for (std::size_t column = 0; column < has_sign.size(); ++column) {
      if (matrix.row(row)[column] < 0) has_sign[column] = true;
    }
  }
  std::string text = "\\begin{bmatrix}\n";
  for (Index row = 0; row < matrix.rows(); ++row) {
    for (Index column = 0; column < matrix.cols(); ++column) {
      const float value = matrix(row, column);
      text += column == 0 ? "  " : " & ";
      text += stage == Stage::mask ? fmt::format("{:.0f}", value)
                                   : latex_number(value, has_sign[static_cast<std::size_t>(column)]);
    }
    text += row + 1 < matrix.rows() ? " \\\\\n" : "\n";
  }
  return text + "\\end{bmatrix}";
}

// Returns "(1)" for a head, "(2,1)" for a head in a batch entry, "(2)" for a batch entry without heads; empty for the
// only matrix.
std::string superscript(Index entries, Index entry, Index heads, Index head) {
  if (entries > 1 && heads > 1) return fmt::format("({},{})", entry + 1, head + 1);
  if (entries > 1) return fmt::format("({})", entry + 1);
  return heads > 1 ? fmt::format("({})", head + 1) : std::string();
}

void append_matrices(std::string& text, const AttentionConfig& config, Stage stage, const Tensor& tensor,
                     const std::vector<std::string>& labels) {
  const Index entries = shown_entries(config, stage);
  const Index heads = matrices_per_entry(config, stage);
  for (Index entry = 0; entry < entries; ++entry) {
    for (Index head = 0; head < heads; ++head) {
      const std::string symbol = latex_symbol(config, stage, superscript(entries, entry, heads, head));
      const bool are_labels = std::ssize(labels) == tensor.rows();
      text += fmt::format("${} =\n{}{}$\\quad\n", symbol, are_labels ? label_column(labels) : std::string(),
                          matrix_of(tensor.matrix(entry * heads + head), stage));
    }
  }
  text += "\\par\n";
}

void append_stage(std::string& text, const AttentionConfig& config, Stage stage, const Result* result,
                  const std::vector<std::string>& labels) {
  std::string title(info(stage).title);
  text +=
      fmt::format("\n\\paragraph{{{}}}\n$\\displaystyle {}$\\par\\nopagebreak\n", title, latex_formula(config, stage));
  if (result && has(*result, stage) && is_printed(config, stage)) {
    return append_matrices(text, config, stage, read_stage(*result, stage), labels);
  }
  const std::vector<Index> shape = stage_shape(config, stage);
  text += fmt::format("This matrix is too large to print: its shape is $({})$.\\par\n", fmt::join(shape, ", "));
}

void append_preamble(std::string& text, const AttentionConfig& config) {
  text += fmt::format(
      "\\documentclass{{article}}\n"
      "\\usepackage[utf8]{{inputenc}}\n"
      "\\usepackage{{amsmath}}\n"
      "\\usepackage[a4paper{}, margin=15mm]{{geometry}}\n"
      "\\setcounter{{MaxMatrixCols}}{{{}}}\n"
      "\\setlength{{\\parindent}}{{0pt}}\n"
      "\\setlength{{\\lineskip}}{{1.5ex}}\\setlength{{\\lineskiplimit}}{{1ex}}  %% space between matrices\n"
      "\\begin{{document}}\n\\raggedright\n",
      token_count(config) > 8 && token_count(config) <= most_columns ? ", landscape" : "", most_columns);
}

// Explains the letters, and says what is left out.
void append_introduction(std::string& text, const AttentionConfig& config) {
  const MechanismInfo& mechanism = info(config.mechanism);
  text += fmt::format("\\section*{{{}}}\n", mechanism.title);
  text += fmt::format("Batch size $B = {}$, $T = {}$ tokens, $d_\\text{{in}} = {}$", config.batch_size,
                      token_count(config), input_features(config));
  if (mechanism.weight_style != WeightStyle::none) text += fmt::format(", $d_\\text{{out}} = {}$", config.d_out);
  if (mechanism.has_heads) text += fmt::format(", $H = {}$ heads", config.num_heads);
  const bool draws = config_field<IntegerField>("seed").reason(config).empty();
  if (draws && mechanism.weight_style != WeightStyle::none) text += fmt::format(", seed {}", config.seed);
  text += ". Rows are tokens; where a matrix is $T \\times T$, its rows are queries and its columns are keys.";
  if (!config.dimensions.empty() && input_features(config) <= most_columns) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < config.dimensions.size(); ++i) {
      const std::string& name = config.dimensions[i];
      names.push_back(fmt::format("${}$", name.empty() ? std::to_string(i + 1) : latex_label(name, i)));
    }
    text += fmt::format(" The columns of the inputs are {}.", fmt::join(names, ", "));
  }
  if (mechanism.splits_heads) text += " $[\\,\\cdot\\,]_h$ are the columns that belong to head $h$.";
  const bool differ = shown_entries(config, Stage::dropout_factors) > 1;
  if (config.batch_size > 1) {
    text +=
        differ ? " Batch entries are equal before dropout, so they are shown once; after dropout the first superscript "
                 "counts them."
               : " Batch entries are equal, so they are shown once.";
  }
  text += "\\par\n";
}

}  // namespace

std::string latex_label(std::string_view name, std::size_t index) {
  if (const std::optional<std::string> text = latex_text(name)) return fmt::format("\\text{{{}}}", *text);
  return fmt::format("x_{{{}}}", index + 1);
}

std::string latex_number(float value, bool leaves_room_for_sign) {
  if (std::isnan(value)) return "\\text{NaN}";
  if (std::isinf(value)) return value < 0 ? "-\\infty" : "\\infty";
  constexpr float widest = 1e6F;
  std::string text = fmt::format("{:.4f}", std::abs(value));
  if (std::abs(value) >= widest) {
    const std::string scientific = fmt::format("{:.4e}", std::abs(value));
    const std::size_t e = scientific.find('e');
    text = fmt::format("{} \\cdot 10^{{{}}}", scientific.substr(0, e), std::stoi(scientific.substr(e + 1)));
  }
  const bool is_negative = value < 0 && text != "0.0000";
  if (is_negative) return "-" + text;
  return leaves_room_for_sign ? "\\phantom{-}" + text : text;
}

bool latex_prints_numbers(const AttentionConfig& config) {
  return std::ranges::any_of(computed_stages(config), [&](Stage stage) { return is_printed(config, stage); });
}

std::string latex_code(const Document& document, const Result* result) {
  const AttentionConfig& config = document.config;
  std::optional<Result> own;
  if (!result && latex_prints_numbers(config)) result = &own.emplace(evaluate(config));
  std::vector<std::string> labels;
  if (token_count(config) <= most_rows) labels = token_labels(document.tokens);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = latex_label(labels[i], i);
  std::string text;
  append_preamble(text, config);
  append_introduction(text, config);
  for (const Stage stage : computed_stages(config)) append_stage(text, config, stage, result, labels);
  return text + "\\end{document}\n";
}

}  // namespace attnscope
