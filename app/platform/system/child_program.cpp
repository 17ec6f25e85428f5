#include "platform/system/child_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "core/error.h"
#include "platform/system/descriptor.h"

extern char** environ;

namespace attnscope {
namespace {

// The child's files and signals, freed whatever happens.
struct Preparation {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};

  Preparation() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~Preparation() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  // This program ignores readers that have gone; others should end then.
  void end_by_broken_pipes() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  }

  void pass(std::span<const PassedFile> passed) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
      if (std::ranges::find(passed, stream, &PassedFile::theirs) == passed.end())
        posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
    }
    for (const PassedFile& file : passed) posix_spawn_file_actions_adddup2(&files, file.ours, file.theirs);
  }
};

}  // namespace

FilePtr nameless_file() { return FilePtr(std::tmpfile()); }

std::string contents(std::FILE* file) {
  std::string bytes;
  std::array<char, 65536> buffer{};
  std::rewind(file);
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file))
    bytes.append(buffer.data(), count);
  return bytes;
}

std::optional<ChildProgram> ChildProgram::start(const std::vector<std::string>& arguments,
                                                std::span<const PassedFile> files) {
  Preparation preparation;
  preparation.end_by_broken_pipes();
  preparation.pass(files);
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t process = -1;
  const int failure =
      posix_spawnp(&process, words.front(), &preparation.files, &preparation.attributes, words.data(), environ);
  if (failure == ENOENT) return {};
  if (failure != 0) throw Error("cannot be started: " + reason_text(failure));
  return ChildProgram(process);
}

ChildProgram::ChildProgram(ChildProgram&& other) noexcept : process_(std::exchange(other.process_, -1)) {}

ChildProgram& ChildProgram::operator=(ChildProgram&& other) noexcept {
  std::swap(process_, other.process_);
  return *this;
}

ChildProgram::~ChildProgram() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

std::optional<bool> ChildProgram::wait(const std::stop_token& stop, std::optional<std::chrono::seconds> patience) {
  assert(process_ >= 0);
  constexpr std::chrono::milliseconds between_looks{5};
  const auto begin = std::chrono::steady_clock::now();
  int status = 0;
  while (::waitpid(process_, &status, WNOHANG) == 0) {
    if (patience && std::chrono::steady_clock::now() - begin > *patience) return {};
    if (stop.stop_requested()) throw Cancelled{};
    std::this_thread::sleep_for(between_looks);
  }
  process_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_program_installed(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::filesystem::path program = std::filesystem::path(rest.substr(0, end)) / name;
    if (::access(program.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(program)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace attnscope
