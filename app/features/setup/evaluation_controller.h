#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "compute/picture_cache.h"
#include "features/shared/imported_file.h"
#include "session/ui_state.h"

namespace attnscope {

// The numbers of what is looked at: their evaluation in the background, and the pictures of large matrices.
class EvaluationController {
public:
  // `wake` is called from the background threads when there is something new.
  EvaluationController(const UiState& now, const Subject& subject, EvaluationShown& shown,
                       const std::function<void()>& wake);

  // Evaluates the document if it has changed, or the way to compute it. During a drag a running evaluation is finished
  // before the newest value has its turn, because nothing would be seen to follow if each value stopped it.
  void follow(bool is_dragging);
  bool poll();  // takes over what was finished; returns whether it is new
  void wait();  // waits for the evaluation of the current document
  bool is_waiting() const { return waits_; }
  PictureCache& picture_cache() { return picture_cache_; }

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
  std::optional<Asked> asked_;  // asked for last
  bool is_external_ = false;    // what is shown was not evaluated here
  std::uint64_t external_count_ = 0;
  std::uint64_t ticket_ = 0;
  bool waits_ = false;  // the document waits for the evaluation under way
  PictureCache picture_cache_;
  Evaluator evaluator_;
};

// Evaluates the document that this one is compared with, and subtracts it, in the background after the document itself.
class ComparisonController {
public:
  // `wake` is called from the background thread when there is something new.
  ComparisonController(const UiState& now, const Subject& subject, ComparisonShown& shown,
                       const std::function<void()>& wake)
      : now_(now), subject_(subject), shown_(shown), comparer_(compare, wake) {}

  // Compares again if something has changed. A running comparison is finished before the newest numbers have their
  // turn, because nothing would be seen to follow if each step of a drag stopped it.
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
  std::shared_ptr<const Result> asked_now_;         // the result that was compared last
  std::shared_ptr<const Document> asked_compared_;  // the document that it was compared with
  bool waits_ = false;
  std::shared_ptr<Engine> engine_ = std::make_shared<Engine>();
  Comparer comparer_;  // last: its thread ends before what it uses
};

}  // namespace attnscope
