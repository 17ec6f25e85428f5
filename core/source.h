#pragma once

#include "core/evaluate.h"
#include "core/tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnscope {

enum class SourceKind {
  cell,             // a cell of a stage
  row_maximum,      // the largest number of a stage's row
  row_sum,          // the sum of a stage's row
  row_rms,          // the root of the mean square of a stage's row: core/rope.h
  exponential_sum,  // the sum of exp(cell - row_maximum) over a stage's row
  draw,             // what the generator gave for a cell: for an input a normal number, else a uniform one from 0 to 1
};

// Names any single number. Indices that do not apply are ignored: one mask serves all heads.
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

// Returns the numbers that a number is computed from, in the order of its formula: for a sum of products first all the
// left factors, then all the right ones, then the bias. Empty for a number that the user set or that is drawn, for the
// mask, and in a head that is off.
std::vector<SourceLine> operands(const AttentionConfig& config, const Source& source);

// Returns the same cell; in the last batch entry or the last head where a configuration has fewer of them.
Source with_batch_and_head_of(const AttentionConfig& config, Source source);

// Returns whether a result has the cell, computed.
bool has_cell(const Result& result, const Source& cell);

// Return the numbers as they are now. Indices must be in range.
float value_at(const Result& result, const Source& source);
std::vector<float> values_at(const Result& result, const SourceLine& line);

// The words of the generator that became a weight, a bias or a dropout factor, drawn once more.
struct Draw {
  std::uint64_t number = 0;   // number of the first word since the seed, from 1
  std::uint64_t word = 0;     // 32 bits, or 64 bits of two words, high half first
  int words = 1;              // one or two
  std::uint64_t element = 0;  // mkl: number in the congruential stream that the word begins, from 0
  float uniform = 0;          // the number in [0, 1) that the words give; dropout compares it with 1 - p
  bool keeps = false;         // dropout keeps the weight, because `uniform` is below 1 - p
};

// Returns nothing for inputs, because torch.randn makes each of several words.
std::optional<Draw> draw_for(const Result& result, const Source& source);

// Returns whether dropout would keep a weight if the user had not set it; `factor` is a cell of the dropout factors.
bool is_kept_as_drawn(const Result& result, const Source& factor);

// Returns the number that the seed gave for a weight or a bias that the document changes; nothing where it is as drawn.
std::optional<float> number_before_edit(const Result& result, const Source& weight);

struct Operation;

struct Operand {
  SourceLine line;
  std::vector<float> values;  // empty for draws, because drawing again takes long
};

// How a number follows from the numbers before it; views put it in words.
struct Explanation {
  const Operation* operation = nullptr;  // computes the number from the operands
  std::vector<Operand> operands;
  float value = 0;          // the number itself
  float row_sum = 0;        // read: the sum of its row's finite numbers
  std::string origin;       // read: the file
  std::string number_type;  // read: the number's type in the file
  std::string place;        // read: the cell's index in the file's array
};

// Return whether the result's mask hides the cell, and whether dropout dropped it.
bool is_masked(const Result& result, const Source& cell);
bool is_dropped(const Result& result, const Source& cell);
// Returns whether the mask put minus infinity among these scores, so that their sum is minus infinity as well.
bool holds_minus_infinity(const AttentionConfig& config, Stage stage, Index row);

Explanation explain(const Result& result, const Source& source);

// A rectangle of cells of a stage that a number follows from, or that follow from it.
struct Reached {
  Stage stage = Stage::inputs;
  Index head = 0;    // 0 if all heads share the stage
  CellRect rect;     // the smallest rectangle that holds all of them
  int distance = 0;  // steps from the number, the fewest; a row's maximum or sum is not a step
  bool operator==(const Reached&) const = default;
};

// Returns all cells that a number follows from, down to inputs, weights and dropout factors, nearest first; several
// rectangles of a stage if one would hold other cells, too. Hidden cells contribute nothing and are left out, unless
// the number itself is hidden.
std::vector<Reached> ancestors(const AttentionConfig& config, const Source& source);

// Returns all cells that a number contributes to, in the same form.
std::vector<Reached> descendants(const AttentionConfig& config, const Source& source);

}  // namespace attnscope
