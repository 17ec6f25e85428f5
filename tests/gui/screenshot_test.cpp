#include "features/shared/panel/calls.h"
#include "window/frame.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "platform/window.h"
#include "tests/support/patience.h"

namespace attnscope {
namespace {

constexpr Index tokens = 3000;  // so many that pictures are coarse at first

Document long_document() {
  Document document;
  document.config.inputs = RandnInputs{.tokens = tokens, .features = 8};
  document.config.d_out = 8;
  document.config.num_heads = 1;
  document.config.dropout = 0.5;
  document.tokens = numbered_tokens(tokens);
  return document;
}

// From 1.92 on Dear ImGui packs letters as they are first drawn, and where one stands among the others shows in the
// rounding of its edges: a window that has drawn something else before may differ in a few of them.
void expect_same_picture(const Image& image, const Image& other) {
  ASSERT_EQ(image.pixels.size(), other.pixels.size());
#if IMGUI_VERSION_NUM >= 19200
  constexpr int most_of_an_edge = 64;
  constexpr double most_that_differ = 0.0005;
  std::size_t differing = 0;
  for (std::size_t at = 0; at < image.pixels.size(); ++at) {
    const int difference = std::abs(image.pixels[at] - other.pixels[at]);
    ASSERT_LE(difference, most_of_an_edge);
    if (difference > 0) ++differing;
  }
  EXPECT_LE(static_cast<double>(differing), most_that_differ * static_cast<double>(image.pixels.size()));
#else
  EXPECT_EQ(image.pixels, other.pixels);
#endif
}

class ScreenshotOfALongDocument : public testing::Test {
protected:
  ScreenshotOfALongDocument() {
    session_.wait_for_evaluation();
    render_session(session_, 1000, 700, 1);  // as the window shows it before
  }

  std::optional<Image> finish(Screenshot& screenshot) {
    std::optional<Image> image;
    test::wait_until([&] {
      image = screenshot.advance(session_.picture_cache());
      if (!image) session_.picture_cache().wait();
      return image.has_value();
    });
    return image;
  }

  std::optional<WindowlessContext> context_{std::in_place};
  Session session_{long_document(), ViewState{}};
};

TEST_F(ScreenshotOfALongDocument, IsThatOfAFile) {
  Screenshot screenshot(session_, 1000, 700, 2, 1);
  session_.picture_cache().begin_frame();
  const std::optional<Image> image = finish(screenshot);
  EXPECT_EQ(image->width, 2000);
  expect_same_picture(*image, render_session(session_, 1000, 700, 2));
}

TEST_F(ScreenshotOfALongDocument, WaitsForNoPicture) {
  session_.picture_cache().pause(true);  // exact pictures would never come
  Screenshot screenshot(session_, 1000, 700, 2, 1);
  session_.picture_cache().begin_frame();
  for (int frame = 0; frame < 5; ++frame) EXPECT_FALSE(screenshot.advance(session_.picture_cache()));
  session_.picture_cache().pause(false);
  EXPECT_TRUE(finish(screenshot));
}

TEST_F(ScreenshotOfALongDocument, IsTheSameWhenItsContextIsLostMeanwhile) {
  session_.picture_cache().pause(true);
  Screenshot screenshot(session_, 1000, 700, 2, 1);
  session_.picture_cache().begin_frame();
  EXPECT_FALSE(screenshot.advance(session_.picture_cache()));
  screenshot.forget_graphics();
  context_.reset();
  context_.emplace();
  screenshot.renew_graphics();
  session_.picture_cache().pause(false);
  const std::optional<Image> image = finish(screenshot);
  expect_same_picture(*image, render_session(session_, 1000, 700, 2));
}

TEST_F(ScreenshotOfALongDocument, ShowsTheMomentThatItWasAskedForIn) {
  Screenshot screenshot(session_, 1000, 700, 2, 1);
  change_view(session_.queue(), [](ViewState& view) { view.theme = ThemeId::dark; });
  change_view(session_.queue(), [](ViewState& view) { view.mode = ViewMode::focus; });
  render_session(session_, 1000, 700, 1);
  session_.picture_cache().begin_frame();
  const std::optional<Image> image = finish(screenshot);
  change_view(session_.queue(), [](ViewState& view) { view.theme = ThemeId::light; });
  change_view(session_.queue(), [](ViewState& view) { view.mode = ViewMode::diagram; });
  expect_same_picture(*image, render_session(session_, 1000, 700, 2));
}

// Dear ImGui keeps the scale of text with the colours of a theme, from 1.92 on.
TEST(FramePainter, TextKeepsItsSizeInAnotherThemeAndAtAnotherScale) {
  const WindowlessContext windowless;
  Session session(default_document(), ViewState{});
  UnseenWindow window(session, 1000, 700, 1);
  window.settle();
  const auto text_size = [&] { return window.texts().at(0).size; };
  const float plain = text_size();
  window.rescale(2);
  window.settle();
  EXPECT_NEAR(text_size(), plain, 0.5);
  change_view(session.queue(), [](ViewState& view) { view.theme = ThemeId::dark; });
  window.settle();
  EXPECT_NEAR(text_size(), plain, 0.5);
}

// As when a driver was reset: everything that a context held is made anew.
TEST(FramePainter, DrawsTheSameInAnotherContext) {
  std::optional<WindowlessContext> windowless(std::in_place);
  Session session(default_document(), ViewState{});
  session.wait_for_evaluation();
  const ImguiContext imgui;
  FramePainter painter;
  ImGui::GetIO().DisplaySize = {1000, 700};
  const auto draw = [&] {
    painter.prepare(session, 1, 1);
    ImGui::NewFrame();
    painter.build(session);
    return painter.draw_to_image();
  };
  for (int frame = 0; frame < frames_after_input; ++frame) draw();
  const Image before = draw();
  painter.forget_graphics();
  windowless.reset();
  windowless.emplace();
  painter.renew_graphics();
  expect_same_picture(draw(), before);
}

TEST(FramePainter, BuildsAFrameOnceAndShowsTheEditInIt) {
  const WindowlessContext windowless;
  Session session(default_document(), ViewState{});
  const ImguiContext imgui;
  FramePainter painter;
  ImGui::GetIO().DisplaySize = {1000, 700};
  painter.prepare(session, 1, 1);
  WidgetRegistry widgets;
  edit_document(session.queue(), {"seed", [](Document& document) { document.config.seed = 5; }});
  ImGui::NewFrame();
  const int frames = ImGui::GetFrameCount();
  painter.build(session, &widgets);
  EXPECT_EQ(ImGui::GetFrameCount(), frames);
  EXPECT_TRUE(session.shown().is_current);
  EXPECT_EQ(session.shown().evaluation.result->config.seed, 5U);
  EXPECT_TRUE(widgets.find("stages/weights"));
}

}  // namespace
}  // namespace attnscope
