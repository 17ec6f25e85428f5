#include "files/image.h"

#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <csetjmp>
#include <limits>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "document/json.h"
#include "files/picture_document.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

// libpng's description of a picture, freed whatever happens.
struct PngImage : png_image {
  PngImage() : png_image{} { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
};

// Exceptions must not pass through a C library.
void append_rows(png_structp png, png_bytep data, std::size_t size) {
  bool is_appended = false;
  try {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
    is_appended = true;
  } catch (const std::bad_alloc&) {
  }
  if (!is_appended) png_error(png, "memory");
}

class PngWriter {
public:
  explicit PngWriter(std::string& bytes)
      : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, [](png_structp, png_const_charp) {})),
        info_(png_ ? png_create_info_struct(png_) : nullptr) {
    if (!info_) {
      png_destroy_write_struct(&png_, nullptr);
      fail();
    }
    png_set_write_fn(png_, &bytes, append_rows, nullptr);
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  // Libpng jumps back here when something fails; `step` must leave nothing to be destroyed.
  template <typename Step>
  void require(const Step& step) {
    if (setjmp(png_jmpbuf(png_)) != 0) fail();
    step(png_, info_);
  }

private:
  [[noreturn]] static void fail() { throw Error("The picture cannot be encoded as PNG. Make it smaller."); }

  png_structp png_;
  png_infop info_;
};

constexpr std::size_t first_bytes = std::size_t{1} << 16;

// zlib's reading state, freed whatever happens.
struct Inflation : z_stream {
  Inflation() : z_stream{} {
    if (inflateInit(this) != Z_OK) throw std::bad_alloc();
  }
  ~Inflation() { inflateEnd(this); }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
};

constexpr std::size_t frame_bytes = 12;  // of a chunk around its data: length, type, checksum
constexpr std::uint32_t max_chunk_bytes = 0x7FFFFFFF;

std::uint32_t number_at(std::string_view bytes, std::size_t position) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<std::uint8_t>(bytes[position + i]);
  return number;
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

bool is_type(std::string_view type) {
  for (const char c : type) {
    const char lower = static_cast<char>(c | 0x20);
    if (lower < 'a' || lower > 'z') return false;
  }
  return true;
}

struct PngChunk {
  std::string_view type;
  std::string_view data;
  std::size_t begin = 0;  // where the whole chunk begins and ends in the picture
  std::size_t end = 0;
};

PngChunk chunk_at(std::string_view png, std::size_t begin) {
  if (png.size() - begin < frame_bytes) {
    throw Error(fmt::format("The PNG is cut off after {} bytes: export the picture again.", png.size()));
  }
  const std::uint32_t length = number_at(png, begin);
  const std::string_view type = png.substr(begin + 4, 4);
  if (!is_type(type) || length > max_chunk_bytes) {
    throw Error(
        fmt::format("The PNG is damaged at byte {}, where a chunk should begin: export the picture again.", begin));
  }
  if (length > png.size() - begin - frame_bytes) {
    throw Error(fmt::format("The PNG is cut off in its {} chunk, which should have {} bytes: export the picture again.",
                            type, length));
  }
  if (checksum(png.substr(begin + 4, 4 + std::size_t{length})) != number_at(png, begin + 8 + length)) {
    throw Error(
        fmt::format("The PNG is damaged: the checksum of its {} chunk is wrong; export the picture again.", type));
  }
  return {type, png.substr(begin + 8, length), begin, begin + frame_bytes + length};
}

constexpr std::uint32_t milliseconds = 1000;  // in a second
constexpr long longest_apng_delay = 65535;    // milliseconds that two bytes hold

constexpr std::string_view keyword = "attnscope";

// Programs that copy a PNG may write any of the three.
bool is_document(const PngChunk& chunk) {
  const bool is_text = chunk.type == "iTXt" || chunk.type == "zTXt" || chunk.type == "tEXt";
  return is_text && chunk.data.starts_with(keyword) && chunk.data.substr(keyword.size()).starts_with('\0');
}

[[noreturn]] void refuse_text() { throw Error("The document in the PNG is damaged: its text chunk has no text."); }

// Takes what ends with a NUL off the front.
void skip_words(std::string_view& data) {
  const std::size_t end = data.find('\0');
  if (end == std::string_view::npos) refuse_text();
  data.remove_prefix(end + 1);
}

