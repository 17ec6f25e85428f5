#include "files/code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/dropout.h"
#include "core/error.h"
#include "core/model/forward.h"
#include "core/parameters.h"
#include "core/rope.h"
#include "core/text.h"
#include "core/visibility.h"

// A script for queries, keys and values from elsewhere: they stand as data, and each stage is a line.
namespace attnscope {
namespace {

// A Python float whose value is this float32, also when it is read as double first.
std::string float_text(float value) {
  if (std::isinf(value)) return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
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
      if (i > 0 && column + text.size() + 3 > code_width) {
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

}  // namespace

std::vector<CodeStep> attention_steps(const AttentionConfig& config, const CodeDialect& dialect, bool has_head_axis) {
  const StageCode code{config, dialect, has_head_axis};
  std::vector<CodeStep> steps;
  for (const Stage stage : computed_stages(config)) {
    if (info(stage).place.band == Band::project) continue;
    steps.push_back({stage, code.name(stage), code.expression(stage), code.shape(stage)});
  }
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

void append_array(std::string& code, const CodeDialect& dialect, std::string_view name, const Tensor& tensor,
                  std::span<const std::string> row_names, std::string_view comment) {
  code += fmt::format("{} = {}", name, dialect.array);
  append_list(code, tensor, "", row_names);
  code += fmt::format("{}{}{}\n", dialect.array_end, comment.empty() ? "" : "  # ", comment);
}

std::string python_number(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string opening_comment(const Document& document, const CodeDialect& dialect) {
  const AttentionConfig& config = document.config;
  const Stage last = has_stage(config, Stage::output) ? Stage::output : Stage::context;
  const auto* const model = std::get_if<ModelInputs>(&config.inputs);
  const std::string layer = model ? fmt::format(", layer {} of {} of {}", model->layer + 1, model->model->shape.layers,
                                                in_quotes(document.model->name))
                                  : "";
  return fmt::format("# {} in {}{}. Prints every stage, the result ({}) last.\n", info(config.mechanism).title,
                     dialect.library, layer, info(last).id);
}

std::vector<std::string> comment_names(const Document& document) {
  std::vector<std::string> names = token_labels(document.tokens);
  for (std::string& name : names) name = shown_text(name);  // nothing in a comment turns the code's writing round
  return names;
}

void append_dimensions(std::string& code, const AttentionConfig& config) {
  if (config.dimensions.empty()) return;
  const WeightStyle style = info(config.mechanism).weight_style;
  const std::string_view weights = style == WeightStyle::linear      ? ", and of W_query, W_key and W_value"
                                   : style == WeightStyle::parameter ? ", and rows of W_query, W_key and W_value"
                                                                     : "";
  code += fmt::format("# columns of the inputs{}: {}\n", weights, fmt::join(dimension_labels(config), ", "));
}

void append_call(std::string& code, std::string_view opening, const std::vector<std::string>& words,
                 std::string_view closing, std::string_view indent) {
  const std::string whole = fmt::format("{}{}{}{}", indent, opening, fmt::join(words, ", "), closing);
  if (whole.size() <= code_width) {
    code += whole + '\n';
    return;
  }
  code += fmt::format("{}{}\n", indent, opening);
  std::string line = std::string(indent) + "   ";
  for (const std::string& word : words) {
    if (line.size() + word.size() + 2 > code_width) {
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
  Generator generator = generator_before_parameters(config);
  skip_words(generator, words_of_parameters(config));
  return dropout_generator(config, generator);
}

// Dropout factors (B,H,T,T), or (B,T,T) where there is one head, with what the user keeps and drops.
void append_kept(std::string& code, const AttentionConfig& config, const CodeDialect& dialect) {
  Tensor factors({config.batch_size, head_count(config), query_count(config), key_count(config)});
  draw_all_dropout_factors(factors, config, generator_before_dropout(config), {});
  if (!info(config.mechanism).has_heads) factors.shape.erase(factors.shape.begin() + 1);
  code += fmt::format("kept = {}", dialect.array);
  ListWriter{code, factors, kept_number, {}}.list(0, "");
  code += fmt::format("{}\n", dialect.array_end);
  append_factors(code, config);
}

void append_factors(std::string& code, const AttentionConfig& config) {
  code += fmt::format("dropout_factors = kept / (1 - {})\n", python_number(config.dropout));
}

void check_code_numbers(Index numbers, std::string_view language, std::string_view what) {
  if (numbers <= max_code_numbers) return;
  throw Error(
      fmt::format("The {} would contain {} numbers ({}), but code may contain at most {}: use fewer "
                  "tokens, dimensions or heads, or write the numbers to a file with attnscope eval.",
                  language, numbers, what, max_code_numbers));
}

// Data in code, and code that they need: edited masks and biases.

void append_mask(std::string& code, const AttentionConfig& config, const CodeDialect& dialect) {
  if (config.mask != MaskRoute::custom) return;
  code += "hidden = [  # for each query: half-open ranges of the keys that are hidden from it\n";
  std::string line;
  for (Index query = 0; query < config.hidden.queries(); ++query) {
    std::vector<std::string> ranges;
    for (const KeyRange& range : config.hidden.of(query))
      ranges.push_back(fmt::format("({}, {})", range.first, range.last));
    const std::string item = fmt::format("[{}],", fmt::join(ranges, ", "));
    if (line.size() + item.size() + 5 > code_width && !line.empty()) code += "    " + std::exchange(line, "") + '\n';
    line += (line.empty() ? "" : " ") + item;
  }
  code += fmt::format(
      "    {}\n]\n"
      "mask = {}  # True where a query may not look\n"
      "for query, ranges in enumerate(hidden):\n"
      "    for first, last in ranges:\n"
      "        mask[query, first:last] = True\n",
      line, fmt::format(fmt::runtime(dialect.zeros), query_count(config), key_count(config)));
}

void append_softmax(std::string& code, const AttentionConfig& config) {
  if (!normalizes_by_sum(config)) {
    code += has_empty_rows(config)
                ? "\n\ndef softmax(x):  # zeros in rows that are -inf everywhere, where PyTorch gives NaN\n"
                  "    largest = np.maximum(x.max(axis=-1, keepdims=True), np.finfo(np.float32).min)\n"
                  "    powers = np.exp(x - largest)\n"
                  "    total = powers.sum(axis=-1, keepdims=True)\n"
                  "    return powers / np.where(total == 0, 1, total)\n"
                : "\n\ndef softmax(x):\n"
                  "    powers = np.exp(x - x.max(axis=-1, keepdims=True))\n"
                  "    return powers / powers.sum(axis=-1, keepdims=True)\n";
  }
}

bool differs_by_head(const AttentionConfig& config) {
  const std::vector<Index>& shape = config.bias.shape();
  return shape.size() > 2 && shape[shape.size() - 3] > 1;
}

void append_bias(std::string& code, const AttentionConfig& config, const CodeDialect& dialect, bool has_head_axis) {
  if (!has_bias(config)) return;
  Tensor bias = config.bias.copy();
  while (bias.shape.size() < 2) bias.shape.insert(bias.shape.begin(), 1);
  if (bias.shape.size() > 2 && !has_head_axis) bias.shape.erase(bias.shape.end() - 3);
  while (bias.shape.size() > 2 && bias.shape.front() == 1) bias.shape.erase(bias.shape.begin());
  append_array(code, dialect, "bias", bias, {}, "added to the scores before softmax");
}

void append_switch_off(std::string& code, const AttentionConfig& config) {
  code += fmt::format(
      "\n\ndef switch_off(head_context, heads=[{}]):  # (B, H, T, head_dim)\n"
      "    head_context[:, heads] = 0\n"
      "    return head_context\n",
      fmt::join(config.heads_off, ", "));
}

void append_rms_norm(std::string& code, const AttentionConfig& config, bool is_numpy) {
  if (!has_qk_norm(config)) return;
  code += is_numpy
              ? fmt::format(
                    "\n\ndef rms_norm(x, gain, eps={}):  # (B, H, T, head_dim)\n"
                    "    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + np.float32(eps)) * gain\n",
                    qk_norm_epsilon)
              : fmt::format(
                    "\n\nclass RMSNorm(nn.Module):\n"
                    "    \"\"\"Divides each row by its root mean square: torch.nn.RMSNorm of PyTorch 2.4.\"\"\"\n\n"
                    "    def __init__(self, features, eps={}):\n"
                    "        super().__init__()\n"
                    "        self.eps = eps\n"
                    "        self.weight = nn.Parameter(torch.ones(features))\n\n"
                    "    def forward(self, x):\n"
                    "        return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight\n",
                    qk_norm_epsilon);
}

namespace {

// Returns the lines that slow the pairs; none if nothing slows them.
std::string scaled_steps(const Rope& rope, std::string_view library) {
  if (!rope.scaling) return {};
  const std::string factor = python_number(rope.scaling->factor);
  if (rope.scaling->kind == RopeScalingKind::linear) return fmt::format("    steps = base**-pairs / {}\n", factor);
  return fmt::format(
      "    steps = base**-pairs\n"
      "    turns = {} * steps / (2 * {}.pi)  # of each pair, in a text of the first training\n"
      "    kept = ((turns - {}) / ({} - {})).clip(0, 1)\n"
      "    steps = steps * (kept + (1 - kept) / {})\n",
      rope.scaling->original_length, library, python_number(rope.scaling->low), python_number(rope.scaling->high),
      python_number(rope.scaling->low), factor);
}

}  // namespace

void append_rotate(std::string& code, const AttentionConfig& config, bool is_numpy) {
  if (!has_rope(config)) return;
  const bool is_interleaved = config.rope->layout == RopeLayout::interleaved;
  const std::string_view library = is_numpy ? "np" : "torch";
  const std::string_view cast = is_numpy ? ".astype(x.dtype)" : ".to(x.dtype)";
  const std::string_view axis = is_numpy ? "axis" : "dim";
  code += fmt::format(
      "\n\ndef rotate(x, base={}, dims={}, offset={}):  # (B, H, T, head_dim), by the positions of its tokens\n"
      "    pairs = {lib}.arange(0, dims, 2, dtype={lib}.float64) / max(dims, 1)\n"
      "{steps}"
      "    angles = (offset + {lib}.arange(x.shape[-2], dtype={lib}.float64))[:, None] * {step}\n"
      "    cos, sin = {lib}.cos(angles){cast}, {lib}.sin(angles){cast}\n",
      python_number(config.rope->base), rope_dims(config), config.rope->offset, fmt::arg("lib", library),
      fmt::arg("cast", cast), fmt::arg("steps", scaled_steps(*config.rope, library)),
      fmt::arg("step", config.rope->scaling ? "steps" : "base**-pairs"));
  code += is_interleaved ? "    first, second, rest = x[..., 0:dims:2], x[..., 1:dims:2], x[..., dims:]\n"
                         : "    first, second, rest = x[..., : dims // 2], x[..., dims // 2 : dims], x[..., dims:]\n";
  code += "    turned = [first * cos - second * sin, second * cos + first * sin]\n";
  if (is_interleaved)
    code += fmt::format("    turned = [{}.stack(turned, {}=-1).reshape(*x.shape[:-1], dims)]\n", library, axis);
  code += fmt::format("    return {}.{}([*turned, rest], {}=-1)\n", library, is_numpy ? "concatenate" : "cat", axis);
}

void append_shared(std::string& code, const AttentionConfig& config, const CodeDialect& dialect, std::string_view heads,
                   std::string_view indent) {
  if (!has_shared_keys(config)) return;
  code += fmt::format("{0}shared = {1}({2}) * keys.shape[1] // {2}  # the key/value head of each query head\n", indent,
                      dialect.arange, heads);
}

std::vector<std::string> stage_words(const AttentionConfig& config, const std::vector<CodeStep>& steps) {
  std::vector<std::string> words;
  if (has_stage(config, Stage::queries)) words = {"queries=queries", "keys=keys", "values=values"};
  for (const CodeStep& step : steps) words.push_back(fmt::format("{}={}", info(step.stage).id, step.name));
  return words;
}

std::string_view name_of(CodeLanguage language) {
  switch (language) {
    case CodeLanguage::pytorch:
      return "PyTorch code";
    case CodeLanguage::numpy:
      return "NumPy code";
    case CodeLanguage::latex:
      break;
  }
  return "LaTeX";
}

namespace {

// A trained model's layer as a document of its own, whose inputs and weights are typed: so they stand in the code.
void type_layer_of_model(Document& document) {
  AttentionConfig& config = document.config;
  const auto* const model = std::get_if<ModelInputs>(&config.inputs);
  if (!model) return;
  Index numbers = token_count(config) * input_features(config);
  for (const ParameterShape& parameter : parameter_shapes(config)) numbers += element_count(parameter.shape);
  check_code_numbers(numbers, "Code", "what the layers below compute, and the layer's weights");
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    const Tensor* const trained = trained_parameter(config, parameter.name);
    if (trained && !config.weight_overrides.contains(parameter.name))
      config.weight_overrides[parameter.name] = *trained;
  }
  Generator generator(config.seed);
  Tensor inputs({1, token_count(config), input_features(config)});
  AttentionConfig one = config;
  one.batch_size = 1;
  fill_inputs(inputs, one, generator, {});
  inputs.shape.erase(inputs.shape.begin());
  config.inputs = std::move(inputs);
  document.model = nullptr;
  if (!draws_dropout(config) || config.dropout_seed) return;
  // Dropout is the first to draw in a trained model's layer, but not in the typed one.
  if (config.skip_draws > 0)
    throw Error("skip_draws", "This code cannot skip draws before dropout: choose dropout_seed instead of skip_draws.");
  config.dropout_seed = config.seed;
}

}  // namespace

void write_window_as_ranges(AttentionConfig& config) {
  if (!config.sliding_window || config.mask == MaskRoute::none || config.mask == MaskRoute::custom) return;
  if (config.mask != MaskRoute::causal)
    throw Error("sliding_window", "Code with a sliding window is written for the causal mask alone: choose that one.");
  config.hidden = hidden_keys(config);
  config.mask = MaskRoute::custom;
}

std::string code_of(const Document& shown, CodeLanguage language, const Result* result) {
  check(shown);
  Document document = shown;
  const std::string reason = shown.model ? reason_for_data(shown) : "";
  if (language != CodeLanguage::pytorch || !reason.empty()) type_layer_of_model(document);
  write_window_as_ranges(document.config);
  switch (language) {
    case CodeLanguage::pytorch:
      return (reason.empty() ? "" : fmt::format("# The layer's inputs and weights are data, because {}.\n", reason)) +
             pytorch_code(document);
    case CodeLanguage::numpy:
      return numpy_code(document);
    case CodeLanguage::latex:
      break;
  }
  return latex_code(document, result);
}

bool code_needs_result(const Document& document, CodeLanguage language) {
  return language == CodeLanguage::latex && latex_prints_numbers(document.config);
}

std::string heads_code(const Document& document, CodeDialect dialect, bool is_numpy) {
  const AttentionConfig& config = document.config;
  const Index weights = config.batch_size * head_count(config) * query_count(config) * key_count(config);
  check_code_numbers(config.heads.queries.size() + config.heads.keys.size() + config.heads.values.size() +
                         config.bias.size() + (draws_dropout(config) ? weights : 0),
                     fmt::format("{} code", dialect.library), "queries, keys, values, a bias and a dropout mask");
  const std::string made = config.mask == MaskRoute::custom
                               ? std::string()
                               : fmt::format(fmt::runtime(dialect.later), query_count(config), key_count(config),
                                             1 + mask_size(config).own_key(0));
  dialect.mask = "mask";
  dialect.bias = "bias";
  dialect.mask_is_made = made;
  const bool drops_all = dropout_is_active(config) && config.dropout == 1;
  const std::string ones = fmt::format("{}.{}_like({{}})", is_numpy ? "np" : "torch", drops_all ? "zeros" : "ones");
  dialect.ones_like = ones;
  std::string code = opening_comment(document, dialect) + std::string(dialect.imports);
  if (has_heads_off(config)) append_switch_off(code, config);
  if (is_numpy) append_softmax(code, config);
  code += is_numpy ? "\n\n" : "\n";
  append_array(code, dialect, "queries", config.heads.queries.copy(), {}, "(B, H, T_query, head_dim)");
  append_array(code, dialect, "keys", config.heads.keys.copy(), {}, "(B, H_kv, T_key, head_dim)");
  append_array(code, dialect, "values", config.heads.values.copy(), {}, "(B, H_kv, T_key, width)");
  append_mask(code, config, dialect);
  append_bias(code, config, dialect, true);
  if (draws_dropout(config)) {
    code += "\n# The weights that dropout keeps, as data.\n";
    append_kept(code, config, dialect);
  }
  code += "\nB, H, T, head_dim = queries.shape\n";
  append_shared(code, config, dialect, "H", "");
  const std::vector<CodeStep> steps = attention_steps(config, dialect, true);
  append_steps(code, steps, "");
  code += '\n';
  append_call(code, "stages = dict(", stage_words(config, steps), ")", "");
  append_printing(code);
  return code;
}

}  // namespace attnscope
