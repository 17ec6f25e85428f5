#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"

namespace attnscope {

// Everything that a user sets: what is saved, undone, and put into exported pictures.
struct Document {
  std::vector<std::string> tokens;  // UTF-8 names, one per row of the inputs
  AttentionConfig config;
  bool operator==(const Document&) const = default;
};

// The notebook's six tokens in multi-head attention with two heads: what the program opens with.
Document default_document();

// "x1" to "xT": names for inputs that came without any.
std::vector<std::string> numbered_tokens(Index count);

// Names as shown: a token that occurs more than once carries its position, "the (3)". An empty one shows as "(1)".
std::vector<std::string> token_labels(const std::vector<std::string>& tokens);

// Throws Error when a name is too long or no UTF-8 text; `index` is for the message.
void check_token(std::string_view token, std::size_t index);

// Throws Error like check(AttentionConfig), and when tokens and inputs disagree in number.
void check(const Document& document);

}  // namespace attnscope
