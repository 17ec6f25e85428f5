#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/file_formats.h"
#include "platform/system/file.h"

namespace attnscope {

// 8-bit RGBA, rows from top to bottom.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  // width * height * 4
};

std::string encode_png(const Image& image);
// Encodes a picture whose rows of RGBA `row_of` returns from the top; what `row_of` throws ends the work.
std::string encode_png(int width, int height, const std::function<const std::uint8_t*(int row)>& row_of);
Image decode_png(std::string_view bytes);  // only for the program's own pictures; throws Error for other bytes

// Packs a text in zlib's format, which PNG and PDF share.
std::string deflate_text(std::string_view text);

// Unpacks the zlib stream at the beginning of `bytes` and ignores what follows it. Throws Error, whose sentence begins
// with `name`, if it is broken, cut off, or holds more than `max_bytes`: never takes more memory than that.
std::string inflate_text(std::string_view bytes, std::size_t max_bytes, std::string_view name,
                         const PartWatch& watch = {});

// Chunks are read without libpng, which unpacks even chunks that it skips, and tolerates damage.

constexpr std::size_t png_signature_bytes = 8;

void append_png_chunk(std::string& png, std::string_view type, std::string_view data);

// Puts an animated PNG together (PNG Third Edition, 2025: acTL, fcTL, fdAT) of pictures that are PNG files already.
// Viewers that know no animations show the first frame. Libpng can do this in some distributions only.
class AnimatedPng {
public:
  // Counts the frames that are added, whatever their times.
  AnimatedPng(std::size_t frame_count, const Playback& playback);

  // Adds a whole picture as the next frame, which is shown for so many frames' time. Each must be as large as the first
  // and have pixels of the same kind. Throws Error if the bytes are no sound PNG.
  void add_frame(std::string_view png, std::size_t times = 1);
  std::size_t size() const { return bytes_.size(); }
  std::string finish();  // returns the file; call it once, after all frames

private:
  std::string frame_control(std::size_t times);

  std::size_t frame_count_;
  Playback playback_;
  std::size_t added_ = 0;
  std::uint32_t sequence_ = 0;  // numbers fcTL and fdAT chunks
  std::string header_;          // the header of the first frame
  std::string bytes_;
};

// Puts an animated GIF together (GIF89a). A frame has 256 colours of its own, and holds no more than what differs from
// the one before it; frames that are the same become one that is shown for longer. Pictures must be opaque: GIF has no
// half-transparent pixels, which letters end in.
class AnimatedGif {
public:
  // `colours` limits those of a frame, 16 to 256: fewer make a smaller file.
  explicit AnimatedGif(const Playback& playback, std::size_t colours = 256);
  ~AnimatedGif();
  AnimatedGif(const AnimatedGif&) = delete;
  AnimatedGif& operator=(const AnimatedGif&) = delete;

  void add_frame(const Image& image);  // throws Error unless it is as large as the first
  std::size_t size() const;            // bytes so far
  std::string finish();                // returns the file; call it once, after all frames

private:
  struct Encoder;
  std::unique_ptr<Encoder> encoder_;
};

// Names of numbered files: "frames/out-%03d.png".
struct FileSeries {
  std::string before;     // stands before the number
  std::size_t width = 0;  // least digits of the number, filled up with zeros
  std::string after;

  std::filesystem::path path(std::size_t number) const;
  bool operator==(const FileSeries&) const = default;
};

// Returns the series that a path stands for: "%d", or "%03d" with any width up to 9, in its last part. None for other
// paths, which may have percent signs. Throws Error if there are two, or one that fills up with blanks.
std::optional<FileSeries> parse_file_series(std::string_view path);

// Writes the files of a series so that all of them are there, or none: each is written beside its target, and only
// commit() puts them in their places. Throws Error as FileWriter does.
class SeriesWriter {
public:
  explicit SeriesWriter(FileSeries series);
  ~SeriesWriter();
  SeriesWriter(const SeriesWriter&) = delete;
  SeriesWriter& operator=(const SeriesWriter&) = delete;

  void add(std::string_view bytes);  // writes the next file as a whole; the first has the number 1
  void commit();

private:
  FileSeries series_;
  std::vector<std::unique_ptr<FileWriter>> files_;
};

}  // namespace attnscope
