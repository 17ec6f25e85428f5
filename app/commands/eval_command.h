#pragma once

#include <string>

namespace attnscope {

// The arguments of `attnscope eval`, as they were typed; empty where they were left out.
struct EvalArguments {
  std::string document;
  std::string out;
  std::string stages;
  std::string head;
  std::string batch;
  std::string backend;
  std::string threads;
};

// Evaluates a document and writes its stages to a file or to standard output. Throws Error.
void run_eval(const EvalArguments& arguments);

}  // namespace attnscope
