#include "features/setup/evaluation_controller.h"

#include <chrono>
#include <utility>

#include "view/view_address.h"

namespace attnscope {
namespace {

constexpr Index live_tokens = 64;  // up to here an evaluation starts at once, even while another one runs
constexpr std::uint64_t external_tickets = std::uint64_t{1} << 63;  // tickets that no evaluation has
constexpr std::uint64_t external_picture_bytes = 32ULL << 20;       // what is not shown is quickly read again

}  // namespace

EvaluationController::EvaluationController(const UiState& now, const Subject& subject, EvaluationShown& shown,
                                           const std::function<void()>& wake)
    : now_(now), subject_(subject), shown_(shown), picture_cache_(wake), evaluator_(wake) {
  follow(false);
}

bool EvaluationController::is_long() const { return token_count(now_.document.config) > live_tokens; }

void EvaluationController::follow(bool is_dragging) {
  const Asked wanted{now_.edition, now_.view.backend, now_.view.threads};
  if (asked_ == wanted) return;
  asked_ = wanted;
  const std::uint64_t ticket = external_tickets | (external_count_ + 1);
  if (std::optional<Evaluation> external = subject_.evaluation(ticket)) {
    ++external_count_;
    ticket_ = ticket;
    return show_imported(std::move(*external));
  }
  if (std::exchange(is_external_, false)) {
    picture_cache_.keep_at_most(default_picture_bytes);
    shown_.evaluation = {};
  }
  submit(is_dragging);
  poll();
}

// Drops what the evaluator holds, which may be large: nothing shows it any more.
void EvaluationController::show_imported(Evaluation evaluation) {
  if (!std::exchange(is_external_, true)) {
    evaluator_.forget();
    picture_cache_.keep_at_most(external_picture_bytes);
  }
  waits_ = false;
  shown_.evaluation = std::move(evaluation);
  picture_cache_.use(now_.view.backend, now_.view.threads);
  picture_cache_.pause(false);
  update_state();
}

void EvaluationController::submit(bool is_dragging) {
  waits_ = is_long() && is_dragging && evaluator_.busy();
  if (waits_) return;
  picture_cache_.use(now_.view.backend, now_.view.threads);
  picture_cache_.pause(true);
  const AttentionConfig& config = now_.document.config;
  const Index looked_at = now_.view.batch * head_count(config) + now_.view.head;
  StageSet shown;
  for (const StageInfo& stage : stages())
    if (now_.view.mode == ViewMode::diagram || stage.stage == now_.view.stage) shown.add(stage.stage);
  ticket_ = evaluator_.submit(config, now_.view.backend, now_.view.threads, looked_at, shown);
}

bool EvaluationController::poll() {
  bool is_new = picture_cache_.take_changed();
  const std::exception_ptr failure = picture_cache_.take_failure();
  if (!is_external_) {
    Evaluation latest = evaluator_.latest();
    if (latest.finished_ticket != shown_.evaluation.finished_ticket ||
        latest.published_heads != shown_.evaluation.published_heads) {
      shown_.evaluation = std::move(latest);
      const std::shared_ptr<const Result>& newest = shown_.evaluation.result;
      shown_.has_equal_shares = newest && newest->finished.are_all() && has_nearly_equal_shares(*newest);
      is_new = true;
    }
    if (waits_ && !evaluator_.busy()) submit(false);
  }
  update_state();
  const std::shared_ptr<const Result>& result = shown_.evaluation.result;
  const bool needs_pictures = shown_.is_current || (result && !result->finished.are_all());
  if (needs_pictures) picture_cache_.pause(false);
  if (failure) std::rethrow_exception(failure);
  return is_new;
}

void EvaluationController::wait() {
  constexpr std::chrono::hours at_a_time{1};
  while (!is_external_ && !evaluator_.wait(ticket_, at_a_time)) {
  }
}

void EvaluationController::update_state() {
  shown_.is_current = !waits_ && shown_.evaluation.finished_ticket == ticket_;
  shown_.is_busy = evaluator_.busy();
  shown_.progress = evaluator_.progress();
}

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
