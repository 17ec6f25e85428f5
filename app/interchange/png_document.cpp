#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>

#include "core/error.h"
#include "document/json.h"
#include "interchange/deflate.h"
#include "interchange/picture_formats.h"

// PNG: a text chunk. Chunks are walked here and not by libpng, which would unpack what it skips and tolerates damage.
namespace attnscope {
namespace {

constexpr std::string_view keyword = "attnscope";
constexpr std::size_t signature_bytes = 8;
constexpr std::size_t frame_bytes = 12;  // of a chunk around its data: length, type, checksum
constexpr std::uint32_t max_chunk_bytes = 0x7FFFFFFF;

struct Chunk {
  std::string_view type;
  std::string_view data;
  std::size_t begin = 0;  // of the whole chunk in the picture
  std::size_t end = 0;
};

std::uint32_t number_at(std::string_view bytes, std::size_t position) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<std::uint8_t>(bytes[position + i]);
  return number;
}

void append_number(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFF);
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

Chunk chunk_at(std::string_view png, std::size_t begin) {
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

// Calls `visit` for every chunk up to the last one.
template <typename Visit>
void for_each_chunk(std::string_view png, Visit visit) {
  std::size_t begin = signature_bytes;
  while (true) {
    const Chunk chunk = chunk_at(png, begin);
    if ((begin == signature_bytes) != (chunk.type == "IHDR")) {
      throw Error("The PNG is damaged: its header is not its first chunk; export the picture again.");
    }
    visit(chunk);
    if (chunk.type == "IEND") return;
    begin = chunk.end;
  }
}

// Programs that copy a PNG may write any of the three.
bool is_document(const Chunk& chunk) {
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

std::string text_of(const Chunk& chunk) {
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
  return inflate_text(data, max_document_bytes, "The document in the PNG");
}

std::string document_chunk(std::string_view json) {
  std::string content = "iTXt";
  content += keyword;
  content.append("\0\1\0\0\0", 5);  // compressed, by the only method; no language, no translated keyword
  content += deflate_text(json);
  std::string chunk;
  append_number(chunk, static_cast<std::uint32_t>(content.size() - 4));
  chunk += content;
  append_number(chunk, checksum(content));
  return chunk;
}

}  // namespace

// Before the pixels, where a reader that stops early finds it.
std::string with_text_in_png(std::string_view png, std::string_view json) {
  std::string with;
  bool is_in = false;
  for_each_chunk(png, [&](const Chunk& chunk) {
    if (chunk.begin == signature_bytes) with += png.substr(0, signature_bytes);
    if (!is_in && (chunk.type == "IDAT" || chunk.type == "IEND")) {
      with += document_chunk(json);
      is_in = true;
    }
    if (!is_document(chunk)) with += png.substr(chunk.begin, chunk.end - chunk.begin);
  });
  return with;
}

std::optional<std::string> text_in_png(std::string_view png) {
  std::optional<std::string> found;
  for_each_chunk(png, [&](const Chunk& chunk) {
    if (is_document(chunk)) take_text(found, text_of(chunk));
  });
  return found;
}

}  // namespace attnscope
