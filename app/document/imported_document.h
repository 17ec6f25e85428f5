#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tensor.h"
#include "document/document.h"
#include "document/json.h"

// A document about attention from another program: where it is and how it is read, never its numbers.
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
// * It is a format of its own and not a document with other keys, because nothing in it can be computed. Every
//   reader of documents knows it by its "format" and refuses it in a sentence.
// * `file` is relative when the arrays are in the folder of the JSON (or of the picture that carries it) or below, so
//   that the folder can be moved; else it is absolute.
// * `tensor` is a name in the file; it is left out where arrays have no names. Where each layer is a tensor of its own,
//   it names the first, `layers` says how many there are, and `shape` is the shape of each.
// * `shape`, `number_type`, `axes` and `layers` must be what the file has now, or it is refused.
// * `checksum` shows whether the numbers are still the same. If they are not, a message says so, and the new ones are
//   shown. Older versions of this program left it out.
// * `layer` counts from 1, as on the screen and on the command line.
// * `tokens` names the keys, the columns. `query_tokens` names the queries, the rows, where they are others.
// * `steps` says how many tensors of a layer stand below each other, each a step of generation; `shape` is that of all.
// * `numbers` is "weights", "scores" or "shares", each row divided by its sum, if somebody chose one of these.
// * Unknown keys are an error. `tensor`, `layers`, `layer`, `steps`, `numbers`, `checksum`, `tokens` ("x1", "x2",
//   …) and `query_tokens` may be left out.

namespace attnscope {

// How the numbers of a file are read: as its numbers suggest, as weights or as scores as they are, or as shares, for
// which each row is divided by its sum.
enum class NumbersAs { suggested, weights, scores, shares };
constexpr std::array<std::string_view, 4> numbers_words = {"suggested", "weights", "scores", "shares"};

// Attention from another program that is being viewed: its file and what is chosen in it. The token names are in the
// document that stands in for it.
struct ImportedView {
  std::filesystem::path file;
  std::vector<std::string> tensors;  // titles of the tensors that can be chosen
  std::size_t tensor = 0;            // the chosen tensor
  std::string number_type;           // "float16"
  std::string shape;                 // the shape in the file: "(12, 12, 1024, 1024)"
  std::string axes;                  // how its axes are read: "layer, head, query, key"
  std::string other_axes;            // another way to read them; empty when there is none
  bool takes_other_axes = false;
  Index layers = 1;
  Index layer = 0;
  Index steps = 1;  // of a generation, below each other
  NumbersAs numbers = NumbersAs::suggested;

  bool operator==(const ImportedView&) const = default;
};

struct ImportedDocument {
  std::filesystem::path file;  // the file of the arrays, as written or absolute
  std::string tensor;
  std::vector<Index> shape;
  std::string number_type;  // NumPy's: "float16"
  std::string axes;
  Index layers = 1;
  Index layer = 0;
  Index steps = 1;
  NumbersAs numbers = NumbersAs::suggested;
  std::string checksum;  // eight hexadecimal digits; empty for none
  std::vector<std::string> tokens;
  std::vector<std::string> query_tokens = {};  // none: those of `tokens`, or numbers where there are others

  bool operator==(const ImportedDocument&) const = default;
};

// Reads a viewing document. Throws Error like parse_document().
ImportedDocument parse_viewing_document(std::string_view text);

// Returns the document as JSON. `carrier` is the file that will hold the text; if it is empty, `file` is written as an
// absolute path. Throws Error if the path is not UTF-8.
std::string to_json(const ImportedDocument& viewing, const std::filesystem::path& carrier = {});
// Returns the path of the arrays of a viewing document that was read from `carrier` ("-" for standard input).
std::filesystem::path file_of(const ImportedDocument& viewing, const std::filesystem::path& carrier);

// A JSON file of this program, or a picture, holds one of these.
using AnyDocument = std::variant<Document, ImportedDocument>;
AnyDocument parse_any_document(std::string_view text, const DocumentFiles& files = {});
std::string to_json(const AnyDocument& document, const std::filesystem::path& carrier = {},
                    ModelSha256 sha256 = ModelSha256::awaited);

}  // namespace attnscope
