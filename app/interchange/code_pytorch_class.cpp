#include "interchange/code_pytorch_class.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/bias.h"
#include "core/evaluate.h"
#include "core/parameters.h"

namespace attnscope {
namespace {

std::string_view projection_name(Projection projection) { return info(stages_of(projection).weight).id; }

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
  const std::string shape = "(" + batch + (splits_heads ? "H, T, head_dim)" : "T, d_out)");
  std::vector<CodeStep> steps;
  for (const Projection projection : {Projection::query, Projection::key, Projection::value}) {
    const Stage stage = stages_of(projection).result;
    const std::string projected =
        fmt::format(fmt::runtime(is_linear ? "self.{}(x)" : "x @ self.{}"), projection_name(projection));
    steps.push_back({stage, std::string(info(stage).id),
                     splits_heads ? fmt::format("self.split({})", projected) : projected, shape});
  }
  append_steps(code, steps, "        ");
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

}  // namespace

bool takes_dropout(const AttentionConfig& config) {
  return info(config.mechanism).has_dropout && !draws_dropout(config);
}

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
  if (mechanism.weight_style != WeightStyle::linear) return words;
  if (with_values && !config.qkv_bias) return words;
  words.push_back(with_values ? "qkv_bias=True" : "qkv_bias=False");
  return words;
}

std::string signature(std::string_view begin, const std::vector<std::string>& words, std::string_view end) {
  return fmt::format("{}{}{}", begin, fmt::join(words, ", "), end);
}

std::vector<std::string> stage_words(const AttentionConfig& config, const std::vector<CodeStep>& steps) {
  std::vector<std::string> words;
  if (has_stage(config, Stage::queries)) words = {"queries=queries", "keys=keys", "values=values"};
  for (const CodeStep& step : steps) words.push_back(fmt::format("{}={}", info(step.stage).id, step.name));
  return words;
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

}  // namespace attnscope
