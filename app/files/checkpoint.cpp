#include "files/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <thread>

#include "assets/assets.h"
#include "core/error.h"
#include "core/text.h"
#include "document/json_value.h"
#include "files/model_config.h"
#include "files/tokenizer.h"
#include "platform/system/file.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* config_file = "config.json";
constexpr const char* one_checkpoint = "model.safetensors";
constexpr const char* checkpoint_index = "model.safetensors.index.json";
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 26;  // the largest index or tokenizer that is read
constexpr std::uint64_t most_config_bytes = std::uint64_t{1} << 22;
constexpr Index piece_numbers = Index{1} << 20;                // numbers of a tensor that are read at a time
constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;  // bytes of a checkpoint that are hashed at a time

std::string text_of(const Bytes& bytes, const std::string& name, const PartWatch& watch,
                    std::uint64_t most = most_text_bytes) {
  if (bytes.size() > most)
    throw Error(fmt::format("{} has {} bytes, but at most {} are read.", name, bytes.size(), most));
  if (watch) watch(0);
  return bytes.copy(0, bytes.size());
}

// Returns the names of the files of a checkpoint, in their order.
std::vector<std::string> checkpoint_files(const ModelFiles& files, const std::string& weights,
                                          const PartWatch& watch = {}) {
  if (!weights.empty()) return {weights};
  const Bytes index = files(checkpoint_index);
  if (!index.is_there()) return {one_checkpoint};
  const std::string bytes = text_of(index, checkpoint_index, watch);
  const JsonText text(bytes, checkpoint_index, watch);
  const JsonValue root = text.root();
  const JsonValue map = root.needed("weight_map");
  std::set<std::string> names;
  for (JsonItems items(map); const JsonValue* item = items.next();) {
    const std::string name = item->text("the name of a file");
    if (name.find('/') != std::string::npos || !name.ends_with(".safetensors"))
      item->refuse("the name of a .safetensors beside it");
    names.insert(name);
  }
  return {names.begin(), names.end()};
}

// Throws Error if a file was made shorter meanwhile, and Cancelled if nobody needs the hash any more.
std::string sha256_of(const std::vector<Bytes>& parts, const std::stop_token& stop) {
  const std::unique_ptr<GChecksum, decltype(&g_checksum_free)> sum(g_checksum_new(G_CHECKSUM_SHA256), g_checksum_free);
  for (const Bytes& part : parts) {
    BytesReader reader(part);
    for (std::uint64_t first = 0; first < part.size(); first += piece_bytes) {
      if (stop.stop_requested()) throw Cancelled{};
      const std::uint64_t count = std::min(piece_bytes, part.size() - first);
      const char* const bytes = reader.at(first, count);
      if (!bytes) fail_as_shortened();
      g_checksum_update(sum.get(), reinterpret_cast<const guchar*>(bytes), static_cast<gssize>(count));
    }
  }
  return g_checksum_get_string(sum.get());
}

// Hashes on a thread of its own, because that takes longer than to read the numbers.
void hash_in_background(Checkpoint& checkpoint, std::vector<Bytes> parts) {
  static constexpr std::chrono::milliseconds between_looks{20};
  std::packaged_task<std::string(std::stop_token)> work(
      [parts = std::move(parts)](const std::stop_token& stop) { return sha256_of(parts, stop); });
  const std::shared_future<std::string> hash = work.get_future();
  const auto thread = std::make_shared<std::jthread>(std::move(work));  // which the last copy of the model stops
  const auto is_hashed = [hash, thread](std::chrono::milliseconds patience) {
    return hash.wait_for(patience) == std::future_status::ready;
  };
  checkpoint.is_hashed = [is_hashed] { return is_hashed({}); };
  checkpoint.sha256 = [hash, is_hashed](const PartWatch& watch) {
    while (watch && !is_hashed(between_looks)) watch(1);
    return hash.get();
  };
}

