#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config_fields.h"
#include "document/document.h"

// Changes to a document as a user makes them. Each takes a valid document and leaves a valid one; what cannot be done
// throws Error with a sentence.
namespace attnscope {

// Changes the mechanism and what follows from it: mask and scaling change to the new mechanism's defaults if they had
// the old one's, num_heads snaps to a divisor of d_out where it must, overrides are transposed between v1 and v2, and
// other overrides that no longer fit are dropped.
void set_mechanism(Document& document, Mechanism mechanism);
void set_config(Document& document, AttentionConfig config);
void set_d_out(Document& document, Index d_out);          // num_heads snaps to the nearest divisor where it must
void set_num_heads(Document& document, Index num_heads);  // just this number, which must divide d_out where it must
void set_batch_size(Document& document, Index batch_size);
// Sets any field that counts something, with what must follow.
void set_count(Document& document, const CountField& field, Index count);
void set_scaling(Document& document, bool is_scaled);  // off, a factor goes too: a file says one or the other
std::vector<Index> allowed_head_counts(const Document& document);  // that d_out allows, ascending

// Weights that dropout keeps or drops whatever was drawn, and heads whose contexts are zero. Where something goes that
// they are of, they go with it; they follow tokens that are moved.
void set_dropout_edit(Document& document, const DropoutEdit& edit);
void remove_dropout_edit(Document& document, const DropoutEdit& cell);  // as drawn again; `keeps` is not looked at
void remove_dropout_edits(Document& document);
void set_head_off(Document& document, Index head, bool off);
void keep_fitting_interventions(AttentionConfig& config);  // drops those whose head, batch entry or token is gone

// Says in sentences what an edit changed beside what the user meant; empty where that is nothing.
std::string what_followed(const AttentionConfig& before, const AttentionConfig& now);

// Replaces drawn inputs by the very numbers that were drawn, skip_draws raised so that the weights stay the same.
void make_inputs_explicit(Document& document);

// Masks as they are often wanted. What is asked of a window, of blocks and of padding is in the other fields.
enum class MaskPreset {
  none,
  causal,
  window,         // `amount` keys: up to the query's own, or so many to either side of it
  blocks,         // each token sees its own document's tokens; documents begin at token 0 and at `starts`
  first_visible,  // what is hidden now, but for the first token, which every query sees
  padding,        // what is hidden now, and all keys from number `amount` on
};
struct MaskChoice {
  MaskPreset preset = MaskPreset::none;
  Index amount = 1;
  std::vector<Index> starts = {};
  bool is_causal = true;  // of a window and of blocks: no query sees a later key
};
void set_mask(Document& document, MaskRoute mask);  // `custom` hides what the mask before it did
void set_mask_preset(Document& document, const MaskChoice& choice);
// Makes any mask one that was edited: what it hid before, with this one cell as it is asked to be.
void set_hidden(Document& document, Index query, Index key, bool is_hidden);

// A bias has rows that broadcast to (T_query, T_key), or is minus `slope` for each token between a query and a key.
void remove_bias(Document& document);
void set_bias(Document& document, const std::vector<std::vector<float>>& rows);
void set_distance_bias(Document& document, float slope);

void set_input(Document& document, Index token, Index feature, float value);
void rename_token(Document& document, Index token, std::string_view name);
void add_token(Document& document);                     // at the end, a row of zeros, named "token"
void duplicate_token(Document& document, Index token);  // below itself
void delete_token(Document& document, Index token);     // not the last one
void move_token(Document& document, Index from, Index to);
void add_feature(Document& document);      // a last column of zeros; drops overrides that no longer fit
void remove_feature(Document& document);   // the last column; not the only one
void fill_with_randn(Document& document);  // inputs become {"randn": [T, d_in]}

// Inputs from a pasted block of numbers, whose shape the document takes. Tokens that are new are named by their number.
void set_inputs(Document& document, const std::vector<std::vector<float>>& rows);

// Inputs (T, d_in) from a file. Without names, the tokens that there were keep theirs, and new ones are numbered.
void set_inputs(Document& document, Tensor inputs, std::vector<std::string> names);

// Tokens from a sentence, split at white space with punctuation on its own. A word that the document knows keeps its
// row; a new one gets numbers in [0, 1) with two decimals that depend on the word alone, so the same word always has
// the same numbers.
void set_sentence(Document& document, std::string_view sentence);

// These edit a document with a trained model. A layer that is no longer shown keeps what was changed in it.
void show_layer(Document& document, Index layer);
void set_text(Document& document, std::string_view text);
void set_head_off(Document& document, Index layer, Index head, bool is_off);
void append_token(Document& document, Index token);  // by its number in the vocabulary

// A block of numbers as people have them: rows on lines with tabs, commas, semicolons or blanks between numbers, or a
// Python list of lists, torch.tensor(...) or np.array(...) around it or not, comments after #. Throws Error that names
// the row and what stands there; all rows must be of one length and finite.
std::vector<std::vector<float>> parse_number_block(std::string_view text);

}  // namespace attnscope
