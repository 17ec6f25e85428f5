#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "platform/system/desktop.h"
#include "session/ui_state.h"

namespace attnscope {

// The messages to the user.
class MessageController {
public:
  MessageController(std::deque<Message>& shown, const Desktop& desktop) : shown_(shown), desktop_(desktop) {}

  void say(std::string_view text, bool is_error = false);
  bool attempt(const std::function<void()>& work);  // does what may fail, and says it; whether it went well
  void expire(double now);                          // forgets what was said long ago
  double seconds_to_next_change(double now) const;  // negative for never

private:
  std::deque<Message>& shown_;
  const Desktop& desktop_;
};

// The sentence of the exception that is being handled; what is no std::exception goes on.
std::string current_failure();

// Does what may fail. Whatever it throws becomes a sentence; empty where it went well.
std::string failure_of(const std::function<void()>& work);

}  // namespace attnscope
