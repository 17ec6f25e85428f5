#pragma once

#include <array>
#include <memory>

#include "core/engine.h"
#include "core/evaluate.h"
#include "core/summary.h"

namespace attnscope {

// Throws Error when evaluate() of a configuration takes more memory than is free.
void check_free_memory(const AttentionConfig& config);

// The outcome of one configuration.
struct Computed {
  std::shared_ptr<const Result> result;
  std::shared_ptr<const Summaries> summaries;  // made when somebody looks
};

// The one way to evaluate a document, in the window, in pictures and on the command line: whether there is memory for
// it, the evaluation, and what the window needs of it. Throws as evaluate() does.
Computed compute(const AttentionConfig& config, const Execution& execution = {}, const Computed& before = {},
                 Engine* engine = nullptr, const HeadFirst* head_first = nullptr);

// Evaluates a document again and again as an edit of all its embeddings does: two versions of it in turn, which draw
// the same weights. What is timed as the speed of the window's evaluation.
class Repetition {
public:
  explicit Repetition(const AttentionConfig& config, const Execution& execution = {});

  void run();
  const AttentionConfig& version(int index) const { return versions_.at(static_cast<std::size_t>(index)); }
  const Computed& latest() const { return latest_; }

private:
  Execution execution_;
  Engine engine_;
  Computed latest_;
  std::array<AttentionConfig, 2> versions_;
  std::size_t next_ = 0;
};

}  // namespace attnscope
