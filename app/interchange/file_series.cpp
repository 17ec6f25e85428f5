#include "interchange/file_series.h"

#include <fmt/format.h>

#include <regex>
#include <utility>

#include "core/error.h"
#include "platform/system/file.h"

namespace attnscope {

std::filesystem::path FileSeries::path(std::size_t number) const {
  return fmt::format("{}{:0{}}{}", before, number, width, after);
}

std::optional<FileSeries> parse_file_series(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t folder = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string name(path.substr(folder));
  const std::regex number("%([0-9]*)d");
  std::smatch found;
  if (!std::regex_search(name, found, number)) return {};
  const std::string width = found[1];
  const std::string after = found.suffix();
  const bool is_good = width.empty() || (width.size() == 2 && width[0] == '0' && width[1] != '0');
  if (!is_good || std::regex_search(after, number)) {
    throw Error(
        fmt::format("The name {} does not say where the number of a picture goes: write %d there once, or %03d "
                    "to fill it up with zeros to three digits.",
                    name));
  }
  return FileSeries{std::string(path.substr(0, folder)) + std::string(found.prefix()),
                    width.empty() ? 0 : static_cast<std::size_t>(width[1] - '0'), after};
}

SeriesWriter::SeriesWriter(FileSeries series) : series_(std::move(series)) {}

SeriesWriter::~SeriesWriter() = default;

void SeriesWriter::add(std::string_view bytes) {
  auto file = std::make_unique<FileWriter>(series_.path(files_.size() + 1));
  file->write(bytes);
  file->finish();
  files_.push_back(std::move(file));
}

void SeriesWriter::commit() {
  for (const std::unique_ptr<FileWriter>& file : files_) file->commit();
}

}  // namespace attnscope
