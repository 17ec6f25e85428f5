#pragma once

#include <filesystem>

#include "document/document.h"

namespace attnscope {

// Reads a document from a file, "-" for standard input. Throws Error whose sentence begins with the path and the field:
// one whole line for the command line or a message.
Document load_document(const std::filesystem::path& path);

// Writes it, never half. Throws Error.
void save_document(const Document& document, const std::filesystem::path& path);

}  // namespace attnscope
