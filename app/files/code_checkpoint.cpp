#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/model/forward.h"
#include "core/text.h"
#include "document/json_value.h"
#include "files/code.h"
#include "files/model_config.h"

// The part of a script that loads a trained model and runs the layers below the one that is shown.
namespace attnscope {
namespace {

const ModelInputs& inputs_of(const Document& document) { return std::get<ModelInputs>(document.config.inputs); }

// Python's text for the name of a tensor, or for that of a layer's module: `layer` is a number, or "{layer}".
std::string tensor_name(const Document& document, std::string_view own) {
  return fmt::format("\"{}{}\"", document.model->checkpoint.prefix, own);
}
std::string layer_name(const Document& document, std::string_view layer) {
  return tensor_name(document, fmt::format(fmt::runtime(document.model->checkpoint.names->layer), layer));
}

bool is_pickle(const Document& document) { return !document.model->checkpoint.files.front().ends_with(".safetensors"); }

// A state dict with other names before its own may be a part of what was saved.
bool may_be_nested(const Document& document) {
  const Checkpoint& checkpoint = document.model->checkpoint;
  return is_pickle(document) && !checkpoint.prefix.empty() && checkpoint.prefix != checkpoint.names->prefix;
}

bool has_layers_below(const Document& document) { return inputs_of(document).layer > 0; }

void append_norm(std::string& code, const TensorNames& names, const TransformerShape& shape) {
  const std::string epsilon = python_number(shape.epsilon);
  const std::string_view one = shape.adds_one_to_scales ? "1 + " : "";
  code += "\n\ndef norm(x, name):\n";
  code += shape.norm == NormKind::rms ? fmt::format(
                                            "    root = torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + {})\n"
                                            "    return x * root * ({}checkpoint[name + \"{}\"])\n",
                                            epsilon, one, names.norm_scale)
                                      : fmt::format(
                                            "    scale, shift = checkpoint[name + \"{}\"], checkpoint[name + \"{}\"]\n"
                                            "    return F.layer_norm(x, scale.shape, scale, shift, eps={})\n",
                                            names.norm_scale, names.norm_shift, epsilon);
}

std::string activated(Activation activation, std::string_view hidden) {
  constexpr std::array<std::string_view, 4> calls = {"F.gelu({})", "F.gelu({}, approximate=\"tanh\")", "F.silu({})",
                                                     "F.relu({})"};
  return fmt::format(fmt::runtime(calls.at(static_cast<std::size_t>(activation))), hidden);
}

void append_feed_forward(std::string& code, const TensorNames& names, const TransformerShape& shape) {
  const auto linear = [](std::string_view x, std::string_view module) {
    return fmt::format("F.linear({}, *linear(name + \"{}\"))", x, module);
  };
  code += "\n\ndef feed_forward(x, name):\n";
  if (!names.gate_and_up.empty()) {
    code += fmt::format("    gate, up = {}.chunk(2, dim=-1)\n", linear("x", names.gate_and_up));
    code += fmt::format("    hidden = {} * up\n", activated(shape.activation, "gate"));
  } else {
    code += fmt::format("    hidden = {}\n",
                        activated(shape.activation, linear("x", shape.is_gated ? names.gate : names.up)));
    if (shape.is_gated) code += fmt::format("    hidden = hidden * {}\n", linear("x", names.up));
  }
  code += fmt::format("    return {}\n", linear("hidden", names.down));
}

// Appends what a layer makes of x, which goes into the one above it.
void append_layer_below(std::string& code, const TensorNames& names, LayerOrder order) {
  const auto norm = [](std::string_view x, std::string_view module) {
    return fmt::format("norm({}, name + \"{}\")", x, module);
  };
  const auto attended = [](std::string_view x) { return fmt::format("trained(below, name)({}[None])[0]", x); };
  const auto fed = [](std::string_view x) { return fmt::format("feed_forward({}, name)", x); };
  const std::string first = norm("x", names.attention_norm);
  const std::string second = norm("x", names.feed_forward_norm);
  switch (order) {
    case LayerOrder::norm_first:
      code += fmt::format("        x = x + {}\n        x = x + {}\n", attended(first), fed(second));
      return;
    case LayerOrder::side_by_side:
      code += fmt::format("        x = x + {} + {}\n", attended(first), fed(second));
      return;
    case LayerOrder::norm_last:
      code += fmt::format("        x = {}\n", norm("x + " + attended("x"), names.attention_norm));
      code += fmt::format("        x = {}\n", norm("x + " + fed("x"), names.feed_forward_norm));
      return;
    case LayerOrder::norm_around:
      code += fmt::format("        x = x + {}\n", norm(attended(first), names.attention_out_norm));
      code += fmt::format("        x = x + {}\n", norm(fed(second), names.feed_forward_out_norm));
      return;
  }
}

}  // namespace

std::string reason_for_data(const Document& document) {
  const ModelInputs& inputs = inputs_of(document);
  if (document.model->weights->drawn_by) return "the model is untrained: its numbers are in no file";
  if (document.model->checkpoint.files.empty()) return "the model comes with attnscope and has no file of its own";
  if (inputs.changed && inputs.changed->begin()->first < inputs.layer) return "layers below it are changed";
  if (!document.model->checkpoint.names) return "its file names or stores the tensors in another way than its family";
  const TransformerShape& shape = document.model->weights->shape;
  for (Index layer = 0; layer < inputs.layer; ++layer) {
    if (shape.window_of(layer) != shape.window_of(inputs.layer)) return "layers below it have another sliding window";
    if (shape.rope_of(layer) != shape.rope_of(inputs.layer)) return "layers below it have other rotary positions";
  }
  const bool has_sizes = std::ranges::all_of(parameter_shapes(document.config), [&](const ParameterShape& parameter) {
    const Tensor* const trained = trained_parameter(document.config, parameter.name);
    return !trained || trained->shape == parameter.shape;
  });
  const bool turns_alike = document.config.rope == original_layer_config(inputs, inputs.layer).rope;
  if (has_sizes && (turns_alike || !has_layers_below(document))) return {};
  return "its sizes or rotary positions are not those of the model";
}

void append_checkpoint_imports(std::string& code, const Document& document) {
  code += "import torch.nn.functional as F\n";
  if (!is_pickle(document)) code += "from safetensors.torch import load_file\n";
}

void append_checkpoint_functions(std::string& code, const Document& document) {
  const TransformerShape& shape = document.model->weights->shape;
  const TensorNames& names = *document.model->checkpoint.names;
  if (may_be_nested(document)) {
    code +=
        "\n\ndef tensors_in(value, name=\"\"):  # of the dicts in it, by their names\n"
        "    if isinstance(value, torch.Tensor):\n"
        "        return {name: value}\n"
        "    tensors = {}\n"
        "    for key, part in value.items() if isinstance(value, dict) else []:\n"
        "        tensors.update(tensors_in(part, f\"{name}.{key}\" if name else str(key)))\n"
        "    return tensors\n";
  }
  code += fmt::format(
      "\n\ndef linear(name):  # the weight and the bias of a module of the checkpoint, as nn.Linear has them\n"
      "    weight = checkpoint[name + \".weight\"]{}\n"
      "    return weight, checkpoint.get(name + \".bias\", torch.zeros(len(weight)))\n",
      names.is_transposed ? ".T  # which is stored as (in, out)" : "");
  code += "\n\ndef trained(attention, name):  # with the weights of a layer of the checkpoint\n";
  if (names.separate_projections()) {
    code +=
        fmt::format("    modules = [\"{}\", \"{}\", \"{}\", \"{}\"]\n", names.query, names.key, names.value, names.out);
    code += "    tensors = [linear(name + module) for module in modules]\n";
  } else if (names.qkv_places == QkvPlaces::head_by_head) {
    code += fmt::format(
        "    weight, bias = linear(name + \"{0}\")  # of queries, keys and values, head by head\n"
        "    weight, bias = weight.view({1}, 3, {2}, -1), bias.view({1}, 3, {2})\n"
        "    tensors = [(weight[:, i].flatten(0, 1), bias[:, i].flatten()) for i in range(3)]\n"
        "    tensors.append(linear(name + \"{3}\"))\n",
        names.qkv, shape.heads, shape.head_dim, names.out);
  } else {
    const Index keys = shape.key_value_heads * shape.head_dim;
    const std::string sizes = shape.key_value_heads == shape.heads
                                  ? std::string("chunk(3)")
                                  : fmt::format("split([{}, {}, {}])", shape.heads * shape.head_dim, keys, keys);
    code += fmt::format(
        "    weight, bias = linear(name + \"{0}\")  # of queries, keys and values\n"
        "    tensors = [*zip(weight.{2}, bias.{2}), linear(name + \"{1}\")]\n",
        names.qkv, names.out, sizes);
  }
  code +=
      "    for own, (weight, bias) in zip([\"W_query\", \"W_key\", \"W_value\", \"out_proj\"], tensors):\n"
      "        attention.load_state_dict({own + \".weight\": weight, own + \".bias\": bias}, strict=False)\n";
  if (shape.has_qk_norm) {
    code += fmt::format(
        "    for own, module in [(\"q_norm\", \"{}\"), (\"k_norm\", \"{}\")]:\n"
        "        attention.load_state_dict({{own + \".weight\": {}checkpoint[name + module + \".weight\"]}}, "
        "strict=False)\n",
        names.query_norm, names.key_norm, shape.adds_one_to_scales ? "1 + " : "");
  }
  code += "    return attention\n";
  append_norm(code, names, shape);
  if (has_layers_below(document)) append_feed_forward(code, names, shape);
}

void append_loading(std::string& code, const Document& document) {
  const Checkpoint& checkpoint = document.model->checkpoint;
  const std::string_view load = may_be_nested(document) ? "tensors_in(torch.load({}, weights_only=True))"
                                : is_pickle(document)   ? "torch.load({}, weights_only=True)"
                                                        : "load_file({})";
  const auto loaded = [&](const std::string& file) { return fmt::format(fmt::runtime(load), file); };
  if (checkpoint.files.size() == 1) {
    code += fmt::format("checkpoint = {}\n", loaded(json_string(checkpoint.files.front())));
  } else {
    std::vector<std::string> names;
    for (const std::string& file : checkpoint.files) names.push_back(json_string(file));
    code += "checkpoint = {}\n";
    append_call(code, "for file in [", names, "]:", "");
    code += fmt::format("    checkpoint.update({})\n", loaded("file"));
  }
  code += "checkpoint = {name: tensor.float() for name, tensor in checkpoint.items()}\n";
  std::vector<std::string> tokens;
  for (const Index token : inputs_of(document).tokens) tokens.push_back(fmt::format("{}", token));
  if (!document.text.empty()) code += fmt::format("\n# {}\n", in_quotes(document.text));
  append_call(code, "tokens = torch.tensor([", tokens, "])", "");
}

void append_layers_below(std::string& code, const Document& document, std::string_view attention) {
  const TransformerShape& shape = document.model->weights->shape;
  const TensorNames& names = *document.model->checkpoint.names;
  const bool is_norm_last = shape.order == LayerOrder::norm_last;
  code += fmt::format("x = checkpoint[{}][tokens]", tensor_name(document, names.token_embeddings));
  if (shape.embedding_scale != 1) code += fmt::format(" * {}", python_number(shape.embedding_scale));
  if (!shape.rope) {
    const std::string table = tensor_name(document, names.position_embeddings);
    code += names.first_position == 0
                ? fmt::format(" + checkpoint[{}][: len(tokens)]", table)
                : fmt::format(" + checkpoint[{}][{} :][: len(tokens)]", table, names.first_position);
  }
  if (shape.has_token_types) code += fmt::format(" + checkpoint[{}][0]", tensor_name(document, names.token_types));
  code += "  # (T, d_in)\n";
  if (shape.has_embedding_norm) code += fmt::format("x = norm(x, {})\n", tensor_name(document, names.embedding_norm));
  if (has_layers_below(document)) {
    code += fmt::format(
        "with torch.no_grad():\n"
        "    for layer in range({}):  # those below\n"
        "        name = f{}\n"
        "        below = {}\n",
        inputs_of(document).layer, layer_name(document, "{layer}"), attention);
    append_layer_below(code, names, shape.order);
  }
  code += fmt::format("\nname = {}\n", layer_name(document, fmt::format("{}", inputs_of(document).layer)));
  code += is_norm_last ? std::string("inputs = x  # (T, d_in), normalized by the layer below\n")
                       : fmt::format("inputs = norm(x, name + \"{}\")  # (T, d_in)\n", names.attention_norm);
}

}  // namespace attnscope
