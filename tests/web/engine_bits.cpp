#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

#include "core/evaluate.h"
#include "document/builtin.h"
#include "document/json.h"

// Prints for each example how many numbers its stages have, and a hash of their bits: those of a page and of the native
// program are compared.
int main() {
  using namespace attnscope;
  Execution serial;
  serial.backend = Backend::serial;
  for (const BuiltinDocument& example : builtin_documents()) {
    const Result result = evaluate(parse_document(example.json).config, serial);
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
    std::uint64_t count = 0;
    for (const StageInfo& stage : stages()) {
      const Tensor* const tensor = result.find(stage.stage);
      if (!tensor) continue;
      for (const float number : tensor->values) hash = (hash ^ std::bit_cast<std::uint32_t>(number)) * 1099511628211ULL;
      count += tensor->values.size();
    }
    std::printf("%s: %llu numbers, %016llx\n", std::string(example.id).c_str(), static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(hash));
  }
}
