#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/evaluate.h"

namespace attnscope {

// Stages of a result as `attnscope eval` gives them. `chosen` empty: all that the result has.

// {"shapes": ...} is not part of it: one nested list per stage, by id; -inf, inf and nan as strings, the mask as
// booleans.
std::string result_to_json(const Result& result, const std::vector<Stage>& chosen);

// numpy.savez's format: one float32 .npy per stage, the mask as bool. Never half-written.
void write_npz(const Result& result, const std::vector<Stage>& chosen, const std::filesystem::path& path);

// Writes by the ending of the path, .npz or .json; throws Error for any other.
void write_result(const Result& result, const std::vector<Stage>& chosen, const std::filesystem::path& path);

}  // namespace attnscope
