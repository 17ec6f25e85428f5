#pragma once

#include <string_view>
#include <vector>

#include "core/model/forward.h"
#include "files/array_files.h"

namespace attnscope {

// The stages of a whole model that has run on a text: token_ids (T), embeddings (T,d), residual (L+1,T,d), the last
// of them before the final norm, weights (L,H,T,T) and logits (T,V).
std::vector<std::string_view> model_stages();

// Returns the stages of these names, or all for none. The pass must stay, and have gone through all layers. Throws
// Error for a name that there is not.
std::vector<WrittenArray> arrays_of(const ForwardPass& pass, const std::vector<std::string_view>& names);

}  // namespace attnscope
