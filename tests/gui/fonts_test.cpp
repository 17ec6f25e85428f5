#include "platform/fonts.h"

#include <fontconfig/fontconfig.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "paint/window/text.h"
#include "platform/font_parts.h"
#include "tests/support/places.h"
#include "ui/imgui_compat.h"

namespace attnscope {
namespace {

// How the character is drawn at the font's own size; the fallback where the font lacks it.
const ImFontGlyph& find_glyph(ImFont& font, ImWchar character) {
#if IMGUI_VERSION_NUM >= 19200
  return *font.GetFontBaked(font.LegacySize)->FindGlyph(character);
#else
  return *font.FindGlyph(character);
#endif
}

class FontsTest : public testing::Test {
protected:
  FontsTest() : context_(ImGui::CreateContext()) {}
  ~FontsTest() override { ImGui::DestroyContext(context_); }

  static std::vector<ImFont*> all(const Fonts& fonts) {
    return {fonts.text, fonts.small_text, fonts.heading, fonts.number, fonts.small_number, fonts.large_number};
  }

private:
  ImGuiContext* context_;
};

// The characters of everything that the program writes itself.
std::set<char32_t> written_characters() {
  std::set<char32_t> written;
  for (const char* folder :
       {"app/features", "app/teach", "app/ui", "app/view", "app/window", "assets/lessons", "core"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::tests_folder().parent_path() / folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      std::ranges::copy_if(drawn_characters(text), std::inserter(written, written.end()), is_shown);
    }
  }
  return written;
}

TEST_F(FontsTest, EveryFontHasWhatTheProgramWrites) {
  const Fonts fonts = load_fonts(1, 1, "⚄");  // which the session adds
  EXPECT_TRUE(fonts.messages.empty()) << fonts.messages.front();
  const std::set<char32_t> written = written_characters();
  EXPECT_TRUE(written.contains(U'√') && written.contains(U'…'));
  for (ImFont* font : all(fonts)) {
    ASSERT_NE(font, nullptr);
    for (const char32_t character : written)
      EXPECT_TRUE(has_glyph(*font, static_cast<ImWchar>(character))) << std::hex << static_cast<int>(character);
  }
}

TEST_F(FontsTest, SizesFollowTheScaleAndUnitsDoNot) {
  const float at_one = font_pixels(*load_fonts(1, 1, "").text);
  const Fonts twice = load_fonts(2, 1, "");
  EXPECT_NEAR(font_pixels(*twice.text), 2 * at_one, 1);
  EXPECT_NEAR(font_pixels(*twice.text) * font_scale(), at_one, 0.5);
  EXPECT_GT(font_pixels(*load_fonts(1, 1.5F, "").text), 1.4F * at_one);
}

TEST_F(FontsTest, DigitsOfTheNumberFontsAreEquallyWide) {
  const Fonts fonts = load_fonts(1, 1, "");
  for (ImFont* font : {fonts.number, fonts.small_number, fonts.large_number}) {
    const auto width = [&](const char* text) { return font->CalcTextSizeA(font_pixels(*font), 1e9F, 0, text).x; };
    EXPECT_EQ(width("0000"), width("1111"));
    EXPECT_EQ(width("0000"), width("-.98"));
  }
}

TEST_F(FontsTest, TokensInOtherScriptsGetGlyphs) {
  const char* const text = "東京 한국어 Привет";
  Fonts fonts = load_fonts(1, 1, "");
  // From Dear ImGui 1.92 on a font has all that its files hold, and these may hold more than was asked of them.
  const auto lacks = [&](ImWchar character) { return !has_glyph(*fonts.text, character); };
  EXPECT_EQ(needs_glyphs(fonts, text), lacks(0x6771) || lacks(0x4EAC) || lacks(0xD55C) || lacks(0x41F));
  EXPECT_FALSE(needs_glyphs(fonts, "journey café √"));
  fonts = load_fonts(1, 1, text);
  EXPECT_FALSE(needs_glyphs(fonts, text));
  const float size = font_pixels(*fonts.text);
  const ImFontGlyph east = find_glyph(*fonts.text, 0x6771);
  const ImFontGlyph box = find_glyph(*fonts.text, 0x25A1);
  EXPECT_GT(east.Y1 - east.Y0, 0.5F * size);
  EXPECT_FALSE(east.U0 == box.U0 && east.V0 == box.V0);
}

// As in figures. Dear ImGui holds them as other characters where its own have 16 bits.
TEST_F(FontsTest, EmojiHaveTheirColoursInEveryFont) {
#if IMGUI_VERSION_NUM >= 19200
  GTEST_SKIP() << "boxes";
#else
  const char* const text = "\U0001F355 tasty";
  EXPECT_TRUE(needs_glyphs(load_fonts(1, 1, ""), text));
  const Fonts fonts = load_fonts(1, 1, text);
  EXPECT_FALSE(needs_glyphs(fonts, text));
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  for (ImFont* font : all(fonts)) {
    const ImFontGlyph& glyph = find_glyph(*font, static_cast<ImWchar>(held_as(0x1F355)));
    EXPECT_TRUE(glyph.Colored);
    EXPECT_LE(glyph.Y1, font_pixels(*font)) << "within the line";
    EXPECT_GT(glyph.Y1 - glyph.Y0, 0.6F * font_pixels(*font));
    EXPECT_GE(glyph.AdvanceX, glyph.X1);
    const auto x = static_cast<int>((glyph.U0 + glyph.U1) / 2 * static_cast<float>(width));
    const auto y = static_cast<int>((glyph.V0 + glyph.V1) / 2 * static_cast<float>(height));
    const unsigned char* const middle = pixels + 4 * (static_cast<std::ptrdiff_t>(y) * width + x);
    EXPECT_EQ(middle[3], 255);
    EXPECT_GT(middle[0], middle[2] + 40) << "a pizza is not blue";
  }
#endif
}

TEST_F(FontsTest, WhatArabicAndJoinedEmojiAreDrawnAsHasLetters) {
  const char* const text = "سلام \U0001F468\u200D\U0001F467";
  EXPECT_TRUE(needs_glyphs(load_fonts(1, 1, ""), text));
  const Fonts fonts = load_fonts(1, 1, text);
  EXPECT_FALSE(needs_glyphs(fonts, text));
  const ImFontGlyph box = find_glyph(*fonts.text, 0x25A1);
  EXPECT_NE(find_glyph(*fonts.text, 0xFEFC).AdvanceX, box.AdvanceX) << "lam and alef are one letter";
}

TEST_F(FontsTest, WhatNoFontHasShowsAsABox) {
  const char* const text = "\uE7C3 \u0378 \U0001F600";  // private use, unassigned, beyond 16 bits
  const Fonts fonts = load_fonts(1, 1, text);
  EXPECT_FALSE(needs_glyphs(fonts, text));
  for (ImFont* font : all(fonts)) {
    const ImFontGlyph box = find_glyph(*font, 0x25A1);
    EXPECT_TRUE(box.Visible);
    for (const int character : {0x0378, 0xE7C3, 0xFFFD, 0xFFFE}) {
      const ImFontGlyph shown = find_glyph(*font, static_cast<ImWchar>(character));
      EXPECT_EQ(shown.Y0, box.Y0) << std::hex << character;
      EXPECT_EQ(shown.X1 - shown.X0, box.X1 - box.X0) << std::hex << character;
      EXPECT_EQ(shown.Y1, box.Y1) << std::hex << character;
      EXPECT_EQ(shown.AdvanceX, box.AdvanceX) << std::hex << character;
    }
  }
}

TEST_F(FontsTest, BrokenUtf8AndControlCharactersAreHarmless) {
  const Fonts fonts = load_fonts(1, 1, "a\xFF\xC3\n\t\x01");
  EXPECT_FALSE(needs_glyphs(fonts, "a\xFF\xC3\n\t\x01"));
}

TEST_F(FontsTest, ThousandsOfCharactersStayWithinATexture) {
  std::string text;
  for (int code = 0x4E00; code < 0x4E00 + 3000; ++code) {
    text += {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
             static_cast<char>(0x80 | (code & 0x3F))};
  }
  const Fonts fonts = load_fonts(2, 1, text);
  EXPECT_FALSE(needs_glyphs(fonts, text));
  EXPECT_LE(texture_size(*ImGui::GetIO().Fonts).y, 16384);
  ASSERT_EQ(fonts.messages.size(), 1U);
  EXPECT_NE(fonts.messages.front().find("2000"), std::string::npos);
}

struct AtlasCase {
  int max_side = 0;
  float scale = 0;
  bool is_as_wanted = false;  // as sharp as asked for
};

TEST_F(FontsTest, AtlasIsNoLargerThanTheDriversTextures) {
  for (const AtlasCase& each : {AtlasCase{1024, 1}, AtlasCase{1024, 12}, AtlasCase{2048, 1, true}, AtlasCase{2048, 2},
                                AtlasCase{4096, 2, true}, AtlasCase{4096, 4}, AtlasCase{8192, 4, true},
                                AtlasCase{usual_texture_side, 4, true}, AtlasCase{usual_texture_side, 12}}) {
    const std::string name = std::to_string(each.max_side) + " at " + std::to_string(each.scale);
    const Fonts fonts = load_fonts(each.scale, 1, "journey", each.max_side);
    const ImVec2 size = texture_size(*ImGui::GetIO().Fonts);
    EXPECT_LE(size.x, static_cast<float>(each.max_side)) << name;
    EXPECT_LE(size.y, static_cast<float>(each.max_side)) << name;
    EXPECT_GE(fonts.pixels_per_unit, 1) << name;
    EXPECT_TRUE(!each.is_as_wanted || fonts.pixels_per_unit == each.scale) << name;
    EXPECT_NEAR(font_pixels(*fonts.text) * font_scale(), 18.2, 0.6) << name << ": of whatever texture, one size";
    EXPECT_TRUE(fonts.messages.empty()) << name << fonts.messages.front();
    EXPECT_FALSE(needs_glyphs(fonts, "journey")) << name;
  }
}

TEST_F(FontsTest, CharactersThatTheDriversTexturesHaveNoRoomForAreBoxesAndSaid) {
#if IMGUI_VERSION_NUM >= 19200
  GTEST_SKIP() << "glyphs are made when they are drawn";
#else
  std::string text;
  for (int code = 0x4E00; code < 0x4E00 + 1900; ++code) {
    text += {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
             static_cast<char>(0x80 | (code & 0x3F))};
  }
  const Fonts fonts = load_fonts(2, 1, text, 1024);
  EXPECT_LE(texture_size(*ImGui::GetIO().Fonts).y, 1024);
  EXPECT_FALSE(needs_glyphs(fonts, text)) << "nothing better is to be had";
  ASSERT_EQ(fonts.messages.size(), 1U);
  EXPECT_NE(fonts.messages.front().find("the rest is shown as boxes."), std::string::npos);
  const ImFontGlyph first = find_glyph(*fonts.text, 0x4E00);
  const ImFontGlyph last = find_glyph(*fonts.text, 0x4E00 + 1899);
  const ImFontGlyph box = find_glyph(*fonts.text, 0x25A1);
  EXPECT_NE(first.U0, box.U0);
  EXPECT_EQ(last.U0, box.U0);
#endif
}

// Runs last: a computer without fonts is an empty configuration, put back afterwards.
TEST_F(FontsTest, MissingFontsAreSaidAndReplacedByDearImGuisOwn) {
  FcConfig* const usual = FcConfigReference(nullptr);
  FcConfig* const empty = FcConfigCreate();
  FcConfigSetCurrent(empty);
  const Fonts fonts = load_fonts(1, 1, "journey");
  FcConfigSetCurrent(usual);
  FcConfigDestroy(usual);
  ASSERT_EQ(fonts.messages.size(), 2U);
  EXPECT_NE(fonts.messages[0].find("Inter"), std::string::npos);
  EXPECT_NE(fonts.messages[1].find("JetBrains Mono"), std::string::npos);
  for (ImFont* font : all(fonts)) EXPECT_TRUE(has_glyph(*font, 'a'));
  EXPECT_FALSE(needs_glyphs(fonts, "journey"));
}

}  // namespace
}  // namespace attnscope
