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
};

// Summaries of stages that are computed when read, from a first estimate to the exact one, matrix by matrix. Not for
// several threads at once.
class SummaryBook {
public:
  void begin_frame();
  // The best there is. Asks for the matrix to become exact, and for all others after it if `all` is set.
  SummaryPtr find(const std::shared_ptr<const Result>& result, Stage stage, const SummaryPtr& estimate, Index matrix,
                  bool all);
  // What to do next for the frames before and now; nothing when all that they asked for is exact.
  std::optional<SummaryJob> next() const;
  void put(const Result& result, Stage stage, Index matrix, const MatrixSummary& part);
  bool is_complete() const;  // all that the newest frame asked for is exact
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
    std::shared_ptr<const Result> result;  // while something is asked for
    SummaryPtr summary;
    std::vector<bool> exact;   // by matrix
    std::vector<Index> asked;  // matrices of the newest frame that looked: several heads stand side by side
    bool all = false;
    long frame = -1;

    bool lacks(Index matrix) const;            // it is asked for and not exact
    std::optional<Index> first_asked() const;  // the first that was asked for by itself and is missing
    std::optional<Index> missing() const;
  };
  static Key key_of(const Result& result, Stage stage);

  std::map<Key, Entry> entries_;
  long frame_ = 0;
};

}  // namespace attnscope
