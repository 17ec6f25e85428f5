#pragma once

#include <zip.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "files/arrays.h"

// Archives that are read: .npz and .pth. Private to this folder.
namespace attnscope {

// Bytes as libzip reads a file.
struct ZipSource {
  Bytes bytes;
  std::uint64_t position = 0;
  std::optional<std::uint64_t> first_read = {};  // position of the first read since the last reset
  zip_error_t error = {};
  PartWatch watch = {};  // asked before each read while the archive is opened
  bool is_cancelled = false;

  zip_int64_t read(void* data, zip_uint64_t size);
  zip_int64_t seek(void* data, zip_uint64_t size);
};

// An archive that is read. Its names serve as names of arrays and never as paths to write to.
class ZipArchive {
public:
  // Opens the archive and asks the watch meanwhile. Throws Error as refuse() does.
  ZipArchive(const Bytes& bytes, std::string_view kind, const PartWatch& watch = {});
  ~ZipArchive() { zip_discard(zip_); }
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  // Throws Error: "This is not a .npz archive that can be read: …" if that is the kind.
  [[noreturn]] void refuse(const std::string& why) const;

  zip_int64_t count() const { return zip_get_num_entries(zip_, 0); }
  zip_stat_t status(zip_uint64_t entry) const;  // has name and sizes; throws Error if they are missing

  // Returns these bytes of an entry, as far as it has them. Reads on to `end`, because libzip checks the sum of an
  // entry when it is asked for a byte behind the last one.
  std::string read(zip_uint64_t entry, ByteRange range, std::uint64_t end, const PartWatch& watch = {}) const;

  // Returns the bytes of the entry that was read last. libzip does not say where they are, but reads a stored entry
  // from there. Nothing if other bytes are there than `beginning`, which came out.
  Bytes place_of_last(std::uint64_t size, std::string_view beginning) const;

private:
  std::string kind_;
  mutable ZipSource bytes_;
  zip_t* zip_ = nullptr;
};

}  // namespace attnscope
