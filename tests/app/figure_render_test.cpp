// Figures as files: the colours of known cells, and what other programs find in SVG and PDF.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <regex>

#include "figure_support.h"
#include "files/image.h"
#include "paint/file/figure_page.h"
#include "support.h"
#include "tests/support/png.h"
#include "view/colours.h"
#include "view/stage_look.h"

namespace attnscope::test {
namespace {

Rgb pixel_at(const Image& image, double x, double y) {
  const std::size_t at =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) * 4;
  return {image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]};
}

std::string hex(Rgb colour) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", colour.r, colour.g, colour.b);
  return text;
}

Index matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator());
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

FigureOptions plain(Stage stage) {
  FigureOptions options = figure_of(stage);
  options.decimals = std::nullopt;
  return options;
}

TEST(FigurePng, CellsHaveTheirColoursAtEveryScale) {
  const FigureSubject of = subject(6, 2);
  for (const double scale : {1.0, 1.7, 6.0}) {
    FigureOptions options = plain(Stage::scores);
    options.scale = scale;
    const Figure figure = make_figure(of.result, of.labels, options);
    const Image image = decode_png(render_png(figure));
    const picture::Heatmap& heatmap = *figure.picture.all<picture::Heatmap>().front();
    EXPECT_EQ(image.width, static_cast<int>(std::round(figure.width * scale)));
    const MatrixView<const float> scores = of.result->find(Stage::scores)->matrix(0);
    for (Index row = 0; row < 6; ++row) {
      for (Index col = 0; col < 6; ++col) {
        const Box cell = cell_of(heatmap, row, col);
        const ColourRange& range = heatmap.range;
        EXPECT_EQ(hex(pixel_at(image, cell.middle_x() * scale, cell.middle_y() * scale)),
                  hex(colour_of(range.map, scores(row, col), range.low, range.high)))
            << row << ", " << col << " at scale " << scale;
      }
    }
  }
}

TEST(FigurePng, MaskedDroppedAndSmallCellsLookDifferent) {
  const FigureSubject of = subject(6, 2, 0.5);
  const Figure figure = make_figure(of.result, of.labels, plain(Stage::dropped_weights));
  const Image image = decode_png(render_png(figure));
  const double scale = figure.options.scale;
  const picture::Heatmap& heatmap = *figure.picture.all<picture::Heatmap>().front();
  const MatrixView<const float> factors = of.result->find(Stage::dropout_factors)->matrix(0);
  const Rgb white{255, 255, 255};
  Index crosses = 0;
  for (Index row = 0; row < 6; ++row) {
    const Box cell = cell_of(heatmap, row, row);
    const Rgb centre = pixel_at(image, cell.middle_x() * scale, cell.middle_y() * scale);
    const Rgb beside = pixel_at(image, (cell.x + 4) * scale, cell.middle_y() * scale);
    EXPECT_EQ(beside == white, factors(row, row) == 0) << row;
    if (factors(row, row) != 0) continue;
    EXPECT_LT(centre.r, 60) << "a dark cross on white";
    ++crosses;
  }
  EXPECT_GT(crosses, 0);
  EXPECT_LT(crosses, 6);
  const Box masked = cell_of(heatmap, 0, 5);
  Index ground = 0;
  for (double x = masked.x + 1; x < masked.right() - 1; x += 0.5) {
    const Rgb pixel = pixel_at(image, x * scale, masked.middle_y() * scale);
    EXPECT_EQ(pixel.r, pixel.g);
    EXPECT_EQ(pixel.g, pixel.b);
    ground += pixel == grey(colours_of(ThemeId::light).greys.hidden) ? 1 : 0;
  }
  EXPECT_GT(ground, 20);
}

TEST(FigurePng, EachPixelOfALargeMatrixIsOneOfItsCells) {
  const FigureSubject of = subject(1024, 2);
  FigureOptions options = plain(Stage::scores);
  options.scale = 2;
  const Figure figure = make_figure(of.result, of.labels, options);
  const Image image = decode_png(render_png(figure));
  const picture::Heatmap& heatmap = *figure.picture.all<picture::Heatmap>().front();
  const double left = std::round(heatmap.box.x * 2);
  const double top = std::round(heatmap.box.y * 2);
  const auto width = static_cast<Index>(std::round(heatmap.box.right() * 2) - left);
  const auto height = static_cast<Index>(std::round(heatmap.box.bottom() * 2) - top);
  ASSERT_LT(width, 1024);
  const HeatmapCells pooled = read_heatmap(heatmap, height, width, heatmap.range.measure);
  for (Index at = 5; at < std::min(width, height) - 5; at += 7) {
    const Index row = height - 1 - at;
    const float value = pooled.values[static_cast<std::size_t>(row * width + at)];
    EXPECT_EQ(hex(pixel_at(image, left + static_cast<double>(at), top + static_cast<double>(row))),
              hex(colour_of(heatmap.range.map, value, heatmap.range.low, heatmap.range.high)));
  }
}

