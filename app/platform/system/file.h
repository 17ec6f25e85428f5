#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "platform/system/descriptor.h"

namespace attnscope {

// A file that is written beside its target and renamed over it by commit(), so that the target is there whole or not at
// all. Without commit() nothing stays. Every failure throws Error with a sentence that names the target and the
// system's reason. A target that exists keeps its permissions; a symbolic link stays one.
class FileWriter {
public:
  explicit FileWriter(const std::filesystem::path& target);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);
  std::uint64_t position();           // where the next bytes go
  void seek(std::uint64_t position);  // to go back and fill in what was not known
  void finish();  // everything is written: what is left for commit() hardly fails, and takes no open file
  void commit();

private:
  void flush();
  [[noreturn]] void fail(int reason) const;

  std::filesystem::path target_;     // as the user gave it
  std::filesystem::path file_;       // what it stands for once links are followed
  std::filesystem::path temporary_;  // beside `file_`; empty once it is gone
  Descriptor descriptor_;
  std::string buffer_;
};

// The same for bytes that are all there.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Reads a whole file, "-" for standard input. Throws Error, also when it is larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace attnscope
