#pragma once

#include "core/evaluate.h"

#include <vector>

namespace attnscope {

enum class SourceKind {
  cell,             // of a stage
  row_maximum,      // the largest number of a stage's row
  row_sum,          // the sum of a stage's row
  row_rms,          // the root of the mean square of a stage's row: core/rms_norm.h
  exponential_sum,  // the sum of exp(cell - row_maximum) over a stage's row
  draw,             // what the generator gave for a cell: for an input a normal number, else a uniform one from 0 to 1
};

// Any single number there is. Indices that do not apply are ignored: there is one mask for all heads.
struct Source {
  Stage stage = Stage::inputs;
  Index batch = 0;
  Index head = 0;
  Index row = 0;
  Index col = 0;
  SourceKind kind = SourceKind::cell;
  Index layer = 0;
  bool operator==(const Source&) const = default;
};

// Numbers that stand in a row, or one below the other.
struct SourceLine {
  Source first;
  Index count = 1;
  bool is_column = false;

  Source operator[](Index index) const {
    Source source = first;
    (is_column ? source.row : source.col) += index;
    return source;
  }
  bool operator==(const SourceLine&) const = default;
};

// The numbers that a number is computed from, in the order of its formula: of a sum of products first all the left
// factors, then all the right ones, then the bias. Empty where the user set it, where it is drawn from nothing or of a
// head that is off, or the mask.
std::vector<SourceLine> operands(const AttentionConfig& config, const Source& source);

// Returns the same cell; in the last batch entry or the last head where a configuration has fewer of them.
Source with_batch_and_head_of(const AttentionConfig& config, Source source);

// Whether a result has the cell, and it is computed.
bool has_cell(const Result& result, const Source& cell);

// Return the numbers as they are now. Indices must be in range.
float value_at(const Result& result, const Source& source);
std::vector<float> values_at(const Result& result, const SourceLine& line);

}  // namespace attnscope
