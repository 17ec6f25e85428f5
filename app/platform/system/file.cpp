#include "platform/system/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>

#include "core/error.h"

namespace attnscope {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

std::filesystem::path without_links(const std::filesystem::path& path) {
  std::error_code problem;
  if (!std::filesystem::is_symlink(path, problem)) return path;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, problem);
  return problem ? path : resolved;
}

}  // namespace

FileWriter::FileWriter(const std::filesystem::path& target) : target_(target), file_(without_links(target)) {
  struct stat existing = {};
  const bool exists = ::stat(file_.c_str(), &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode)) fail(EISDIR);
  // Renaming over a device or a pipe would replace it, and over a write-protected file would ignore the protection.
  if (exists && !S_ISREG(existing.st_mode)) {
    throw Error(fmt::format("Cannot write {}: it is not an ordinary file.", target_.string()));
  }
  if (exists && ::access(file_.c_str(), W_OK) != 0) fail(errno);
  if (!file_.has_filename()) fail(exists ? EISDIR : ENOENT);

  std::random_device random;
  constexpr int attempts = 100;
  for (int attempt = 0; !descriptor_.is_open() && attempt < attempts; ++attempt) {
    const std::string name = fmt::format(".attnscope-{:08x}{:08x}.tmp", random(), random());
    temporary_ = file_.parent_path() / name;
    descriptor_ = Descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!descriptor_.is_open() && errno != EEXIST) break;
  }
  if (!descriptor_.is_open()) {
    const int reason = errno;
    temporary_.clear();
    fail(reason);
  }
  // Where they are not ours to change, the permissions are those of new files.
  if (exists) (void)::fchmod(descriptor_.number(), existing.st_mode & 07777);
}

FileWriter::~FileWriter() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileWriter::fail(int reason) const {
  throw Error(fmt::format("Cannot write {}: {}.", target_.string(), reason_text(reason)));
}

void FileWriter::flush() {
  if (const int reason = write_all(descriptor_.number(), buffer_)) fail(reason);
  buffer_.clear();
}

void FileWriter::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > chunk_bytes) flush();
  if (bytes.size() < chunk_bytes) {
    buffer_ += bytes;
  } else if (const int reason = write_all(descriptor_.number(), bytes)) {
    fail(reason);
  }
}

std::uint64_t FileWriter::position() {
  const off_t written = ::lseek(descriptor_.number(), 0, SEEK_CUR);
  if (written < 0) fail(errno);
  return static_cast<std::uint64_t>(written) + buffer_.size();
}

void FileWriter::seek(std::uint64_t position) {
  flush();
  if (::lseek(descriptor_.number(), static_cast<off_t>(position), SEEK_SET) < 0) fail(errno);
}

void FileWriter::finish() {
  flush();
  if (::fsync(descriptor_.number()) != 0) fail(errno);
  if (const int reason = descriptor_.close()) fail(reason);
}

void FileWriter::commit() {
  if (descriptor_.is_open()) finish();
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  FileWriter writer(path);
  writer.write(bytes);
  writer.commit();
}

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const bool is_standard_input = path == "-";
  const std::string name = is_standard_input ? "standard input" : path.string();
  const Descriptor file = is_standard_input ? Descriptor(::dup(STDIN_FILENO)) : open_to_read(path);
  if (!file.is_open()) throw Error(fmt::format("Cannot read {}: {}.", name, reason_text(errno)));
  std::string bytes;
  std::size_t size = 0;
  while (true) {
    if (bytes.size() < size + chunk_bytes) bytes.resize(size + std::max(size / 2, chunk_bytes));
    const ssize_t count = ::read(file.number(), bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(fmt::format("Cannot read {}: {}.", name, reason_text(errno)));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > max_bytes) throw Error(fmt::format("Cannot read {}: it is larger than {} bytes.", name, max_bytes));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace attnscope
