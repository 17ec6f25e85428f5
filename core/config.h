#pragma once

#include "core/kernels/kernels.h"
#include "core/rope.h"
#include "core/stage.h"
#include "core/tensor.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attnscope {

struct AttentionConfig;

enum class MaskRoute {
  none,
  causal,                // minus infinity above the diagonal, before softmax
  causal_after_softmax,  // weights * tril
  causal_renormalized,   // weights * tril, then divided by the row sum
  custom,                // minus infinity where AttentionConfig::hidden says, before softmax
};

// Says beside which key a query stands if keys and queries differ in number. A causal mask shows it the keys up to that
// one.
enum class MaskAlignment {
  lower_right,  // the last query beside the last key
  upper_left,   // the first beside the first
};

// Most ranges of all queries together, so that a file cannot ask for much memory.
constexpr Index max_hidden_ranges = Index{1} << 21;

// The keys that a mask hides from each query, as ranges in ascending order with keys between them. Immutable and
// shared: a copy costs a pointer.
class HiddenKeys {
public:
  HiddenKeys() = default;  // for no query
  // Takes the ranges of each query in any order; they may overlap, and empty ones are left out.
  explicit HiddenKeys(std::vector<std::vector<KeyRange>> queries);

  Index queries() const { return contents_ ? std::ssize(contents_->starts) - 1 : 0; }
  bool is_empty() const { return queries() == 0; }
  Index range_count() const { return contents_ ? std::ssize(contents_->ranges) : 0; }
  std::span<const KeyRange> of(Index query) const;  // none for a query beyond the last

  // Returns the bytes that these keys do not share with the others.
  std::size_t bytes_beyond(const HiddenKeys& other) const;

  friend bool operator==(const HiddenKeys& left, const HiddenKeys& right);
  friend std::strong_ordering operator<=>(const HiddenKeys& left, const HiddenKeys& right);

private:
  struct Contents {
    std::vector<std::size_t> starts;  // ranges of query q: [starts[q], starts[q + 1])
    std::vector<KeyRange> ranges;
  };

  std::shared_ptr<const Contents> contents_;  // null: of no query
};

// Returns the ranges in ascending order, without empty ones, and joined if no key lies between them.
std::vector<KeyRange> merged(std::vector<KeyRange> ranges);

// The names of an embedding's numbers, UTF-8, shared by all configurations that have the same ones. They are d_in names
// or none; an empty name stands for a dimension that has only a number. To change them is to make new ones.
class DimensionNames {
public:
  DimensionNames() = default;
  DimensionNames(
      std::vector<std::string> names);  // NOLINT(google-explicit-constructor): names without any text are none

  bool empty() const { return !names_; }
  std::size_t size() const { return names_ ? names_->size() : 0; }
  const std::string& operator[](std::size_t index) const { return (*names_)[index]; }
  std::vector<std::string> copy() const { return names_ ? *names_ : std::vector<std::string>(); }
  // Returns the bytes that these names do not share with the others.
  std::size_t bytes_beyond(const DimensionNames& others) const;

  friend bool operator==(const DimensionNames& left, const DimensionNames& right);

private:
  std::shared_ptr<const std::vector<std::string>> names_;  // null: none
};

// Returns the name of a dimension as it may stand on the screen; empty if it has none.
std::string dimension_name(const AttentionConfig& config, Index dimension);

// Return the name of a column or a row of a stage, as its matrix is stored, where it stands for a dimension of the
// inputs: the columns of the inputs themselves, of weights of nn.Linear, and of contexts that mix the inputs; the rows
// of an nn.Parameter. Empty for others, and for dimensions without a name.
std::string column_dimension(const AttentionConfig& config, Stage stage, Index col);
std::string row_dimension(const AttentionConfig& config, Stage stage, Index row);

// Returns the names of all dimensions, numbers for those without one: "thing", "action", "3"; empty if there are none.
std::vector<std::string> dimension_labels(const AttentionConfig& config);

// The six mechanisms, in the order of the ladder: each adds one idea to the one before it. Then one that begins with
// queries, keys and values from elsewhere.
enum class Mechanism {
  simple_self_attention,
  self_attention_v1,
  self_attention_v2,
  causal_attention,
  multi_head_attention_wrapper,
  multi_head_attention,
  scaled_dot_product_attention,
};

// How W_query, W_key and W_value are declared in the notebook's class.
enum class WeightStyle {
  none,       // the mechanism has no weights
  parameter,  // nn.Parameter(torch.rand(d_in, d_out)), used as x @ W
  linear,     // nn.Linear(d_in, d_out), weight (d_out, d_in), used as x @ W.T + bias
};

// A mechanism and what it has: one row of the table that views, files and the command line iterate over.
struct MechanismInfo {
  Mechanism mechanism;
  std::string_view id;                   // in documents and on the command line
  std::string_view title;                // on the screen
  std::string_view short_title = {};     // in a narrow list; empty: the title
  std::string_view notebook_class = {};  // empty where the notebook has only cells
  std::string_view adds;                 // one line: the idea that it adds to the mechanism before it
  WeightStyle weight_style;
  bool has_mask_by_default = false;  // causal unless the document says otherwise
  bool scales_by_default = false;    // divides by sqrt(head_dim) unless the document says otherwise
  bool has_dropout = false;
  bool has_heads = false;              // it reads num_heads
  bool splits_heads = false;           // head_dim = d_out / num_heads, else head_dim = d_out
  bool has_output_projection = false;  // out_proj, with bias
};

