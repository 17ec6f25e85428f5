#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "platform/system/other_programs.h"
#include "session/ui_state.h"

namespace attnscope {

// The messages to the user.
class MessageController {
public:
  MessageController(std::deque<Message>& shown, const Desktop& desktop) : shown_(shown), desktop_(desktop) {}

  void say(std::string_view text, bool is_error = false);
  bool attempt(const std::function<void()>& work);  // runs work, and says its failure; returns whether it went well
  void expire(double now);                          // forgets old messages
  double seconds_to_next_change(double now) const;  // negative for never

private:
  std::deque<Message>& shown_;
  const Desktop& desktop_;
};

// Returns the sentence of the exception that is being handled; rethrows what is no std::exception.
std::string current_failure();

// Runs work that may fail. Returns the sentence of what it throws; empty if it went well.
std::string failure_of(const std::function<void()>& work);

}  // namespace attnscope
