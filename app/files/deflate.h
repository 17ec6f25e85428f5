#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "platform/system/file.h"

namespace attnscope {

// zlib's format, which PNG and PDF share.
std::string deflate_text(std::string_view text);

// The text that a zlib stream at the beginning of `bytes` holds; what follows the stream is left alone. Throws Error,
// whose sentence begins with `name`, when it is broken, cut off, or holds more than `max_bytes`: never takes more
// memory than that.
std::string inflate_text(std::string_view bytes, std::size_t max_bytes, std::string_view name,
                         const PartWatch& watch = {});

}  // namespace attnscope
