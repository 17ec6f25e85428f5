#include "commands/drive_command.h"

#include "commands/usage.h"
#include "drive/drive.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

constexpr std::size_t most_script_bytes = 4'000'000;

}  // namespace

void run_drive(const DriveArguments& arguments) {
  const std::filesystem::path file = arguments.script;
  const Script script = or_refuse(arguments.script, [&] {
    return parse_script(read_file(file, most_script_bytes), file == "-" ? "" : file.parent_path());
  });
  try {
    run_script(script, arguments.folder);
  } catch (const ScriptError&) {
    or_refuse(arguments.script, [] { throw; });
  }
}

}  // namespace attnscope
