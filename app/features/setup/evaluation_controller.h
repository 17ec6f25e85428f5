#pragma once

#include <functional>
#include <optional>

#include "compute/head_cache.h"
#include "features/shared/imported_file.h"
#include "session/ui_state.h"

namespace attnscope {

// The numbers of what is looked at: their evaluation in the background, and the pictures of large matrices.
class EvaluationController {
public:
  // `wake` is called from the background threads when there is something new.
  EvaluationController(const UiState& now, const Subject& subject, EvaluationShown& shown,
                       const std::function<void()>& wake);

  // Evaluates what has changed: the document, or by what it is computed. While something is dragged, an evaluation that
  // is under way comes to its end before the newest value has its turn: were it given up for each of them, nothing
  // would be seen to follow.
  void follow(bool is_dragging);
  bool poll();  // takes over what was finished; whether there was anything new
  void wait();  // for the evaluation of the document as it is
  bool is_waiting() const { return waits_; }
  HeadCache& head_cache() { return head_cache_; }

private:
  struct Asked {
    std::uint64_t edition = 0;
    Backend backend = Backend::serial;
    int threads = 0;
    bool operator==(const Asked&) const = default;
  };

  bool is_long() const;
  void submit(bool is_dragging);
  void show_imported(Evaluation evaluation);
  void update_state();

  const UiState& now_;
  const Subject& subject_;
  EvaluationShown& shown_;
  std::optional<Asked> asked_;  // for last
  bool is_external_ = false;    // what is shown was not evaluated here
  std::uint64_t external_count_ = 0;
  std::uint64_t ticket_ = 0;
  bool waits_ = false;  // the document's evaluation, for the one under way
  HeadCache head_cache_;
  Evaluator evaluator_;
};

}  // namespace attnscope
