#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/transformer.h"
#include "platform/system/file.h"

namespace attnscope {

struct TensorNames;

// Says where the numbers of a model were read from.
struct Checkpoint {
  // Returns the SHA-256 as `sha256sum model.safetensors` prints it; of several files, that of their bytes one after the
  // other in the order of their names. It is computed in the background; this waits for it, and asks the watch
  // meanwhile. Throws Error if the files can no longer be read.
  std::function<std::string(const PartWatch& watch)> sha256;
  std::function<bool()> is_hashed = {};  // whether sha256() would not wait; empty: it never does
  std::vector<std::string> files = {};   // paths, in this order; none if the model comes with the program
  const TensorNames* names = nullptr;    // of the model's family, known to those who read checkpoints
  std::string prefix = {};               // of these names in the files
};

// A trained model as it was opened: its weights and its tokenizer. All documents of one file share it.
struct TrainedModel {
  std::string path;  // as documents name it: an absolute path, or "example:stories"
  std::string name;  // for the screen: "stories"
  Checkpoint checkpoint;
  std::shared_ptr<const Transformer> weights;
  std::function<std::vector<Index>(std::string_view)> encode;     // text to tokens; empty where there is no tokenizer
  std::function<std::string(const std::vector<Index>&)> text_of;  // tokens to text; empty where `encode` is
  std::function<std::string(Index)> shown;                        // a token as a person reads it
  std::optional<Index> unknown = {};                              // stands for words that no token stands for
};

// Begins the name of a model or a document that comes with the program.
constexpr std::string_view example_prefix = "example:";
inline bool is_example(std::string_view name) { return name.starts_with(example_prefix); }

using ModelFunction = std::function<std::shared_ptr<const TrainedModel>(const std::string& path)>;
using ModelReader = std::shared_ptr<const TrainedModel> (*)(const std::string& path);

// Documents name models, but the folders that read files stand above this one: the program says at its start how a
// model is read. Until then no document with a model can be.
void set_model_reader(ModelReader reader);
// Throws Error.
std::shared_ptr<const TrainedModel> read_model(const std::string& path);

}  // namespace attnscope
