#pragma once

#include <cairo.h>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

// PNG files of what Cairo drew. Private to this folder.
namespace attnscope {

// One row of an ARGB32 surface as straight RGBA, 4 bytes for each pixel.
void straight_row(std::uint8_t* rgba, const unsigned char* row, int width);

using RowWatch = std::function<void(float part)>;  // called with the share that is written, 0 to 1

// The bytes of the file, RGBA. Throws Error, and Cancelled when a stop was requested.
std::string encode_surface(cairo_surface_t* surface, const std::stop_token& stop, const RowWatch& watch);

}  // namespace attnscope
