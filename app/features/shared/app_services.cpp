#include "features/shared/app_services.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>

#include "core/error.h"
#include "core/text.h"

namespace attnscope {
namespace {

constexpr double message_seconds = 10;
constexpr double error_seconds = 60;

double seconds_of(const Message& message) { return message.is_error ? error_seconds : message_seconds; }
constexpr std::size_t max_messages = 50;

}  // namespace

void MessageController::say(std::string_view text, bool is_error) {
  shown_.push_back({shown_text(text, most_of_a_message), is_error, desktop_.seconds()});
  if (shown_.size() > max_messages) shown_.pop_front();
}

bool MessageController::attempt(const std::function<void()>& work) {
  const std::string failure = failure_of(work);
  if (!failure.empty()) say(failure, true);
  return failure.empty();
}

void MessageController::expire(double now) {
  std::erase_if(shown_, [&](const Message& message) { return now - message.time > seconds_of(message); });
}

double MessageController::seconds_to_next_change(double now) const {
  if (shown_.empty()) return -1;
  return std::max(0.0, seconds_of(shown_.back()) - (now - shown_.back().time)) + 0.05;
}

std::string current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return error.what();
  } catch (const std::filesystem::filesystem_error& error) {
    return fmt::format("{}: {}.", shown_path(error.path1()), error.code().message());
  } catch (const std::bad_alloc&) {
    return "There is not enough memory for this.";
  } catch (const std::exception& error) {
    return fmt::format("This could not be done: {}.", error.what());
  }
}

std::string failure_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const std::exception&) {
    return current_failure();
  }
}

}  // namespace attnscope
