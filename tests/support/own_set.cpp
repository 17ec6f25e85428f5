#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/kernels/select.h"

namespace attnscope {
namespace {

// Ends a test program that is run again with each instruction set, where the set is the one that this processor chooses
// by itself: its tests have run with that.
const bool is_another_set = [] {
  const char* const wanted = std::getenv("ATTNSCOPE_ISA");
  if (!wanted || !std::getenv("ATTNSCOPE_SKIP_OWN_SET")) return true;
  if (wanted != std::string_view(available_kernels().front()->name)) return true;
  std::puts("All tests run with this set: this processor chooses it by itself.");
  std::exit(EXIT_SUCCESS);
}();

}  // namespace
}  // namespace attnscope
