#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "files/arrays.h"

namespace attnscope {

// Returns a file of a trained model by its name, from a folder or from those that come with the program. No bytes if
// there is none of this name.
using ModelFiles = std::function<Bytes(const std::string& name)>;

// Opens a trained model: a folder as the tools of Hugging Face write it (config.json, model.safetensors,
// pytorch_model.bin or their parts, tokenizer.json or vocab.json with merges.txt), the root of such a folder in the
// hub's cache, a checkpoint beside its config.json, one that says its sizes itself, or "example:stories". Of the book's
// GPTModel and of GPT-2 a checkpoint alone is enough if with_heads() adds how many heads it has. Weights are read in
// pieces and become float32, each once. A model that is open already is shared. Throws Error whose sentence begins with
// the path, ChoiceNeeded if the number of heads is missing, and Cancelled where `watch` throws it.
std::shared_ptr<const TrainedModel> open_model(const std::string& path, const PartWatch& watch = {});
std::shared_ptr<const TrainedModel> read_model_as_documents_do(const std::string& path);  // a ModelReader

// Returns the sizes of a model by its config.json, which is all that is read. Throws Error as open_model() does.
TransformerShape shape_of_model(const std::string& path);

// Returns the path of a model whose files do not say how many heads it has, with their number: "model.pth#heads=12".
std::string with_heads(std::string_view path, Index heads);
bool names_heads(std::string_view path);  // whether a path is of that form, and not a file's own

// Returns a file of the checkpoint in a folder, or in that which a hub's cache has in it; empty if there is none.
std::filesystem::path checkpoint_in(const std::filesystem::path& folder);
bool has_config(const std::filesystem::path& folder);  // whether it, or that one, has a config.json

// Returns the files that belong to a model: its weights and, in its folder, all that tools write with them. None if it
// comes with the program.
std::vector<std::filesystem::path> files_of_model(const TrainedModel& model);

// Opens the model in these files, whose bytes last as long as the model; `weights` names the checkpoint, and empty
// means that of a folder.
std::shared_ptr<const TrainedModel> parse_model(const ModelFiles& files, const std::string& weights,
                                                const PartWatch& watch = {}, std::optional<Index> heads = {});

}  // namespace attnscope
