#include "files/png_chunks.h"

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.h"

namespace attnscope {
namespace {

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

}  // namespace

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

void append_number(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFF);
}

void append_png_chunk(std::string& png, std::string_view type, std::string_view data) {
  append_number(png, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = png.size();
  png += type;
  png += data;
  append_number(png, checksum(std::string_view(png).substr(begin)));
}

}  // namespace attnscope
