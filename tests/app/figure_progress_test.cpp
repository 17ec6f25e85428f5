// How far the drawing of a figure has come, and that it can be stopped.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stop_token>

#include "figure_support.h"
#include "files/image.h"
#include "support.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

TEST(FigureProgress, TellsHowManyMatricesAreDrawn) {
  const FigureSubject of = subject(6, 2);
  const Figure figure = make_figure(of.result, of.labels, figure_of(std::nullopt));
  std::vector<std::size_t> told;
  const DrawWatch watch = {.drawn = [&](std::size_t drawn, std::size_t count) {
    EXPECT_EQ(count, figure.picture.all<picture::Heatmap>().size());
    told.push_back(drawn);
  }};
  std::vector<std::size_t> expected(figure.picture.all<picture::Heatmap>().size() + 1);
  std::iota(expected.begin(), expected.end(), 0);
  render_png(figure, watch);
  EXPECT_EQ(told, expected);
  render_svg(figure, watch);
  render_pdf(figure, watch);
  EXPECT_EQ(told.size(), 3 * expected.size());
}

TEST(FigureProgress, TellsHowMuchOfAPngIsEncoded) {
  const FigureSubject of = subject(6, 2);
  for (const FigureTheme theme : {FigureTheme::light, FigureTheme::transparent}) {
    FigureOptions options = figure_of(Stage::weights);
    options.theme = theme;
    const Figure figure = make_figure(of.result, of.labels, options);
    std::vector<float> told;
    const std::string png = render_png(figure, {.encoded = [&](float part) { told.push_back(part); }});
    const FigureImage drawn = render_image(figure, options.scale);
    EXPECT_EQ(told.size(), static_cast<std::size_t>(drawn.height) + 1);
    EXPECT_TRUE(std::ranges::is_sorted(told));
    EXPECT_EQ(told.front(), 0);
    EXPECT_EQ(told.back(), 1);
    EXPECT_EQ(decode_png(png).pixels, drawn.pixels);
  }
}

TEST(FigureProgress, EndsWhenAStopIsRequested) {
  const FigureSubject of = subject(6, 2);
  const Figure figure = make_figure(of.result, of.labels, figure_of(Stage::weights));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(render_png(figure, {stop.get_token()}), Cancelled);
  EXPECT_THROW(render_svg(figure, {stop.get_token()}), Cancelled);
  EXPECT_THROW(render_pdf(figure, {stop.get_token()}), Cancelled);
  EXPECT_THROW(render_image(figure, 1, stop.get_token()), Cancelled);
}

TEST(FigureProgress, EndsWhileItIsWritten) {
  const FigureSubject of = subject(6, 2);
  FigureOptions options = figure_of(Stage::weights);
  options.width = {4000, LengthUnit::pixels};
  options.scale = 1;
  const Figure figure = make_figure(of.result, of.labels, options);
  std::stop_source stop;
  float written = 0;
  const auto stop_when_half_is_written = [&](float part) {
    written = part;
    if (part >= 0.5F) stop.request_stop();
  };
  EXPECT_THROW(render_png(figure, {.stop = stop.get_token(), .encoded = stop_when_half_is_written}), Cancelled);
  EXPECT_LT(written, 0.6F);
}

}  // namespace
}  // namespace attnscope::test