char take_byte(std::string_view& data) {
  if (data.empty()) refuse_text();
  const char byte = data.front();
  data.remove_prefix(1);
  return byte;
}

std::string text_of(const PngChunk& chunk, const PartWatch& watch) {
  std::string_view data = chunk.data;
  skip_words(data);  // the keyword
  if (chunk.type == "tEXt") return std::string(data);
  const bool is_compressed = chunk.type == "zTXt" || take_byte(data) != 0;
  if (take_byte(data) != 0 && is_compressed) {
    throw Error("The document in the PNG is compressed by a method that PNG does not have.");
  }
  if (chunk.type == "iTXt") {
    skip_words(data);  // language
    skip_words(data);  // the keyword in that language
  }
  if (!is_compressed) return std::string(data);
  return inflate_text(data, max_document_bytes, "The document in the PNG", watch);
}

std::string document_chunk(std::string_view json) {
  std::string content(keyword);
  content.append("\0\1\0\0\0", 5);  // compressed, by the only method; no language, no translated keyword
  content += deflate_text(json);
  std::string chunk;
  append_png_chunk(chunk, "iTXt", content);
  return chunk;
}

}  // namespace

std::string encode_png(int width, int height, const std::function<const std::uint8_t*(int row)>& row_of) {
  constexpr int bits = 8;
  std::string bytes;
  PngWriter writer(bytes);
  writer.require([=](png_structp png, png_infop info) {
    png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), bits,
                 PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    // Differences of neighbours help photographs: cells, lines and texts are smaller without, in half the time.
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_write_info(png, info);
  });
  for (int row = 0; row < height; ++row) {
    const std::uint8_t* const rgba = row_of(row);
    writer.require([=](png_structp png, png_infop) { png_write_row(png, rgba); });
  }
  writer.require([](png_structp png, png_infop) { png_write_end(png, nullptr); });
  return bytes;
}

std::string encode_png(const Image& image) {
  assert(image.pixels.size() == static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  return encode_png(image.width, image.height,
                    [&](int row) { return image.pixels.data() + static_cast<std::ptrdiff_t>(row) * image.width * 4; });
}

Image decode_png(std::string_view bytes) {
  PngImage png;
  png_image_begin_read_from_memory(&png, bytes.data(), bytes.size());
  png.format = PNG_FORMAT_RGBA;
  Image image{static_cast<int>(png.width), static_cast<int>(png.height), {}};
  image.pixels.resize(PNG_IMAGE_SIZE(png));
  png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr);
  if (PNG_IMAGE_FAILED(png)) throw Error(fmt::format("The picture cannot be read as PNG: {}.", png.message));
  return image;
}

std::string deflate_text(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
                               reinterpret_cast<const Bytef*>(text.data()), text.size(), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw std::bad_alloc();  // the room was enough: nothing else can fail
  bytes.resize(size);
  return bytes;
}

std::string inflate_text(std::string_view bytes, std::size_t max_bytes, std::string_view name, const PartWatch& watch) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  assert(bytes.size() <= std::numeric_limits<uInt>::max() && max_bytes < std::numeric_limits<uInt>::max());
  Inflation stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::size_t size = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    // One byte more than is allowed tells a text that fits from one that does not.
    if (size == text.size()) text.resize(std::min(std::max(2 * size, first_bytes), max_bytes + 1));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    if (watch) watch(0);
    const std::size_t room = std::min(text.size() - size, piece_bytes);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    size += room - stream.avail_out;
    if (size > max_bytes) throw Error(fmt::format("{} holds more than the {} bytes that are read.", name, max_bytes));
  }
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status == Z_BUF_ERROR) throw Error(fmt::format("{} is cut off: export the picture again.", name));
  if (status != Z_STREAM_END) throw Error(fmt::format("{} is damaged: export the picture again.", name));
  text.resize(size);
  return text;
}

namespace {

// Calls `visit` for every chunk up to the last one. Throws Error where the PNG is damaged or cut off.
void for_each_png_chunk(std::string_view png, const std::function<void(const PngChunk&)>& visit) {
  std::size_t begin = png_signature_bytes;
  while (true) {
    const PngChunk chunk = chunk_at(png, begin);
    if ((begin == png_signature_bytes) != (chunk.type == "IHDR")) {
      throw Error("The PNG is damaged: its header is not its first chunk; export the picture again.");
    }
    visit(chunk);
    if (chunk.type == "IEND") return;
    begin = chunk.end;
  }
}

// Appends four bytes, the highest first.
void append_number(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFF);
}

}  // namespace

