#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attnscope {

// What the command line takes, as its parser has it: manual and completions are made from this, and cannot differ.
struct OptionShape {
  std::string long_name;   // "--backend"; empty for a positional
  std::string short_name;  // "-o", or empty
  std::string value;       // "FILE" of a positional, "VALUE" of an option that takes one; empty for a flag
  std::vector<std::string> choices;
  std::string initial;  // the value without the option, where there is one to tell
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

}  // namespace attnscope
