#pragma once

#include <map>
#include <string>
#include <string_view>

namespace attnscope {

// Where the bytes of uncompressed entries of a zip archive are, by name, so that what numpy.savez writes can be read in
// place. Entries with anything unusual about them are left out.
std::map<std::string, std::string_view, std::less<>> stored_entries(std::string_view archive);

}  // namespace attnscope
