#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// The names of a document's tokens, UTF-8, shared by all documents that have the same ones: a copy costs a pointer, and
// a comparison starts with it. To change them is to make new ones.
class TokenNames {
public:
  TokenNames() : TokenNames(std::vector<std::string>()) {}
  TokenNames(std::vector<std::string> names);                                // NOLINT(google-explicit-constructor)
  TokenNames(std::initializer_list<std::string> names);                      // NOLINT(google-explicit-constructor)
  operator const std::vector<std::string>&() const { return names().list; }  // NOLINT(google-explicit-constructor)

  auto begin() const { return names().list.begin(); }
  auto end() const { return names().list.end(); }
  std::size_t size() const { return names().list.size(); }
  const std::string& operator[](std::size_t index) const { return names().list[index]; }

  // The first name that check_token() refuses. Found once, when the names are made.
  std::optional<std::size_t> first_refused() const { return names().first_refused; }
  // Bytes that these names hold and the others do not share.
  std::size_t bytes_beyond(const TokenNames& others) const;

  friend bool operator==(const TokenNames& left, const TokenNames& right);

private:
  struct Names {
    std::vector<std::string> list;
    std::optional<std::size_t> first_refused;
  };
  const Names& names() const { return *names_; }

  std::shared_ptr<const Names> names_;
};

// Throws Error when a name is too long or no UTF-8 text; `index` is for the message.
void check_token(std::string_view token, std::size_t index);

}  // namespace attnscope
