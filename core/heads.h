#pragma once

// The matrices of a head, a row for each query and a column for each key. An evaluation of more than a few tokens holds
// none of them: they are computed when somebody looks at the head, by the functions of core/attention.h.

#include "core/evaluate.h"
#include "core/results.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace attnscope {

using HeadMatrices = StageMap<TensorPtr>;

// Computes rows of the matrices of a head, or reads them if the result comes from a file. The result outlives it.
class HeadRows {
public:
  // Prepares matrix b * H + h of these stages. Throws Cancelled.
  HeadRows(const Result& result, Index matrix, const StageSet& stages, const Execution& execution);
  ~HeadRows();
  HeadRows(HeadRows&&) noexcept;

  // Returns rows [first, first + count) of the stages, (count, T_key) each; null for every other stage. By any thread.
  // Throws Cancelled.
  HeadMatrices compute(Index first, Index count, const std::stop_token& stop) const;

  Index cols() const;  // T_key

private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

// Rows that are computed together; kept blocks of rows begin at a multiple of it.
constexpr Index head_block_rows = 64;

// Computes rows [first, first + count) a few at a time and hands them to `take`, which several threads call, in any
// order. The bits of a row do not depend on what it is computed with. Throws Cancelled.
using TakeRows = std::function<void(Index first, const HeadMatrices& rows)>;
void for_each_head_block(const HeadRows& rows, Index first, Index count, const Execution& execution,
                         const TakeRows& take);

// Returns whole matrices.
HeadMatrices compute_head(const Result& result, Index matrix, const StageSet& stages, const Execution& execution);

// Returns whether pictures and summaries keep the matrices that they are made of. Larger ones take longer to write and
// read again than to compute, so their pictures and summaries are made a few rows at a time.
bool are_kept_whole(const Result& result);

// Returns whether the matrices of so many heads take less than a millisecond, so that callers compute them at once.
bool are_computed_at_once(const Result& result, Index heads);

// Memory for matrices of heads, for all results together; the least recently used go first.
constexpr std::uint64_t head_memory_bytes = 512ULL << 20;

class HeadMemory;

// The kept matrices of one result, whole or in blocks of rows, and the summaries of all that were computed whole. Any
// thread may call it.
class HeadStore {
public:
  HeadStore();                              // in the memory of all results
  explicit HeadStore(std::uint64_t bytes);  // in a memory of its own, of so many bytes
  ~HeadStore();
  HeadStore(const HeadStore&) = delete;
  HeadStore& operator=(const HeadStore&) = delete;

  // Computes and keeps the missing matrices of these stages and their summaries. One thread computes at a time.
  void make(const Result& result, const StageSet& stages, Index matrix, const Execution& execution);
  // Computes the missing summaries of these stages, and keeps no matrix.
  void summarize(const Result& result, const StageSet& stages, Index matrix, const Execution& execution);
  // Computes rows [first, first + count) of these stages and hands them to `take`; keeps their summaries where these
  // are all rows, and no matrix.
  void pass(const Result& result, const StageSet& stages, Index matrix, Index first, Index count,
            const Execution& execution, const TakeRows& take);
  // Returns a whole matrix of so many rows; null if it is not kept.
  TensorPtr find(Stage stage, Index matrix, Index rows) const;
  CellBlock whole(const Result& result, Stage stage, Index matrix, const Execution& execution);
  // Returns the kept rows around this one: all rows if the matrix is kept whole.
  CellBlock around(const Result& result, Stage stage, Index matrix, Index row);

  std::optional<MatrixSummary> summary(Stage stage, Index matrix) const;
  bool knows(Stage stage, Index matrix) const;  // knows the summary of the matrix
  std::size_t known_count(Stage stage) const;   // matrices whose summary it knows
  // Returns an object that stands for the numbers of a stage: results that share them return the same one.
  std::shared_ptr<const void> origin(Stage stage) const;
  // Takes over an earlier result's matrices and summaries of stages with the same numbers.
  void share(const HeadStore& earlier, const StageSet& stages);

private:
  void remember(Stage stage, Index matrix, MatrixSummary summary);

  std::shared_ptr<HeadMemory> memory_;
  std::mutex computing_;
  mutable std::mutex mutex_;
  mutable StageMap<std::shared_ptr<const void>> origins_;
  std::map<std::pair<Stage, Index>, MatrixSummary> summaries_;
};

}  // namespace attnscope
