#include "interchange/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace attnscope {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

std::string reason_text(int reason) { return std::generic_category().message(reason); }

// Returns 0, or why not all bytes could be written.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::filesystem::path without_links(const std::filesystem::path& path) {
  std::error_code problem;
  if (!std::filesystem::is_symlink(path, problem)) return path;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, problem);
  return problem ? path : resolved;
}

struct OpenFile {
  explicit OpenFile(int number) : descriptor(number) {}
  ~OpenFile() {
    if (descriptor > STDERR_FILENO) ::close(descriptor);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor;
};

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
  for (int attempt = 0; descriptor_ < 0 && attempt < attempts; ++attempt) {
    const std::string name = fmt::format(".attnscope-{:08x}{:08x}.tmp", random(), random());
    temporary_ = file_.parent_path() / name;
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    const int reason = errno;
    temporary_.clear();
    fail(reason);
  }
  if (exists) (void)::fchmod(descriptor_, existing.st_mode & 07777);  // not ours to change: then as new files are
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileWriter::fail(int reason) const {
  throw Error(fmt::format("Cannot write {}: {}.", target_.string(), reason_text(reason)));
}

void FileWriter::flush() {
  if (const int reason = write_all(descriptor_, buffer_)) fail(reason);
  buffer_.clear();
}

void FileWriter::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > chunk_bytes) flush();
  if (bytes.size() < chunk_bytes) {
    buffer_ += bytes;
  } else if (const int reason = write_all(descriptor_, bytes)) {
    fail(reason);
  }
}

std::uint64_t FileWriter::position() {
  const off_t written = ::lseek(descriptor_, 0, SEEK_CUR);
  if (written < 0) fail(errno);
  return static_cast<std::uint64_t>(written) + buffer_.size();
}

void FileWriter::seek(std::uint64_t position) {
  flush();
  if (::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0) fail(errno);
}

void FileWriter::finish() {
  flush();
  if (::fsync(descriptor_) != 0) fail(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
}

void FileWriter::commit() {
  if (descriptor_ >= 0) finish();
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
  const OpenFile file(is_standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor < 0) throw Error(fmt::format("Cannot read {}: {}.", name, reason_text(errno)));
  std::string bytes;
  std::size_t size = 0;
  while (true) {
    if (bytes.size() < size + chunk_bytes) bytes.resize(size + std::max(size / 2, chunk_bytes));
    const ssize_t count = ::read(file.descriptor, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(fmt::format("Cannot read {}: {}.", name, reason_text(errno)));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > max_bytes) throw Error(fmt::format("Cannot read {}: it is larger than {} bytes.", name, max_bytes));
  }
  bytes.resize(size);
  return bytes;
}

void write_standard_output(std::string_view bytes) {
  if (const int reason = write_all(STDOUT_FILENO, bytes)) {
    throw Error(fmt::format("Cannot write to standard output: {}.", reason_text(reason)));
  }
}

}  // namespace attnscope
