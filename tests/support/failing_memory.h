#pragma once

#include <cstddef>

namespace attnscope::test {

// While one lives, requests for memory are counted: those of this program, of its C++ library and of the libraries that
// pack and read files. Programs that link failing_memory.cpp have malloc and its relatives replaced. What GLib and
// Pango ask for is left alone: they end the program rather than say that there is none.
class FailingMemory {
public:
  enum class Kind {
    once,         // one request is refused
    from_then_on  // and all that come after it
  };
  explicit FailingMemory(std::size_t request, Kind kind = Kind::once);  // of this number, from 1 on
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  // From then on there is as much as there was.
  static void end();
  static bool has_struck();  // there were so many requests
  static std::size_t requests();
};

}  // namespace attnscope::test
