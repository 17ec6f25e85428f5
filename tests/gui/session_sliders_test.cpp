#include <set>

#include "desk.h"
#include "desk_input.h"
#include "document/edit.h"
#include "document/json.h"

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

AlignedFloats numbers(Desk& desk, Stage stage) { return desk.result().find(stage)->values; }

// Each moves something else of the document, and all of them move the picture.
struct SliderCase {
  const char* widget;
  Stage stage;  // that must change with it
  double (*value)(const AttentionConfig&);
};

void PrintTo(const SliderCase& slider, std::ostream* out) { *out << slider.widget; }

class Slider : public testing::TestWithParam<SliderCase> {};

TEST_P(Slider, MovesDocumentAndResultInOneFrame) {
  Desk desk(document_with(8, 4, 0.3));
  const auto [widget, stage, value] = GetParam();
  desk.wait(1);
  desk.move_to(widget, {0.1f, 0.5f});
  desk.press();
  std::set<double> seen;
  int in_the_same_frame = 0;
  for (int step = 0; step < 20; ++step) {
    const AlignedFloats before = numbers(desk, stage);
    const double value_before = value(desk.config());
    desk.move_by({6, 0});
    in_the_same_frame += desk.is_up_to_date() ? 1 : 0;
    seen.insert(value(desk.config()));
    EXPECT_EQ(desk.result().config, desk.config());
    EXPECT_EQ(numbers(desk, stage) != before, value(desk.config()) != value_before) << "step " << step;
  }
  desk.release();
  EXPECT_GE(seen.size(), 3U);
  EXPECT_GE(in_the_same_frame, 1);  // how many is a matter of the machine's speed; never is a fault
}

TEST_P(Slider, OneDragIsOneUndoEntry) {
  Desk desk(document_with(8, 4, 0.3));
  const Document before = desk.document();
  desk.drag(GetParam().widget, 0.1f, grab_end);
  const Document after = desk.document();
  ASSERT_NE(after, before);
  desk.press_control('Z');
  EXPECT_EQ(desk.document(), before);
  desk.press_control('Z', true);
  EXPECT_EQ(desk.document(), after);
  EXPECT_EQ(undo_count(desk), 1);
}

TEST_P(Slider, DragThatComesBackIsNoUndoEntry) {
  Desk desk(document_with(8, 4, 0.3));
  desk.drag(GetParam().widget, 0.1f, grab_end);
  const Document before = desk.document();
  desk.wait(1);
  desk.move_to(GetParam().widget, {grab_end, 0.5f});
  desk.press();
  desk.move_by({-40, 0});
  desk.move_by({40, 0});
  desk.release();
  EXPECT_EQ(desk.document(), before);
  EXPECT_EQ(undo_count(desk), 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, Slider,
    testing::Values(
        SliderCase{"setup/d_out", Stage::output, [](const AttentionConfig& c) { return double(c.d_out); }},
        SliderCase{"setup/num_heads", Stage::weights, [](const AttentionConfig& c) { return double(c.num_heads); }},
        SliderCase{"setup/dropout", Stage::dropout_factors, [](const AttentionConfig& c) { return c.dropout; }},
        SliderCase{"setup/seed_slider", Stage::weights, [](const AttentionConfig& c) { return double(c.seed); }}));

TEST(HeadsSlider, StandsOnDivisorsOnly) {
  Desk desk(document_with(12, 3));
  std::set<Index> seen;
  desk.wait(1);
  desk.move_to("setup/num_heads", {0.02f, 0.5f});
  desk.press();
  for (int step = 0; step < 40; ++step) {
    seen.insert(desk.config().num_heads);
    desk.move_by({4, 0});
  }
  desk.release();
  EXPECT_EQ(seen, (std::set<Index>{1, 2, 3, 4, 6, 12}));
}

// What becomes of `before` heads when a number is typed, and what is said about it.
void expect_heads(Index d_out, Index before, std::string_view typed, Index after, const std::string& said = "") {
  Desk desk(document_with(d_out, before));
  desk.control_click("setup/num_heads");
  desk.type(typed);
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.config().num_heads, after);
  EXPECT_EQ(desk.message(), said);
  EXPECT_EQ(undo_count(desk), after == before ? 0 : 1);
}

TEST(HeadsSlider, TakesATypedNumberOfHeads) { expect_heads(12, 1, "4", 4); }

TEST(HeadsSlider, RefusesATypedNumberThatDoesNotDivideDOutAndNamesThoseThatDo) {
  expect_heads(8, 2, "3", 2, "num_heads is 3, but it must divide d_out, which is 8: use 1, 2, 4 or 8.");
}

TEST(HeadsSlider, SaysNothingOfANumberThatIsHalfTyped) { expect_heads(25, 1, "25", 25); }

