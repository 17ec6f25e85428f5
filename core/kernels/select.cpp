#include "core/kernels/select.h"

#include "core/error.h"

#include <cstdlib>
#include <string>

namespace attnscope {

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> sets;
#ifdef ATTNSCOPE_X86_KERNELS
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (has_avx512) sets.push_back(&avx512_kernels);
  if (has_avx2) sets.push_back(&avx2_kernels);
  if (__builtin_cpu_supports("sse4.2")) sets.push_back(&sse2_kernels);
#endif
  sets.push_back(&portable_kernels);
  return sets;
}

const Kernels& kernels_named(std::string_view name) {
  const std::vector<const Kernels*> sets = available_kernels();
  if (name.empty()) return *sets.front();
  std::string names;
  for (const Kernels* set : sets) {
    if (name == set->name) return *set;
    names += (names.empty() ? "" : ", ") + std::string(set->name);
  }
  throw Error("ATTNSCOPE_ISA is \"" + std::string(name) + "\", but this processor runs " + names +
              ": name one of them, or leave it unset.");
}

const Kernels& kernels() {
  const auto from_environment = []() -> const Kernels& {
    const char* const wanted = std::getenv("ATTNSCOPE_ISA");
    return kernels_named(wanted ? wanted : "");
  };
  static const Kernels& chosen = from_environment();
  return chosen;
}

}  // namespace attnscope
