#pragma once

#include <span>
#include <string>

#include "interchange/arrays.h"

namespace attnscope {

// Eight hexadecimal digits that tell the numbers of arrays from others of the same shapes and types: the CRC-32 of
// bytes that lie evenly over all of them, or of the sums that an archive has of what is packed. Reads 256 KiB at most,
// and unpacks nothing. Empty where there is nothing to read.
std::string checksum_of(const NamedArrays& file, std::span<const std::size_t> arrays);

}  // namespace attnscope
