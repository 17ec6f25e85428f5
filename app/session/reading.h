#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "session/viewed_attention.h"

// Attention that has to be unpacked is read in the background, while what was shown stays.
namespace attnscope {

// How far a reading has come; written by one thread and read by another.
class ReadingProgress {
public:
  explicit ReadingProgress(std::string name) : name_(std::move(name)) {}
  void set(const std::string& array, float part);
  std::string text() const;  // "Unpacking attention.npz: attn.11, 43 %"

private:
  const std::string name_;
  mutable std::mutex mutex_;
  std::string array_;
  int percent_ = 0;
};

struct ReadingJob {
  std::function<LoadedAttention(const UnpackWatch&)> read;  // may throw Error
  std::shared_ptr<ReadingProgress> progress;
};
struct ReadingOutcome {
  LoadedAttention attention;
  std::string error;  // why there is none; else empty
};
// Throws Cancelled.
ReadingOutcome read_attention(const ReadingJob& job, const std::stop_token& stop);

}  // namespace attnscope
