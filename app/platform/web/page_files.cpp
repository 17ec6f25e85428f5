#include "core/error.h"
#include "files/pdf_embed.h"

namespace attnscope {

std::string with_embedded_file(const std::string&, const char*, const std::string&, const char*) {
  throw Error("A page writes no PDF.");
}

}  // namespace attnscope
