#include "compute/summary_book.h"

#include <algorithm>

namespace attnscope {
namespace {

// Scaled scores are the stage before them times a number: so are their extremes and row sums.
MatrixSummary scaled(const StageSummary& before, Index matrix, float factor) {
  const auto at = static_cast<std::size_t>(matrix);
  MatrixSummary part{before.matrices[at], {}};
  part.extremes.low *= factor;
  part.extremes.high *= factor;
  const auto rows = before.row_sums.size() / before.matrices.size();
  const auto first = before.row_sums.begin() + static_cast<Index>(at * rows);
  part.row_sums.assign(first, first + static_cast<Index>(rows));
  for (float& sum : part.row_sums) sum *= factor;
  return part;
}

}  // namespace

std::optional<Index> SummaryBook::Entry::missing() const {
  const auto is_missing = [&](Index matrix) { return !exact[static_cast<std::size_t>(matrix)]; };
  if (const auto wanted = std::ranges::find_if(asked, is_missing); wanted != asked.end()) return *wanted;
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

bool SummaryBook::derive(const SummaryJob& job) {
  const AttentionConfig& config = job.result->config;
  if (job.stage != Stage::scaled_scores) return false;
  const Stage before = config.mask == MaskRoute::causal ? Stage::masked_scores : Stage::scores;
  const auto found = entries_.find(key_of(*job.result, before));
  if (found == entries_.end() || !found->second.exact[static_cast<std::size_t>(job.matrix)]) return false;
  put(job, scaled(*found->second.summary, job.matrix, score_scale(config)));
  return true;
}

std::optional<SummaryJob> SummaryBook::next() const {
  for (const auto& [key, entry] : entries_) {
    if (entry.frame < frame_ - 1 || !entry.result) continue;
    if (const std::optional<Index> matrix = entry.missing()) return SummaryJob{entry.result, key.stage, *matrix};
  }
  return std::nullopt;
}

void SummaryBook::put(const SummaryJob& job, const MatrixSummary& part) {
  const auto found = entries_.find(key_of(*job.result, job.stage));
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  StageSummary summary = *entry.summary;
  replace(summary, job.matrix, part);
  entry.exact[static_cast<std::size_t>(job.matrix)] = true;
  summary.is_exact = std::ranges::find(entry.exact, false) == entry.exact.end();
  entry.summary = std::make_shared<const StageSummary>(std::move(summary));
}

bool SummaryBook::is_complete() const {
  return std::ranges::none_of(
      entries_, [&](const auto& item) { return item.second.frame == frame_ && item.second.missing().has_value(); });
}

bool SummaryBook::wants(const SummaryJob& job) const {
  const auto found = entries_.find(key_of(*job.result, job.stage));
  return found != entries_.end() && found->second.frame >= frame_ - 1;
}

}  // namespace attnscope
