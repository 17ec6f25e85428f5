#include <cmath>

#include "desk.h"
#include "desk_input.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Words = std::vector<std::string>;
const Words notebook = {"Your", "journey", "starts", "with", "one", "step"};

float number_at(const Desk& desk, Index token, Index feature) {
  const Tensor& inputs = inputs_of(desk.document());
  return inputs.values[static_cast<std::size_t>(token * inputs.cols() + feature)];
}

TEST(Embedding, IsDraggedInHundredths) {
  Desk desk;
  const AlignedFloats before = desk.result().find(Stage::output)->values;
  desk.drag("tokens/1/0", 0.2f, 1);
  const float value = number_at(desk, 1, 0);
  EXPECT_GT(value, 0.55f + 0.1f);
  EXPECT_FLOAT_EQ(value, std::round(value * 100) / 100);
  EXPECT_NE(desk.result().find(Stage::output)->values, before);
  EXPECT_EQ(undo_count(desk), 1);
}

TEST(Embedding, IsTypedWithEveryDigitAfterADoubleClick) {
  Desk desk;
  desk.double_click("tokens/1/0");
  desk.type("-0.123456");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(number_at(desk, 1, 0), -0.123456f);
  EXPECT_EQ(undo_count(desk), 1);
  EXPECT_EQ(number_at(desk, 1, 0), 0.55f);
}

TEST(Embedding, RefusesWhatIsNoNumber) {
  for (const char* typed : {"nan", "inf", "1e999", "x", ""}) {
    Desk desk;
    desk.double_click("tokens/1/0");
    desk.type(typed);
    desk.press_key(keys::named(ImGuiKey_Enter));
    EXPECT_TRUE(std::isfinite(number_at(desk, 1, 0))) << typed;
    EXPECT_TRUE(desk.session().shown().evaluation.error.empty()) << typed;
  }
}

TEST(TokenName, IsTyped) {
  Desk desk;
  desk.replace_text("tokens/1/name", "trip");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.document().tokens[1], "trip");
  EXPECT_EQ(undo_count(desk), 1);
  EXPECT_EQ(desk.document().tokens, notebook);
}

TEST(TokenName, EscapeBringsItBack) {
  Desk desk;
  desk.replace_text("tokens/1/name", "trip");
  EXPECT_EQ(desk.document().tokens[1], "trip");
  desk.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(desk.document().tokens, notebook);
  EXPECT_EQ(undo_count(desk), 0);
}

// Clicks an entry of a token's menu and tells what tokens there are then.
Words after_menu(Desk& desk, int token, const std::string& entry) {
  const std::string name = "tokens/" + std::to_string(token);
  desk.click(name + "/menu");
  desk.click(name + "/" + entry);
  EXPECT_FALSE(desk.shows(name + "/" + entry)) << "the menu stays open";
  return desk.document().tokens;
}

TEST(TokenMenu, DuplicatesMovesAndDeletes) {
  Desk desk;
  EXPECT_EQ(after_menu(desk, 1, "duplicate"), (Words{"Your", "journey", "journey", "starts", "with", "one", "step"}));
  EXPECT_EQ(number_at(desk, 2, 0), 0.55f);
  EXPECT_EQ(after_menu(desk, 2, "delete"), notebook);
  EXPECT_EQ(after_menu(desk, 0, "down"), (Words{"journey", "Your", "starts", "with", "one", "step"}));
  EXPECT_EQ(number_at(desk, 0, 0), 0.55f);
  EXPECT_EQ(after_menu(desk, 1, "up"), notebook);
  EXPECT_EQ(undo_count(desk), 4);
}

TEST(TokenMenu, DisablesWhatCannotBe) {
  Desk desk;
  desk.click("tokens/0/menu");
  EXPECT_FALSE(desk.enables("tokens/0/up"));
  EXPECT_TRUE(desk.enables("tokens/0/down"));
  desk.click("tokens/0/up");
  EXPECT_EQ(desk.document().tokens, notebook);
}

TEST(TokenMenu, KeepsTheLastToken) {
  Document document = default_document();
  document.tokens = {"alone"};
  document.config.inputs = Tensor({1, 3}, {1, 2, 3});
  Desk desk(document);
  desk.click("tokens/0/menu");
  EXPECT_FALSE(desk.enables("tokens/0/delete"));
}

TEST(TokenButtons, AddATokenAndDimensions) {
  Desk desk;
  desk.click("tokens/add");
  EXPECT_EQ(desk.document().tokens.size(), 7U);
  desk.click("tokens/add_feature");
  EXPECT_EQ(desk.result().find(Stage::inputs)->shape, (std::vector<Index>{1, 7, 4}));
  for (int times = 0; times < 3; ++times) desk.click("tokens/remove_feature");
  EXPECT_EQ(desk.result().find(Stage::inputs)->shape, (std::vector<Index>{1, 7, 1}));
  EXPECT_FALSE(desk.enables("tokens/remove_feature"));
}

TEST(TokenButtons, StayUnderThePointerWhenARowIsAdded) {
  Desk desk;
  const ImVec2 before = desk.widget("tokens/add").min_screen;
  for (int times = 0; times < 4; ++times) desk.click("tokens/add");
  EXPECT_EQ(desk.document().tokens.size(), 10U);
  EXPECT_EQ(desk.widget("tokens/add").min_screen.x, before.x);
  EXPECT_EQ(desk.widget("tokens/add").min_screen.y, before.y);
}