TEST(FigurePng, BackgroundsAreLightDarkOrNone) {
  const FigureSubject of = subject(6, 2);
  FigureOptions options = plain(Stage::weights);
  const auto corner = [&](FigureTheme theme) {
    options.theme = theme;
    const Image image = decode_png(render_png(make_figure(of.result, of.labels, options)));
    const auto last = static_cast<std::ptrdiff_t>(image.pixels.size()) - 4;
    return std::vector<std::uint8_t>(image.pixels.begin() + last, image.pixels.end());
  };
  EXPECT_EQ(corner(FigureTheme::light), (std::vector<std::uint8_t>{255, 255, 255, 255}));
  EXPECT_EQ(corner(FigureTheme::dark), (std::vector<std::uint8_t>{0x14, 0x17, 0x1B, 255}));
  EXPECT_EQ(corner(FigureTheme::transparent)[3], 0);
  EXPECT_EQ(corner(FigureTheme::transparent_dark)[3], 0);
  EXPECT_EQ(theme_of(FigureTheme::transparent_dark).inks.text, theme_of(FigureTheme::dark).inks.text);
}

TEST(FigurePng, TwoColoursAreThoseOfTheEndsAndTheBarShowsThem) {
  const FigureSubject of = subject(6, 2);
  FigureOptions options = plain(Stage::weights);
  options.decimals.reset();
  options.colour_ends = colour_ends_of("#ffffff..#c00020");
  ASSERT_TRUE(options.colour_ends);
  const Image image = decode_png(render_png(make_figure(of.result, of.labels, options)));
  const auto count = [&](Rgb colour) {
    int pixels = 0;
    for (std::size_t at = 0; at + 3 < image.pixels.size(); at += 4)
      pixels += Rgb{image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]} == colour ? 1 : 0;
    return pixels;
  };
  EXPECT_GT(count(attnscope::hex(0xC00020)), 100) << "the first query has one weight, of 1";
  EXPECT_EQ(count(entries(Colormap::viridis).back()), 0);
}

TEST(FigurePng, TooLargePicturesAreRefused) {
  const FigureSubject of = subject(6, 2);
  FigureOptions options = plain(Stage::weights);
  options.width = {8000, LengthUnit::pixels};
  options.scale = 6;
  const Figure figure = make_figure(of.result, of.labels, options);
  EXPECT_TRUE(says(error_of([&] { render_png(figure); }).what(), {"48000", "scale"}));
}

TEST(FigureSvg, TextIsTextAndCellsAreRectanglesOfTheirColours) {
  const FigureSubject of = subject(6, 2, 0, {"<a&b>", "journey", "注意", "انتباه", "e\u0301t", "a"});
  FigureOptions options = plain(Stage::scores);
  const std::string svg = render_svg(make_figure(of.result, of.labels, options));
  EXPECT_EQ(matches(svg, ">journey</text>"), 2);
  EXPECT_EQ(matches(svg, ">&lt;a&amp;b&gt;</text>"), 2);
  EXPECT_EQ(matches(svg, ">注意</text>"), 2);
  EXPECT_EQ(matches(svg, "<image"), 0);
  EXPECT_EQ(matches(svg, "<glyph|<symbol"), 0);
  const Index all = matches(svg, "<(path|rect)[^>]*fill");
  const FigureSubject fewer = subject(5, 2);
  const std::string smaller = render_svg(make_figure(fewer.result, fewer.labels, options));
  EXPECT_EQ(all - matches(smaller, "<(path|rect)[^>]*fill"), 36 - 25);
}

TEST(FigureSvg, LargeMatricesAreOneImageThatIsNotSmoothed) {
  FigureOptions options = plain(Stage::weights);
  const FigureSubject most = subject(64, 1);
  EXPECT_EQ(matches(render_svg(make_figure(most.result, most.labels, options)), "<image"), 0);
  const FigureSubject more = subject(65, 1);
  const std::string svg = render_svg(make_figure(more.result, more.labels, options));
  EXPECT_EQ(matches(svg, "<image"), 1);
  EXPECT_EQ(matches(svg, "<image style=\"image-rendering:pixelated\""), 1);
}

