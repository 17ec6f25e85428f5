#pragma once

#include <cairo.h>

#include <new>
#include <string>

namespace attnscope {

// What Cairo writes goes behind `bytes`; exceptions must not pass through a C library.
inline cairo_status_t append_bytes(std::string& bytes, const unsigned char* data, unsigned int size) noexcept {
  try {
    bytes.append(reinterpret_cast<const char*>(data), size);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace attnscope
