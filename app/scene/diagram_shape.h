#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/evaluate.h"

namespace attnscope::scene {

// The parts of a diagram: the stages that a document has, in the order of their computation, each as a block with
// its words. A stage that the document lacks is no block; it is a word on the arrow that passes by. This depends on the
// document's shape alone, never on a canvas; scene/diagram_layout.h gives every block its place.

// The columns of a matrix: all of them, or those of each head where heads lie side by side.
struct BlockColumns {
  Index of_head = 1;
  Index heads = 1;

  Index count() const { return of_head * heads; }
  bool operator==(const BlockColumns&) const = default;
};

enum class OperandKind {
  feature,     // a weight matrix or the values, as wide as the result
  transposed,  // keys, turned so that the product can be read off
  pattern,     // a mask, dropout's factors, a bias: cell by cell, never with digits
};

// The right-hand operand of a result, which hangs above it.
struct BlockOperand {
  Stage stage = Stage::inputs;
  std::optional<Stage> bias = {};     // one more row below
  std::vector<std::string> captions;  // the longest first
  Index rows = 1;                     // with the bias
  BlockColumns columns = {};
  OperandKind kind = OperandKind::feature;
  bool is_transposed = false;  // drawn as it multiplies, not as it is stored
  std::string widest = {};     // the widest of its numbers

  bool operator==(const BlockOperand&) const = default;
};

enum class BlockKind { feature, square, hero };

struct DiagramBlock {
  Stage stage = Stage::inputs;
  BlockKind kind = BlockKind::feature;
  bool is_copy = false;  // of a stage that has its own place elsewhere
  std::string title;
  std::vector<std::string> subtitles;  // the longest first
  std::string short_title = {};        // for a column of a paper
  Index rows = 1;
  BlockColumns columns;
  int rank = 2;                             // importance of its numbers: 1 the weights, 4 copies and operands
  std::string widest;                       // the widest of its numbers: "−0.00"
  std::optional<BlockOperand> above = {};   //
  std::string sign = {};                    // on the arrow that leads to it: "÷ √2"
  std::string note = {};                    // below it: "= 1.414"
  std::vector<Stage> passed = {};           // stages that the document lacks and that the note speaks of
  bool has_sums = false;                    // the sum of each row stands beside it
  bool has_own_rows = false;                // its rows are keys where queries are others
  std::string bar_low = {}, bar_high = {};  // the numbers of its colour bar, as wide as they get

  bool operator==(const DiagramBlock&) const = default;
};

struct DiagramShape {
  std::vector<std::string> keys;     // names of the tokens
  std::vector<std::string> queries;  // names of the queries where they are others than the keys; else empty
  Index head = 0;                    // the one that is looked at
  std::vector<DiagramBlock> project, compare, hero, mix;
  std::string pill;                // on the arrow into the weights: "softmax along each row"
  std::vector<std::string> words;  // beside it, of what the document does without: "no mask"
  std::vector<Stage> absent;       // the stage that each of these words is about
  bool is_given = false;           // begins with queries, keys and values
  bool is_projected = true;        // false: the inputs themselves are compared and mixed

  Index row_count() const { return static_cast<Index>((queries.empty() ? keys : queries).size()); }
  const std::vector<std::string>& row_names() const { return queries.empty() ? keys : queries; }
  bool operator==(const DiagramShape&) const = default;
};

// The head, decimals and stages that are chosen for a diagram of a document.
struct DiagramChoice {
  Index head = 0;
  int decimals = 2;
  StageSet left_out;
};

// The blocks of a result. `keys` and `queries` are its tokens' names; `queries` is empty where they are the same.
DiagramShape diagram_shape(const Result& result, std::vector<std::string> keys, std::vector<std::string> queries,
                           const DiagramChoice& choice);

}  // namespace attnscope::scene
