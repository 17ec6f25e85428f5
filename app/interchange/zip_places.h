#pragma once

#include <map>
#include <string>
#include <string_view>

namespace attnscope {

// Where the bytes of those entries of a zip archive lie that are stored as they are, by name: what numpy.savez writes
// can be looked at in place. An entry that anything is unusual about is left out, whoever wrote the archive.
std::map<std::string, std::string_view, std::less<>> stored_entries(std::string_view archive);

}  // namespace attnscope
