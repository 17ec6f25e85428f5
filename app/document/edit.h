#pragma once

#include <string_view>
#include <vector>

#include "document/document.h"

// Changes to a document as a user makes them. Each takes a valid document and leaves a valid one; what cannot be done
// throws Error with a sentence.
namespace attnscope {

// Changes the mechanism and what follows from it: mask and scaling go to the new mechanism's defaults where they stood
// at the old one's, num_heads snaps to a divisor of d_out where it must, v1 and v2 overrides are carried over
// transposed, other overrides that no longer fit are dropped.
void set_mechanism(Document& document, Mechanism mechanism);
void set_d_out(Document& document, Index d_out);          // num_heads snaps to the nearest divisor where it must
void set_num_heads(Document& document, Index num_heads);  // snaps likewise
std::vector<Index> allowed_head_counts(const Document& document);  // ascending; what num_heads can be with this d_out

// Replaces drawn inputs by the very numbers that were drawn, skip_draws raised so that the weights stay the same.
void make_inputs_explicit(Document& document);

void set_input(Document& document, Index token, Index feature, float value);
void rename_token(Document& document, Index token, std::string_view name);
void add_token(Document& document);                     // at the end, a row of zeros, named "token"
void duplicate_token(Document& document, Index token);  // below itself
void delete_token(Document& document, Index token);     // not the last one
void move_token(Document& document, Index from, Index to);
void add_feature(Document& document);      // a last column of zeros; overrides that no longer fit go
void remove_feature(Document& document);   // the last column; not the only one
void fill_with_randn(Document& document);  // inputs become {"randn": [T, d_in]}

// Inputs from a pasted block of numbers: the document takes its shape; tokens beyond the known ones are numbered.
void set_inputs(Document& document, const std::vector<std::vector<float>>& rows);

// Inputs (T, d_in) from a file. Without names, tokens keep theirs as far as they go.
void set_inputs(Document& document, Tensor inputs, std::vector<std::string> names);

// Tokens from a sentence, split at white space with punctuation on its own. A word that the document knows keeps its
// row; a new one gets numbers in [0, 1) with two decimals drawn from the word itself, so the same word is always the
// same.
void set_sentence(Document& document, std::string_view sentence);

// A block of numbers as people have them: rows on lines with tabs, commas, semicolons or blanks between numbers, or a
// Python list of lists, torch.tensor(...) or np.array(...) around it or not, comments after #. Throws Error that names
// the row and what stands there; all rows must be of one length and finite.
std::vector<std::vector<float>> parse_number_block(std::string_view text);

}  // namespace attnscope
