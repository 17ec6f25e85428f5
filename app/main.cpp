#include <fcntl.h>

#include <csignal>

#include "commands/command_line.h"

namespace {

// A standard stream that the caller closed would lend its number to the next file that is opened. Each is filled with
// one that cannot be used the wrong way round, so that reading and writing fail as they should.
void occupy_closed_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) == -1) (void)::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  // A reader that has gone and a file at its size limit are errors with a sentence, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return attnscope::run_command_line(argc, argv);
}
