#include "paint/window/text.h"

#include <gtest/gtest.h>

#include "headless_app.h"
#include "headless_app_input.h"
#include "ui/imgui_input.h"

namespace attnscope::test {
namespace {

TEST(WideCharacters, ComeBackAsTheyWere) {
  for (const char* const text : {"🍕", "a🍕b 🎉", "東京 é", "", "no emoji"}) {
    EXPECT_EQ(edited_text(text_to_edit(text)), text);
    EXPECT_TRUE(may_be_drawn_otherwise(text) || text_to_draw(text) == text) << text;
  }
  for (char32_t character = 0x1F000; character <= 0x1FAFF; ++character) {
    EXPECT_EQ(meant_by(held_as(character)), character);
    EXPECT_LE(held_as(character), static_cast<char32_t>(IM_UNICODE_CODEPOINT_MAX));
  }
}

TEST(WideCharacters, AreDrawnWithoutTheMarksOfTheirLook) {
  EXPECT_EQ(text_to_draw("a\uFE0Fb"), "ab");
  EXPECT_EQ(text_to_edit("a\uFE0Fb"), "a\uFE0Fb");
  EXPECT_EQ(text_to_draw("bad \xFF byte"), "bad \uFFFD byte");
}

TEST(WideCharacters, OfHebrewAreDrawnFromRightToLeftWithinASentence) {
  EXPECT_EQ(text_to_draw("שלום"), "םולש");
  EXPECT_EQ(text_to_draw("“שלום” gets 48 %"), "“םולש” gets 48 %");
  EXPECT_EQ(text_to_draw("אב\nגד"), "בא\nדג") << "each line by itself";
}

TEST(WideCharacters, OfArabicAreJoined) {
  EXPECT_EQ(text_to_draw("سلام"), "\uFEE1\uFEFC\uFEB3") << "seen from the left: meem, lam with alef, seen";
  EXPECT_EQ(text_to_edit("سلام"), "سلام");
}

TEST(WideCharacters, OfSeveralJoinedEmojiOneIsDrawn) {
  const std::string family = text_to_draw("👪");
  EXPECT_EQ(text_to_draw("👨\u200D👩\u200D👧"), family);
  EXPECT_EQ(text_to_draw("👍🏽"), text_to_draw("👍"));
  EXPECT_EQ(text_to_draw("👩\u200D💻!"), text_to_draw("👩!"));
  EXPECT_EQ(edited_text(text_to_edit("👨\u200D👩")), "👨\u200D👩") << "as it is typed";
}

TEST(WideCharacters, StayInANameThatIsEdited) {
  Document document = default_document();
  std::vector<std::string> names{"Your", "🍕", "starts", "with", "one", "step"};
  document.tokens = names;
  HeadlessApp app(document);
  app.click("tokens/1/name");
  app.press_key(keys::named(ImGuiKey_End));
  app.type("x");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.document().tokens[1], "🍕x");
}

}  // namespace
}  // namespace attnscope::test
