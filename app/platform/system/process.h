#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <future>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "core/execution.h"
#include "platform/system/file.h"

namespace attnscope {

// Whether the program is a page in a browser, which has no windows, no threads, no other programs and no Cairo.
#if defined(__EMSCRIPTEN__)
inline constexpr bool in_browser = true;
#else
inline constexpr bool in_browser = false;
#endif

// How std::async does what nobody waits for yet: without threads, when somebody asks for it.
inline constexpr std::launch in_background = in_browser ? std::launch::deferred : std::launch::async;

// To be called first. A standard stream that the caller closed is filled with one that cannot be used, so that no file
// that is opened later gets its number; and a reader that has gone, or a file at its size limit, is an error with a
// sentence, not the end of the process.
void guard_standard_streams();

void write_standard_output(std::string_view bytes);  // throws Error when it is closed or full
void write_standard_error(std::string_view text);    // ignores failures, because nobody is left to tell
bool is_standard_error_a_terminal();

// Call it first, too: the program then uses fonts that lie beside it, as in the portable archive, like those of the
// system.
void find_fonts_beside_program();

// Returns the page that documents are put into, where it is installed with the program or was built beside it; else
// nothing.
std::filesystem::path empty_page();

int process_id();
std::tm local_time(std::time_t seconds);

// Keeps a shared library in memory until the program ends, if there is one of that name: "libGL.so.1".
void keep_loaded(const char* library);

std::uint64_t available_memory();  // bytes that are free to use; UINT64_MAX if unknown
std::uint64_t peak_memory();       // the most bytes that this process held so far

// XDG base directories with /attnscope appended, created when missing. Throw Error when they cannot be.
std::filesystem::path config_folder();  // $XDG_CONFIG_HOME, else ~/.config
std::filesystem::path state_folder();   // $XDG_STATE_HOME, else ~/.local/state

std::filesystem::path working_folder();  // the home folder if the current one was removed
std::filesystem::path home_folder();     // $HOME, else the current folder
std::filesystem::path absolute_path(const std::filesystem::path& path);  // without . and ..; unchanged if that fails

// Returns the sorted paths of a folder's entries; if reading fails, those read so far, and `problem` says why. The
// standard library's own iterator ends the program if there is no memory for a name.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& problem);

// Call it first: signals of the user (Ctrl+C, SIGTERM, a closed terminal) then leave no unfinished file behind.
void end_cleanly_on_signals();

// While it lives, these signals ask for a stop instead of ending the process on the spot; Ctrl+C again ends the
// process. Ignored where they were. One at a time.
class Interrupt {
public:
  // `notice` is called by a thread of its own when a signal came, for a program that sleeps.
  explicit Interrupt(std::function<void()> notice = {});
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int signal() const;     // the signal that came; 0 for none
  Execution execution();  // notices the stop, as long as this object lives

private:
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, signals.size()> before_ = {};
  std::stop_source stop_;
  Progress progress_;
  Descriptor noticed_;  // a pipe: a handler of signals may do little else than write a byte
  Descriptor told_;
  std::jthread watch_;
};

}  // namespace attnscope
