#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"

struct stat;

namespace attnscope {

// An open file, closed whatever happens. This class and what opens and fills it are private to this folder.
class Descriptor {
public:
  Descriptor() = default;  // holds no file
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  int close();  // 0, or why it failed

private:
  int number_ = -1;
};

int write_all(int descriptor, std::string_view bytes);  // 0, or why not all bytes could be written
std::string reason_text(int reason);                    // the system's words for an errno

// The name of a file that is being written, if the file system has no nameless files. It is removed with this object,
// and when a signal ends the program (end_cleanly_on_signals()).
class UnfinishedFile {
public:
  UnfinishedFile() = default;  // has no name
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }  // empty without a name
  void set(const std::filesystem::path& path);
  void keep();  // the file stays, under another name

private:
  std::filesystem::path path_;
  std::size_t place_ = 0;  // its place among the names that signals remove
};

// Removes all unfinished files. A handler of signals may call it.
void remove_unfinished_files();

// A file that takes its target's place by commit(), so that the target is there whole or not at all. Until then it has
// no name where the file system can do that, else a hidden one beside the target; without commit() nothing stays, not
// even of a program that is killed. Every failure throws Error with a sentence that names the target and the system's
// reason.
// A target that exists keeps its owner, group and permissions as far as this program may give them, without the bits
// that let a program run as its owner. A symbolic link stays one: what it leads to is written. Of a file with several
// names (hard links) only the one that was asked for leads to the new contents; the others keep the old.
class FileWriter {
public:
  explicit FileWriter(const std::filesystem::path& target);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);
  std::uint64_t position();           // place of the next bytes
  void seek(std::uint64_t position);  // to go back and fill in what was unknown
  void finish();                      // writes everything, so that commit() hardly fails
  void commit();

private:
  void open_new();
  void keep_owner(const struct stat& existing);
  bool link_to(const std::filesystem::path& name) const;
  void flush();
  [[noreturn]] void fail(int reason) const;

  std::filesystem::path target_;  // as the user gave it
  std::filesystem::path file_;    // the target after following links
  UnfinishedFile hidden_;         // stands beside `file_` if it needs a name
  Descriptor descriptor_;
  unsigned mode_ = 0;  // permissions that the file will have
  bool is_finished_ = false;
  std::string buffer_;
};

// Writes a file of these bytes at once.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Tells whether another program wrote a file: two stamps of a path are equal if nobody wrote it between.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t seconds = 0;  // when it was written
  std::int64_t nanoseconds = 0;
  bool operator==(const FileStamp&) const = default;
};
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);  // nothing without a file

// Removes the hidden files of programs that were killed just when one was about to take the place of another. Those of
// programs that live are locked.
void remove_abandoned_files(const std::filesystem::path& folder);

// Follows a reading: is called with the share that is done, from 0 to 1, at least every few milliseconds. May throw
// Cancelled to stop the reading.
using PartWatch = std::function<void(float)>;
// Returns a watch that is asked as often, but always hears of the same share; none where `watch` is none.
PartWatch staying_at(float part, const PartWatch& watch);

// Reads a whole file, "-" for standard input. Throws Error, also when it is larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes, const PartWatch& watch = {});

// A lock between programs: held until this object is destroyed or the program ends, even by a crash. There are file
// systems without locks, where a program should go on; where another program has the lock, it should not.
class FileLock {
public:
  FileLock() = default;  // holds nothing
  // Creates the file when there is none, and tries for at most that long.
  explicit FileLock(const std::filesystem::path& path, std::chrono::milliseconds patience = {});

  bool is_held() const { return descriptor_.is_open(); }
  bool is_anothers() const { return is_anothers_; }  // another program held it until the patience ended
  void remove();                                     // removes the file, and with it the lock

private:
  std::filesystem::path path_;
  Descriptor descriptor_;
  bool is_anothers_ = false;
};

// A file that is read at any place, by several threads at once. It stays open, so that it can be read to its end when
// another program has removed it or put another in its place.
class ReadableFile {
public:
  // Throws Error where it cannot be opened or is no ordinary file.
  explicit ReadableFile(const std::filesystem::path& path);

  std::uint64_t size() const { return size_; }  // the size when it was opened
  // Fills `to` from `position` on. Returns false if the file was made shorter meanwhile.
  bool read(std::span<char> to, std::uint64_t position) const;
  // Returns whether every read so far was complete, and the file is still as long as it was.
  bool is_whole() const;

private:
  Descriptor file_;
  std::uint64_t size_ = 0;
  mutable std::atomic<bool> has_failed_ = false;
};

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

  void end();  // files opened from now on may be replaced

private:
  friend void record_input(const struct stat& opened);
  friend void refuse_to_replace_input(const std::filesystem::path& target, const struct stat& existing);

  std::set<std::pair<std::uint64_t, std::uint64_t>> files_;  // device and inode
  bool is_ended_ = false;
};

void record_input(const struct stat& opened);
void record_input(const std::filesystem::path& file);  // the file belongs to an input, read or not
void refuse_to_replace_input(const std::filesystem::path& target, const struct stat& existing);

}  // namespace attnscope
