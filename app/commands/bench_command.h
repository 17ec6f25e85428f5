#pragma once

#include <string>

namespace attnscope {

// The arguments of `attnscope bench`, as they were typed; empty where they were left out.
struct BenchArguments {
  std::string document;  // empty: GPT-2's attention, two entries of 1024 tokens
  std::string threads;
  std::string repeat;
  bool json = false;
};

// Times evaluations between two probes of the processor's peak, and prints what came of it. Throws Error.
void run_bench(const BenchArguments& arguments);

}  // namespace attnscope
