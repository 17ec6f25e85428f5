#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace attnscope {

struct Controllers;

// A call of a named function of a controller: `[path](const Controllers& to) { to.files.save(path); }`. It runs
// after the panel that pushed it, and captures what it needs by value. An Error that it throws becomes a message and
// changes nothing.
using Call = std::function<void(const Controllers&)>;

// The calls that panels ask for while they draw a frame. The session runs them in order. Frames that are drawn of a
// moment that has passed throw their queue away.
class CallQueue {
public:
  void push(Call call) {
    calls_.push_back(std::move(call));
    is_frame_asked_ = true;
  }
  // A call after which the next frame looks the same, unless the call itself changes something on the screen.
  void push_idle(Call call) { calls_.push_back(std::move(call)); }
  std::size_t size() const { return calls_.size(); }
  // Hands each call to `run`, also those that are pushed meanwhile. Returns whether one of them asks for another frame.
  bool drain(const std::function<void(const Call&)>& run) {
    while (!calls_.empty()) {
      for (const Call& call : std::exchange(calls_, {})) run(call);
    }
    return std::exchange(is_frame_asked_, false);
  }

private:
  std::vector<Call> calls_;
  bool is_frame_asked_ = false;
};

}  // namespace attnscope
