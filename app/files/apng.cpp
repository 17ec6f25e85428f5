#include "files/apng.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "files/png_chunks.h"

namespace attnscope {
namespace {

constexpr std::uint32_t milliseconds = 1000;  // in a second

}  // namespace

AnimatedPng::AnimatedPng(std::size_t frame_count, const Playback& playback)
    : frame_count_(frame_count), playback_(playback) {
  assert(playback.frames_per_second >= slowest_playback && playback.frames_per_second <= fastest_playback);
}

// A frame that covers all of the picture and replaces what was there.
std::string AnimatedPng::frame_control() {
  const auto delay = static_cast<std::uint32_t>(std::lround(milliseconds / playback_.frames_per_second));
  std::string control;
  append_number(control, sequence_++);
  control += header_.substr(0, 8);  // width and height
  append_number(control, 0);        // x and y
  append_number(control, 0);
  append_number(control, delay << 16 | milliseconds);  // numerator and denominator, two bytes each
  control.append(2, '\0');                             // nothing is disposed of, nothing blended
  return control;
}

void AnimatedPng::add_frame(std::string_view png) {
  assert(added_ < frame_count_);
  const bool is_first = added_ == 0;
  bool has_control = false;
  for_each_png_chunk(png, [&](const PngChunk& chunk) {
    if (chunk.type == "IHDR" && is_first) {
      header_ = chunk.data;
      bytes_ = png.substr(0, png_signature_bytes);
    } else if (chunk.type == "IHDR" && chunk.data != header_) {
      throw Error("The frames of an animation must all be of one size, but these are not.");
    }
    if (chunk.type == "IDAT" && !std::exchange(has_control, true)) {
      std::string counts;
      append_number(counts, static_cast<std::uint32_t>(frame_count_));
      append_number(counts, playback_.times);
      if (is_first) append_png_chunk(bytes_, "acTL", counts);
      append_png_chunk(bytes_, "fcTL", frame_control());
    }
    if (is_first && chunk.type != "IEND") {
      bytes_ += png.substr(chunk.begin, chunk.end - chunk.begin);
    } else if (chunk.type == "IDAT") {
      std::string data;
      append_number(data, sequence_++);
      data += chunk.data;
      append_png_chunk(bytes_, "fdAT", data);
    }
  });
  ++added_;
}

std::string AnimatedPng::finish() {
  assert(added_ == frame_count_ && frame_count_ > 0);
  append_png_chunk(bytes_, "IEND", {});
  return std::exchange(bytes_, {});
}

}  // namespace attnscope
