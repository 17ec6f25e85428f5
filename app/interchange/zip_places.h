#pragma once

#include <map>
#include <string>

#include "interchange/bytes.h"

namespace attnscope {

// Where the bytes of uncompressed entries of a zip archive are, by name, so that what numpy.savez writes can be read in
// place. Entries with anything unusual about them are left out.
std::map<std::string, Bytes, std::less<>> stored_entries(const Bytes& archive);

}  // namespace attnscope
