#include "files/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <system_error>

#include "core/error.h"
#include "core/text.h"
#include "document/file_formats.h"
#include "document/json.h"
#include "files/array_files.h"
#include "files/file_kind.h"

namespace attnscope {
namespace {

template <typename Bits>
Bits bits_at(const char* place, ByteOrder order) {
  static_assert(std::endian::native == std::endian::little);
  std::array<char, sizeof(Bits)> bytes;
  std::memcpy(bytes.data(), place, sizeof(Bits));
  if (order == ByteOrder::big) std::ranges::reverse(bytes);
  return std::bit_cast<Bits>(bytes);
}

template <typename Number>
float converted(const char* place, ByteOrder order) {
  return static_cast<float>(bits_at<Number>(place, order));
}

template <>
float converted<bool>(const char* place, ByteOrder) {
  return *place != 0 ? 1.0F : 0.0F;
}

// Elements between neighbours along each axis.
std::vector<Index> strides_of(const ArrayView& array) {
  std::vector<Index> strides(array.shape.size());
  Index stride = 1;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const std::size_t axis = array.is_fortran ? i : strides.size() - 1 - i;
    strides[axis] = stride;
    stride *= array.shape[axis];
  }
  return strides;
}

// How to go along an axis of a rectangle, in elements.
struct Walk {
  Index count = 0;
  Index source_stride = 0;
  Index target_stride = 0;
};

// Along `inner` for every place of `outer`, beginning with element `first`. False where a file does not have all of
// them any more: those are NaN.
template <typename Number>
bool convert_rectangle(float* target, const ArrayView& array, Index first, const Walk& outer, const Walk& inner) {
  constexpr auto width = static_cast<Index>(sizeof(Number));
  constexpr Index read_at_once = Index{1} << 20;
  constexpr Index page = 4096;
  if (inner.count < 1) return true;
  const Index span = (inner.count - 1) * inner.source_stride + 1;
  if (array.bytes.file() && inner.source_stride * width > page && inner.count > 1) {  // nothing between is wanted
    bool is_whole = true;
    for (Index i = 0; i < inner.count; ++i) {
      const Walk one = {1, 1, 1};
      is_whole &= convert_rectangle<Number>(target + i * inner.target_stride, array, first + i * inner.source_stride,
                                            outer, one);
    }
    return is_whole;
  }
  const bool is_dense = outer.source_stride <= 2 * span;
  const Index end = first + (outer.count - 1) * outer.source_stride + span;  // behind it nothing is wanted
  BytesReader reader(array.bytes.part(0, static_cast<std::uint64_t>(end * width)), is_dense ? read_at_once : 0);
  const bool is_ready = std::is_same_v<Number, float> && array.order == ByteOrder::little && inner.source_stride == 1 &&
                        inner.target_stride == 1;
  bool is_whole = true;
  for (Index i = 0; i < outer.count; ++i) {
    const Index begin = (first + i * outer.source_stride) * width;
    const char* const from = reader.at(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(span * width));
    float* const to = target + i * outer.target_stride;
    is_whole &= from != nullptr;
    if (from && is_ready) {
      std::memcpy(to, from, static_cast<std::size_t>(inner.count) * sizeof(float));
      continue;
    }
    for (Index k = 0; k < inner.count; ++k) {
      to[k * inner.target_stride] = from ? converted<Number>(from + k * inner.source_stride * width, array.order)
                                         : std::numeric_limits<float>::quiet_NaN();
    }
  }
  return is_whole;
}

using Convert = bool (*)(float* target, const ArrayView& array, Index first, const Walk& outer, const Walk& inner);

struct TypeInfo {
  NumberType type;
  std::string_view name;  // NumPy's
  std::string_view npy;   // empty where NumPy has no such type
  std::string_view safetensors;
  std::size_t bytes;
  Convert convert;
};

template <typename Number>
constexpr TypeInfo type_row(NumberType type, std::string_view name, std::string_view npy,
                            std::string_view safetensors) {
  return {type, name, npy, safetensors, sizeof(Number), convert_rectangle<Number>};
}

constexpr std::array types = {type_row<Eigen::half>(NumberType::float16, "float16", "f2", "F16"),
                              type_row<Eigen::bfloat16>(NumberType::bfloat16, "bfloat16", "", "BF16"),
                              type_row<float>(NumberType::float32, "float32", "f4", "F32"),
                              type_row<double>(NumberType::float64, "float64", "f8", "F64"),
                              type_row<std::int8_t>(NumberType::int8, "int8", "i1", "I8"),
                              type_row<std::int16_t>(NumberType::int16, "int16", "i2", "I16"),
                              type_row<std::int32_t>(NumberType::int32, "int32", "i4", "I32"),
                              type_row<std::int64_t>(NumberType::int64, "int64", "i8", "I64"),
                              type_row<std::uint8_t>(NumberType::uint8, "uint8", "u1", "U8"),
                              type_row<std::uint16_t>(NumberType::uint16, "uint16", "u2", "U16"),
                              type_row<std::uint32_t>(NumberType::uint32, "uint32", "u4", "U32"),
                              type_row<std::uint64_t>(NumberType::uint64, "uint64", "u8", "U64"),
                              type_row<bool>(NumberType::boolean, "bool", "b1", "BOOL")};

const TypeInfo& type_info(NumberType type) { return *std::ranges::find(types, type, &TypeInfo::type); }

std::optional<NumberType> type_by(std::string_view TypeInfo::*column, std::string_view code) {
  const auto found = std::ranges::find(types, code, column);
  return found == types.end() || code.empty() ? std::nullopt : std::optional(found->type);
}

// Rows first to first + count - 1 of each trailing matrix. `watch` is called about every million numbers, and may stop
// the work.
void convert_rows(std::span<float> target, const ArrayView& array, Index first, Index count, const PartWatch& watch) {
  constexpr Index part = Index{1} << 20;
  if (target.empty()) return;
  const Index cols = array.shape.back();
  const Index matrices = static_cast<Index>(target.size()) / (count * cols);
  const Index step = std::max<Index>(1, part / cols);
  std::size_t done = 0;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (Index row = 0; row < count; row += step) {
      if (watch) watch(static_cast<float>(done) / static_cast<float>(target.size()));
      const CellRect rect = {first + row, 0, std::min(step, count - row), cols};
      const auto cells = static_cast<std::size_t>(rect.rows * rect.cols);
      if (!read_matrix(target.subspan(done, cells), array, matrix, rect)) fail_as_shortened();
      done += cells;
    }
  }
}

