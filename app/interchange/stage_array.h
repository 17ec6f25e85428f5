#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "interchange/result_file.h"

// A stage, or a part of it, as an array in a file. Private to this folder.
namespace attnscope {

// Its rows are read some at a time, so that a T×T stage is never held whole. The result must stay.
class StageArray {
public:
  StageArray(const Result& result, Stage stage, const ResultPart& part);

  Stage stage() const { return stage_; }
  bool is_boolean() const { return stage_ == Stage::mask; }
  const std::vector<Index>& shape() const { return shape_; }
  Index rows() const { return static_cast<Index>(matrices_.size()) * matrix_rows_; }  // of all matrices
  Index cols() const { return shape_.back(); }

  // Rows from `first` on, as many as `cells` holds at the most and no more than one matrix has left; how many.
  Index read(std::span<float> cells, Index first) const;

  // Calls visit(cells) for some rows after the other.
  void for_each_strip(const std::function<void(std::span<const float> cells)>& visit) const;

  // Returns cells that were read as they lie in a .npy: float32, or a byte for each cell where it is boolean.
  std::string bytes_of(std::span<const float> cells) const;
  std::uint64_t byte_count() const;  // of all cells

private:
  const Result* result_;
  Stage stage_;
  std::vector<Index> shape_;
  Index matrix_rows_;
  std::vector<Index> matrices_;  // b * H + h
};

// Returns the arrays of a part: its stages, or all that the result has, in the order of the table.
std::vector<StageArray> arrays_of(const Result& result, const ResultPart& part);

}  // namespace attnscope
