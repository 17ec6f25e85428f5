#include <algorithm>
#include <set>

#include "document/edit.h"
#include "document/json.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

constexpr float grab_end = 0.65f;  // of the widget: behind it stands the number

Document document_with(Index d_out, Index heads, double dropout = 0) {
  Document document = default_document();
  document.config.d_out = d_out;
  document.config.num_heads = heads;
  document.config.dropout = dropout;
  return document;
}

AlignedFloats numbers(HeadlessApp& app, Stage stage) { return app.result().find(stage)->values; }

// Each moves something else of the document, and all of them move the picture.
struct SliderCase {
  const char* widget;
  Stage stage;  // that must change with it
  double (*value)(const AttentionConfig&);
};

void PrintTo(const SliderCase& slider, std::ostream* out) { *out << slider.widget; }

class Slider : public testing::TestWithParam<SliderCase> {};

TEST_P(Slider, MovesDocumentAndResultInOneFrame) {
  HeadlessApp app(document_with(8, 4, 0.3));
  const auto [widget, stage, value] = GetParam();
  app.wait(1);
  app.move_to(widget, {0.1f, 0.5f});
  app.press();
  std::set<double> seen;
  int in_the_same_frame = 0;
  for (int step = 0; step < 20; ++step) {
    const AlignedFloats before = numbers(app, stage);
    const double value_before = value(app.config());
    app.move_by({6, 0});
    in_the_same_frame += app.is_up_to_date() ? 1 : 0;
    seen.insert(value(app.config()));
    EXPECT_EQ(app.result().config, app.config());
    EXPECT_EQ(numbers(app, stage) != before, value(app.config()) != value_before) << "step " << step;
  }
  app.release();
  EXPECT_GE(seen.size(), 3U);
  EXPECT_GE(in_the_same_frame, 1);  // how many is a matter of the machine's speed; never is a fault
}

TEST_P(Slider, OneDragIsOneUndoEntry) {
  HeadlessApp app(document_with(8, 4, 0.3));
  const Document before = app.document();
  app.drag(GetParam().widget, 0.1f, grab_end);
  const Document after = app.document();
  ASSERT_NE(after, before);
  app.press_control('Z');
  EXPECT_EQ(app.document(), before);
  app.press_control('Z', true);
  EXPECT_EQ(app.document(), after);
  EXPECT_EQ(undo_count(app), 1);
}

TEST_P(Slider, DragThatComesBackIsNoUndoEntry) {
  HeadlessApp app(document_with(8, 4, 0.3));
  app.drag(GetParam().widget, 0.1f, grab_end);
  const Document before = app.document();
  app.wait(1);
  app.move_to(GetParam().widget, {grab_end, 0.5f});
  app.press();
  app.move_by({-40, 0});
  app.move_by({40, 0});
  app.release();
  EXPECT_EQ(app.document(), before);
  EXPECT_EQ(undo_count(app), 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, Slider,
    testing::Values(
        SliderCase{"setup/d_out", Stage::output, [](const AttentionConfig& c) { return double(c.d_out); }},
        SliderCase{"setup/num_heads", Stage::weights, [](const AttentionConfig& c) { return double(c.num_heads); }},
        SliderCase{"setup/dropout", Stage::dropout_factors, [](const AttentionConfig& c) { return c.dropout; }},
        SliderCase{"setup/seed_slider", Stage::weights, [](const AttentionConfig& c) { return double(c.seed); }}));

// A tooltip would cover what was changed, or the title of the view that was chosen.
TEST(Tooltip, StaysAwayFromWhatWasUsedLastUntilThePointerMoves) {
  HeadlessApp app(document_with(8, 4));
  for (const char* const name : {"view/study", "setup/d_out", "tokens/sentence"}) {
    app.move_to(name, {0.3F, 0.5F});
    EXPECT_TRUE(shows_tooltip()) << name;
    app.click(name, {0.3F, 0.5F});
    app.settle();
    EXPECT_FALSE(shows_tooltip()) << name;
  }
  app.type("a new sentence");
  app.press_key(keys::named(ImGuiKey_Enter));
  app.settle();
  EXPECT_FALSE(shows_tooltip());
}

// A tooltip would cover the row of inputs that the slider has changed.
TEST(SliderTooltip, StaysAwayAfterADragUntilSomethingElseIsPressed) {
  HeadlessApp app(document_with(8, 4));
  app.move_to("setup/d_out", {0.3F, 0.5F});
  EXPECT_TRUE(shows_tooltip());
  app.press();
  app.move_by({20, 0});
  app.release();
  EXPECT_FALSE(shows_tooltip());
  app.click("setup/seed");
  app.move_to("setup/d_out", {0.3F, 0.5F});
  EXPECT_TRUE(shows_tooltip());
}

TEST(HeadsSlider, StandsOnDivisorsOnly) {
  HeadlessApp app(document_with(12, 3));
  std::set<Index> seen;
  app.wait(1);
  app.move_to("setup/num_heads", {0.02f, 0.5f});
  app.press();
  for (int step = 0; step < 40; ++step) {
    seen.insert(app.config().num_heads);
    app.move_by({4, 0});
  }
  app.release();
  EXPECT_EQ(seen, (std::set<Index>{1, 2, 3, 4, 6, 12}));
}

// What becomes of `before` heads when a number is typed, and what is said about it.
void expect_heads(Index d_out, Index before, std::string_view typed, Index after, const std::string& said = "") {
  HeadlessApp app(document_with(d_out, before));
  app.control_click("setup/num_heads");
  app.type(typed);
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.config().num_heads, after);
  EXPECT_EQ(app.message(), said);
  EXPECT_EQ(undo_count(app), after == before ? 0 : 1);
}

