#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/error.h"
#include "files/arrays.h"

namespace attnscope {

// What a file or a folder is. Its bytes, the names in it and what lies beside it decide, here and nowhere else; window,
// drop, dialog and command line ask.
struct FileKind {
  enum class What { document, arrays, model };

  What what = What::document;  // a picture that carries a document, too, and everything that is not known
  std::string refusal = {};    // of a kind that is not read: a sentence that says what it is and what to do
};

// Reads the first bytes of a file, and of a checkpoint the names of its tensors. What is not there, or cannot be read,
// counts as a document: whoever reads it says why. Throws Cancelled.
FileKind kind_of_file(const std::filesystem::path& path, const PartWatch& watch = {});

// Returns the same without a refusal, which becomes an Error whose sentence begins with the path.
FileKind::What checked_kind_of_file(const std::filesystem::path& path, const PartWatch& watch = {});

// Throws Error if the bytes are of a format that is not read, such as GGUF: "This is …". `name` is the file's name.
void refuse_foreign(const Bytes& bytes, const std::filesystem::path& name);

// Returns whether text is a table of numbers that blanks, tabs or signs separate, as its first lines show.
bool is_table_of_numbers(std::string_view beginning);

}  // namespace attnscope
