#pragma once

#include <string>
#include <string_view>

#include "look/figure_options.h"
#include "state/view_state.h"

namespace attnscope {

// How a picture looks at its document, in a line: "layout=focus stage=weights head=2 batch=1 range=own cell=2,1
// side=A". Heads, batch entries, rows and columns count from 1.
std::string view_text(const ViewState& view);
std::string view_text(const FigureOptions& options);  // the view that shows what the figure does

// Looks at a document as a picture did, as far as it says so and the document has what it names.
void look_as(ViewState& view, const AttentionConfig& config, std::string_view text);

}  // namespace attnscope
