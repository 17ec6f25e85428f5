#include "interchange/code.h"

#include "interchange/code_text.h"

namespace attnscope {

std::string_view name_of(CodeLanguage language) {
  switch (language) {
    case CodeLanguage::pytorch:
      return "PyTorch code";
    case CodeLanguage::numpy:
      return "NumPy code";
    case CodeLanguage::latex:
      break;
  }
  return "LaTeX";
}

std::string code_of(const Document& document, CodeLanguage language, const Result* result) {
  check(document);
  switch (language) {
    case CodeLanguage::pytorch:
      return pytorch_code(document);
    case CodeLanguage::numpy:
      return numpy_code(document);
    case CodeLanguage::latex:
      break;
  }
  return latex_code(document, result);
}

bool code_needs_result(const Document& document, CodeLanguage language) {
  return language == CodeLanguage::latex && latex_prints_numbers(document.config);
}

}  // namespace attnscope
