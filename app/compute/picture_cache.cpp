#include "compute/picture_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/heads.h"

namespace attnscope {
namespace {

constexpr Index cells_at_once = 1 << 18;  // cells that are pooled within a frame

bool is_done_at_once(const ShownMatrix& source, const PixelGrid& grid) {
  if (grid.cells.rows * grid.cells.cols > cells_at_once) return false;
  const Result& result = *source.result;
  const StageSet computed = computed_stages(source);
  const bool is_kept = std::ranges::none_of(stages(), [&](const StageInfo& stage) {
    return computed.contains(stage.stage) && !result.heads->find(stage.stage, source.matrix, source.rows());
  });
  return is_kept || are_computed_at_once(result, 1);
}

std::uint64_t bytes_of(const PixelsPtr& pixels) {
  return pixels ? (pixels->values.size() + pixels->drops.size()) * sizeof(float) : 0;
}

}  // namespace

PictureCache::PictureCache(std::function<void()> on_change, std::uint64_t budget_bytes)
    : on_change_(std::move(on_change)),
      budget_bytes_(budget_bytes),
      worker_([this](const std::stop_token& stop) { return work(stop); }) {}

PictureCache::~PictureCache() {
  worker_.request_stop();
  const std::lock_guard lock(mutex_);
  job_stop_.request_stop();
}

void PictureCache::begin_frame() {
  const std::lock_guard lock(mutex_);
  ++frame_;
  std::erase_if(wanted_, [&](const Wanted& wanted) { return wanted.frame < frame_ - 1; });
  for (auto& [key, entry] : entries_) {
    if (entry.frame < frame_ - 1) entry.source = {};
  }
  std::erase_if(entries_, [&](const auto& item) {
    const Entry& entry = item.second;
    const bool is_orphaned = entry.first.expired() || (entry.has_second && entry.second.expired());
    if (is_orphaned) bytes_ -= bytes_of(entry.pixels);
    return is_orphaned;
  });
  const bool is_stale = !under_way_.empty() && std::ranges::none_of(under_way_, [&](const PictureKey& key) {
    const auto running = entries_.find(key);
    return running != entries_.end() && running->second.frame >= frame_ - 1;
  });
  const bool summary_is_stale = is_summarizing_ && !next_summary();
  if (is_stale || summary_is_stale) job_stop_.request_stop();
}

PixelsPtr PictureCache::find(const ShownMatrix& source, const PixelGrid& grid) {
  const PictureKey key = key_of(source, grid);
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
  if (is_done_at_once(source, grid)) {
    put(key, pixels_of(source, grid, {Backend::serial, 1, {}}));
    return entry.pixels;
  }
  entry.source = source;
  entry.grid = grid;
  if (is_summarizing_) job_stop_.request_stop();  // pictures come before summaries
  is_idle_ = false;
  lock.unlock();
  worker_.wake();
  return nullptr;
}

std::optional<Index> PictureCache::Wanted::missing() const {
  const auto lacks = [&](Index of) { return has(*result, stage, of) && !result->heads->knows(stage, of); };
  if (has_failed) return std::nullopt;
  if (lacks(matrix)) return matrix;
  const Index count =
      info(stage).axes == StageAxes::query_key ? 1 : result->config.batch_size * head_count(result->config);
  for (Index of = 0; all && of < count; ++of)
    if (lacks(of)) return of;
  return std::nullopt;
}

void PictureCache::summarize(const std::shared_ptr<const Result>& result, Stage stage, Index matrix, bool all) {
  const std::lock_guard lock(mutex_);
  const auto same = std::ranges::find_if(wanted_, [&](const Wanted& wanted) {
    return wanted.result == result && wanted.stage == stage && wanted.matrix == matrix;
  });
  if (same == wanted_.end()) {
    wanted_.push_back({result, stage, matrix, all, frame_});
    is_idle_ = false;
  } else {
    same->all = all || (same->all && same->frame == frame_);
    same->frame = frame_;
  }
  worker_.wake();
}

void PictureCache::use(Backend backend, int threads) {
  const std::lock_guard lock(mutex_);
  execution_.backend = backend;
  execution_.threads = threads;
}

void PictureCache::keep_at_most(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  budget_bytes_ = bytes;
  evict();
}

void PictureCache::pause(bool is_paused) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_paused_, is_paused) == is_paused) return;
    if (is_paused) job_stop_.request_stop();
    if (is_complete()) return;  // nobody waits, and to wake the thread takes longer than an evaluation of a few tokens
    is_idle_ = false;
  }
  worker_.wake();
}

bool PictureCache::take_changed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(has_changed_, false);
}

std::exception_ptr PictureCache::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, nullptr);
}

