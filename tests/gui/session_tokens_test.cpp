#include <cmath>

#include "files/result_file.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Words = std::vector<std::string>;
const Words notebook = {"Your", "journey", "starts", "with", "one", "step"};

float number_at(const HeadlessApp& app, Index token, Index feature) {
  const Tensor& inputs = inputs_of(app.document());
  return inputs.values[static_cast<std::size_t>(token * inputs.cols() + feature)];
}

TEST(Embedding, IsDraggedInHundredths) {
  HeadlessApp app;
  const AlignedFloats before = app.result().find(Stage::output)->values;
  app.drag("tokens/1/0", 0.2f, 1);
  const float value = number_at(app, 1, 0);
  EXPECT_GT(value, 0.55f + 0.1f);
  EXPECT_FLOAT_EQ(value, std::round(value * 100) / 100);
  EXPECT_NE(app.result().find(Stage::output)->values, before);
  EXPECT_EQ(undo_count(app), 1);
}

TEST(Embedding, IsTypedWithEveryDigitAfterADoubleClick) {
  HeadlessApp app;
  app.double_click("tokens/1/0");
  app.type("-0.123456");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(number_at(app, 1, 0), -0.123456f);
  EXPECT_EQ(undo_count(app), 1);
  EXPECT_EQ(number_at(app, 1, 0), 0.55f);
}

TEST(Embedding, RefusesWhatIsNoNumber) {
  for (const char* typed : {"nan", "inf", "1e999", "x", ""}) {
    HeadlessApp app;
    app.double_click("tokens/1/0");
    app.type(typed);
    app.press_key(keys::named(ImGuiKey_Enter));
    EXPECT_TRUE(std::isfinite(number_at(app, 1, 0))) << typed;
    EXPECT_TRUE(app.session().shown().evaluation.error.empty()) << typed;
  }
}

TEST(TokenName, IsTyped) {
  HeadlessApp app;
  app.replace_text("tokens/1/name", "trip");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.document().tokens[1], "trip");
  EXPECT_EQ(undo_count(app), 1);
  EXPECT_EQ(app.document().tokens, notebook);
}

TEST(TokenName, EscapeBringsItBack) {
  HeadlessApp app;
  app.replace_text("tokens/1/name", "trip");
  EXPECT_EQ(app.document().tokens[1], "trip");
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(app.document().tokens, notebook);
  EXPECT_EQ(undo_count(app), 0);
}

// Clicks an entry of a token's menu and tells what tokens there are then.
Words after_menu(HeadlessApp& app, int token, const std::string& entry) {
  const std::string name = "tokens/" + std::to_string(token);
  app.click(name + "/menu");
  app.click(name + "/" + entry);
  EXPECT_FALSE(app.shows(name + "/" + entry)) << "the menu stays open";
  return app.document().tokens;
}

TEST(TokenMenu, DuplicatesMovesAndDeletes) {
  HeadlessApp app;
  EXPECT_EQ(after_menu(app, 1, "duplicate"), (Words{"Your", "journey", "journey", "starts", "with", "one", "step"}));
  EXPECT_EQ(number_at(app, 2, 0), 0.55f);
  EXPECT_EQ(after_menu(app, 2, "delete"), notebook);
  EXPECT_EQ(after_menu(app, 0, "down"), (Words{"journey", "Your", "starts", "with", "one", "step"}));
  EXPECT_EQ(number_at(app, 0, 0), 0.55f);
  EXPECT_EQ(after_menu(app, 1, "up"), notebook);
  EXPECT_EQ(undo_count(app), 4);
}

TEST(TokenMenu, DisablesWhatCannotBe) {
  HeadlessApp app;
  app.click("tokens/0/menu");
  EXPECT_FALSE(app.enables("tokens/0/up"));
  EXPECT_TRUE(app.enables("tokens/0/down"));
  app.click("tokens/0/up");
  EXPECT_EQ(app.document().tokens, notebook);
}

TEST(TokenMenu, KeepsTheLastToken) {
  Document document = default_document();
  document.tokens = {"alone"};
  document.config.inputs = Tensor({1, 3}, {1, 2, 3});
  HeadlessApp app(document);
  app.click("tokens/0/menu");
  EXPECT_FALSE(app.enables("tokens/0/delete"));
}

