#pragma once

#include <string>
#include <vector>

#include "commands/command_shape.h"

namespace attnscope {

// The manual page, as man reads it (roff).
std::string manual_page(const std::vector<CommandShape>& commands);

}  // namespace attnscope
