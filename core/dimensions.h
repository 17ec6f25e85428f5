#pragma once

#include "core/stage.h"
#include "core/tensor.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

struct AttentionConfig;

// The names of an embedding's numbers, UTF-8, shared by all configurations that have the same ones. They are d_in names
// or none; an empty name stands for a dimension that has only a number. To change them is to make new ones.
class DimensionNames {
public:
  DimensionNames() = default;
  DimensionNames(
      std::vector<std::string> names);  // NOLINT(google-explicit-constructor): names without any text are none

  bool empty() const { return !names_; }
  std::size_t size() const { return names_ ? names_->size() : 0; }
  const std::string& operator[](std::size_t index) const { return (*names_)[index]; }
  std::vector<std::string> copy() const { return names_ ? *names_ : std::vector<std::string>(); }
  // Returns the bytes that these names do not share with the others.
  std::size_t bytes_beyond(const DimensionNames& others) const;

  friend bool operator==(const DimensionNames& left, const DimensionNames& right);

private:
  std::shared_ptr<const std::vector<std::string>> names_;  // null: none
};

// Returns the name of a dimension as it may stand on the screen; empty if it has none.
std::string dimension_name(const AttentionConfig& config, Index dimension);

// Return the name of a column or a row of a stage, as its matrix is stored, where it stands for a dimension of the
// inputs: the columns of the inputs themselves, of weights of nn.Linear, and of contexts that mix the inputs; the rows
// of an nn.Parameter. Empty for others, and for dimensions without a name.
std::string column_dimension(const AttentionConfig& config, Stage stage, Index col);
std::string row_dimension(const AttentionConfig& config, Stage stage, Index row);

// Returns the names as a list for a comment, numbers for dimensions without one: "thing, action, 3"; empty if there are
// none.
std::string dimension_list(const AttentionConfig& config);

}  // namespace attnscope
