#include "interchange/arrays.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.h"
#include "document/json.h"
#include "document/utf8.h"
#include "platform/system/file.h"
#include "interchange/mapped_file.h"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 4> endings = {".npy", ".npz", ".safetensors", ".csv"};
constexpr std::size_t max_copied_bytes = std::size_t{1} << 26;
constexpr std::size_t max_csv_bytes = max_document_bytes;

// The bytes of a file for as long as somebody holds them. Small files are copied, so that nothing that another program
// does to them matters; large ones are mapped, so that they open at once and take no memory that is not looked at.
struct FileBytes {
  explicit FileBytes(const std::filesystem::path& path, bool must_copy) {
    struct stat status = {};
    const int descriptor = must_copy || path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_large = descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                          static_cast<std::size_t>(status.st_size) > max_copied_bytes;
    if (is_large) {
      mapped.emplace(descriptor, static_cast<std::size_t>(status.st_size));
      if (!mapped->is_mapped()) throw Error(fmt::format("Cannot read {}: it cannot be mapped.", path.string()));
      return;
    }
    if (descriptor >= 0) ::close(descriptor);
    copied = read_file(path, must_copy ? max_csv_bytes : max_copied_bytes);
  }

  std::string_view bytes() const { return mapped ? mapped->bytes() : std::string_view(copied); }

  std::string copied;
  std::optional<MappedFile> mapped;
};

}  // namespace

bool is_array_path(const std::filesystem::path& path) {
  return std::ranges::find(endings, lower_ending(path)) != endings.end();
}

// What the file holds decides; its name only where that leaves a choice.
NamedArrays parse_arrays(std::string_view bytes, std::string_view ending, const PartWatch& watch) {
  if (bytes.starts_with("\x93NUMPY")) return parse_npy(bytes);
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return parse_npz(bytes, watch);
  if (ending == ".npy") return parse_npy(bytes);
  if (ending == ".npz") return parse_npz(bytes, watch);
  if (ending == ".safetensors") return parse_safetensors(bytes);
  if (ending == ".csv") return parse_csv(bytes, watch);
  throw Error("Arrays are read from .npy, .npz, .safetensors and .csv.");
}

NamedArrays read_arrays(const std::filesystem::path& path, const PartWatch& watch) {
  const std::string ending = lower_ending(path);
  const auto file = std::make_shared<const FileBytes>(path, ending == ".csv");
  try {
    NamedArrays arrays = parse_arrays(file->bytes(), ending, watch);
    arrays.owners.push_back(file);
    if (file->mapped) arrays.is_whole = [file] { return file->mapped->is_whole(); };
    return arrays;
  } catch (const Error& error) {
    throw Error(error.field, path.string() + ": " + error.what());
  }
}

}  // namespace attnscope
