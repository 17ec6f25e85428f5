#pragma once

#include <functional>
#include <memory>

#include "features/shared/imported_file.h"
#include "session/ui_state.h"

namespace attnscope {

// Evaluates the document that this one is compared with, and subtracts it, in the background after the document itself.
class ComparisonController {
public:
  // `wake` is called from the background thread when there is something new.
  ComparisonController(const UiState& now, const Subject& subject, ComparisonShown& shown,
                       const std::function<void()>& wake)
      : now_(now), subject_(subject), shown_(shown), comparer_(compare, wake) {}

  // Compares what has changed. What is under way comes to its end before the newest numbers have their turn: were it
  // given up for each step of a drag, nothing would be seen to follow.
  void follow();
  bool poll();  // whether there was anything new
  void wait() { comparer_.wait(); }
  bool is_busy() const { return waits_ || comparer_.is_busy(); }

private:
  std::shared_ptr<const Document> wanted() const;
  bool is_up_to_date() const;

  const UiState& now_;
  const Subject& subject_;
  ComparisonShown& shown_;
  std::shared_ptr<const Result> asked_now_;         // compared last
  std::shared_ptr<const Document> asked_compared_;  // with this
  bool waits_ = false;
  std::shared_ptr<Engine> engine_ = std::make_shared<Engine>();
  Comparer comparer_;  // last: its thread ends before what it uses
};

}  // namespace attnscope
