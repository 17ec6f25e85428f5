#include "files/array_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/error.h"

namespace attnscope {
namespace {

constexpr std::uint64_t max_entries = 10'000;
constexpr std::uint64_t end_record_bytes = 22;
constexpr std::uint64_t longest_comment = 65'535;
constexpr std::uint64_t least_entry_bytes = 46;  // in the directory

using ZipFile = std::unique_ptr<zip_file_t, int (*)(zip_file_t*)>;

std::uint64_t number_at(std::string_view bytes, std::size_t place, std::size_t width) {
  std::uint64_t number = 0;
  for (std::size_t i = width; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[place + i]);
  return number;
}

// Returns the entries that the record at `place` announces, or the one for large archives before it.
std::uint64_t entries_announced_at(const Bytes& archive, std::string_view end, std::size_t place) {
  constexpr std::size_t locator_bytes = 20;
  constexpr std::size_t large_record_bytes = 56;
  const std::uint64_t count = number_at(end, place + 10, 2);
  if (place < locator_bytes || end.substr(place - locator_bytes, 4) != "PK\x06\x07") return count;
  const std::string record = archive.copy(number_at(end, place - locator_bytes + 8, 8), large_record_bytes);
  const bool is_record = record.size() == large_record_bytes && record.starts_with("PK\x06\x06");
  return is_record ? std::max(count, number_at(record, 32, 8)) : count;
}

// Returns the most entries that a record at the end of an archive announces and the archive has room for. libzip takes
// a time that grows with their square if they are named so.
std::uint64_t announced_entries(const Bytes& archive) {
  const std::uint64_t tail = std::min(archive.size(), longest_comment + 4 * end_record_bytes);
  const std::string end = archive.copy(archive.size() - tail, tail);
  std::uint64_t most = 0;
  for (std::size_t at = end.find("PK\x05\x06"); at != std::string::npos; at = end.find("PK\x05\x06", at + 1)) {
    if (end.size() - at < end_record_bytes) break;
    const std::uint64_t count = entries_announced_at(archive, end, at);
    if (count <= archive.size() / least_entry_bytes) most = std::max(most, count);
  }
  return most;
}

zip_int64_t answer_zip(void* userdata, void* data, zip_uint64_t size, zip_source_cmd_t command) {
  auto& source = *static_cast<ZipSource*>(userdata);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      source.position = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return source.read(data, size);
    case ZIP_SOURCE_SEEK:
      return source.seek(data, size);
    case ZIP_SOURCE_TELL:
      return static_cast<zip_int64_t>(source.position);
    case ZIP_SOURCE_STAT: {
      auto& status = *static_cast<zip_stat_t*>(data);
      zip_stat_init(&status);
      status.size = source.bytes.size();
      status.valid = ZIP_STAT_SIZE;
      return sizeof status;
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&source.error, data, size);
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                            ZIP_SOURCE_SUPPORTS, -1);
    default:
      return 0;  // closed or freed: the bytes are not libzip's
  }
}

}  // namespace

zip_int64_t ZipSource::read(void* data, zip_uint64_t size) {
  try {
    if (watch) watch(0);
  } catch (const Cancelled&) {  // exceptions must not pass through a C library
    is_cancelled = true;
    zip_error_set(&error, ZIP_ER_READ, 0);
    return -1;
  }
  const std::uint64_t count = std::min(size, bytes.size() - position);
  if (!first_read) first_read = position;
  if (!bytes.read({static_cast<char*>(data), count}, position)) {
    zip_error_set(&error, ZIP_ER_READ, 0);
    return -1;
  }
  position += count;
  return static_cast<zip_int64_t>(count);
}

zip_int64_t ZipSource::seek(void* data, zip_uint64_t size) {
  const zip_int64_t place = zip_source_seek_compute_offset(position, bytes.size(), data, size, &error);
  if (place < 0) return -1;
  position = static_cast<std::uint64_t>(place);
  return 0;
}

ZipArchive::ZipArchive(const Bytes& bytes, std::string_view kind, const PartWatch& watch)
    : kind_(kind), bytes_{.bytes = bytes, .watch = watch} {
  if (const std::uint64_t entries = announced_entries(bytes); entries > max_entries)
    refuse(fmt::format("it has {} entries, and at most {} are read", entries, max_entries));
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(answer_zip, &bytes_, &error);
  zip_ = source ? zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) : nullptr;
  if (!zip_) {
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (source) zip_source_free(source);
    refuse(reason);
  }
  bytes_.watch = {};
}

void ZipArchive::refuse(const std::string& why) const {
  if (bytes_.is_cancelled) throw Cancelled{};
  throw Error(fmt::format("This is not a {} that can be read: {}.", kind_, why));
}

zip_stat_t ZipArchive::status(zip_uint64_t entry) const {
  constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(zip_, entry, ZIP_FL_ENC_RAW, &status) != 0 || (status.valid & needed) != needed) {
    refuse(fmt::format("its entry {} has no name or size", entry + 1));
  }
  return status;
}

std::string ZipArchive::read(zip_uint64_t entry, ByteRange range, std::uint64_t end, const PartWatch& watch) const {
  const ZipFile file(zip_fopen_index(zip_, entry, 0), zip_fclose);
  if (!file) refuse(zip_strerror(zip_));
  bytes_.first_read.reset();
  std::string bytes;  // the size that an archive claims may be wrong: memory is allocated as bytes come
  std::string piece(std::min(end, std::uint64_t{1} << 20), '\0');
  for (std::uint64_t at = 0; at < end;) {
    const zip_int64_t count = zip_fread(file.get(), piece.data(), std::min<std::uint64_t>(piece.size(), end - at));
    if (count < 0) refuse(zip_file_strerror(file.get()));
    if (count == 0) break;
    const std::uint64_t next = at + static_cast<std::uint64_t>(count);
    const std::uint64_t first = std::clamp(range.first, at, next);
    bytes.append(piece, first - at, std::clamp(range.first + range.count, first, next) - first);
    at = next;
    if (watch) watch(static_cast<float>(at) / static_cast<float>(end));
  }
  return bytes;
}

Bytes ZipArchive::place_of_last(std::uint64_t size, std::string_view beginning) const {
  const std::uint64_t whole = bytes_.bytes.size();
  const std::uint64_t first = bytes_.first_read.value_or(whole);
  if (first > whole || size > whole - first) return {};
  return bytes_.bytes.copy(first, beginning.size()) == beginning ? bytes_.bytes.part(first, size) : Bytes();
}

}  // namespace attnscope
