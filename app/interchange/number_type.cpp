#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <span>

#include "core/error.h"
#include "document/utf8.h"
#include "interchange/arrays.h"

namespace attnscope {
namespace {

struct TypeInfo {
  NumberType type;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<TypeInfo, 13> types = {{{NumberType::float16, "float16", 2},
                                             {NumberType::bfloat16, "bfloat16", 2},
                                             {NumberType::float32, "float32", 4},
                                             {NumberType::float64, "float64", 8},
                                             {NumberType::int8, "int8", 1},
                                             {NumberType::int16, "int16", 2},
                                             {NumberType::int32, "int32", 4},
                                             {NumberType::int64, "int64", 8},
                                             {NumberType::uint8, "uint8", 1},
                                             {NumberType::uint16, "uint16", 2},
                                             {NumberType::uint32, "uint32", 4},
                                             {NumberType::uint64, "uint64", 8},
                                             {NumberType::boolean, "bool", 1}}};

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

template <typename Number>
void convert_run(float* to, const char* from, const Walk& walk, ByteOrder order) {
  const auto step = walk.source_stride * static_cast<Index>(sizeof(Number));
  for (Index i = 0; i < walk.count; ++i) to[i * walk.target_stride] = converted<Number>(from + i * step, order);
}

// Along `inner` for every place of `outer`.
template <typename Number>
void convert_rectangle(float* target, const ArrayView& array, Index first, const Walk& outer, const Walk& inner) {
  const bool is_ready = std::is_same_v<Number, float> && array.order == ByteOrder::little && inner.source_stride == 1 &&
                        inner.target_stride == 1;
  for (Index i = 0; i < outer.count; ++i) {
    const char* const from =
        array.bytes.data() + (first + i * outer.source_stride) * static_cast<Index>(sizeof(Number));
    float* const to = target + i * outer.target_stride;
    if (is_ready) {
      std::memcpy(to, from, static_cast<std::size_t>(inner.count) * sizeof(float));
    } else {
      convert_run<Number>(to, from, inner, array.order);
    }
  }
}

// How numbers of one type become float32.
struct Converters {
  float (*one)(const char* place, ByteOrder order);
  void (*rectangle)(float* target, const ArrayView& array, Index first, const Walk& outer, const Walk& inner);
};

template <typename Number>
constexpr Converters converters_for = {converted<Number>, convert_rectangle<Number>};

Converters converters_of(NumberType type) {
  switch (type) {
    case NumberType::float16:
      return converters_for<Eigen::half>;
    case NumberType::bfloat16:
      return converters_for<Eigen::bfloat16>;
    case NumberType::float32:
      return converters_for<float>;
    case NumberType::float64:
      return converters_for<double>;
    case NumberType::int8:
      return converters_for<std::int8_t>;
    case NumberType::int16:
      return converters_for<std::int16_t>;
    case NumberType::int32:
      return converters_for<std::int32_t>;
    case NumberType::int64:
      return converters_for<std::int64_t>;
    case NumberType::uint8:
      return converters_for<std::uint8_t>;
    case NumberType::uint16:
      return converters_for<std::uint16_t>;
    case NumberType::uint32:
      return converters_for<std::uint32_t>;
    case NumberType::uint64:
      return converters_for<std::uint64_t>;
    case NumberType::boolean:
      return converters_for<bool>;
  }
  return {};
}

// Fills `target`, row-major, with the elements whose first index begins at `first`; `shape` is the target's.
void convert(std::span<float> target, const ArrayView& array, const std::vector<Index>& shape, Index first) {
  const auto convert_one = converters_of(array.type).one;
  const auto width = static_cast<Index>(byte_size(array.type));
  const std::vector<Index> strides = strides_of(array);
  std::vector<Index> place(shape.size(), 0);
  Index element = shape.empty() ? 0 : first * strides[0];
  for (float& value : target) {
    value = convert_one(array.bytes.data() + element * width, array.order);
    for (std::size_t axis = shape.size(); axis-- > 0;) {  // on to the next, as an odometer goes
      element += strides[axis];
      if (++place[axis] < shape[axis]) break;
      element -= strides[axis] * shape[axis];
      place[axis] = 0;
    }
  }
}

// The same in pieces of about a million numbers; between them, `watch` may stop it.
void convert_by_parts(std::span<float> target, const ArrayView& array, std::vector<Index> shape, Index first,
                      const PartWatch& watch) {
  if (!watch || shape.empty() || target.empty()) return convert(target, array, shape, first);
  constexpr Index part = Index{1} << 20;
  const Index count = shape[0];
  const Index row = static_cast<Index>(target.size()) / count;
  const Index step = std::max<Index>(1, part / row);
  for (Index done = 0; done < count; done += shape[0]) {
    watch(static_cast<float>(done) / static_cast<float>(count));
    shape[0] = std::min(step, count - done);
    const auto place = static_cast<std::size_t>(done * row);
    convert(target.subspan(place, static_cast<std::size_t>(shape[0] * row)), array, shape, first + done);
  }
}

}  // namespace

std::size_t byte_size(NumberType type) { return std::ranges::find(types, type, &TypeInfo::type)->bytes; }

std::string_view name_of(NumberType type) { return std::ranges::find(types, type, &TypeInfo::type)->name; }

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
  const float unpacked = array.bytes.data() ? 0 : 0.9F;  // to unpack takes longer than to convert
  unpacking = [part_watch = watch_of(watch, array.name), unpacked](float part) { part_watch(unpacked * part); };
  converting = [part_watch = watch_of(watch, array.name), unpacked](float part) {
    part_watch(unpacked + (1 - unpacked) * part);
  };
}

ArrayView load(const NamedArrays& file, std::size_t index, const PartWatch& watch) {
  ArrayView array = file.arrays.at(index);
  if (!array.problem.empty()) throw Error(array.problem);
  if (!array.bytes.data() && file.unpack) array.bytes = file.unpack(index, watch);
  return array;
}

Tensor to_tensor(const ArrayView& array, const PartWatch& watch) {
  assert(array.bytes.size() == claimed_bytes(array.shape, array.type));
  Tensor tensor(array.shape);
  convert_by_parts(tensor.values, array, array.shape, 0, watch);
  return tensor;
}

Tensor rows_to_tensor(const ArrayView& array, Index first, Index count, const PartWatch& watch) {
  assert(array.shape.size() == 2 && first >= 0 && count >= 0 && first + count <= array.shape[0]);
  Tensor tensor({count, array.shape[1]});
  convert_by_parts(tensor.values, array, tensor.shape, first, watch);
  return tensor;
}

// The inner loop runs along the axis whose cells are closest together in the file.
void read_matrix(std::span<float> cells, const ArrayView& array, Index matrix, const CellRect& rect, CellStep step) {
  assert(array.shape.size() >= 2 && static_cast<Index>(cells.size()) == rect.rows * rect.cols);
  const std::vector<Index> strides = strides_of(array);
  const std::size_t row_axis = strides.size() - 2;
  const std::size_t col_axis = strides.size() - 1;
  Index first = rect.row * strides[row_axis] + rect.col * strides[col_axis];
  for (std::size_t axis = row_axis; axis-- > 0;) {
    first += matrix % array.shape[axis] * strides[axis];
    matrix /= array.shape[axis];
  }
  const Walk rows = {rect.rows, step.rows * strides[row_axis], rect.cols};
  const Walk cols = {rect.cols, step.cols * strides[col_axis], 1};
  const auto convert_cells = converters_of(array.type).rectangle;
  const bool has_rows_inside = strides[row_axis] < strides[col_axis];
  convert_cells(cells.data(), array, first, has_rows_inside ? cols : rows, has_rows_inside ? rows : cols);
}

}  // namespace attnscope
