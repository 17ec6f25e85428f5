#include <fmt/format.h>

#include <zip.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "document/reading_budget.h"
#include "files/array_files.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

constexpr Index cells_in_memory = Index{1} << 18;

static_assert(std::endian::native == std::endian::little, "the arrays are written as they lie in memory");

// libzip writes through a FileWriter, so that the archive too is there whole or not at all.
struct ArchiveSink {
  FileWriter& file;
  std::exception_ptr failure = nullptr;  // exceptions must not pass through a C library
  zip_error_t error = {};
};

zip_int64_t refuse(ArchiveSink& sink, int code, int reason) {
  zip_error_set(&sink.error, code, reason);
  return -1;
}

zip_int64_t write_to(ArchiveSink& sink, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  switch (command) {
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_STAT:
      return refuse(sink, ZIP_ER_READ, ENOENT);  // nothing there yet
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&sink.error, data, length);
    case ZIP_SOURCE_WRITE:
      sink.file.write({static_cast<const char*>(data), length});
      return static_cast<zip_int64_t>(length);
    case ZIP_SOURCE_TELL_WRITE:
      return static_cast<zip_int64_t>(sink.file.position());
    case ZIP_SOURCE_SEEK_WRITE: {
      const auto* target = ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &sink.error);
      if (!target || target->whence != SEEK_SET) return refuse(sink, ZIP_ER_SEEK, EINVAL);
      sink.file.seek(static_cast<std::uint64_t>(target->offset));
      return 0;
    }
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_FREE:
      return 0;
    default:
      return refuse(sink, ZIP_ER_OPNOTSUPP, 0);
  }
}

zip_int64_t archive_callback(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  ArchiveSink& sink = *static_cast<ArchiveSink*>(state);
  try {
    return write_to(sink, data, length, command);
  } catch (...) {
    sink.failure = std::current_exception();
    return refuse(sink, ZIP_ER_WRITE, EIO);
  }
}

// The bytes of one .npy, which libzip reads from the first to the last while it closes.
struct ArraySource {
  explicit ArraySource(const WrittenArray& from) : array(from) { zip_error_init(&error); }

  void open() {
    bytes = npy_header(array.type(), array.shape());
    total = bytes.size() + array.byte_count();
    done = 0;
    next_row = 0;
  }

  std::uint64_t read(char* to, std::uint64_t count) {
    if (done == bytes.size() && next_row < array.rows()) read_rows();
    const std::size_t size = std::min<std::size_t>(count, bytes.size() - done);
    bytes.copy(to, size, done);
    done += size;
    return size;
  }

  void read_rows() {
    const Index most_rows = std::max<Index>(1, cells_in_memory / std::max<Index>(1, array.cols()));
    cells.resize(static_cast<std::size_t>(std::min(most_rows, array.rows()) * array.cols()));
    const Index rows = array.read(cells, next_row);
    bytes = array.bytes_of(std::span(cells).first(static_cast<std::size_t>(rows * array.cols())));
    done = 0;
    next_row += rows;
  }

  const WrittenArray& array;
  std::uint64_t total = 0;
  std::string bytes;
  std::size_t done = 0;  // of `bytes`
  Index next_row = 0;
  std::vector<float> cells;
  zip_error_t error;
};

