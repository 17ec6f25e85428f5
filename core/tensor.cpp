#include "core/tensor.h"

#include "core/error.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

// The one place outside app/platform that asks the operating system for something: without large pages the products of
// large matrices are slower, and core is to be fast in every program that links it, not only in this one.
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace attnscope {

namespace {

std::string describe(std::span<const Index> shape) {
  std::string text;
  for (const Index dimension : shape) text.append(text.empty() ? "" : " x ").append(std::to_string(dimension));
  return text;
}

// 256 kB: copied in some 20 microseconds, and the largest tensor of a document has no more than a few thousand blocks.
constexpr Index numbers_in_block = Index{1} << 16;

bool all_finite(std::span<const float> numbers) {
  return std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); });
}

bool same_bits(std::span<const float> left, std::span<const float> right) {
  return left.data() == right.data() || std::memcmp(left.data(), right.data(), left.size_bytes()) == 0;
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

SharedTensor::SharedTensor(Tensor tensor) {
  assert((tensor.shape.empty() || element_count(tensor.shape) == tensor.size()) && "a tensor is as large as its shape");
  if (tensor.shape.empty() && tensor.values.empty()) {  // every configuration has some: they share one
    static const auto nothing = std::make_shared<const Contents>();
    contents_ = nothing;
    return;
  }
  const auto whole = std::make_shared<const Tensor>(std::move(tensor));
  const Index width = std::max<Index>(1, whole->shape.empty() ? 1 : whole->shape.back());
  Contents contents{whole->shape, whole->size(), std::max<Index>(1, numbers_in_block / width) * width, {}};
  for (Index start = 0; start < contents.size; start += contents.block_size) {
    const float* const first = whole->values.data() + start;
    const Index count = std::min(contents.block_size, contents.size - start);
    const bool is_finite = all_finite({first, static_cast<std::size_t>(count)});
    contents.blocks.push_back({std::shared_ptr<const float>(whole, first), is_finite});
  }
  contents_ = std::make_shared<const Contents>(std::move(contents));
}

Index SharedTensor::block_start(Index block) const { return block * contents_->block_size; }

std::span<const float> SharedTensor::block(Index block) const {
  assert(block >= 0 && block < block_count() && "the tensor has no such block");
  const Index count = std::min(contents_->block_size, size() - block_start(block));
  return {contents_->blocks[static_cast<std::size_t>(block)].numbers.get(), static_cast<std::size_t>(count)};
}

std::span<const float> SharedTensor::row(Index row) const {
  assert(row >= 0 && row < rows() && "the tensor has no such row");
  const Index start = row * cols();
  const Index index = start / contents_->block_size;
  return block(index).subspan(static_cast<std::size_t>(start - block_start(index)), static_cast<std::size_t>(cols()));
}

Tensor SharedTensor::copy() const {
  Tensor tensor;
  tensor.shape = shape();
  tensor.values.reserve(static_cast<std::size_t>(size()));
  for (Index index = 0; index < block_count(); ++index) {
    const std::span<const float> numbers = block(index);
    tensor.values.insert(tensor.values.end(), numbers.begin(), numbers.end());
  }
  return tensor;
}

void SharedTensor::set(Index row, Index col, float value) {
  assert(row >= 0 && row < rows() && col >= 0 && col < cols() && "the tensor has no such number");
  const Index place = row * cols() + col;
  const Index index = place / contents_->block_size;
  const std::span<const float> before = block(index);
  const auto numbers = std::make_shared<AlignedFloats>(before.begin(), before.end());
  (*numbers)[static_cast<std::size_t>(place - block_start(index))] = value;
  Contents changed = *contents_;
  Block& block = changed.blocks[static_cast<std::size_t>(index)];
  block.is_finite = block.is_finite ? std::isfinite(value) : all_finite(*numbers);
  block.numbers = std::shared_ptr<const float>(numbers, numbers->data());
  contents_ = std::make_shared<const Contents>(std::move(changed));
}

std::optional<Index> SharedTensor::first_not_finite() const {
  const auto bad = std::ranges::find(contents_->blocks, false, &Block::is_finite);
  if (bad == contents_->blocks.end()) return std::nullopt;
  const Index index = bad - contents_->blocks.begin();
  const std::span<const float> numbers = block(index);
  const auto number = std::ranges::find_if(numbers, [](float value) { return !std::isfinite(value); });
  return block_start(index) + (number - numbers.begin());
}

std::size_t SharedTensor::bytes_beyond(const SharedTensor& other) const {
  std::size_t bytes = 0;
  for (Index index = 0; index < block_count(); ++index) {
    const bool is_shared = index < other.block_count() && block(index).data() == other.block(index).data();
    if (!is_shared) bytes += block(index).size_bytes();
  }
  return bytes;
}

bool operator==(const SharedTensor& left, const SharedTensor& right) {
  if (left.contents_ == right.contents_) return true;
  if (left.shape() != right.shape()) return false;
  for (Index index = 0; index < left.block_count(); ++index) {
    if (!same_bits(left.block(index), right.block(index))) return false;
  }
  return true;
}

#ifdef __linux__
namespace {

constexpr std::size_t worth_populating = std::size_t{64} << 10;

// Has all pages of new memory made at once, which takes half as long as one by one when they are first written.
void populate(void* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr std::uintptr_t page = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);  // only advice
#endif
}

}  // namespace
#endif

void* allocate_aligned(std::size_t bytes) {
  constexpr std::size_t line = 64;
  constexpr std::size_t large_page = std::size_t{2} << 20;
  const std::size_t alignment = bytes >= large_page ? large_page : line;
  if (bytes > SIZE_MAX - 2 * alignment) throw std::bad_alloc();
  const std::size_t padded = (bytes + line - 1) / line * line;
#ifdef __linux__
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, padded) != 0) throw std::bad_alloc();
  if (alignment == large_page) madvise(memory, padded / large_page * large_page, MADV_HUGEPAGE);  // only advice
  if (alignment == line && padded >= worth_populating) populate(memory, padded);
#else
  void* const memory = std::aligned_alloc(line, padded);
  if (!memory) throw std::bad_alloc();
#endif
  return memory;
}

}  // namespace attnscope
