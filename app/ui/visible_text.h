#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "paint/window/text.h"
#include "ui/widget_registry.h"

struct ImGuiWindow;

namespace attnscope {

// A line of text, or what shows of it.
struct VisibleText {
  std::string text;
  ImVec2 min_screen;  // around its letters
  ImVec2 max_screen;
  float size = 0;  // of its font, by the em, in units
  bool is_vertical = false;
  const ImGuiWindow* window = nullptr;  // that it is in
};

// Every text that was drawn into a frame, read back from the letters in the draw lists: whatever drew it, none is
// missed. Blanks at the ends are not seen, neither is what a window lies over. What stands in different widgets or
// cells is different texts. Call after ImGui::Render().
std::vector<VisibleText> visible_texts(const Fonts& fonts, const WidgetRegistry& widgets);

// Returns the window that lies over a place of another one; null for none.
const ImGuiWindow* window_over(ImVec2 pos_screen, const ImGuiWindow* window);

}  // namespace attnscope
