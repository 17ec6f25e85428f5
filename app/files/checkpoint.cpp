#include "files/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

#include "assets/assets.h"
#include "core/error.h"
#include "core/text.h"
#include "document/file_formats.h"
#include "document/json_value.h"
#include "files/import.h"
#include "files/model_config.h"
#include "files/state_dict.h"
#include "files/tokenizer.h"
#include "platform/system/file.h"
#include "platform/system/glib_parts.h"
#include "platform/system/process.h"
#include "platform/system/worker.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* config_file = "config.json";
constexpr const char* params_file = "params.json";
constexpr const char* one_checkpoint = "model.safetensors";
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 26;  // the largest index or tokenizer that is read
constexpr std::uint64_t most_config_bytes = std::uint64_t{1} << 22;
constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;  // bytes of a checkpoint that are hashed at a time

std::string text_of(const Bytes& bytes, const std::string& name, const PartWatch& watch,
                    std::uint64_t most = most_text_bytes) {
  if (bytes.size() > most)
    throw Error(fmt::format("{} has {} bytes, but at most {} are read.", name, bytes.size(), most));
  if (watch) watch(0);
  return bytes.copy(0, bytes.size());
}

// How tools name a checkpoint in a model's folder: a file, an index of several, or several with their number in their
// names.
struct CheckpointNames {
  const char* file;
  const char* index;
  const char* part;  // of how many, counted from 1
  std::string_view ending;
};
constexpr CheckpointNames checkpoint_names[] = {
    {one_checkpoint, "model.safetensors.index.json", "model-{:05}-of-{:05}.safetensors", ".safetensors"},
    {"pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-{:05}-of-{:05}.bin", ".bin"}};

std::vector<std::string> files_of_index(const Bytes& index, const CheckpointNames& names, const PartWatch& watch) {
  const std::string bytes = text_of(index, names.index, watch);
  const JsonText text(bytes, names.index, watch);
  const JsonValue root = text.root();
  const JsonValue map = root.needed("weight_map");
  std::set<std::string> parts;
  for (JsonItems items(map); const JsonValue* item = items.next();) {
    const std::string name = item->text("the name of a file");
    if (name.find('/') != std::string::npos || !name.ends_with(names.ending))
      item->refuse(fmt::format("the name of a {} beside it", names.ending));
    parts.insert(name);
  }
  return {parts.begin(), parts.end()};
}

// Returns the names of a checkpoint's parts without an index; none if its first part is not there.
std::vector<std::string> numbered_parts(const ModelFiles& files, const CheckpointNames& names) {
  constexpr int most_parts = 256;
  for (int count = 1; count <= most_parts; ++count) {
    const auto name = [&](int part) { return fmt::format(fmt::runtime(names.part), part, count); };
    if (!files(name(1)).is_there()) continue;
    std::vector<std::string> parts;
    for (int part = 1; part <= count; ++part) parts.push_back(name(part));
    return parts;
  }
  return {};
}

// Returns the names of the files of a checkpoint, in their order.
std::vector<std::string> checkpoint_files(const ModelFiles& files, const std::string& weights,
                                          const PartWatch& watch = {}) {
  if (!weights.empty()) return {weights};
  for (const CheckpointNames& names : checkpoint_names) {
    if (const Bytes index = files(names.index); index.is_there()) return files_of_index(index, names, watch);
    if (files(names.file).is_there()) return {names.file};
    if (std::vector<std::string> parts = numbered_parts(files, names); !parts.empty()) return parts;
  }
  return {one_checkpoint};
}

// Throws Error if a file was made shorter meanwhile, and Cancelled if nobody needs the hash any more.
std::string sha256_of(const std::vector<Bytes>& parts, const std::stop_token& stop) {
  Sha256 sum;
  for (const Bytes& part : parts) {
    BytesReader reader(part);
    for (std::uint64_t first = 0; first < part.size(); first += piece_bytes) {
      if (stop.stop_requested()) throw Cancelled{};
      const std::uint64_t count = std::min(piece_bytes, part.size() - first);
      const char* const bytes = reader.at(first, count);
      if (!bytes) fail_as_shortened();
      sum.add({bytes, static_cast<std::size_t>(count)});
    }
  }
  return sum.text();
}

