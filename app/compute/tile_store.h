#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "compute/matrix_source.h"
#include "compute/summary_book.h"

namespace attnscope {

using TilePtr = std::shared_ptr<const TilePixels>;

constexpr std::uint64_t default_tile_bytes = 256ULL << 20;

// Computes what pictures show on a thread of its own: tiles, and summaries of stages that are computed when read. What
// the newest frame asks for comes first, a coarse picture of everything before the exact one of anything; what no frame
// asks for any more is given up.
class TileStore {
public:
  // `on_change` is called from the background thread when there is something new to show.
  explicit TileStore(std::function<void()> on_change = {}, std::uint64_t budget_bytes = default_tile_bytes);
  ~TileStore();  // cancels and joins
  TileStore(const TileStore&) = delete;
  TileStore& operator=(const TileStore&) = delete;

  void begin_frame();
  // The best picture of a tile so far, perhaps coarse; null while there is none. Takes at most a millisecond.
  TilePtr find(const MatrixSource& source, const TexelGrid& grid, const Tile& tile);
  // The best summary there is, starting from `estimate`; see SummaryBook.
  SummaryPtr summary(const std::shared_ptr<const Result>& result, Stage stage, const SummaryPtr& estimate, Index matrix,
                     const SummaryNeed& need);

  void use(Backend backend, int threads);
  void keep_at_most(std::uint64_t bytes);  // of tiles that are no longer shown
  // While paused, only first pictures are made, coarse or cheap ones, so that a running evaluation has the processor.
  void pause(bool is_paused);
  bool take_changed();  // whether something came since the last call
  // What was thrown, once, by a job that failed; null for none. Its pictures stay as they were.
  std::exception_ptr take_failure();
  // Waits until all that the newest frame asked for is exact; false when it already was, or while paused.
  bool wait();
  bool is_done() const;         // all that the newest frame has asked for so far is exact
  std::uint64_t bytes() const;  // of all tiles

private:
  struct Entry {
    std::weak_ptr<const void> first;
    std::weak_ptr<const void> second;
    bool has_second = false;
    MatrixSource source;  // empty once the tile is exact, so that no result is kept alive for it
    TexelGrid grid;
    Tile tile;
    TilePtr pixels;
    long frame = -1;  // newest that asked for it
    long order = 0;   // within that frame
    bool has_failed = false;

    bool is_final() const { return has_failed || (pixels && !pixels->is_coarse); }
  };
  struct Job {
    std::vector<TileKey> keys;
    std::vector<MatrixSource> sources;
    TexelGrid grid;
    Tile tile;
    bool is_coarse = false;
  };

  void run(const std::stop_token& stop);
  std::optional<Job> next_tile() const;
  bool is_wanted(const Entry& entry) const;
  static bool wants_coarse(const Entry& entry);
  bool is_complete() const;
  void put(const TileKey& key, TilePixels pixels);
  void evict();
  // These release the lock while they compute, and return whether there is something new to show.
  bool work_on_tile(Job job, std::unique_lock<std::mutex>& lock);
  bool work_on_summary(const SummaryJob& job, std::unique_lock<std::mutex>& lock);
  Execution start_job();

  std::function<void()> on_change_;
  std::uint64_t budget_bytes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::map<TileKey, Entry> entries_;
  SummaryBook summaries_;
  std::vector<TileKey> tiles_under_way_;
  std::optional<SummaryJob> summary_under_way_;
  std::stop_source job_stop_;
  Execution execution_;
  bool is_paused_ = false;
  bool has_changed_ = false;
  std::exception_ptr failure_;
  std::uint64_t bytes_ = 0;
  std::uint64_t last_number_ = 0;
  long frame_ = 0;
  long order_ = 0;
  std::jthread thread_;  // last: starts when everything above is there
};

}  // namespace attnscope
