#pragma once

#include "core/hidden_keys.h"
#include "core/mechanism.h"
#include "core/model/model_inputs.h"
#include "core/rope.h"
#include "core/shared_tensor.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attnscope {

enum class Normalization { softmax, sum };

enum class DropoutKernel {
  mkl,       // PyTorch built with Intel MKL, on an Intel processor
  standard,  // everywhere else; "default" in documents
};

enum class Projection { query, key, value };

// Queries and keys of each head may be normalized before they are compared.
enum class QkNorm { none, rms };

constexpr Index max_tokens = 4096;
constexpr Index max_features = 12288;  // d_in and d_out
constexpr Index max_heads = 128;
constexpr Index max_batch = 64;
constexpr std::size_t max_dropout_edits = 10'000;
constexpr std::uint64_t max_skip_draws = 1'000'000'000;  // a tenth of a second of generator

constexpr double least_scale = 1e-30;
constexpr double most_scale = 1e30;

// Inputs drawn by torch.randn(tokens, features) from the document's generator, before the weights.
struct RandnInputs {
  Index tokens = 6;
  Index features = 3;
  bool operator==(const RandnInputs&) const = default;
};

// A weight of (B,H,T_query,T_key) that dropout keeps or drops whatever was drawn for it.
struct DropoutEdit {
  Index batch = 0;
  Index head = 0;
  Index query = 0;
  Index key = 0;
  bool keeps = false;
  auto operator<=>(const DropoutEdit&) const = default;
};

// Queries (B,H,T_query,head_dim), keys (B,H_kv,T_key,head_dim) and values (B,H_kv,T_key,width) from elsewhere, with as
// many heads of keys and values as of queries, or fewer that several heads of queries share.
struct HeadTensors {
  SharedTensor queries;
  SharedTensor keys;
  SharedTensor values;
  std::string origin;  // the file that they came from; empty where they were typed

  bool is_there() const { return queries.rank() == 4 && keys.rank() == 4 && values.rank() == 4; }
  bool operator==(const HeadTensors&) const = default;
};

using Inputs = std::variant<SharedTensor, RandnInputs, ModelInputs>;  // typed ones are (T, d_in)

// Everything that an evaluation depends on. A key that the mechanism has no use for is ignored.
struct AttentionConfig {
  Inputs inputs = RandnInputs{};
  HeadTensors heads;     // of scaled_dot_product_attention, which has no inputs
  Index batch_size = 1;  // copies of the inputs, stacked; of `heads` those that there are
  Mechanism mechanism = Mechanism::multi_head_attention;
  Index d_out = 2;
  Index num_heads = 2;
  std::optional<Index> num_kv_heads;  // of multi_head_attention; nothing: as many as num_heads
  bool qkv_bias = false;
  QkNorm qk_norm = QkNorm::none;  // of multi_head_attention: core/rms_norm.h, before positions turn them
  std::optional<Rope> rope;       // of multi_head_attention: turns queries and keys by the positions of their tokens
  Normalization normalization = Normalization::softmax;  // simple_self_attention only
  MaskRoute mask = MaskRoute::causal;
  HiddenKeys hidden;  // of the mask `custom`: by query; no other mask reads it
  MaskAlignment mask_alignment = MaskAlignment::lower_right;
  std::optional<Index> sliding_window;  // keys that a query sees under a causal mask, its own the last; nothing: all
  bool scale = true;                    // multiply the scores by scale_factor
  std::optional<double> scale_factor;   // nothing: 1/sqrt(head_dim)
  std::optional<double> softcap;        // c: the scaled scores become c * tanh(score / c), before the mask
  SharedTensor bias = Tensor();         // added to the scaled and capped scores: core/bias.h; without an axis: none
  double dropout = 0.0;                 // rate p, 0 to 1
  bool training = true;                 // dropout acts in training only
  std::uint64_t seed = 123;
  std::uint64_t skip_draws = 0;               // 32-bit words thrown away first
  std::optional<std::uint64_t> dropout_seed;  // reseeds before dropout
  DropoutKernel dropout_kernel = DropoutKernel::mkl;
  std::vector<DropoutEdit> dropout_edits;  // in order, at most one for a cell
  std::vector<Index> heads_off;            // in order; their contexts are zero
  std::array<Projection, 3> weight_order = {Projection::query, Projection::key, Projection::value};
  std::map<std::string, SharedTensor> weight_overrides;  // by state_dict name, PyTorch's layout

  bool operator==(const AttentionConfig&) const = default;
};

Index token_count(const AttentionConfig& config);       // T; T_query where T_key is another
Index input_features(const AttentionConfig& config);    // d_in
Index head_count(const AttentionConfig& config);        // H, 1 for mechanisms without heads
bool begins_with_heads(const AttentionConfig& config);  // queries, keys and values from elsewhere
Index key_value_heads(const AttentionConfig& config);   // H_kv, at most H
bool has_shared_keys(const AttentionConfig& config);    // H_kv < H
Index key_features(const AttentionConfig& config);      // numbers of a token that W_key or W_value makes
Index head_features(const AttentionConfig& config);     // head_dim
Index value_features(const AttentionConfig& config);    // of a head's values and context; mostly head_dim
Index context_features(const AttentionConfig& config);  // H * value_features
Index output_features(const AttentionConfig& config);   // d_out, or the features of a trained model
bool has_own_heads(const AttentionConfig& config);      // the wrapper: weights of its own for each head
// The mechanism drops, in training, at a rate above 0 or what the user chose.
bool dropout_is_active(const AttentionConfig& config);
// Returns the user's changes to dropout's factors, in order: none where dropout does not act, or drops everything.
std::span<const DropoutEdit> acting_dropout_edits(const AttentionConfig& config);
// Returns those of one row, from its first key on.
std::span<const DropoutEdit> in_row(std::span<const DropoutEdit> edits, Index batch, Index head, Index query);
// Whether the user keeps this weight, or drops it; nothing where it is as it was drawn.
std::optional<bool> kept_by_user(const AttentionConfig& config, Index batch, Index head, Index query, Index key);
bool is_off(const AttentionConfig& config, Index head);  // its context is zero, whatever its weights are

// Bytes of the typed inputs, overrides and dropout edits of a configuration that the other one does not share.
std::size_t bytes_beyond(const AttentionConfig& config, const AttentionConfig& other);

// Throws Error with the offending field when a limit is exceeded, shapes disagree, num_heads does not divide d_out
// where it must, an override names no parameter of the mechanism or has the wrong shape, or a head that is off or a
// weight of dropout is not there or named twice.
void check(const AttentionConfig& config);

}  // namespace attnscope
