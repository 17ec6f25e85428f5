#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

// Names of numbered files: "frames/out-%03d.png".
struct FileSeries {
  std::string before;     // the number
  std::size_t width = 0;  // of it at least, filled up with zeros
  std::string after;

  std::filesystem::path path(std::size_t number) const;
  bool operator==(const FileSeries&) const = default;
};

// The series that a path stands for: "%d", or "%03d" with any width up to 9, in its last part. None where there is
// nothing of the kind: a percent sign may stand in a name. Throws Error where there are two, or one that fills up with
// blanks.
std::optional<FileSeries> parse_file_series(std::string_view path);

}  // namespace attnscope
