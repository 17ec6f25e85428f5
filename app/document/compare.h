#pragma once

#include <span>
#include <string>
#include <utility>

#include "document/document.h"

// Document A, with which the edited document, B, is compared. Each function takes a valid document and leaves a valid
// one; what cannot be done throws Error with a sentence.
namespace attnscope {

void keep_as_compared(Document& document);  // A becomes what the document is now
void swap_compared(Document& document);
void stop_comparing(Document& document);

// Return what differs between A and B, in A's words and in B's: "seed 123" and "seed 124", "scaled" and "not scaled".
// Both are empty if no field differs. A side with its name is "A: seed 123".
std::pair<std::string, std::string> names_of_sides(const AttentionConfig& a, const AttentionConfig& b);
std::string side_name(std::string_view side, const std::string& name);

// Two versions of a document that are worth a look at what is between them.
struct ReadyPair {
  std::string_view id;       // "two_seeds"
  std::string_view title;    // in the menu: "Two seeds"
  std::string_view summary;  // one line on what to look at
  // Makes the document B, compared with A. `head` is the shown head.
  void (*make)(Document& document, Index head);
  std::string (*obstacle)(const Document& document) = nullptr;  // says why the pair cannot be made; empty if it can
  // Returns a document in which the two differ visibly, to be used in the place of one in which they do not; null: the
  // summary says that they do not differ.
  Document (*example)() = nullptr;
  bool is_of_model = false;  // of a whole trained model: the example's, if the document has none
};

std::span<const ReadyPair> ready_pairs();
const ReadyPair* ready_pair_named(std::string_view id);  // null if there is none
void make_pair(Document& document, const ReadyPair& pair, Index head);
// Makes the pair of the document, or of the pair's example where the weights that multiply the values, and all that
// follows from them, differ by less than telling_difference. Returns whether it is the example. Documents of many
// numbers are not evaluated for that.
bool make_telling_pair(Document& document, const ReadyPair& pair, Index head);

constexpr double telling_difference = 0.1;
// Returns the largest difference between the two documents' weights as they multiply the values, or between their
// contexts; 0 for a document that is compared with none.
double largest_difference(const Document& pair);
double largest_difference(const Tensor& a, const Tensor& b);  // 0 if their shapes differ

}  // namespace attnscope
