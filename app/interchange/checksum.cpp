#include "interchange/checksum.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

namespace attnscope {
namespace {

constexpr std::size_t piece_bytes = 256;
constexpr std::size_t most_pieces = 1024;

uLong add(uLong sum, std::string_view bytes) {
  return crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

uLong add_samples(uLong sum, const Bytes& bytes, std::size_t pieces) {
  if (bytes.size() <= pieces * piece_bytes) return add(sum, bytes.copy(0, bytes.size()));
  const std::uint64_t last = bytes.size() - piece_bytes;  // where the last piece begins
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint64_t begin = pieces == 1 ? last / 2 : last * i / (pieces - 1);
    sum = add(sum, bytes.copy(begin, piece_bytes));
  }
  return sum;
}

uLong add_number(uLong sum, std::uint32_t number) {
  std::array<char, sizeof number> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i) & 0xFF);
  return add(sum, {bytes.data(), bytes.size()});
}

}  // namespace

std::string checksum_of(const NamedArrays& file, std::span<const std::size_t> arrays) {
  const std::size_t pieces = std::max<std::size_t>(1, most_pieces / std::max<std::size_t>(1, arrays.size()));
  uLong sum = crc32_z(0, nullptr, 0);
  for (const std::size_t index : arrays) {
    const ArrayView& array = file.arrays.at(index);
    if (!array.bytes.is_there() && !array.packed_sum) return "";
    sum = array.bytes.is_there() ? add_samples(sum, array.bytes, pieces) : add_number(sum, *array.packed_sum);
  }
  return fmt::format("{:08x}", sum);
}

}  // namespace attnscope
