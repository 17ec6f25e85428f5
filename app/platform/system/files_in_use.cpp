#include "platform/system/files_in_use.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cassert>
#include <mutex>

#include "core/shown_text.h"

namespace attnscope {
namespace {

std::mutex record_mutex;  // several threads read files
InputRecord* current_record = nullptr;

std::pair<std::uint64_t, std::uint64_t> identity_of(const struct stat& file) { return {file.st_dev, file.st_ino}; }

[[noreturn]] void refuse(const std::filesystem::path& target) {
  throw ReplacesInput(
      fmt::format("Cannot write {}: what is written is made from this file, which would be lost. "
                  "Choose another name.",
                  shown_path(target)));
}

}  // namespace

void refuse_to_replace(const std::filesystem::path& target, std::span<const std::filesystem::path> in_use) {
  struct stat existing = {};
  if (::stat(target.c_str(), &existing) != 0) return;
  const auto is_it = [&](const std::filesystem::path& file) {
    struct stat used = {};
    return ::stat(file.c_str(), &used) == 0 && identity_of(used) == identity_of(existing);
  };
  if (std::ranges::any_of(in_use, is_it)) refuse(target);
}

InputRecord::InputRecord() {
  const std::scoped_lock lock(record_mutex);
  assert(!current_record && "one command has one record");
  current_record = this;
}

InputRecord::~InputRecord() {
  const std::scoped_lock lock(record_mutex);
  current_record = nullptr;
}

void InputRecord::end() {
  const std::scoped_lock lock(record_mutex);
  is_ended_ = true;
}

void record_input(const struct stat& opened) {
  const std::scoped_lock lock(record_mutex);
  if (current_record && !current_record->is_ended_) current_record->files_.insert(identity_of(opened));
}

void record_input(const std::filesystem::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) == 0) record_input(status);
}

void refuse_to_replace_input(const std::filesystem::path& target, const struct stat& existing) {
  const std::scoped_lock lock(record_mutex);
  if (current_record && current_record->files_.contains(identity_of(existing))) refuse(target);
}

}  // namespace attnscope
