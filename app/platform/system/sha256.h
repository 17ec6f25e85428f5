#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace attnscope {

// The SHA-256 of bytes that come in pieces.
class Sha256 {
public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  std::string text();  // 64 hexadecimal digits; nothing can be added any more

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attnscope
