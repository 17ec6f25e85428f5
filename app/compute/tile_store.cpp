#include "compute/tile_store.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

constexpr Index cells_at_once = 65536;  // of a kept matrix, read within a frame
constexpr double work_at_once = 4e6;    // multiplications within a frame
constexpr double work_unsampled = 1e8;  // computed whole without a coarse picture first

bool is_done_at_once(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  if (!source.is_held()) return work_of(source, grid, tile) <= work_at_once;
  const CellRect rect = cells_under(grid, tile, source.rows(), source.cols());
  return rect.rows * rect.cols <= cells_at_once;
}

std::uint64_t bytes_of(const TilePtr& pixels) {
  return pixels ? (pixels->values.size() + pixels->drops.size()) * sizeof(float) : 0;
}

}  // namespace

TileStore::TileStore(std::function<void()> on_change, std::uint64_t budget_bytes)
    : on_change_(std::move(on_change)),
      budget_bytes_(budget_bytes),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

TileStore::~TileStore() {
  thread_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    job_stop_.request_stop();
  }
  changed_.notify_all();
}

void TileStore::begin_frame() {
  const std::lock_guard lock(mutex_);
  ++frame_;
  order_ = 0;
  summaries_.begin_frame();
  for (auto& [key, entry] : entries_) {
    if (entry.frame < frame_ - 1) entry.source = {};
  }
  std::erase_if(entries_, [&](const auto& item) {
    const Entry& entry = item.second;
    const bool is_orphaned = entry.first.expired() || (entry.has_second && entry.second.expired());
    if (is_orphaned) bytes_ -= bytes_of(entry.pixels);
    return is_orphaned;
  });
  const bool tile_is_stale =
      !tiles_under_way_.empty() && std::ranges::none_of(tiles_under_way_, [&](const TileKey& key) {
        const auto running = entries_.find(key);
        return running != entries_.end() && running->second.frame >= frame_ - 1;
      });
  const bool summary_is_stale = summary_under_way_ && !summaries_.wants(*summary_under_way_);
  if (tile_is_stale || summary_is_stale) job_stop_.request_stop();
}

TilePtr TileStore::find(const MatrixSource& source, const TexelGrid& grid, const Tile& tile) {
  const TileKey key = key_of(source, grid, tile);
  std::unique_lock lock(mutex_);
  Entry& entry = entries_[key];
  const Origin origin = origin_of(source);
  if (entry.first.lock() != origin.first || entry.second.lock() != origin.second) {
    bytes_ -= bytes_of(entry.pixels);
    entry = {};
    entry.first = origin.first;
    entry.second = origin.second;
    entry.has_second = origin.second != nullptr;
  }
  entry.frame = frame_;
  entry.order = order_++;
  if (entry.is_final()) return entry.pixels;
  if (is_done_at_once(source, grid, tile)) {
    put(key, compute_tile(source, grid, tile, {.backend = Backend::serial, .threads = 1, .stop = {}}));
    return entry.pixels;
  }
  entry.source = source;
  entry.grid = grid;
  entry.tile = tile;
  const TilePtr pixels = entry.pixels;
  // Pictures come before summaries.
  if (summary_under_way_) job_stop_.request_stop();
  lock.unlock();
  changed_.notify_all();
  return pixels;
}

SummaryPtr TileStore::summary(const std::shared_ptr<const Result>& result, Stage stage, const SummaryPtr& estimate,
                              Index matrix, const SummaryNeed& need) {
  const std::lock_guard lock(mutex_);
  const SummaryPtr best = summaries_.find(result, stage, estimate, matrix, need);
  changed_.notify_all();
  return best;
}

void TileStore::use(Backend backend, int threads) {
  const std::lock_guard lock(mutex_);
  execution_.backend = backend;
  execution_.threads = threads;
}

void TileStore::keep_at_most(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  budget_bytes_ = bytes;
  evict();
}

void TileStore::pause(bool is_paused) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_paused_, is_paused) == is_paused) return;
    if (is_paused) job_stop_.request_stop();
    if (is_complete()) return;  // nobody waits, and to wake the thread takes longer than an evaluation of a few tokens
  }
  changed_.notify_all();
}

bool TileStore::take_changed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(has_changed_, false);
}

std::exception_ptr TileStore::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, nullptr);
}

bool TileStore::is_complete() const {
  return summaries_.is_complete() && std::ranges::none_of(entries_, [&](const auto& item) {
           return item.second.frame == frame_ && !item.second.is_final();
         });
}

bool TileStore::wait() {
  std::unique_lock lock(mutex_);
  if (is_complete() || is_paused_) return false;
  changed_.wait(lock, [&] { return is_complete() || is_paused_; });
  return true;
}

bool TileStore::is_done() const {
  const std::lock_guard lock(mutex_);
  return is_complete();
}

std::uint64_t TileStore::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

