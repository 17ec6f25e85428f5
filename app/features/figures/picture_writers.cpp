#include "features/figures/picture_writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "compute/computation.h"
#include "core/error.h"
#include "document/json.h"
#include "interchange/apng.h"
#include "interchange/gif.h"
#include "interchange/picture_document.h"
#include "platform/system/process.h"
#include "platform/system/video.h"

namespace attnscope {
namespace {

// Animations that could not be opened again are not made to their end.
void check_size(std::size_t bytes, std::size_t frame, const Animation& animation) {
  if (bytes <= max_document_bytes) return;
  throw Error(
      fmt::format("The animation has more than {} bytes after {} of {} frames, which could not be opened "
                  "again: choose fewer frames, or a smaller width or scale.",
                  max_document_bytes, frame + 1, animation.frame_count()));
}

// Returns the bytes of a PNG of one frame, without its document.
std::string frame_picture(Animation& animation, std::size_t frame, const FrameWatch& watch,
                          const Execution& execution) {
  check_stop(execution);
  watch(frame, FrameStep::drawn);
  std::string png = animation.draw(frame, execution);
  check_stop(execution);  // what was asked for during the drawing
  return png;
}

std::string png_file(Animation& animation, const Playback& playback, const FrameWatch& watch,
                     const Execution& execution) {
  AnimatedPng png(animation.frame_count(), playback);
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    png.add_frame(frame_picture(animation, frame, watch, execution));
    check_size(png.size(), frame, animation);
  }
  return png.finish();
}

// The pixels of a frame, what is transparent on white. Of an odd size, `is_even` adds a row or a column like the last.
Image drawn_image(Animation& animation, std::size_t frame, bool is_even, const FrameWatch& watch,
                  const Execution& execution) {
  check_stop(execution);
  watch(frame, FrameStep::drawn);
  const FigureImage drawn = animation.image(frame, execution);
  Image image{drawn.width + (is_even ? drawn.width % 2 : 0), drawn.height + (is_even ? drawn.height % 2 : 0), {}};
  image.pixels.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  for (int row = 0; row < image.height; ++row) {
    for (int col = 0; col < image.width; ++col) {
      const int at = std::min(row, drawn.height - 1) * drawn.width + std::min(col, drawn.width - 1);
      const std::uint8_t* const rgba = drawn.pixels.data() + static_cast<std::size_t>(at) * 4;
      const int alpha = rgba[3];
      for (int i = 0; i < 3; ++i)
        image.pixels.push_back(static_cast<std::uint8_t>((rgba[i] * alpha + 255 * (255 - alpha) + 127) / 255));
      image.pixels.push_back(255);
    }
  }
  return image;
}

std::string gif_file(Animation& animation, const Playback& playback, const FrameWatch& watch,
                     const Execution& execution) {
  AnimatedGif gif(playback);
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    gif.add_frame(drawn_image(animation, frame, false, watch, execution));
    check_size(gif.size(), frame, animation);
  }
  return gif.finish();
}

std::string video_file(Animation& animation, const Playback& playback, const FrameWatch& watch,
                       const Execution& execution) {
  std::optional<VideoEncoder> video;
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    const Image image = drawn_image(animation, frame, true, watch, execution);
    if (!video) video.emplace(image.width, image.height, playback.frames_per_second);
    video->add_frame(image.pixels, execution.stop);
  }
  return video->finish(execution.stop);
}

// A format has no still or no animated writer if its row in picture_formats() says that it does not serve that use.
struct PictureWriter {
  PictureKind kind;
  std::string (*still)(const Figure&, const std::stop_token&, const DrawWatch&, const EncodeWatch&) = nullptr;
  std::string (*animated)(Animation&, const Playback&, const FrameWatch&, const Execution&) = nullptr;
};

std::string svg_file(const Figure& figure, const std::stop_token& stop, const DrawWatch& watch, const EncodeWatch&) {
  return render_svg(figure, stop, watch);
}

std::string pdf_file(const Figure& figure, const std::stop_token& stop, const DrawWatch& watch, const EncodeWatch&) {
  return render_pdf(figure, stop, watch);
}

constexpr std::array writers = {PictureWriter{PictureKind::png, render_png, png_file},
                                PictureWriter{PictureKind::svg, svg_file}, PictureWriter{PictureKind::pdf, pdf_file},
                                PictureWriter{PictureKind::gif, nullptr, gif_file},
                                PictureWriter{PictureKind::mp4, nullptr, video_file}};

const PictureWriter& writer_of(PictureKind kind) { return *std::ranges::find(writers, kind, &PictureWriter::kind); }

}  // namespace

std::string still_picture(const Figure& figure, PictureKind kind, const std::stop_token& stop, const DrawWatch& watch,
                          const EncodeWatch& encoding) {
  return writer_of(kind).still(figure, stop, watch, encoding);
}

void check_memory(const Animation& animation) {
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    check_free_memory(animation.document(frame).config);
  }
}

void look_at_frames(Animation& animation, const FrameWatch& watch, const Execution& execution) {
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    check_stop(execution);
    watch(frame, FrameStep::evaluated);
    animation.look(frame, execution);
  }
}

std::string animation_file(Animation& animation, PictureKind kind, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution) {
  return with_document(writer_of(kind).animated(animation, playback, watch, execution), kind, animation.document());
}

std::string frame_file(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution) {
  return with_document(frame_picture(animation, frame, watch, execution), PictureKind::png, animation.document(frame));
}

void write_whole_series(Animation& animation, const FileSeries& series, const FrameWatch& watch,
                        const Execution& execution) {
  SeriesWriter writer(series);
  for (std::size_t frame = 0; frame < animation.frame_count(); ++frame) {
    writer.add(frame_file(animation, frame, watch, execution));
  }
  check_stop(execution);
  writer.commit();
}

}  // namespace attnscope
