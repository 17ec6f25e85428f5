#include "cli/command_line.h"
#include "platform/system/process.h"

int main(int argc, char** argv) {
  attnscope::guard_standard_streams();
  attnscope::find_fonts_beside_program();
  attnscope::end_cleanly_on_signals();
  return attnscope::run_command_line(argc, argv);
}