// All tensors of a checkpoint, in one file or several, and what is left to read of them.
class Tensors {
public:
  Tensors(const ModelFiles& files, const std::string& weights, PartWatch watch) : watch_(std::move(watch)) {
    const PartWatch opening = staying_at(0, watch_);
    for (const std::string& name : checkpoint_files(files, weights, opening)) {
      const Bytes bytes = files(name);
      if (!bytes.is_there())
        throw Error(fmt::format("The weights are missing: there is no {} beside config.json.", name));
      files_.push_back(bytes);
      try {
        parts_.push_back(parse_arrays(bytes, fs::path(name).extension().string(), opening));
      } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()));
      }
    }
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      for (std::size_t i = 0; i < parts_[part].arrays.size(); ++i) {
        const ArrayView& array = parts_[part].arrays[i];
        places_.emplace(array.name, std::pair(part, i));
        // An array with a problem has an unchecked shape.
        if (array.problem.empty()) total_ += element_count(array.shape);
      }
    }
  }

  const std::vector<Bytes>& files() const { return files_; }
  bool has(const std::string& name) const { return places_.contains(name); }

  // Throws Error if a tensor is missing or has another shape, before memory is taken for it.
  void check_shape(const std::string& name, std::span<const Index> shape) const {
    const ArrayView& array = view(name);
    if (std::ranges::equal(array.shape, shape)) return;
    throw Error(fmt::format("The tensor {} has the shape {}, but config.json asks for {}.", in_quotes(name),
                            shape_text(array.shape), shape_text(shape)));
  }

  // Throws Error if a tensor whose name begins so was not read, and `is_constant` is not true of the rest of its name.
  template <typename Check>
  void check_all_are_read(const std::string& beginning, const Check& is_constant) const {
    for (auto place = places_.lower_bound(beginning); place != places_.end(); ++place) {
      const std::string& name = place->first;
      if (!name.starts_with(beginning)) return;
      if (read_names_.contains(name) || is_constant(std::string_view(name).substr(beginning.size()))) continue;
      throw Error(
          fmt::format("The checkpoint has the tensor {}, but the model that config.json describes has none of "
                      "this name: computed without it, the numbers would be wrong.",
                      in_quotes(name)));
    }
  }

  // Reads a vector of so many numbers.
  Tensor vector(const std::string& name, Index size) {
    const ArrayView array = checked(name, {size});
    return report(name, to_tensor(array));
  }

  // Calls visit(rows, first) for some rows of a matrix after the other.
  template <typename Visit>
  void for_each_rows(const std::string& name, Index rows, Index cols, const Visit& visit) {
    const ArrayView array = checked(name, {rows, cols});
    const Index step = std::max<Index>(piece_numbers / std::max<Index>(cols, 1), 1);
    for (Index first = 0; first < rows; first += step) {
      visit(report(name, rows_to_tensor(array, first, std::min(step, rows - first)), first), first);
    }
  }

private:
  const ArrayView& view(const std::string& name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) throw Error(fmt::format("The checkpoint has no tensor {}.", in_quotes(name)));
    return parts_[found->second.first].arrays[found->second.second];
  }

  // Returns the tensor with its bytes ready to be read.
  ArrayView checked(const std::string& name, std::initializer_list<Index> shape) {
    check_shape(name, {shape.begin(), shape.size()});
    const ArrayView& array = view(name);
    if (!array.problem.empty()) throw Error(fmt::format("{}: {}", in_quotes(name), array.problem));
    constexpr std::array floats = {NumberType::float16, NumberType::bfloat16, NumberType::float32, NumberType::float64};
    if (std::ranges::find(floats, array.type) == floats.end()) {
      throw Error(
          fmt::format("The tensor {} is {}: its numbers are weights only together with scales, which are not "
                      "read. Open the model as it was before it was quantized.",
                      in_quotes(name), name_of(array.type)));
    }
    read_names_.insert(name);
    const auto& [part, index] = places_.at(name);
    return load(parts_[part], index);
  }

  // Reads some rows of a tensor from `first` on.
  Tensor report(const std::string& name, Tensor tensor, Index first = 0) {
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

  std::vector<Bytes> files_;
  std::vector<NamedArrays> parts_;
  std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> places_;
  std::set<std::string, std::less<>> read_names_;
  PartWatch watch_;
  Index read_ = 0;
  Index total_ = 0;
};

// Puts the tensors of a checkpoint into a model's places.
class Assembly {
public:
  Assembly(const ModelConfig& config, Tensors& tensors)
      : config_(config), names_(*config.names), shape_(config.shape), tensors_(tensors) {
    // The first tensor that every family has tells whether names begin with the family's prefix.
    if (!tensors.has(std::string(names_.token_embeddings))) prefix_ = names_.prefix;
  }

