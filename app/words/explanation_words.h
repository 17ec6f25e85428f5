#pragma once

#include <string>

#include "core/explain.h"
#include "document/document.h"

namespace attnscope {

// One sentence on what a number is and how it came to be, with this document's tokens and numbers; empty where the
// lines of arithmetic say it all. Tokens without a name are counted.
std::string sentence_of(const Result& result, const Explanation& explanation, const Source& source,
                        const RowNames& names);

// "draw 17: 0x9A3B1C02 → 0.5836": which word of the generator became it.
std::string draw_text(const Result& result, const Source& source);

}  // namespace attnscope
