#include "platform/system/desktop.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "platform/system/child_program.h"

namespace attnscope {
namespace {

constexpr std::chrono::seconds longest_wait{10};

// A program that keeps a picture in the clipboard for others to take.
struct Keeper {
  std::vector<std::string> arguments;
  const char* package;
};

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value && *value;
}

// The first of them that is installed. A Wayland desktop mostly has an X11 server beside it, and passes pictures on.
std::vector<Keeper> keepers_of_desktop() {
  std::vector<Keeper> keepers;
  if (is_set("WAYLAND_DISPLAY")) keepers.push_back({{"wl-copy", "--type", "image/png"}, "wl-clipboard"});
  if (is_set("DISPLAY") || keepers.empty())
    keepers.push_back({{"xclip", "-selection", "clipboard", "-t", "image/png"}, "xclip"});
  return keepers;
}

[[noreturn]] void fail(const Keeper& keeper, std::string_view reason) {
  throw Error(fmt::format("The picture cannot be copied: {} {}.", keeper.arguments.front(), reason));
}

// A file without a name rather than a pipe: nobody has to wait until it is read.
FilePtr file_with(const std::string& bytes) {
  FilePtr file = nameless_file();
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() || std::fflush(file.get()) != 0) {
    throw Error(fmt::format("The picture cannot be copied: a temporary file cannot be written: {}.",
                            std::generic_category().message(errno)));
  }
  std::rewind(file.get());
  return file;
}

// Starts the keeper; returns nothing when it is not installed.
std::optional<ChildProgram> started(const Keeper& keeper, int input) {
  const PassedFile files[] = {{input, STDIN_FILENO}};
  try {
    return ChildProgram::start(keeper.arguments, files);
  } catch (const Error& error) {
    fail(keeper, error.what());
  }
}

}  // namespace

void copy_picture(const std::string& png, const std::stop_token& stop) {
  const FilePtr file = file_with(png);
  const std::vector<Keeper> keepers = keepers_of_desktop();
  for (const Keeper& keeper : keepers) {
    std::optional<ChildProgram> program = started(keeper, ::fileno(file.get()));
    if (!program) continue;
    // Both programs end at once and leave a child behind that keeps the picture, so none of our output is theirs.
    const std::optional<bool> outcome = program->wait(stop, longest_wait);
    if (!outcome) fail(keeper, "does not answer; try again");
    if (!*outcome) fail(keeper, "found no clipboard to put it into");
    return;
  }
  fail(keepers.front(), fmt::format("is missing, so install the package {}", keepers.front().package));
}

}  // namespace attnscope
