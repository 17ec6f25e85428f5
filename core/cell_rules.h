#pragma once

#include "core/explain.h"
#include "core/reach.h"
#include "core/run.h"

#include <vector>

namespace attnscope {

// Describes a rule. Its functions are given a stage of this rule, and the stages that it follows from.
struct RuleInfo {
  CellRule rule;

  // Makes the stage, or some rows of a head, by its readable function (core/attention.h); null: it is typed or drawn.
  void (*make)(Tensor& out, const Run& run, Stage stage, const StageList& from) = nullptr;

  // Returns the operations of the matrix product that makes the stage; null: it is none.
  double (*operations)(const AttentionConfig& config, Stage stage) = nullptr;

  // Names what was done to make a cell that has operands, or none.
  Operation (*operation)(const Result& result, const Source& cell, bool has_operands);

  // Returns the numbers that a cell is computed from, as operands() (core/source.h) orders them; null: the cells of the
  // same place.
  std::vector<SourceLine> (*operands)(const AttentionConfig& config, const Source& cell,
                                      const StageList& from) = nullptr;

  // Returns the cells of the stage that follow from a rectangle of its operand number `place`; null: the same ones.
  CellRect (*dependents)(const AttentionConfig& config, const Reached& stage, std::size_t place,
                         const Reached& of) = nullptr;

  bool reads_row = false;  // a cell also depends on the sum of its row
};

const RuleInfo& info(CellRule rule);

}  // namespace attnscope