TEST(TokenButtons, AddATokenAndDimensions) {
  HeadlessApp app;
  app.click("tokens/add");
  EXPECT_EQ(app.document().tokens.size(), 7U);
  app.click("tokens/add_feature");
  EXPECT_EQ(app.result().find(Stage::inputs)->shape, (std::vector<Index>{1, 7, 4}));
  for (int times = 0; times < 3; ++times) app.click("tokens/remove_feature");
  EXPECT_EQ(app.result().find(Stage::inputs)->shape, (std::vector<Index>{1, 7, 1}));
  EXPECT_FALSE(app.enables("tokens/remove_feature"));
}

TEST(TokenButtons, StayUnderThePointerWhenARowIsAdded) {
  HeadlessApp app;
  const ImVec2 before = app.widget("tokens/add").min_screen;
  for (int times = 0; times < 4; ++times) app.click("tokens/add");
  EXPECT_EQ(app.document().tokens.size(), 10U);
  EXPECT_EQ(app.widget("tokens/add").min_screen.x, before.x);
  EXPECT_EQ(app.widget("tokens/add").min_screen.y, before.y);
}

// The names stay in sight while the numbers scroll, and nothing scrolls the panel itself sideways.
TEST(TokenTable, ScrollsItsColumnsBesideTheNames) {
  Document document = default_document();
  document.config.inputs = RandnInputs{6, 40};
  HeadlessApp app(document);
  app.click("tokens");
  const WidgetRegistry::Entry name = app.widget("tokens/1/name");
  const float panel_right = app.widget("tokens/sentence").max_screen.x;
  EXPECT_LE(app.widget("tokens/add").max_screen.x, panel_right);
  EXPECT_FALSE(app.shows("tokens/1/39"));
  app.move_to("tokens/1/0");
  give_modifiers(false, true);
  for (int lines = 0; lines < 40; ++lines) app.scroll(-5);
  give_modifiers(false, false);
  EXPECT_TRUE(app.shows("tokens/1/39"));
  EXPECT_EQ(app.widget("tokens/1/name").min_screen.x, name.min_screen.x);
  EXPECT_GE(app.widget("tokens/1/39").clip_screen.x, name.max_screen.x) << "numbers end where the names are";
  EXPECT_LE(app.widget("tokens/1/39").max_screen.x, panel_right);
}

TEST(TokenTable, HasMoreRowsWhereThePanelHasRoom) {
  Document document = default_document();
  document.config.inputs = RandnInputs{40, 3};
  document.tokens = numbered_tokens(40);
  const auto rows_in = [&](float height) {
    HeadlessApp app(document, {1280, height});
    int rows = 0;
    while (app.shows("tokens/" + std::to_string(rows) + "/name")) ++rows;
    EXPECT_LE(app.widget("tokens/0/name").max_screen.y, height);
    return rows;
  };
  EXPECT_GT(rows_in(1460), rows_in(800) + 5);
}

TEST(PanelEdge, IsDraggedAndADoubleClickTakesItBack) {
  HeadlessApp app;
  const float before = app.widget("setup").max_screen.x;
  const float number = app.widget("tokens/0/name").max_screen.x;
  app.move_to("setup/edge");
  app.press();
  for (int step = 0; step < 10; ++step) app.move_by({10, 0});
  app.release();
  EXPECT_NEAR(app.widget("setup").max_screen.x, before + 100, 3);
  EXPECT_GT(app.widget("tokens/0/name").max_screen.x, number) << "names take what is there";
  EXPECT_NEAR(app.widget("workspace").min_screen.x, before + 100, 3);
  EXPECT_GT(app.view().setup_width, 0);
  app.double_click("setup/edge");
  EXPECT_EQ(app.widget("setup").max_screen.x, before);
  app.move_to("inspector/edge");
  app.press();
  app.move_by({-30, 0});
  app.move_by({-30, 0});
  app.release();
  EXPECT_NEAR(app.widget("inspector").min_screen.x, app.widget("workspace").max_screen.x, 1);
  EXPECT_GT(app.view().inspector_width, 0);
}

