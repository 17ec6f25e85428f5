#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compute/computation.h"
#include "document/sweep.h"

namespace attnscope {

constexpr std::uint64_t kept_frames_bytes = 256ULL << 20;

// The results of a document with one parameter swept. Each is evaluated when it is first asked for, and kept until all
// kept ones take `kept_bytes`; further ones are evaluated each time.
class FrameResults {
public:
  FrameResults(Document document, Sweep sweep, std::uint64_t kept_bytes = kept_frames_bytes);

  std::size_t frame_count() const { return sweep_.values.size(); }
  const Document& document() const { return document_; }  // before the sweep
  Document document(std::size_t frame) const;             // throws Error where the value is not allowed
  std::string name(std::size_t frame) const;              // "seed 7"
  std::optional<Stage> last_stage(std::size_t frame) const { return attnscope::last_stage(sweep_, frame); }

  // Of document(frame). Throws Error as evaluate() does, and Cancelled.
  std::shared_ptr<const Result> result(std::size_t frame, const Execution& execution);
  std::size_t evaluation_count() const { return evaluation_count_; }  // so far

private:
  Document document_;
  Sweep sweep_;
  std::uint64_t room_;  // bytes that may still be kept
  std::vector<std::shared_ptr<const Result>> kept_;
  Engine engine_;
  Computed latest_;  // shares with the next what the swept parameter does not change
  std::size_t evaluation_count_ = 0;
};

}  // namespace attnscope
