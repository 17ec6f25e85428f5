#pragma once

#include "document/document.h"

// What the files of edits share. Private to this folder.
namespace attnscope {

// Drops overrides that no longer fit. One that fits once it is transposed, from nn.Parameter to nn.Linear or back, is.
void keep_fitting_overrides(AttentionConfig& config);

// A mask that was edited gets or loses queries and keys at its end until it has as many as there are tokens.
void fit_mask(AttentionConfig& config);

// Puts `changed` in the document's place when it is valid; throws Error and leaves the document alone when it is not.
void replace(Document& document, Document changed);

}  // namespace attnscope
