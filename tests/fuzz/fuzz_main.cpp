// libFuzzer's entry; ATTNSCOPE_FUZZ_TARGET names the reader that this program is for.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnscope::fuzz;
  static const Target& target = *std::ranges::find(targets(), ATTNSCOPE_FUZZ_TARGET, &Target::name);
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
