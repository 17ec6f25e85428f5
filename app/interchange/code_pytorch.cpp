#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/dropout_bits.h"
#include "interchange/code.h"
#include "interchange/code_text.h"
#include "interchange/code_writers.h"

// The notebook's class for a mechanism, in its simplest form, and a script that builds it, runs it and prints.
namespace attnscope {
namespace {

constexpr CodeDialect in_class = {.transpose = ".transpose",
                                  .row_sum = ".sum(dim=-1, keepdim=True)",
                                  .softmax = "torch.softmax({}, dim=-1)",
                                  .masked = "{}.masked_fill({}, -torch.inf)",
                                  .mask_is_made = "",
                                  .mask = "self.mask",
                                  .ones_like = "self.dropout(torch.ones_like({}))",
                                  .output = "self.out_proj(context)"};

constexpr std::string_view upper_triangle = "torch.triu(torch.ones(T, T), diagonal=1).bool()";

std::string_view projection_name(Projection projection) {
  static constexpr std::array<std::string_view, 3> names = {"W_query", "W_key", "W_value"};
  return names.at(static_cast<std::size_t>(projection));
}

bool takes_dropout(const AttentionConfig& config) {
  return info(config.mechanism).has_dropout && !draws_dropout(config);
}

// Parameters of a constructor, or what is passed to it: "d_in" or "d_in=3".
std::vector<std::string> constructor_words(const AttentionConfig& config, bool with_heads, bool with_values) {
  const MechanismInfo& mechanism = info(config.mechanism);
  std::vector<std::string> words;
  const auto add = [&](std::string_view name, const auto& value) {
    words.push_back(with_values ? fmt::format("{}={}", name, value) : std::string(name));
  };
  add("d_in", input_features(config));
  add("d_out", config.d_out);
  if (config.mask != MaskRoute::none) add("context_length", token_count(config));
  if (takes_dropout(config)) add("dropout", python_number(config.dropout));
  if (with_heads) add("num_heads", config.num_heads);
  if (mechanism.weight_style != WeightStyle::linear) return words;
  if (with_values && !config.qkv_bias) return words;
  words.push_back(with_values ? "qkv_bias=True" : "qkv_bias=False");
  return words;
}

std::string signature(std::string_view begin, const std::vector<std::string>& words, std::string_view end) {
  return fmt::format("{}{}{}", begin, fmt::join(words, ", "), end);
}

void append_constructor(std::string& code, const AttentionConfig& config, bool splits_heads) {
  const MechanismInfo& mechanism = info(config.mechanism);
  code += signature("    def __init__(self, ", constructor_words(config, splits_heads, false), "):\n");
  code += "        super().__init__()\n";
  if (splits_heads) code += "        self.num_heads = num_heads\n";
  for (const Projection projection : config.weight_order) {
    const bool is_linear = mechanism.weight_style == WeightStyle::linear;
    code += fmt::format("        self.{} = {}\n", projection_name(projection),
                        is_linear ? "nn.Linear(d_in, d_out, bias=qkv_bias)" : "nn.Parameter(torch.rand(d_in, d_out))");
  }
  if (mechanism.has_output_projection) code += "        self.out_proj = nn.Linear(d_out, d_out)\n";
  if (takes_dropout(config)) code += "        self.dropout = nn.Dropout(dropout)\n";
  if (config.mask == MaskRoute::none) return;
  code +=
      "        later = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n"
      "        self.register_buffer(\"mask\", later.bool())  # True where a query may not look\n";
}

void append_projections(std::string& code, const AttentionConfig& config, bool splits_heads) {
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  const std::string batch = has_batch_axis(config) ? "B, " : "";
  const std::string shape = "(" + batch + (splits_heads ? "H, T, head_dim)" : "T, d_out)");
  std::vector<CodeStep> steps;
  for (const auto& [stage, weight] :
       {std::pair{Stage::queries, "W_query"}, std::pair{Stage::keys, "W_key"}, std::pair{Stage::values, "W_value"}}) {
    const std::string projected = fmt::format(fmt::runtime(is_linear ? "self.{}(x)" : "x @ self.{}"), weight);
    steps.push_back({stage, std::string(info(stage).id),
                     splits_heads ? fmt::format("self.split({})", projected) : projected, shape});
  }
  append_steps(code, steps, "        ");
}

// "queries=queries" for each stage that `forward` knows.
std::vector<std::string> stage_words(const AttentionConfig& config, const std::vector<CodeStep>& steps) {
  std::vector<std::string> words;
  if (has_stage(config, Stage::queries)) words = {"queries=queries", "keys=keys", "values=values"};
  for (const CodeStep& step : steps) words.push_back(fmt::format("{}={}", info(step.stage).id, step.name));
  return words;
}

void append_forward(std::string& code, const AttentionConfig& config, bool splits_heads) {
  code += draws_dropout(config) ? "\n    def forward(self, x, dropout_factors):\n" : "\n    def forward(self, x):\n";
  if (splits_heads) code += "        B, T, d_in = x.shape\n";
  append_projections(code, config, splits_heads);
  const std::vector<CodeStep> steps = attention_steps(config, in_class, splits_heads);
  append_steps(code, steps, "        ");
  append_call(code, "self.stages = dict(", stage_words(config, steps), ")", "        ");
  code += fmt::format("        return {}\n", steps.back().name);
}

void append_class(std::string& code, const AttentionConfig& config) {
  const bool splits_heads = info(config.mechanism).splits_heads;
  const bool is_head = config.mechanism == Mechanism::multi_head_attention_wrapper;
  const MechanismInfo& mechanism = info(is_head ? Mechanism::causal_attention : config.mechanism);
  code += fmt::format("\n\nclass {}(nn.Module):\n    \"\"\"{}\"\"\"\n\n", mechanism.notebook_class, mechanism.adds);
  append_constructor(code, config, splits_heads);
  if (splits_heads) {
    code +=
        "\n    def split(self, x):\n"
        "        B, T, d_out = x.shape\n"
        "        return x.view(B, T, self.num_heads, d_out // self.num_heads).transpose(1, 2)\n";
  }
  append_forward(code, config, splits_heads);
}

void append_wrapper(std::string& code, const AttentionConfig& config) {
  const MechanismInfo& mechanism = info(config.mechanism);
  std::vector<std::string> passed = constructor_words(config, false, false);
  passed.back() = "qkv_bias";
  code += fmt::format("\n\nclass {}(nn.Module):\n    \"\"\"{}\"\"\"\n\n", mechanism.notebook_class, mechanism.adds);
  code += signature("    def __init__(self, ", constructor_words(config, true, false), "):\n");
  code += "        super().__init__()\n";
  code += signature("        heads = [CausalAttention(", passed, ") for _ in range(num_heads)]\n");
  code += "        self.heads = nn.ModuleList(heads)\n\n";
  code += draws_dropout(config)
              ? "    def forward(self, x, dropout_factors):\n"
                "        contexts = [head(x, dropout_factors[:, h]) for h, head in enumerate(self.heads)]\n"
              : "    def forward(self, x):\n"
                "        contexts = [head(x) for head in self.heads]\n";
  code +=
      "        context = torch.cat(contexts, dim=-1)  # (B, T, H * d_out)\n"
      "        of_heads = [head.stages for head in self.heads]\n"
      "        self.stages = {name: torch.stack([stages[name] for stages in of_heads], dim=1) for name in "
      "of_heads[0]}\n";
  code += config.mask == MaskRoute::none ? "        self.stages.update(context=context)\n"
                                         : "        self.stages.update(mask=self.heads[0].mask, context=context)\n";
  code += "        return context\n";
}

void append_batch(std::string& code, const AttentionConfig& config) {
  if (!has_batch_axis(config)) return;
  const std::string copies = config.batch_size > 1 ? fmt::format("[inputs] * {}", config.batch_size) : "[inputs]";
  code += fmt::format("batch = torch.stack({})  # (B, T, d_in)\n", copies);
}

void append_skipped_draws(std::string& code, std::uint64_t count) {
  constexpr std::uint64_t piece = 1'000'000;
  if (count > piece) {
    code += fmt::format("for _ in range({}):  # numbers that are drawn and thrown away first\n    torch.rand({})\n",
                        count / piece, piece);
    count %= piece;
  }
  if (count > 0) code += fmt::format("torch.rand({})  # numbers that are drawn and thrown away first\n", count);
}

// Typed inputs, or the seed first where they are drawn.
void append_inputs_and_seed(std::string& code, const Document& document) {
  const AttentionConfig& config = document.config;
  const bool has_weights = info(config.mechanism).weight_style != WeightStyle::none;
  if (const Tensor* typed = std::get_if<Tensor>(&config.inputs)) {
    code += "inputs = torch.tensor(";
    append_list(code, *typed, "", comment_names(document));
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
    code += "weights = {  # instead of those that were drawn\n";
    for (const auto& [name, tensor] : config.weight_overrides) {
      code += fmt::format("    \"{}\": torch.tensor(", name);
      append_list(code, tensor, "    ");
      code += "),\n";
    }
    code += "}\nattention.load_state_dict(weights, strict=False)\n";
  }
  if (takes_dropout(config) && !config.training) code += "attention.eval()  # no dropout outside training\n";
}

std::string_view kernel_builds(DropoutKernel kernel) {
  return kernel == DropoutKernel::mkl ? "with Intel MKL on an Intel processor" : "without Intel MKL, or without Intel";
}

// What nn.Dropout does in builds with Intel MKL, from the one word that it takes from the generator.
constexpr std::string_view mkl_function =
    "\n\ndef kept_by_mkl(start, shape, p):\n"
    "    \"\"\"A multiplicative congruential generator from `start` on; a weight is kept where it is below 1 - "
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

// Which weights a large mask keeps: what the document's kernel computes, head by head in the wrapper.
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

void append_dropout(std::string& code, const AttentionConfig& config) {
  if (!draws_dropout(config)) return;
  code += fmt::format(
      "\n# Which weights dropout keeps. PyTorch has two kernels for it, and one seed gives them different masks. This "
      "is\n"
      "# the mask of PyTorch {}, {} so that every PyTorch prints these numbers.\n",
      kernel_builds(config.dropout_kernel), mask_is_data(config) ? "as data" : "by that kernel's arithmetic");
  if (mask_is_data(config)) {
    code += "kept = torch.tensor(";
    append_kept(code, drawn_dropout_factors(config), "");
    code += ")\n";
  } else {
    append_kept_by_kernel(code, config);
  }
  code += fmt::format("dropout_factors = kept / (1 - {})\n", python_number(config.dropout));
}

// Simple self-attention has no class: its stages are lines of the script.
std::vector<std::string> append_cells(std::string& code, const AttentionConfig& config) {
  CodeDialect dialect = in_class;
  dialect.mask = "mask";
  dialect.mask_is_made = upper_triangle;
  const std::vector<CodeStep> steps = attention_steps(config, dialect, false);
  code += '\n';
  if (config.mask != MaskRoute::none) code += fmt::format("T = {}.shape[-2]\n", input_name(config));
  append_steps(code, steps, "");
  return stage_words(config, steps);
}

void check_size(const AttentionConfig& config) {
  const Tensor* typed = std::get_if<Tensor>(&config.inputs);
  Index numbers = typed ? typed->size() : 0;
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
  check_size(config);
  const bool has_class = info(config.mechanism).weight_style != WeightStyle::none;
  std::string code = opening_comment(document, "PyTorch");
  if (uses_mkl_function(config)) code += "import math\n\n";
  code += has_class ? "import torch\nfrom torch import nn\n" : "import torch\n";
  code += "\ntorch.set_printoptions(precision=4, threshold=1000, linewidth=120, sci_mode=False)\n";
  if (has_class) append_class(code, config);
  if (config.mechanism == Mechanism::multi_head_attention_wrapper) append_wrapper(code, config);
  if (uses_mkl_function(config)) code += mkl_function;
  code += has_class ? "\n\n" : "\n";
  append_inputs_and_seed(code, document);
  if (has_class) {
    append_module(code, config);
    append_dropout(code, config);
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