TEST(TokenButtons, RandnDrawsAndItsNumbersCanBeDragged) {
  HeadlessApp app;
  app.click("tokens/randn");
  ASSERT_TRUE(std::holds_alternative<RandnInputs>(app.config().inputs));
  const Parameters drawn = *app.result().parameters;
  const float untouched = app.result().find(Stage::inputs)->values[4];
  app.drag("tokens/0/0", 0.2f, 0.8f);
  ASSERT_TRUE(std::holds_alternative<SharedTensor>(app.config().inputs));
  EXPECT_EQ(number_at(app, 1, 1), untouched);
  EXPECT_EQ(*app.result().parameters, drawn);
}

TEST(Paste, TakesABlockOfNumbersFromTheClipboard) {
  HeadlessApp app;
  app.clipboard() = "[[1, 2],\n [3, 4],\n [5, 6]]";
  app.click("tokens/paste");
  EXPECT_EQ(inputs_of(app.document()), Tensor({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(app.document().tokens, (Words{"Your", "journey", "starts"}));
  EXPECT_NE(app.message().find("3 tokens of 2 numbers"), std::string::npos) << app.message();
  EXPECT_EQ(undo_count(app), 1);
}

TEST(Paste, WorksByKey) {
  HeadlessApp app;
  app.clipboard() = "0.5\t0.25\n1\t2\n";
  app.press_control('V');
  EXPECT_EQ(inputs_of(app.document()), Tensor({2, 2}, {0.5f, 0.25f, 1, 2}));
}

TEST(Paste, OfATableThatWasCopiedHasTheSameNumbersAndNames) {
  for (const std::vector<std::string>& names : {std::vector<std::string>{"7", "\"the\"", ","}, {"1", "2", "3"}}) {
    LabelledMatrix matrix = labelled_matrix(Stage::inputs, names, 3, 2);
    matrix.values = Tensor({3, 2}, {0.1F, -0.0F, 1e-20F, 4, 5, -6.25F});
    HeadlessApp app;
    app.clipboard() = matrix_text(matrix, MatrixForm::table, 2);
    app.press_control('V');
    EXPECT_EQ(inputs_of(app.document()), matrix.values) << app.message();
    EXPECT_EQ(app.document().tokens, names);
  }
}

TEST(Paste, ReadsAHeaderWithoutNamesOfRowsAndDecimalCommas) {
  HeadlessApp app;
  app.clipboard() = "d1\td2\n0.5\t0.25\n1\t2\n";
  app.press_control('V');
  EXPECT_EQ(inputs_of(app.document()), Tensor({2, 2}, {0.5f, 0.25f, 1, 2})) << app.message();
  EXPECT_NE(app.message().find("2 tokens of 2 numbers."), std::string::npos) << app.message();
  app.clipboard() = "0,5\t1,25\n1\t-2,5e-1\n";
  app.press_control('V');
  EXPECT_EQ(inputs_of(app.document()), Tensor({2, 2}, {0.5f, 1.25f, 1, -0.25f})) << app.message();
}

TEST(Paste, OfWhatIsNoBlockSaysWhyAndChangesNothing) {
  for (const char* text : {"", "hello", "1, 2\n3", "1, nan"}) {
    HeadlessApp app;
    app.clipboard() = text;
    app.press_control('V');
    EXPECT_FALSE(app.session().shown().is_modified) << text;
    ASSERT_FALSE(app.session().shown().messages.empty()) << text;
    EXPECT_TRUE(app.session().shown().messages.back().is_error) << app.message();
  }
}

TEST(Paste, IntoATextFieldIsText) {
  HeadlessApp app;
  app.clipboard() = "1,2";
  app.replace_text("tokens/1/name", "");
  app.press_control('V');
  EXPECT_EQ(app.document().tokens[1], "1,2");
  EXPECT_EQ(inputs_of(app.document()), inputs_of(default_document()));
}

TEST(Sentence, MakesTokens) {
  HeadlessApp app;
  app.replace_text("tokens/sentence", "one cat starts");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.document().tokens, (Words{"one", "cat", "starts"}));
  EXPECT_EQ(number_at(app, 0, 0), 0.77f);
  EXPECT_EQ(app.result().find(Stage::weights)->cols(), 3);
  EXPECT_EQ(undo_count(app), 1);
}

TEST(Sentence, ThatIsEmptySaysSo) {
  HeadlessApp app;
  app.replace_text("tokens/sentence", " ");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.document().tokens, notebook);
  EXPECT_NE(app.message().find("empty"), std::string::npos) << app.message();
}

}  // namespace
}  // namespace attnscope::test
