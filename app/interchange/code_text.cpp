#include "interchange/code_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <iterator>

#include "core/dropout.h"
#include "core/evaluate.h"
#include "core/inputs.h"
#include "core/parameters.h"
#include "interchange/code.h"

namespace attnscope {
namespace {

constexpr std::size_t line_width = 110;

// A Python float whose value is this float32, also when it is read as double first.
std::string float_text(float value) {
  std::string text = fmt::format("{}", value);
  if (static_cast<float>(std::strtod(text.c_str(), nullptr)) != value) text = fmt::format("{:.17g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += '.';  // a list of whole numbers would be one of integers
  return text;
}

std::string kept_number(float factor) { return factor == 0 ? "0" : "1"; }

using NumberText = std::string (*)(float);

struct ListWriter {
  std::string& code;
  const Tensor& tensor;
  NumberText number;
  std::span<const std::string> row_names;
  std::size_t position = 0;  // of the next number

  void row(const std::string& indent) {
    std::size_t column = indent.size() + 1;
    code += '[';
    for (Index i = 0; i < tensor.cols(); ++i) {
      const std::string text = number(tensor.values[position++]);
      if (i > 0) code += ',';
      if (i > 0 && column + text.size() + 3 > line_width) {
        code += "\n " + indent;
        column = indent.size() + 1;
      } else if (i > 0) {
        code += ' ';
      }
      code += text;
      column += text.size() + 2;
    }
    code += ']';
  }

  // Items of the outermost list begin at the left; what is in them lines up under its own bracket.
  void list(std::size_t axis, const std::string& indent) {
    if (axis + 1 == tensor.shape.size()) return row(indent);
    const bool is_outermost = axis == 0;
    const bool names_rows = axis + 2 == tensor.shape.size() && !row_names.empty();
    const std::string inner = is_outermost ? indent + "    " : indent + " ";
    code += is_outermost ? "[\n" + inner : "[";
    for (Index i = 0; i < tensor.shape[axis]; ++i) {
      const bool is_last = i + 1 == tensor.shape[axis];
      list(axis + 1, inner);
      if (!is_last || is_outermost) code += ',';
      if (names_rows) code += "  # " + row_names[static_cast<std::size_t>(i)];
      if (!is_last) code += '\n' + inner;
    }
    code += is_outermost ? '\n' + indent + "]" : "]";
  }
};

Stage score_stage(const AttentionConfig& config) {
  return config.mask == MaskRoute::causal ? Stage::masked_scores : Stage::scores;
}

// What the features of a head are called.
std::string feature_axis(const AttentionConfig& config) {
  if (info(config.mechanism).weight_style == WeightStyle::none) return "d_in";
  return info(config.mechanism).splits_heads ? "head_dim" : "d_out";
}

std::string id_of(Stage stage) { return std::string(info(stage).id); }

// 32-bit words that torch.randn and the constructor of the module draw.
std::uint64_t parameter_words(const AttentionConfig& config) {
  std::uint64_t words = 0;
  for (const ParameterShape& parameter : parameter_shapes(config))
    words += static_cast<std::uint64_t>(element_count(parameter.shape));
  return words;
}

}  // namespace

bool has_batch_axis(const AttentionConfig& config) {
  return info(config.mechanism).has_dropout || config.batch_size > 1;
}

bool draws_dropout(const AttentionConfig& config) { return dropout_is_active(config) && config.dropout < 1; }

std::string_view input_name(const AttentionConfig& config) { return has_batch_axis(config) ? "batch" : "inputs"; }

std::vector<CodeStep> attention_steps(const AttentionConfig& config, const CodeDialect& dialect, bool has_head_axis) {
  const std::string batch = has_batch_axis(config) ? "B, " : "";
  const std::string heads = has_head_axis ? batch + "H, " : batch;
  const std::string square = "(" + heads + "T, T)";
  const std::string transposed =
      has_head_axis ? fmt::format("{}(2, 3)", dialect.transpose)
                    : (has_batch_axis(config) ? fmt::format("{}(1, 2)", dialect.transpose) : std::string(".T"));
  const bool has_weights = has_stage(config, Stage::queries);
  const std::string x(input_name(config));
  const std::string values = has_weights ? "values" : x;
  std::vector<CodeStep> steps;
  const auto add = [&](Stage stage, std::string expression, const std::string& shape) {
    if (has_stage(config, stage)) steps.push_back({stage, id_of(stage), std::move(expression), shape});
  };
  add(Stage::scores, (has_weights ? "queries @ keys" : x + " @ " + x) + transposed, square);
  add(Stage::mask, std::string(dialect.mask_is_made), "(T, T)");
  if (has_stage(config, Stage::mask)) steps.back().name = dialect.mask;
  add(Stage::masked_scores, fmt::format(fmt::runtime(dialect.masked), "scores", dialect.mask), square);
  const std::string head_dim = has_weights ? "keys.shape[-1]" : x + ".shape[-1]";
  add(Stage::scaled_scores, id_of(score_stage(config)) + (config.scale ? " / " + head_dim + "**0.5" : ""), square);
  const std::string from = id_of(normalized_from_stage(config));
  add(Stage::weights,
      normalizes_by_sum(config) ? fmt::format("{} / {}{}", from, from, dialect.row_sum)
                                : fmt::format(fmt::runtime(dialect.softmax), from),
      square);
  add(Stage::masked_weights, fmt::format("weights * ~{}", dialect.mask), square);
  add(Stage::renormalized_weights, fmt::format("masked_weights / masked_weights{}", dialect.row_sum), square);
  const std::string normalized = id_of(normalized_weights_stage(config));
  add(Stage::dropout_factors, draws_dropout(config) ? "" : fmt::format(fmt::runtime(dialect.ones_like), normalized),
      square);
  add(Stage::dropped_weights, normalized + " * dropout_factors", square);
  const std::string head_shape = feature_axis(config) + ")";
  add(Stage::head_context, id_of(final_weights_stage(config)) + " @ " + values, "(" + heads + "T, " + head_shape);
  const std::string side_by_side =
      has_head_axis ? fmt::format("head_context{}(1, 2).reshape(B, T, -1)", dialect.transpose) : "head_context";
  add(Stage::context, side_by_side, "(" + batch + "T, " + (has_head_axis ? "H * " + head_shape : head_shape));
  add(Stage::output, std::string(dialect.output), "(B, T, d_out)");
  return steps;
}

void append_steps(std::string& code, const std::vector<CodeStep>& steps, std::string_view indent) {
  std::size_t width = 0;
  const auto length = [](const CodeStep& step) { return step.name.size() + 3 + step.expression.size(); };
  for (const CodeStep& step : steps) {
    if (!step.expression.empty()) width = std::max(width, length(step));
  }
  for (const CodeStep& step : steps) {
    if (step.expression.empty()) continue;
    code +=
        fmt::format("{}{} = {}{:{}}  # {}\n", indent, step.name, step.expression, "", width - length(step), step.shape);
  }
}

void append_list(std::string& code, const Tensor& tensor, std::string_view indent,
                 std::span<const std::string> row_names) {
  ListWriter{code, tensor, float_text, row_names}.list(0, std::string(indent));
}

void append_kept(std::string& code, const Tensor& factors, std::string_view indent) {
  ListWriter{code, factors, kept_number, {}}.list(0, std::string(indent));
}

std::string python_number(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string opening_comment(const Document& document, std::string_view library) {
  const AttentionConfig& config = document.config;
  const Stage last = has_stage(config, Stage::output) ? Stage::output : Stage::context;
  return fmt::format("# {} in {}. Prints every stage, the result ({}) last.\n", info(config.mechanism).title, library,
                     info(last).id);
}

std::vector<std::string> comment_names(const Document& document) {
  std::vector<std::string> names = token_labels(document.tokens);
  for (std::string& name : names) {
    for (char& c : name) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    }
  }
  return names;
}

void append_call(std::string& code, std::string_view opening, const std::vector<std::string>& words,
                 std::string_view closing, std::string_view indent) {
  const std::string whole = fmt::format("{}{}{}{}", indent, opening, fmt::join(words, ", "), closing);
  if (whole.size() <= line_width) {
    code += whole + '\n';
    return;
  }
  code += fmt::format("{}{}\n", indent, opening);
  std::string line = std::string(indent) + "   ";
  for (const std::string& word : words) {
    if (line.size() + word.size() + 2 > line_width) {
      code += line + '\n';
      line = std::string(indent) + "   ";
    }
    line += ' ' + word + ',';
  }
  code += fmt::format("{}\n{}{}\n", line, indent, closing);
}

void append_printing(std::string& code) {
  code +=
      "\nfor name, stage in stages.items():\n"
      "    print(f\"{name} {tuple(stage.shape)}\\n{stage}\\n\")\n";
}

Generator generator_before_dropout(const AttentionConfig& config) {
  if (config.dropout_seed) return Generator(*config.dropout_seed);
  Generator generator(config.seed);
  skip_words(generator, config.skip_draws);
  if (const auto* drawn = std::get_if<RandnInputs>(&config.inputs)) {
    // torch.randn draws fewer than 16 numbers in a way of its own; more take a word each, and the last 16 are drawn
    // again when their count is no multiple of 16.
    const Index count = drawn->tokens * drawn->features;
    constexpr Index block = 16;
    if (count < block) {
      std::vector<float> numbers(static_cast<std::size_t>(count));
      fill_randn(numbers, generator);
    } else {
      skip_words(generator, static_cast<std::uint64_t>(count + (count % block == 0 ? 0 : block)));
    }
  }
  skip_words(generator, parameter_words(config));
  return generator;
}

Tensor drawn_dropout_factors(const AttentionConfig& config) {
  const Index T = token_count(config);
  Tensor factors({config.batch_size, head_count(config), T, T});
  fill_dropout_factors(factors, config, generator_before_dropout(config), {});
  if (!info(config.mechanism).has_heads) factors.shape = {config.batch_size, T, T};
  return factors;
}

void check_code_numbers(Index numbers, std::string_view language, std::string_view what) {
  if (numbers <= max_code_numbers) return;
  throw Error(
      fmt::format("The {} would have to carry {} numbers ({}), but at most {} are written into code: use fewer "
                  "tokens, features or heads, or write the numbers to a file with attnscope eval.",
                  language, numbers, what, max_code_numbers));
}

}  // namespace attnscope
