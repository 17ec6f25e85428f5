#pragma once

#include <span>
#include <string>

#include "interchange/arrays.h"

namespace attnscope {

// Eight hexadecimal digits that change when the numbers of arrays change: the CRC-32 of a sample of their bytes, spread
// evenly, or, in an archive, of the checksums of its packed entries. Reads at most 256 KiB and unpacks nothing. Empty
// where there is nothing to read. Throws Error when the file was made shorter meanwhile.
std::string checksum_of(const NamedArrays& file, std::span<const std::size_t> arrays);

}  // namespace attnscope