TEST(HeadsSlider, ComesBackWhenDOutIsDraggedAwayAndBack) {
  Desk desk(document_with(8, 4));
  desk.wait(1);
  desk.move_to("setup/d_out", middle);
  desk.press();
  std::set<Index> seen;
  for (const float step : {6.0f, 6.0f, 6.0f, 6.0f, -6.0f, -6.0f, -6.0f, -6.0f}) {
    desk.move_by({step, 0});
    seen.insert(desk.config().num_heads);
    EXPECT_EQ(desk.config().d_out % desk.config().num_heads, 0);
  }
  desk.release();
  EXPECT_GE(seen.size(), 2U);
  desk.move_to("setup/d_out", middle);
  EXPECT_EQ(desk.config().num_heads, desk.config().d_out == 8 ? 4 : desk.config().num_heads);
}

TEST(DOutSlider, TakesATypedValueBeyondItsEnd) {
  Desk desk(document_with(8, 4));
  desk.control_click("setup/d_out");
  desk.type("96");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.config().d_out, 96);
  EXPECT_EQ(desk.config().num_heads, 4);
  EXPECT_EQ(undo_count(desk), 1);
}

TEST(DropoutSlider, KeepsTheDigitsThatWereTyped) {
  Desk desk(document_with(8, 4, 0.3));
  desk.control_click("setup/dropout");
  desk.type("0.125");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.config().dropout, 0.125);
  EXPECT_NE(desk.text().find("0.125"), std::string::npos) << desk.text();
  EXPECT_EQ(undo_count(desk), 1);
}

// "*" and "/" calculate with what stands there: 0 times infinity is no number.
TEST(Sliders, TakeNothingThatIsNoNumber) {
  for (const char* const widget : {"setup/dropout", "setup/num_heads", "setup/d_out", "setup/seed_slider"}) {
    Desk desk(document_with(8, 4, 0));
    const Document before = desk.document();
    desk.control_click(widget);
    desk.type("*0");
    desk.press_key(keys::named(ImGuiKey_Enter));
    desk.control_click(widget);
    desk.type("*1e999");
    desk.press_key(keys::named(ImGuiKey_Enter));
    check(desk.document());
    EXPECT_EQ(desk.config().dropout, before.config.dropout);
  }
}

TEST(DOutSlider, SaysThatTheHeadsChangedWithIt) {
  Desk desk(document_with(8, 2));
  desk.control_click("setup/d_out");
  desk.type("7");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.config().num_heads, 1);
  EXPECT_EQ(desk.message(), "The number of heads changed from 2 to 1: it must divide d_out, which is 7.");
}

TEST(DropoutSlider, ReachesBothEnds) {
  Desk desk(document_with(8, 4, 0.3));
  desk.drag("setup/dropout", 0.5f, 1);
  EXPECT_EQ(desk.config().dropout, 1);
  EXPECT_FALSE(desk.session().shown().evaluation.result->find(Stage::dropped_weights)->values.empty());
  desk.drag("setup/dropout", grab_end, 0);
  EXPECT_EQ(desk.config().dropout, 0);
}

TEST(SliderDrag, ThatLosesItsPanelIsFinished) {
  Desk desk(document_with(8, 4, 0.3));
  desk.wait(1);
  desk.move_to("setup/dropout", {0.4f, 0.5f});
  desk.press();
  desk.move_by({20, 0});
  const double rate = desk.config().dropout;
  ASSERT_NE(rate, 0.3);
  desk.press_key(keys::function(2));
  desk.release();
  desk.press_key(keys::function(2));
  desk.drag("setup/d_out", 0.4f, 0.9f);
  EXPECT_EQ(desk.config().dropout, rate);
  EXPECT_EQ(undo_count(desk), 2);
}

// However long an evaluation takes against a frame.
TEST(DropoutSlider, IsFollowedWhileItIsDraggedInALongDocument) {
  Desk desk(parse_document(R"({"inputs": {"randn": [600, 64]}, "d_out": 64, "num_heads": 8, "dropout": 0.5})"));
  desk.settle();
  desk.move_to("setup/dropout", {0.5f, 0.5f});
  desk.press();
  const std::uint64_t before = desk.session().shown().evaluation.result_ticket;
  int moves = 0;
  while (desk.session().shown().evaluation.result_ticket < before + 3 && moves < 20000) {
    desk.move_by({moves % 40 < 20 ? 2.0f : -2.0f, 0});
    ++moves;
  }
  EXPECT_LT(moves, 20000);
  desk.release();
  desk.settle();
  EXPECT_EQ(desk.session().shown().evaluation.result->config, desk.config());
}

}  // namespace
}  // namespace attnscope::test
