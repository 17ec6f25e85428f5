#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/cells.h"
#include "core/error.h"
#include "lessons/formula.h"
#include "look/view_address.h"

namespace attnscope {
namespace {

constexpr Index most_read = 4'000'000;

// The matrices of a stage that a slice is of, and its part of the first.
struct Part {
  Index first_matrix = 0;
  Index matrices = 1;
  CellRect rect;
};

Part part_of(const Slice& slice, const std::vector<Index>& shape) {
  const std::size_t leading = shape.size() - 2;
  Part part{.first_matrix = 0, .matrices = 1, .rect = {0, 0, shape[leading], shape[leading + 1]}};
  for (std::size_t axis = 0; axis < leading; ++axis) {
    const bool is_chosen = axis < slice.index.size();
    part.first_matrix = part.first_matrix * shape[axis] + (is_chosen ? slice.index[axis] : 0);
    if (!is_chosen) part.matrices *= shape[axis];
  }
  if (slice.index.size() > leading) part.rect = {slice.index[leading], 0, 1, shape[leading + 1]};
  if (slice.index.size() > leading + 1) part.rect = {slice.index[leading], slice.index[leading + 1], 1, 1};
  return part;
}

void check_slice(const Slice& slice, const Result& result) {
  const std::string_view id = info(slice.stage).id;
  if (!has(result, slice.stage)) throw Error(fmt::format("This document has no {}.", id));
  const std::vector<Index> shape = stage_shape(result.config, slice.stage);
  if (slice.index.size() > shape.size())
    throw Error(fmt::format("{} has {} axes, but {} indices are named.", id, shape.size(), slice.index.size()));
  for (std::size_t axis = 0; axis < slice.index.size(); ++axis) {
    if (slice.index[axis] < shape[axis]) continue;
    throw Error(fmt::format("{} has the shape ({}), but index {} of axis {} is named: the last one is {}.", id,
                            fmt::join(shape, ", "), slice.index[axis], axis + 1, shape[axis] - 1));
  }
}

}  // namespace

Values read_slice(const Slice& slice, const Result& result) {
  check_slice(slice, result);
  const std::vector<Index> shape = stage_shape(result.config, slice.stage);
  const Part part = part_of(slice, shape);
  const Index cells = part.rect.rows * part.rect.cols;
  if (part.matrices > most_read / std::max<Index>(cells, 1))
    throw Error(fmt::format("{} are too many numbers to read at once.", info(slice.stage).id));
  std::vector<float> read(static_cast<std::size_t>(part.matrices * cells));
  for (Index i = 0; i < part.matrices; ++i) {
    const std::span<float> place(read.data() + i * cells, static_cast<std::size_t>(cells));
    read_cells(place, result, slice.stage, part.first_matrix + i, part.rect);
  }
  return {.shape = {shape.begin() + std::ssize(slice.index), shape.end()}, .numbers = {read.begin(), read.end()}};
}

Source cell_of(const Slice& slice) {
  const std::size_t wanted = axis_count(info(slice.stage).axes);
  if (slice.index.size() == wanted) return cell_at(slice.stage, slice.index);
  throw Error(
      fmt::format("A cell of {} is named by {} indices, not {}.", info(slice.stage).id, wanted, slice.index.size()));
}

}  // namespace attnscope
