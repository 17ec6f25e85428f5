#include "platform/system/clipboard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "core/error.h"

extern char** environ;

namespace attnscope {
namespace {

constexpr std::chrono::seconds patience{10};
constexpr std::chrono::milliseconds between_looks{5};

// A program that keeps a picture in the clipboard for others to take.
struct Keeper {
  std::vector<const char*> arguments;
  const char* package;
};

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value && *value;
}

// The first of them that is installed. A Wayland desktop mostly has an X11 server beside it, and passes pictures on.
std::vector<Keeper> keepers_of_desktop() {
  std::vector<Keeper> keepers;
  if (is_set("WAYLAND_DISPLAY")) keepers.push_back({{"wl-copy", "--type", "image/png", nullptr}, "wl-clipboard"});
  if (is_set("DISPLAY") || keepers.empty())
    keepers.push_back({{"xclip", "-selection", "clipboard", "-t", "image/png", nullptr}, "xclip"});
  return keepers;
}

[[noreturn]] void fail(const Keeper& keeper, std::string_view reason) {
  throw Error(fmt::format("The picture cannot be copied: {} {}.", keeper.arguments.front(), reason));
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

// A file without a name rather than a pipe: nobody has to wait until it is read.
FilePtr file_with(const std::string& bytes) {
  FilePtr file(std::tmpfile());
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() || std::fflush(file.get()) != 0) {
    throw Error(fmt::format("The picture cannot be copied: a temporary file cannot be written: {}.",
                            std::generic_category().message(errno)));
  }
  std::rewind(file.get());
  return file;
}

// No shell, and no output: what goes on in the background must not hold this program's. None when it is not installed.
std::optional<pid_t> start(const Keeper& keeper, int input) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int failure = posix_spawnp(&process, keeper.arguments.front(), &actions, nullptr,
                                   const_cast<char* const*>(keeper.arguments.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure == ENOENT) return {};
  if (failure != 0) fail(keeper, "cannot be started: " + std::generic_category().message(failure));
  return process;
}

// Both programs end at once and leave a child behind that keeps the picture.
int status_of(const Keeper& keeper, pid_t process, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + patience;
  int status = 0;
  while (::waitpid(process, &status, WNOHANG) == 0) {
    const bool is_late = std::chrono::steady_clock::now() > end;
    if (is_late || stop.stop_requested()) {
      ::kill(process, SIGKILL);
      ::waitpid(process, &status, 0);
      if (is_late) fail(keeper, "does not answer; try again");
      throw Cancelled{};
    }
    std::this_thread::sleep_for(between_looks);
  }
  return status;
}

}  // namespace

void copy_picture(const std::string& png, const std::stop_token& stop) {
  const FilePtr file = file_with(png);
  const std::vector<Keeper> keepers = keepers_of_desktop();
  for (const Keeper& keeper : keepers) {
    const std::optional<pid_t> process = start(keeper, ::fileno(file.get()));
    if (!process) continue;
    const int status = status_of(keeper, *process, stop);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(keeper, "found no clipboard to put it into");
    return;
  }
  fail(keepers.front(), fmt::format("is missing, so install the package {}", keepers.front().package));
}

}  // namespace attnscope
