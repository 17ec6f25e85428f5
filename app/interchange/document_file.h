#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "document/viewing_document.h"

namespace attnscope {

// A document and the kind of file that it was read from.
struct LoadedDocument {
  Document document;
  bool is_from_picture = false;  // the file is a PNG, SVG or PDF: a document must not be saved over it
  std::string view = {};         // how the picture looked at it
};

// Reads a document from a file, "-" for standard input: from JSON, or from a picture that carries one. The bytes decide
// which it is, not the name. Throws Error whose sentence begins with the path and the field: one whole line for the
// command line or a message.
LoadedDocument load_document_or_picture(const std::filesystem::path& path);
Document load_document(const std::filesystem::path& path);

// A file with either kind of document. The file of a viewing is where the arrays are, whether they are there or not.
struct LoadedFile {
  AnyDocument document;
  bool is_from_picture = false;
  std::string view = {};
};
LoadedFile load_any_document(const std::filesystem::path& path);

// Returns the files that a document is made from: those of its arrays, and all that belong to its model. They must not
// be replaced while it is there.
std::vector<std::filesystem::path> files_in_use(const AnyDocument& document);
// Names a file whose arrays a document has taken.
void add_source(Document& document, const std::filesystem::path& file);

// Writes it as JSON, never half. Throws Error, also for a path that ends like a picture or a file of arrays.
void save_document(const AnyDocument& document, const std::filesystem::path& path);

}  // namespace attnscope
