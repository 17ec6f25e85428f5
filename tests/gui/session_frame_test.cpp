#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "desk.h"
#include "desk_input.h"
#include "document/json.h"
#include "heatmap_recorder.h"

namespace attnscope::test {
namespace {

class Frames : public testing::Test {
protected:
  void look_at(Desk& desk) {
    desk.show_heatmaps_to(&recorder_);
    desk.frames();
  }
  // Draws one frame, after which everything on the screen must be of the document as it is then.
  void expect_frame_shows_document(Desk& desk) {
    recorder_.quads.clear();
    const int frames_before = ImGui::GetFrameCount();
    desk.frames();
    EXPECT_EQ(ImGui::GetFrameCount(), frames_before + 1);
    const std::shared_ptr<const Result> result = desk.session().shown().evaluation.result;
    ASSERT_TRUE(desk.is_up_to_date());
    ASSERT_FALSE(recorder_.quads.empty());
    for (const HeatmapQuad& quad : recorder_.quads) EXPECT_EQ(quad.source.result, result);
  }

  HeatmapRecorder recorder_;  // of the newest frame
};

TEST_F(Frames, OfADragShowTheDocumentAsItIs) {
  for (const int tokens : {6, 64}) {
    Desk desk(parse_document(R"({"inputs": {"randn": [)" + std::to_string(tokens) + R"(, 8]}, "d_out": 8})"));
    look_at(desk);
    desk.move_to("setup/dropout", {0.1f, 0.5f});
    desk.press();
    const WidgetRegistry::Entry slider = desk.widget("setup/dropout");
    for (const float part : {0.18f, 0.28f, 0.38f, 0.48f, 0.58f}) {
      const double dropout = desk.config().dropout;
      give_pointer({slider.min_screen.x + part * (slider.max_screen.x - slider.min_screen.x),
                    (slider.min_screen.y + slider.max_screen.y) / 2});
      expect_frame_shows_document(desk);
      EXPECT_GT(desk.config().dropout, dropout);
    }
    desk.release();
    desk.show_heatmaps_to(nullptr);
  }
}

TEST_F(Frames, OfAnEmbeddingThatIsDraggedShowIt) {
  Desk desk;
  look_at(desk);
  desk.move_to("tokens/1/0");
  desk.press();
  const ImVec2 from = ImGui::GetIO().MousePos;
  for (const float by : {10.0f, 20.0f, 30.0f}) {
    const Document before = desk.document();
    give_pointer({from.x + by, from.y});
    expect_frame_shows_document(desk);
    EXPECT_FALSE(desk.document() == before);
  }
  desk.release();
  desk.show_heatmaps_to(nullptr);
}

TEST_F(Frames, OfAKeyShowWhatItDid) {
  Desk desk;
  desk.drag("setup/dropout", 0.1f, 0.5f);
  look_at(desk);
  give_modifiers(true, false);
  give_key(keys::letter('Z'), true);
  expect_frame_shows_document(desk);
  EXPECT_EQ(desk.config().dropout, 0);
  give_key(keys::letter('Z'), false);
  give_modifiers(false, false);
  desk.show_heatmaps_to(nullptr);
}

// A frame that changed something asks for another one, and when nothing happens none is asked for.
TEST_F(Frames, ComeToRest) {
  Desk desk;
  desk.session().push(EditDocument{"seed", [](Document& document) { document.config.seed = 5; }});
  EXPECT_TRUE(desk.frame_of(desk.session()));
  bool is_at_rest = false;
  for (int frame = 0; frame < 10 && !is_at_rest; ++frame) is_at_rest = !desk.frame_of(desk.session());
  EXPECT_TRUE(is_at_rest);
}

// The background thread is held where it tells of its first result: what comes after an edit cannot be there.
TEST_F(Frames, OfLargeDocumentsDoNotWaitForTheirNumbers) {
  std::atomic<bool> is_held = true;
  std::atomic<bool> has_begun = false;
  const auto wake = [&] {
    has_begun = true;
    has_begun.notify_all();
    is_held.wait(true);
  };
  Desk desk;
  Session session(parse_document(R"({"inputs": {"randn": [65, 8]}, "d_out": 8})"), {}, wake);
  has_begun.wait(false);  // from here on the thread that evaluates is held
  session.push(EditDocument{"seed", [](Document& document) { document.config.seed = 5; }});
  for (int frame = 0; frame < 3; ++frame) desk.frame_of(session);
  EXPECT_EQ(session.shown().document.config.seed, 5U);
  EXPECT_FALSE(session.shown().is_current);
  is_held = false;
  is_held.notify_all();
  session.wait_for_evaluation();
  EXPECT_TRUE(session.shown().is_current);
}

}  // namespace
}  // namespace attnscope::test
