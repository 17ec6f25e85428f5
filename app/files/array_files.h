#pragma once

#include <zip.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parameters.h"
#include "core/tensor.h"
#include "document/reading_budget.h"
#include "files/arrays.h"
#include "files/result_file.h"

// Shared by readers and writers of arrays: NumPy's format, .safetensors, a stage as an array.
namespace attnscope {

constexpr std::size_t max_npy_header_bytes = std::size_t{1} << 16;

struct NpyHeader {
  ArrayView array;            // name, type and shape; no bytes yet
  std::size_t size = 0;       // bytes before the numbers: magic, version and header
  std::uint64_t numbers = 0;  // bytes that the numbers take
};

// Reads the header from the first bytes of a .npy, at most max_npy_header_bytes. Throws Error when it is none; when it
// is one of numbers that cannot be read, array.problem says why.
NpyHeader parse_npy_header(std::string_view bytes);
// Returns where the header of these first bytes ends, which may be behind them; 0 if they are too few or no .npy.
std::size_t npy_header_end(std::string_view bytes);

// Return the type that a format calls "f4" or "F32"; nothing for other words.
std::optional<NumberType> type_in_npy(std::string_view code);
std::optional<NumberType> type_in_safetensors(std::string_view code);

// Returns whether an archive is one that torch.save() writes. Throws Error if the bytes are no archive.
bool holds_pth(const Bytes& bytes, const PartWatch& watch = {});

std::string npy_header(const char* type, const std::vector<Index>& shape);  // version 1.0, '<f4' or '|b1'

// An array on its way into a file, as a stage or a part of one. Its rows are read some at a time, so that a T×T stage
// is never held whole.
class WrittenArray {
public:
  // Fills `cells` with rows from `first` on, as many as fit in and no more than one matrix has left; returns how many.
  using Read = std::function<Index(std::span<float> cells, Index first)>;

  enum class Kind { numbers, whole_numbers, booleans };

  WrittenArray(std::string name, std::vector<Index> shape, Read read, Kind kind = Kind::numbers)
      : name_(std::move(name)), shape_(std::move(shape)), read_(std::move(read)), kind_(kind) {}
  // The result has to outlive this object.
  WrittenArray(const Result& result, Stage stage, const ResultPart& part);

  const std::string& name() const { return name_; }
  bool is_boolean() const { return kind_ == Kind::booleans; }
  const char* type() const;  // in a .npy: "<f4", "<i8" or "|b1"
  const std::vector<Index>& shape() const { return shape_; }
  Index cols() const { return shape_.back(); }
  Index matrix_rows() const { return shape_.size() < 2 ? 1 : shape_[shape_.size() - 2]; }
  Index rows() const { return element_count(shape_) / std::max<Index>(cols(), 1); }  // rows of all matrices together

  Index read(std::span<float> cells, Index first) const { return read_(cells, first); }

  // Calls visit(cells) for some rows after the other.
  void for_each_strip(const std::function<void(std::span<const float> cells)>& visit) const;

  // Returns cells that were read as they lie in a .npy.
  std::string bytes_of(std::span<const float> cells) const;
  std::uint64_t byte_count() const;  // bytes of all cells

private:
  std::string name_;
  std::vector<Index> shape_;
  Read read_;
  Kind kind_ = Kind::numbers;
};

// Returns the arrays of a part: its stages, or all that the result has, in the order of the table.
std::vector<WrittenArray> arrays_of(const Result& result, const ResultPart& part);

// Writes numpy.savez's format: one float32 .npy per stage, the mask as bool; never half.
void write_npz(const std::vector<WrittenArray>& arrays, const std::filesystem::path& path);

// Writes tensors in the given order, as float32, with texts beside them; never half. Throws Error.
void write_safetensors(const Parameters& parameters, const std::vector<std::pair<std::string, std::string>>& metadata,
                       const std::filesystem::path& path);

// The pickle of a state dict, as torch.save writes it. It is read as data: nothing that it names is ever called.
// Private to this folder.

// A value, and those in it by their places in StateDict::values, because values are shared and may contain each other.
struct PickleValue {
  // `object` is what a function or class would have made that is not known: nothing is known of it but that name.
  enum class Kind { none, boolean, whole, fraction, text, global, tuple, list, dict, storage, tensor, object };

  Kind kind = Kind::none;
  Index whole = 0;        // also of a boolean; the count of numbers in a storage; where a tensor begins in its storage
  std::string text = {};  // also the key of a storage; module and name of a global or object: "torch.FloatStorage";
                          // the type of a tensor whose storage has none
  // Keys and values of a dict in turn; the type of a storage; the storage, the sizes and the strides of a tensor.
  std::vector<std::size_t> items = {};
};

struct StateDict {
  std::vector<PickleValue> values;
  std::size_t root = 0;
  std::string stranger = {};  // the first class or function that it names and that no state dict needs; mostly empty
};

// Reads what the known functions would return; what others would return are objects. Throws Error as
// refuse_checkpoint() does, or if it takes too much work.
StateDict parse_pickle(std::string_view bytes, ReadingBudget& budget);

// Returns the name of a storage's type, such as "Float" of "torch.FloatStorage"; empty if the global is another.
std::string_view storage_type(std::string_view global);

// Throws Error: "This is not a .pth checkpoint that can be read: …".
[[noreturn]] void refuse_checkpoint(const std::string& why);

// Archives that are read: .npz and .pth. Private to this folder.

// Bytes as libzip reads a file.
struct ZipSource {
  Bytes bytes;
  std::uint64_t position = 0;
  std::optional<std::uint64_t> first_read = {};  // position of the first read since the last reset
  zip_error_t error = {};
  PartWatch watch = {};  // asked before each read while the archive is opened
  bool is_cancelled = false;

  zip_int64_t read(void* data, zip_uint64_t size);
  zip_int64_t seek(void* data, zip_uint64_t size);
};

// An archive that is read. Its names serve as names of arrays and never as paths to write to.
class ZipArchive {
public:
  // Opens the archive and asks the watch meanwhile. Throws Error as refuse() does.
  ZipArchive(const Bytes& bytes, std::string_view kind, const PartWatch& watch = {});
  ~ZipArchive() { zip_discard(zip_); }
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  // Throws Error: "This is not a .npz archive that can be read: …" if that is the kind.
  [[noreturn]] void refuse(const std::string& why) const;

  zip_int64_t count() const { return zip_get_num_entries(zip_, 0); }
  zip_stat_t status(zip_uint64_t entry) const;  // has name and sizes; throws Error if they are missing

  // Returns these bytes of an entry, as far as it has them. Reads on to `end`, because libzip checks the sum of an
  // entry when it is asked for a byte behind the last one.
  std::string read(zip_uint64_t entry, ByteRange range, std::uint64_t end, const PartWatch& watch = {}) const;

  // Returns the bytes of the entry that was read last. libzip does not say where they are, but reads a stored entry
  // from there. Nothing if other bytes are there than `beginning`, which came out.
  Bytes place_of_last(std::uint64_t size, std::string_view beginning) const;

private:
  std::string kind_;
  mutable ZipSource bytes_;
  zip_t* zip_ = nullptr;
};

}  // namespace attnscope
