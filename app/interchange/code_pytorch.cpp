#include <fmt/format.h>

#include "core/dropout_bits.h"
#include "interchange/code.h"
#include "interchange/code_pytorch_class.h"
#include "interchange/code_text.h"
#include "interchange/code_writers.h"

// A script that builds the notebook's class for a mechanism, runs it and prints.
namespace attnscope {
namespace {

constexpr std::string_view upper_triangle = "torch.triu(torch.ones(T, T), diagonal=1).bool()";

constexpr std::string_view mask_of_zeros = "torch.zeros({}, {}, dtype=torch.bool)";

void append_batch(std::string& code, const AttentionConfig& config) {
  if (!has_batch_axis(config)) return;
  const std::string copies = config.batch_size > 1 ? fmt::format("[inputs] * {}", config.batch_size) : "[inputs]";
  code += fmt::format("batch = torch.stack({})  # (B, T, d_in)\n", copies);
}

void append_skipped_draws(std::string& code, std::uint64_t count) {
  constexpr std::uint64_t piece = 1'000'000;
  if (count > piece) {
    code += fmt::format("for _ in range({}):  # numbers that are drawn first and discarded\n    torch.rand({})\n",
                        count / piece, piece);
    count %= piece;
  }
  if (count > 0) code += fmt::format("torch.rand({})  # numbers that are drawn first and discarded\n", count);
}

// Typed inputs and then the seed; or first the seed, then inputs that are drawn.
void append_inputs_and_seed(std::string& code, const Document& document) {
  const AttentionConfig& config = document.config;
  const bool has_weights = info(config.mechanism).weight_style != WeightStyle::none;
  if (const auto* const typed = std::get_if<SharedTensor>(&config.inputs)) {
    code += "inputs = torch.tensor(";
    append_list(code, typed->copy(), "", comment_names(document));
    code += ")\n";
    append_batch(code, config);
    if (!has_weights) return;
    code += '\n';
  }
  code += fmt::format("torch.manual_seed({})\n", config.seed);
  append_skipped_draws(code, config.skip_draws);
  if (const auto* drawn = std::get_if<RandnInputs>(&config.inputs)) {
    code += fmt::format("inputs = torch.randn({}, {})  # (T, d_in)\n", drawn->tokens, drawn->features);
    append_batch(code, config);
  }
}

void append_module(std::string& code, const AttentionConfig& config) {
  const MechanismInfo& mechanism = info(config.mechanism);
  code += signature(fmt::format("attention = {}(", mechanism.notebook_class),
                    constructor_words(config, mechanism.has_heads, true), ")\n");
  if (!config.weight_overrides.empty()) {
    code += "weights = {  # replace the drawn weights\n";
    for (const auto& [name, tensor] : config.weight_overrides) {
      code += fmt::format("    \"{}\": torch.tensor(", name);
      append_list(code, tensor.copy(), "    ");
      code += "),\n";
    }
    code += "}\nattention.load_state_dict(weights, strict=False)\n";
  }
  if (takes_dropout(config) && !config.training) code += "attention.eval()  # no dropout outside training\n";
}

std::string_view kernel_builds(DropoutKernel kernel) {
  return kernel == DropoutKernel::mkl ? "with Intel MKL on an Intel processor" : "without Intel MKL, or not on Intel";
}

// nn.Dropout as in builds with Intel MKL, from the one word that it takes from the generator.
constexpr std::string_view mkl_function =
    "\n\ndef kept_by_mkl(start, shape, p):\n"
    "    \"\"\"A multiplicative congruential generator; a weight is kept where the draw is below 1 - "
    "p.\"\"\"\n"
    "    modulus, jump = 2**31 - 1, 1132489760\n"
    "    stream = torch.tensor([start])\n"
    "    while stream.numel() < math.prod(shape):\n"
    "        stream = torch.cat([stream, stream * jump % modulus])\n"
    "        jump = jump * jump % modulus\n"
    "    return (stream[: math.prod(shape)].double() / modulus < 1 - p).view(shape)\n";

bool mask_is_data(const AttentionConfig& config) {
  const Index T = token_count(config);
  return config.batch_size * head_count(config) * T * T <= max_mask_numbers;
}

bool uses_mkl_function(const AttentionConfig& config) {
  return draws_dropout(config) && !mask_is_data(config) && config.dropout_kernel == DropoutKernel::mkl;
}

// Computes which weights a large mask keeps, as the document's kernel computes, head by head in the wrapper.
void append_kept_by_kernel(std::string& code, const AttentionConfig& config) {
  const Index T = token_count(config);
  const bool has_own_heads = config.mechanism == Mechanism::multi_head_attention_wrapper;
  const std::string shape = info(config.mechanism).splits_heads
                                ? fmt::format("({}, {}, {}, {})", config.batch_size, config.num_heads, T, T)
                                : fmt::format("({}, {}, {})", config.batch_size, T, T);
  if (config.dropout_kernel == DropoutKernel::standard) {
    if (config.dropout_seed) code += fmt::format("torch.manual_seed({})\n", *config.dropout_seed);
    const std::string one = fmt::format("torch.rand({}, dtype=torch.float64)", shape);
    code += has_own_heads
                ? fmt::format("uniform = torch.stack([{} for _ in range({})], dim=1)\n", one, config.num_heads)
                : fmt::format("uniform = {}\n", one);
    code += fmt::format("kept = uniform < 1 - {}\n", config.dropout);
    return;
  }
  Generator generator = generator_before_dropout(config);
  if (!has_own_heads) {
    code += fmt::format("kept = kept_by_mkl({}, {}, p={})\n", mkl_start(generator), shape, config.dropout);
    return;
  }
  std::vector<std::string> starts;
  for (Index h = 0; h < config.num_heads; ++h) starts.push_back(fmt::format("{}", mkl_start(generator)));
  append_call(code, "starts = [", starts, "]", "");
  code += fmt::format("kept = torch.stack([kept_by_mkl(start, {}, p={}) for start in starts], dim=1)\n", shape,
                      config.dropout);
}

// A large mask is computed, and what the user set of it is put there.
void append_kept_by_user(std::string& code, const AttentionConfig& config) {
  for (const bool keeps : {false, true}) {
    std::vector<std::string> cells;
    for (const DropoutEdit& edit : acting_dropout_edits(config)) {
      if (edit.keeps != keeps || edit.head >= head_count(config)) continue;
      const std::string head = info(config.mechanism).has_heads ? fmt::format("{}, ", edit.head) : "";
      cells.push_back(fmt::format("({}, {}{}, {})", edit.batch, head, edit.query, edit.key));
    }
    if (cells.empty()) continue;
    append_call(code, "for cell in [", cells, "]:", "");
    code += fmt::format("    kept[cell] = {}\n", keeps ? "True" : "False");
  }
}

// Returns the comment above the mask in the code.
std::string comment_of_mask(const AttentionConfig& config) {
  const std::string_view how = mask_is_data(config) ? "as data" : "by that kernel's arithmetic";
  const std::string by_user =
      acting_dropout_edits(config).empty() ? "" : "# Some weights are kept or dropped by hand, whatever was drawn.\n";
  if (config.dropout <= 0) return "\n# The weights that dropout keeps: at a rate of 0 nothing is drawn.\n" + by_user;
  return fmt::format(
             "\n# The weights that dropout keeps. PyTorch has two dropout kernels, and one seed gives them different "
             "masks. This\n"
             "# is the mask of PyTorch {}, {} so that every PyTorch prints these numbers.\n",
             kernel_builds(config.dropout_kernel), how) +
         by_user;
}

void append_pytorch_dropout(std::string& code, const AttentionConfig& config) {
  if (!draws_dropout(config)) return;
  code += comment_of_mask(config);
  if (mask_is_data(config)) {
    code += "kept = torch.tensor(";
    append_kept(code, drawn_dropout_factors(config), "");
    code += ")\n";
  } else {
    append_kept_by_kernel(code, config);
    append_kept_by_user(code, config);
  }
  code += fmt::format("dropout_factors = kept / (1 - {})\n", python_number(config.dropout));
}

// Simple self-attention has no class: its stages are lines of the script.
std::vector<std::string> append_cells(std::string& code, const AttentionConfig& config) {
  CodeDialect dialect = in_class;
  dialect.mask = "mask";
  dialect.bias = "bias";
  if (config.mask != MaskRoute::custom) dialect.mask_is_made = upper_triangle;
  const std::vector<CodeStep> steps = attention_steps(config, dialect, false);
  code += '\n';
  append_mask(code, config, mask_of_zeros);
  append_bias(code, config, "torch.tensor", false);
  if (config.mask != MaskRoute::none && config.mask != MaskRoute::custom)
    code += fmt::format("T = {}.shape[-2]\n", input_name(config));
  append_steps(code, steps, "");
  return stage_words(config, steps);
}

void check_pytorch_size(const AttentionConfig& config) {
  const auto* const typed = std::get_if<SharedTensor>(&config.inputs);
  Index numbers = (typed ? typed->size() : 0) + 2 * config.hidden.range_count() + config.bias.size();
  for (const auto& [name, tensor] : config.weight_overrides) numbers += tensor.size();
  check_code_numbers(numbers, "PyTorch code", "embeddings and edited weights");
}

void append_run(std::string& code, const AttentionConfig& config) {
  code += fmt::format(
      "\nwith torch.no_grad():\n"
      "    attention({}{})\n"
      "stages = dict(inputs={}, **attention.stages)\n",
      input_name(config), draws_dropout(config) ? ", dropout_factors" : "", input_name(config));
}

}  // namespace

std::string pytorch_code(const Document& document) {
  const AttentionConfig& config = document.config;
  if (begins_with_heads(config)) return heads_code(document, in_class, false);
  check_pytorch_size(config);
  const bool has_class = info(config.mechanism).weight_style != WeightStyle::none;
  std::string code = opening_comment(document, "PyTorch");
  if (uses_mkl_function(config)) code += "import math\n\n";
  code += has_class ? "import torch\nfrom torch import nn\n" : "import torch\n";
  code += "\ntorch.set_printoptions(precision=4, threshold=1000, linewidth=120, sci_mode=False)\n";
  if (has_class) append_class(code, config);
  if (config.mechanism == Mechanism::multi_head_attention_wrapper) append_wrapper(code, config);
  if (uses_mkl_function(config)) code += mkl_function;
  if (info(config.mechanism).splits_heads && has_heads_off(config)) append_switch_off(code, config);
  code += has_class ? "\n\n" : "\n";
  append_inputs_and_seed(code, document);
  if (has_class) {
    append_mask(code, config, mask_of_zeros);
    append_bias(code, config, "torch.tensor", info(config.mechanism).splits_heads || differs_by_head(config));
    append_module(code, config);
    append_pytorch_dropout(code, config);
    append_run(code, config);
  } else {
    std::vector<std::string> words = append_cells(code, config);
    words.insert(words.begin(), fmt::format("inputs={}", input_name(config)));
    code += '\n';
    append_call(code, "stages = dict(", words, ")", "");
  }
  append_printing(code);
  return code;
}

}  // namespace attnscope
