#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "compute/pixels.h"
#include "platform/system/worker.h"

namespace attnscope {

using PixelsPtr = std::shared_ptr<const Pixels>;

constexpr std::uint64_t default_picture_bytes = 256ULL << 20;

// Computes the heads' matrices, pictures and summaries that frames ask for, in the background. The newest frame's come
// first, and those that no frame asks for any more are given up.
class PictureCache {
public:
  // `on_change` is called from the background thread when there is something new to show.
  explicit PictureCache(std::function<void()> on_change = {}, std::uint64_t budget_bytes = default_picture_bytes);
  ~PictureCache();  // cancels and joins
  PictureCache(const PictureCache&) = delete;
  PictureCache& operator=(const PictureCache&) = delete;

  void begin_frame();
  // Returns the picture of a matrix; null while there is none. Takes a millisecond at most.
  PixelsPtr find(const ShownMatrix& source, const PixelGrid& grid);
  // Asks for the summary of a matrix that is not held, or of all matrices of its stage.
  void summarize(const std::shared_ptr<const Result>& result, Stage stage, Index matrix, bool all);

  void use(Backend backend, int threads);
  void keep_at_most(std::uint64_t bytes);  // limits pictures that are no longer shown
  // While paused, pictures are made and no summaries, so that a running evaluation has the processor.
  void pause(bool is_paused);
  bool take_changed();  // returns whether something new came since the last call
  // Returns the exception of a job that failed, once; null if none did. The pictures of that job are not tried again.
  std::exception_ptr take_failure();
  // Waits until all that the newest frame asked for is there; while paused, until its pictures are there and the thread
  // has nothing else to do. Returns whether it waited.
  bool wait();
  bool is_done() const;         // returns whether all that the newest frame has asked for so far is there
  std::uint64_t bytes() const;  // bytes of all pictures

private:
  struct Entry {
    std::weak_ptr<const void> first;
    std::weak_ptr<const void> second;
    bool has_second = false;
    ShownMatrix source;  // empty once the picture is there, so that no result is kept alive for it
    PixelGrid grid;
    PixelsPtr pixels;
    long frame = -1;  // the newest frame that asked for it
    long order = 0;   // counts all that was asked for
    bool has_failed = false;

    bool is_final() const { return has_failed || pixels; }
  };
  using Job = std::vector<MatrixPicture>;  // the pictures of one head
  // A summary that a frame asked for.
  struct Wanted {
    std::shared_ptr<const Result> result;
    Stage stage = Stage::weights;
    Index matrix = 0;
    bool all = false;
    long frame = 0;
    bool has_failed = false;

    std::optional<Index> missing() const;  // a matrix without a summary, the shown one first
  };

  bool work(const std::stop_token& stop);
  Job next_pictures() const;
  bool is_wanted(const Entry& entry) const;
  bool is_complete() const;
  void put(const PictureKey& key, Pixels pixels);
  void evict();
  std::optional<Wanted> next_summary() const;
  // These release the lock while they compute, and return whether there is something new to show.
  bool work_on_pictures(Job job, std::unique_lock<std::mutex>& lock);
  bool work_on_summary(const Wanted& wanted, std::unique_lock<std::mutex>& lock);
  Execution start_job();

  std::function<void()> on_change_;
  std::uint64_t budget_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;  // callers wait for pictures
  std::map<PictureKey, Entry> entries_;
  std::vector<Wanted> wanted_;
  std::vector<PictureKey> under_way_;
  bool is_summarizing_ = false;
  std::stop_source job_stop_;
  Execution execution_;
  bool is_idle_ = false;  // the thread has found nothing to do since the last request
  bool is_paused_ = false;
  bool has_changed_ = false;
  std::exception_ptr failure_;
  std::uint64_t bytes_ = 0;
  long frame_ = 0;
  long order_ = 0;
  Worker worker_;  // declared last, so that it ends before what it uses
};

}  // namespace attnscope
