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

// How a module names its tensors that has queries, keys and values side by side, in this order, or in layers of other
// names than the notebooks'.
struct ModuleNames {
  std::string_view first;                    // tells that it is such a module
  std::array<std::string_view, 3> separate;  // layers of queries, keys and values; empty where they are side by side
  std::string_view bias;                     // of those side by side
  std::string_view out;                      // layer of the output
};

constexpr ModuleNames module_names[] = {
    {"in_proj_weight", {}, "in_proj_bias", "out_proj"},  // nn.MultiheadAttention
    {"c_attn.weight", {}, "c_attn.bias", "c_proj"},
    {"qkv.weight", {}, "qkv.bias", "proj"},
    {"qkv.weight", {}, "qkv.bias", "out_proj"},
    {"qkv_proj.weight", {}, "qkv_proj.bias", "o_proj"},
    {"q_proj.weight", {"q_proj", "k_proj", "v_proj"}, "", "o_proj"},
    {"q_proj.weight", {"q_proj", "k_proj", "v_proj"}, "", "out_proj"},
};

// Returns the text before a tensor that only such a module has; nothing if its other tensors are not there.
std::optional<std::string> module_with(const NamedArrays& file, const ModuleNames& names, std::string_view tensor) {
  if (!tensor.ends_with(names.first)) return {};
  std::string module(tensor.substr(0, tensor.size() - names.first.size()));
  if (!module.empty() && module.back() != '.') return {};
  if (!file.find(module + std::string(names.out) + ".weight")) return {};
  for (const std::string_view layer : names.separate) {
    if (!layer.empty() && !file.find(module + std::string(layer) + ".weight")) return {};
  }
  return module;
}

std::set<std::string> modules_in(const NamedArrays& file) {
  std::set<std::string> modules;
  for (const ArrayView& array : file.arrays) {
    const auto module = module_of(array.name);
    if (module && !is_another_head(*module)) modules.insert(*module);
    for (const ModuleNames& names : module_names) {
      if (const auto other = module_with(file, names, array.name)) modules.insert(*other);
    }
  }
  return modules;
}

std::string chosen_module(const NamedArrays& file, std::string wanted) {
  const std::set<std::string> modules = modules_in(file);
  if (wanted.empty() && modules.size() == 1) return *modules.begin();
  const bool is_open = wanted.empty();
  if (!wanted.empty() && !wanted.ends_with('.')) wanted += '.';
  if (modules.contains(wanted)) return wanted;
  constexpr std::ptrdiff_t shown = 8;
  std::vector<std::string> names;
  for (const std::string& module : modules) {
    if (std::ssize(names) < shown) names.push_back(in_quotes(module));
  }
  const std::string list = fmt::format("{}{}", fmt::join(names, ", "), std::ssize(modules) > shown ? " and so on" : "");
  if (!is_open) throw Error(fmt::format("The file has no attention module {}: it has {}.", in_quotes(wanted), list));
  throw ChoiceNeeded(ChoiceNeeded::Of::tensor,
                     fmt::format("The file has the weights of {} attention modules, {}, and one of them becomes a "
                                 "document. With its config.json beside it, the whole model opens.",
                                 modules.size(), list),
                     {modules.begin(), modules.end()});
}

std::optional<std::string> said_beside(const NamedArrays& file, std::string_view key) {
  for (const auto& [name, value] : file.metadata) {
    if (name == key) return value;
  }
  return std::nullopt;
}

// An array of a file, or some rows of it, which has the numbers of a weight.
struct WeightRows {
  std::optional<std::size_t> array = {};  // its place in the file; nothing for zeros that the file leaves out
  std::string name = {};
  std::vector<Index> shape = {};
  Index first = 0;             // the first of the rows
  bool is_part = false;        // there are other rows
  bool is_transposed = false;  // the file has the transpose
};

// The weights of one module by their names in a state_dict of the notebooks.
using Module = std::map<std::string, WeightRows>;

// Adds a layer under another name: its weight, and its bias if it has one.
void add_layer(Module& module, const NamedArrays& file, const std::string& layer, const std::string& ours,
               bool is_transposed = false) {
  for (const std::string_view part : {".weight", ".bias"}) {
    const ArrayView* const found = file.find(layer + std::string(part));
    if (!found) continue;
    WeightRows rows{static_cast<std::size_t>(found - file.arrays.data()), found->name, found->shape};
    if (is_transposed && rows.shape.size() == 2) {
      std::swap(rows.shape[0], rows.shape[1]);
      rows.is_transposed = true;
    }
    module[ours + std::string(part)] = std::move(rows);
  }
}

