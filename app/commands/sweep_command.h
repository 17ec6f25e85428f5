#pragma once

#include "commands/figure_command.h"

namespace attnscope {

// Writes a figure as an animated PNG, or as a series of numbered ones, with one parameter of the document swept. Throws
// Error.
void run_sweep(const FigureArguments& arguments);

}  // namespace attnscope
