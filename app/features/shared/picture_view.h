#pragma once

#include <string>
#include <string_view>

#include "session/view_state.h"
#include "view/figure_options.h"
#include "view/view_address.h"

namespace attnscope {

// How a picture looks at its document, as address_text() writes it.
std::string view_text(const ViewState& view);
std::string view_text(const FigureOptions& options);  // the view that shows what the figure does

// Looks as the address says; what it does not name stays as it is.
void look_at(ViewState& view, const ViewAddress& address);
// Looks at a document as a picture did, as far as it says so and the document has what it names.
void look_as(ViewState& view, const AttentionConfig& config, std::string_view text);

}  // namespace attnscope