// A list is a matrix of one row.
ArrayView with_rows(ArrayView array) {
  while (array.shape.size() < 2) array.shape.insert(array.shape.begin(), 1);
  return array;
}

}  // namespace

void fail_as_shortened() {
  throw Error("The file was made shorter by another program while it was read: read it again when it is whole.");
}

Bytes Bytes::part(std::uint64_t first, std::uint64_t count) const {
  assert(first <= size_ && count <= size_ - first);
  Bytes result = *this;
  if (result.memory_) result.memory_ += first;
  result.first_ += first;
  result.size_ = count;
  return result;
}

bool Bytes::read(std::span<char> to, std::uint64_t first) const {
  assert(first <= size_ && to.size() <= size_ - first);
  if (file_) return file_->read(to, first_ + first);
  std::copy_n(memory_ + first, to.size(), to.data());
  return true;
}

std::string Bytes::copy(std::uint64_t first, std::uint64_t count) const {
  if (first >= size_) return {};
  count = std::min(count, size_ - first);
  std::string bytes(count, '\0');
  if (!read(bytes, first)) fail_as_shortened();
  return bytes;
}

const char* BytesReader::read(std::uint64_t position, std::uint64_t count) {
  const bool is_held = position >= held_first_ && position + count <= held_first_ + held_.size();
  if (!is_held) {
    held_.resize(std::min(std::max(count, ahead_), bytes_.size_ - position));
    held_first_ = position;
    if (!bytes_.read(held_, position)) {
      held_.clear();
      return nullptr;
    }
  }
  return held_.data() + (position - held_first_);
}

