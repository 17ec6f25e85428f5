#pragma once

#include "core/source.h"

namespace attnscope {

// What the generator gave for a cell that is drawn, drawn once more: for an input a standard normal number, for a
// weight or a bias a uniform one in [0, 1), for a dropout factor the one that is compared with 1 - p.
float drawn_number(const Result& result, const Source& source);

}  // namespace attnscope
