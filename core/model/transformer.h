#pragma once

// A trained transformer, and what it computes beside attention: one function each, next to the PyTorch line that it
// equals. T tokens, d features, V words of the vocabulary; tensors are row-major. Outputs come first.

#include "core/blocks.h"
#include "core/config.h"
#include "core/execution.h"
#include "core/parameters.h"
#include "core/rope.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attnscope {

enum class NormKind { layer, rms };
enum class Activation { gelu, gelu_tanh, silu, relu };

// How a layer puts attention, feed-forward part and norms together; x is the residual stream.
enum class LayerOrder {
  norm_first,    // x += attention(norm(x)); x += feed_forward(norm(x))
  side_by_side,  // x += attention(norm(x)) + feed_forward(norm(x)), both of the x before the layer
  norm_last,     // x = norm(x + attention(x)); x = norm(x + feed_forward(x))
  norm_around,   // x += norm(attention(norm(x))); x += norm(feed_forward(norm(x)))
};

// The sizes of a model, and the choices that its family makes.
struct TransformerShape {
  Index layers = 1;
  Index heads = 1;
  Index key_value_heads = 1;
  Index head_dim = 1;
  Index features = 1;        // d: width of the residual stream
  Index hidden = 1;          // width of the feed-forward part
  Index vocabulary = 1;      // V
  Index context_length = 1;  // the most tokens
  LayerOrder order = LayerOrder::norm_first;
  NormKind norm = NormKind::layer;
  double epsilon = 1e-5;  // epsilon of the norms
  Activation activation = Activation::gelu_tanh;
  bool adds_one_to_scales = false;         // checkpoints have the scales of the norms less 1; here they are whole
  bool is_gated = false;                   // SwiGLU: the hidden numbers are multiplied with those of a second layer
  bool has_qkv_bias = false;               // queries, keys and values have biases
  bool has_qk_norm = false;                // queries and keys are normalized as in core/rope.h
  bool sees_later_tokens = false;          // no mask: the model says which word stands at a place, not which comes next
  std::optional<double> score_scale = {};  // scores are multiplied by it; nothing: 1/sqrt(head_dim)
  std::optional<double> softcap = {};      // of the scores
  std::optional<double> logit_softcap = {};
  double embedding_scale = 1;       // the tokens' embeddings are multiplied by it
  bool has_embedding_norm = false;  // the sum of the embeddings is normalized
  bool has_token_types = false;     // each token also gets the row of its kind of text, of which there is one here
  bool has_last_transform = false;  // before the last layer: a layer from d to d, the activation and a norm
  std::optional<Rope> rope = {};
  std::optional<Rope> windowed_rope = {};  // of layers with the sliding window, if they turn in another way
  std::optional<Index> sliding_window = {};
  std::vector<bool> windowed_layers = {};  // whether a layer has the sliding window; empty: all have it

  std::optional<Index> window_of(Index layer) const {
    const bool has_it = windowed_layers.empty() || windowed_layers[static_cast<std::size_t>(layer)];
    return has_it ? sliding_window : std::nullopt;
  }
  const std::optional<Rope>& rope_of(Index layer) const {
    return windowed_rope && window_of(layer) ? windowed_rope : rope;
  }
  // Returns whether the residual stream is normalized before the last layer; else every layer has done so.
  bool has_final_norm() const { return order != LayerOrder::norm_last; }

  bool operator==(const TransformerShape&) const = default;
};

constexpr Index max_layers = 256;
constexpr Index max_vocabulary = 1'000'000;
constexpr Index max_hidden = 65'536;

// Throws Error with the key of config.json that is wrong.
void check(const TransformerShape& shape);
// Returns how many numbers its weights have.
std::uint64_t weight_count(const TransformerShape& shape);
// Returns the bytes of its weights; `has_head` says that the last layer is not the table of embeddings.
std::uint64_t required_bytes(const TransformerShape& shape, bool has_head);
// Throws Error naming the bytes needed and free when the weights need more memory than there is.
void check_memory(const TransformerShape& shape, bool has_head, std::uint64_t available_bytes);

// A norm's numbers of each feature; a norm of the kind `rms` has no shift.
struct Norm {
  Tensor scale;
  Tensor shift;
};

// nn.Linear(in, out), stored as the kernels read it and nowhere else.
class Linear {
public:
  Linear() = default;
  // Makes zeros, which put() and put_bias() fill.
  Linear(Index in, Index out, bool has_bias);

  Index in() const { return weights_.depth; }
  Index out() const { return weights_.columns; }
  bool has_bias() const { return weights_.has_bias; }
  // Takes a rectangle of the weight (out, in), or of its transpose (in, out): rows from `first_row` on, of all columns.
  void put(const Tensor& rows, Index first_row, bool is_transposed);
  void put_bias(std::span<const float> bias);

  float weight(Index out, Index in) const { return weights_.at(out, in); }  // indexed as nn.Linear's (out, in)
  const PackedWeights& packed() const { return weights_; }

private:
  PackedWeights weights_;
};

