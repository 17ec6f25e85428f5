// What of a frame is drawn anew, and that the window shows the same as if all of it were.
#include <gtest/gtest.h>

#include <algorithm>

#include "easel.h"
#include "files/image.h"
#include "paint/window/gl_objects.h"

namespace attnscope {
namespace {

constexpr ImU32 blue = IM_COL32(20, 40, 200, 120);

long area(const std::vector<PixelBox>& boxes) {
  long sum = 0;
  for (const PixelBox& box : boxes) sum += static_cast<long>(box.max_x - box.min_x) * (box.max_y - box.min_y);
  return sum;
}

bool covers(const std::vector<PixelBox>& boxes, int x, int y) {
  return std::ranges::any_of(
      boxes, [&](const PixelBox& box) { return box.min_x <= x && x < box.max_x && box.min_y <= y && y < box.max_y; });
}

class ChangedBoxes : public testing::TestWithParam<float> {};
INSTANTIATE_TEST_SUITE_P(Scales, ChangedBoxes, testing::Values(1.0F, 1.25F, 1.7F, 2.0F));

// A page with a ground, letters, a matrix and a line that lies askew; `x` moves one box of it.
void paint_page(ImDrawList& list, float x) {
  list.AddRectFilled({0, 0}, {320, 240}, IM_COL32(250, 250, 250, 255));
  list.AddRectFilled({10.5F, 10.5F}, {310, 60}, IM_COL32(0, 0, 0, 40));
  list.AddText({20, 20}, IM_COL32(0, 0, 0, 255), "a title that stays");
  list.PushClipRect({33.5F, 70.25F}, {299.5F, 219.75F});
  list.AddLine({30, 230}, {310, 90}, IM_COL32(200, 0, 0, 128), 3);
  list.AddRectFilled({x, 100}, {x + 20, 115}, blue);
  list.PopClipRect();
}

TEST_P(ChangedBoxes, TheWindowShowsWhatDrawingAllOfItWouldShow) {
  Easel easel(GetParam());
  const TensorPtr matrix = random_matrix(6, 6, 1);
  for (const float x : {50.0F, 51.0F, 51.0F, 200.0F, 280.3F, 50.0F}) {
    const std::vector<HeatmapQuad> quads = {make_quad(matrix, 60, 120, 70, 70)};
    const auto paint = [x](ImDrawList& list) { paint_page(list, x); };
    EXPECT_EQ(easel.draw_changes(quads, paint).pixels, easel.draw(quads, paint).pixels) << x;
  }
}

TEST_P(ChangedBoxes, OnlyTheOldAndTheNewPlaceOfWhatMovesAreDrawn) {
  Easel easel(GetParam());
  const auto draw = [&](float x) { easel.draw_changes({}, [x](ImDrawList& list) { paint_page(list, x); }); };
  const auto window = static_cast<long>(320 * 240 * GetParam() * GetParam());
  draw(50);
  EXPECT_GE(area(easel.drawn_boxes()), window - 800);
  draw(50);
  EXPECT_TRUE(easel.drawn_boxes().empty());
  draw(250);
  for (const float x : {50.0F, 69.0F, 250.0F, 269.0F}) {
    for (const float y : {101.0F, 114.0F})
      EXPECT_TRUE(covers(easel.drawn_boxes(), static_cast<int>(x * GetParam()), static_cast<int>(y * GetParam())));
  }
  EXPECT_FALSE(covers(easel.drawn_boxes(), static_cast<int>(160 * GetParam()), static_cast<int>(107 * GetParam())));
  EXPECT_LT(area(easel.drawn_boxes()), window / 4);
}

TEST(ChangedBoxesOf, AMatrixWithOtherNumbersAnotherGroundOrAnotherSizeIsDrawn) {
  Easel easel;
  const auto draw = [&](unsigned seed, float ground) {
    easel.draw_changes({make_quad(random_matrix(6, 6, seed), 60, 120, 70, 70)}, {}, {ground, 1, 1, 1});
    return area(easel.drawn_boxes());
  };
  draw(1, 1);
  EXPECT_TRUE(covers(easel.drawn_boxes(), 200, 20));
  EXPECT_GT(draw(2, 1), 70 * 70);
  EXPECT_FALSE(covers(easel.drawn_boxes(), 200, 20)) << "a place where no matrix is";
  EXPECT_EQ(draw(2, 0.5F), 320 * 240);
  ImGui::GetIO().DisplaySize = {300, 200};
  EXPECT_EQ(draw(2, 0.5F), 300 * 200);
}

// Many small changes that have nothing to do with each other are drawn as one box.
TEST(ChangedBoxesOf, ManyPlacesAreOneBox) {
  Easel easel(1, {1280, 960});
  const auto draw = [&](int count) {
    easel.draw_changes({}, [count](ImDrawList& list) {
      for (int i = 0; i < count; ++i) {
        const ImVec2 low{static_cast<float>(i % 8) * 150 + 40, static_cast<float>(i / 8) * 150 + 40};
        list.AddRectFilled(low, {low.x + 5, low.y + 5}, blue);
      }
    });
    return easel.drawn_boxes().size();
  };
  draw(0);
  EXPECT_EQ(draw(20), 20U);
  draw(0);
  EXPECT_EQ(draw(40), 1U);
}

}  // namespace
}  // namespace attnscope
