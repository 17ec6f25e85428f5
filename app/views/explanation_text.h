#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/explain.h"

namespace attnscope {

// One line of how a number came to be.
struct ExplanationLine {
  std::string text;
  std::optional<Cell> source;  // the cell that the line's number stands in; a click goes there
  bool is_words = false;       // words rather than numbers
};

// The arithmetic behind one cell, line by line, with the values that went in. Sums of more than `max_terms` products
// show the largest ones and say how many were left out.
std::vector<ExplanationLine> explanation_lines(const Result& result, const Cell& cell,
                                               const std::vector<std::string>& labels, std::size_t max_terms);

}  // namespace attnscope