// A hash that is computed in the background, because that takes longer than to read the numbers. The last copy of the
// model stops it.
class Hashing {
public:
  explicit Hashing(std::vector<Bytes> parts)
      : task_([parts = std::move(parts)](const std::stop_token& stop) { return sha256_of(parts, stop); }),
        hash_(task_.get_future()) {
    worker_.wake();
  }
  bool is_done(std::chrono::milliseconds patience) {
    if (patience.count() > 0) worker_.help();
    return hash_.wait_for(patience) == std::future_status::ready;
  }
  std::string wait(const PartWatch& watch) {
    static constexpr std::chrono::milliseconds between_looks{20};
    while (watch && !is_done(between_looks)) watch(1);
    worker_.help();
    return hash_.get();
  }

private:
  bool work(const std::stop_token& stop) {
    if (!std::exchange(has_begun_, true)) task_(stop);
    return false;
  }

  std::packaged_task<std::string(std::stop_token)> task_;
  std::shared_future<std::string> hash_;
  bool has_begun_ = false;
  Worker worker_{[this](const std::stop_token& stop) { return work(stop); }};  // declared last: it ends first
};

void hash_in_background(Checkpoint& checkpoint, std::vector<Bytes> parts) {
  const auto hashing = std::make_shared<Hashing>(std::move(parts));
  checkpoint.is_hashed = [hashing] { return hashing->is_done({}); };
  checkpoint.sha256 = [hashing](const PartWatch& watch) { return hashing->wait(watch); };
}

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

// Returns the sizes that config.json says; nothing if there is none.
std::optional<ModelConfig> config_in(const ModelFiles& files, ChosenHeads heads, const PartWatch& watch) {
  const Bytes bytes = files(config_file);
  if (!bytes.is_there()) return {};
  if (heads) throw Error("config.json says how many heads the model has: leave the number of heads out.");
  return parse_model_config(text_of(bytes, config_file, watch, most_config_bytes));
}

// Throws Error if the last layer does not tell the next word. Models of BERT's kind may lack their words.
void check_last_layer(const Tensors& tensors, const ModelConfig& config) {
  if (config.shape.has_last_transform) return;
  for (const std::string_view name : {"score.weight", "classifier.weight", "qa_outputs.weight"}) {
    if (!tensors.has(std::string(name))) continue;
    throw Error(fmt::format("This is a classifier, as its tensor {} shows: it has no next word, and is not read.",
                            in_quotes(name)));
  }
  const ArrayView* const head = tensors.find(config.names->head);
  const bool is_matrix = head && head->problem.empty() && head->shape.size() == 2;
  constexpr Index most_classes = 1000;
  if (!is_matrix || head->shape[1] != config.shape.features || head->shape[0] >= config.shape.vocabulary ||
      head->shape[0] > most_classes)
    return;
  throw Error(
      fmt::format("This is a classifier with {} classes, as the shape {} of its tensor {} shows: it has no next word, "
                  "and is not read.",
                  head->shape[0], shape_text(head->shape), in_quotes(config.names->head)));
}

// Returns where a number of the model stands in the file, whose names and shapes may be others: "name[row, col]".
std::string place_in_file(const Tensors::PlacesInFile& places, const std::string& place) {
  const std::size_t bracket = std::min(place.find('['), place.size());
  const auto found = places.find(std::string_view(place).substr(0, bracket));
  if (found == places.end()) return place;
  std::string index = place.substr(bracket);
  const std::size_t comma = index.find(", ");
  if (found->second.is_transposed && comma != std::string::npos)
    index = fmt::format("[{}, {}]", index.substr(comma + 2, index.size() - comma - 3), index.substr(1, comma - 1));
  return found->second.name + index;
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

}  // namespace

