#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/evaluate.h"

namespace attnscope {

struct LargeCell {
  Index row = 0;
  Index col = 0;
  float value = 0;
  bool operator==(const LargeCell&) const = default;
};

// The `count` finite cells of largest magnitude of one matrix of a stage, largest first, ties in reading order; fewer
// where the matrix has fewer that are not 0. Throws Cancelled.
std::vector<LargeCell> largest_cells(const Result& result, Stage stage, Index matrix, std::size_t count,
                                     const std::stop_token& stop);

// Which matrix is searched, of the result with this ticket.
struct LargestQuery {
  std::uint64_t ticket = 0;
  Stage stage = Stage::weights;
  Index matrix = 0;
  bool operator==(const LargestQuery&) const = default;
};

// Searches on a background thread of its own; the newest query wins.
class LargestFinder {
public:
  struct Found {
    LargestQuery query;
    std::vector<LargeCell> cells;
  };

  // `on_finished` is called from the background thread after each search that was not cancelled.
  explicit LargestFinder(std::function<void()> on_finished = {});
  ~LargestFinder();  // cancels and joins
  LargestFinder(const LargestFinder&) = delete;
  LargestFinder& operator=(const LargestFinder&) = delete;

  void search(std::shared_ptr<const Result> result, const LargestQuery& query);  // never blocks on the search
  std::shared_ptr<const Found> latest() const;
  bool busy() const;
  void wait() const;  // until no search is under way

private:
  struct Job {
    std::shared_ptr<const Result> result;
    LargestQuery query;
  };
  void run(const std::stop_token& stop);

  std::function<void()> on_finished_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::optional<Job> pending_;
  std::stop_source job_stop_;
  bool running_ = false;
  std::shared_ptr<const Found> latest_;
  std::jthread thread_;  // last: starts when everything above is there
};

}  // namespace attnscope
