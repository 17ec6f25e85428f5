#include "document/token_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"

namespace attnscope {
namespace {

constexpr std::size_t max_token_bytes = 1000;

bool is_refused(const std::string& name) { return name.size() > max_token_bytes || find_invalid_utf8(name); }

}  // namespace

TokenNames::TokenNames(std::vector<std::string> names) {
  const auto refused = std::ranges::find_if(names, is_refused);
  std::optional<std::size_t> first_refused;
  if (refused != names.end()) first_refused = static_cast<std::size_t>(refused - names.begin());
  names_ = std::make_shared<const Names>(Names{std::move(names), first_refused});
}

TokenNames::TokenNames(std::initializer_list<std::string> names) : TokenNames(std::vector<std::string>(names)) {}

std::size_t TokenNames::bytes_beyond(const TokenNames& others) const {
  if (names_ == others.names_) return 0;
  std::size_t bytes = 0;
  for (const std::string& name : *this) bytes += sizeof(std::string) + name.size();
  return bytes;
}

bool operator==(const TokenNames& left, const TokenNames& right) {
  return left.names_ == right.names_ || left.names().list == right.names().list;
}

void check_token(std::string_view token, std::size_t index) {
  const std::string field = fmt::format("tokens[{}]", index);
  if (token.size() > max_token_bytes) {
    throw Error(field, fmt::format("{} is {} bytes long, but a token may have at most {}.", field, token.size(),
                                   max_token_bytes));
  }
  if (find_invalid_utf8(token)) throw Error(field, field + " is not UTF-8 text: type the name again.");
}

}  // namespace attnscope
