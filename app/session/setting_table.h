#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "session/view_state.h"

namespace attnscope {

// A setting with a few values to choose from. The dialog of the settings draws a list for each row, and the palette has
// an entry for each value. What is only switched on and off is an action.
struct Setting {
  struct Value {
    std::string id;  // "dark": the widget is "settings/theme/dark"
    std::string title;
  };

  std::string_view id;  // "theme"
  std::string_view label;
  std::string_view help;
  std::vector<Value> values;
  int (*chosen)(const ViewState& view);  // index of the value; -1: another one, which text_of_other() writes
  void (*choose)(ViewState& view, int index);
  std::string (*text_of_other)(const ViewState& view) = nullptr;
  std::string_view (*obstacle)(const ViewState& view, int index) = nullptr;  // why it cannot be chosen; else empty

  std::string_view obstacle_in(const ViewState& view, int index) const { return obstacle ? obstacle(view, index) : ""; }
};

std::span<const Setting> setting_table();
const Setting& setting(std::string_view id);  // there must be one

}  // namespace attnscope