  std::shared_ptr<Transformer> build() {
    check_room();
    auto model = std::make_shared<Transformer>();
    const bool is_bias_there =
        tensors_.has(layer_name(0, names_.separate_projections() ? names_.query : names_.qkv, ".bias"));
    model->shape = shape_;
    model->head_names = config_.head_names;
    model->shape.has_qkv_bias = is_bias_there;
    shape_.has_qkv_bias = is_bias_there;
    model->token_embeddings = matrix(name(names_.token_embeddings), shape_.features, shape_.vocabulary, false, "");
    if (!shape_.rope) model->position_embeddings = positions();
    for (Index layer = 0; layer < shape_.layers; ++layer) model->layers.push_back(layer_of(layer));
    model->final_norm = norm(name(names_.final_norm));
    if (has_head()) model->head = matrix(std::string(names_.head), shape_.features, shape_.vocabulary, false, "");
    check_all_are_read();
    return model;
  }

  const std::string& prefix() const { return prefix_; }  // stands before names in the checkpoint

  // Returns the place in the checkpoint of the number that `parameter` of a layer has at (row, col); a bias is a row.
  std::function<std::string(Index, const std::string&, Index, Index)> places() const {
    return [names = names_, shape = shape_, prefix = prefix_,
            has_out_bias = tensors_.has(layer_name(0, names_.out, ".bias"))](Index layer, const std::string& parameter,
                                                                             Index row, Index col) -> std::string {
      const auto dot = parameter.find('.');
      const std::string module = parameter.substr(0, dot);
      const bool is_bias = parameter.ends_with(".bias");
      if (module == "out_proj" && is_bias && !has_out_bias) return {};
      const bool is_gain = module.ends_with("_norm");
      const bool is_shared = !names.separate_projections() && module != "out_proj" && !is_gain;
      const std::string_view own = module == "out_proj"  ? names.out
                                   : module == "q_norm"  ? names.query_norm
                                   : is_gain             ? names.key_norm
                                   : is_shared           ? names.qkv
                                   : module == "W_query" ? names.query
                                   : module == "W_key"   ? names.key
                                                         : names.value;
      const Index features = shape.heads * shape.head_dim;
      const Index offset = !is_shared || module == "W_query" ? 0 : module == "W_key" ? features : 2 * features;
      const std::string name =
          prefix + fmt::format(fmt::runtime(names.layer), layer) + std::string(own) + parameter.substr(dot);
      if (is_bias || is_gain) return fmt::format("{}[{}]", name, offset + col);
      return names.is_transposed ? fmt::format("{}[{}, {}]", name, col, offset + row)
                                 : fmt::format("{}[{}, {}]", name, offset + row, col);
    };
  }

private:
  std::string name(std::string_view own) const { return prefix_ + std::string(own); }

  // Returns whether the last layer has weights of its own. Their name never has the prefix.
  bool has_head() const { return !config_.is_tied && (config_.needs_head || tensors_.has(std::string(names_.head))); }

  // Throws Error if there is too little memory: before any of it is taken.
  void check_room() const {
    constexpr std::uint64_t always_free = std::uint64_t{1} << 25;  // bytes: to ask takes longer than to use so few
    tensors_.check_shape(name(names_.token_embeddings), std::array{shape_.vocabulary, shape_.features});
    if (required_bytes(shape_, has_head()) > always_free) check_memory(shape_, has_head(), available_memory());
  }

  // Throws Error if a layer, or the parts before and behind them, have tensors that no such model has.
  void check_all_are_read() const {
    const auto check_module = [&](const std::string& module, std::string_view left_out = {}) {
      tensors_.check_all_are_read(module + ".", [&](std::string_view rest) { return rest == left_out; });
    };
    const auto module_of = [](std::string_view tensor) { return std::string(tensor.substr(0, tensor.rfind('.'))); };
    check_module(name(module_of(names_.token_embeddings)));
    check_module(name(names_.final_norm));
    check_module(module_of(names_.head), has_head() ? "" : "weight");
    const std::string_view layers = names_.layer.substr(0, names_.layer.find('{'));
    tensors_.check_all_are_read(name(layers), [&](std::string_view rest) {
      const std::size_t number = rest.find('.');
      return number != std::string_view::npos &&
             std::ranges::find(names_.constants, rest.substr(number + 1)) != names_.constants.end();
    });
  }

  std::string layer_name(Index layer, std::string_view own, std::string_view ending) const {
    return prefix_ + fmt::format(fmt::runtime(names_.layer), layer) + std::string(own) + std::string(ending);
  }

  Tensor positions() {
    tensors_.check_shape(name(names_.position_embeddings), std::array{shape_.context_length, shape_.features});
    Tensor table({shape_.context_length, shape_.features});
    tensors_.for_each_rows(name(names_.position_embeddings), shape_.context_length, shape_.features,
                           [&](const Tensor& rows, Index first) {
                             std::ranges::copy(rows.values, table.values.begin() + first * shape_.features);
                           });
    return table;
  }

