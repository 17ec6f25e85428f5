#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "compute/background.h"
#include "compute/computation.h"
#include "compute/largest_cells.h"
#include "core/engine.h"

namespace attnscope {

// The cell of a stage that differs most from what it was.
struct LargestChange {
  Stage stage = Stage::weights;
  Index matrix = 0;     // b * H + h
  LargeCell cell = {};  // its value: the difference
  float before = 0;
  float now = 0;
};

// An evaluation, what another one has more than it, and where that is most.
struct Comparison {
  std::shared_ptr<const Result> now;  // that the difference is of
  Computed before;
  Computed difference;
  std::vector<LargestChange> changes;  // of the weights that values are mixed with, and of the result
  std::string error;                   // why `before` could not be evaluated; empty where it could
};

struct ComparisonJob {
  std::shared_ptr<const Result> now;  // finished
  AttentionConfig before;
  std::shared_ptr<const Comparison> last;  // what it shares is not computed again; may be null
  Backend backend = Backend::serial;
  int threads = 0;
  std::shared_ptr<Engine> engine;  // of the one thread that does all jobs
};

// Throws Cancelled.
std::shared_ptr<const Comparison> compare(const ComparisonJob& job, const std::stop_token& stop);

using Comparer = Background<ComparisonJob, std::shared_ptr<const Comparison>>;

}  // namespace attnscope
