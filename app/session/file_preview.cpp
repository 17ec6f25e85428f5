#include "session/file_preview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "document/footer.h"
#include "interchange/arrays.h"
#include "interchange/document_file.h"

namespace attnscope {
namespace {

using Lines = std::vector<std::string>;

constexpr std::uintmax_t max_document_bytes_shown = 16 << 20;  // beyond, reading it would hold up the window
constexpr std::size_t max_tokens_shown = 60;
constexpr std::size_t max_arrays_shown = 16;

Lines describe(const LoadedDocument& loaded) {
  const Document& document = loaded.document;
  const AttentionConfig& config = document.config;
  Lines lines = {footer_text(document)};
  if (loaded.is_from_picture) lines.insert(lines.begin(), "A picture that carries its document:");
  lines.push_back(fmt::format("{} tokens, d_in {}, d_out {}, batch {}", token_count(config), input_features(config),
                              config.d_out, config.batch_size));
  const std::vector<std::string> labels = token_labels(document.tokens);
  const std::size_t count = std::min(labels.size(), max_tokens_shown);
  lines.push_back(fmt::format("{}{}",
                              fmt::join(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(count), " "),
                              count < labels.size() ? " …" : ""));
  return lines;
}

Lines describe(const NamedArrays& file) {
  Lines lines;
  for (const ArrayView& array : file.arrays) {
    if (lines.size() == max_arrays_shown) {
      lines.push_back(fmt::format("and {} more", file.arrays.size() - max_arrays_shown));
      break;
    }
    const std::string name = array.name.empty() ? "" : array.name + ": ";
    lines.push_back(array.problem.empty() ? fmt::format("{}{} {}", name, name_of(array.type), shape_text(array.shape))
                                          : name + array.problem);
  }
  if (lines.empty()) lines.push_back("There is no array in it.");
  return lines;
}

}  // namespace

Lines preview_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  try {
    if (is_array_path(path)) return describe(read_arrays(path));
    if (path.extension() == ".txt") return {"Names for the tokens that are shown."};
    const std::uintmax_t size = std::filesystem::file_size(path, ignored);
    if (size > max_document_bytes_shown)
      return {fmt::format("{:.0f} MB: too much to look into.", static_cast<double>(size) / 1e6)};
    return describe(load_document_or_picture(path));
  } catch (const Error& error) {
    return {error.what()};
  }
}

}  // namespace attnscope
