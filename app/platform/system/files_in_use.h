#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "core/error.h"

struct stat;

namespace attnscope {

// Thrown before an output replaces a file that it is made from. Nothing was written.
struct ReplacesInput : Error {
  using Error::Error;
};

// Throws ReplacesInput if a target is one of the files, by whatever path or link either is named.
void refuse_to_replace(const std::filesystem::path& target, std::span<const std::filesystem::path> in_use);

// While it lives, FileWriter refuses to replace the files that are opened to be read. There is one at most.
class InputRecord {
public:
  InputRecord();
  ~InputRecord();
  InputRecord(const InputRecord&) = delete;
  InputRecord& operator=(const InputRecord&) = delete;

  void end();  // files that are opened from now on may be replaced

private:
  friend void record_input(const struct stat& opened);
  friend void refuse_to_replace_input(const std::filesystem::path& target, const struct stat& existing);

  std::set<std::pair<std::uint64_t, std::uint64_t>> files_;  // device and inode
  bool is_ended_ = false;
};

void record_input(const struct stat& opened);
void record_input(const std::filesystem::path& file);  // which belongs to an input, whether it is read or not
void refuse_to_replace_input(const std::filesystem::path& target, const struct stat& existing);

}  // namespace attnscope
