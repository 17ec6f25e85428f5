#include "compute/summary_book.h"

#include <algorithm>
#include <utility>

namespace attnscope {

double SummaryBook::Entry::needed(Index matrix) const {
  const auto wanted = asked.find(matrix);
  return std::max(all, wanted == asked.end() ? 0 : wanted->second);
}

bool SummaryBook::Entry::lacks(Index matrix) const { return known[static_cast<std::size_t>(matrix)] < needed(matrix); }

std::optional<Index> SummaryBook::Entry::first_asked() const {
  const auto wanted = std::ranges::find_if(asked, [&](const auto& item) { return lacks(item.first); });
  if (wanted == asked.end()) return std::nullopt;
  return wanted->first;
}

std::optional<Index> SummaryBook::Entry::missing() const {
  if (const std::optional<Index> wanted = first_asked()) return wanted;
  const auto found = std::ranges::find_if(known, [&](double share) { return share < all; });
  if (found == known.end()) return std::nullopt;
  return static_cast<Index>(found - known.begin());
}

SummaryBook::Key SummaryBook::key_of(const Result& result, Stage stage) {
  const Origin origin = origin_of(result, stage);
  return {origin.first.get(), origin.second.get(), stage};
}

void SummaryBook::begin_frame() {
  ++frame_;
  std::erase_if(entries_, [](const auto& item) { return item.second.first.expired(); });
  for (auto& [key, entry] : entries_) {
    if (entry.frame < frame_ - 1) entry.result.reset();
  }
}

SummaryPtr SummaryBook::find(const std::shared_ptr<const Result>& result, Stage stage, const SummaryPtr& estimate,
                             Index matrix, const SummaryNeed& need) {
  if (estimate->is_exact) return estimate;
  Entry& entry = entries_[key_of(*result, stage)];
  const std::shared_ptr<const void> first = origin_of(*result, stage).first;
  if (entry.first.lock() != first || entry.finished != result->finished) {
    entry = {};
    entry.first = first;
    entry.finished = result->finished;
  }
  if (!entry.summary) {
    entry.summary = estimate;
    for (Index of = 0; of < std::ssize(estimate->matrices); ++of)
      entry.known.push_back(has(*result, stage, of) ? 0 : 1);
    for (const auto& [of, part] : std::exchange(entry.early, {})) put(*result, stage, of, part);
  }
  if (entry.frame != frame_) {
    entry.asked.clear();
    entry.all = 0;
  }
  entry.frame = frame_;
  double& asked = entry.asked[matrix];
  asked = std::max(asked, need.matrix);
  entry.all = std::max(entry.all, need.all);
  entry.result = entry.missing() ? result : nullptr;
  return entry.summary;
}

// The matrices that are shown before the others that share a range of colours with them; of one, every stage that is
// missing.
std::optional<SummaryJob> SummaryBook::next() const {
  const auto is_open = [&](const Entry& entry) { return entry.frame >= frame_ - 1 && entry.result; };
  std::optional<SummaryJob> job;
  for (const auto& missing : {&Entry::first_asked, &Entry::missing}) {
    for (const auto& [key, entry] : entries_) {
      const std::optional<Index> matrix = is_open(entry) ? (entry.*missing)() : std::nullopt;
      if (matrix && !job) job = SummaryJob{entry.result, *matrix, {}, entry.needed(*matrix)};
    }
  }
  if (!job) return std::nullopt;
  for (const auto& [key, entry] : entries_) {
    const bool is_same_result = is_open(entry) && entry.result == job->result;
    if (is_same_result && job->matrix < static_cast<Index>(entry.known.size()) && entry.lacks(job->matrix)) {
      job->stages.push_back(key.stage);
    }
  }
  return job;
}

void SummaryBook::put(const Result& result, Stage stage, Index matrix, const MatrixSummary& part, double share) {
  const auto [found, is_new] = entries_.try_emplace(key_of(result, stage));
  Entry& entry = found->second;
  if (is_new) {
    entry.first = origin_of(result, stage).first;
    entry.finished = result.finished;
  }
  if (!entry.summary) {
    if (share == 1) entry.early[matrix] = part;
    return;
  }
  StageSummary summary = *entry.summary;
  replace(summary, matrix, part);
  entry.known[static_cast<std::size_t>(matrix)] = share;
  summary.is_exact = std::ranges::all_of(entry.known, [](double known) { return known == 1; });
  entry.summary = std::make_shared<const StageSummary>(std::move(summary));
}

void SummaryBook::keep_estimate(const Result& result, Stage stage, Index matrix) {
  const auto found = entries_.find(key_of(result, stage));
  if (found != entries_.end() && found->second.summary) found->second.known[static_cast<std::size_t>(matrix)] = 1;
}

bool SummaryBook::knows(const Result& result, Stage stage, Index matrix) const {
  const auto found = entries_.find(key_of(result, stage));
  if (found == entries_.end()) return false;
  const Entry& entry = found->second;
  return entry.early.contains(matrix) || (entry.summary && entry.known[static_cast<std::size_t>(matrix)] == 1);
}

bool SummaryBook::is_complete() const {
  return std::ranges::none_of(
      entries_, [&](const auto& item) { return item.second.frame == frame_ && item.second.missing().has_value(); });
}

bool SummaryBook::wants(const SummaryJob& job) const {
  return std::ranges::any_of(job.stages, [&](Stage stage) {
    const auto found = entries_.find(key_of(*job.result, stage));
    return found != entries_.end() && found->second.frame >= frame_ - 1;
  });
}

}  // namespace attnscope
