#pragma once

#include "core/config.h"

#include <nlohmann/json.hpp>

#include <string>

namespace attnscope::test {

// A file of tests/data.
nlohmann::json read_data(const std::string& name);

// {"shape": [...], "values": [...]}, where infinities and NaN are strings.
Tensor tensor_from(const nlohmann::json& array);

// A document of the oracle or of the fixtures. "weights_from" takes the transposed weights of another document.
AttentionConfig config_from(const nlohmann::json& document);

}  // namespace attnscope::test
