#include <fmt/format.h>
#include <zip.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "interchange/array_files.h"
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
  explicit ArraySource(const StageArray& from) : array(from) { zip_error_init(&error); }

  void open() {
    bytes = npy_header(array.is_boolean() ? "|b1" : "<f4", array.shape());
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

  const StageArray& array;
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
  void add(std::string_view name, const StageArray& array) {
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

}  // namespace

void write_npz(const Result& result, const ResultPart& part, const std::filesystem::path& path) {
  FileWriter file(path);
  ArchiveSink sink{file};
  zip_error_init(&sink.error);
  const std::vector<StageArray> arrays = arrays_of(result, part);
  Archive archive(sink);
  for (const StageArray& array : arrays) archive.add(info(array.stage()).id, array);
  archive.close();
  file.commit();
}

}  // namespace attnscope