std::size_t byte_size(NumberType type) { return type_info(type).bytes; }

std::string_view name_of(NumberType type) { return type_info(type).name; }

bool is_floating(NumberType type) {
  constexpr std::array floats = {NumberType::float16, NumberType::bfloat16, NumberType::float32, NumberType::float64};
  return std::ranges::find(floats, type) != floats.end();
}

std::optional<NumberType> type_in_npy(std::string_view code) { return type_by(&TypeInfo::npy, code); }

std::optional<NumberType> type_in_safetensors(std::string_view code) { return type_by(&TypeInfo::safetensors, code); }

std::string shape_text(std::span<const Index> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

const ArrayView* NamedArrays::find(std::string_view name) const {
  const auto found = std::ranges::find(arrays, name, &ArrayView::name);
  return found == arrays.end() ? nullptr : &*found;
}

std::uint64_t claimed_bytes(std::span<const Index> shape, NumberType type) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  const bool has_elements = std::ranges::find(shape, 0) == shape.end();
  std::uint64_t bytes = byte_size(type);
  for (const Index dimension : shape) {
    const auto factor = static_cast<std::uint64_t>(std::max<Index>(dimension, 1));
    if (dimension < 0 || bytes > most / factor) {
      throw Error(fmt::format("The shape {} is larger than any file can be.", shape_text(shape)));
    }
    bytes *= factor;
  }
  return has_elements ? bytes : 0;
}

PartWatch watch_of(const UnpackWatch& watch, const std::string& name) {
  if (!watch) return {};
  return [&watch, name](float part) { watch(name, part); };
}

LoadWatch::LoadWatch(const UnpackWatch& watch, const ArrayView& array) {
  if (!watch) return;
  const float unpacked = array.bytes.is_there() ? 0 : 0.9F;  // to unpack takes longer than to convert
  unpacking = [part_watch = watch_of(watch, array.name), unpacked](float part) { part_watch(unpacked * part); };
  converting = [part_watch = watch_of(watch, array.name), unpacked](float part) {
    part_watch(unpacked + (1 - unpacked) * part);
  };
}

ArrayView load(const NamedArrays& file, std::size_t index, const PartWatch& watch) {
  ArrayView array = file.arrays.at(index);
  if (!array.problem.empty()) throw Error(array.problem);
  if (!array.bytes.is_there() && file.unpack)
    array.bytes = file.unpack(index, {0, claimed_bytes(array.shape, array.type)}, watch);
  return array;
}

Tensor to_tensor(const ArrayView& array, const PartWatch& watch) {
  assert(array.bytes.size() == claimed_bytes(array.shape, array.type));
  Tensor tensor(array.shape);
  const ArrayView matrices = with_rows(array);
  convert_rows(tensor.values, matrices, 0, matrices.shape[matrices.shape.size() - 2], watch);
  return tensor;
}

Tensor rows_to_tensor(const ArrayView& array, Index first, Index count, const PartWatch& watch) {
  assert(array.shape.size() == 2 && first >= 0 && count >= 0 && first + count <= array.shape[0]);
  Tensor tensor({count, array.shape[1]});
  convert_rows(tensor.values, array, first, count, watch);
  return tensor;
}

// The inner loop runs along the axis whose cells are closest together in the file.
Index read_for_a_cell(const ArrayView& array) {
  constexpr Index page = 16384;  // one by itself takes as long as several in a row
  if (!array.bytes.file()) return 1;
  const std::vector<Index> strides = strides_of(array);
  const Index stride = std::min(strides[strides.size() - 1], strides[strides.size() - 2]);
  return std::min(stride, page / static_cast<Index>(byte_size(array.type)));
}

