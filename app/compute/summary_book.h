#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "compute/matrix_source.h"
#include "core/summary.h"

namespace attnscope {

// One matrix to summarize.
struct SummaryJob {
  std::shared_ptr<const Result> result;
  Stage stage = Stage::weights;
  Index matrix = 0;
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
  // Does a job without a look at the cells, where what is there is enough.
  bool derive(const SummaryJob& job);
  void put(const SummaryJob& job, const MatrixSummary& part);
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

    std::optional<Index> missing() const;
  };
  static Key key_of(const Result& result, Stage stage);

  std::map<Key, Entry> entries_;
  long frame_ = 0;
};

}  // namespace attnscope
