#pragma once

#include <string>

namespace attnscope {

// The arguments of `attnscope import`, as they were typed; empty where they were left out.
struct ImportArguments {
  std::string file;
  std::string out;
  std::string document;
  std::string tensor;
  std::string rows;
  std::string num_heads;
  std::string mechanism;
};

// Writes a document with embeddings or weights of another program to a file or to standard output. Throws Error.
void run_import(const ImportArguments& arguments);

// The arguments of `attnscope weights`.
struct WeightsArguments {
  std::string document;
  std::string out;
};

// Writes the weights of a document. Throws Error.
void run_weights(const WeightsArguments& arguments);

}  // namespace attnscope
