#pragma once

#include <string>

#include "document/document.h"
#include "state/figure_choices.h"

namespace attnscope {

// The sweep as it would be typed: "embedding[2,1]=-1..1:0.1".
std::string sweep_text(const SweepChoices& choices);

// Choices for a document, where nothing was typed, and where what was typed was for another: heads and tokens.
void suggest_ranges(SweepChoices& choices, const Document& document);

// The name of a file with or without "-%03d" before its ending.
std::string numbered_name(const std::string& name, bool is_series);

}  // namespace attnscope
