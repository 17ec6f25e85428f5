#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compute/computation.h"
#include "core/model/forward.h"

namespace attnscope {

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
