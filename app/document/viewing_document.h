#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tensor.h"
#include "document/document.h"

// What is saved of attention of another program that is looked at: where it is and how it is read, never its numbers.
//
//   {
//     "format": "attnscope-viewing", "version": 1,
//     "file": "runs/attention.npy",
//     "tensor": "attn",
//     "shape": [12, 12, 64, 64],
//     "number_type": "float16",
//     "axes": "layer, head, query, key",
//     "layers": 12, "layer": 3,
//     "checksum": "8d3e1f06",
//     "tokens": ["Your", "journey", "…"]
//   }
//
// * It is a format of its own and not a document with other keys, because nothing in it can be computed: every reader
//   of documents refuses it in a sentence, by its "format", and no version of this program takes one for the other.
// * `file` is relative to the folder of the JSON, or of the picture that carries it, where it is in that folder or
// below
//   it, so that a folder can be moved; else it is absolute.
// * `tensor` is a name in the file, and left out where arrays have none. Where each of several tensors is a layer it is
//   the first one's, and `layers` says how many there are. `shape` is that of each.
// * `shape`, `number_type`, `axes` and `layers` are what the file had. One that has something else now is refused.
// * `checksum` tells the numbers from others of the same shape; where it is another now, that is said, and they are
//   shown. It is left out by versions of this program that did not know it.
// * `layer` counts from 1, as on the screen and on the command line.
// * Unknown keys are an error. `tensor`, `layers`, `layer`, `checksum` and `tokens` ("x1", "x2", …) may be left out.
namespace attnscope {

struct ViewingDocument {
  std::filesystem::path file;  // of the arrays; as written, or absolute
  std::string tensor;
  std::vector<Index> shape;
  std::string number_type;  // NumPy's: "float16"
  std::string axes;
  Index layers = 1;
  Index layer = 0;
  std::string checksum;  // eight hexadecimal digits; empty for none
  std::vector<std::string> tokens;

  bool operator==(const ViewingDocument&) const = default;
};

// Whether a text is meant to be one, by its "format".
bool is_viewing_document(std::string_view text);

// Throws Error like parse_document().
ViewingDocument parse_viewing_document(std::string_view text);

// `carrier` is the file that the text will be in, empty where it is none: then `file` is written as absolute. Throws
// Error where its name is no text.
std::string to_json(const ViewingDocument& viewing, const std::filesystem::path& carrier = {});
// Where the arrays are of what was read from `carrier`, "-" for standard input.
std::filesystem::path file_of(const ViewingDocument& viewing, const std::filesystem::path& carrier);

// What a file of ours or a picture can hold.
using AnyDocument = std::variant<Document, ViewingDocument>;
AnyDocument parse_any_document(std::string_view text);
std::string to_json(const AnyDocument& document, const std::filesystem::path& carrier = {});

}  // namespace attnscope
