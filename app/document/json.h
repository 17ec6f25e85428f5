#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/document.h"
#include "platform/system/file.h"

namespace attnscope {

constexpr std::size_t max_document_bytes = 512'000'000;

// An array of a file that a document names, with its name in it.
struct NamedTensor {
  std::string name;
  Tensor tensor;
  bool is_boolean = false;  // the file has True and False, which are 1 and 0 here
};
using NamedTensors = std::vector<NamedTensor>;
// Returns the arrays of a file; throws Error.
using ArrayFiles = std::function<NamedTensors(const std::string& file)>;

// The files that a document names.
struct DocumentFiles {
  ArrayFiles arrays = {};     // without it, naming a file of arrays is an error
  ModelFunction models = {};  // opens a trained model; without it, read_model() does
  std::string folder = {};    // paths of trained models are relative to it
  PartWatch watch = {};       // follows the reading of the document itself
};

// Reads a document. Throws Error whose field is the path of what is wrong ("inputs[3][1]") and whose sentence says the
// value and what is allowed: broken or deeply nested JSON, text that is not UTF-8, duplicate or unknown keys, wrong
// types, shapes or ranges, numbers that are not finite in float32.
Document parse_document(std::string_view text, const DocumentFiles& files = {});

// Says whether writing a document waits for the SHA-256 of its trained model, or leaves out one that is not known yet.
enum class ModelSha256 { awaited, if_known };
// Returns a model of the document whose SHA-256 is not known yet; null for none.
std::shared_ptr<const TrainedModel> model_without_sha256(const Document& document);

// Returns the document as JSON: a line for each row of inputs, floats in the shortest form that reads back as the same
// bits. Keys that the mechanism ignores are written, too, so that a round trip loses nothing.
std::string to_json(const Document& document, ModelSha256 sha256 = ModelSha256::awaited);

}  // namespace attnscope