std::shared_ptr<const TrainedModel> parse_model(const ModelFiles& files, const std::string& weights,
                                                const PartWatch& watch, std::optional<Index> heads) {
  const std::optional<ModelConfig> said = config_in(files, heads, watch);
  Tensors tensors(files, checkpoint_files(files, weights, staying_at(0, watch)), watch);
  const ModelConfig config = said ? *said : config_of(tensors, heads, files(params_file));
  tensors.take_names(*config.names);
  check_last_layer(tensors, config);
  auto model = std::make_shared<TrainedModel>();
  hash_in_background(model->checkpoint, tensors.files());
  AssembledModel assembled = assemble(config, tensors);
  const std::shared_ptr<Transformer> built = std::move(assembled.model);
  built->place_of = [own = built->place_of, places = tensors.places_in_file()](
                        Index layer, const std::string& parameter, Index row, Index col) {
    return place_in_file(places, own(layer, parameter, row, col));
  };
  if (const std::optional<std::string> wrapper = tensors.wrapper()) {  // else code does not know the names
    model->checkpoint.names = assembled.names;
    model->checkpoint.prefix = *wrapper + assembled.prefix;
  }
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

constexpr std::string_view heads_mark = "#heads=";

bool is_checkpoint_name(const fs::path& path) {
  const ArrayFormat* const format = array_format_by_ending(path);
  return format && format->is_checkpoint;
}

// Returns the folder with the files of a model, of which this is the folder, or that of a cache of Hugging Face's hub:
// there "refs/main" names one of the folders in "snapshots".
fs::path folder_with_files(const fs::path& folder) {
  std::error_code none;
  const fs::path snapshots = folder / "snapshots";
  if (fs::exists(folder / config_file, none) || !fs::is_directory(snapshots, none)) return folder;
  constexpr std::size_t longest_name = 200;
  try {
    const std::string name = read_file(folder / "refs" / "main", longest_name);
    const fs::path named = snapshots / trimmed(name);
    if (name.find('/') == std::string::npos && !trimmed(name).empty() && fs::is_directory(named, none)) return named;
  } catch (const Error&) {  // the cache has another branch
  }
  const std::vector<fs::path> all = entries_of(snapshots, none);
  return all.size() == 1 ? all.front() : folder;
}

// Returns the names of the checkpoints in a folder that have no name that tools give, such as the book's model.pth.
std::vector<std::string> own_checkpoints(const fs::path& folder) {
  const ModelFiles files = files_in(folder);
  for (const CheckpointNames& names : checkpoint_names) {
    if (files(names.index).is_there() || files(names.file).is_there() || !numbered_parts(files, names).empty())
      return {};
  }
  std::vector<std::string> found;
  std::error_code none;
  for (const fs::path& file : entries_of(folder, none)) {
    if (is_checkpoint_name(file) && fs::is_regular_file(file, none)) found.push_back(file.filename().string());
  }
  const auto named =
      std::ranges::find_if(found, [](const std::string& name) { return fs::path(name).stem() == "model"; });
  return named == found.end() ? found : std::vector<std::string>{*named};
}

// The folder of a model, and the files in it.
struct ModelPlace {
  explicit ModelPlace(const std::string& path) : place(path) {
    std::error_code none;
    if (is_example(path)) {
      example = path.substr(example_prefix.size());
      files = example_files(example);
      return;
    }
    if (const std::size_t mark = names_heads(path) ? path.rfind(heads_mark) : std::string::npos;
        mark != std::string::npos) {
      heads = number_of<Index>(path.substr(mark + heads_mark.size()));
      place = path.substr(0, mark);
    }
    const bool has_weights = place.filename() == config_file || fs::is_directory(place, none);
    if (place.filename() == config_file) place = place.parent_path();  // which stands for its folder
    folder = has_weights ? folder_with_files(place) : place.parent_path();
    files = files_in(folder);
    if (!has_weights) weights = place.filename().string();
    if (has_weights) own = own_checkpoints(folder);
    if (own.size() == 1) weights = own.front();
  }

  // Throws Error if it is not clear which of several checkpoints is meant.
  void check() const {
    if (own.size() < 2) return;
    constexpr std::size_t most_shown = 6;
    std::vector<std::string> names(own.begin(),
                                   own.begin() + static_cast<std::ptrdiff_t>(std::min(own.size(), most_shown)));
    throw Error(fmt::format("The folder has several checkpoints, and none of them is called {}: open one of {}.",
                            one_checkpoint, fmt::join(names, ", ")));
  }

  fs::path place;
  std::string example;  // the name of a model that comes with the program; else empty
  fs::path folder;
  std::string weights;           // name of the checkpoint; empty: the folder's own
  std::vector<std::string> own;  // checkpoints in the folder, if none has a name that tools give
  std::optional<Index> heads;    // that a person chose
  ModelFiles files;
};

// Returns what tells a model from others that are open: its place, and when its weights were written.
std::string key_of(const ModelPlace& at) {
  if (!at.example.empty()) return at.example;
  std::string key;
  if (!at.weights.empty()) {
    key = version_of(at.folder / at.weights);
  } else {
    for (const CheckpointNames& names : checkpoint_names)
      key += version_of(at.folder / names.file) + version_of(at.folder / names.index);
  }
  if (key.empty()) key = at.folder.string();
  return fmt::format("{}|{}", key, at.heads.value_or(0));
}

// Returns whether Hugging Face's tools write such a file into a model's folder.
bool belongs_to_model(const fs::path& file) {
  static constexpr std::string_view names[] = {"vocab.json", "vocab.txt", "merges.txt", "special_tokens_map.json",
                                               "added_tokens.json"};
  const std::string name = file.filename().string();
  return is_checkpoint_name(file) || file.extension() == ".model" ||
         std::ranges::find(names, name) != std::end(names) || name.ends_with(config_file) ||
         name.ends_with("_config.json") || name.ends_with(".index.json") || name.starts_with("tokenizer");
}

}  // namespace