// Adds the thirds of an array as the queries', keys' and values'.
void add_thirds(Module& module, const NamedArrays& file, const ArrayView& array, std::string_view part,
                bool is_transposed) {
  std::vector<Index> shape = array.shape;
  if (is_transposed) std::swap(shape[0], shape[1]);
  if (shape[0] % 3 != 0) {
    throw Error(fmt::format("{} has the shape {}, but queries, keys and values should take a third of it each.",
                            in_quotes(array.name), shape_text(array.shape)));
  }
  shape[0] /= 3;
  for (Index third = 0; third < 3; ++third) {
    constexpr std::array<const char*, 3> layers = {"W_query", "W_key", "W_value"};
    module[layers.at(static_cast<std::size_t>(third)) + std::string(part)] = {
        static_cast<std::size_t>(&array - file.arrays.data()),
        array.name,
        shape,
        third * shape[0],
        true,
        is_transposed};
  }
}

// Returns the weights of a module with other names than the notebooks'.
Module other_module(const NamedArrays& file, const std::string& prefix, const ModuleNames& names) {
  Module module;
  const ArrayView& first = *file.find(prefix + std::string(names.first));
  if (first.shape.size() != 2) {
    throw Error(
        fmt::format("{} has the shape {}, but it must be a matrix.", in_quotes(first.name), shape_text(first.shape)));
  }
  // GPT-2's layers of Hugging Face store weights as (in, out).
  const bool is_side_by_side = names.separate.front().empty();
  const bool is_transposed = is_side_by_side && first.shape[1] == 3 * first.shape[0];
  if (is_side_by_side) {
    add_thirds(module, file, first, ".weight", is_transposed);
    const ArrayView* const bias = file.find(prefix + std::string(names.bias));
    if (bias && bias->shape.size() == 1) add_thirds(module, file, *bias, ".bias", false);
  } else {
    constexpr std::array<const char*, 3> ours = {"W_query", "W_key", "W_value"};
    for (std::size_t i = 0; i < ours.size(); ++i)
      add_layer(module, file, prefix + std::string(names.separate.at(i)), ours.at(i));
  }
  add_layer(module, file, prefix + std::string(names.out), "out_proj", is_transposed);
  WeightRows& bias = module["out_proj.bias"];
  if (!bias.array) bias = {{}, "out_proj.bias", {module.at("out_proj.weight").shape.front()}};
  for (const std::string_view unknown : {"bias_k", "bias_v", "q_norm.weight", "k_norm.weight"}) {
    if (const ArrayView* const found = file.find(prefix + std::string(unknown)))
      throw Error(fmt::format("The file has {}, which attention in a document does not have.", in_quotes(found->name)));
  }
  return module;
}

const ModuleNames* other_names(const NamedArrays& file, const std::string& prefix) {
  for (const ModuleNames& names : module_names) {
    if (module_with(file, names, prefix + std::string(names.first)) == prefix &&
        file.find(prefix + std::string(names.first)))
      return &names;
  }
  return nullptr;
}

Module module_arrays(const NamedArrays& file, const std::string& prefix) {
  if (const ModuleNames* const names = other_names(file, prefix)) return other_module(file, prefix, *names);
  Module module;
  for (std::size_t i = 0; i < file.arrays.size(); ++i) {
    const ArrayView& array = file.arrays[i];
    if (array.name.starts_with(prefix)) module[array.name.substr(prefix.size())] = {i, array.name, array.shape};
  }
  return module;
}

// Reads the numbers of a weight.
Tensor read_rows(const NamedArrays& file, const WeightRows& rows, const LoadWatch& parts) {
  if (!rows.array) return Tensor(rows.shape);
  ArrayView array = load(file, *rows.array, parts.unpacking);
  if (!rows.is_part && !rows.is_transposed) return to_tensor(array, parts.converting);
  if (array.shape.size() == 1) {
    const Tensor whole = to_tensor(array, parts.converting);
    const auto begin = whole.values.begin() + rows.first;
    return Tensor(rows.shape, AlignedFloats(begin, begin + rows.shape.front()));
  }
  if (rows.is_transposed) {
    std::swap(array.shape[0], array.shape[1]);
    array.is_fortran = !array.is_fortran;
  }
  return rows_to_tensor(array, rows.first, rows.shape.front(), parts.converting);
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
  throw ChoiceNeeded(
      ChoiceNeeded::Of::mechanism,
      "The weights are those of self_attention_v2 or of causal_attention, which have the same names and shapes.",
      {std::string(info(Mechanism::causal_attention).id), std::string(info(Mechanism::self_attention_v2).id)});
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
  throw ChoiceNeeded(ChoiceNeeded::Of::num_heads,
                     fmt::format("The weights do not say how many heads share d_out = {}.", d_out),
                     likely_heads(d_out));
}

