#include "interchange/zip_places.h"

#include <algorithm>
#include <cstdint>
#include <optional>

// libzip unpacks entries but does not say where they are, so this follows the archive's directory by itself. Names of
// records and fields are those of PKWARE's APPNOTE.
namespace attnscope {
namespace {

constexpr std::uint32_t all_ones = 0xFFFFFFFF;  // the number stands in the zip64 field instead
constexpr std::size_t max_comment = 65535;
constexpr std::size_t most_places = 10'000;

// Reads little-endian numbers and texts. Past the end of the bytes they are 0 and empty, and is_good() is false from
// then on.
class Fields {
public:
  Fields(const Bytes& bytes, std::uint64_t at)
      : reader_(bytes, read_at_once), size_(bytes.size()), at_(at), is_good_(at <= bytes.size()) {}

  std::uint64_t number(std::size_t width) {
    std::uint64_t value = 0;
    const std::string_view taken = text(width);
    for (std::size_t i = taken.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(taken[i]);
    return value;
  }
  std::string_view text(std::uint64_t length) {  // until the next field
    const std::uint64_t begin = at_;
    skip(length);
    const char* const found = is_good_ ? reader_.at(begin, length) : nullptr;
    is_good_ = found != nullptr;
    return is_good_ ? std::string_view(found, length) : std::string_view();
  }
  void skip(std::uint64_t length) {
    is_good_ = is_good_ && length <= size_ - at_;
    if (is_good_) at_ += length;
  }
  std::uint64_t position() const { return at_; }
  bool is_good() const { return is_good_; }
  bool is_at_end() const { return at_ == size_; }

private:
  static constexpr std::uint64_t read_at_once = 4096;

  BytesReader reader_;
  std::uint64_t size_;
  std::uint64_t at_;
  bool is_good_;
};

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};

std::optional<Directory> zip64_directory(const Bytes& archive, std::uint64_t locator_at) {
  Fields locator(archive, locator_at);
  if (locator.text(4) != "PK\x06\x07") return std::nullopt;
  locator.skip(4);
  Fields record(archive, locator.number(8));
  if (!locator.is_good() || record.text(4) != "PK\x06\x06") return std::nullopt;
  record.skip(28);
  const std::uint64_t count = record.number(8);
  record.skip(8);
  const std::uint64_t offset = record.number(8);
  if (!record.is_good()) return std::nullopt;
  return Directory{offset, count};
}

std::optional<Directory> find_directory(const Bytes& archive) {
  constexpr std::uint64_t size = 22;
  const std::uint64_t first = archive.size() > size + max_comment ? archive.size() - size - max_comment : 0;
  const std::size_t found = archive.copy(first, size + max_comment).rfind("PK\x05\x06");
  if (found == std::string::npos) return std::nullopt;
  const std::uint64_t end = first + found;
  Fields record(archive, end + 10);
  const std::uint64_t count = record.number(2);
  record.skip(4);
  const std::uint64_t offset = record.number(4);
  if (!record.is_good()) return std::nullopt;
  constexpr std::uint64_t locator = 20;
  if (offset == all_ones || count == 0xFFFF)
    return end < locator ? std::nullopt : zip64_directory(archive, end - locator);
  return Directory{offset, count};
}

struct DirectoryEntry {
  std::string name;
  std::uint64_t method = 0;
  std::uint64_t flags = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t local = 0;  // where its own header begins
};

// Numbers that did not fit into the entry follow in a field of their own, those that are needed and no others.
void take_zip64(DirectoryEntry& entry, std::string_view extra) {
  Fields fields(extra, 0);
  while (fields.is_good() && !fields.is_at_end()) {
    const std::uint64_t id = fields.number(2);
    Fields content(fields.text(fields.number(2)), 0);
    if (id != 1) continue;
    for (std::uint64_t* const number : {&entry.size, &entry.packed, &entry.local}) {
      if (*number == all_ones) *number = content.number(8);
    }
    if (!content.is_good()) entry.method = all_ones;
  }
}

std::optional<DirectoryEntry> take_entry(Fields& directory) {
  DirectoryEntry entry;
  if (directory.text(4) != "PK\x01\x02") return std::nullopt;
  directory.skip(4);
  entry.flags = directory.number(2);
  entry.method = directory.number(2);
  directory.skip(8);
  entry.packed = directory.number(4);
  entry.size = directory.number(4);
  const std::uint64_t name = directory.number(2);
  const std::uint64_t extra = directory.number(2);
  const std::uint64_t comment = directory.number(2);
  directory.skip(8);
  entry.local = directory.number(4);
  entry.name = directory.text(name);
  take_zip64(entry, directory.text(extra));
  directory.skip(comment);
  if (!directory.is_good()) return std::nullopt;
  return entry;
}

// None when the entry is compressed, encrypted or otherwise unusual.
Bytes bytes_of(const Bytes& archive, const DirectoryEntry& entry) {
  constexpr std::uint64_t encrypted = 1;
  if (entry.method != 0 || entry.packed != entry.size || (entry.flags & encrypted)) return {};
  Fields header(archive, entry.local);
  if (header.text(4) != "PK\x03\x04") return {};
  header.skip(22);
  const std::uint64_t name = header.number(2);
  const std::uint64_t extra = header.number(2);
  if (header.text(name) != entry.name) return {};
  header.skip(extra);
  const std::uint64_t first = header.position();
  header.skip(entry.size);
  return header.is_good() ? archive.part(first, entry.size) : Bytes();
}

}  // namespace

std::map<std::string, Bytes, std::less<>> stored_entries(const Bytes& archive) {
  std::map<std::string, Bytes, std::less<>> places;
  const std::optional<Directory> directory = find_directory(archive);
  if (!directory) return places;
  Fields fields(archive, directory->offset);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(directory->count, most_places); ++i) {
    const std::optional<DirectoryEntry> entry = take_entry(fields);
    if (!entry) break;
    const Bytes bytes = bytes_of(archive, *entry);
    if (bytes.is_there()) places.emplace(entry->name, bytes);
  }
  return places;
}

}  // namespace attnscope
