#include "ui/view_context.h"

#include <gtest/gtest.h>

#include "headless_app.h"
#include "tests/support/colour_vision.h"

namespace attnscope::test {
namespace {

Rgb rgb_of(const ImVec4& colour) {
  const auto channel = [](float of) { return static_cast<std::uint8_t>(std::lround(of * 255)); };
  return {channel(colour.x), channel(colour.y), channel(colour.z)};
}

ImVec4 over(const ImVec4& ground, const ImVec4& colour, float alpha) {
  const auto channel = [&](float from, float to) { return from + (to - from) * alpha; };
  return {channel(ground.x, colour.x), channel(ground.y, colour.y), channel(ground.z, colour.z), 1};
}

// What widgets of this program put texts on.
constexpr ImGuiCol grounds[] = {ImGuiCol_WindowBg,       ImGuiCol_PopupBg,        ImGuiCol_FrameBg,
                                ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive,  ImGuiCol_TitleBg,
                                ImGuiCol_TitleBgActive,  ImGuiCol_MenuBarBg,      ImGuiCol_SliderGrab,
                                ImGuiCol_Button,         ImGuiCol_ButtonHovered,  ImGuiCol_ButtonActive,
                                ImGuiCol_Header,         ImGuiCol_HeaderHovered,  ImGuiCol_HeaderActive,
                                ImGuiCol_TableHeaderBg,  ImGuiCol_TextSelectedBg, ImGuiCol_SliderGrabActive};

TEST(ThemeStyle, HasTextThatIsReadableOnEveryWidget) {
  const HeadlessApp app;  // has the context whose style it is
  for (const ThemeColours& theme : themes()) {
    apply_theme(theme.theme, 1);
    const ImVec4* const colours = ImGui::GetStyle().Colors;
    for (const ImGuiCol ground : grounds) {
      EXPECT_EQ(colours[ground].w, 1) << theme.id << " " << ImGui::GetStyleColorName(ground);
      EXPECT_GE(contrast(rgb_of(colours[ImGuiCol_Text]), rgb_of(colours[ground])), 4.5)
          << theme.id << " " << ImGui::GetStyleColorName(ground);
    }
  }
}

// WCAG 2 asks nothing of controls that cannot be used; these say what the document would offer, so they are read, too.
TEST(ThemeStyle, HasDisabledControlsThatCanStillBeRead) {
  const HeadlessApp app;
  for (const ThemeColours& theme : themes()) {
    apply_theme(theme.theme, 1);
    const ImGuiStyle& style = ImGui::GetStyle();
    for (const ImGuiCol ground : {ImGuiCol_WindowBg, ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_PopupBg}) {
      const ImVec4 faint = over(style.Colors[ImGuiCol_WindowBg], style.Colors[ground], style.DisabledAlpha);
      const ImVec4 text = over(faint, style.Colors[ImGuiCol_Text], style.DisabledAlpha);
      EXPECT_GE(contrast(rgb_of(text), rgb_of(faint)), 3) << theme.id << " " << ImGui::GetStyleColorName(ground);
    }
  }
}

}  // namespace
}  // namespace attnscope::test
