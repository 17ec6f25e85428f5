#include "files/state_dict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "document/json_value.h"
#include "files/import.h"

namespace attnscope {
namespace {

constexpr Index piece_numbers = Index{1} << 20;  // numbers of a tensor that are read at a time

// Modules that PyTorch puts around others, wherever they are.
constexpr std::array<std::string_view, 4> wrapping_modules = {"_orig_mod.", "_forward_module.", "_fsdp_wrapped_module.",
                                                              "_checkpoint_wrapped_module."};

// Names under which programs save a model. A checkpoint that has several models has one of these.
constexpr std::array<std::string_view, 8> usual_wrappers = {"model", "module",  "state_dict", "model_state_dict",
                                                            "net",   "network", "weights",    "params"};

std::string without_wrapping_modules(std::string name) {
  for (const std::string_view module : wrapping_modules) {
    for (std::size_t at = name.find(module); at != std::string::npos; at = name.find(module, at)) {
      if (at > 0 && name[at - 1] != '.') {
        ++at;
      } else {
        name.erase(at, module.size());
      }
    }
  }
  return name;
}

bool is_usual(std::string_view wrapper) {
  while (!wrapper.empty()) {
    const std::string_view part = wrapper.substr(0, wrapper.find('.'));
    if (std::ranges::find(usual_wrappers, part) == usual_wrappers.end()) return false;
    wrapper.remove_prefix(std::min(part.size() + 1, wrapper.size()));
  }
  return true;
}

// Tensors that only tools of quantization write, and what their names end with.
constexpr std::pair<std::string_view, std::string_view> packings[] = {
    {".qweight", "packed in a few bits by GPTQ or AWQ"},
    {".absmax", "packed in four bits by bitsandbytes"},
    {".quant_map", "packed in four bits by bitsandbytes"},
    {".SCB", "int8 with the scales of bitsandbytes"},
    {".weight_scale_inv", "F8 with scales"},
    {".weight_scale", "quantized with scales"}};

}  // namespace

Tensors::Tensors(const ModelFiles& files, const std::vector<std::string>& names, PartWatch watch)
    : watch_(std::move(watch)) {
  const PartWatch opening = staying_at(0, watch_);
  for (const std::string& name : names) {
    const Bytes bytes = files(name);
    if (!bytes.is_there())
      throw Error(fmt::format("The weights are missing: there is no {} beside config.json.", name));
    files_.push_back(bytes);
    try {
      parts_.push_back(parse_arrays(bytes, lower_ending(name), opening));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", name, error.what()));
    }
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    for (std::size_t i = 0; i < parts_[part].arrays.size(); ++i) {
      const ArrayView& array = parts_[part].arrays[i];
      entries_.emplace(array.name, Entry{array, part, i});
    }
  }
  rename(without_wrapping_modules);
}

void Tensors::rename(const std::function<std::string(const std::string& name)>& renamed) {
  std::map<std::string, Entry, std::less<>> kept;
  for (auto& [name, entry] : entries_) {
    std::string other = renamed(name);
    if (other.empty()) continue;
    kept.emplace(std::move(other), std::move(entry));
  }
  entries_ = std::move(kept);
  count();
}

// An array with a problem has an unchecked shape.
void Tensors::count() {
  total_ = 0;
  for (const auto& [name, entry] : entries_) {
    if (entry.array.problem.empty()) total_ += element_count(entry.array.shape);
  }
}

void Tensors::refuse_packed() const {
  for (const auto& [name, entry] : entries_) {
    for (const auto& [ending, how] : packings) {
      if (!name.ends_with(ending)) continue;
      throw Error(fmt::format(
          "The weights are {}, as the tensor {} shows, and these are not read: open the model as it was before.", how,
          in_quotes(name)));
    }
  }
}

void Tensors::unwrap(std::string_view first_tensor, std::string_view prefix, std::string_view head) {
  std::vector<std::string> wrappers;
  for (const auto& [name, entry] : entries_) {
    if (!name.ends_with(first_tensor)) continue;
    std::string before = name.substr(0, name.size() - first_tensor.size());
    if (!before.empty() && before.back() != '.') continue;
    const bool has_prefix = !prefix.empty() && before.ends_with(prefix);
    // {"model": …} of a family whose own names begin with "model." has the last layer in it, too.
    const bool is_wrapper = has(before + std::string(head));
    if (has_prefix && !is_wrapper) before.resize(before.size() - prefix.size());
    wrappers.push_back(std::move(before));
  }
  refuse_packed();
  if (wrappers.empty()) return;
  if (wrappers.size() > 1) {
    const auto usual = std::stable_partition(wrappers.begin(), wrappers.end(), is_usual) - wrappers.begin();
    if (usual != 1) {
      std::vector<std::string> names;
      for (const std::string& wrapper : wrappers) names.push_back(in_quotes(wrapper));
      constexpr std::size_t most_shown = 8;
      names.resize(std::min(names.size(), most_shown));
      throw Error(fmt::format("The checkpoint has several models, whose names begin with {}: save one of them alone.",
                              fmt::join(names, ", ")));
    }
  }
  const std::string wrapper = wrappers.front();
  if (wrapper.empty()) return;
  rename([&](const std::string& name) { return name.starts_with(wrapper) ? name.substr(wrapper.size()) : ""; });
}

void Tensors::transpose(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.array.shape.size() != 2) return;
  ArrayView& array = found->second.array;
  std::swap(array.shape[0], array.shape[1]);
  array.is_fortran = !array.is_fortran;
  found->second.is_transposed = !found->second.is_transposed;
}

