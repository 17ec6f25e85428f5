#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "compute/background.h"
#include "core/engine.h"
#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/results.h"

namespace attnscope {

// Throws Error if evaluate() of a configuration takes more memory than is free.
void check_free_memory(const AttentionConfig& config);

// The outcome of one configuration.
struct Computed {
  std::shared_ptr<const Result> result;
  std::shared_ptr<const Summaries> summaries;  // summaries are made when somebody looks
};

// Evaluates a document for the window, for pictures and for the command line: checks the memory, evaluates, and
// prepares summaries. Throws as evaluate() does.
Computed compute(const AttentionConfig& config, const Execution& execution = {}, const Computed& before = {},
                 Engine* engine = nullptr, const HeadFirst* head_first = nullptr);

// Evaluates a document again and again as an edit of all its embeddings does: two versions of it in turn, which draw
// the same weights. Benchmarks time it as the speed of the window's evaluation.
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

struct LargeCell {
  Index row = 0;
  Index col = 0;
  float value = 0;
  bool operator==(const LargeCell&) const = default;
};

// Returns the `count` finite cells of largest magnitude of one matrix of a stage, largest first, ties in reading order;
// fewer if fewer are not 0. Throws Cancelled.
std::vector<LargeCell> largest_cells(const Result& result, Stage stage, Index matrix, std::size_t count,
                                     const Execution& execution = {});

// The cell of a stage that differs most from its value before.
struct LargestChange {
  Stage stage = Stage::weights;
  Index matrix = 0;     // b * H + h
  LargeCell cell = {};  // its value is the difference
  float before = 0;
  float now = 0;
};

// Two evaluations, their difference, and the cells that differ most.
struct Comparison {
  std::shared_ptr<const Result> now;  // the difference is `now` minus `before`
  Computed before;
  Computed difference;
  std::vector<LargestChange> changes;  // one in the final weights, one in the result
  std::string error;                   // why `before` could not be evaluated; else empty
};

struct ComparisonJob {
  std::shared_ptr<const Result> now;  // finished
  AttentionConfig before;
  std::shared_ptr<const Comparison> last;  // parts that it shares are not computed again; may be null
  Backend backend = Backend::serial;
  int threads = 0;
  std::shared_ptr<Engine> engine;  // belongs to the one thread that does all jobs
};

// Evaluates `before` and subtracts it from `now`. Throws Cancelled.
std::shared_ptr<const Comparison> compare(const ComparisonJob& job, const std::stop_token& stop);

using Comparer = Background<ComparisonJob, std::shared_ptr<const Comparison>>;

// The probabilities of the next token after a position of the text or, if the model sees later tokens, of the token at
// that position.
struct NextWords {
  Index position = 0;
  std::vector<float> probabilities = {};  // one for each token of the vocabulary
  std::vector<Index> likeliest = {};      // ten of them, the likeliest first
};

// A trained model as it was run on a text, through all layers.
struct ModelRun {
  AttentionConfig config;  // the shown layer, as the caller asked for it
  std::shared_ptr<const ForwardPass> pass;
  std::vector<Computed> layers;    // the attention of each layer
  std::vector<Computed> fed;       // what the feed-forward part of each layer adds, as inputs of a result
  std::vector<Computed> residual;  // the stream before the first layer and after each, likewise
  NextWords next;
  std::shared_ptr<const ForwardPass> original_pass;  // the unchanged model's pass; equals `pass` if nothing is changed
  NextWords original;                                // the unchanged model's next words
};

// Runs all layers of a configuration's model. Throws Error if that takes more memory than is free, and Cancelled.
std::shared_ptr<const ForwardPass> run_all_layers(const AttentionConfig& config, const ForwardPass* previous,
                                                  const Execution& execution);

// Runs the model and finds the next words after `position`, or at usual_position() if it is none. Throws as
// run_all_layers() does.
std::shared_ptr<const ModelRun> run_whole_model(const AttentionConfig& config, std::optional<Index> position,
                                                const ModelRun* previous, const Execution& execution);

// Says how much the logarithm of a token's probability falls without each head: (layers, heads), in nats.
struct HeadRanking {
  Index position = 0;
  Index token = 0;
  Index heads = 1;
  std::vector<float> falls;

  float of(Index layer, Index head) const { return falls[static_cast<std::size_t>(layer * heads + head)]; }
};
HeadRanking rank_heads(const ModelRun& run, Index token, const Execution& execution);

// Draws a token of these probabilities, each raised to 1/temperature, by the generator of a seed.
Index draw_token(const NextWords& next, double temperature, std::uint64_t seed);

}  // namespace attnscope
