#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"
#include "document/document.h"
#include "teach/questions.h"

namespace attnscope::test {

// What a question answers of a document, or of an example where the document has nothing of what is asked about.
inline std::string answer(const ReaderQuestion& question, const Document& document, Index query = 1) {
  const Result own = evaluate(document.config);
  const std::optional<AttentionConfig> example = example_for(question, own);
  const Result result = example ? evaluate(*example) : own;
  const std::vector<std::string> labels = token_labels(document.tokens);
  return answer_of(question, {result, labels, 0, 0, query, {}});
}

// Whether a text has these words in it; both outcomes show the text.
inline testing::AssertionResult tells(const std::string& text, std::string_view words) {
  const bool is_told = text.find(words) != std::string::npos;
  return (is_told ? testing::AssertionSuccess() : testing::AssertionFailure()) << '"' << words << "\" in: " << text;
}

}  // namespace attnscope::test
