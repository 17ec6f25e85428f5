#include "platform/system/video.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "platform/system/child_program.h"
#include "platform/system/descriptor.h"

namespace attnscope {
namespace {

constexpr const char* encoder_name = "ffmpeg";
constexpr std::chrono::milliseconds between_polls{5};
constexpr int video_number = 3;  // of the file that ffmpeg writes
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

std::string video_problem() { return is_program_installed(encoder_name) ? "" : "ffmpeg is missing: install it."; }

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
      (void)work_->ffmpeg->wait(stop);  // and then its words are whole
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

}  // namespace attnscope
