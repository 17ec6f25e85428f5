#pragma once

#include "core/source.h"
#include "core/stages/code.h"
#include "core/stages/words.h"

#include <string>
#include <vector>

namespace attnscope {

struct Run;

// One of the things that a rule can do to make a cell: hide it, keep it, multiply it.
struct Operation {
  Text<const CellWords&> sentence = {};  // one that is always the same is for say(); empty: the arithmetic says it all
  void (*arithmetic)(CellWords& of);
  bool is_copy = false;  // of the first operand
  bool is_sum_of_products = false;
};

// How a stage follows from the ones before it.
struct StageWording {
  std::string formula;
  std::string pytorch;
};

// How the cells of a stage follow from those of the stages that it follows from. Stages that follow alike share a rule.
// The functions are given a stage of this rule, and the stages that it follows from or their names.
struct CellRule {
  // Makes the stage, or some rows of a head, by its readable function; null: it is typed, drawn or given.
  void (*make)(Tensor& out, const Run& run, Stage stage, const StageList& from) = nullptr;

  // Returns the operations of the matrix product that makes the stage; null: it is none.
  double (*operations)(const AttentionConfig& config, Stage stage) = nullptr;
  // Returns whether that product multiplies by the transposed matrix.
  bool (*is_turned)(const AttentionConfig& config) = nullptr;

  // Names what was done to make a cell that has operands, or none.
  const Operation& (*operation)(const Result& result, const Source& cell, bool has_operands);

  // Returns the numbers that a cell is computed from, as operands() (core/source.h) orders them; null: the cells of the
  // same place.
  std::vector<SourceLine> (*operands)(const AttentionConfig& config, const Source& cell,
                                      const StageList& from) = nullptr;

  // Returns the cells of the stage that follow from a rectangle of its operand number `place`; null: the same ones.
  CellRect (*dependents)(const AttentionConfig& config, const Reached& stage, std::size_t place,
                         const Reached& of) = nullptr;

  bool is_drawn = false;     // by the generator
  bool reads_row = false;    // a cell also depends on the sum of its row
  bool mixes_seen = false;   // a row of weights times a column of values, of which hidden keys contribute nothing
  bool joins_heads = false;  // the heads of a token stand in one row

  // The stage in the code of a library, and in LaTeX: formats of the names, or functions that write them; empty: its
  // name stands for something that is there already.
  Text<const StageCode&, Stage, const Names&> code = {};
  Text<const AttentionConfig&, Stage, const Names&> latex = {};

  // On the arrow that leads to it, and below the arrow: "÷ √2" and "= 1.414". Empty: no arrow leads to it.
  ConfigText sign = {};
  ConfigText note = {};
};

// Operations that are not of one family: of numbers that nothing computes, and of numbers that are no cells.
namespace operations {
extern const Operation typed;      // by the user, or given by the document
extern const Operation drawn;      // from the generator
extern const Operation read;       // as another program left it
extern const Operation masked;     // replaced by minus infinity
extern const Operation mask_rule;  // a cell of the mask itself
extern const Operation softmax;
extern const Operation nothing_left;  // for softmax: every key of the row is hidden
}  // namespace operations

// Returns how a number that is no cell follows from its row.
const Operation& operation_of(SourceKind kind);

}  // namespace attnscope
