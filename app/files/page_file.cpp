#include "files/page_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "core/error.h"
#include "core/text.h"
#include "document/json.h"
#include "document/json_value.h"
#include "files/checkpoint.h"
#include "files/png.h"
#include "platform/system/file.h"

namespace attnscope {
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
