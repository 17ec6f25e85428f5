#pragma once

#include <string_view>

namespace attnscope {

std::string_view version();  // "1.2.3", as CMakeLists.txt has it

}  // namespace attnscope
