#pragma once

#include <string>
#include <string_view>

#include "core/evaluate.h"
#include "document/document.h"

namespace attnscope {

enum class CodeLanguage { pytorch, numpy, latex };

std::string_view name_of(CodeLanguage language);  // "PyTorch code"

// A document as code for a notebook or a paper. Each text is complete and gives the engine's numbers.
//
// pytorch: the notebook's class for the mechanism, its seed and inputs; prints every stage by its id, the result last.
//          Dropout is a mask in the code, because PyTorch's kernels differ: written out up to max_mask_numbers, else
//          computed as the document's kernel does.
// numpy:   the same stages, with weights and mask as data, because NumPy does not draw PyTorch's numbers.
// latex:   a document for pdflatex with the formula of each stage and its matrices where they fit on a page.
//
// `result` is an evaluation of the document, for latex; null where there is none, then latex evaluates. Throws Error
// when the code would carry more than max_code_numbers, or the document is not valid.
std::string code_of(const Document& document, CodeLanguage language, const Result* result = nullptr);

// Returns whether the code needs an evaluation, which code_of() makes if it is given none.
bool code_needs_result(const Document& document, CodeLanguage language);

constexpr Index max_code_numbers = 100'000;  // inputs, weights and masks written out: about a megabyte
constexpr Index max_mask_numbers = 10'000;   // factors of dropout written out in PyTorch code

}  // namespace attnscope
