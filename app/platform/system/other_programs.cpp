#include "platform/system/other_programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "platform/system/file.h"
#include "platform/system/process.h"

extern char** environ;

namespace attnscope {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

FilePtr nameless_file();                // gone once no program has it open; null if it cannot be made
std::string contents(std::FILE* file);  // empty if it cannot be read

// One of this program's open files, by the number that the child knows it by.
struct PassedFile {
  int ours = -1;
  int theirs = 0;
};

// A program started without a shell, and ended with this object. It gets the passed files of this program, in ascending
// order of its numbers; standard streams that are not passed lead nowhere.
class ChildProgram {
public:
  // Returns nothing where no such program is installed. Throws Error, a part of a sentence: "cannot be started: ...".
  static std::optional<ChildProgram> start(const std::vector<std::string>& arguments,
                                           std::span<const PassedFile> files);
  ChildProgram(ChildProgram&& other) noexcept;
  ChildProgram& operator=(ChildProgram&& other) noexcept;
  ~ChildProgram();

  // Waits until it ends and returns whether it succeeded; nothing where its time is over. Throws Cancelled.
  std::optional<bool> wait(const std::stop_token& stop, std::optional<std::chrono::seconds> patience = {});

private:
  explicit ChildProgram(pid_t process) : process_(process) {}
  pid_t process_ = -1;
};

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

namespace {

constexpr const char* encoder_name = "ffmpeg";
constexpr std::chrono::milliseconds between_polls{5};
constexpr int video_number = 3;  // ffmpeg knows the file that it writes by this number
constexpr int crispness = 14;    // constant rate factor: thin letters on a plain page stay sharp

[[noreturn]] void refuse_video(const std::string& reason) {
  throw Error(fmt::format("The video cannot be made: {}.", reason));
}

// The first line of what it said, without what a sentence ends with.
std::string words_of(std::FILE* file) {
  std::string words = contents(file);
  words.resize(std::min({words.find('\n'), words.size(), std::size_t{300}}));
  while (!words.empty() && (words.back() == '.' || words.back() == ' ')) words.pop_back();
  return words.empty() ? "ffmpeg failed without saying why" : "ffmpeg says: " + words;
}

// One thread: with more, the bytes would depend on how many there are.
std::vector<std::string> arguments_for(int width, int height, double rate) {
  std::istringstream words(fmt::format(
      "{} -nostdin -hide_banner -loglevel error -y "
      "-f rawvideo -pixel_format rgba -video_size {}x{} -framerate {:.6g} -i pipe:0 "
      "-vf scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int,format=yuv420p "
      "-colorspace bt709 -color_primaries bt709 -color_trc bt709 -crf {} "
      "-threads 1 -fflags +bitexact -flags:v +bitexact -map_metadata -1 -movflags +faststart -f mp4 /dev/fd/{}",
      encoder_name, width, height, rate, crispness, video_number));
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace

void add_platform(Desktop& desktop) {
  desktop.copy_picture = copy_picture;
  desktop.page = empty_page();
}

std::string video_problem() {
  const std::unique_ptr<char, decltype(&g_free)> path(g_find_program_in_path(encoder_name), g_free);
  return path ? "" : "ffmpeg is missing: install it.";
}

struct VideoEncoder::Work {
  std::size_t frame_bytes = 0;
  FilePtr video = nameless_file();
  FilePtr words = nameless_file();
  Descriptor pipe;
  std::optional<ChildProgram> ffmpeg;

  void start(const std::vector<std::string>& arguments) {
    if (!video || !words) refuse_video("a temporary file cannot be written: " + reason_text(errno));
    int ends[2] = {};
    if (::pipe2(ends, O_CLOEXEC) != 0) refuse_video(reason_text(errno));
    const Descriptor read_end(ends[0]);
    pipe = Descriptor(ends[1]);
    ::fcntl(pipe.number(), F_SETFL, O_NONBLOCK);
    // Numbers above those that the child knows, so that none is taken before it is passed on.
    const auto high = [](int number) { return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, video_number + 1)); };
    const Descriptor input = high(read_end.number());
    const Descriptor said = high(::fileno(words.get()));
    const Descriptor made = high(::fileno(video.get()));
    const PassedFile files[] = {
        {input.number(), STDIN_FILENO}, {said.number(), STDERR_FILENO}, {made.number(), video_number}};
    try {
      ffmpeg = ChildProgram::start(arguments, files);
    } catch (const Error& error) {
      refuse_video(std::string("ffmpeg ") + error.what());
    }
    if (!ffmpeg) refuse_video("ffmpeg is missing");
  }

  // Waits until ffmpeg takes more, but looks for a stop.
  void wait_for_room(const std::stop_token& stop) const {
    pollfd room{pipe.number(), POLLOUT, 0};
    do {
      if (stop.stop_requested()) throw Cancelled{};
    } while (::poll(&room, 1, static_cast<int>(between_polls.count())) <= 0);
  }
};

VideoEncoder::VideoEncoder(int width, int height, double frames_per_second) : work_(std::make_unique<Work>()) {
  assert(width % 2 == 0 && height % 2 == 0);
  work_->frame_bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4;
  work_->start(arguments_for(width, height, frames_per_second));
}

VideoEncoder::~VideoEncoder() = default;

void VideoEncoder::add_frame(std::span<const std::uint8_t> rgba, const std::stop_token& stop) {
  assert(rgba.size() == work_->frame_bytes);
  while (!rgba.empty()) {
    work_->wait_for_room(stop);
    const ssize_t count = ::write(work_->pipe.number(), rgba.data(), rgba.size());
    if (count > 0) {
      rgba = rgba.subspan(static_cast<std::size_t>(count));
    } else if (errno != EAGAIN && errno != EINTR) {
      (void)work_->ffmpeg->wait(stop);  // its words are whole only after its end
      refuse_video(words_of(work_->words.get()));
    }
  }
}

std::string VideoEncoder::finish(const std::stop_token& stop) {
  work_->pipe.close();
  if (!*work_->ffmpeg->wait(stop)) refuse_video(words_of(work_->words.get()));
  std::string bytes = contents(work_->video.get());
  if (bytes.empty()) refuse_video("ffmpeg wrote nothing");
  return bytes;
}

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

namespace {

std::filesystem::path folder_of_desktop(GUserDirectory which) {
  const char* const named = g_get_user_special_dir(which);
  std::error_code none;
  const bool is_there = named != nullptr && std::filesystem::is_directory(named, none);
  return is_there ? std::filesystem::path(named) : home_folder();
}

}  // namespace

std::filesystem::path documents_folder() { return folder_of_desktop(G_USER_DIRECTORY_DOCUMENTS); }
std::filesystem::path pictures_folder() { return folder_of_desktop(G_USER_DIRECTORY_PICTURES); }

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