void Tensors::add_zeros(const std::string& name, Index size) {
  Entry made;
  made.array.name = name;
  made.array.shape = {size};
  const auto zeros = std::make_shared<const Tensor>(std::vector<Index>{size});
  made.array.bytes = {
      std::string_view(reinterpret_cast<const char*>(zeros->values.data()), zeros->values.size() * sizeof(float)),
      zeros};
  made.is_made = true;
  entries_.emplace(name, std::move(made));
}

void Tensors::take_names(const TensorNames& names) {
  unwrap(names.token_embeddings, names.prefix, names.head);
  if (!names.is_transposed) return;
  const std::string prefix = has(std::string(names.token_embeddings)) ? "" : std::string(names.prefix);
  const auto layer_name = [&](Index layer, std::string_view own) {
    return prefix + fmt::format(fmt::runtime(names.layer), layer) + std::string(own);
  };
  const ArrayView* const first = find(layer_name(0, std::string(names.qkv) + ".weight"));
  const bool is_of_linear = first && first->shape.size() == 2 && first->shape[0] == 3 * first->shape[1];
  if (!is_of_linear) return;
  const Index features = first->shape[1];
  for (Index layer = 0; has(layer_name(layer, std::string(names.qkv) + ".weight")); ++layer) {
    for (const std::string_view module : {names.qkv, names.out, names.up, names.down})
      transpose(layer_name(layer, std::string(module) + ".weight"));
    for (const std::string_view norm : {names.attention_norm, names.feed_forward_norm})  // which may lack biases
      add_zeros(layer_name(layer, norm) + std::string(names.norm_shift), features);
  }
  add_zeros(prefix + std::string(names.final_norm) + std::string(names.norm_shift), features);
}

const ArrayView* Tensors::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second.array;
}

std::optional<std::string> Tensors::said(std::string_view key) const {
  for (const NamedArrays& part : parts_) {
    for (const auto& [name, value] : part.metadata) {
      if (name == key || (name.ends_with(key) && name[name.size() - key.size() - 1] == '.')) return value;
    }
  }
  return {};
}

const Tensors::Entry& Tensors::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw Error(fmt::format("The checkpoint has no tensor {}.", in_quotes(name)));
  return found->second;
}

Tensors::PlacesInFile Tensors::places_in_file() const {
  PlacesInFile places;
  for (const auto& [name, entry] : entries_) {
    if (entry.array.name != name || entry.is_transposed) places[name] = {entry.array.name, entry.is_transposed};
  }
  return places;
}

bool Tensors::has_ending(std::string_view ending) const {
  return std::ranges::any_of(entries_, [&](const auto& each) {
    const std::string& name = each.first;
    return name.ends_with(ending) && (name.size() == ending.size() || name[name.size() - ending.size() - 1] == '.');
  });
}

std::optional<std::string> Tensors::wrapper() const {
  std::optional<std::string> before;
  for (const std::string& name : read_names_) {
    const Entry& found = entry(name);
    const std::string& own = found.array.name;
    if (found.is_transposed || !own.ends_with(name)) return {};
    const std::string own_before = own.substr(0, own.size() - name.size());
    if (before && *before != own_before) return {};
    before = own_before;
  }
  return before;
}

