#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

namespace attnscope {

// Memory for numbers: aligned to the lines of the caches, so that no vector of the processor straddles two; and where
// it is large, in large pages if the system has them, because matrices are walked down their columns. To be given back
// with std::free. Throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);

// For containers of numbers that the kernels read and write.
template <typename Number>
struct AlignedAllocator {
  using value_type = Number;
  AlignedAllocator() = default;
  template <typename Other>
  AlignedAllocator(const AlignedAllocator<Other>&) {}  // NOLINT(google-explicit-constructor): what a container asks for
  Number* allocate(std::size_t count) {
    if (count > SIZE_MAX / sizeof(Number)) throw std::bad_array_new_length();
    return static_cast<Number*>(allocate_aligned(count * sizeof(Number)));
  }
  void deallocate(Number* numbers, std::size_t) { std::free(numbers); }
  bool operator==(const AlignedAllocator&) const = default;
};

// Memory of the kernels, kept from one evaluation to the next. Growing loses what it held.
class Workspace {
public:
  // At least `count` floats with any contents; the same memory as before where it was enough.
  float* reserve(std::size_t count) {
    if (count > count_) {
      floats_.reset();
      count_ = 0;
      floats_.reset(static_cast<float*>(allocate_aligned(count * sizeof(float))));
      count_ = count;
    }
    return floats_.get();
  }
  float* get() const { return floats_.get(); }

private:
  struct Free {
    void operator()(float* floats) const { std::free(floats); }
  };
  std::unique_ptr<float, Free> floats_;
  std::size_t count_ = 0;
};

using Index = std::ptrdiff_t;
using AlignedFloats = std::vector<float, AlignedAllocator<float>>;

// A matrix within a tensor. It has no arithmetic; eigen() below has.
template <typename Number>
class MatrixView {
public:
  MatrixView(Number* numbers, Index rows, Index cols) : numbers_(numbers), rows_(rows), cols_(cols) {}

  Number* data() const { return numbers_; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Number& operator()(Index row, Index col) const { return numbers_[row * cols_ + col]; }
  std::span<Number> row(Index row) const { return {numbers_ + row * cols_, static_cast<std::size_t>(cols_)}; }

private:
  Number* numbers_;  // row-major
  Index rows_;
  Index cols_;
};

// Returns the number of elements of a shape. Throws Error if it does not fit an Index.
Index element_count(std::span<const Index> shape);

// A dense row-major float32 array of any rank, as torch.Tensor.contiguous() stores it.
struct Tensor {
  Tensor() = default;
  explicit Tensor(std::vector<Index> dimensions);                 // zeros
  Tensor(std::vector<Index> dimensions, AlignedFloats elements);  // sizes must agree

  Index rank() const { return static_cast<Index>(shape.size()); }
  Index size() const { return static_cast<Index>(values.size()); }
  Index rows() const { return shape[shape.size() - 2]; }  // rows of each trailing matrix
  Index cols() const { return shape.back(); }
  Index matrix_count() const { return rows() * cols() == 0 ? 0 : size() / (rows() * cols()); }

  // Returns trailing matrix number `index`, counted over the flattened leading dimensions: (b, h) is b * H + h.
  MatrixView<float> matrix(Index index = 0);
  MatrixView<const float> matrix(Index index = 0) const;

  bool operator==(const Tensor&) const = default;

  std::vector<Index> shape;  // outermost first
  AlignedFloats values;      // row-major
};

// A rectangle of cells of a matrix.
struct CellRect {
  Index row = 0;
  Index col = 0;
  Index rows = 0;
  Index cols = 0;
  bool operator==(const CellRect&) const = default;
};

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
  Index rows() const {
    return cols() == 0 ? 0 : size() / cols();
  }  // rows of all matrices together; a vector is one row
  Index size() const { return contents_->size; }
  std::span<const float> row(Index row) const;

  // The blocks, one after the other, are the whole tensor, row by row.
  Index block_count() const { return static_cast<Index>(contents_->blocks.size()); }
  Index block_start(Index block) const;  // numbers that stand before the block
  std::span<const float> block(Index block) const;
  Tensor copy() const;

  void set(Index row, Index col, float value);

  // Returns the index of the first infinity or NaN; nothing when all are finite. Only blocks that have one
  // are searched.
  std::optional<Index> first_not_finite() const;

  // Returns the bytes that this tensor does not share with the other one.
  std::size_t bytes_beyond(const SharedTensor& other) const;

  friend bool operator==(const SharedTensor& left, const SharedTensor& right);  // compares shape and bits

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

// Tensors as matrices of Eigen, for those who multiply and add them.

using RowMajorMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Trailing matrix number `index` of a tensor, (rows, cols), to read and write in place.
inline auto eigen(Tensor& tensor, Index index = 0) {
  const MatrixView<float> view = tensor.matrix(index);
  return Eigen::Map<RowMajorMatrix>(view.data(), view.rows(), view.cols());
}

inline auto eigen(const Tensor& tensor, Index index = 0) {
  const MatrixView<const float> view = tensor.matrix(index);
  return Eigen::Map<const RowMajorMatrix>(view.data(), view.rows(), view.cols());
}

}  // namespace attnscope