  Norm norm(const std::string& module) {
    Norm norm;
    norm.scale = tensors_.vector(module + std::string(names_.norm_scale), shape_.features);
    if (shape_.norm == NormKind::layer)
      norm.shift = tensors_.vector(module + std::string(names_.norm_shift), shape_.features);
    return norm;
  }

  // Reads a layer of the feed-forward part, or a table of embeddings.
  Linear matrix(const std::string& weight, Index in, Index out, bool is_transposed, const std::string& bias) {
    const bool has_bias = !bias.empty() && tensors_.has(bias);
    tensors_.check_shape(weight, is_transposed ? std::array{in, out} : std::array{out, in});
    Linear layer(in, out, has_bias);
    tensors_.for_each_rows(weight, is_transposed ? in : out, is_transposed ? out : in,
                           [&](const Tensor& rows, Index first) { layer.put(rows, first, is_transposed); });
    if (has_bias) layer.put_bias(tensors_.vector(bias, out).values);
    return layer;
  }

  Linear feed_forward(Index layer, std::string_view module, Index in, Index out) {
    return matrix(layer_name(layer, module, ".weight"), in, out, names_.is_transposed,
                  layer_name(layer, module, ".bias"));
  }

  // Adds the projections that lie side by side in one tensor, or one that has a tensor of its own; each as nn.Linear
  // stores it.
  void add_projections(Parameters& parameters, const std::string& module, Index in,
                       std::span<const std::pair<std::string, Index>> projections) {
    const bool is_transposed = names_.is_transposed;
    Index out = 0;
    for (const auto& [parameter, size] : projections) out += size;
    tensors_.check_shape(module + ".weight", is_transposed ? std::array{in, out} : std::array{out, in});
    std::vector<Tensor> weights;
    for (const auto& [parameter, size] : projections) weights.emplace_back(std::vector<Index>{size, in});
    // The number of feature `column` of the tensor, and of the input `row`, goes to the projection that it belongs to.
    const auto put = [&](Index column, Index row, float number) {
      for (Tensor& weight : weights) {
        if (column < weight.rows()) {
          weight.matrix()(column, row) = number;
          return;
        }
        column -= weight.rows();
      }
    };
    tensors_.for_each_rows(module + ".weight", is_transposed ? in : out, is_transposed ? out : in,
                           [&](const Tensor& rows, Index first) {
                             for (Index r = 0; r < rows.rows(); ++r) {
                               const std::span<const float> row = rows.matrix().row(r);
                               for (std::size_t c = 0; c < row.size(); ++c) {
                                 const auto col = static_cast<Index>(c);
                                 is_transposed ? put(col, first + r, row[c]) : put(first + r, col, row[c]);
                               }
                             }
                           });
    const std::string bias_name = module + ".bias";
    const bool is_out = projections.front().first == "out_proj";  // which may have a bias where the others have none
    const bool has_bias = is_out ? tensors_.has(bias_name) : shape_.has_qkv_bias;
    const Tensor bias = has_bias ? tensors_.vector(bias_name, out) : Tensor({out});
    Index first = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto& [parameter, size] = projections[i];
      parameters.push_back({parameter + ".weight", std::move(weights[i])});
      const auto begin = bias.values.begin() + first;
      if (has_bias || is_out)
        parameters.push_back({parameter + ".bias", Tensor({size}, AlignedFloats(begin, begin + size))});
      first += size;
    }
  }

  std::shared_ptr<const Parameters> attention_of(Index layer) {
    const Index queries = shape_.heads * shape_.head_dim;
    const Index keys = shape_.key_value_heads * shape_.head_dim;
    const std::array<std::pair<std::string, Index>, 3> projections = {
        {{"W_query", queries}, {"W_key", keys}, {"W_value", keys}}};
    const std::array<std::string_view, 3> modules = {names_.query, names_.key, names_.value};
    auto parameters = std::make_shared<Parameters>();
    if (names_.separate_projections()) {
      for (std::size_t i = 0; i < projections.size(); ++i) {
        add_projections(*parameters, layer_name(layer, modules.at(i), ""), shape_.features,
                        std::span(projections).subspan(i, 1));
      }
    } else {
      add_projections(*parameters, layer_name(layer, names_.qkv, ""), shape_.features, projections);
    }
    if (shape_.has_qk_norm) {
      for (const auto& [parameter, tensor] :
           {std::pair("q_norm.weight", names_.query_norm), std::pair("k_norm.weight", names_.key_norm)})
        parameters->push_back({parameter, tensors_.vector(layer_name(layer, tensor, ".weight"), shape_.head_dim)});
    }
    const std::array<std::pair<std::string, Index>, 1> out = {{{"out_proj", shape_.features}}};
    add_projections(*parameters, layer_name(layer, names_.out, ""), queries, out);
    return parameters;
  }

  TransformerLayer layer_of(Index number) {
    TransformerLayer layer;
    layer.attention_norm = norm(layer_name(number, names_.attention_norm, ""));
    layer.attention = attention_of(number);
    layer.feed_forward_norm = norm(layer_name(number, names_.feed_forward_norm, ""));
    layer.up = feed_forward(number, names_.up, shape_.features, shape_.hidden);
    if (shape_.is_gated) layer.gate = feed_forward(number, names_.gate, shape_.features, shape_.hidden);
    layer.down = feed_forward(number, names_.down, shape_.hidden, shape_.features);
    return layer;
  }

  const ModelConfig& config_;
  const TensorNames& names_;
  TransformerShape shape_;
  Tensors& tensors_;
  std::string prefix_;
};

