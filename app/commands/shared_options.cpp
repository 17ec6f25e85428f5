#include "commands/shared_options.h"

namespace attnscope {

CLI::Option* add_out(CLI::App& command, std::string& out, const std::string& words) {
  const auto check = [](const std::string& path) { return path.empty() ? "the name of the file is empty" : ""; };
  return command.add_option("-o,--out", out, words)->check(CLI::Validator(check, ""));
}

void add_view_options(CLI::App& command, ViewArguments& arguments) {
  command.add_option("--tensor", arguments.tensor,
                     "Name of the tensor of attention weights in a file (default: the likeliest)");
  command.add_option("--layer", arguments.layer,
                     "Layer of the attention weights in a file, counted from 1 (default: 1)");
  command.add_option("--tokens", arguments.tokens,
                     "Text file with the names of the tokens: one per line, or separated by blanks");
}

}  // namespace attnscope
