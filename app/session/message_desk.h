#pragma once

#include <deque>
#include <functional>
#include <string>

#include "views/command.h"
#include "views/moment.h"

namespace attnscope {

// What is said to the user.
class MessageDesk {
public:
  explicit MessageDesk(std::deque<Message>& shown) : shown_(shown) {}

  void apply(const ShowMessage& command) { say(command.text); }

  void say(std::string text, bool is_error = false);
  void expire(double now);                          // forgets what was said long ago
  double seconds_to_next_change(double now) const;  // negative for never

private:
  std::deque<Message>& shown_;
};

// Does what may fail. Whatever it throws becomes a sentence; empty where it went well.
std::string failure_of(const std::function<void()>& work);

}  // namespace attnscope
