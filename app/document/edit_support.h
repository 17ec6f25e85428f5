#pragma once

#include <functional>
#include <optional>

#include "document/document.h"

// Functions that the files of edits share. Private to this folder.
namespace attnscope {

// Drops overrides that no longer fit. One that fits once it is transposed, from nn.Parameter to nn.Linear or back, is.
void keep_fitting_overrides(AttentionConfig& config);

// A mask that was edited gets or loses queries and keys at its end until it has as many as there are tokens.
void fit_mask(AttentionConfig& config);

// Dropout edits follow their tokens: where each token is now, or nothing for one that is gone.
void follow_tokens(AttentionConfig& config, const std::function<std::optional<Index>(Index)>& now);

// Puts `changed` in the document's place when it is valid; throws Error and leaves the document alone when it is not.
void replace(Document& document, Document changed);

}  // namespace attnscope
