#pragma once

#include <cstddef>

namespace attnscope::test {

// While one lives, this process's calls that open files to write, write, sync, name and close them are counted, and one
// of them goes wrong. Programs that link failing_disk.cpp have these calls of the C library replaced.
class FailingDisk {
public:
  // The call of this number, from 1 on, fails for this reason (errno).
  FailingDisk(int call, int reason);
  ~FailingDisk();
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;

  bool has_struck() const;  // there were so many calls
};

// Ends this process at its call of this number, as the power or SIGKILL does: nothing of its own runs any more.
void die_at_call(int call);

}  // namespace attnscope::test
