#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// Names of numbered files: "frames/out-%03d.png".
struct FileSeries {
  std::string before;     // stands before the number
  std::size_t width = 0;  // least digits of the number, filled up with zeros
  std::string after;

  std::filesystem::path path(std::size_t number) const;
  bool operator==(const FileSeries&) const = default;
};

// Returns the series that a path stands for: "%d", or "%03d" with any width up to 9, in its last part. None for other
// paths, which may have percent signs. Throws Error if there are two, or one that fills up with blanks.
std::optional<FileSeries> parse_file_series(std::string_view path);

class FileWriter;

// Writes the files of a series so that all of them are there, or none: each is written beside its target, and only
// commit() puts them in their places. Throws Error as FileWriter does.
class SeriesWriter {
public:
  explicit SeriesWriter(FileSeries series);
  ~SeriesWriter();
  SeriesWriter(const SeriesWriter&) = delete;
  SeriesWriter& operator=(const SeriesWriter&) = delete;

  void add(std::string_view bytes);  // writes the next file as a whole; the first has the number 1
  void commit();

private:
  FileSeries series_;
  std::vector<std::unique_ptr<FileWriter>> files_;
};

}  // namespace attnscope
