#pragma once

#include "document/document.h"

// What edits have in common. Private to this folder.
namespace attnscope {

// Drops overrides that no longer fit; those that fit when turned from nn.Parameter to nn.Linear, or back, are turned.
void keep_fitting_overrides(AttentionConfig& config);

// Puts `changed` in the document's place when it is valid; throws Error and leaves the document alone when it is not.
void replace(Document& document, Document changed);

}  // namespace attnscope
