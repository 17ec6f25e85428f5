#include "files/document_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>

#include "core/error.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/json.h"
#include "document/json_value.h"
#include "files/arrays.h"
#include "files/checkpoint.h"
#include "files/file_kind.h"
#include "files/image.h"
#include "files/import.h"
#include "files/picture_document.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

using Paths = std::vector<std::filesystem::path>;

// Files of arrays that a document names lie beside it.
ArrayFiles array_files_beside(const std::filesystem::path& document, const PartWatch& watch) {
  const std::filesystem::path folder = document == "-" ? std::filesystem::path() : document.parent_path();
  return [folder, watch](const std::string& name) {
    const NamedArrays file = read_arrays(folder / name, watch);
    std::uint64_t numbers = 0;
    for (const ArrayView& array : file.arrays) numbers += claimed_bytes(array.shape, NumberType::uint8);
    check_fits_document(numbers);
    NamedTensors tensors;
    for (std::size_t i = 0; i < file.arrays.size(); ++i) {
      const ArrayView array = load(file, i, watch);
      tensors.push_back({array.name, to_tensor(array, watch), array.type == NumberType::boolean});
    }
    return tensors;
  };
}

std::string folder_of(const std::filesystem::path& document) {
  return document == "-" ? "" : std::filesystem::absolute(document).parent_path().string();
}

DocumentFiles files_beside(const std::filesystem::path& document, const PartWatch& watch) {
  return {.arrays = array_files_beside(document, staying_at(1, watch)),
          .models = [watch](const std::string& model) { return open_model(model, watch); },
          .folder = folder_of(document),
          .watch = watch};
}

// Returns the same files of arrays; each that is read is added to `read`.
ArrayFiles recorded(const ArrayFiles& arrays, const std::filesystem::path& folder, Paths& read) {
  return [arrays, folder, &read](const std::string& name) {
    NamedTensors tensors = arrays(name);
    read.push_back(folder / name);
    return tensors;
  };
}

void take_sources(Document& document, const Paths& read) {
  for (const std::filesystem::path& file : read) add_source(document, file);
}
void take_sources(AnyDocument& document, const Paths& read) {
  if (auto* const computed = std::get_if<Document>(&document)) take_sources(*computed, read);
}

// Returns what `parse` makes of the JSON in a file, whether that was in a picture, how the picture looked at it, and
// the file's stamp.
template <typename Parse>
auto loaded(const std::filesystem::path& path, DocumentFiles files, const Parse& parse) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    throw Error(
        fmt::format("{} is a folder without config.json and without weights, which the folder of a trained "
                    "model has.",
                    shown_path(path)));
  std::optional<FileStamp> stamp = stamp_of(path);
  const std::string bytes = read_file(path, max_document_bytes, files.watch);
  try {
    std::optional<std::string> json = document_of_picture(bytes, staying_at(0, files.watch));
    std::string view = json ? take_view_out(*json) : std::string();
    // A picture holds all that it needs but for a model.
    Paths read;
    files.arrays = json || !files.arrays ? ArrayFiles() : recorded(files.arrays, files.folder, read);
    auto document = parse(json ? *json : bytes, files);
    take_sources(document, read);
    return std::tuple(std::move(document), json.has_value(), std::move(view), stamp);
  } catch (const Error& error) {
    const std::string name = path == "-" ? "standard input" : shown_path(path);
    const std::string sentence = error.what();
    const bool names_field = sentence.find(error.field) != std::string::npos;
    throw Error(error.field, name + ": " + (names_field ? "" : error.field + ": ") + sentence);
  }
}

LoadedFile load_with(const std::filesystem::path& path, const DocumentFiles& files) {
  auto [document, is_from_picture, view, stamp] = loaded(path, files, parse_any_document);
  if (auto* const viewing = std::get_if<ImportedDocument>(&document)) viewing->file = file_of(*viewing, path);
  return {std::move(document), is_from_picture, std::move(view), stamp};
}

// Programs that read documents from files read the models that these name.
[[maybe_unused]] const bool models_are_read = (set_model_reader(read_model_as_documents_do), true);

}  // namespace

LoadedDocument load_document_or_picture(const std::filesystem::path& path, const PartWatch& watch) {
  if (const auto example = example_named(path.string())) return {parse_document(example->json)};
  if (checked_kind_of_file(path, watch) == FileKind::What::model)
    return {.document = document_of(open_model(std::filesystem::absolute(path).string(), watch)), .is_model = true};
  auto [document, is_from_picture, view, stamp] = loaded(path, files_beside(path, watch), parse_document);
  return {std::move(document), is_from_picture, std::move(view), stamp};
}

Document load_document(const std::filesystem::path& path) { return load_document_or_picture(path).document; }

LoadedFile load_any_document(const std::filesystem::path& path, const PartWatch& watch) {
  const bool is_model = checked_kind_of_file(path, watch) == FileKind::What::model;
  if (is_model || is_example(path.string())) return {load_document_or_picture(path, watch).document};
  return load_with(path, files_beside(path, watch));
}

DocumentFiles no_other_files(const std::filesystem::path& document, const PartWatch& watch) {
  return {.arrays = [](const std::string& name) -> NamedTensors {
            throw NamedFile{name, false};
          },
          .models = [](const std::string& model) -> std::shared_ptr<const TrainedModel> {
            if (!is_example(model)) throw NamedFile{model, true};
            return open_model(model);
          },
          .folder = folder_of(document),
          .watch = watch};
}

