#pragma once

#include <string>
#include <vector>

#include "commands/command_shape.h"

namespace attnscope {

// A script that completes attnscope's command line in a shell: commands, options, the values of those that have a
// choice, and files.
std::string bash_completion(const std::vector<CommandShape>& commands);
std::string zsh_completion(const std::vector<CommandShape>& commands);
std::string fish_completion(const std::vector<CommandShape>& commands);

}  // namespace attnscope
