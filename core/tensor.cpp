#include "core/tensor.h"

#include "core/error.h"

#include <cassert>
#include <string>
#include <utility>

namespace attnscope {

namespace {

std::string describe(std::span<const Index> shape) {
  std::string text;
  for (const Index dimension : shape) text.append(text.empty() ? "" : " x ").append(std::to_string(dimension));
  return text;
}

}  // namespace

Index element_count(std::span<const Index> shape) {
  Index count = 1;
  for (const Index dimension : shape) {
    if (dimension < 0) throw Error("A tensor of " + describe(shape) + " elements has a negative dimension.");
    if (dimension == 0) return 0;
  }
  for (const Index dimension : shape) {
    if (__builtin_mul_overflow(count, dimension, &count)) {
      throw Error("A tensor of " + describe(shape) + " elements is larger than this machine can address.");
    }
  }
  return count;
}

Tensor::Tensor(std::vector<Index> dimensions)
    : shape(std::move(dimensions)), values(static_cast<std::size_t>(element_count(shape))) {}

Tensor::Tensor(std::vector<Index> dimensions, AlignedFloats elements)
    : shape(std::move(dimensions)), values(std::move(elements)) {
  if (element_count(shape) != size()) {
    throw Error("A tensor of " + describe(shape) + " elements was given " + std::to_string(size()) + " numbers.");
  }
}

MatrixView<float> Tensor::matrix(Index index) {
  assert(rank() >= 2 && index >= 0 && index < matrix_count() && "the tensor has no such matrix");
  return {values.data() + index * rows() * cols(), rows(), cols()};
}

MatrixView<const float> Tensor::matrix(Index index) const {
  assert(rank() >= 2 && index >= 0 && index < matrix_count() && "the tensor has no such matrix");
  return {values.data() + index * rows() * cols(), rows(), cols()};
}

}  // namespace attnscope