namespace {

// Calls work(place) for the place of a model. The sentences of what it throws get the path before them.
template <typename Work>
auto at_place(const std::string& path, const Work& work) {
  const auto named = [&](const Error& error) { return fmt::format("{}: {}", shown_path(path), error.what()); };
  try {
    const ModelPlace place(path);
    return work(place);
  } catch (const ChoiceNeeded& needed) {
    throw ChoiceNeeded(needed.of, named(needed), needed.options);
  } catch (const Error& error) {
    throw Error("model", named(error));
  }
}

}  // namespace

bool names_heads(std::string_view path) {
  const std::size_t mark = path.rfind(heads_mark);
  std::error_code none;
  return mark != std::string_view::npos && number_of<Index>(path.substr(mark + heads_mark.size())) &&
         !fs::exists(fs::path(path), none);
}

std::string with_heads(std::string_view path, Index heads) {
  if (names_heads(path)) path = path.substr(0, path.rfind(heads_mark));
  return fmt::format("{}{}{}", path, heads_mark, heads);
}

TransformerShape shape_of_model(const std::string& path) {
  return at_place(trained_name(path), [](const ModelPlace& at) {
    if (const std::optional<ModelConfig> said = config_in(at.files, at.heads, {})) return said->shape;
    at.check();
    Tensors tensors(at.files, checkpoint_files(at.files, at.weights), {});
    return config_of(tensors, at.heads, at.files(params_file)).shape;
  });
}

namespace {

// Returns the seed of a path that names an untrained model.
std::optional<std::uint64_t> seed_of_untrained(std::string_view path) {
  const std::size_t mark = path.rfind(untrained_mark);
  std::error_code none;
  if (mark == std::string_view::npos || fs::exists(fs::path(path), none)) return {};
  return number_of<std::uint64_t>(path.substr(mark + untrained_mark.size()));
}

// Returns the model with weights that a seed draws in the place of the checkpoint's.
std::shared_ptr<const TrainedModel> with_drawn_weights(const TrainedModel& trained, const std::string& path,
                                                       std::uint64_t seed) {
  auto model = std::make_shared<TrainedModel>(trained);
  model->path = path;
  model->name += ", untrained";
  model->checkpoint.names = nullptr;  // its numbers are in no file
  model->weights = untrained(*trained.weights, seed);
  return model;
}

}  // namespace

std::shared_ptr<const TrainedModel> open_model(const std::string& path, const PartWatch& watch) {
  if (const std::optional<std::uint64_t> seed = seed_of_untrained(path)) {
    const std::shared_ptr<const TrainedModel> trained = open_model(trained_name(path), watch);
    const std::scoped_lock lock(open_models().mutex);
    std::weak_ptr<const TrainedModel>& open = open_models().models[path];
    std::shared_ptr<const TrainedModel> drawn = open.lock();
    if (!drawn) open = drawn = with_drawn_weights(*trained, path, *seed);
    return drawn;
  }
  return at_place(path, [&](const ModelPlace& at) -> std::shared_ptr<const TrainedModel> {
    const std::string key = key_of(at);
    {
      const std::scoped_lock lock(open_models().mutex);
      if (auto open = open_models().models[key].lock()) return open;
    }
    const bool is_own = !at.example.empty();
    at.check();
    if (is_own && !at.files(config_file).is_there()) throw Error("no model of this name comes with the program.");
    auto model = std::const_pointer_cast<TrainedModel>(parse_model(at.files, at.weights, watch, at.heads));
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
  });
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

fs::path checkpoint_in(const fs::path& folder) {
  const fs::path with_files = folder_with_files(folder);
  std::error_code none;
  const ModelFiles files = files_in(with_files);
  for (const CheckpointNames& names : checkpoint_names) {
    for (const char* const name : {names.index, names.file}) {
      if (fs::exists(with_files / name, none)) return with_files / name;
    }
    if (const std::vector<std::string> parts = numbered_parts(files, names); !parts.empty())
      return with_files / parts.front();
  }
  const std::vector<std::string> own = own_checkpoints(with_files);
  return own.empty() ? fs::path() : with_files / own.front();
}

bool has_config(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder_with_files(folder) / config_file, none);
}

}  // namespace attnscope
