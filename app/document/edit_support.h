#pragma once

#include <functional>
#include <optional>

#include "document/document.h"

// Functions that the files of edits share. Private to this folder.
namespace attnscope {

// Drops overrides that no longer fit. Transposes one that then fits, from nn.Parameter to nn.Linear or back.
void keep_fitting_overrides(AttentionConfig& config);

// Adds or removes queries and keys at the end of an edited mask, until it has as many as there are tokens.
void fit_mask(AttentionConfig& config);

// Moves dropout edits with their tokens: now(token) is the token's new place, or nothing if it is gone.
void follow_tokens(AttentionConfig& config, const std::function<std::optional<Index>(Index)>& now);

// Puts `changed` in the document's place when it is valid; throws Error and leaves the document alone when it is not.
void replace(Document& document, Document changed);

}  // namespace attnscope