bool PictureCache::is_complete() const {
  const auto is_open = [&](const Wanted& wanted) { return wanted.frame == frame_ && wanted.missing(); };
  return std::ranges::none_of(wanted_, is_open) && std::ranges::none_of(entries_, [&](const auto& item) {
           return item.second.frame == frame_ && !item.second.is_final();
         });
}

bool PictureCache::wait() {
  worker_.help();
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return is_complete() || (is_paused_ && is_idle_); };
  if (is_over()) return false;
  changed_.wait(lock, is_over);
  return true;
}

bool PictureCache::is_done() const {
  const std::lock_guard lock(mutex_);
  return is_complete();
}

std::uint64_t PictureCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

// In the order of the frame. With a picture come the others of the same head, which take the same scores.
PictureCache::Job PictureCache::next_pictures() const {
  const Entry* first = nullptr;
  for (const auto& [key, entry] : entries_) {
    const auto rank = [](const Entry& of) { return std::pair(-of.frame, of.order); };
    if (is_wanted(entry) && (!first || rank(entry) < rank(*first))) first = &entry;
  }
  Job job;
  for (const auto& [key, entry] : entries_) {
    const bool is_together = first && is_wanted(entry) && entry.source.result == first->source.result &&
                             entry.source.matrix == first->source.matrix;
    if (is_together) job.push_back({entry.source, entry.grid});
  }
  return job;
}

bool PictureCache::is_wanted(const Entry& entry) const {
  return entry.frame >= frame_ - 1 && !entry.is_final() && !entry.source.is_empty();
}

std::optional<PictureCache::Wanted> PictureCache::next_summary() const {
  const auto open = std::ranges::find_if(wanted_, [](const Wanted& wanted) { return wanted.missing().has_value(); });
  if (open == wanted_.end()) return std::nullopt;
  return *open;
}

// Forgets the least recently shown pictures first; shown ones stay, whatever the budget.
void PictureCache::evict() {
  if (bytes_ <= budget_bytes_) return;
  std::vector<std::pair<long, PictureKey>> oldest;
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

void PictureCache::put(const PictureKey& key, Pixels pixels) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  bytes_ -= bytes_of(entry.pixels);
  entry.pixels = std::make_shared<const Pixels>(std::move(pixels));
  bytes_ += bytes_of(entry.pixels);
  entry.source = {};
  evict();
}

Execution PictureCache::start_job() {
  job_stop_ = std::stop_source();
  Execution execution = execution_;
  execution.stop = job_stop_.get_token();
  return execution;
}

bool PictureCache::work_on_pictures(Job job, std::unique_lock<std::mutex>& lock) {
  const Execution execution = start_job();
  under_way_.clear();
  for (const MatrixPicture& picture : job) under_way_.push_back(key_of(picture.source, picture.grid));
  lock.unlock();
  std::vector<Pixels> pixels;
  std::exception_ptr failure;
  try {
    pixels = pixels_of(job, execution);
  } catch (const Cancelled&) {
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  job.clear();  // may free a large result: not while the lock is held
  lock.lock();
  for (std::size_t i = 0; i < pixels.size(); ++i) put(under_way_[i], std::move(pixels[i]));
  if (failure) {
    failure_ = failure;
    for (const PictureKey& key : under_way_) {
      if (const auto found = entries_.find(key); found != entries_.end()) found->second.has_failed = true;
    }
  }
  under_way_.clear();
  return failure || !pixels.empty();
}

bool PictureCache::work_on_summary(const Wanted& wanted, std::unique_lock<std::mutex>& lock) {
  const Execution execution = start_job();
  const Index matrix = wanted.missing().value();
  StageSet together;
  for (const Wanted& other : wanted_)
    if (other.result == wanted.result && (other.all || other.matrix == matrix)) together.add(other.stage);
  is_summarizing_ = true;
  lock.unlock();
  bool is_done = false;
  std::exception_ptr failure;
  try {
    wanted.result->heads->summarize(*wanted.result, together, matrix, execution);
    is_done = true;
  } catch (const Cancelled&) {
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  lock.lock();
  is_summarizing_ = false;
  if (!failure) return is_done;
  failure_ = std::move(failure);
  for (Wanted& other : wanted_) other.has_failed = other.has_failed || other.result == wanted.result;
  return true;
}

bool PictureCache::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (stop.stop_requested()) return false;  // even when there is work
  Job pictures = next_pictures();
  std::optional<Wanted> summary;
  if (pictures.empty() && !is_paused_) summary = next_summary();
  const bool is_idle = is_idle_ = pictures.empty() && !summary;
  const bool is_new =
      !is_idle && (summary ? work_on_summary(*summary, lock) : work_on_pictures(std::move(pictures), lock));
  has_changed_ = has_changed_ || is_new;
  lock.unlock();
  changed_.notify_all();
  if (is_new && on_change_) on_change_();
  return !is_idle;
}

}  // namespace attnscope
