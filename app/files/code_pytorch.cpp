#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/dropout.h"
#include "core/model/forward.h"
#include "core/parameters.h"
#include "core/rope.h"
#include "core/visibility.h"
#include "files/code.h"

// A script that builds the notebook's class for a mechanism, runs it and prints.
namespace attnscope {
namespace {

// The class, in its simplest form.

// Inside of a class: the mask is a buffer, dropout a layer.
constexpr CodeDialect in_class = {
    .library = "PyTorch",
    .module = "torch",
    .imports = "import torch\n\ntorch.set_printoptions(precision=4, threshold=1000, linewidth=120, sci_mode=False)\n",
    .array = "torch.tensor(",
    .array_end = ")",
    .zeros = "torch.zeros({}, {}, dtype=torch.bool)",
    .later = "torch.triu(torch.ones({}, {}), diagonal={}).bool()",
    .arange = "torch.arange",
    .transpose = ".transpose",
    .norm = "self.{1}({0})",
    .row_sum = ".sum(dim=-1, keepdim=True)",
    .softmax = "torch.softmax({}, dim=-1)",
    .zero_rows = ".masked_fill({}.isneginf().all(dim=-1, keepdim=True), 0.0)",
    .masked = "{}.masked_fill({}, -torch.inf)",
    .mask_is_made = "",
    .mask = "self.mask",
    .bias = "self.bias",
    .ones_like = "self.dropout(torch.ones_like({}))",
    .output = "self.out_proj(context)"};

// Whether the class has nn.Dropout; else it takes the factors as data, or has no dropout.
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
  if (config.mask == MaskRoute::custom) {
    add("mask", "mask");
  } else if (config.mask != MaskRoute::none) {
    add("context_length", token_count(config));
  }
  if (has_bias(config)) add("bias", "bias");
  if (takes_dropout(config)) add("dropout", python_number(config.dropout));
  if (with_heads) add("num_heads", config.num_heads);
  if (with_heads && has_shared_keys(config)) add("num_kv_heads", key_value_heads(config));
  if (mechanism.weight_style != WeightStyle::linear) return words;
  if (with_values && !config.qkv_bias) return words;
  words.push_back(with_values ? "qkv_bias=True" : "qkv_bias=False");
  return words;
}

// Words with commas between them, in a call or a definition.
std::string signature(std::string_view begin, const std::vector<std::string>& words, std::string_view end) {
  return fmt::format("{}{}{}", begin, fmt::join(words, ", "), end);
}

std::string_view projection_name(Projection projection) { return info(stages_of(projection).weight).id; }

// Whether a trained model's heads together are of another width than what goes into them and what comes out.
bool returns_to_inputs(const AttentionConfig& config) {
  const auto weight = config.weight_overrides.find("out_proj.weight");
  return (weight == config.weight_overrides.end() ? output_features(config) : weight->second.rows()) != config.d_out;
}

void append_constructor(std::string& code, const AttentionConfig& config, bool splits_heads) {
  const MechanismInfo& mechanism = info(config.mechanism);
  code += signature("    def __init__(self, ", constructor_words(config, splits_heads, false), "):\n");
  code += "        super().__init__()\n";
  if (splits_heads) code += "        self.num_heads = num_heads\n";
  if (has_shared_keys(config))
    code +=
        "        self.head_dim = d_out // num_heads\n"
        "        d_kv = num_kv_heads * self.head_dim\n";
  for (const Projection projection : config.weight_order) {
    const bool is_linear = mechanism.weight_style == WeightStyle::linear;
    const bool is_shared = has_shared_keys(config) && projection != Projection::query;
    code += fmt::format("        self.{} = {}\n", projection_name(projection),
                        is_shared   ? "nn.Linear(d_in, d_kv, bias=qkv_bias)"
                        : is_linear ? "nn.Linear(d_in, d_out, bias=qkv_bias)"
                                    : "nn.Parameter(torch.rand(d_in, d_out))");
  }
  if (has_qk_norm(config)) {
    for (const Stage gain : {Stage::query_gain, Stage::key_gain})
      code += fmt::format("        self.{} = RMSNorm(d_out // num_heads)\n", info(gain).id);
  }
  if (mechanism.has_output_projection) {
    code += fmt::format("        self.out_proj = nn.Linear(d_out, {})\n", returns_to_inputs(config) ? "d_in" : "d_out");
  }
  if (takes_dropout(config)) code += "        self.dropout = nn.Dropout(dropout)\n";
  if (has_bias(config)) code += "        self.register_buffer(\"bias\", bias)  # added to the scores\n";
  if (config.mask == MaskRoute::none) return;
  if (config.mask == MaskRoute::custom) {
    code += "        self.register_buffer(\"mask\", mask)  # True where a query may not look\n";
    return;
  }
  code +=
      "        later = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n"
      "        self.register_buffer(\"mask\", later.bool())  # True where a query may not look\n";
}

void append_projections(std::string& code, const AttentionConfig& config, bool splits_heads) {
  const bool is_linear = info(config.mechanism).weight_style == WeightStyle::linear;
  const std::string batch = has_batch_axis(config) ? "B, " : "";
  const StageCode stage_code{config, in_class, splits_heads};
  std::vector<CodeStep> steps;
  for (const Projection projection : {Projection::query, Projection::key, Projection::value}) {
    const Stage stage = stages_of(projection).result;
    const std::string projected =
        fmt::format(fmt::runtime(is_linear ? "self.{}(x)" : "x @ self.{}"), projection_name(projection));
    steps.push_back({stage, std::string(info(stage).id),
                     splits_heads ? fmt::format("self.split({})", projected) : projected, stage_code.shape(stage)});
  }
  append_steps(code, steps, "        ");
  append_shared(code, config, in_class, "self.num_heads", "        ");
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

void append_class(std::string& code, const AttentionConfig& config, std::string_view name) {
  const bool splits_heads = info(config.mechanism).splits_heads;
  const bool is_head = config.mechanism == Mechanism::multi_head_attention_wrapper;
  const MechanismInfo& mechanism = info(is_head ? Mechanism::causal_attention : config.mechanism);
  code += fmt::format("\n\nclass {}(nn.Module):\n    \"\"\"{}\"\"\"\n\n",
                      name.empty() ? mechanism.notebook_class : name, mechanism.adds);
  append_constructor(code, config, splits_heads);
  if (splits_heads) {
    code +=
        "\n    def split(self, x):\n"
        "        B, T, d_out = x.shape\n";
    code += has_shared_keys(config)
                ? "        return x.view(B, T, -1, self.head_dim).transpose(1, 2)\n"
                : "        return x.view(B, T, self.num_heads, d_out // self.num_heads).transpose(1, 2)\n";
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
  const bool has_own_bias = differs_by_head(config);
  if (has_own_bias) std::ranges::replace(passed, "bias", "bias[..., h, :, :]");
  code += signature("        heads = [CausalAttention(", passed,
                    has_own_bias ? ") for h in range(num_heads)]\n" : ") for _ in range(num_heads)]\n");
  code += "        self.heads = nn.ModuleList(heads)\n\n";
  code += draws_dropout(config)
              ? "    def forward(self, x, dropout_factors):\n"
                "        contexts = [head(x, dropout_factors[:, h]) for h, head in enumerate(self.heads)]\n"
              : "    def forward(self, x):\n"
                "        contexts = [head(x) for head in self.heads]\n";
  if (has_heads_off(config)) {
    code += fmt::format(
        "        for h in [{}]:  # switched off, also in their stages\n"
        "            contexts[h].zero_()\n",
        fmt::join(config.heads_off, ", "));
  }
  code +=
      "        context = torch.cat(contexts, dim=-1)  # (B, T, H * d_out)\n"
      "        of_heads = [head.stages for head in self.heads]\n"
      "        self.stages = {name: torch.stack([stages[name] for stages in of_heads], dim=1) for name in "
      "of_heads[0]}\n";
  code += config.mask == MaskRoute::none ? "        self.stages.update(context=context)\n"
                                         : "        self.stages.update(mask=self.heads[0].mask, context=context)\n";
  code += "        return context\n";
}

// The script.

constexpr std::string_view upper_triangle = "torch.triu(torch.ones(T, T), diagonal=1).bool()";

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

void append_seed(std::string& code, const AttentionConfig& config) {
  code += fmt::format("torch.manual_seed({})\n", config.seed);
  append_skipped_draws(code, config.skip_draws);
}

// Typed inputs and then the seed; or first the seed, then inputs that are drawn.
void append_inputs_and_seed(std::string& code, const Document& document) {
  const AttentionConfig& config = document.config;
  const bool has_weights = info(config.mechanism).weight_style != WeightStyle::none;
  if (const auto* const typed = std::get_if<SharedTensor>(&config.inputs)) {
    append_dimensions(code, config);
    append_array(code, in_class, "inputs", typed->copy(), comment_names(document));
    append_batch(code, config);
    if (!has_weights) return;
    code += '\n';
  }
  append_seed(code, config);
  if (const auto* drawn = std::get_if<RandnInputs>(&config.inputs)) {
    append_dimensions(code, config);
    code += fmt::format("inputs = torch.randn({}, {})  # (T, d_in)\n", drawn->tokens, drawn->features);
    append_batch(code, config);
  }
}

// Returns the call of a class's constructor.
std::string construction(const AttentionConfig& config, std::string_view class_name) {
  return signature(fmt::format("{}(", class_name), constructor_words(config, info(config.mechanism).has_heads, true),
                   ")");
}

void append_module(std::string& code, const AttentionConfig& config, std::string_view class_name) {
  const bool is_trained = std::holds_alternative<ModelInputs>(config.inputs);
  code += fmt::format("attention = {}\n", construction(config, class_name));
  if (is_trained) code += "trained(attention, name)\n";
  if (!config.weight_overrides.empty()) {
    code += fmt::format("weights = {{  # replace the {} weights\n", is_trained ? "trained" : "drawn");
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
    if (config.dropout_seed) {
      code += fmt::format("torch.manual_seed({})\n", *config.dropout_seed);
    } else if (std::holds_alternative<ModelInputs>(config.inputs)) {
      append_seed(code, config);
    }
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
  if (mask_is_data(config)) return append_kept(code, config, in_class);
  append_kept_by_kernel(code, config);
  append_kept_by_user(code, config);
  append_factors(code, config);
}

// Simple self-attention has no class: its stages are lines of the script.
std::vector<std::string> append_cells(std::string& code, const AttentionConfig& config) {
  CodeDialect dialect = in_class;
  dialect.mask = "mask";
  dialect.bias = "bias";
  if (config.mask != MaskRoute::custom) dialect.mask_is_made = upper_triangle;
  const std::vector<CodeStep> steps = attention_steps(config, dialect, false);
  code += '\n';
  append_mask(code, config, in_class);
  append_bias(code, config, in_class, false);
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

// Returns how the layers below a trained model's layer attend, or this one if it is the first.
AttentionConfig config_of_layers_below(const AttentionConfig& config) {
  const auto& inputs = std::get<ModelInputs>(config.inputs);
  if (inputs.layer == 0) return config;
  AttentionConfig below = original_layer_config(inputs, inputs.layer);
  write_window_as_ranges(below);
  return below;
}

// Writes a class, and before it that of the layers below where they differ. Returns the name of the first.
std::string append_classes(std::string& code, const AttentionConfig& config, const AttentionConfig& below) {
  std::string own;
  std::string other;
  append_class(own, config, {});
  append_class(other, below, {});
  code += other;
  if (own == other) return std::string(info(config.mechanism).notebook_class);
  std::string constructor;
  std::string constructor_below;
  append_constructor(constructor, config, true);
  append_constructor(constructor_below, below, true);
  if (constructor == constructor_below) {
    code += "\n\nclass EditedAttention(MultiHeadAttention):\n    \"\"\"The layer that is shown.\"\"\"\n";
    append_forward(code, config, true);
  } else {
    append_class(code, config, "EditedAttention");
  }
  return "EditedAttention";
}

// Writes a trained model's layer: the checkpoint, the text, the layers below, and the mask.
void append_model(std::string& code, const Document& document, const AttentionConfig& below) {
  append_loading(code, document);
  append_mask(code, below, in_class);
  append_layers_below(code, document, construction(below, info(below.mechanism).notebook_class));
  append_batch(code, document.config);
  if (below.hidden != document.config.hidden) append_mask(code, document.config, in_class);
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
  std::string code = opening_comment(document, in_class);
  if (uses_mkl_function(config)) code += "import math\n\n";
  code += has_class ? "import torch\nfrom torch import nn\n" : "import torch\n";
  if (document.model) append_checkpoint_imports(code, document);
  code += "\ntorch.set_printoptions(precision=4, threshold=1000, linewidth=120, sci_mode=False)\n";
  const AttentionConfig below = document.model ? config_of_layers_below(config) : config;
  append_rms_norm(code, has_qk_norm(config) ? config : below, false);
  const std::string class_name = has_class ? append_classes(code, config, below) : "";
  if (config.mechanism == Mechanism::multi_head_attention_wrapper) append_wrapper(code, config);
  if (uses_mkl_function(config)) code += mkl_function;
  if (info(config.mechanism).splits_heads && has_heads_off(config)) append_switch_off(code, config);
  append_rotate(code, config, false);
  if (document.model) append_checkpoint_functions(code, document);
  code += has_class ? "\n\n" : "\n";
  document.model ? append_model(code, document, below) : append_inputs_and_seed(code, document);
  if (has_class) {
    if (!document.model) append_mask(code, config, in_class);
    append_bias(code, config, in_class, info(config.mechanism).splits_heads || differs_by_head(config));
    append_module(code, config, class_name);
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