std::shared_ptr<const Tokenizer> tokenizer_in(const ModelFiles& files, const PartWatch& watch) {
  if (const Bytes bytes = files("tokenizer.json"); bytes.is_there())
    return Tokenizer::parse(text_of(bytes, "tokenizer.json", watch), watch);
  const Bytes vocabulary = files("vocab.json");
  const Bytes merges = files("merges.txt");
  if (!vocabulary.is_there() || !merges.is_there()) return nullptr;
  return Tokenizer::parse_gpt2(text_of(vocabulary, "vocab.json", watch), text_of(merges, "merges.txt", watch), watch);
}

ModelConfig config_in(const ModelFiles& files, const PartWatch& watch) {
  const Bytes bytes = files(config_file);
  if (!bytes.is_there()) throw Error("There is no config.json, which says how large the model is.");
  return parse_model_config(text_of(bytes, config_file, watch, most_config_bytes));
}

ModelFiles files_in(const fs::path& folder) {
  return [folder](const std::string& name) -> Bytes {
    const fs::path path = folder / name;
    std::error_code none;
    if (!fs::exists(path, none)) return {};
    return Bytes(std::make_shared<const ReadableFile>(path));
  };
}

ModelFiles example_files(const std::string& name) {
  return [name](const std::string& file) -> Bytes {
    const std::string wanted = fmt::format("models/{}/{}", name, file);
    for (const Asset& each : assets()) {
      if (each.name == wanted) return Bytes(each.bytes);
    }
    return {};
  };
}

// Models that are open, each as long as somebody has it. A file that was written anew is another one.
struct OpenModels {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const TrainedModel>> models;
};

OpenModels& open_models() {
  static OpenModels models;
  return models;
}

std::string version_of(const fs::path& path) {
  std::error_code none;
  const auto time = fs::last_write_time(path, none);
  return none ? std::string() : fmt::format("{}@{}", path.string(), time.time_since_epoch().count());
}

std::string key_of(const std::string& path) {
  if (is_example(path)) return path;
  std::error_code none;
  const bool is_config = fs::path(path).filename() == config_file;  // it may stay as it is when the weights change
  if (!is_config && !fs::is_directory(path, none)) return version_of(path);
  const fs::path folder = is_config ? fs::path(path).parent_path() : fs::path(path);
  const std::string one = version_of(folder / one_checkpoint);
  return one.empty() ? version_of(folder / checkpoint_index) : one;
}

}  // namespace

std::shared_ptr<const TrainedModel> parse_model(const ModelFiles& files, const std::string& weights,
                                                const PartWatch& watch) {
  const ModelConfig config = config_in(files, watch);
  Tensors tensors(files, weights, watch);
  auto model = std::make_shared<TrainedModel>();
  hash_in_background(model->checkpoint, tensors.files());
  Assembly assembly(config, tensors);
  const std::shared_ptr<Transformer> built = assembly.build();
  built->place_of = assembly.places();
  model->checkpoint.names = config.names;
  model->checkpoint.prefix = assembly.prefix();
  model->weights = built;
  if (const std::shared_ptr<const Tokenizer> tokenizer = tokenizer_in(files, staying_at(1, watch))) {
    if (tokenizer->size() > config.shape.vocabulary) {
      throw Error(fmt::format("The tokenizer has {} tokens, but the model knows {}.", tokenizer->size(),
                              config.shape.vocabulary));
    }
    model->unknown = tokenizer->unknown();
    model->encode = [tokenizer](std::string_view text) { return tokenizer->encode(text); };
    model->text_of = [tokenizer](const std::vector<Index>& tokens) { return tokenizer->decode(tokens); };
    model->shown = [tokenizer](Index token) {
      return token < tokenizer->size() ? tokenizer->shown(token) : fmt::format("#{}", token);
    };
  }
  return model;
}

