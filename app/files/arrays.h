#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor.h"
#include "platform/system/file.h"

namespace attnscope {

// Bytes that can be looked at wherever they lie: in memory, or in a file of which only what is looked at is read.
class Bytes {
public:
  Bytes() = default;                                                      // holds no bytes
  Bytes(std::string_view memory, std::shared_ptr<const void> owner = {})  // NOLINT(google-explicit-constructor)
      : memory_(memory.data()), size_(memory.size()), owner_(std::move(owner)) {}
  explicit Bytes(std::shared_ptr<const ReadableFile> file) : size_(file->size()), file_(std::move(file)) {}

  Bytes(const std::string& memory) : Bytes(std::string_view(memory)) {}  // NOLINT(google-explicit-constructor)

  bool is_there() const { return memory_ || file_; }
  std::string_view in_memory() const { return {memory_, memory_ ? size_ : 0}; }  // empty if they are in a file
  std::uint64_t size() const { return size_; }
  const std::shared_ptr<const ReadableFile>& file() const { return file_; }  // null if they are in memory
  // Returns a part of the bytes, which must lie within them; it keeps their owner alive.
  Bytes part(std::uint64_t first, std::uint64_t count) const;
  // Copies bytes from `first` on, which must lie within. Returns false if a file no longer has them.
  bool read(std::span<char> to, std::uint64_t first) const;
  // Returns a copy of a part, as far as it lies within. Throws Error if a file no longer has it.
  std::string copy(std::uint64_t first, std::uint64_t count) const;

private:
  friend class BytesReader;

  const char* memory_ = nullptr;
  std::uint64_t first_ = 0;  // position of the first byte in the file
  std::uint64_t size_ = 0;
  std::shared_ptr<const void> owner_;  // keeps the memory alive; null: it outlives this object
  std::shared_ptr<const ReadableFile> file_;
};

// Looks at one stretch of bytes after the other.
class BytesReader {
public:
  // If the next stretches follow closely, up to `ahead` bytes of a file are read at once.
  explicit BytesReader(Bytes bytes, std::uint64_t ahead = 0) : bytes_(std::move(bytes)), ahead_(ahead) {}

  // Returns `count` bytes from `position` on, valid until the next call; they must lie within. Null if a file no longer
  // has them.
  const char* at(std::uint64_t position, std::uint64_t count) {
    return bytes_.memory_ ? bytes_.memory_ + position : read(position, count);
  }

private:
  const char* read(std::uint64_t position, std::uint64_t count);

  Bytes bytes_;
  std::uint64_t ahead_;
  std::string held_;  // the bytes that were read ahead
  std::uint64_t held_first_ = 0;
};

[[noreturn]] void fail_as_shortened();  // throws Error: another program made the file shorter

enum class NumberType {
  float16,
  bfloat16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean,
};
std::size_t byte_size(NumberType type);
std::string_view name_of(NumberType type);  // NumPy's: "float32"
bool is_floating(NumberType type);          // only such numbers are weights

enum class ByteOrder { little, big };

// An array of a file: what it is, and where its bytes are. Nothing is copied or converted before it is asked for.
struct ArrayView {
  std::string name;  // empty if the file holds one array without a name
  NumberType type = NumberType::float32;
  ByteOrder order = ByteOrder::little;
  std::vector<Index> shape;
  bool is_fortran = false;                  // the first index runs fastest
  Bytes bytes;                              // its numbers; none if load() must unpack them first
  std::optional<std::uint32_t> packed_sum;  // the archive's CRC-32 of what must be unpacked, header and numbers
  std::string problem;                      // why its numbers cannot be read, as a sentence; else empty
};

// Watches several arrays in turn, with the name of each; the name is empty for work that belongs to none.
using UnpackWatch = std::function<void(const std::string& name, float part)>;
PartWatch watch_of(const UnpackWatch& watch, const std::string& name);  // empty if `watch` is empty

// The place of some bytes in a file.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const ByteRange&) const = default;
};

// The arrays of a file of any kind, in the order of the file.
struct NamedArrays {
  std::vector<ArrayView> arrays;
  std::vector<std::string> row_names;                         // the first column of a table, if it holds names
  std::vector<std::string> column_names;                      // the first line of a table, if it holds names
  std::vector<std::pair<std::string, std::string>> metadata;  // words and whole numbers that stand beside the tensors
  std::shared_ptr<const ReadableFile> file;                   // read when numbers are asked for; mostly null
  // For archives: unpacks a part of an array, and keeps the last, which is often asked for again. One thread at a time.
  std::function<Bytes(std::size_t, ByteRange, const PartWatch&)> unpack;
  std::function<void()> forget_unpacked;  // forgets the last array, unless somebody else has it

  bool is_whole() const { return !file || file->is_whole(); }  // else another program made the file shorter
  const ArrayView* find(std::string_view name) const;          // null when there is none
};

// Watches for loading an array and for making it a tensor, each with its share of the work.
struct LoadWatch {
  LoadWatch(const UnpackWatch& watch, const ArrayView& array);
  PartWatch unpacking;
  PartWatch converting;
};

// Returns the array with its bytes in memory. Throws Error if its numbers cannot be read.
ArrayView load(const NamedArrays& file, std::size_t index, const PartWatch& watch = {});

// Returns the bytes of the elements of a shape that a file claims. Throws Error if they, or their bytes, overflow 64
// bits.
std::uint64_t claimed_bytes(std::span<const Index> shape, NumberType type);

// Returns the numbers as float32, row-major, rounded to the nearest; float64 beyond float32 becomes infinity. The view
// must be loaded. Throws Error if the file was made shorter meanwhile.
Tensor to_tensor(const ArrayView& array, const PartWatch& watch = {});

// Returns rows [first, first + count) of a table (T, d) in the same way, without touching the others.
Tensor rows_to_tensor(const ArrayView& array, Index first, Index count, const PartWatch& watch = {});

// Reads a rectangle of one trailing matrix of an array of two axes or more, row-major as read_cells() writes it.
// `matrix` counts the axes before the last two as NumPy does, whatever the order in the file. The view must be loaded.
// Returns false if the file was made shorter meanwhile: cells that it no longer has are NaN.
bool read_matrix(std::span<float> cells, const ArrayView& array, Index matrix, const CellRect& rect);
// Returns how many numbers of the file are read for one cell: more than one if the cells of a matrix do not lie side by
// side.
Index read_for_a_cell(const ArrayView& array);

std::string shape_text(std::span<const Index> shape);  // "(6, 3)"

// Reads the formats below, recognized by what the file holds, and only then by its ending. Only headers are read and
// checked: every size against the file, before anything is allocated. Throws Error whose sentence begins with the path.
NamedArrays read_arrays(const std::filesystem::path& path, const PartWatch& watch = {});
bool is_array_path(const std::filesystem::path& path);  // by its ending
bool is_text_table(const std::filesystem::path& path);  // by its ending: such a file is read as a whole

// The readers of the formats.
NamedArrays parse_npy(const Bytes& bytes);
NamedArrays parse_npz(const Bytes& bytes, const PartWatch& watch = {});
NamedArrays parse_safetensors(const Bytes& bytes, const PartWatch& watch = {});
// The state dict of a model; nothing that the file names is run.
NamedArrays parse_pth(const Bytes& bytes, const PartWatch& watch = {});
NamedArrays parse_csv(std::string_view text, const PartWatch& watch = {});  // any table of text; converts it at once
NamedArrays parse_arrays(const Bytes& bytes, std::string_view ending, const PartWatch& watch = {});

}  // namespace attnscope
