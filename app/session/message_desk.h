#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "state/command.h"
#include "state/moment.h"

namespace attnscope {

// The messages to the user.
class MessageDesk {
public:
  explicit MessageDesk(std::deque<Message>& shown) : shown_(shown) {}

  void apply(const ShowMessage& command) { say(command.text); }

  void say(std::string_view text, bool is_error = false);
  void expire(double now);                          // forgets what was said long ago
  double seconds_to_next_change(double now) const;  // negative for never

private:
  std::deque<Message>& shown_;
};

// The sentence of the exception that is being handled; what is no std::exception goes on.
std::string current_failure();

// Does what may fail. Whatever it throws becomes a sentence; empty where it went well.
std::string failure_of(const std::function<void()>& work);

}  // namespace attnscope
