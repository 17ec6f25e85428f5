#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

namespace attnscope {

// Returns why no video can be made: ffmpeg is not installed; empty if it is.
std::string video_problem();

// An MP4 that ffmpeg makes of pictures, as every player and slide program takes it: H.264 with 4:2:0 colours where
// ffmpeg has it. Nothing of it has a name on the disk. The same pictures give the same bytes with the same ffmpeg.
// Errors: Error, where ffmpeg is missing or fails, with its words; Cancelled when a stop was requested.
class VideoEncoder {
public:
  // Width and height must be even, for 4:2:0.
  VideoEncoder(int width, int height, double frames_per_second);
  ~VideoEncoder();
  VideoEncoder(const VideoEncoder&) = delete;
  VideoEncoder& operator=(const VideoEncoder&) = delete;

  void add_frame(std::span<const std::uint8_t> rgba, const std::stop_token& stop = {});  // width * height * 4, opaque
  std::string finish(const std::stop_token& stop = {});                                  // returns the file

private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace attnscope
