#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/parameters.h"
#include "interchange/arrays.h"

namespace attnscope {

// Tensors in the order given, as float32, with texts beside them. Never half-written. Throws Error.
void write_safetensors(const Parameters& parameters, const std::vector<std::pair<std::string, std::string>>& metadata,
                       const std::filesystem::path& path);

}  // namespace attnscope
