#include "paint_window/wide_characters.h"

#include <gtest/gtest.h>

#include "desk.h"
#include "desk_input.h"
#include "views/imgui_keys.h"

namespace attnscope::test {
namespace {

TEST(WideCharacters, ComeBackAsTheyWere) {
  for (const char* const text : {"🍕", "a🍕b 🎉", "東京 é", "", "no emoji"}) {
    EXPECT_EQ(edited_text(text_to_edit(text)), text);
    EXPECT_EQ(has_wide_characters(text), text_to_draw(text) != text) << text;
  }
  for (char32_t character = 0x1F000; character <= 0x1FAFF; ++character) {
    EXPECT_EQ(meant_by(held_as(character)), character);
    EXPECT_LE(held_as(character), static_cast<char32_t>(IM_UNICODE_CODEPOINT_MAX));
  }
}

TEST(WideCharacters, AreDrawnWithoutTheMarksOfTheirLook) {
  EXPECT_EQ(text_to_draw("a\uFE0Fb"), "ab");
  EXPECT_EQ(text_to_edit("a\uFE0Fb"), "a\uFE0Fb");
  EXPECT_EQ(text_to_draw("bad \xFF byte"), "bad \xFF byte");
}

TEST(WideCharacters, StayInANameThatIsEdited) {
  Document document = default_document();
  std::vector<std::string> names{"Your", "🍕", "starts", "with", "one", "step"};
  document.tokens = names;
  Desk desk(document);
  desk.click("tokens/1/name");
  desk.press_key(keys::named(ImGuiKey_End));
  desk.type("x");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.document().tokens[1], "🍕x");
}

}  // namespace
}  // namespace attnscope::test