std::variant<LoadedFile, NamedFile> load_without_others(const std::filesystem::path& path, const PartWatch& watch) {
  try {
    return load_with(path, no_other_files(path, watch));
  } catch (const NamedFile& named) {
    return named;
  }
}

void add_source(Document& document, const std::filesystem::path& file) {
  auto files = document.arrays_from ? *document.arrays_from : std::vector<std::string>();
  files.push_back(std::filesystem::absolute(file).string());
  document.arrays_from = std::make_shared<const std::vector<std::string>>(std::move(files));
}

std::vector<std::filesystem::path> files_in_use(const AnyDocument& document) {
  if (const auto* const viewing = std::get_if<ImportedDocument>(&document)) return {viewing->file};
  Paths files;
  for (const Document* each = &std::get<Document>(document); each; each = each->compared.get()) {
    if (each->arrays_from) files.insert(files.end(), each->arrays_from->begin(), each->arrays_from->end());
    if (!each->model) continue;
    const Paths of_model = files_of_model(*each->model);
    files.insert(files.end(), of_model.begin(), of_model.end());
  }
  return files;
}

void check_name_of_document(const std::filesystem::path& path) {
  const bool is_picture = format_by_ending(path) != nullptr;
  if (is_picture || is_array_path(path)) {
    throw Error(fmt::format("{} ends like a {}, but a document is saved as JSON: give it a name that ends with .json.",
                            shown_path(path), is_picture ? "picture" : "file of arrays"));
  }
}

void save_document(const AnyDocument& document, const std::filesystem::path& path) {
  check_name_of_document(path);
  write_file(path, to_json(document, path));
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_page_bytes = std::size_t{1} << 28;
constexpr std::size_t most_model_bytes = std::size_t{1} << 26;
constexpr std::string_view beginning = R"(<script type="application/json" id="given">)";  // as page.html has it
constexpr std::string_view end = "</script>";

// Returns bytes in base64 as addresses have it: with - and _, and without a filling at the end.
std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  std::uint32_t held = 0;
  int bits = 0;
  for (const char byte : bytes) {
    held = held << 8 | static_cast<unsigned char>(byte);
    for (bits += 8; bits >= 6; bits -= 6) text += letters[held >> (bits - 6) & 63];
  }
  if (bits > 0) text += letters[held << (6 - bits) & 63];
  return text;
}

}  // namespace

std::vector<PageFile> page_files(const Document& document, const std::string& name) {
  const auto is_elsewhere = [](const Document& of) { return of.model && !is_example(of.model->path); };
  if (document.compared && is_elsewhere(*document.compared) &&
      !(is_elsewhere(document) && document.compared->model->path == document.model->path)) {
    throw Error("The document that this one is compared with reads another trained model, which no page holds.");
  }
  if (!is_elsewhere(document)) return {{name, to_json(document)}};
  const std::vector<fs::path> paths = files_of_model(*document.model);
  std::uintmax_t size = 0;
  std::error_code none;
  for (const fs::path& path : paths) size += fs::file_size(path, none);
  if (size > most_model_bytes) {
    throw Error(fmt::format("The model of this document has {} MB, but a page holds one of at most {} MB.", size >> 20,
                            most_model_bytes >> 20));
  }
  // Its folder is named as the page has it.
  const std::string folder = paths.empty() ? "" : paths.front().parent_path().string();
  const std::string& before = document.model->path;
  auto model = std::make_shared<TrainedModel>(*document.model);
  model->path = "model" + (before.starts_with(folder) ? before.substr(folder.size()) : "");
  Document moved = document;
  moved.model = model;
  if (moved.compared && moved.compared->model) {
    auto compared = std::make_shared<Document>(*moved.compared);
    compared->model = model;
    moved.compared = compared;
  }
  std::vector<PageFile> files = {{name, to_json(moved)}};
  for (const fs::path& path : paths)
    files.push_back({"model/" + path.filename().string(), read_file(path, most_model_bytes)});
  return files;
}

std::string page_with(std::string_view page, std::span<const PageFile> files) {
  const std::size_t begin = page.find(beginning);
  const std::size_t inside = begin == page.npos ? begin : begin + beginning.size();
  const std::size_t after = begin == page.npos ? begin : page.find(end, inside);
  if (after == page.npos)
    throw Error("The page that comes with attnscope is none of its pages: make it with ./dev web.");
  std::string given = "[";
  for (const PageFile& file : files) {
    if (given.size() > 1) given += ',';
    given += fmt::format(R"({{"path":{},"packed":"{}"}})", json_string(file.path), base64(deflate_text(file.bytes)));
  }
  for (std::size_t i = 0; (i = given.find('<', i)) != given.npos;) given.replace(i, 1, "\\u003c");
  return fmt::format("{}{}]{}", page.substr(0, inside), given, page.substr(after));
}

void write_page(const fs::path& to, const fs::path& empty, std::span<const PageFile> files) {
  if (empty.empty()) throw Error(std::string(no_page));
  if (to.extension() != ".html")
    throw Error(fmt::format("Cannot write {}: a page is written as .html.", shown_path(to)));
  write_file(to, page_with(read_file(empty, most_page_bytes), files));
}

}  // namespace attnscope
