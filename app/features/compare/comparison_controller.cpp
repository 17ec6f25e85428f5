#include "features/compare/comparison_controller.h"

#include <utility>

namespace attnscope {

std::shared_ptr<const Document> ComparisonController::wanted() const {
  if (subject_.attention()) return nullptr;
  if (now_.document.compared) return now_.document.compared;
  return now_.view.shows_changes ? now_.before : nullptr;
}

bool ComparisonController::is_up_to_date() const {
  return asked_compared_ == shown_.compared && asked_now_ == now_.evaluation.result;
}

void ComparisonController::follow() {
  std::shared_ptr<const Document> compared = wanted();
  if (compared != shown_.compared) {
    if (!compared) shown_.comparison.reset();
    shown_.compared_labels = compared ? token_labels(compared->tokens) : std::vector<std::string>();
    shown_.compared = std::move(compared);
  }
  if (!shown_.compared) {
    asked_compared_.reset();
    asked_now_.reset();
    waits_ = false;
    return;
  }
  const std::shared_ptr<const Result>& result = now_.evaluation.result;
  if (is_up_to_date() || !result || !result->finished.are_all()) return;
  waits_ = comparer_.is_busy();
  if (waits_) return;
  asked_compared_ = shown_.compared;
  asked_now_ = result;
  comparer_.start({.now = result,
                   .before = shown_.compared->config,
                   .last = shown_.comparison,
                   .backend = now_.view.backend,
                   .threads = now_.view.threads,
                   .engine = engine_});
}

bool ComparisonController::poll() {
  std::optional<std::shared_ptr<const Comparison>> outcome = comparer_.take();
  const bool is_new = outcome && shown_.compared;
  if (is_new) shown_.comparison = std::move(*outcome);
  if (waits_) follow();
  return is_new;
}

}  // namespace attnscope
