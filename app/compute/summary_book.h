#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "compute/matrix_source.h"
#include "core/summary.h"

namespace attnscope {

// One matrix of several stages, to be summarized.
struct SummaryJob {
  std::shared_ptr<const Result> result;
  Index matrix = 0;
  std::vector<Stage> stages;
  double share = 1;  // of its rows, where they are read from a file
};

// The shares of rows that a frame wants to know, 1 for all of them and 0 for none.
struct SummaryNeed {
  double matrix = 1;  // of the matrix that is shown
  double all = 0;     // of every matrix
};

// Summaries of stages that are computed when read, from a first estimate to the exact one, matrix by matrix. Not for
// several threads at once.
class SummaryBook {
public:
  void begin_frame();
  // The best there is. Asks for the matrix to become exact, or what is needed, and for all others after it.
  SummaryPtr find(const std::shared_ptr<const Result>& result, Stage stage, const SummaryPtr& estimate, Index matrix,
                  const SummaryNeed& need);
  // Returns the next job for the frames before and now; nothing when all that they asked for is exact.
  std::optional<SummaryJob> next() const;
  // Takes summaries that nobody has asked for yet, too.
  void put(const Result& result, Stage stage, Index matrix, const MatrixSummary& part, double share = 1);
  // A summary that cannot be made stays an estimate.
  void keep_estimate(const Result& result, Stage stage, Index matrix);
  bool knows(const Result& result, Stage stage, Index matrix) const;  // exactly
  bool is_complete() const;                                           // all that the newest frame asked for is known
  bool wants(const SummaryJob& job) const;

private:
  struct Key {
    const void* first = nullptr;
    const void* second = nullptr;
    Stage stage = Stage::weights;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    std::weak_ptr<const void> first;
    FinishedHeads finished;                // of the result that `summary` was made of
    std::shared_ptr<const Result> result;  // while something is asked for
    SummaryPtr summary;                    // null until it is asked for
    std::map<Index, MatrixSummary> early;  // exact ones that came before that
    std::vector<double> known;      // by matrix: the share of rows, 1 where it is exact or there is nothing to read yet
    std::map<Index, double> asked;  // matrices of the newest frame that looked: several heads stand side by side
    double all = 0;
    long frame = -1;

    double needed(Index matrix) const;
    bool lacks(Index matrix) const;            // it is asked for and not known
    std::optional<Index> first_asked() const;  // the first that was asked for by itself and is missing
    std::optional<Index> missing() const;
  };
  static Key key_of(const Result& result, Stage stage);

  std::map<Key, Entry> entries_;
  long frame_ = 0;
};

}  // namespace attnscope
