#include "session/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/error.h"

namespace attnscope {

void ReadingProgress::set(const std::string& array, float part) {
  const std::lock_guard lock(mutex_);
  array_ = array;
  percent_ = std::clamp(static_cast<int>(100 * part), 0, 100);
}

std::string ReadingProgress::text() const {
  const std::lock_guard lock(mutex_);
  return fmt::format("Unpacking {}: {}{}{} %", name_, array_, array_.empty() ? "" : ", ", percent_);
}

ReadingOutcome read_attention(const ReadingJob& job, const std::stop_token& stop) {
  const UnpackWatch watch = [&](const std::string& array, float part) {
    if (stop.stop_requested()) throw Cancelled{};
    job.progress->set(array, part);
  };
  try {
    return {job.read(watch), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  } catch (const std::bad_alloc&) {
    return {{}, "There is not enough memory to unpack it: save it with numpy.save, which can be looked at in place."};
  }
}

}  // namespace attnscope