bool read_matrix(std::span<float> cells, const ArrayView& array, Index matrix, const CellRect& rect) {
  assert(array.shape.size() >= 2 && static_cast<Index>(cells.size()) == rect.rows * rect.cols);
  const std::vector<Index> strides = strides_of(array);
  const std::size_t row_axis = strides.size() - 2;
  const std::size_t col_axis = strides.size() - 1;
  Index first = rect.row * strides[row_axis] + rect.col * strides[col_axis];
  for (std::size_t axis = row_axis; axis-- > 0;) {
    first += matrix % array.shape[axis] * strides[axis];
    matrix /= array.shape[axis];
  }
  const Walk rows = {rect.rows, strides[row_axis], rect.cols};
  const Walk cols = {rect.cols, strides[col_axis], 1};
  const bool has_rows_inside = strides[row_axis] < strides[col_axis];
  return type_info(array.type)
      .convert(cells.data(), array, first, has_rows_inside ? cols : rows, has_rows_inside ? rows : cols);
}

namespace {

constexpr std::size_t max_copied_bytes = std::size_t{1} << 26;
constexpr std::size_t max_csv_bytes = max_document_bytes;

// Small files are copied, so that nothing that another program does to them matters; of large ones only what is looked
// at is read, so that they open at once and take no memory.
Bytes bytes_of_file(const std::filesystem::path& path, bool must_copy, const PartWatch& watch) {
  std::error_code none;
  const bool is_large = !must_copy && std::filesystem::is_regular_file(path, none) &&
                        std::filesystem::file_size(path, none) > max_copied_bytes;
  if (is_large) return Bytes(std::make_shared<const ReadableFile>(path));
  const auto copied =
      std::make_shared<const std::string>(read_file(path, must_copy ? max_csv_bytes : max_copied_bytes, watch));
  return {*copied, copied};
}

struct ArrayReader {
  ArrayKind kind;
  NamedArrays (*read)(const Bytes& bytes, const PartWatch& watch);
};

constexpr ArrayReader readers[] = {
    {ArrayKind::npy, [](const Bytes& bytes, const PartWatch&) { return parse_npy(bytes); }},
    {ArrayKind::npz,
     [](const Bytes& bytes, const PartWatch& watch) {
       return holds_pth(bytes, watch) ? parse_pth(bytes, watch) : parse_npz(bytes, watch);
     }},
    {ArrayKind::safetensors, parse_safetensors},
    {ArrayKind::state_dict, parse_pth},
    {ArrayKind::table, [](const Bytes& bytes, const PartWatch& watch) { return parse_csv(bytes.in_memory(), watch); }}};

// Returns the format that an ending names, whether or not others share it; null for other endings.
const ArrayFormat* format_for_ending(std::string_view ending) {
  const auto formats = array_formats();
  const auto shared = std::ranges::find(formats, ending, &ArrayFormat::shared_ending);
  return ending.empty() || shared == formats.end() ? array_format_by_ending("x" + std::string(ending)) : &*shared;
}

}  // namespace

bool is_array_path(const std::filesystem::path& path) { return array_format_by_ending(path) != nullptr; }

bool is_text_table(const std::filesystem::path& path) {
  const ArrayFormat* const format = format_for_ending(lower_ending(path));
  return format && format->is_text;
}

// The content of the file decides; its name only where that leaves a choice.
NamedArrays parse_arrays(const Bytes& bytes, std::string_view ending, const PartWatch& watch) {
  constexpr std::uint64_t longest_magic = 16;
  const ArrayFormat* format = array_format_by_bytes(bytes.copy(0, longest_magic));
  if (!format) {
    refuse_foreign(bytes, "x" + std::string(ending));
    format = format_for_ending(ending);
  }
  if (!format) throw Error(fmt::format("Arrays are read from {}.", array_endings()));
  return std::ranges::find(readers, format->kind, &ArrayReader::kind)->read(bytes, watch);
}

NamedArrays read_arrays(const std::filesystem::path& path, const PartWatch& watch) {
  const std::string ending = lower_ending(path);
  try {
    const Bytes bytes = bytes_of_file(path, is_text_table(path), watch);
    NamedArrays arrays = parse_arrays(bytes, ending, watch);
    arrays.file = bytes.file();
    return arrays;
  } catch (const Error& error) {
    throw Error(error.field, with_path(path, error.what()));
  }
}

}  // namespace attnscope