namespace {

// The folder of a model, and the files in it.
struct ModelPlace {
  explicit ModelPlace(const std::string& path) : place(path) {
    if (place.filename() == config_file) place = place.parent_path();  // which stands for its folder
    std::error_code none;
    const bool is_folder = fs::is_directory(place, none);
    if (is_example(path)) {
      example = path.substr(example_prefix.size());
      files = example_files(example);
    } else {
      folder = is_folder ? place : place.parent_path();
      files = files_in(folder);
      if (!is_folder) weights = place.filename().string();
    }
  }

  fs::path place;
  std::string example;  // the name of a model that comes with the program; else empty
  fs::path folder;
  std::string weights;  // name of the checkpoint; empty: the folder's own
  ModelFiles files;
};

// Returns whether Hugging Face's tools write such a file into a model's folder.
bool belongs_to_model(const fs::path& file) {
  static constexpr std::string_view endings[] = {".safetensors", ".bin", ".pt", ".pth", ".model"};
  static constexpr std::string_view names[] = {"vocab.json", "vocab.txt", "merges.txt", "special_tokens_map.json",
                                               "added_tokens.json"};
  const std::string name = file.filename().string();
  return std::ranges::find(endings, file.extension().string()) != std::end(endings) ||
         std::ranges::find(names, name) != std::end(names) || name.ends_with(config_file) ||
         name.ends_with("_config.json") || name.ends_with(".index.json") || name.starts_with("tokenizer");
}

}  // namespace

TransformerShape shape_of_model(const std::string& path) {
  const ModelPlace place(path);
  try {
    return config_in(place.files, {}).shape;
  } catch (const Error& error) {
    throw Error("model", fmt::format("{}: {}", shown_path(path), error.what()));
  }
}

std::shared_ptr<const TrainedModel> open_model(const std::string& path, const PartWatch& watch) {
  const std::string key = key_of(path);
  {
    const std::scoped_lock lock(open_models().mutex);
    if (auto open = open_models().models[key].lock()) return open;
  }
  const ModelPlace at(path);
  const bool is_own = !at.example.empty();
  try {
    if (is_own && !at.files(config_file).is_there()) throw Error("no model of this name comes with the program.");
    auto model = std::const_pointer_cast<TrainedModel>(parse_model(at.files, at.weights, watch));
    model->path = path;
    if (!is_own) {
      for (const std::string& name : checkpoint_files(at.files, at.weights))
        model->checkpoint.files.push_back((at.folder / name).string());
    }
    for (const fs::path& file : files_of_model(*model)) record_input(file);
    model->name = is_own ? at.example : (at.place.has_filename() ? at.place : at.place.parent_path()).stem().string();
    const std::scoped_lock lock(open_models().mutex);
    open_models().models[key] = model;
    return model;
  } catch (const Error& error) {
    throw Error("model", fmt::format("{}: {}", shown_path(path), error.what()));
  }
}

std::shared_ptr<const TrainedModel> read_model_as_documents_do(const std::string& path) { return open_model(path); }

std::vector<fs::path> files_of_model(const TrainedModel& model) {
  std::vector<fs::path> files(model.checkpoint.files.begin(), model.checkpoint.files.end());
  if (files.empty()) return files;
  const fs::path folder = files.front().parent_path();
  std::error_code none;
  if (!fs::exists(folder / config_file, none)) return files;
  for (const fs::path& file : entries_of(folder, none)) {
    if (belongs_to_model(file)) files.push_back(file);
  }
  return files;
}

bool is_model_path(const fs::path& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) return fs::exists(path / config_file, none);
  const fs::path folder = path.parent_path();
  if (path.filename() == config_file)
    return fs::exists(folder / one_checkpoint, none) || fs::exists(folder / checkpoint_index, none);
  const fs::path ending = path.extension();
  const bool is_checkpoint = ending == ".safetensors" || ending == ".pth" || ending == ".pt";
  return is_checkpoint && fs::exists(folder / config_file, none);
}

}  // namespace attnscope
