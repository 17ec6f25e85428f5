#include "cut_off.h"

#include <fmt/format.h>

#include <stdexcept>

#include "ui/imgui_compat.h"

namespace attnscope::test {
namespace {

constexpr float slack = 1.5f;
constexpr float slack_inside = 8;  // frames of headings reach into the margins

// Without the number that Dear ImGui gives to a window within another one.
std::string_view name_of(const ImGuiWindow& window) {
  const std::string_view name = window.Name;
  return window.Flags & ImGuiWindowFlags_ChildWindow ? name.substr(0, name.rfind('_')) : name;
}

}  // namespace

std::vector<std::string> windows_cut_off() {
  std::vector<std::string> all;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    if (!window->Active || window->Hidden || window->SkipItems) continue;
    const ImRect rect = window->Rect();
    const bool is_out =
        rect.Min.x < -slack || rect.Min.y < -slack || rect.Max.x > size.x + slack || rect.Max.y > size.y + slack;
    const ImVec2 rest = window->ScrollMax;
    if (window->RootWindow == window && is_out) all.push_back(fmt::format("{} stands out.", name_of(*window)));
    if (rest.x > slack_inside && !(window->Flags & ImGuiWindowFlags_HorizontalScrollbar))
      all.push_back(fmt::format("{} is cut off at its right by {}.", name_of(*window), rest.x));
    if (rest.y > slack_inside && window->Flags & ImGuiWindowFlags_NoScrollbar)
      all.push_back(fmt::format("{} is cut off below by {}.", name_of(*window), rest.y));
  }
  return all;
}

float pixels_below(std::string_view name) {
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    if (window->Active && !window->Hidden && name_of(*window).ends_with(name)) return window->ScrollMax.y;
  }
  throw std::runtime_error(fmt::format("no window \"{}\" is shown", name));
}

}  // namespace attnscope::test
