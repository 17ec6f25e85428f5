#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/arrays.h"

// NumPy's array format, for .npy and for the entries of .npz. Private to this folder.
namespace attnscope {

constexpr std::size_t max_npy_header_bytes = std::size_t{1} << 16;

struct NpyHeader {
  ArrayView array;            // without its bytes
  std::size_t size = 0;       // of magic, version and header: where the numbers begin
  std::uint64_t numbers = 0;  // bytes that they take
};

// Reads the header from the first bytes of a .npy, at most max_npy_header_bytes. Throws Error when it is none; when it
// is one of numbers that cannot be read, array.problem says why.
NpyHeader parse_npy_header(std::string_view bytes);

// Types by what the formats call them: "f4" and "F32"; nothing for others.
std::optional<NumberType> type_in_npy(std::string_view code);
std::optional<NumberType> type_in_safetensors(std::string_view code);

std::string npy_header(const char* type, const std::vector<Index>& shape);  // version 1.0, '<f4' or '|b1'

}  // namespace attnscope