// The heads of keys, where W_key has fewer rows than W_query; nothing where each head has its own.
std::optional<Index> shared_heads(const Module& module, Index d_out, Index heads) {
  const auto found = module.find("W_key.weight");
  if (found == module.end() || heads < 1 || d_out % heads != 0) return {};
  const std::vector<Index>& shape = found->second.shape;
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
  const WeightRows& query = module.at(is_linear ? layer + ".weight" : layer);
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
  config.num_kv_heads = shared_heads(module, d_out, heads);
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
  for (const auto& [name, rows] : module) {
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

namespace {

// Returns whether a name is that of a parameter: of PyTorch, of Flax, or of OpenAI's GPT-2 ("h/0/attn/c_attn/w").
bool names_parameter(const ArrayView& array) {
  const std::string_view name = array.name;
  const auto is_last = [&](std::string_view word) {
    if (!name.ends_with(word)) return false;
    const std::string_view before = name.substr(0, name.size() - word.size());
    return before.ends_with('.') || before.ends_with('/');
  };
  constexpr std::string_view last_words[] = {"weight", "bias", "kernel", "embedding", "gamma", "beta", "w", "b", "g"};
  return array.shape.size() <= 2 && std::ranges::any_of(last_words, is_last);
}

}  // namespace

// A table alone in its file may be named so and be meant as embeddings.
bool holds_parameters(const NamedArrays& file) {
  if (!modules_in(file).empty()) return true;
  return file.arrays.size() > 1 && std::ranges::any_of(file.arrays, names_parameter);
}

bool holds_model(const NamedArrays& file) {
  constexpr std::string_view tables[] = {"tok_emb.weight",         "wte.weight",
                                         "tok_embeddings.weight",  "embed_tokens.weight",
                                         "word_embeddings.weight", "embed_in.weight"};
  const auto is_table = [&](const ArrayView& array) {
    return std::ranges::any_of(tables, [&](std::string_view table) {
      return array.name.ends_with(table) &&
             (array.name.size() == table.size() || array.name[array.name.size() - table.size() - 1] == '.');
    });
  };
  constexpr std::size_t least_tensors = 5;  // of one layer and what stands around it
  return file.arrays.size() >= least_tensors && std::ranges::any_of(file.arrays, is_table);
}

void refuse_parameters(const NamedArrays& file) {
  if (modules_in(file).size() == 1)
    throw Error("The file has the weights of an attention module, and no attention: import them into a document.");
  throw Error(
      "The file has the weights of a model, and no attention: put its config.json beside it, which says the sizes of "
      "the model: vocab_size, context_length, emb_dim, n_heads and n_layers of the book's GPTModel, or \"model_type\" "
      "and the keys of its family.");
}

namespace {

// Throws Error if the numbers of a weight are no floating-point numbers.
void check_is_float(const NamedArrays& file, const WeightRows& rows) {
  if (!rows.array || !file.arrays[*rows.array].problem.empty()) return;  // which load() says
  const NumberType type = file.arrays[*rows.array].type;
  if (is_floating(type)) return;
  throw Error(
      fmt::format("{} is {}, but only floating-point numbers are weights: if the model was quantized, take it "
                  "as it was before.",
                  in_quotes(rows.name), name_of(type)));
}

// Says how the tensors of another module were read.
std::string note_about(const Document& document, const NamedArrays& file, const std::string& prefix) {
  const ModuleNames* const names = other_names(file, prefix);
  if (!names) return {};
  const std::string mask =
      document.config.mask == MaskRoute::none ? "No key is hidden from a query." : "The mask is that of the document.";
  if (!names->separate.front().empty()) return mask;
  return fmt::format("{} was split into queries, keys and values, in this order. {}", in_quotes(names->first), mask);
}

}  // namespace

std::string import_weights(Document& document, const NamedArrays& file, const ImportChoice& choice,
                           const UnpackWatch& watch) {
  const std::string prefix = chosen_module(file, choice.tensor);
  const Module module = module_arrays(file, prefix);
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
    const WeightRows& described = found->second;
    check_is_float(file, described);
    if (described.shape != parameter.shape) {
      throw Error(fmt::format("{} has the shape {}, but with the other tensors it must have the shape {}.",
                              in_quotes(parameter.name), shape_text(described.shape), shape_text(parameter.shape)));
    }
    const LoadWatch parts(watch, described.array ? file.arrays[*described.array] : ArrayView());
    changed.config.weight_overrides[parameter.name] = read_rows(file, described, parts);
  }
  if (file.forget_unpacked) file.forget_unpacked();
  check(changed);
  document = std::move(changed);
  return note_about(document, file, prefix);
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
