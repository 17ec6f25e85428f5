#pragma once

#include <string>

namespace attnscope {

// The PDF with `json` as an embedded file, in place of one of that name; `key` marks its stream. Throws what libqpdf
// throws.
std::string with_embedded_file(const std::string& pdf, const char* name, const std::string& json, const char* key);

}  // namespace attnscope
