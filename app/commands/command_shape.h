#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace attnscope {

// The command line as its parser has it: manual and completions are made from this, and cannot differ.
struct OptionShape {
  std::string long_name;   // "--backend"; empty for a positional
  std::string short_name;  // "-o", or empty
  std::string value;       // "FILE" of a positional, "VALUE" of an option that takes one; empty for a flag
  std::vector<std::string> choices;
  std::string initial;  // the default value, if there is one to name
  std::string what;
  bool is_required = false;
  bool is_positional() const { return long_name.empty() && short_name.empty(); }
};
struct CommandShape {
  std::string name;  // empty for the program itself
  std::string what;
  std::vector<OptionShape> options;
};

// The program, then its commands.
std::vector<CommandShape> command_shapes(const CLI::App& app);

// The manual page, as man reads it (roff).
std::string manual_page(const std::vector<CommandShape>& commands);

// A script that completes attnscope's command line in a shell: commands, options, the values of those that have a
// choice, and files.
std::string completion(const std::vector<CommandShape>& commands, std::string_view shell);

}  // namespace attnscope
