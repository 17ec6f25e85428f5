#pragma once

#include "document/document.h"

// Documents in which nothing is the same as anything else by chance: two batch entries, three heads, a mask beside
// dropout, and a bias of its own for each entry and head. Most mistakes with an index change a number of them.
namespace attnscope::test {

constexpr Index hard_entries = 2;
constexpr Index hard_heads = 3;

// Multi-head attention of the six tokens of default_document(). Its mask is causal, and hides the second token from the
// last three, too.
Document hard_document();

// Queries, keys and values from elsewhere, of so many queries and keys, under a causal mask. Values are 5 wide, queries
// and keys 2. Queries have names of their own.
Document hard_given(Index queries, Index keys);

}  // namespace attnscope::test
