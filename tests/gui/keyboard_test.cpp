// The keys that scripts name.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cli/script.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope::test {
namespace {

struct NamedKeys : testing::Test {
  ImGuiContext* context = ImGui::CreateContext();
  NamedKeys() { map_keys(); }
  ~NamedKeys() override { ImGui::DestroyContext(context); }
};

TEST_F(NamedKeys, AreTheOnesThatTheirSentenceLists) {
  std::vector<std::string> names = {"Escape", "Enter", "Tab",     "Backspace", "Delete", "Left", "Right", "Up", "Down",
                                    "Home",   "End",   "Page Up", "Page Down", "Space",  "[",    "]",     "-",  "="};
  for (int number = 1; number <= 12; ++number) names.push_back("F" + std::to_string(number));
  for (char c = 'A'; c <= 'Z'; ++c) names.emplace_back(1, c);
  for (char c = '0'; c <= '9'; ++c) names.emplace_back(1, c);
  std::set<int> codes;
  for (const std::string& name : names) {
    const auto press = key_press_named(name);
    ASSERT_TRUE(press) << name;
    EXPECT_TRUE(codes.insert(code_of(*press)).second) << name << " is another key, too";
  }
  EXPECT_TRUE(codes.contains(keys::function(12)));
  for (const char* const name : {"", "FF", "F0", "F13", "F1x", "*", "Nothing", "Hyper+A"})
    EXPECT_FALSE(key_press_named(name)) << name;
}

TEST_F(NamedKeys, AreHeldWithOthersInAnyOrder) {
  const auto press = key_press_named("alt + Ctrl+f12");
  ASSERT_TRUE(press);
  EXPECT_TRUE(press->held.control);
  EXPECT_TRUE(press->held.alt);
  EXPECT_FALSE(press->held.shift);
  EXPECT_EQ(code_of(*press), keys::function(12));
}

// Content that is as high as its child is wide, such as square cells: a scroll bar makes it low enough to need none.
TEST(SteadyChild, KeepsAScrollBarThatWouldComeAndGo) {
  ImGuiContext* const context = ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {400, 400};
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  const auto changes_of_width = [&](bool is_steady) {
    float before = 0;
    int changes = 0;
    for (int frame = 0; frame < 40; ++frame) {
      io.DeltaTime = 1.0F / 60;
      ImGui::NewFrame();
      ImGui::Begin(is_steady ? "steady" : "plain");
      const ImVec2 size{205, 198};
      is_steady ? begin_steady_child("child", size) : ImGui::BeginChild("child", size);
      const float room = ImGui::GetContentRegionAvail().x;
      changes += frame > 20 && room != before ? 1 : 0;  // the first frames find the place
      before = room;
      ImGui::Dummy({room, room});
      ImGui::EndChild();
      ImGui::End();
      ImGui::EndFrame();
    }
    return changes;
  };
  EXPECT_GT(changes_of_width(false), 5) << "the fault is there";
  EXPECT_EQ(changes_of_width(true), 0);
  ImGui::DestroyContext(context);
}

}  // namespace
}  // namespace attnscope::test
