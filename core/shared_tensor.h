#pragma once

#include "core/tensor.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attnscope {

// A tensor that documents, their history and evaluations share. A copy costs a pointer, and a comparison starts with
// the pointers. The numbers lie in blocks of whole rows: changing one number copies the block that it stands in, and
// the other blocks stay shared.
class SharedTensor {
public:
  SharedTensor() : SharedTensor(Tensor()) {}
  SharedTensor(Tensor tensor);  // NOLINT(google-explicit-constructor): the same numbers, which are not copied

  const std::vector<Index>& shape() const { return contents_->shape; }
  Index rank() const { return static_cast<Index>(shape().size()); }
  Index cols() const { return shape().empty() ? 0 : shape().back(); }
  Index rows() const { return cols() == 0 ? 0 : size() / cols(); }  // of all its matrices; a vector is one row
  Index size() const { return contents_->size; }
  std::span<const float> row(Index row) const;

  // The blocks, one after the other, are the whole tensor, row by row.
  Index block_count() const { return static_cast<Index>(contents_->blocks.size()); }
  Index block_start(Index block) const;  // in numbers from the tensor's first
  std::span<const float> block(Index block) const;
  Tensor copy() const;

  void set(Index row, Index col, float value);

  // Returns the index of the first infinity or NaN; nothing when all are finite. Only blocks that have one
  // are searched.
  std::optional<Index> first_not_finite() const;

  // Bytes that this tensor holds and the other one does not share.
  std::size_t bytes_beyond(const SharedTensor& other) const;

  friend bool operator==(const SharedTensor& left, const SharedTensor& right);  // the same shape and bits

private:
  struct Block {
    std::shared_ptr<const float> numbers;
    bool is_finite = true;
  };
  struct Contents {
    std::vector<Index> shape;
    Index size = 0;
    Index block_size = 1;  // numbers in each block but the last
    std::vector<Block> blocks;
  };

  std::shared_ptr<const Contents> contents_;
};

}  // namespace attnscope
