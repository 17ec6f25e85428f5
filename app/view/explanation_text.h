#pragma once

#include <string>
#include <vector>

#include "core/stages/words.h"

namespace attnscope {

// The arithmetic behind one number, line by line, with the values that went in. Sums of more than `max_terms` numbers
// show the largest ones and say how many were left out.
std::vector<ExplanationLine> explanation_lines(const Result& result, const Source& source, const RowNames& names,
                                               std::size_t max_terms);

// Its numbers step by step, without words, for a picture; of a number that is copied, those of the original.
std::vector<std::string> arithmetic_of(const Result& result, const Source& source, const RowNames& names);

}  // namespace attnscope