void Tensors::check_shape(const std::string& name, std::span<const Index> shape) const {
  const ArrayView& array = entry(name).array;
  if (!array.problem.empty()) throw Error(fmt::format("{}: {}", in_quotes(name), array.problem));
  if (!is_floating(array.type)) {
    throw Error(
        fmt::format("The tensor {} is {}: its numbers are weights only together with scales, which are not "
                    "read. Open the model as it was before it was quantized.",
                    in_quotes(name), name_of(array.type)));
  }
  if (std::ranges::equal(array.shape, shape)) return;
  throw Error(fmt::format("The tensor {} has the shape {}, but config.json asks for {}.", in_quotes(name),
                          shape_text(array.shape), shape_text(shape)));
}

void Tensors::refuse_unread(const std::string& name) const {
  throw Error(
      fmt::format("The checkpoint has the tensor {}, but the model that config.json describes has none of "
                  "this name: computed without it, the numbers would be wrong.",
                  in_quotes(name)));
}

Tensor Tensors::vector(const std::string& name, Index size) {
  const ArrayView array = checked(name, {size});
  return report(name, to_tensor(array));
}

Index Tensors::rows_at_once(Index cols) { return std::max<Index>(piece_numbers / std::max<Index>(cols, 1), 1); }

// Returns the tensor with its bytes ready to be read.
ArrayView Tensors::checked(const std::string& name, std::initializer_list<Index> shape) {
  check_shape(name, {shape.begin(), shape.size()});
  const Entry& found = entry(name);
  read_names_.insert(name);
  ArrayView array = found.array;
  if (!found.is_made) array.bytes = load(parts_[found.part], found.index).bytes;
  return array;
}

// Counts numbers that were read, from row `first` on, and refuses those that are not finite.
Tensor Tensors::report(const std::string& name, Tensor tensor, Index first) {
  read_ += tensor.size();
  if (watch_) watch_(std::min(1.0F, static_cast<float>(read_) / static_cast<float>(std::max<Index>(total_, 1))));
  const auto bad = std::ranges::find_if(tensor.values, [](float number) { return !std::isfinite(number); });
  if (bad == tensor.values.end()) return tensor;
  const Index place = bad - tensor.values.begin();
  const std::string index = tensor.shape.size() < 2
                                ? fmt::format("{}", place)
                                : fmt::format("{}, {}", first + place / tensor.cols(), place % tensor.cols());
  throw Error(fmt::format("The number [{}] of the tensor {} is {}, so nothing can be computed with it.", index,
                          in_quotes(name), std::isnan(*bad) ? "NaN" : "infinite"));
}

