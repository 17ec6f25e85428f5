#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "document/document.h"
#include "document/imported_document.h"
#include "platform/system/file.h"

namespace attnscope {

// A document and the kind of file that it was read from.
struct LoadedDocument {
  Document document;
  bool is_from_picture = false;         // the file is a PNG, SVG or PDF: a document must not be saved over it
  std::string view = {};                // the picture's view of the document, as a line of ASCII
  std::optional<FileStamp> stamp = {};  // the file's stamp before it was read
  bool is_model = false;                // the file is a trained model: nothing is saved there
};

// Reads a document from a file, "-" for standard input: from JSON, or from a picture that carries one. The bytes decide
// which it is, not the name. Throws Error whose sentence begins with the path and the field: one whole line for the
// command line or a message.
LoadedDocument load_document_or_picture(const std::filesystem::path& path, const PartWatch& watch = {});
Document load_document(const std::filesystem::path& path);

// Reads a file with either kind of document. The file of a viewing document is the path of its arrays, which may be
// missing.
struct LoadedFile {
  AnyDocument document;
  bool is_from_picture = false;
  std::string view = {};
  std::optional<FileStamp> stamp = {};
};
LoadedFile load_any_document(const std::filesystem::path& path, const PartWatch& watch = {});

// A trained model or a file of arrays that a document names.
struct NamedFile {
  std::string path;
  bool is_model = false;
};
// Returns files that throw NamedFile if a document asks for another file.
DocumentFiles no_other_files(const std::filesystem::path& document, const PartWatch& watch = {});
// Reads a document of either kind that names no other file; else returns the first file that it names.
std::variant<LoadedFile, NamedFile> load_without_others(const std::filesystem::path& path, const PartWatch& watch = {});

// Returns the files that a document is made from: those of its arrays, and all that belong to its model. They must not
// be replaced while it is there.
std::vector<std::filesystem::path> files_in_use(const AnyDocument& document);
// Names a file whose arrays a document has taken.
void add_source(Document& document, const std::filesystem::path& file);

// Throws Error for a path that ends like a picture or a file of arrays: documents are JSON.
void check_name_of_document(const std::filesystem::path& path);
// Writes a document as JSON, never half. Throws Error, also for such a path.
void save_document(const AnyDocument& document, const std::filesystem::path& path);

// A page for browsers is the program as one file. With files inside, it opens the first of them.
struct PageFile {
  std::string path;  // within the page: "lecture.json", "model/config.json"
  std::string bytes;
};

constexpr std::string_view no_page =
    "Pages are made of one that ./dev web builds in attnscope's sources, and this attnscope came without it.";

// Returns a document and the files of its trained model, unless that comes with the program. Throws Error if they are
// too large for a page.
std::vector<PageFile> page_files(const Document& document, const std::string& name);

// Puts files into a page, in the place of those inside. Throws Error if it is another page.
std::string page_with(std::string_view page, std::span<const PageFile> files);

// Writes a page with files inside; `empty` is the one that comes with the program, or no path. Throws Error.
void write_page(const std::filesystem::path& to, const std::filesystem::path& empty, std::span<const PageFile> files);

}  // namespace attnscope