std::span<const MechanismInfo> mechanisms();       // the six of the ladder
std::span<const MechanismInfo> every_mechanism();  // those six and the one without inputs
const MechanismInfo& info(Mechanism mechanism);
int rung_of(Mechanism mechanism);  // 1 to 7, as lists number them

struct AttentionConfig;
struct Transformer;

// Layers whose attention the user has changed, by their numbers. Their inputs are ignored.
using ChangedLayers = std::map<Index, AttentionConfig>;

// The inputs of one layer of a trained model: what the layers below make of the tokens, normalized. The layer's weights
// are the model's, too, but for those that the configuration overrides.
struct ModelInputs {
  std::shared_ptr<const Transformer> model = {};
  std::vector<Index> tokens = {};  // their numbers in the model's vocabulary
  Index layer = 0;
  std::shared_ptr<const ChangedLayers> changed = {};  // other layers than this one; null: none

  friend bool operator==(const ModelInputs& left, const ModelInputs& right);
};

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
  // Returns whether only their shapes are known: another program computed attention from them.
  bool are_unknown() const { return is_there() && queries.cols() == 0 && keys.cols() == 0 && values.cols() == 0; }
  bool operator==(const HeadTensors&) const = default;
};

using Inputs = std::variant<SharedTensor, RandnInputs, ModelInputs>;  // typed ones are (T, d_in)

// Everything that an evaluation depends on. A key that the mechanism has no use for is ignored.
struct AttentionConfig {
  Inputs inputs = RandnInputs{};
  DimensionNames dimensions;  // names of the inputs' columns; no number depends on them
  HeadTensors heads;          // scaled_dot_product_attention begins with these instead of inputs
  Index batch_size = 1;       // copies of the inputs, stacked; `heads` has its own number of entries
  Mechanism mechanism = Mechanism::multi_head_attention;
  Index d_out = 2;
  Index num_heads = 2;
  std::optional<Index> num_kv_heads;  // multi_head_attention only; nothing: as many as num_heads
  bool qkv_bias = false;
  QkNorm qk_norm =
      QkNorm::none;          // multi_head_attention normalizes queries and keys before rope turns them: core/rope.h
  std::optional<Rope> rope;  // multi_head_attention turns queries and keys by the positions of their tokens
  Normalization normalization = Normalization::softmax;  // only simple_self_attention reads it
  MaskRoute mask = MaskRoute::causal;
  HiddenKeys hidden;  // only the mask `custom` reads these
  MaskAlignment mask_alignment = MaskAlignment::lower_right;
  std::optional<Index> sliding_window;  // keys that a query sees under a causal mask, its own the last; nothing: all
  bool scale = true;                    // multiply the scores by scale_factor
  std::optional<double> scale_factor;   // nothing: 1/sqrt(head_dim)
  std::optional<double> softcap;        // c: the scaled scores become c * tanh(score / c), before the mask
  SharedTensor bias = Tensor();  // added to the scaled and capped scores (Bias in core/visibility.h); no axes: no bias
  double dropout = 0.0;          // rate p, 0 to 1
  bool training = true;          // dropout acts in training only
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

Index token_count(const AttentionConfig& config);       // T; T_query if it differs from T_key
Index input_features(const AttentionConfig& config);    // d_in
Index head_count(const AttentionConfig& config);        // H, 1 for mechanisms without heads
bool begins_with_heads(const AttentionConfig& config);  // queries, keys and values are given instead of inputs
Index key_value_heads(const AttentionConfig& config);   // H_kv, at most H
bool has_shared_keys(const AttentionConfig& config);    // H_kv < H
Index key_features(const AttentionConfig& config);      // numbers that W_key or W_value makes of a token
Index head_features(const AttentionConfig& config);     // head_dim
Index value_features(const AttentionConfig& config);    // width of a head's values and context; mostly head_dim
Index context_features(const AttentionConfig& config);  // H * value_features
Index output_features(const AttentionConfig& config);   // d_out, or the features of a trained model
bool has_own_heads(const AttentionConfig& config);      // each head has weights of its own, as in the wrapper
// Returns whether dropout changes weights: in training, at a rate above 0 or where the user chose weights to drop.
bool dropout_is_active(const AttentionConfig& config);
// Returns the user's changes to dropout's factors, in order: none where dropout does not act, or drops everything.
std::span<const DropoutEdit> acting_dropout_edits(const AttentionConfig& config);
// Returns the user's changes in one row, in the order of its keys.
std::span<const DropoutEdit> in_row(std::span<const DropoutEdit> edits, Index batch, Index head, Index query);
// Returns whether the user keeps or drops this weight; nothing if the user leaves it as drawn.
std::optional<bool> kept_by_user(const AttentionConfig& config, Index batch, Index head, Index query, Index key);
// Whether the user switched the head off, so that its context is zero.
bool is_off(const AttentionConfig& config, Index head);

// Returns the bytes of typed inputs, overrides and dropout edits that a configuration does not share with the other
// one.
std::size_t bytes_beyond(const AttentionConfig& config, const AttentionConfig& other);

// Throws Error with the offending field when a limit is exceeded, shapes disagree, num_heads does not divide d_out
// where it must, an override names no parameter of the mechanism or has the wrong shape, or a head that is off or a
// weight of dropout is not there or named twice.
void check(const AttentionConfig& config);

}  // namespace attnscope
