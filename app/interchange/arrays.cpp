#include "interchange/arrays.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "core/error.h"
#include "core/shown_text.h"
#include "document/json.h"
#include "document/words.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 4> endings = {".npy", ".npz", ".safetensors", ".csv"};
constexpr std::size_t max_copied_bytes = std::size_t{1} << 26;
constexpr std::size_t max_csv_bytes = max_document_bytes;

// Small files are copied, so that nothing that another program does to them matters; of large ones only what is looked
// at is read, so that they open at once and take no memory.
Bytes bytes_of_file(const std::filesystem::path& path, bool must_copy) {
  std::error_code none;
  const bool is_large = !must_copy && std::filesystem::is_regular_file(path, none) &&
                        std::filesystem::file_size(path, none) > max_copied_bytes;
  if (is_large) return Bytes(std::make_shared<const ReadableFile>(path));
  const auto copied =
      std::make_shared<const std::string>(read_file(path, must_copy ? max_csv_bytes : max_copied_bytes));
  return {*copied, copied};
}

}  // namespace

bool is_array_path(const std::filesystem::path& path) {
  return std::ranges::find(endings, lower_ending(path)) != endings.end();
}

// The content of the file decides; its name only where that leaves a choice.
NamedArrays parse_arrays(const Bytes& bytes, std::string_view ending, const PartWatch& watch) {
  constexpr std::uint64_t longest_magic = 6;
  const std::string magic = bytes.copy(0, longest_magic);
  if (magic.starts_with("\x93NUMPY")) return parse_npy(bytes);
  if (magic.starts_with("PK\x03\x04") || magic.starts_with("PK\x05\x06")) return parse_npz(bytes, watch);
  if (ending == ".npy") return parse_npy(bytes);
  if (ending == ".npz") return parse_npz(bytes, watch);
  if (ending == ".safetensors") return parse_safetensors(bytes);
  if (ending == ".csv") return parse_csv(bytes.in_memory(), watch);
  throw Error("Arrays are read from .npy, .npz, .safetensors and .csv.");
}

NamedArrays read_arrays(const std::filesystem::path& path, const PartWatch& watch) {
  const std::string ending = lower_ending(path);
  try {
    const Bytes bytes = bytes_of_file(path, ending == ".csv");
    NamedArrays arrays = parse_arrays(bytes, ending, watch);
    arrays.file = bytes.file();
    return arrays;
  } catch (const Error& error) {
    const std::string sentence = error.what();  // which may name the file already
    const bool names_it = sentence.find(shown_path(path)) != std::string::npos;
    throw Error(error.field, names_it ? sentence : shown_path(path) + ": " + sentence);
  }
}

}  // namespace attnscope
