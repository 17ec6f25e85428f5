#pragma once

#include <filesystem>

namespace attnscope {

// XDG base directories with /attnscope appended, created when missing. Throw Error when they cannot be.
std::filesystem::path config_folder();  // $XDG_CONFIG_HOME, else ~/.config
std::filesystem::path state_folder();   // $XDG_STATE_HOME, else ~/.local/state

std::filesystem::path working_folder();  // the home folder where the current one was removed
std::filesystem::path home_folder();     // $HOME, else the current folder
std::filesystem::path absolute_path(const std::filesystem::path& path);  // without . and ..; as it is where that fails

}  // namespace attnscope
