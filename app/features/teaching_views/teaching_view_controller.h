#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "compute/background.h"
#include "session/ui_state.h"
#include "view/board.h"

namespace attnscope {

// A job that computes a teaching view, or the answer to a question.
struct TeachingViewJob {
  std::shared_ptr<const Result> result;
  std::vector<std::string> labels;
  std::vector<std::string> query_labels;
  Index head = 0;
  Index batch = 0;
  std::optional<Index> query;         // none: the one that shows most
  std::optional<Index> feature = {};  // of the inputs; none: the largest of the row
  TeachingViewChoice choice = {};
  std::string question = {};  // id of the question that the view is shown with, or that is answered; empty: none
  bool operator==(const TeachingViewJob&) const = default;
};
// Throw Cancelled.
std::shared_ptr<const Board> compute_board(const TeachingViewJob& job, const std::stop_token& stop);
std::shared_ptr<const ReaderAnswer> compute_answer(const TeachingViewJob& job, const std::stop_token& stop);

// Computes the newest job in the background. A running job is finished first, as evaluations are, so that something is
// seen to follow.
template <typename Outcome>
class TeachingViewFollower {
public:
  using Work = std::shared_ptr<const Outcome> (*)(const TeachingViewJob&, const std::stop_token&);
  TeachingViewFollower(Work work, const std::function<void()>& wake) : computer_(work, wake) {}

  void follow(std::optional<TeachingViewJob> job) {
    waits_ = job && asked_ != job && computer_.is_busy();
    if (waits_ || asked_ == job) return;
    asked_ = std::move(job);
    if (asked_) computer_.start(*asked_);
  }
  bool poll(std::shared_ptr<const Outcome>& shown) {  // whether there was anything new
    std::optional<std::shared_ptr<const Outcome>> outcome = computer_.take();
    if (outcome) shown = std::move(*outcome);
    return outcome.has_value();
  }
  void wait() { computer_.wait(); }
  bool is_busy() const { return waits_ || computer_.is_busy(); }

private:
  std::optional<TeachingViewJob> asked_;
  bool waits_ = false;
  Background<TeachingViewJob, std::shared_ptr<const Outcome>> computer_;  // last: its thread ends before what it uses
};

// The teaching view that is looked at and the question that is answered, both from the document's result.
class TeachingViewController {
public:
  // `wake` is called from the background threads when there is something new.
  TeachingViewController(const UiState& now, TeachingViewShown& shown, const std::function<void()>& wake)
      : now_(now), shown_(shown), boards_(compute_board, wake), answers_(compute_answer, wake) {}

  void follow();
  bool poll();  // whether there was anything new
  void wait();
  bool is_busy() const { return boards_.is_busy() || answers_.is_busy(); }

private:
  const UiState& now_;
  TeachingViewShown& shown_;
  TeachingViewFollower<Board> boards_;
  TeachingViewFollower<ReaderAnswer> answers_;
};

}  // namespace attnscope
