#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"

namespace attnscope {

// The part of a result that is written.
struct ResultPart {
  std::vector<Stage> stages = {};  // in this order; none: all that the result has
  // One batch entry or one head only, as indexing gives them: weights[batch, head]. Stages without such an axis stay
  // whole.
  std::optional<Index> batch = {};
  std::optional<Index> head = {};
};

// One nested list per stage, by id, a line for each row; -inf, inf and nan as strings, the mask as booleans. Handed on
// in pieces, because the text of a large result is several times its size.
void write_json(const Result& result, const ResultPart& part, const std::function<void(std::string_view)>& write);
std::string result_to_json(const Result& result, const ResultPart& part);

class WrittenArray;
// Writes arrays by the ending of the path: .npz, .json, or .npy if there is one.
void write_arrays(const std::vector<WrittenArray>& arrays, const std::filesystem::path& path);
void write_json(const std::vector<WrittenArray>& arrays, const std::function<void(std::string_view)>& write);

// numpy.savez's format: one float32 .npy per stage, the mask as bool. Never half-written.
void write_npz(const Result& result, const ResultPart& part, const std::filesystem::path& path);

// One stage as numpy.save writes it.
void write_npy(const Result& result, const ResultPart& part, const std::filesystem::path& path);

// One stage that is one matrix, with the names of its rows and columns: tokens, or "d1", "d2", ….
void write_csv(const Result& result, const ResultPart& part, const std::vector<std::string>& tokens,
               const std::filesystem::path& path);

// Writes by the ending of the path, .npz, .json, .npy or .csv; throws Error for any other. Tokens name what .csv holds.
void write_result(const Result& result, const ResultPart& part, const std::filesystem::path& path,
                  const std::vector<std::string>& tokens = {});

// Throws Error when write_result has no format for the path's ending.
void check_result_path(const std::filesystem::path& path);

// Throws Error when the path's format cannot hold the part: .npy takes one stage, .csv one matrix.
void check_result_fits(const AttentionConfig& config, const ResultPart& part, const std::filesystem::path& path);

}  // namespace attnscope
