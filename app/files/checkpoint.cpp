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
#include "core/shown_text.h"
#include "document/json_value.h"
#include "files/model_assembly.h"
#include "files/model_config.h"
#include "files/tokenizer.h"
#include "platform/system/file.h"
#include "platform/system/paths.h"
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
class Tensors : public ModelTensors {
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
  bool has(const std::string& name) const override { return places_.contains(name); }

  // Throws Error if a tensor is missing or has another shape, before memory is taken for it.
  void check_shape(const std::string& name, std::span<const Index> shape) const override {
    const ArrayView& array = view(name);
    if (std::ranges::equal(array.shape, shape)) return;
    throw Error(fmt::format("The tensor {} has the shape {}, but config.json asks for {}.", in_quotes(name),
                            shape_text(array.shape), shape_text(shape)));
  }

  // Throws Error if a tensor whose name begins so was not read, and `is_constant` is not true of the rest of its name.
  void check_all_are_read(const std::string& beginning,
                          const std::function<bool(std::string_view rest)>& is_constant) const override {
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
  Tensor vector(const std::string& name, Index size) override {
    const ArrayView array = checked(name, {size});
    return report(name, to_tensor(array));
  }

  // Calls visit(rows, first) for some rows of a matrix after the other.
  void for_each_rows(const std::string& name, Index rows, Index cols,
                     const std::function<void(const Tensor& rows, Index first)>& visit) override {
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

std::shared_ptr<const Tokenizer> tokenizer_in(const ModelFiles& files, const PartWatch& watch) {
  const auto text = [&](const char* name) -> std::optional<std::string> {
    const Bytes bytes = files(name);
    return bytes.is_there() ? std::optional(text_of(bytes, name, watch)) : std::nullopt;
  };
  TokenizerOptions options;
  if (const auto config = text("tokenizer_config.json")) options.read_config(*config);
  if (const auto whole = text("tokenizer.json")) return Tokenizer::parse(*whole, watch, options);
  if (const auto added = text("added_tokens.json")) options.read_added_tokens(*added);
  const auto vocabulary = text("vocab.json");
  const auto merges = text("merges.txt");
  if (vocabulary && merges) return Tokenizer::parse_gpt2(*vocabulary, *merges, watch, options);
  const auto words = text("vocab.txt");
  return words ? Tokenizer::parse_word_piece(*words, watch, options) : nullptr;
}

// Throws Error if a text has tokens that the model has no numbers for.
void check_tokens(const std::vector<Index>& tokens, const Tokenizer& tokenizer, Index vocabulary) {
  const auto beyond = std::ranges::find_if(tokens, [vocabulary](Index token) { return token >= vocabulary; });
  if (beyond == tokens.end()) return;
  throw Error("text",
              fmt::format("The text has the token {}, whose number is {}, but the model knows the tokens from 0 "
                          "to {} only: leave it out.",
                          in_quotes(tokenizer.shown(*beyond)), *beyond, vocabulary - 1));
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
  AssembledModel assembled = assemble(config, tensors);
  model->checkpoint.names = assembled.names;
  model->checkpoint.prefix = std::move(assembled.prefix);
  const std::shared_ptr<Transformer> built = std::move(assembled.model);
  model->weights = built;
  if (const std::shared_ptr<const Tokenizer> tokenizer = tokenizer_in(files, staying_at(1, watch))) {
    const Index vocabulary = config.shape.vocabulary;
    const auto known = [vocabulary](std::optional<Index> token) {
      return token && *token < vocabulary ? token : std::nullopt;
    };
    model->unknown = known(tokenizer->unknown());
    if (config.shape.sees_later_tokens) built->mask_token = known(tokenizer->mask());
    model->encode = [tokenizer, vocabulary](std::string_view text) {
      std::vector<Index> tokens = tokenizer->encode(text);
      check_tokens(tokens, *tokenizer, vocabulary);
      return tokens;
    };
    model->text_of = [tokenizer](const std::vector<Index>& tokens) { return tokenizer->decode(tokens); };
    model->shown = [tokenizer](Index token) {
      return tokenizer->has(token) ? tokenizer->shown(token) : fmt::format("#{}", token);
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
