#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"

namespace attnscope {

// Stages of a result as `attnscope eval` writes them. If `chosen` is empty, all that the result has.

// One nested list per stage, by id, a line for each row; -inf, inf and nan as strings, the mask as booleans. The text
// comes in pieces, because that of a large result is several times its size.
void write_json(const Result& result, const std::vector<Stage>& chosen,
                const std::function<void(std::string_view)>& write);
std::string result_to_json(const Result& result, const std::vector<Stage>& chosen);

// numpy.savez's format: one float32 .npy per stage, the mask as bool. Never half-written.
void write_npz(const Result& result, const std::vector<Stage>& chosen, const std::filesystem::path& path);

// One stage as numpy.save writes it.
void write_npy(const Result& result, Stage stage, const std::filesystem::path& path);

// One stage that is one matrix, with the names of its rows and columns: tokens, or "d1", "d2", ….
void write_csv(const Result& result, Stage stage, const std::vector<std::string>& tokens,
               const std::filesystem::path& path);

// Writes by the ending of the path, .npz, .json, .npy or .csv; throws Error for any other. Tokens name what .csv holds.
void write_result(const Result& result, const std::vector<Stage>& chosen, const std::filesystem::path& path,
                  const std::vector<std::string>& tokens = {});

// Throws Error when write_result has no format for the path's ending.
void check_result_path(const std::filesystem::path& path);

// Throws Error when the path's format cannot hold what was chosen: .npy takes one stage, .csv one matrix.
void check_result_fits(const AttentionConfig& config, const std::vector<Stage>& chosen,
                       const std::optional<Index>& batch, const std::optional<Index>& head,
                       const std::filesystem::path& path);

// The chosen stages of one batch entry, one head, or both, as indexing gives them: weights[batch, head]. Stages without
// such an axis stay whole.
Result select(const Result& result, const std::vector<Stage>& chosen, const std::optional<Index>& batch,
              const std::optional<Index>& head);

// The chosen stages, or all that the result has, in the order of the table, if none were chosen.
std::vector<Stage> stages_to_write(const Result& result, const std::vector<Stage>& chosen);

}  // namespace attnscope
