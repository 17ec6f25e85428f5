#include "commands/command_line.h"
#include "platform/system/process.h"

int main(int argc, char** argv) {
  attnscope::guard_standard_streams();
  return attnscope::run_command_line(argc, argv);
}
