#include "compute/summary_book.h"

#include <algorithm>

namespace attnscope {

bool SummaryBook::Entry::lacks(Index matrix) const {
  if (exact[static_cast<std::size_t>(matrix)]) return false;
  return all || std::ranges::find(asked, matrix) != asked.end();
}

std::optional<Index> SummaryBook::Entry::first_asked() const {
  const auto wanted =
      std::ranges::find_if(asked, [&](Index matrix) { return !exact[static_cast<std::size_t>(matrix)]; });
  if (wanted == asked.end()) return std::nullopt;
  return *wanted;
}

std::optional<Index> SummaryBook::Entry::missing() const {
  if (const std::optional<Index> wanted = first_asked()) return wanted;
  if (!all) return std::nullopt;
  const auto found = std::ranges::find(exact, false);
  if (found == exact.end()) return std::nullopt;
  return static_cast<Index>(found - exact.begin());
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
                             Index matrix, bool all) {
  if (estimate->is_exact) return estimate;
  Entry& entry = entries_[key_of(*result, stage)];
  const std::shared_ptr<const void> first = origin_of(*result, stage).first;
  if (entry.first.lock() != first) {
    entry = {};
    entry.first = first;
    entry.summary = estimate;
    entry.exact.assign(estimate->matrices.size(), false);
  }
  if (entry.frame != frame_) {
    entry.asked.clear();
    entry.all = false;
  }
  entry.frame = frame_;
  entry.asked.push_back(matrix);
  entry.all = entry.all || all;
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
      if (matrix && !job) job = SummaryJob{entry.result, *matrix, {}};
    }
  }
  if (!job) return std::nullopt;
  for (const auto& [key, entry] : entries_) {
    const bool is_same_result = is_open(entry) && entry.result == job->result;
    if (is_same_result && job->matrix < static_cast<Index>(entry.exact.size()) && entry.lacks(job->matrix)) {
      job->stages.push_back(key.stage);
    }
  }
  return job;
}

void SummaryBook::put(const Result& result, Stage stage, Index matrix, const MatrixSummary& part) {
  const auto found = entries_.find(key_of(result, stage));
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  StageSummary summary = *entry.summary;
  replace(summary, matrix, part);
  entry.exact[static_cast<std::size_t>(matrix)] = true;
  summary.is_exact = std::ranges::find(entry.exact, false) == entry.exact.end();
  entry.summary = std::make_shared<const StageSummary>(std::move(summary));
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