// The names stay in sight while the numbers scroll, and nothing scrolls the panel itself sideways.
TEST(TokenTable, ScrollsItsColumnsBesideTheNames) {
  Document document = default_document();
  document.config.inputs = RandnInputs{6, 40};
  Desk desk(document);
  desk.click("tokens");
  const WidgetRegistry::Entry name = desk.widget("tokens/1/name");
  const float panel_right = desk.widget("tokens/sentence").max_screen.x;
  EXPECT_LE(desk.widget("tokens/add").max_screen.x, panel_right);
  EXPECT_FALSE(desk.shows("tokens/1/39"));
  desk.move_to("tokens/1/0");
  give_modifiers(false, true);
  for (int lines = 0; lines < 40; ++lines) desk.scroll(-5);
  give_modifiers(false, false);
  EXPECT_TRUE(desk.shows("tokens/1/39"));
  EXPECT_EQ(desk.widget("tokens/1/name").min_screen.x, name.min_screen.x);
  EXPECT_GE(desk.widget("tokens/1/39").clip_screen.x, name.max_screen.x) << "numbers end where the names are";
  EXPECT_LE(desk.widget("tokens/1/39").max_screen.x, panel_right);
}

TEST(TokenTable, HasMoreRowsWhereThePanelHasRoom) {
  Document document = default_document();
  document.config.inputs = RandnInputs{40, 3};
  document.tokens = numbered_tokens(40);
  const auto rows_in = [&](float height) {
    Desk desk(document, {1280, height});
    int rows = 0;
    while (desk.shows("tokens/" + std::to_string(rows) + "/name")) ++rows;
    EXPECT_LE(desk.widget("tokens/0/name").max_screen.y, height);
    return rows;
  };
  EXPECT_GT(rows_in(1460), rows_in(800) + 5);
}

TEST(PanelEdge, IsDraggedAndADoubleClickTakesItBack) {
  Desk desk;
  const float before = desk.widget("setup").max_screen.x;
  const float number = desk.widget("tokens/0/name").max_screen.x;
  desk.move_to("setup/edge");
  desk.press();
  for (int step = 0; step < 10; ++step) desk.move_by({10, 0});
  desk.release();
  EXPECT_NEAR(desk.widget("setup").max_screen.x, before + 100, 3);
  EXPECT_GT(desk.widget("tokens/0/name").max_screen.x, number) << "names take what is there";
  EXPECT_NEAR(desk.widget("workspace").min_screen.x, before + 100, 3);
  EXPECT_GT(desk.view().setup_width, 0);
  desk.double_click("setup/edge");
  EXPECT_EQ(desk.widget("setup").max_screen.x, before);
  desk.move_to("inspector/edge");
  desk.press();
  desk.move_by({-30, 0});
  desk.move_by({-30, 0});
  desk.release();
  EXPECT_NEAR(desk.widget("inspector").min_screen.x, desk.widget("workspace").max_screen.x, 1);
  EXPECT_GT(desk.view().inspector_width, 0);
}

TEST(TokenButtons, RandnDrawsAndItsNumbersCanBeDragged) {
  Desk desk;
  desk.click("tokens/randn");
  ASSERT_TRUE(std::holds_alternative<RandnInputs>(desk.config().inputs));
  const Parameters drawn = *desk.result().parameters;
  const float untouched = desk.result().find(Stage::inputs)->values[4];
  desk.drag("tokens/0/0", 0.2f, 0.8f);
  ASSERT_TRUE(std::holds_alternative<SharedTensor>(desk.config().inputs));
  EXPECT_EQ(number_at(desk, 1, 1), untouched);
  EXPECT_EQ(*desk.result().parameters, drawn);
}

TEST(Paste, TakesABlockOfNumbersFromTheClipboard) {
  Desk desk;
  desk.clipboard() = "[[1, 2],\n [3, 4],\n [5, 6]]";
  desk.click("tokens/paste");
  EXPECT_EQ(inputs_of(desk.document()), Tensor({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(desk.document().tokens, (Words{"Your", "journey", "starts"}));
  EXPECT_NE(desk.message().find("3 tokens of 2 numbers"), std::string::npos) << desk.message();
  EXPECT_EQ(undo_count(desk), 1);
}

TEST(Paste, WorksByKey) {
  Desk desk;
  desk.clipboard() = "0.5\t0.25\n1\t2\n";
  desk.press_control('V');
  EXPECT_EQ(inputs_of(desk.document()), Tensor({2, 2}, {0.5f, 0.25f, 1, 2}));
}

TEST(Paste, OfWhatIsNoBlockSaysWhyAndChangesNothing) {
  for (const char* text : {"", "hello", "1, 2\n3", "1, nan"}) {
    Desk desk;
    desk.clipboard() = text;
    desk.press_control('V');
    EXPECT_FALSE(desk.session().shown().is_modified) << text;
    ASSERT_FALSE(desk.session().shown().messages.empty()) << text;
    EXPECT_TRUE(desk.session().shown().messages.back().is_error) << desk.message();
  }
}

TEST(Paste, IntoATextFieldIsText) {
  Desk desk;
  desk.clipboard() = "1,2";
  desk.replace_text("tokens/1/name", "");
  desk.press_control('V');
  EXPECT_EQ(desk.document().tokens[1], "1,2");
  EXPECT_EQ(inputs_of(desk.document()), inputs_of(default_document()));
}

TEST(Sentence, MakesTokens) {
  Desk desk;
  desk.replace_text("tokens/sentence", "one cat starts");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.document().tokens, (Words{"one", "cat", "starts"}));
  EXPECT_EQ(number_at(desk, 0, 0), 0.77f);
  EXPECT_EQ(desk.result().find(Stage::weights)->cols(), 3);
  EXPECT_EQ(undo_count(desk), 1);
}

TEST(Sentence, ThatIsEmptySaysSo) {
  Desk desk;
  desk.replace_text("tokens/sentence", " ");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.document().tokens, notebook);
  EXPECT_NE(desk.message().find("empty"), std::string::npos) << desk.message();
}

}  // namespace
}  // namespace attnscope::test
