#include "platform/system/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cstring>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "core/text.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

constexpr const char* not_ordinary = "it is not an ordinary file";

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

// Returns the target of a link, even if nothing is there yet; the link itself where it leads round in circles.
std::filesystem::path without_links(const std::filesystem::path& path) {
  constexpr int most_links = 40;  // the kernel follows no more either
  std::filesystem::path file = path;
  std::error_code problem;
  for (int i = 0; i < most_links; ++i) {
    if (!std::filesystem::is_symlink(file, problem)) return file;
    file = file.parent_path() / std::filesystem::read_symlink(file, problem);
  }
  return path;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

constexpr std::string_view hidden_start = ".attnscope-";
constexpr std::string_view hidden_end = ".tmp";
constexpr std::size_t hidden_digits = 16;

std::filesystem::path hidden_name(const std::filesystem::path& file) {
  std::random_device random;
  return file.parent_path() / fmt::format("{}{:08x}{:08x}{}", hidden_start, random(), random(), hidden_end);
}

bool is_hidden_name(std::string_view name) {
  return name.size() == hidden_start.size() + hidden_digits + hidden_end.size() && name.starts_with(hidden_start) &&
         name.ends_with(hidden_end);
}

// Held as long as the descriptor is open: the file's program lives.
bool lock(const Descriptor& descriptor) { return ::flock(descriptor.number(), LOCK_EX | LOCK_NB) == 0; }

// By which a file without a name can be given one.
std::string name_by_number(const Descriptor& descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor.number());
}

Descriptor open_without_name(const std::filesystem::path& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600));
  const bool can_be_named = descriptor.is_open() && ::access(name_by_number(descriptor).c_str(), F_OK) == 0;
  return can_be_named ? std::move(descriptor) : Descriptor();
}

// Raises the number of open files to what the system lets this user have: a series of pictures is written all at once.
void allow_more_open_files() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

constexpr int attempts = 100;  // tries to find a free name

// Makes sure that the file has its new name even when the machine stops now.
void sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) (void)::fsync(descriptor.number());
}

// A handler of signals may neither allocate nor wait: names stand in places of their own. What finds no place is
// removed all the same unless a signal ends the program.
enum class Use : char { free, taken, named };
struct Place {
  std::atomic<Use> use = Use::free;
  std::array<char, PATH_MAX> name = {};
};
constexpr std::size_t place_count = 256;
std::array<Place, place_count> places;
static_assert(std::atomic<Use>::is_always_lock_free);

std::size_t take_place(const std::filesystem::path& path) {
  if (path.native().size() >= PATH_MAX) return place_count;
  for (std::size_t i = 0; i < place_count; ++i) {
    Use use = Use::free;
    if (!places[i].use.compare_exchange_strong(use, Use::taken)) continue;
    std::memcpy(places[i].name.data(), path.c_str(), path.native().size() + 1);
    places[i].use = Use::named;
    return i;
  }
  return place_count;
}

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

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

int Descriptor::close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

namespace {

// Opens a file. Throws Error if that fails or it is no ordinary file, because reading a pipe would wait.
Descriptor open_to_read(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) {
    const bool is_socket = errno == ENXIO;  // or a device without a driver
    throw Error(fmt::format("Cannot read {}: {}.", shown_path(path),
                            is_socket ? std::string(not_ordinary) : reason_text(errno)));
  }
  if (S_ISREG(status.st_mode)) {
    record_input(status);
    return file;
  }
  const std::string what = S_ISDIR(status.st_mode) ? reason_text(EISDIR) : std::string(not_ordinary);
  throw Error(fmt::format("Cannot read {}: {}.", shown_path(path), what));
}

}  // namespace

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::string reason_text(int reason) { return std::generic_category().message(reason); }

FileWriter::FileWriter(const std::filesystem::path& target) : target_(target), file_(without_links(target)) {
  if (target.empty()) throw Error("Cannot write: the name of the file is empty.");
  struct stat existing = {};
  const bool exists = ::stat(file_.c_str(), &existing) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(existing.st_mode)) fail(EISDIR);
  // To take the place of a device or a pipe would remove it, and of a write-protected file would ignore the protection.
  if (exists && !S_ISREG(existing.st_mode)) {
    throw Error(fmt::format("Cannot write {}: it is not an ordinary file.", shown_path(target_)));
  }
  if (exists && ::access(file_.c_str(), W_OK) != 0) fail(errno);
  if (exists) refuse_to_replace_input(target_, existing);
  if (!file_.has_filename()) fail(exists ? EISDIR : ENOENT);
  if (exists) remove_abandoned_files(folder_of(file_));
  open_new();
  if (exists) keep_owner(existing);
}

FileWriter::~FileWriter() = default;

// Nobody else may read it before it is whole: it may hold what the target protects.
void FileWriter::open_new() {
  descriptor_ = open_without_name(folder_of(file_));
  if (!descriptor_.is_open() && errno == EMFILE) {
    allow_more_open_files();
    descriptor_ = open_without_name(folder_of(file_));
  }
  for (int attempt = 0; !descriptor_.is_open() && attempt < attempts; ++attempt) {
    const std::filesystem::path name = hidden_name(file_);
    descriptor_ = Descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (descriptor_.is_open()) {
      hidden_.set(name);
    } else if (errno != EEXIST) {
      fail(errno);
    }
  }
  if (!descriptor_.is_open()) fail(errno);
  (void)lock(descriptor_);           // where locks are unknown, nobody else gets one either
  const mode_t mask = ::umask(077);  // the system has no call that only reads it
  ::umask(mask);
  mode_ = 0666 & ~mask;
}

