#include "interchange/document_file.h"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "core/error.h"
#include "core/shown_text.h"
#include "document/builtin.h"
#include "document/json.h"
#include "interchange/arrays.h"
#include "interchange/checkpoint.h"
#include "interchange/import.h"
#include "interchange/picture_document.h"
#include "platform/system/file.h"

namespace attnscope {

namespace {

using Paths = std::vector<std::filesystem::path>;

// Files of arrays that a document names lie beside it. Those that are read are added to `read`.
ArrayFiles array_files_beside(const std::filesystem::path& document, Paths& read) {
  const std::filesystem::path folder = document == "-" ? std::filesystem::path() : document.parent_path();
  return [folder, &read](const std::string& name) {
    const NamedArrays file = read_arrays(folder / name);
    read.push_back(folder / name);
    std::uint64_t numbers = 0;
    for (const ArrayView& array : file.arrays) numbers += claimed_bytes(array.shape, NumberType::uint8);
    check_fits_document(numbers);
    NamedTensors tensors;
    for (std::size_t i = 0; i < file.arrays.size(); ++i)
      tensors.emplace_back(file.arrays[i].name, to_tensor(load(file, i)));
    return tensors;
  };
}

void take_sources(Document& document, const Paths& read) {
  for (const std::filesystem::path& file : read) add_source(document, file);
}
void take_sources(AnyDocument& document, const Paths& read) {
  if (auto* const computed = std::get_if<Document>(&document)) take_sources(*computed, read);
}

// Returns what `parse` makes of the JSON in a file, whether that was in a picture, and how the picture looked at it.
template <typename Parse>
auto loaded(const std::filesystem::path& path, const Parse& parse) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    throw Error(fmt::format("{} is a folder without config.json, which every folder of a trained model has.",
                            shown_path(path)));
  const std::string bytes = read_file(path, max_document_bytes);
  try {
    std::optional<std::string> json = document_of_picture(bytes);
    std::string view = json ? take_view_out(*json) : std::string();
    // A picture holds all that it needs but for a model.
    Paths read;
    const DocumentFiles files{.arrays = json ? ArrayFiles() : array_files_beside(path, read),
                              .folder = path == "-" ? "" : std::filesystem::absolute(path).parent_path().string()};
    auto document = parse(json ? *json : bytes, files);
    take_sources(document, read);
    return std::tuple(std::move(document), json.has_value(), std::move(view));
  } catch (const Error& error) {
    const std::string name = path == "-" ? "standard input" : shown_path(path);
    const std::string sentence = error.what();
    const bool names_field = sentence.find(error.field) != std::string::npos;
    throw Error(error.field, name + ": " + (names_field ? "" : error.field + ": ") + sentence);
  }
}

// Programs that read documents from files read the models that these name.
[[maybe_unused]] const bool models_are_read = (set_model_reader(read_model_as_documents_do), true);

}  // namespace

LoadedDocument load_document_or_picture(const std::filesystem::path& path) {
  if (const auto example = example_named(path.string())) return {parse_document(example->json)};
  if (is_model_path(path)) return {document_of(open_model(std::filesystem::absolute(path).string()))};
  auto [document, is_from_picture, view] = loaded(path, parse_document);
  return {std::move(document), is_from_picture, std::move(view)};
}

Document load_document(const std::filesystem::path& path) { return load_document_or_picture(path).document; }

LoadedFile load_any_document(const std::filesystem::path& path) {
  if (is_model_path(path) || is_example(path.string())) return {load_document(path)};
  auto [document, is_from_picture, view] = loaded(path, parse_any_document);
  if (auto* const viewing = std::get_if<ViewingDocument>(&document)) viewing->file = file_of(*viewing, path);
  return {std::move(document), is_from_picture, std::move(view)};
}

void add_source(Document& document, const std::filesystem::path& file) {
  auto files = document.arrays_from ? *document.arrays_from : std::vector<std::string>();
  files.push_back(std::filesystem::absolute(file).string());
  document.arrays_from = std::make_shared<const std::vector<std::string>>(std::move(files));
}

std::vector<std::filesystem::path> files_in_use(const AnyDocument& document) {
  if (const auto* const viewing = std::get_if<ViewingDocument>(&document)) return {viewing->file};
  Paths files;
  for (const Document* each = &std::get<Document>(document); each; each = each->compared.get()) {
    if (each->arrays_from) files.insert(files.end(), each->arrays_from->begin(), each->arrays_from->end());
    if (!each->model) continue;
    const Paths of_model = files_of_model(*each->model);
    files.insert(files.end(), of_model.begin(), of_model.end());
  }
  return files;
}

void save_document(const AnyDocument& document, const std::filesystem::path& path) {
  const bool is_picture = format_by_ending(path) != nullptr;
  if (is_picture || is_array_path(path)) {
    throw Error(fmt::format("{} ends like a {}, but a document is saved as JSON: give it a name that ends with .json.",
                            shown_path(path), is_picture ? "picture" : "file of arrays"));
  }
  write_file(path, to_json(document, path));
}

}  // namespace attnscope
