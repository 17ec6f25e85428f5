#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "document/document.h"

namespace attnscope {

// One of the documents that come with the program: the one that the window opens with, the notebooks' six words, then
// one per step of the notebooks, in the order of the ladder.
struct BuiltinDocument {
  std::string_view id;       // file name without ending: "simple_self_attention"
  std::string_view title;    // in the menu
  std::string_view summary;  // one line on what it shows
  std::string_view json;
};

std::span<const BuiltinDocument> builtin_documents();
// Returns these and, as the third one, the document of the trained model that comes with the program.
std::span<const BuiltinDocument> example_documents();

// Returns the example that "example:" and its id name, and nothing for another name. Throws Error, which lists the ids,
// if no example has this id.
std::optional<BuiltinDocument> example_named(std::string_view name);

// Returns the document that the window opens with, the example "who_is_it".
Document opening_document();

// Returns the example "notebook": the default document with d_out 4, so that its two heads and √head_dim show
// something. Scripts that name no document begin with it.
Document notebook_document();

}  // namespace attnscope
