#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

// The chunks of a PNG, read without libpng, which unpacks even chunks that it skips, and tolerates damage.
// Private to this folder.
namespace attnscope {

constexpr std::size_t png_signature_bytes = 8;

struct PngChunk {
  std::string_view type;
  std::string_view data;
  std::size_t begin = 0;  // of the whole chunk in the picture
  std::size_t end = 0;
};

// Calls `visit` for every chunk up to the last one. Throws Error where the PNG is damaged or cut off.
void for_each_png_chunk(std::string_view png, const std::function<void(const PngChunk&)>& visit);

void append_png_chunk(std::string& png, std::string_view type, std::string_view data);
void append_number(std::string& bytes, std::uint32_t number);  // as PNG stores it: four bytes, the highest first

}  // namespace attnscope
