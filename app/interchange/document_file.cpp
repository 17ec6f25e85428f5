#include "interchange/document_file.h"

#include "core/error.h"
#include "document/json.h"
#include "interchange/file.h"

namespace attnscope {

Document load_document(const std::filesystem::path& path) {
  const std::string text = read_file(path, max_document_bytes);
  try {
    return parse_document(text);
  } catch (const Error& error) {
    const std::string name = path == "-" ? "standard input" : path.string();
    const std::string sentence = error.what();
    const bool names_field = sentence.find(error.field) != std::string::npos;
    throw Error(error.field, name + ": " + (names_field ? "" : error.field + ": ") + sentence);
  }
}

void save_document(const Document& document, const std::filesystem::path& path) { write_file(path, to_json(document)); }

}  // namespace attnscope
