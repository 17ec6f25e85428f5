#pragma once

#include <string>

namespace attnscope {

// The arguments of `attnscope code`, as they were typed; empty where they were left out.
struct CodeArguments {
  std::string document;
  std::string language = "pytorch";
  std::string out;
};

// Writes a document as code to a file or to standard output. Throws Error.
void run_code(const CodeArguments& arguments);

}  // namespace attnscope
