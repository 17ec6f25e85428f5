#include "commands/shared_options.h"

namespace attnscope {

CLI::Option* add_out(CLI::App& command, std::string& out, const std::string& words) {
  const auto check = [](const std::string& path) { return path.empty() ? "the name of the file is empty" : ""; };
  return command.add_option("-o,--out", out, words)->check(CLI::Validator(check, ""));
}

void add_view_options(CLI::App& command, ViewArguments& arguments) {
  command.add_option("--tensor", arguments.tensor,
                     "Tensor of attention in a file, by its name (default: the likeliest)");
  command.add_option("--layer", arguments.layer, "Layer of attention from a file, from 1 (default: 1)");
  command.add_option(
      "--tokens", arguments.tokens,
      "Text file with the names of the tokens of attention from a file: one per line, or separated by blanks");
}

}  // namespace attnscope
