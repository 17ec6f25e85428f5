// The keys that scripts name.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cli/script.h"
#include "ui/imgui_input.h"

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

}  // namespace
}  // namespace attnscope::test