namespace {

// Sizes of a model as its config.json would say them.
using Sizes = Json;

Index size_of(const Tensors& tensors, std::string_view name, std::size_t axis) {
  const ArrayView* const array = tensors.find(name);
  if (!array) throw Error(fmt::format("The checkpoint has no tensor {}.", in_quotes(name)));
  if (array->shape.size() != 2) {
    throw Error(fmt::format("The tensor {} has the shape {}, but it must be a matrix.", in_quotes(name),
                            shape_text(array->shape)));
  }
  return array->shape[axis];
}

// Counts the layers whose first tensor has such a name, as in "h.{}.ln_1.weight".
Index layers_named(const Tensors& tensors, std::string_view name) {
  Index layers = 0;
  while (tensors.find(fmt::format(fmt::runtime(name), layers))) ++layers;
  return layers;
}

Index heads_or_ask(Index features, ChosenHeads heads) {
  if (heads && *heads > 0 && features % *heads == 0) return *heads;
  if (heads) {
    throw ChoiceNeeded(ChoiceNeeded::Of::num_heads,
                       fmt::format("{} heads cannot share {} features: there can be {} heads.", *heads, features,
                                   listed_options(likely_heads(features))),
                       likely_heads(features));
  }
  throw ChoiceNeeded(
      ChoiceNeeded::Of::num_heads,
      fmt::format("The shapes of these weights say every size of the model but the number of heads, which its "
                  "config.json would say; {} features can have {} heads.",
                  features, listed_options(likely_heads(features))),
      likely_heads(features));
}

// Returns a whole number that stands beside the tensors.
std::optional<Index> number_said(const Tensors& tensors, std::string_view key) {
  return number_of<Index>(tensors.said(key).value_or(""));
}

// Returns the number of heads that stands beside the tensors. Throws Error if another one was chosen.
std::optional<Index> heads_said(const Tensors& tensors, std::string_view key, ChosenHeads chosen) {
  const std::optional<Index> said = number_said(tensors, key);
  if (said && chosen && *said != *chosen)
    throw Error(fmt::format("The checkpoint says that the model has {} heads: leave the number of heads out.", *said));
  return said;
}

Sizes sizes_of_book(const Tensors& tensors, ChosenHeads heads) {
  const Index features = size_of(tensors, "tok_emb.weight", 1);
  return {{"vocab_size", size_of(tensors, "tok_emb.weight", 0)},
          {"context_length", size_of(tensors, "pos_emb.weight", 0)},
          {"emb_dim", features},
          {"n_heads", heads_or_ask(features, heads)},
          {"n_layers", layers_named(tensors, "trf_blocks.{}.att.W_query.weight")}};
}

// Sizes of GPT-2: Hugging Face's layers store weights as (in, out), nanoGPT's as (out, in), with sizes beside them.
Sizes sizes_of_gpt2(const Tensors& tensors, ChosenHeads heads) {
  const std::string before = tensors.has("wte.weight") ? "" : "transformer.";
  const auto size = [&](std::string_view name, std::size_t axis) {
    return size_of(tensors, before + std::string(name), axis);
  };
  const Index features = size("wte.weight", 1);
  const bool is_of_linear = size("h.0.attn.c_attn.weight", 1) == features;
  const std::optional<Index> said = heads_said(tensors, "model_args.n_head", heads);
  if (is_of_linear && !said) {
    throw Error(
        "These are weights of GPT-2 in the layers of nanoGPT or minGPT, which differ in their activation: put a "
        "config.json beside them that says \"activation_function\", with the sizes of the family gpt2.");
  }
  return {{"model_type", "gpt2"},
          {"vocab_size", size("wte.weight", 0)},
          {"n_positions", size("wpe.weight", 0)},
          {"n_embd", features},
          {"n_layer", layers_named(tensors, before + "h.{}.ln_1.weight")},
          {"n_head", said ? *said : heads_or_ask(features, heads)},
          {"n_inner", size("h.0.mlp.c_fc.weight", is_of_linear ? 0 : 1)},
          {"activation_function", is_of_linear ? "gelu" : "gelu_new"}};
}

constexpr std::pair<std::string_view, std::string_view> llama2c_names[] = {
    {"tok_embeddings.", "embed_tokens."},        {"output.", "lm_head."},
    {".attention.wq.", ".self_attn.q_proj."},    {".attention.wk.", ".self_attn.k_proj."},
    {".attention.wv.", ".self_attn.v_proj."},    {".attention.wo.", ".self_attn.o_proj."},
    {".feed_forward.w1.", ".mlp.gate_proj."},    {".feed_forward.w2.", ".mlp.down_proj."},
    {".feed_forward.w3.", ".mlp.up_proj."},      {".attention_norm.", ".input_layernorm."},
    {".ffn_norm.", ".post_attention_layernorm."}};

std::string as_llama_names_it(const std::string& name) {
  std::string other = name;
  for (const auto& [theirs, ours] : llama2c_names) {
    const std::size_t at = other.find(theirs);
    if (at != std::string::npos) other.replace(at, theirs.size(), ours);
  }
  return other;
}

// Sizes of Llama that its shapes leave open.
struct LlamaSizes {
  Index heads = 0;
  std::optional<Index> key_value_heads = {};
  std::optional<Index> features = {};
  std::optional<Index> head_dim = {};
  Index length = 2048;
  double epsilon = 1e-5;
  double base = 10'000;
};

// Returns those that llama2.c saves beside the tensors. Throws Error if there are none.
LlamaSizes sizes_beside(const Tensors& tensors, ChosenHeads chosen) {
  const std::optional<Index> heads = heads_said(tensors, "model_args.n_heads", chosen);
  if (!heads) {
    throw Error(
        "These are weights of Llama with the names of Meta or llama2.c, without the sizes that llama2.c saves beside "
        "them as \"model_args\" and Meta as params.json: open the whole checkpoint, put params.json beside it, or open "
        "a folder of Hugging Face's tools.");
  }
  LlamaSizes sizes{.heads = *heads};
  sizes.key_value_heads = number_said(tensors, "model_args.n_kv_heads");
  sizes.length = number_said(tensors, "model_args.max_seq_len").value_or(sizes.length);
  return sizes;
}

// Returns those of params.json, as Meta and Mistral write it. What the shapes say, too, is not read.
LlamaSizes sizes_in_params(const Bytes& bytes) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 16;
  constexpr Index most = 1'000'000'000;
  if (bytes.size() > most_bytes)
    throw Error(fmt::format("params.json has {} bytes, but at most {} are read.", bytes.size(), most_bytes));
  const std::string said = bytes.copy(0, bytes.size());
  const JsonText text(said, "params.json");
  const JsonValue root = text.root();
  if (!root.is_object()) throw Error("params.json must be an object of a model's sizes.");
  root.check_keys({"dim", "n_heads", "n_kv_heads", "head_dim", "max_seq_len", "norm_eps", "rope_theta",
                   "use_scaled_rope", "n_layers", "vocab_size", "hidden_dim", "multiple_of", "ffn_dim_multiplier",
                   "max_batch_size"});
  const auto whole = [&](std::string_view key) -> std::optional<Index> {
    const std::optional<JsonValue> value = root.find(key);
    return value && !value->is_null() ? std::optional(value->whole(1, most)) : std::nullopt;
  };
  const auto number = [&](std::string_view key, double otherwise) {
    const std::optional<JsonValue> value = root.find(key);
    if (!value || value->is_null()) return otherwise;
    (void)value->number(0, 1e12);  // throws Error for what is no such number
    return value->number();
  };
  const std::optional<JsonValue> scaled = root.find("use_scaled_rope");
  if (scaled && !scaled->is_null() && scaled->flag()) {
    throw Error(
        "params.json says that rotary positions are scaled (use_scaled_rope), but not by how much: open a folder of "
        "Hugging Face's tools, whose config.json says it.");
  }
  LlamaSizes sizes{.heads = root.needed("n_heads").whole(1, most),
                   .key_value_heads = whole("n_kv_heads"),
                   .features = whole("dim"),
                   .head_dim = whole("head_dim"),
                   .length = whole("max_seq_len").value_or(LlamaSizes{}.length),
                   .epsilon = number("norm_eps", 1e-5),
                   .base = number("rope_theta", 10'000)};
  text.finish(root);
  return sizes;
}

// Throws Error if the matrices are smaller than the sizes say, as in a checkpoint for several machines.
void check_is_whole(const Tensors& tensors, const LlamaSizes& sizes) {
  if (!sizes.features) return;
  const Index width = sizes.head_dim.value_or(*sizes.features / sizes.heads);
  const bool is_whole = size_of(tensors, "embed_tokens.weight", 1) == *sizes.features &&
                        size_of(tensors, "layers.0.self_attn.q_proj.weight", 0) == width * sizes.heads;
  if (!is_whole) {
    throw Error(
        "Its matrices are smaller than params.json says: this is a part of a checkpoint that was divided among several "
        "machines. Open a folder of Hugging Face's tools, which put them together.");
  }
}

Sizes sizes_of_llama(const Tensors& tensors, const LlamaSizes& known) {
  check_is_whole(tensors, known);
  Sizes sizes = {{"model_type", "llama"},
                 {"vocab_size", size_of(tensors, "embed_tokens.weight", 0)},
                 {"hidden_size", size_of(tensors, "embed_tokens.weight", 1)},
                 {"num_hidden_layers", layers_named(tensors, "layers.{}.self_attn.q_proj.weight")},
                 {"num_attention_heads", known.heads},
                 {"num_key_value_heads", known.key_value_heads.value_or(known.heads)},
                 {"intermediate_size", size_of(tensors, "layers.0.mlp.gate_proj.weight", 0)},
                 {"max_position_embeddings", known.length},
                 {"rms_norm_eps", known.epsilon},
                 {"rope_theta", known.base},
                 {"tie_word_embeddings", !tensors.has("lm_head.weight")}};
  if (known.head_dim) sizes["head_dim"] = *known.head_dim;
  return sizes;
}

}  // namespace

ModelConfig config_of(Tensors& tensors, ChosenHeads heads, const Bytes& params) {
  if (tensors.has_ending("tok_emb.weight")) {
    tensors.unwrap("tok_emb.weight", "", "out_head.weight");
    return parse_model_config(json_text(sizes_of_book(tensors, heads)));
  }
  if (tensors.has_ending("wte.weight")) {
    tensors.unwrap("wte.weight", "transformer.", "lm_head.weight");
    return parse_model_config(json_text(sizes_of_gpt2(tensors, heads)));
  }
  if (tensors.has_ending("tok_embeddings.weight")) {
    tensors.unwrap("tok_embeddings.weight", "", "output.weight");
    tensors.rename(as_llama_names_it);
    if (params.is_there() && heads)
      throw Error("params.json says how many heads the model has: leave the number of heads out.");
    const LlamaSizes known = params.is_there() ? sizes_in_params(params) : sizes_beside(tensors, heads);
    ModelConfig config = parse_model_config(json_text(sizes_of_llama(tensors, known)));
    if (config.shape.rope) config.shape.rope->layout = RopeLayout::interleaved;
    return config;
  }
  throw Error(
      "There is no config.json, which says how large the model is, and the shapes of its weights do not say it: put "
      "it beside them.");
}

}  // namespace attnscope
