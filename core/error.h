#pragma once

#include <stdexcept>
#include <string>

namespace attnscope {

// The one exception type for failures that a user can cause: a value out of range, a broken file, too little memory.
// what() is a whole sentence: what failed, which value, what is allowed. `field` names the document's field where
// there is one ("inputs[3][1]"), else it is empty. Caught once per entry point; core itself never prints.
class Error : public std::runtime_error {
public:
  explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}
  Error(std::string field_path, const std::string& sentence)
      : std::runtime_error(sentence), field(std::move(field_path)) {}

  std::string field;
};

// Thrown out of an evaluation whose stop was requested; not an error, nothing is shown for it.
struct Cancelled {};

}  // namespace attnscope
