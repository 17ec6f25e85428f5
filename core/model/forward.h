#pragma once

#include "core/evaluate.h"
#include "core/model/transformer.h"

#include <memory>
#include <vector>

namespace attnscope {

// Layers of a trained model as they were run on a text, from the first up. All numbers of a text, or of two that agree
// in some first layers, are shared.
struct ForwardPass {
  std::shared_ptr<const Transformer> model;
  std::vector<Index> tokens;
  std::vector<AttentionConfig> configs;  // of each layer that was run
  std::vector<TensorPtr> residual;       // (1,T,d): before each of these layers, and after the last
  std::vector<TensorPtr> added;          // (1,T,d): what attention adds: its output, normalized where the order says so
  std::vector<TensorPtr> attended;       // (1,T,d): the stream with that, normalized in LayerOrder::norm_last
  std::vector<TensorPtr> fed;            // (1,T,d): what the feed-forward part then adds
  std::vector<std::shared_ptr<const Result>> layers;  // the attention of each

  Index layer_count() const { return static_cast<Index>(configs.size()); }
};

// Return the attention of a layer as the user changed it, and as the model has it.
AttentionConfig layer_config(const ModelInputs& inputs, Index layer);
AttentionConfig original_layer_config(const ModelInputs& inputs, Index layer);

// Returns whether the user has changed any layer of a configuration's model.
bool is_changed(const AttentionConfig& config);
// Returns the same layer of the same text, with nothing changed anywhere.
AttentionConfig unchanged(const AttentionConfig& config);

// Runs the first `layers` layers. Layer inputs.layer has the configuration `own`, unless that is null; the others have
// that of layer_config(). Layers that are the same in `previous` are shared. Throws Cancelled.
std::shared_ptr<const ForwardPass> run_forward(const ModelInputs& inputs, Index layers, const AttentionConfig* own,
                                               const ForwardPass* previous, const Execution& execution);

// Runs all layers of a configuration's model, its own layer as the configuration says.
std::shared_ptr<const ForwardPass> run_model(const AttentionConfig& config, const ForwardPass* previous = nullptr,
                                             const Execution& execution = {});

// inputs (1,T,d) of the attention of a layer that comes next in a pass: the residual stream, normalized. In
// LayerOrder::norm_last it is normalized already.
Tensor attention_inputs(const ForwardPass& pass, Index layer, const Execution& execution);

// logits (1,count,V) of tokens from `first` on, after the final norm, of a pass through all layers: of the word after
// each token or, if the model sees later tokens, in its place.
Tensor logits(const ForwardPass& pass, Index first, Index count, const Execution& execution);

// Returns a trained layer's weight by its name in multi_head_attention; null if the layer has none of this name.
const Tensor* trained_parameter(const AttentionConfig& config, std::string_view name);

// Returns the place whose word the model is asked for, if nobody chose one: the first masked word, else the last token.
Index usual_position(const Transformer& model, std::span<const Index> tokens);

// How a number of attention_inputs() came to be: (x - mean) / deviation * scale + shift, where x is the sum of what the
// embeddings and the layers below have put into the residual stream. In LayerOrder::norm_last it is the sum that the
// layer below has normalized: of its stream after attention and its feed-forward part, or of the embeddings.
struct NormalizedNumber {
  double x = 0;
  double mean = 0;       // the row's mean; 0 in an RMS norm
  double deviation = 1;  // the square root of the mean square, with epsilon
  double scale = 1;
  double shift = 0;
  double embedding = 0;
  double position = 0;
  double token_type = 0;
  std::optional<double> attended = {};    // instead of the embeddings, of a layer above others in norm_last
  std::vector<double> attention = {};     // one number for each layer below
  std::vector<double> feed_forward = {};  // likewise
};
NormalizedNumber normalized_number(const ForwardPass& below, Index token, Index feature);

// Returns the bytes that a pass takes.
std::uint64_t forward_bytes(const ModelInputs& inputs);

// Throws Error if tokens or layer are not the model's, or the configuration has other sizes than the layer.
void check_model_inputs(const AttentionConfig& config, const ModelInputs& inputs);

}  // namespace attnscope
