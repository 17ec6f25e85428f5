#include "document/document.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "core/error.h"

namespace attnscope {
Document default_document() {
  Document document;
  document.tokens = {"Your", "journey", "starts", "with", "one", "step"};
  document.config.inputs = Tensor({6, 3}, {0.43F, 0.15F, 0.89F,    // Your
                                           0.55F, 0.87F, 0.66F,    // journey
                                           0.57F, 0.85F, 0.64F,    // starts
                                           0.22F, 0.58F, 0.33F,    // with
                                           0.77F, 0.25F, 0.10F,    // one
                                           0.05F, 0.80F, 0.55F});  // step
  return document;
}

std::vector<std::string> numbered_tokens(Index count) {
  std::vector<std::string> tokens;
  tokens.reserve(static_cast<std::size_t>(count));
  for (Index number = 1; number <= count; ++number) tokens.push_back(fmt::format("x{}", number));
  return tokens;
}

std::vector<std::string> token_labels(const std::vector<std::string>& tokens) {
  std::map<std::string_view, int> uses;
  for (const std::string& token : tokens) ++uses[token];
  std::vector<std::string> labels;
  labels.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].empty()) {
      labels.push_back(fmt::format("({})", i + 1));
    } else {
      labels.push_back(uses[tokens[i]] == 1 ? tokens[i] : fmt::format("{} ({})", tokens[i], i + 1));
    }
  }
  return labels;
}

void check(const Document& document) {
  check(document.config);
  const auto names = static_cast<Index>(document.tokens.size());
  const Index rows = token_count(document.config);
  if (names != rows) {
    throw Error("tokens",
                fmt::format("tokens has {} names, but inputs has {} rows: each row must have one name.", names, rows));
  }
  const std::optional<std::size_t> refused = document.tokens.first_refused();
  if (refused) check_token(document.tokens[*refused], *refused);
}

}  // namespace attnscope
