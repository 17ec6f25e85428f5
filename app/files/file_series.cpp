#include "files/file_series.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "platform/system/file.h"

namespace attnscope {

std::filesystem::path FileSeries::path(std::size_t number) const {
  return fmt::format("{}{:0{}}{}", before, number, width, after);
}

namespace {

// Finds "%", digits and "d" in a text; empty where there are none.
std::string_view find_number(std::string_view text) {
  for (std::size_t at = text.find('%'); at < text.size(); at = text.find('%', at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789", at + 1);
    if (end < text.size() && text[end] == 'd') return text.substr(at, end + 1 - at);
  }
  return {};
}

}  // namespace

std::optional<FileSeries> parse_file_series(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  const std::string_view number = find_number(name);
  if (number.empty()) return {};
  const auto at = static_cast<std::size_t>(number.data() - path.data());
  const std::string_view after = path.substr(at + number.size());
  const bool is_plain = number == "%d";
  const bool has_width = number.size() == 4 && number[1] == '0' && number[2] != '0';
  if (!(is_plain || has_width) || !find_number(after).empty()) {
    throw Error(
        fmt::format("The name {} does not say where the number of a picture goes: write %d there once, or %03d "
                    "for three digits with leading zeros.",
                    in_quotes(name)));
  }
  const std::size_t width = has_width ? static_cast<std::size_t>(number[2] - '0') : 0;
  return FileSeries{std::string(path.substr(0, at)), width, std::string(after)};
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
