#include "interchange/document_file.h"

#include <fmt/format.h>

#include <optional>

#include "core/error.h"
#include "document/json.h"
#include "interchange/file.h"
#include "interchange/picture_document.h"

namespace attnscope {

namespace {

LoadedDocument loaded_from(const std::string& bytes) {
  if (const std::optional<std::string> json = document_of_picture(bytes)) return {parse_document(*json), true};
  return {parse_document(bytes), false};
}

}  // namespace

LoadedDocument load_document_or_picture(const std::filesystem::path& path) {
  const std::string bytes = read_file(path, max_document_bytes);
  try {
    return loaded_from(bytes);
  } catch (const Error& error) {
    const std::string name = path == "-" ? "standard input" : path.string();
    const std::string sentence = error.what();
    const bool names_field = sentence.find(error.field) != std::string::npos;
    throw Error(error.field, name + ": " + (names_field ? "" : error.field + ": ") + sentence);
  }
}

Document load_document(const std::filesystem::path& path) { return load_document_or_picture(path).document; }

void save_document(const Document& document, const std::filesystem::path& path) {
  if (kind_by_ending(path)) {
    throw Error(
        fmt::format("{} ends like a picture, but a document is saved as JSON: give it a name that ends with .json.",
                    path.string()));
  }
  write_file(path, to_json(document));
}

}  // namespace attnscope