// Keeps owner and group. If the group cannot be kept, another group does not get its permissions.
void FileWriter::keep_owner(const struct stat& existing) {
  mode_ = existing.st_mode & 0777;
  const int number = descriptor_.number();
  if (::fchown(number, existing.st_uid, existing.st_gid) == 0) return;
  if (::fchown(number, static_cast<uid_t>(-1), existing.st_gid) == 0) return;
  mode_ &= ~070U | (mode_ & 07U) << 3;
}

void FileWriter::fail(int reason) const {
  throw Error(fmt::format("Cannot write {}: {}.", shown_path(target_), reason_text(reason)));
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
  // If we may not change the permissions, they stay those of a private file.
  (void)::fchmod(descriptor_.number(), mode_);
  if (::fsync(descriptor_.number()) != 0) fail(errno);
  is_finished_ = true;
}

bool FileWriter::link_to(const std::filesystem::path& name) const {
  return ::linkat(AT_FDCWD, name_by_number(descriptor_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// A file without a name cannot take the place of another at once: it gets a hidden one for a moment.
void FileWriter::commit() {
  if (!is_finished_) finish();
  const bool is_new = hidden_.path().empty() && link_to(file_);
  for (int attempt = 0; !is_new && hidden_.path().empty(); ++attempt) {
    if (errno != EEXIST || attempt == attempts) fail(errno);
    const std::filesystem::path name = hidden_name(file_);
    hidden_.set(name);
    if (!link_to(name)) hidden_.keep();
  }
  if (!is_new && ::rename(hidden_.path().c_str(), file_.c_str()) != 0) fail(errno);
  hidden_.keep();
  if (const int reason = descriptor_.close()) fail(reason);
  sync_folder(folder_of(file_));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  FileWriter writer(path);
  writer.write(bytes);
  writer.commit();
}

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return FileStamp{.device = status.st_dev,
                   .inode = status.st_ino,
                   .size = static_cast<std::uint64_t>(status.st_size),
                   .seconds = status.st_mtim.tv_sec,
                   .nanoseconds = status.st_mtim.tv_nsec};
}

void remove_abandoned_files(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const std::filesystem::path& path : entries_of(folder, ignored)) {
    if (!is_hidden_name(path.filename().native())) continue;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    if (file.is_open() && lock(file)) ::unlink(path.c_str());
  }
}

PartWatch staying_at(float part, const PartWatch& watch) {
  if (!watch) return {};
  return [part, watch](float) { watch(part); };
}

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes, const PartWatch& watch) {
  const bool is_standard_input = path == "-";
  const std::string name = is_standard_input ? "standard input" : shown_path(path);
  const Descriptor file = is_standard_input ? Descriptor(::dup(STDIN_FILENO)) : open_to_read(path);
  if (struct stat status = {}; is_standard_input && ::fstat(file.number(), &status) == 0) record_input(status);
  std::string bytes;
  std::size_t size = 0;
  while (true) {
    if (watch) watch(0);
    if (bytes.size() < size + chunk_bytes) bytes.resize(size + std::max(size / 2, chunk_bytes));
    const ssize_t count = ::read(file.number(), bytes.data() + size, std::min(bytes.size() - size, chunk_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(fmt::format("Cannot read {}: {}.", name, reason_text(errno)));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > max_bytes) throw Error(fmt::format("Cannot read {}: it is larger than {} bytes.", name, max_bytes));
  }
  bytes.resize(size);
  return bytes;
}

namespace {

constexpr std::chrono::milliseconds pause{5};

// Another program may have removed the file after it was opened here: then a lock on it keeps nobody out.
bool is_still_there(int descriptor, const std::filesystem::path& path) {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

enum class Attempt { held, taken, impossible };

Attempt try_lock(const std::filesystem::path& path, Descriptor& descriptor) {
  descriptor = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!descriptor.is_open()) return Attempt::impossible;
  const bool is_locked = ::flock(descriptor.number(), LOCK_EX | LOCK_NB) == 0;
  const bool may_come = !is_locked && (errno == EWOULDBLOCK || errno == EINTR);
  if (is_locked && is_still_there(descriptor.number(), path)) return Attempt::held;
  descriptor.close();
  return is_locked || may_come ? Attempt::taken : Attempt::impossible;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience) : path_(path) {
  const auto end = std::chrono::steady_clock::now() + patience;
  Attempt attempt = try_lock(path, descriptor_);
  while (attempt == Attempt::taken && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(pause);
    attempt = try_lock(path, descriptor_);
  }
  is_anothers_ = attempt == Attempt::taken;
}

void FileLock::remove() {
  if (!is_held()) return;
  ::unlink(path_.c_str());
  descriptor_.close();
}

ReadableFile::ReadableFile(const std::filesystem::path& path) : file_(open_to_read(path)) {
  struct stat status = {};
  if (::fstat(file_.number(), &status) != 0) {
    throw Error(fmt::format("Cannot read {}: {}.", shown_path(path), reason_text(errno)));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

bool ReadableFile::read(std::span<char> to, std::uint64_t position) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(file_.number(), to.data(), to.size(), static_cast<off_t>(position));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      has_failed_ = true;
      return false;
    }
    to = to.subspan(static_cast<std::size_t>(count));
    position += static_cast<std::uint64_t>(count);
  }
  return true;
}

bool ReadableFile::is_whole() const {
  struct stat status = {};
  return !has_failed_ && ::fstat(file_.number(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= size_;
}

UnfinishedFile::~UnfinishedFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
  keep();
}

void UnfinishedFile::set(const std::filesystem::path& path) {
  path_ = path;
  place_ = take_place(path);
}

void UnfinishedFile::keep() {
  if (!path_.empty() && place_ < place_count) places[place_].use = Use::free;
  path_.clear();
}

void remove_unfinished_files() {
  for (const Place& place : places) {
    if (place.use == Use::named) ::unlink(place.name.data());
  }
}

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
