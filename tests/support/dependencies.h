#pragma once

#include "core/source.h"

namespace attnscope::test {

// The operands of a number, one by one.
inline std::vector<Source> dependencies(const AttentionConfig& config, const Source& source) {
  std::vector<Source> all;
  for (const SourceLine& line : operands(config, source)) {
    for (Index i = 0; i < line.count; ++i) all.push_back(line[i]);
  }
  return all;
}

}  // namespace attnscope::test
