#pragma once

// Changes to a document as a user makes them. Each takes a valid document and leaves a valid one; what cannot be done
// throws Error with a sentence.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config_fields.h"
#include "core/stage.h"
#include "core/tensor.h"
#include "document/document.h"

namespace attnscope {

// Changes the mechanism and what follows from it: mask and scaling change to the new mechanism's defaults if they had
// the old one's, num_heads snaps to a divisor of d_out where it must, overrides are transposed between v1 and v2, and
// other overrides that no longer fit are dropped.
void set_mechanism(Document& document, Mechanism mechanism);
void set_config(Document& document, AttentionConfig config);
void set_d_out(Document& document, Index d_out);          // if num_heads must divide it, it snaps to a divisor
void set_num_heads(Document& document, Index num_heads);  // throws Error if it must divide d_out and does not
void multiply_scale(Document& document, double factor);   // multiplies what the scores are scaled by
void set_batch_size(Document& document, Index batch_size);
// Sets any field that counts something, with what must follow.
void set_count(Document& document, const CountField& field, Index count);
void set_scaling(Document& document, bool is_scaled);              // switching it off removes a factor, too
std::vector<Index> allowed_head_counts(const Document& document);  // ascending

// These set weights that dropout keeps or drops whatever was drawn, and heads whose contexts are zero. Such edits go
// with their head, batch entry or token, and follow tokens that are moved.
void set_dropout_edit(Document& document, const DropoutEdit& edit);
void remove_dropout_edit(Document& document, const DropoutEdit& cell);  // the weight is as drawn again; ignores `keeps`
void remove_dropout_edits(Document& document);
void set_head_off(Document& document, Index head, bool off);
void keep_fitting_interventions(AttentionConfig& config);  // drops those whose head, batch entry or token is gone

// Says in sentences what an edit changed beside what the user meant; empty if nothing.
std::string what_followed(const AttentionConfig& before, const AttentionConfig& now);

// Replaces drawn inputs by the numbers that were drawn, and raises skip_draws so that the weights stay the same.
void make_inputs_explicit(Document& document);

// Common masks. MaskChoice holds the numbers of a window, of blocks and of padding.
enum class MaskPreset {
  none,
  causal,
  window,         // `amount` keys: up to the query's own, or so many to either side of it
  blocks,         // each token sees its own document's tokens; documents begin at token 0 and at `starts`
  first_visible,  // hides what is hidden now, except the first token
  padding,        // hides what is hidden now, and all keys from number `amount` on
};
struct MaskChoice {
  MaskPreset preset = MaskPreset::none;
  Index amount = 1;
  std::vector<Index> starts = {};
  bool is_causal = true;  // window and blocks: no query sees a later key
};
void set_mask(Document& document, MaskRoute mask);  // `custom` hides the same cells as the mask before it
void set_mask_preset(Document& document, const MaskChoice& choice);
// Makes the mask an edited one that hides what it hid before, and hides or shows this cell.
void set_hidden(Document& document, Index query, Index key, bool is_hidden);

// A bias has rows that broadcast to (T_query, T_key), or is minus `slope` for each token between a query and a key.
void remove_bias(Document& document);
void set_bias(Document& document, const std::vector<std::vector<float>>& rows);
void set_distance_bias(Document& document, float slope);

void set_input(Document& document, Index token, Index feature, float value);
void rename_token(Document& document, Index token, std::string_view name);
// An empty name leaves the dimension its number. Throws Error for a trained model.
void rename_dimension(Document& document, Index dimension, std::string_view name);
void add_token(Document& document);                     // adds a row of zeros named "token" at the end
void duplicate_token(Document& document, Index token);  // the copy follows the token
void delete_token(Document& document, Index token);     // throws Error for the only token
void move_token(Document& document, Index from, Index to);
void add_feature(Document& document);      // adds a column of zeros; drops overrides that no longer fit
void remove_feature(Document& document);   // removes the last column; throws Error for the only one
void fill_with_randn(Document& document);  // inputs become {"randn": [T, d_in]}

// Sets inputs from a pasted block of numbers, whose shape the document takes. New tokens are named by their number.
void set_inputs(Document& document, const std::vector<std::vector<float>>& rows);

// Sets inputs (T, d_in) from a file. Without names, tokens keep the names that they had, and new ones are numbered.
void set_inputs(Document& document, Tensor inputs, std::vector<std::string> names);

// Splits a sentence into tokens at white space, with punctuation on its own. A word that the document knows keeps its
// row; a new one gets numbers in [0, 1) with two decimals that depend on the word alone, so the same word always has
// the same numbers.
void set_sentence(Document& document, std::string_view sentence);

// Returns the words, each once and in their order, whose numbers set_sentence() invented and nobody changed since; none
// for documents of very many numbers.
std::vector<std::string> invented_words(const Document& document);

// These edit a document with a trained model. A layer that is no longer shown keeps what was changed in it.
void show_layer(Document& document, Index layer);
void set_text(Document& document, std::string_view text);
void set_head_off(Document& document, Index layer, Index head, bool is_off);
void append_token(Document& document, Index token);  // `token` is its number in the vocabulary
void replace_token(Document& document, Index place, Index token);

// The following change weights and biases: they write overrides under the names of PyTorch's state_dict. All other
// numbers stay as the seed gives them.

// Cells of a weight matrix or a bias. Its stage has one matrix for all heads, unless each head has its own.
struct WeightCells {
  Stage stage = Stage::query_weight;
  Index head = 0;
  CellRect rect = {};
};

CellRect all_cells(const AttentionConfig& config, Stage weight);
// Returns the cells that belong to a head: rows of W_query, columns of out_proj; none of the bias of out_proj.
CellRect cells_of_head(const AttentionConfig& config, Stage weight, Index head);

void set_weight(Document& document, Stage weight, Index head, Index row, Index col, float value);

enum class Filling { zeros, identity, randn, orthogonal };
// Fills the cells; randn and orthogonal draw from a generator with this seed.
void fill_weights(Document& document, const WeightCells& cells, Filling filling, std::uint64_t seed = 0);
// The cell becomes 1, the others 0.
void make_one_hot(Document& document, const WeightCells& cells, Index row, Index col);
void scale_weights(Document& document, const WeightCells& cells, double factor);
// Pastes a block of numbers, its first one at (row, col).
void paste_weights(Document& document, Stage weight, Index head, Index row, Index col,
                   const std::vector<std::vector<float>>& rows);
void copy_weights_of_head(Document& document, Stage weight, Index from, Index to);
// Returns a configuration whose W_key, with its bias and the gains of its norm, is W_query: K = Q. Throws Error if it
// has no such weights, or fewer heads of keys than of queries.
AttentionConfig with_keys_of_queries(AttentionConfig config);

// Removes overrides, so that the seed's numbers return.
void restore_weights(Document& document, const WeightCells& cells);
void restore_all_weights(Document& document);

// Returns the words and signs that a model knows, in alphabetical order, without tokens such as <unknown>.
std::vector<std::string> known_words(const TrainedModel& model);

// The files of edits share these; no other folder calls them.

// Drops overrides that no longer fit. Transposes one that then fits, from nn.Parameter to nn.Linear or back.
void keep_fitting_overrides(AttentionConfig& config);

// Adds or removes queries and keys at the end of an edited mask, until it has as many as there are tokens.
void fit_mask(AttentionConfig& config);

// Moves dropout edits with their tokens: now(token) is the token's new place, or nothing if it is gone.
void follow_tokens(AttentionConfig& config, const std::function<std::optional<Index>(Index)>& now);

// Puts `changed` in the document's place when it is valid; throws Error and leaves the document alone when it is not.
void replace(Document& document, Document changed);

}  // namespace attnscope
