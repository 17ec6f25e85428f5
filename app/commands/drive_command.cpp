#include <CLI/CLI.hpp>
#include <memory>

#include "commands/subcommands.h"
#include "drive/script.h"
#include "platform/system/file.h"
#include "platform/system/files_in_use.h"

namespace attnscope {
namespace {

struct DriveArguments {
  std::string script;
  std::string folder;
};

constexpr std::size_t most_script_bytes = 4'000'000;

void run_drive(const DriveArguments& arguments) {
  const std::filesystem::path file = arguments.script;
  InputRecord record;
  const Script script = or_refuse(arguments.script, [&] {
    return parse_script(read_file(file, most_script_bytes), file == "-" ? "" : file.parent_path());
  });
  record.end();
  try {
    run_script(script, arguments.folder);
  } catch (const ScriptError&) {
    or_refuse(arguments.script, [] { throw; });
  }
}

}  // namespace

Subcommand add_drive(CLI::App& app) {
  const auto arguments = std::make_shared<DriveArguments>();
  CLI::App* drive = app.add_subcommand("drive", "Carry out a script in the window, step by step; needs no display");
  drive->add_option("SCRIPT", arguments->script, "Steps as JSON; - for standard input")->required();
  add_out(*drive, arguments->folder, "Folder for the files that the script writes (default: the current one)");
  return {drive, [arguments] { run_drive(*arguments); }, true};
}

}  // namespace attnscope