TEST(FigureSvg, AllHeadsOfALongDocumentStayBelowTheLargestFileThatReadersTake) {
  constexpr std::size_t most_bytes = 10'000'000;  // of libxml2, which Inkscape and rsvg-convert read with
  FigureOptions options = figure_of(Stage::scores, std::nullopt);
  options.width = {400, LengthUnit::millimetres};
  const FigureSubject of = subject(1024, 12);
  EXPECT_LT(render_svg(make_figure(of.result, of.labels, options)).size(), most_bytes);
}

TEST(FigureSvg, LettersThatNoFontHasAreDrawnAsBoxes) {
  const std::string unknown = "\U00010D30";
  const FigureSubject of = subject(2, 1, 0, {unknown, "b"});
  const Figure figure = make_figure(of.result, of.labels, plain(Stage::weights));
  const std::string svg = render_svg(figure);
  EXPECT_EQ(svg.find(">" + unknown + "<"), std::string::npos);
  EXPECT_EQ(matches(svg, ">b</text>"), 2);
  const Image image = decode_png(render_png(figure));
  const picture::Word* const label = word_in(figure, unknown);
  ASSERT_NE(label, nullptr);
  const Box box = picture::box_of(*label, TextShaper().text_measure());
  bool has_ink = false;
  const double scale = figure.options.scale;
  for (double x = box.x; x < box.right(); x += 1 / scale)
    has_ink |= pixel_at(image, x * scale, box.middle_y() * scale).r < 128;
  EXPECT_TRUE(has_ink);
}

TEST(FigureSvg, ControlCharactersInNamesAreShownAndLeaveTheFileWellFormed) {
  const FigureSubject of = subject(3, 1, 0, {"a\nb", " ", "\x01"});
  const std::string svg = render_svg(make_figure(of.result, of.labels, plain(Stage::weights)));
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_EQ(matches(svg, "a␊b"), 2);
  EXPECT_EQ(matches(svg, "␣"), 2);
}

TEST(FigureFiles, OtherProgramsOpenThem) {
  for (const char* const judge : {"pdftotext", "pdftoppm", "rsvg-convert"})
    ASSERT_TRUE(is_installed(judge)) << judge << " is missing: install poppler-utils and librsvg2-bin.";
  const TemporaryFolder folder;
  const FigureSubject of = subject(6, 2, 0.5, {"Your", "journey", "starts", "with", "注意力", "step"});
  FigureOptions options = figure_of(Stage::dropped_weights);
  options.title = "A title";
  const Figure figure = make_figure(of.result, of.labels, options);
  put_text(folder / "a.pdf", render_pdf(figure));
  put_text(folder / "a.svg", render_svg(figure));
  const auto run = [&](const std::string& command) {
    return std::system(("cd '" + folder.path().string() + "' && " + command).c_str());
  };
  ASSERT_EQ(run("pdftotext a.pdf a.txt"), 0);
  const std::string text = text_of(folder / "a.txt");
  for (const char* const word : {"A title", "journey", "注意力", "Head 1 of 2", "dropped weights", "masked"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
  ASSERT_EQ(run("pdftoppm -r 96 -png -singlefile a.pdf pdf"), 0);
  ASSERT_EQ(run("rsvg-convert a.svg -o svg.png"), 0);
  for (const char* const name : {"pdf.png", "svg.png"}) {
    const Image image = read_png(folder / name);
    EXPECT_NEAR(image.width, figure.width, 1.01) << name;
    const picture::Heatmap& heatmap = *figure.picture.all<picture::Heatmap>().front();
    const Box cell = cell_of(heatmap, 5, 0);
    const ColourRange& range = heatmap.range;
    const float value = of.result->find(Stage::dropped_weights)->matrix(0)(5, 0);
    const Rgb expected = colour_of(range.map, value, range.low, range.high);
    const Rgb found = pixel_at(image, cell.x + 5, cell.y + 5);
    EXPECT_NEAR(found.r, expected.r, 2) << name;
    EXPECT_NEAR(found.g, expected.g, 2) << name;
    EXPECT_NEAR(found.b, expected.b, 2) << name;
  }
}

TEST(FigureFiles, TheSameFigureGivesTheSameBytes) {
  const FigureSubject of = subject(6, 2, 0.5);
  const auto figure = [&] { return make_figure(of.result, of.labels, figure_of(std::nullopt)); };
  EXPECT_TRUE(render_png(figure()) == render_png(figure()));
  EXPECT_TRUE(render_svg(figure()) == render_svg(figure()));
}

TEST(StageLook, SeriesHaveColoursOfTheirOwn) {
  for (const bool dark : {false, true}) {
    for (Index one = 0; one < 12; ++one) {
      for (Index other = 0; other < one; ++other) EXPECT_NE(series_rgb(one, dark), series_rgb(other, dark));
    }
  }
}

}  // namespace
}  // namespace attnscope::test
