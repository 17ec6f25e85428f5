#include "features/files/recent_files.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/shown_text.h"
#include "document/json_value.h"
#include "platform/system/file.h"
#include "platform/system/paths.h"

namespace attnscope {
namespace {

constexpr std::size_t max_file_bytes = 1 << 20;
constexpr std::chrono::milliseconds patience_for_lock{500};

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

RecentFiles::RecentFiles(std::filesystem::path kept_in) : kept_in_(std::move(kept_in)) { refresh(); }

// A broken list counts as empty: all that it had can be found again.
void RecentFiles::read() {
  if (kept_in_.empty() || !is_there(kept_in_)) return;
  std::vector<RecentFile> files;
  try {
    const std::string text = read_file(kept_in_, max_file_bytes);
    const JsonText json(text, "It");
    const JsonValue list = json.root();
    if (!list.is_array()) return;
    for (JsonItems paths(list); const JsonValue* path = paths.next();) {
      if (files.size() < max_files) files.push_back({path->text(), true});
    }
  } catch (const Error&) {
    return;
  }
  files_ = std::move(files);
}

void RecentFiles::refresh() {
  read();
  make_changes();
  for (RecentFile& file : files_) file.is_there = is_there(file.path);
}

void RecentFiles::make_changes() {
  for (const auto& change : unwritten_) change(files_);
  if (files_.size() > max_files) files_.resize(max_files);
}

void RecentFiles::keep() {
  if (unwritten_.empty()) return;
  FileLock lock;
  if (!kept_in_.empty()) lock = FileLock(kept_in_.string() + ".lock", patience_for_lock);
  refresh();
  if (lock.is_anothers()) return;
  unwritten_.clear();
  if (kept_in_.empty()) return;
  nlohmann::json paths = nlohmann::json::array();
  for (const RecentFile& file : files_) {
    if (!find_invalid_utf8(file.path.string())) paths.push_back(file.path.string());  // JSON has no other text
  }
  write_file(kept_in_, paths.dump(2) + "\n");
}

void RecentFiles::add(const std::filesystem::path& path) {
  unwritten_.push_back([path = absolute_path(path)](std::vector<RecentFile>& files) {
    std::erase_if(files, [&](const RecentFile& file) { return file.path == path; });
    files.insert(files.begin(), {path, true});
  });
  keep();
}

void RecentFiles::remove(const std::filesystem::path& path) {
  unwritten_.push_back([path = absolute_path(path)](std::vector<RecentFile>& files) {
    std::erase_if(files, [&](const RecentFile& file) { return file.path == path; });
  });
  keep();
}

}  // namespace attnscope
