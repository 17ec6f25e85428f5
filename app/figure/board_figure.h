#pragma once

#include "figure/figure.h"

namespace attnscope {

// The figure of a teaching view: a board whose fills, lines and words are those of a page. Private to this folder.
Figure make_board_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                         const FigureOptions& options, const Execution& execution);

}  // namespace attnscope
