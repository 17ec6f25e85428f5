#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace attnscope {

// XDG base directories with /attnscope appended, created when missing. Throw Error when they cannot be.
std::filesystem::path config_folder();  // $XDG_CONFIG_HOME, else ~/.config
std::filesystem::path state_folder();   // $XDG_STATE_HOME, else ~/.local/state

std::filesystem::path working_folder();  // the home folder if the current one was removed
std::filesystem::path home_folder();     // $HOME, else the current folder
std::filesystem::path absolute_path(const std::filesystem::path& path);  // without . and ..; unchanged if that fails

// Returns the sorted paths of a folder's entries; if reading fails, those read so far, and `problem` says why. The
// standard library's own iterator ends the program if there is no memory for a name.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& problem);

}  // namespace attnscope
