#include <fmt/format.h>

#include <array>

#include "core/config_fields.h"
#include "core/evaluate.h"
#include "core/parameters.h"
#include "core/rope.h"
#include "files/code.h"

// A script without classes: what was drawn stands as data, and each stage is a line.
namespace attnscope {
namespace {

struct Weight {
  Projection projection;
  std::string_view name;
  std::string_view bias;
};

constexpr std::array<Weight, 3> weights_of_projections = {{
    {Projection::query, "W_query", "b_query"},
    {Projection::key, "W_key", "b_key"},
    {Projection::value, "W_value", "b_value"},
}};

CodeDialect dialect_of(const AttentionConfig& config) {
  const bool drops_all = dropout_is_active(config) && config.dropout == 1;
  return {.library = "NumPy",
          .module = "np",
          .imports =
              "import numpy as np\n\nnp.set_printoptions(precision=4, floatmode=\"fixed\", suppress=True, "
              "threshold=1000, linewidth=120)\n",
          .array = "np.array(",
          .array_end = ", dtype=np.float32)",
          .zeros = "np.zeros(({}, {}), dtype=bool)",
          .later = "np.triu(np.ones(({}, {}), dtype=bool), k={})",
          .arange = "np.arange",
          .transpose = ".swapaxes",
          .norm = "rms_norm({0}, {1})",
          .row_sum = ".sum(axis=-1, keepdims=True)",
          .softmax = "softmax({})",
          .zero_rows = "",
          .masked = "np.where({1}, -np.inf, {0})",
          .mask_is_made = config.mask == MaskRoute::custom ? "" : "np.triu(np.ones((T, T), dtype=bool), k=1)",
          .mask = "mask",
          .bias = "bias",
          .ones_like = drops_all ? "np.zeros_like({})" : "np.ones_like({})",
          .output = "context @ out_proj_weight.T + out_proj_bias"};
}

// Throws before anything is drawn.
void check_numpy_size(const AttentionConfig& config) {
  const Index T = token_count(config);
  Index numbers = T * input_features(config) + 2 * config.hidden.range_count() + config.bias.size();
  for (const ParameterShape& parameter : parameter_shapes(config)) numbers += element_count(parameter.shape);
  if (draws_dropout(config)) numbers += config.batch_size * head_count(config) * T * T;
  check_code_numbers(numbers, "NumPy code",
                     draws_dropout(config) ? "embeddings, weights and a dropout mask" : "embeddings and weights");
}

// Returns one tensor for all heads: (H, ...) if each has its own.
Tensor stacked(const AttentionConfig& config, const Parameters& parameters, Stage parameter) {
  const Tensor& first = *find(parameters, parameter_name(config, parameter, 0));
  if (!has_own_heads(config)) return first;
  Tensor all;
  all.shape = first.shape;
  all.shape.insert(all.shape.begin(), config.num_heads);
  for (Index head = 0; head < config.num_heads; ++head) {
    const Tensor& own = *find(parameters, parameter_name(config, parameter, head));
    all.values.insert(all.values.end(), own.values.begin(), own.values.end());
  }
  return all;
}

void append_weights(std::string& code, const AttentionConfig& config, const CodeDialect& dialect,
                    const Parameters& parameters) {
  if (parameters.empty()) return;
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  const bool draws = config_field<IntegerField>("seed").reason(config).empty();
  code += fmt::format(
      "\n# {} given as data: ({}{}).\n",
      draws ? fmt::format("NumPy does not draw PyTorch's random numbers, so the weights of seed {} are", config.seed)
            : "The weights are",
      has_own_heads(config) ? "H, " : "", is_linear ? "d_out, d_in" : "d_in, d_out");
  for (const Weight& weight : weights_of_projections) {
    const ProjectionStages stages = stages_of(weight.projection);
    append_array(code, dialect, weight.name, stacked(config, parameters, stages.weight));
    if (has_stage(config, stages.bias))
      append_array(code, dialect, weight.bias, stacked(config, parameters, stages.bias));
  }
  if (has_qk_norm(config)) {
    for (const Stage gain : {Stage::query_gain, Stage::key_gain})
      append_array(code, dialect, info(gain).id, *find(parameters, parameter_name(config, gain, 0)));
  }
  if (!info(config.mechanism).has_output_projection) return;
  append_array(code, dialect, "out_proj_weight", *find(parameters, "out_proj.weight"));
  append_array(code, dialect, "out_proj_bias", *find(parameters, "out_proj.bias"));
}

void append_numpy_dropout(std::string& code, const AttentionConfig& config, const CodeDialect& dialect) {
  if (!draws_dropout(config)) return;
  code += "\n# The weights that dropout keeps: PyTorch draws them, so they are given here as data, too.\n";
  if (!acting_dropout_edits(config).empty()) code += "# Some are kept or dropped by hand, whatever was drawn.\n";
  append_kept(code, config, dialect);
}

void append_functions(std::string& code, const AttentionConfig& config) {
  if (has_heads_off(config)) append_switch_off(code, config);
  append_softmax(code, config);
  append_rms_norm(code, config, true);
  append_rotate(code, config, true);
  if (info(config.mechanism).splits_heads) {
    code += has_shared_keys(config) ? fmt::format(
                                          "\n\ndef split(x, head_dim={}):\n"
                                          "    B, T, _ = x.shape\n"
                                          "    return x.reshape(B, T, -1, head_dim).swapaxes(1, 2)\n",
                                          head_features(config))
                                    : fmt::format(
                                          "\n\ndef split(x, num_heads={}):\n"
                                          "    B, T, d_out = x.shape\n"
                                          "    return x.reshape(B, T, num_heads, d_out // num_heads).swapaxes(1, 2)\n",
                                          config.num_heads);
  }
}

// Appends queries, keys and values by their weights.
std::vector<CodeStep> projection_steps(const AttentionConfig& config, const CodeDialect& dialect) {
  const MechanismInfo& mechanism = info(config.mechanism);
  std::vector<CodeStep> steps;
  if (mechanism.weight_style == WeightStyle::none) return steps;
  const std::string x(input_name(config));
  for (const Weight& weight : weights_of_projections) {
    const Stage result = stages_of(weight.projection).result;
    const bool has_bias = has_stage(config, stages_of(weight.projection).bias);
    const std::string transposed = mechanism.weight_style == WeightStyle::linear ? ".T" : "";
    std::string projected = fmt::format("{} @ {}{}", x, weight.name, transposed);
    if (has_own_heads(config)) projected = fmt::format("{}[:, None] @ {}.swapaxes(1, 2)", x, weight.name);
    if (has_bias) projected += fmt::format(" + {}{}", weight.bias, has_own_heads(config) ? "[:, None]" : "");
    if (mechanism.splits_heads) projected = fmt::format("split({})", projected);
    const StageCode code{config, dialect, mechanism.has_heads};
    steps.push_back({result, std::string(info(result).id), projected, code.shape(result)});
  }
  return steps;
}

void append_stages(std::string& code, const AttentionConfig& config, const CodeDialect& dialect) {
  const bool has_heads = info(config.mechanism).has_heads;
  std::vector<CodeStep> steps = projection_steps(config, dialect);
  const std::size_t projections = steps.size();
  for (CodeStep& step : attention_steps(config, dialect, has_heads)) steps.push_back(std::move(step));
  code += '\n';
  append_mask(code, config, dialect);
  append_bias(code, config, dialect, has_heads);
  if (has_heads) {
    code += "B, T, d_in = batch.shape\n";
  } else if (config.mask != MaskRoute::none && config.mask != MaskRoute::custom) {
    code += fmt::format("T = {}.shape[-2]\n", input_name(config));
  }
  if (has_shared_keys(config)) {
    const auto end = steps.begin() + static_cast<std::ptrdiff_t>(projections);
    append_steps(code, {steps.begin(), end}, "");
    append_shared(code, config, dialect, "queries.shape[1]", "");
    append_steps(code, {end, steps.end()}, "");
  } else {
    append_steps(code, steps, "");
  }
  std::vector<std::string> words = {fmt::format("inputs={}", input_name(config))};
  for (const CodeStep& step : steps) words.push_back(fmt::format("{}={}", info(step.stage).id, step.name));
  code += '\n';
  append_call(code, "stages = dict(", words, ")", "");
}

}  // namespace

std::string numpy_code(const Document& document) {
  const AttentionConfig& config = document.config;
  const CodeDialect dialect = dialect_of(config);
  if (begins_with_heads(config)) return heads_code(document, dialect, true);
  check_numpy_size(config);
  Generator generator(config.seed);
  skip_words(generator, config.skip_draws);
  Tensor inputs({config.batch_size, token_count(config), input_features(config)});
  fill_inputs(inputs, config, generator, {});
  inputs.shape.erase(inputs.shape.begin());  // the code itself stacks the copies
  inputs.values.resize(static_cast<std::size_t>(element_count(inputs.shape)));
  std::string code = opening_comment(document, dialect) + std::string(dialect.imports);
  append_functions(code, config);
  code += "\n\n";
  append_dimensions(code, config);
  append_array(code, dialect, "inputs", inputs, comment_names(document));
  if (has_batch_axis(config))
    code += fmt::format("batch = np.stack([inputs] * {})  # (B, T, d_in)\n", config.batch_size);
  append_weights(code, config, dialect, draw_parameters(config, generator));
  append_numpy_dropout(code, config, dialect);
  append_stages(code, config, dialect);
  append_printing(code);
  return code;
}

}  // namespace attnscope