zip_int64_t read_from(ArraySource& source, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  switch (command) {
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    case ZIP_SOURCE_OPEN:
      source.open();
      return 0;
    case ZIP_SOURCE_READ:
      return static_cast<zip_int64_t>(source.read(static_cast<char*>(data), length));
    case ZIP_SOURCE_STAT: {
      auto* const status = ZIP_SOURCE_GET_ARGS(zip_stat_t, data, length, &source.error);
      if (!status) return -1;
      source.open();
      zip_stat_init(status);
      status->valid = ZIP_STAT_SIZE;
      status->size = source.total;
      return sizeof(zip_stat_t);
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&source.error, data, length);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
      return 0;
    default:
      zip_error_set(&source.error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

zip_int64_t array_callback(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  ArraySource& source = *static_cast<ArraySource*>(state);
  try {
    return read_from(source, data, length, command);
  } catch (const std::bad_alloc&) {  // exceptions must not pass through a C library
    zip_error_set(&source.error, ZIP_ER_MEMORY, 0);
    return -1;
  }
}

// The arrays of an archive; libzip reads them while it closes.
class Archive {
public:
  explicit Archive(ArchiveSink& sink) : sink_(sink) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_function_create(archive_callback, &sink, &error);
    zip_ = source ? zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error) : nullptr;
    if (zip_) return;
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (source) zip_source_free(source);
    fail(reason);
  }
  ~Archive() {
    if (zip_) zip_discard(zip_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // The array must stay until close().
  void add(std::string_view name, const WrittenArray& array) {
    ArraySource& numbers = sources_.emplace_back(array);
    zip_source_t* source = zip_source_function(zip_, array_callback, &numbers);
    if (!source) fail(zip_strerror(zip_));
    const zip_int64_t index = zip_file_add(zip_, fmt::format("{}.npy", name).c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      const std::string reason = zip_strerror(zip_);
      zip_source_free(source);
      fail(reason);
    }
    // Numbers hardly compress, and numpy.load maps stored arrays fast. A fixed date makes equal results equal files.
    constexpr zip_uint16_t first_of_january_1980 = (1 << 5) | 1;
    const auto entry = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(zip_, entry, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(zip_, entry, 0, first_of_january_1980, 0) != 0) {
      fail(zip_strerror(zip_));
    }
  }

  void close() {
    if (zip_close(zip_) != 0) fail(zip_strerror(zip_));
    zip_ = nullptr;
  }

private:
  [[noreturn]] void fail(const std::string& reason) const {
    if (sink_.failure) std::rethrow_exception(sink_.failure);
    throw Error(fmt::format("The archive cannot be written: {}.", reason));
  }

  ArchiveSink& sink_;
  zip_t* zip_ = nullptr;
  std::deque<ArraySource> sources_;
};

constexpr std::uint64_t max_unpacked_bytes = std::uint64_t{1} << 31;      // bytes of one array
constexpr std::uint64_t max_ratio = 1032;                                 // deflate cannot pack tighter
constexpr std::uint64_t worth_reading_in_place = std::uint64_t{1} << 20;  // smaller ones are copied, and checked by sum
constexpr std::size_t max_name_bytes = 1000;
constexpr std::string_view ending = ".npy";

// The description of an entry before its numbers are unpacked.
struct Entry {
  zip_uint64_t index = 0;
  std::uint64_t size = 0;  // unpacked, header and numbers
  std::size_t header = 0;
};

struct Unpacker {
  Unpacker(const Bytes& bytes, const PartWatch& watch) : archive(bytes, ".npz archive", watch) {}

  Bytes unpack(std::size_t array, ByteRange range, const PartWatch& watch) {
    if (last.is_there() && last_array == array && last_range == range) return last;
    last = {};  // before the next takes memory
    const Entry& entry = entries.at(array);
    const auto part = std::make_shared<const std::string>(
        archive.read(entry.index, {entry.header + range.first, range.count}, entry.size + 1, watch));
    if (part->size() != range.count) {
      archive.refuse(fmt::format("an entry holds {} bytes of {} that were announced", part->size(), range.count));
    }
    last = Bytes(std::string_view(*part), part);
    last_array = array;
    last_range = range;
    return last;
  }

  ZipArchive archive;
  std::vector<Entry> entries;
  Bytes last;  // the last unpacked array, which is often asked for again
  std::size_t last_array = 0;
  ByteRange last_range;
};

void check_packing(const zip_stat_t& status, const std::string& name) {
  if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE) {
    throw Error(fmt::format("{} is compressed by an unsupported method: save the arrays with numpy.savez.", name));
  }
  if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) && status.encryption_method != ZIP_EM_NONE) {
    throw Error(fmt::format("{} is encrypted, but arrays are read only as numpy.savez writes them.", name));
  }
  if (status.size > max_unpacked_bytes || status.size / max_ratio > status.comp_size) {
    throw Error(fmt::format("{} claims to unpack {} bytes from {}, but an array may have at most {} here.", name,
                            status.size, status.comp_size, max_unpacked_bytes));
  }
}