void append_png_chunk(std::string& png, std::string_view type, std::string_view data) {
  append_number(png, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = png.size();
  png += type;
  png += data;
  append_number(png, checksum(std::string_view(png).substr(begin)));
}

AnimatedPng::AnimatedPng(std::size_t frame_count, const Playback& playback)
    : frame_count_(frame_count), playback_(playback) {
  assert(playback.frames_per_second >= slowest_playback && playback.frames_per_second <= fastest_playback);
}

// A frame that covers all of the picture and replaces what was there.
std::string AnimatedPng::frame_control(std::size_t times) {
  const double delay_of_all = milliseconds * static_cast<double>(times) / playback_.frames_per_second;
  const auto delay = static_cast<std::uint32_t>(std::min(longest_apng_delay, std::lround(delay_of_all)));
  std::string control;
  append_number(control, sequence_++);
  control += header_.substr(0, 8);  // width and height
  append_number(control, 0);        // x and y
  append_number(control, 0);
  append_number(control, delay << 16 | milliseconds);  // numerator and denominator, two bytes each
  control.append(2, '\0');                             // nothing is disposed of, nothing blended
  return control;
}

void AnimatedPng::add_frame(std::string_view png, std::size_t times) {
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
      append_png_chunk(bytes_, "fcTL", frame_control(times));
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

// Before the pixels, where a reader that stops early finds it.
std::string with_text_in_png(const std::string& png, const std::string& json) {
  std::string with;
  bool is_in = false;
  for_each_png_chunk(png, [&](const PngChunk& chunk) {
    if (chunk.begin == png_signature_bytes) with += png.substr(0, png_signature_bytes);
    if (!is_in && (chunk.type == "IDAT" || chunk.type == "IEND")) {
      with += document_chunk(json);
      is_in = true;
    }
    if (!is_document(chunk)) with += png.substr(chunk.begin, chunk.end - chunk.begin);
  });
  return with;
}

std::optional<std::string> text_in_png(std::string_view png, const PartWatch& watch) {
  std::optional<std::string> found;
  for_each_png_chunk(png, [&](const PngChunk& chunk) {
    if (watch) watch(0);
    if (is_document(chunk)) take_text(found, text_of(chunk, watch));
  });
  return found;
}

std::filesystem::path FileSeries::path(std::size_t number) const {
  return fmt::format("{}{:0{}}{}", before, number, width, after);
}

namespace {

// Finds "%", digits and "d" in a text; empty where there are none.
std::string_view find_number(std::string_view text) {
  for (std::size_t at = text.find('%'); at < text.size(); at = text.find('%', at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789", at + 1);
    if (end < text.size() && text[end] == 'd') return text.substr(at, end + 1 - at);
  }
  return {};
}

}  // namespace

std::optional<FileSeries> parse_file_series(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  const std::string_view number = find_number(name);
  if (number.empty()) return {};
  const auto at = static_cast<std::size_t>(number.data() - path.data());
  const std::string_view after = path.substr(at + number.size());
  const bool is_plain = number == "%d";
  const bool has_width = number.size() == 4 && number[1] == '0' && number[2] != '0';
  if (!(is_plain || has_width) || !find_number(after).empty()) {
    throw Error(
        fmt::format("The name {} does not say where the number of a picture goes: write %d there once, or %03d "
                    "for three digits with leading zeros.",
                    in_quotes(name)));
  }
  const std::size_t width = has_width ? static_cast<std::size_t>(number[2] - '0') : 0;
  return FileSeries{std::string(path.substr(0, at)), width, std::string(after)};
}

SeriesWriter::SeriesWriter(FileSeries series) : series_(std::move(series)) {}

SeriesWriter::~SeriesWriter() = default;

void SeriesWriter::add(std::string_view bytes) {
  auto file = std::make_unique<FileWriter>(series_.path(files_.size() + 1));
  file->write(bytes);
  file->finish();
  files_.push_back(std::move(file));
}

void SeriesWriter::commit() {
  for (const std::unique_ptr<FileWriter>& file : files_) file->commit();
}

}  // namespace attnscope
