#pragma once

#include <string>
#include <string_view>

#include "document/document.h"

namespace attnscope {

std::string_view version();  // "1.2.3", as CMakeLists.txt has it

// Returns the line below a picture, from which a reader can make it again: "Multi-head attention · 2 heads · seed 123 ·
// dropout 0.5 · attnscope 0.2.0".
std::string footer_text(const Document& document);

}  // namespace attnscope