// Its norms are those before or, where the order says so, behind attention and feed-forward part.
struct TransformerLayer {
  Norm attention_norm;
  std::shared_ptr<const Parameters> attention;  // by the names of multi_head_attention: "W_query.weight"
  Norm feed_forward_norm;
  Norm attention_out_norm;  // these two only in LayerOrder::norm_around
  Norm feed_forward_out_norm;
  Linear up;    // (hidden, d)
  Linear gate;  // (hidden, d); only if the model is gated
  Linear down;  // (d, hidden)
};

struct Transformer {
  TransformerShape shape;
  Linear token_embeddings;     // a layer from d to V; also the last layer if `head` is empty
  Tensor position_embeddings;  // (context_length, d), or no axes if the model has none
  Tensor token_type;           // (d): of the one kind of text; no axes if the model has none
  Norm embedding_norm;         // these are empty where the shape has none
  std::vector<TransformerLayer> layers;
  Norm final_norm;
  Linear transform;  // (d, d)
  Norm transform_norm;
  Linear head;                           // (V, d)
  Tensor head_bias;                      // (V), added to the logits; no axes if there is none
  std::optional<Index> mask_token = {};  // stands in a text for the word that is asked for
  // The place of a number of a layer's attention in the checkpoint, by the weight's name in multi_head_attention:
  // "h.3.attn.c_attn.weight[12, 40]". Empty where the checkpoint has none and it is 0; null: nobody knows.
  std::function<std::string(Index layer, const std::string& parameter, Index row, Index col)> place_of = {};
  std::map<std::pair<Index, Index>, std::string> head_names = {};  // of heads (layer, head) whose work is known
  std::optional<std::uint64_t> drawn_by = {};                      // the seed of an untrained model's weights

  // Returns the head's name, such as "previous word"; empty if it has none.
  std::string_view name_of(Index layer, Index head) const {
    const auto found = head_names.find({layer, head});
    return found == head_names.end() ? std::string_view() : found->second;
  }

  bool is_tied() const { return head.out() == 0; }  // the table of embeddings is also the last layer
  const Linear& last_layer() const { return is_tied() ? token_embeddings : head; }
};

// Returns false for a checkpoint of BERT's kind that was saved without the head of its training, such as a
// classifier's: it has attention and hidden states, but no logits.
inline bool says_words(const Transformer& model) {
  return !model.shape.has_last_transform || model.transform.out() > 0;
}

constexpr const char* no_words =
    "This checkpoint was saved without the layers that say words, as those of classifiers are: it has no logits.";

// Returns a model of the same sizes whose training has not begun: all weights are drawn by the seed, in their order, as
// nn.Linear and nn.Embedding draw them; norms begin with ones. A table of embeddings that is also the last layer is
// drawn as that layer. Only the bias of the last layer begins with zeros.
std::shared_ptr<const Transformer> untrained(const Transformer& trained, std::uint64_t seed);

// x (1,T,d) = tok_emb.weight[tokens] * embedding_scale + pos_emb.weight[:T] + token_type, normalized; each part only
// where the model has it
void embed(Tensor& x, const Transformer& model, std::span<const Index> tokens, const Execution& execution);

// normalized (1,T,d) = F.layer_norm(x, (d,), scale, shift, eps), or F.rms_norm(x, (d,), scale, eps)
void normalize(Tensor& normalized, const Tensor& x, const Norm& norm, const TransformerShape& shape,
               const Execution& execution);

// A norm turns each number x of a row into (x - mean) * factor, before scale and shift.
struct NormScaling {
  double mean = 0;  // 0 in an RMS norm
  double factor = 1;
};
NormScaling scaling_of(std::span<const float> row, const TransformerShape& shape);

// y (1,T,out) = F.linear(x, weight, bias)
void apply(Tensor& y, const Tensor& x, const Linear& layer, const Execution& execution);

// hidden = F.gelu(hidden), F.gelu(hidden, approximate="tanh"), F.silu(hidden) or F.relu(hidden)
void activate(Tensor& hidden, Activation activation, const Execution& execution);

// y (1,T,d) = down(activation(up(x))), or down(activation(gate(x)) * up(x))
void feed_forward(Tensor& y, const Tensor& x, const TransformerLayer& layer, const TransformerShape& shape,
                  const Execution& execution);

// sum (1,T,d) = a + b
void add(Tensor& sum, const Tensor& a, const Tensor& b, const Execution& execution);

// probabilities = torch.softmax(logits, dim=-1), in place
void softmax(std::span<float> logits);

// The names that a trained model gives to heads whose work is known.

// Returns " (previous word)" if the model gives this head a name, else nothing.
inline std::string bracketed_name(const Transformer& model, Index layer, Index head) {
  const std::string_view name = model.name_of(layer, head);
  return name.empty() ? std::string() : " (" + std::string(name) + ")";
}

// The same for a head of the layer that is shown.
inline std::string bracketed_name(const AttentionConfig& config, Index head) {
  const auto* const inputs = std::get_if<ModelInputs>(&config.inputs);
  return inputs && inputs->model ? bracketed_name(*inputs->model, inputs->layer, head) : std::string();
}

}  // namespace attnscope
