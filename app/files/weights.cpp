#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"
#include "document/edit.h"
#include "files/array_files.h"
#include "files/import.h"

namespace attnscope {
namespace {

constexpr std::string_view mechanism_key = "attnscope.mechanism";
constexpr std::string_view heads_key = "attnscope.num_heads";

// Returns the text before "W_query" or "heads.0.W_query" in a state_dict name: "" or "trf_blocks.0.att.".
std::optional<std::string> module_of(std::string_view name) {
  for (const std::string_view ending : {"heads.0.W_query.weight", "W_query.weight", "W_query"}) {
    if (!name.ends_with(ending)) continue;
    const std::string_view module = name.substr(0, name.size() - ending.size());
    if (module.empty() || module.ends_with('.')) return std::string(module);
  }
  return std::nullopt;
}

bool is_another_head(std::string_view module) {
  const std::size_t heads = module.rfind("heads.");
  if (heads == std::string_view::npos || (heads > 0 && module[heads - 1] != '.')) return false;
  const std::string_view rest = module.substr(heads + 6);
  return rest.size() > 1 &&
         std::ranges::all_of(rest.substr(0, rest.size() - 1), [](char c) { return c >= '0' && c <= '9'; });
}

std::set<std::string> modules_in(const NamedArrays& file) {
  std::set<std::string> modules;
  for (const ArrayView& array : file.arrays) {
    const auto module = module_of(array.name);
    if (module && !is_another_head(*module)) modules.insert(*module);
  }
  return modules;
}

std::string chosen_module(const NamedArrays& file, std::string wanted) {
  const std::set<std::string> modules = modules_in(file);
  if (wanted.empty() && modules.size() == 1) return *modules.begin();
  const std::string_view whole = wanted.empty() ? "put its config.json beside it to open the whole model, or " : "";
  if (!wanted.empty() && !wanted.ends_with('.')) wanted += '.';
  if (modules.contains(wanted)) return wanted;
  constexpr std::ptrdiff_t shown = 8;
  std::vector<std::string> names;
  for (const std::string& module : modules) {
    if (std::ssize(names) < shown) names.push_back(in_quotes(module));
  }
  throw Error(fmt::format("The file has the weights of {} attention modules: {}choose one with --tensor from {}{}.",
                          modules.size(), whole, fmt::join(names, ", "),
                          std::ssize(modules) > shown ? " and so on" : ""));
}

std::optional<std::string> said_beside(const NamedArrays& file, std::string_view key) {
  for (const auto& [name, value] : file.metadata) {
    if (name == key) return value;
  }
  return std::nullopt;
}

// The arrays of one module by their names within it.
using Module = std::map<std::string, std::size_t>;

Module module_arrays(const NamedArrays& file, const std::string& prefix) {
  Module module;
  for (std::size_t i = 0; i < file.arrays.size(); ++i) {
    const std::string& name = file.arrays[i].name;
    if (name.starts_with(prefix)) module[name.substr(prefix.size())] = i;
  }
  return module;
}

Mechanism mechanism_of(const Module& module, const NamedArrays& file, const ImportChoice& choice) {
  if (module.contains("heads.0.W_query.weight")) return Mechanism::multi_head_attention_wrapper;
  if (module.contains("W_query")) return Mechanism::self_attention_v1;
  if (module.contains("out_proj.weight")) return Mechanism::multi_head_attention;
  if (module.contains("mask")) return Mechanism::causal_attention;  // a buffer that only its class has
  const auto said = said_beside(file, mechanism_key);
  for (const Mechanism candidate : {Mechanism::self_attention_v2, Mechanism::causal_attention}) {
    if (choice.mechanism ? candidate == *choice.mechanism : said == info(candidate).id) return candidate;
  }
  throw Error(
      "The weights are those of self_attention_v2 or of causal_attention, which have the same names and shapes: say "
      "which with --mechanism.");
}

Index count_of_heads(const Module& module, Mechanism mechanism, const NamedArrays& file, const ImportChoice& choice,
                     Index d_out) {
  if (mechanism == Mechanism::multi_head_attention_wrapper) {
    Index heads = 0;
    while (module.contains(fmt::format("heads.{}.W_query.weight", heads))) ++heads;
    return heads;
  }
  if (choice.num_heads) return *choice.num_heads;
  if (!info(mechanism).has_heads) return 1;
  if (const auto said = number_of<Index>(said_beside(file, heads_key).value_or(""))) return *said;
  throw Error("num_heads",
              fmt::format("The weights do not say how many heads share d_out = {}: say it with --num-heads.", d_out));
}

// The heads of keys, where W_key has fewer rows than W_query; nothing where each head has its own.
std::optional<Index> shared_heads(const Module& module, const NamedArrays& file, Index d_out, Index heads) {
  const auto found = module.find("W_key.weight");
  if (found == module.end() || heads < 1 || d_out % heads != 0) return {};
  const std::vector<Index>& shape = file.arrays[found->second].shape;
  const bool are_fewer = shape.size() == 2 && shape[0] < d_out && shape[0] % (d_out / heads) == 0;
  return are_fewer ? std::optional(shape[0] / (d_out / heads)) : std::nullopt;
}

void check_choice(Mechanism found, const ImportChoice& choice, Index heads) {
  if (choice.mechanism && *choice.mechanism != found) {
    throw Error("mechanism", fmt::format("The mechanism {} was asked for, but the weights are those of {}.",
                                         info(*choice.mechanism).id, info(found).id));
  }
  if (choice.num_heads && info(found).has_heads && *choice.num_heads != heads) {
    throw Error("num_heads",
                fmt::format("num_heads is {}, but the file has the weights of {} heads.", *choice.num_heads, heads));
  }
}

// Sets what follows from the names and shapes of a module; everything else stays as the document has it.
void take_sizes(Document& document, const Module& module, const NamedArrays& file, const ImportChoice& choice) {
  const Mechanism mechanism = mechanism_of(module, file, choice);
  const bool has_own_heads = mechanism == Mechanism::multi_head_attention_wrapper;
  const std::string layer = has_own_heads ? "heads.0.W_query" : "W_query";
  const bool is_linear = info(mechanism).weight_style == WeightStyle::linear;
  const ArrayView& query = file.arrays[module.at(is_linear ? layer + ".weight" : layer)];
  if (query.shape.size() != 2 ||
      std::ranges::any_of(query.shape, [](Index size) { return size < 1 || size > max_features; })) {
    throw Error(fmt::format("{} has the shape {}, but it must be a matrix of d_in and d_out, each from 1 to {}.",
                            in_quotes(query.name), shape_text(query.shape), max_features));
  }
  const Index d_out = query.shape[is_linear ? 0 : 1];
  const Index d_in = query.shape[is_linear ? 1 : 0];
  const Index heads = count_of_heads(module, mechanism, file, choice, d_out);
  check_choice(mechanism, choice, heads);
  document.config.weight_overrides.clear();  // all of them are in the file
  set_mechanism(document, mechanism);
  AttentionConfig& config = document.config;
  config.d_out = d_out;
  if (info(mechanism).has_heads) config.num_heads = heads;
  config.num_kv_heads = shared_heads(module, file, d_out, heads);
  keep_fitting_interventions(config);
  config.qkv_bias = module.contains(layer + ".bias");
  if (d_in == input_features(config)) return;
  if (choice.keeps_inputs) {
    throw Error("inputs",
                fmt::format("The weights take d_in = {}, but the inputs have {} dimensions: use a document with {} "
                            "numbers per token.",
                            d_in, input_features(config), d_in));
  }
  config.inputs = RandnInputs{token_count(config), d_in};
}

void refuse_unknown(const Module& module, const std::vector<ParameterShape>& shapes) {
  std::vector<std::string_view> known;
  for (const ParameterShape& shape : shapes) known.push_back(shape.name);
  for (const auto& [name, index] : module) {
    const bool is_buffer = name == "mask" || name.ends_with(".mask");
    if (is_buffer || std::ranges::find(known, name) != known.end()) continue;
    throw Error(fmt::format("The file has {}, which is not a weight of this mechanism{}", in_quotes(name),
                            known_names(name, known, ": it has ")));
  }
}

}  // namespace

bool holds_weights(const NamedArrays& file, const ImportChoice& choice) {
  return !modules_in(file).empty() && !file.find(choice.tensor);
}

// A table alone in its file may be named so and be meant as embeddings.
bool holds_parameters(const NamedArrays& file) {
  if (!modules_in(file).empty()) return true;
  return file.arrays.size() > 1 && std::ranges::any_of(file.arrays, [](const ArrayView& array) {
           const std::string_view name = array.name;
           return array.shape.size() <= 2 && (name.ends_with(".weight") || name.ends_with(".bias"));
         });
}

void refuse_parameters(const NamedArrays& file) {
  if (modules_in(file).size() == 1)
    throw Error(
        "The file has the weights of an attention module, and no attention: attnscope import makes a document of "
        "them.");
  throw Error(
      "The file has the weights of a model, and no attention: put its config.json beside it, which says the sizes of "
      "the "
      "model: vocab_size, context_length, emb_dim, n_heads and n_layers of the book's GPTModel, or \"model_type\" and "
      "the keys of its family.");
}

void import_weights(Document& document, const NamedArrays& file, const ImportChoice& choice, const UnpackWatch& watch) {
  const Module module = module_arrays(file, chosen_module(file, choice.tensor));
  Document changed = document;
  take_sizes(changed, module, file, choice);
  const std::vector<ParameterShape> shapes = parameter_shapes(changed.config);
  refuse_unknown(module, shapes);
  std::uint64_t numbers = 0;
  for (const ParameterShape& parameter : shapes)
    numbers += claimed_bytes(parameter.shape, NumberType::float32) / byte_size(NumberType::float32);
  check_fits_document(numbers);
  for (const ParameterShape& parameter : shapes) {
    const auto found = module.find(parameter.name);
    if (found == module.end()) {
      throw Error(fmt::format("The file has no tensor {}, which {} needs.", in_quotes(parameter.name),
                              info(changed.config.mechanism).id));
    }
    const ArrayView& described = file.arrays[found->second];
    if (described.shape != parameter.shape) {
      throw Error(fmt::format("{} has the shape {}, but with the other tensors it must have the shape {}.",
                              in_quotes(parameter.name), shape_text(described.shape), shape_text(parameter.shape)));
    }
    const LoadWatch parts(watch, described);
    changed.config.weight_overrides[parameter.name] =
        to_tensor(load(file, found->second, parts.unpacking), parts.converting);
  }
  if (file.forget_unpacked) file.forget_unpacked();
  check(changed);
  document = std::move(changed);
}

void export_weights(const Document& document, const std::filesystem::path& path) {
  const AttentionConfig& config = document.config;
  check(document);
  if (info(config.mechanism).weight_style == WeightStyle::none) {
    throw Error("mechanism", fmt::format("{} has no weights that could be written.", info(config.mechanism).id));
  }
  Generator generator(config.seed);
  skip_words(generator, config.skip_draws);
  Tensor inputs({1, token_count(config), input_features(config)});
  AttentionConfig single = config;
  single.batch_size = 1;
  fill_inputs(inputs, single, generator, {});  // they are drawn before the weights
  std::vector<std::pair<std::string, std::string>> beside = {
      {"format", "pt"}, {std::string(mechanism_key), std::string(info(config.mechanism).id)}};
  if (info(config.mechanism).has_heads) beside.emplace_back(heads_key, std::to_string(config.num_heads));
  write_safetensors(draw_parameters(config, generator), beside, path);
}

}  // namespace attnscope
