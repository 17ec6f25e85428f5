#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// Where this frame's named widgets are: tests and recorded interaction find them by name, as a person finds them by
// sight.
struct WidgetRegistry {
  struct Entry {
    std::string name;  // "setup/dropout", "tokens/1/0", "stages/weights"
    ImVec2 min_screen;
    ImVec2 max_screen;
    bool enabled = true;
  };

  void clear() { entries.clear(); }
  void add(std::string name, ImVec2 min_screen, ImVec2 max_screen, bool enabled = true) {
    entries.push_back({std::move(name), min_screen, max_screen, enabled});
  }
  const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  std::vector<Entry> entries;
};

}  // namespace attnscope
