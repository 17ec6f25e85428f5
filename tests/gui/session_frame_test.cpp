#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "document/json.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "heatmap_recorder.h"

namespace attnscope::test {
namespace {

class Frames : public testing::Test {
protected:
  void look_at(HeadlessApp& app) {
    app.show_heatmaps_to(&recorder_);
    app.frames();
  }
  // Draws one frame, after which everything on the screen must be of the document as it is then.
  void expect_frame_shows_document(HeadlessApp& app) {
    recorder_.quads.clear();
    const int frames_before = ImGui::GetFrameCount();
    app.frames();
    EXPECT_EQ(ImGui::GetFrameCount(), frames_before + 1);
    const std::shared_ptr<const Result> result = app.session().shown().evaluation.result;
    ASSERT_TRUE(app.is_up_to_date());
    ASSERT_FALSE(recorder_.quads.empty());
    for (const HeatmapQuad& quad : recorder_.quads) EXPECT_EQ(quad.source.result, result);
  }

  HeatmapRecorder recorder_;  // of the newest frame
};

TEST_F(Frames, OfADragShowTheDocumentAsItIs) {
  for (const int tokens : {6, 64}) {
    HeadlessApp app(parse_document(R"({"inputs": {"randn": [)" + std::to_string(tokens) + R"(, 8]}, "d_out": 8})"));
    look_at(app);
    app.move_to("setup/dropout", {0.1f, 0.5f});
    app.press();
    const WidgetRegistry::Entry slider = app.widget("setup/dropout");
    for (const float part : {0.18f, 0.28f, 0.38f, 0.48f, 0.58f}) {
      const double dropout = app.config().dropout;
      give_pointer({slider.min_screen.x + part * (slider.max_screen.x - slider.min_screen.x),
                    (slider.min_screen.y + slider.max_screen.y) / 2});
      expect_frame_shows_document(app);
      EXPECT_GT(app.config().dropout, dropout);
    }
    app.release();
    app.show_heatmaps_to(nullptr);
  }
}

TEST_F(Frames, OfAnEmbeddingThatIsDraggedShowIt) {
  HeadlessApp app;
  look_at(app);
  app.move_to("tokens/1/0");
  app.press();
  const ImVec2 from = ImGui::GetIO().MousePos;
  for (const float by : {10.0f, 20.0f, 30.0f}) {
    const Document before = app.document();
    give_pointer({from.x + by, from.y});
    expect_frame_shows_document(app);
    EXPECT_FALSE(app.document() == before);
  }
  app.release();
  app.show_heatmaps_to(nullptr);
}

TEST_F(Frames, OfAKeyShowWhatItDid) {
  HeadlessApp app;
  app.drag("setup/dropout", 0.1f, 0.5f);
  look_at(app);
  give_modifiers(true, false);
  give_key(keys::letter('Z'), true);
  expect_frame_shows_document(app);
  EXPECT_EQ(app.config().dropout, 0);
  give_key(keys::letter('Z'), false);
  give_modifiers(false, false);
  app.show_heatmaps_to(nullptr);
}

// A frame that changed something asks for another one, and when nothing happens none is asked for.
TEST_F(Frames, ComeToRest) {
  HeadlessApp app;
  edit_document(app.session().queue(), {"seed", [](Document& document) { document.config.seed = 5; }});
  EXPECT_TRUE(app.frame_of(app.session()));
  bool is_at_rest = false;
  for (int frame = 0; frame < 10 && !is_at_rest; ++frame) is_at_rest = !app.frame_of(app.session());
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
  HeadlessApp app;
  Session session(parse_document(R"({"inputs": {"randn": [65, 8]}, "d_out": 8})"), {}, wake);
  has_begun.wait(false);  // from here on the thread that evaluates is held
  edit_document(session.queue(), {"seed", [](Document& document) { document.config.seed = 5; }});
  for (int frame = 0; frame < 3; ++frame) app.frame_of(session);
  EXPECT_EQ(session.shown().document.config.seed, 5U);
  EXPECT_FALSE(session.shown().is_current);
  is_held = false;
  is_held.notify_all();
  session.wait_for_evaluation();
  EXPECT_TRUE(session.shown().is_current);
}

}  // namespace
}  // namespace attnscope::test
