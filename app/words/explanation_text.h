#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/explain.h"
#include "document/document.h"

namespace attnscope {

// One line of how a number came to be.
struct ExplanationLine {
  std::string text;
  std::optional<Source> source = {};  // the number that the line's first number is; a click goes there
  bool is_words = false;              // words rather than numbers
  std::optional<Source> second = {};  // what a click on the text from `second_begin` on goes to
  std::size_t second_begin = 0;
  bool is_rest = false;                  // the sum of the terms that are not shown
  std::optional<std::size_t> term = {};  // its place in a sum of which some terms are not shown
  bool is_note = false;                  // words that a card leaves out, because its lines are clear without them
};

// The arithmetic behind one number, line by line, with the values that went in. Sums of more than `max_terms` numbers
// show the largest ones and say how many were left out.
std::vector<ExplanationLine> explanation_lines(const Result& result, const Source& source, const RowNames& names,
                                               std::size_t max_terms);

// Its numbers step by step, without words, for a picture; of a number that is copied, those of the original.
std::vector<std::string> arithmetic_of(const Result& result, const Source& source, const RowNames& names);

}  // namespace attnscope