// Returns the bytes of an entry from its first on, with the header of its array.
std::string beginning_of(const Unpacker& unpacker, const Entry& entry, ReadingBudget& budget) {
  constexpr std::uint64_t usual_header = 256;
  std::string beginning;
  for (const std::uint64_t bytes : {usual_header, std::uint64_t{max_npy_header_bytes}}) {
    const std::uint64_t count = std::min(entry.size, bytes);
    budget.work(count);
    beginning = unpacker.archive.read(entry.index, {0, count}, count);
    if (npy_header_end(beginning) <= beginning.size()) break;
  }
  return beginning;
}

ArrayView describe(const Unpacker& unpacker, const zip_stat_t& status, Entry& entry, ReadingBudget& budget) {
  const std::string shown = in_quotes(std::string_view(status.name));
  check_packing(status, shown);
  entry.size = status.size;
  const std::string beginning = beginning_of(unpacker, entry, budget);
  NpyHeader header = parse_npy_header(beginning);
  entry.header = header.size;
  if (header.array.problem.empty() && header.numbers != status.size - header.size) {
    throw Error(fmt::format("{} has the shape {} of {}, which takes {} bytes, but it holds {}.", shown,
                            shape_text(header.array.shape), name_of(header.array.type), header.numbers,
                            status.size - header.size));
  }
  const bool is_stored = status.comp_method == ZIP_CM_STORE && status.comp_size == status.size;
  if (is_stored && entry.size >= worth_reading_in_place) {
    const Bytes place = unpacker.archive.place_of_last(entry.size, beginning);
    if (place.is_there()) header.array.bytes = place.part(entry.header, entry.size - entry.header);
  }
  return std::move(header.array);
}

}  // namespace

void write_npz(const std::vector<WrittenArray>& arrays, const std::filesystem::path& path) {
  FileWriter file(path);
  ArchiveSink sink{file};
  zip_error_init(&sink.error);
  Archive archive(sink);
  for (const WrittenArray& array : arrays) archive.add(array.name(), array);
  archive.close();
  file.commit();
}

NamedArrays parse_npz(const Bytes& bytes, const PartWatch& watch) {
  const auto unpacker = std::make_shared<Unpacker>(bytes, staying_at(0, watch));
  NamedArrays file;
  std::set<std::string, std::less<>> names;
  ReadingBudget budget = ReadingBudget::of_file(0);  // for the headers, however many numbers there are
  for (zip_int64_t i = 0; i < unpacker->archive.count(); ++i) {
    if (watch) watch(static_cast<float>(i) / static_cast<float>(unpacker->archive.count()));
    Entry entry{static_cast<zip_uint64_t>(i)};
    const zip_stat_t status = unpacker->archive.status(entry.index);
    std::string name = status.name;
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    if (find_invalid_utf8(name)) unpacker->archive.refuse("the name of an array in it is not UTF-8");
    if (name.size() > max_name_bytes) unpacker->archive.refuse("the name of an array in it is " + in_quotes(name));
    if (!names.insert(name).second) unpacker->archive.refuse("it has two arrays named " + in_quotes(name));
    ArrayView array = describe(*unpacker, status, entry, budget);
    if (!array.bytes.is_there() && (status.valid & ZIP_STAT_CRC)) array.packed_sum = status.crc;
    array.name = std::move(name);
    file.arrays.push_back(std::move(array));
    unpacker->entries.push_back(entry);
  }
  if (file.arrays.empty()) unpacker->archive.refuse("there is no array in it");
  file.unpack = [unpacker](std::size_t array, ByteRange range, const PartWatch& unpacking) {
    return unpacker->unpack(array, range, unpacking);
  };
  file.forget_unpacked = [unpacker] { unpacker->last = {}; };
  return file;
}

}  // namespace attnscope
