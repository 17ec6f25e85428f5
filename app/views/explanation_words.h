#pragma once

#include <string>
#include <vector>

#include "core/explain.h"

namespace attnscope {

// One sentence on what a number is and how it came to be, with this document's tokens and numbers; empty where the
// lines of arithmetic say it all.
std::string sentence_of(const Result& result, const Explanation& explanation, const Source& source,
                        const std::vector<std::string>& labels);

// "draw 17: 0x9A3B1C02 → 0.5836": which word of the generator became it.
std::string draw_text(const Result& result, const Source& source);

}  // namespace attnscope
