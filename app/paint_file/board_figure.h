#pragma once

#include "paint_file/figure.h"

namespace attnscope {

// Returns the figure of a teaching view. Private to this folder.
Figure make_board_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                         const FigureOptions& options, const Execution& execution);

}  // namespace attnscope
