#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "document/document.h"
#include "files/arrays.h"

namespace attnscope {

// Returns a file of a trained model by its name, from a folder or from those that come with the program. No bytes if
// there is none of this name.
using ModelFiles = std::function<Bytes(const std::string& name)>;

// Opens a trained model: a folder as the tools of Hugging Face write it (config.json, model.safetensors or its shards,
// tokenizer.json or vocab.json with merges.txt), a .safetensors or .pth with the names of the book's GPTModel beside
// its config.json, or "example:stories". Weights are read in pieces and become float32, each once. A model that is open
// already is shared. Throws Error whose sentence begins with the path, and Cancelled where `watch` throws it.
std::shared_ptr<const TrainedModel> open_model(const std::string& path, const PartWatch& watch = {});
std::shared_ptr<const TrainedModel> read_model_as_documents_do(const std::string& path);  // a ModelReader

// Returns the sizes of a model by its config.json, which is all that is read. Throws Error as open_model() does.
TransformerShape shape_of_model(const std::string& path);

// Returns whether open_model() opens such a path: a folder with a config.json, or a checkpoint beside one.
bool is_model_path(const std::filesystem::path& path);

// Returns the files that belong to a model: its weights and, in its folder, all that tools write with them. None if it
// comes with the program.
std::vector<std::filesystem::path> files_of_model(const TrainedModel& model);

// Opens the model in these files, whose bytes last as long as the model; `weights` names the checkpoint, and empty
// means that of a folder.
std::shared_ptr<const TrainedModel> parse_model(const ModelFiles& files, const std::string& weights,
                                                const PartWatch& watch = {});

}  // namespace attnscope
