#pragma once

#include <string>

#include "core/evaluate.h"
#include "document/document.h"
#include "interchange/code_text.h"

// One function for each language of code.h; the document is valid.
namespace attnscope {

std::string pytorch_code(const Document& document);
std::string numpy_code(const Document& document);
// Returns the code of a document that begins with queries, keys and values, in its library's dialect.
std::string heads_code(const Document& document, CodeDialect dialect, bool is_numpy);
std::string latex_code(const Document& document, const Result* result);
bool latex_prints_numbers(const AttentionConfig& config);  // whether any stage is small enough

}  // namespace attnscope
