#include <fmt/format.h>
#include <zip.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "interchange/npy.h"
#include "interchange/result_file.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

static_assert(std::endian::native == std::endian::little, "the arrays are written as they lie in memory");

// What libzip writes goes through a FileWriter, so that the archive too is there whole or not at all.
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

// The arrays of an archive; libzip reads them where they lie while it closes.
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

  void add(std::string_view name, const char* type, const Tensor& tensor) {
    add(name, npy_header(type, tensor.shape),
        {reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * sizeof(float)});
  }

  void add_booleans(std::string_view name, const Tensor& tensor) {
    std::string& bytes = kept_.emplace_back();
    bytes.reserve(tensor.values.size());
    for (const float value : tensor.values) bytes += static_cast<char>(value != 0);
    add(name, npy_header("|b1", tensor.shape), bytes);
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

  void add(std::string_view name, std::string header, std::string_view data) {
    const auto fragment = [](std::string_view bytes) {  // libzip only reads, but does not say so
      return zip_buffer_fragment_t{reinterpret_cast<zip_uint8_t*>(const_cast<char*>(bytes.data())), bytes.size()};
    };
    const zip_buffer_fragment_t fragments[] = {fragment(kept_.emplace_back(std::move(header))), fragment(data)};
    zip_source_t* source = zip_source_buffer_fragment(zip_, fragments, 2, 0);
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

  ArchiveSink& sink_;
  zip_t* zip_ = nullptr;
  std::deque<std::string> kept_;
};

}  // namespace

void write_npz(const Result& result, const std::vector<Stage>& chosen, const std::filesystem::path& path) {
  FileWriter file(path);
  ArchiveSink sink{file};
  zip_error_init(&sink.error);
  Archive archive(sink);
  for (const Stage stage : stages_to_write(result, chosen)) {
    if (stage == Stage::mask) {
      archive.add_booleans(info(stage).id, *result.find(stage));
    } else {
      archive.add(info(stage).id, "<f4", *result.find(stage));
    }
  }
  archive.close();
  file.commit();
}

}  // namespace attnscope
