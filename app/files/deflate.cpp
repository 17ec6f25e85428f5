#include "files/deflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>

#include "core/error.h"

namespace attnscope {
namespace {

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

}  // namespace

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

}  // namespace attnscope