// Coarse pictures of all before the exact one of any; then in the order of the frame. With an exact one come those that
// take the same scores.
std::optional<TileStore::Job> TileStore::next_tile() const {
  const Entry* best = nullptr;
  TileKey best_key;
  bool best_is_coarse = false;
  for (const auto& [key, entry] : entries_) {
    if (!is_wanted(entry)) continue;
    const bool is_coarse = wants_coarse(entry);
    if (is_paused_ && !is_coarse && !entry.source.is_held() && entry.pixels) continue;
    const auto rank = [](const Entry& of, bool coarse) { return std::tuple(!coarse, -of.frame, of.order); };
    if (best && rank(*best, best_is_coarse) <= rank(entry, is_coarse)) continue;
    best = &entry;
    best_key = key;
    best_is_coarse = is_coarse;
  }
  if (!best) return std::nullopt;
  Job job{{best_key}, {best->source}, best->grid, best->tile, best_is_coarse};
  if (best_is_coarse || best->source.is_held()) return job;
  for (const auto& [key, entry] : entries_) {
    const bool is_together = &entry != best && is_wanted(entry) && !wants_coarse(entry) && !entry.source.is_held() &&
                             entry.grid == best->grid && entry.tile == best->tile &&
                             shares_scores(entry.source, best->source);
    if (!is_together) continue;
    job.keys.push_back(key);
    job.sources.push_back(entry.source);
  }
  return job;
}

bool TileStore::is_wanted(const Entry& entry) const {
  return entry.frame >= frame_ - 1 && !entry.is_final() && !entry.source.is_empty();
}

bool TileStore::wants_coarse(const Entry& entry) {
  return !entry.pixels && work_of(entry.source, entry.grid, entry.tile) > work_unsampled;
}

// The least recently shown go first; what is shown now stays, whatever the budget.
void TileStore::evict() {
  if (bytes_ <= budget_bytes_) return;
  std::vector<std::pair<long, TileKey>> oldest;
  for (const auto& [key, entry] : entries_) {
    if (entry.frame < frame_ - 1 && entry.pixels) oldest.emplace_back(entry.frame, key);
  }
  std::ranges::sort(oldest);
  for (const auto& [frame, key] : oldest) {
    if (bytes_ <= budget_bytes_) return;
    bytes_ -= bytes_of(entries_[key].pixels);
    entries_.erase(key);
  }
}

void TileStore::put(const TileKey& key, TilePixels pixels) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  bytes_ -= bytes_of(entry.pixels);
  pixels.number = ++last_number_;
  entry.pixels = std::make_shared<const TilePixels>(std::move(pixels));
  bytes_ += bytes_of(entry.pixels);
  if (entry.is_final()) entry.source = {};
  evict();
}

Execution TileStore::start_job() {
  job_stop_ = std::stop_source();
  Execution execution = execution_;
  execution.stop = job_stop_.get_token();
  return execution;
}

bool TileStore::work_on_tile(Job job, std::unique_lock<std::mutex>& lock) {
  const Execution execution = start_job();
  tiles_under_way_ = job.keys;
  const MatrixSource first = job.sources.front();
  std::optional<MatrixSummary> summary;  // what is read whole is read once
  const bool is_read_whole = !job.is_coarse && reads_whole(first, job.grid, job.tile);
  if (is_read_whole && !summaries_.knows(*first.result, first.stage, first.matrix)) summary.emplace();
  lock.unlock();
  std::vector<TilePixels> pixels;
  std::exception_ptr failure;
  try {
    if (job.is_coarse) {
      pixels.push_back(sample_tile(job.sources.front(), job.grid, job.tile));
    } else if (summary) {
      pixels.push_back(read_whole(job.sources.front(), job.grid, *summary, execution));
    } else if (job.sources.front().is_held()) {
      pixels.push_back(compute_tile(job.sources.front(), job.grid, job.tile, execution));
    } else {
      pixels = compute_tiles(job.sources, job.grid, job.tile, execution);
    }
  } catch (const Cancelled&) {
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  job.sources.clear();  // may free a large result: not while the lock is held
  lock.lock();
  tiles_under_way_.clear();
  if (summary && !pixels.empty()) summaries_.put(*first.result, first.stage, first.matrix, *summary);
  for (std::size_t i = 0; i < pixels.size(); ++i) put(job.keys[i], std::move(pixels[i]));
  if (!failure) return !pixels.empty();
  failure_ = std::move(failure);
  for (const TileKey& key : job.keys) {
    if (const auto found = entries_.find(key); found != entries_.end()) found->second.has_failed = true;
  }
  return true;
}

bool TileStore::work_on_summary(const SummaryJob& job, std::unique_lock<std::mutex>& lock) {
  const Execution execution = start_job();
  summary_under_way_ = job;
  lock.unlock();
  std::vector<MatrixSummary> parts;
  std::exception_ptr failure;
  try {
    parts = summarize_matrix(*job.result, job.stages, job.matrix, execution, job.share);
  } catch (const Cancelled&) {
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  lock.lock();
  summary_under_way_.reset();
  for (std::size_t i = 0; i < parts.size(); ++i)
    summaries_.put(*job.result, job.stages[i], job.matrix, parts[i], job.result->external ? job.share : 1);
  if (!failure) return !parts.empty();
  failure_ = std::move(failure);
  for (const Stage stage : job.stages) summaries_.keep_estimate(*job.result, stage, job.matrix);
  return true;
}

void TileStore::run(const std::stop_token& stop) {
  while (true) {
    std::optional<Job> tile;
    std::optional<SummaryJob> summary;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] {
      tile = next_tile();
      if (!tile && !is_paused_) summary = summaries_.next();
      return tile || summary;
    });
    if (stop.stop_requested()) return;  // even when there is work
    const bool is_new = tile ? work_on_tile(*std::exchange(tile, std::nullopt), lock) : work_on_summary(*summary, lock);
    has_changed_ = has_changed_ || is_new;
    lock.unlock();
    changed_.notify_all();
    if (is_new && on_change_) on_change_();
  }
}

}  // namespace attnscope