TEST(HeadsSlider, TakesATypedNumberOfHeads) { expect_heads(12, 1, "4", 4); }

TEST(HeadsSlider, RefusesATypedNumberThatDoesNotDivideDOutAndNamesThoseThatDo) {
  expect_heads(8, 2, "3", 2, "num_heads is 3, but it must divide d_out, which is 8: use 1, 2, 4 or 8.");
}

TEST(HeadsSlider, SaysNothingOfANumberThatIsHalfTyped) { expect_heads(25, 1, "25", 25); }

TEST(HeadsSlider, ComesBackWhenDOutIsDraggedAwayAndBack) {
  HeadlessApp app(document_with(8, 4));
  app.wait(1);
  app.move_to("setup/d_out", middle);
  app.press();
  std::set<Index> seen;
  for (const float step : {6.0f, 6.0f, 6.0f, 6.0f, -6.0f, -6.0f, -6.0f, -6.0f}) {
    app.move_by({step, 0});
    seen.insert(app.config().num_heads);
    EXPECT_EQ(app.config().d_out % app.config().num_heads, 0);
  }
  app.release();
  EXPECT_GE(seen.size(), 2U);
  app.move_to("setup/d_out", middle);
  EXPECT_EQ(app.config().num_heads, app.config().d_out == 8 ? 4 : app.config().num_heads);
}

TEST(DOutSlider, TakesATypedValueBeyondItsEnd) {
  HeadlessApp app(document_with(8, 4));
  app.control_click("setup/d_out");
  app.type("96");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.config().d_out, 96);
  EXPECT_EQ(app.config().num_heads, 4);
  EXPECT_EQ(undo_count(app), 1);
}

TEST(DropoutSlider, KeepsTheDigitsThatWereTyped) {
  HeadlessApp app(document_with(8, 4, 0.3));
  app.control_click("setup/dropout");
  app.type("0.125");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.config().dropout, 0.125);
  EXPECT_NE(app.text().find("0.125"), std::string::npos) << app.text();
  EXPECT_EQ(undo_count(app), 1);
}

// "*" and "/" calculate with what stands there: 0 times infinity is no number.
TEST(Sliders, TakeNothingThatIsNoNumber) {
  for (const char* const widget : {"setup/dropout", "setup/num_heads", "setup/d_out", "setup/seed_slider"}) {
    HeadlessApp app(document_with(8, 4, 0));
    const Document before = app.document();
    app.control_click(widget);
    app.type("*0");
    app.press_key(keys::named(ImGuiKey_Enter));
    app.control_click(widget);
    app.type("*1e999");
    app.press_key(keys::named(ImGuiKey_Enter));
    check(app.document());
    EXPECT_EQ(app.config().dropout, before.config.dropout);
  }
}

TEST(DOutSlider, SaysThatTheHeadsChangedWithIt) {
  HeadlessApp app(document_with(8, 2));
  app.control_click("setup/d_out");
  app.type("7");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.config().num_heads, 1);
  EXPECT_EQ(app.message(), "The number of heads changed from 2 to 1: it must divide d_out, which is 7.");
}

TEST(DropoutSlider, ReachesBothEnds) {
  HeadlessApp app(document_with(8, 4, 0.3));
  app.drag("setup/dropout", 0.5f, 1);
  EXPECT_EQ(app.config().dropout, 1);
  EXPECT_FALSE(app.session().shown().evaluation.result->find(Stage::dropped_weights)->values.empty());
  app.drag("setup/dropout", grab_end, 0);
  EXPECT_EQ(app.config().dropout, 0);
}

TEST(SliderDrag, ThatLosesItsPanelIsFinished) {
  HeadlessApp app(document_with(8, 4, 0.3));
  app.wait(1);
  app.move_to("setup/dropout", {0.4f, 0.5f});
  app.press();
  app.move_by({20, 0});
  const double rate = app.config().dropout;
  ASSERT_NE(rate, 0.3);
  app.press_key(keys::function(2));
  app.release();
  app.press_key(keys::function(2));
  app.drag("setup/d_out", 0.4f, 0.9f);
  EXPECT_EQ(app.config().dropout, rate);
  EXPECT_EQ(undo_count(app), 2);
}

// However long an evaluation takes against a frame.
TEST(DropoutSlider, IsFollowedWhileItIsDraggedInALongDocument) {
  HeadlessApp app(parse_document(R"({"inputs": {"randn": [600, 64]}, "d_out": 64, "num_heads": 8, "dropout": 0.5})"));
  app.settle();
  app.move_to("setup/dropout", {0.5f, 0.5f});
  app.press();
  const std::uint64_t before = app.session().shown().evaluation.result_ticket;
  int moves = 0;
  while (app.session().shown().evaluation.result_ticket < before + 3 && moves < 20000) {
    app.move_by({moves % 40 < 20 ? 2.0f : -2.0f, 0});
    ++moves;
  }
  EXPECT_LT(moves, 20000);
  app.release();
  app.settle();
  EXPECT_EQ(app.session().shown().evaluation.result->config, app.config());
}

}  // namespace
}  // namespace attnscope::test
