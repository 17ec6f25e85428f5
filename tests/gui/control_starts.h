#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "headless_app.h"

namespace attnscope::test {

// A moment of a session.
struct Start {
  const char* name;
  std::function<Document()> document;
  ViewState view;
  std::vector<std::string_view> controls;  // what the names of those that are clicked begin with
  std::function<void(HeadlessApp&)> prepare = [](HeadlessApp&) {};
  bool has_keys = false;       // they are pressed, too
  bool is_held_alone = false;  // what is on the screen is not written: it depends on the system's fonts
};

inline void PrintTo(const Start& start, std::ostream* out) { *out << start.name; }

// What takes more than a click, at one of the starts.
struct Gesture {
  std::string_view start;
  std::string name;
  std::function<void(HeadlessApp&)> make;
};

std::vector<Start> starts();
const std::vector<Gesture>& gestures();

}  // namespace attnscope::test
