// What is drawn in cells and beside them: numbers, marks, legends, colour bars, and the names of a sheet's rows and
// columns. Letters are all of one width here.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/results.h"
#include "core/text.h"
#include "tests/support/hard_documents.h"
#include "view/cells.h"
#include "view/matrix_sheet.h"
#include "view/stage_look.h"

namespace attnscope::test {
namespace {

using picture::Heatmap;
using picture::Picture;
using picture::Word;
using scene::SheetMatrix;

constexpr double near_enough = 0.01;
constexpr double letter_em = 10;

double equal_letters(std::string_view text, double size, picture::Face) {
  const auto is_letter = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
  return 0.5 * size * static_cast<double>(std::ranges::count_if(text, is_letter));
}

std::shared_ptr<const Result> hard_result(const std::function<void(AttentionConfig&)>& change = {}) {
  AttentionConfig config = hard_document().config;
  if (change) change(config);
  return std::make_shared<const Result>(evaluate(config));
}

float cell_of(const Result& result, Stage stage, Index batch, Index head, Index row, Index col) {
  return value_at(result, {.stage = stage, .batch = batch, .head = head, .row = row, .col = col});
}

// A heatmap of a matrix, with cells of 40 by 20.
Heatmap heatmap_of(const picture::Matrix& matrix) {
  const auto rows = static_cast<double>(matrix.rows);
  const auto cols = static_cast<double>(matrix.cols);
  return {matrix, {100, 50, 40 * cols, 20 * rows}, whole_window(matrix.rows, matrix.cols)};
}

std::vector<Word> numbers_in(const Heatmap& heatmap, const scene::NumberStyle& style = {.least = 2}, double size = 10,
                             const std::function<bool(Index, Index)>& is_covered = {}) {
  Picture picture;
  scene::CellNumbers numbers{style, heatmap, size};
  numbers.is_covered = is_covered;
  put_numbers(picture, numbers, colours_of(ThemeId::light), equal_letters);
  std::vector<Word> words;
  for (const Word* const word : picture.all<Word>()) words.push_back(*word);
  return words;
}

// The word in a cell as it is shown; nothing where the cell has none.
std::optional<Word> word_at(const std::vector<Word>& words, const Heatmap& heatmap, Index row, Index col) {
  const Box cell = scene::plot_of(heatmap).cell(row, col);
  std::optional<Word> found;
  for (const Word& word : words) {
    if (!cell.contains(word.x, word.y)) continue;
    EXPECT_FALSE(found) << "two numbers in a cell";
    EXPECT_NEAR(word.x, cell.middle_x(), near_enough);
    EXPECT_EQ(word.anchor, 0.5);
    EXPECT_NEAR(word.y - 0.36 * word.size, cell.middle_y(), near_enough) << "digits are 0.72 of their size high";
    found = word;
  }
  return found;
}

TEST(CellNumbers, StandInTheirCellsWithTheNumbersOfTheirEntryAndHead) {
  const auto result = hard_result();
  for (const Stage stage :
       {Stage::weights, Stage::masked_scores, Stage::mask, Stage::dropped_weights, Stage::queries}) {
    for (const Index batch : {0, 1}) {
      Heatmap heatmap = heatmap_of(picture::matrix_of(result, stage, batch, 2));
      heatmap.range = {.low = -1, .high = 1};
      const std::vector<Word> words = numbers_in(heatmap);
      const bool has_keys = is_query_by_key(info(stage).axes);
      for (Index row = 0; row < heatmap.rows; ++row) {
        for (Index col = 0; col < heatmap.cols; ++col) {
          SCOPED_TRACE(fmt::format("{} of entry {}: {}, {}", info(stage).id, batch, row, col));
          const std::optional<Word> word = word_at(words, heatmap, row, col);
          const bool is_hidden = has_keys && cell_of(*result, Stage::mask, batch, 2, row, col) != 0;
          const float value = cell_of(*result, stage, batch, 2, row, col);
          const bool is_dropped = stage == Stage::dropped_weights && !is_hidden && value == 0;
          ASSERT_EQ(word.has_value(), !is_dropped);
          if (!word) continue;
          const std::string own = stage == Stage::mask ? format_fixed(static_cast<double>(value), 0)
                                                       : format_fixed(static_cast<double>(value), 2);
          const std::string hidden = stage == Stage::mask ? "1" : stage == Stage::masked_scores ? "−∞" : "0";
          EXPECT_EQ(word->text, is_hidden ? hidden : own);
          EXPECT_EQ(word->is_on_hatch, is_hidden);
          const Rgb ground =
              is_hidden ? grey(colours_of(ThemeId::light).greys.hidden) : colour_of(Colormap::viridis, value, -1, 1);
          EXPECT_EQ(word->ink.colour, ink_on(ground));
        }
      }
    }
  }
}

TEST(CellNumbers, OfATransposedMatrixStandWhereTheirCellsAreShown) {
  const auto result = hard_result();
  picture::Matrix keys = picture::matrix_of(result, Stage::keys, 1, 2);
  picture::transpose(keys);
  const Heatmap heatmap = heatmap_of(keys);
  ASSERT_EQ(heatmap.cols, 6);
  const std::vector<Word> words = numbers_in(heatmap);
  for (Index key = 0; key < 6; ++key) {
    for (Index dim = 0; dim < 2; ++dim) {
      const std::optional<Word> word = word_at(words, heatmap, dim, key);
      ASSERT_TRUE(word);
      EXPECT_EQ(word->text, format_fixed(static_cast<double>(cell_of(*result, Stage::keys, 1, 2, key, dim)), 2));
    }
  }
}

TEST(CellNumbers, ToBePredictedOrUnchangedAreNotShown) {
  const auto result = hard_result();
  const Heatmap heatmap = heatmap_of(picture::matrix_of(result, Stage::scores, 1, 2));
  const auto covers = [](Index row, Index col) { return row == 2 && col > 3; };
  const std::vector<Word> words = numbers_in(heatmap, {.least = 2}, 10, covers);
  for (Index row = 0; row < 6; ++row)
    for (Index col = 0; col < 6; ++col) EXPECT_EQ(word_at(words, heatmap, row, col).has_value(), !covers(row, col));
  const auto same = difference_of(result, result);
  EXPECT_TRUE(numbers_in(heatmap_of(picture::matrix_of(same, Stage::masked_scores, 1, 2))).empty());
}

// No coloured cell says 0.00, and small differences may leave out the 0 before the point.
TEST(CellNumbers, OfADifferenceAreNeverZero) {
  const auto result = hard_result();
  const auto difference =
      difference_of(hard_result([](AttentionConfig& config) { config.scale_factor = 0.72; }), result);
  const Heatmap heatmap = heatmap_of(picture::matrix_of(difference, Stage::weights, 1, 2));
  int written = 0;
  for (Index row = 0; row < 6; ++row) {
    for (Index col = 0; col < 6; ++col) {
      const std::vector<Word> words = numbers_in(heatmap, {.least = 2, .decimals = 4, .omits_zero = true}, 10);
      const std::optional<Word> word = word_at(words, heatmap, row, col);
      const double value = static_cast<double>(cell_of(*difference, Stage::weights, 1, 2, row, col));
      EXPECT_EQ(word.has_value(), std::abs(value) >= 0.00005) << value;
      if (!word) continue;
      ++written;
      EXPECT_TRUE(word->text.starts_with(".") || word->text.starts_with("−.")) << word->text;
    }
  }
  EXPECT_GT(written, 0);
}

// A number that is wider than the layout expected is rounded before all are left out.
TEST(CellNumbers, AreRoundedBeforeTheyAreLeftOut) {
  const auto result = hard_result();
  Heatmap heatmap = heatmap_of(picture::matrix_of(result, Stage::weights, 1, 2));
  heatmap.box.width = 6 * 15.5;  // room for the three letters of "0.2" at a size of 10, and not for "0.25"
  const std::vector<Word> words = numbers_in(heatmap, {.least = 9.9}, 10);
  ASSERT_FALSE(words.empty());
  for (const Word& word : words) EXPECT_LE(word.text.size(), 3U) << word.text;
}

TEST(CellNumbers, OfHiddenCellsAreQuietInTheDiagram) {
  const auto result = hard_result();
  const Heatmap scores = heatmap_of(picture::matrix_of(result, Stage::masked_scores, 0, 1));
  const std::vector<Word> words = numbers_in(scores, {.least = 4, .names_hidden = false});
  const std::optional<Word> hidden = word_at(words, scores, 0, 5);
  ASSERT_TRUE(hidden);
  EXPECT_EQ(hidden->text, "−∞");
  EXPECT_EQ(hidden->ink.colour, colours_of(ThemeId::light).inks.dim_text);
  EXPECT_LT(hidden->size, word_at(words, scores, 5, 5)->size);
  const Heatmap weights = heatmap_of(picture::matrix_of(result, Stage::weights, 0, 1));
  EXPECT_FALSE(word_at(numbers_in(weights, {.least = 4, .names_hidden = false}), weights, 0, 5));
}

TEST(CellNumbers, AreSmallerWhereTheWidestNeedsItAndNoneWhereItWouldBeTooSmall) {
  const auto result = hard_result();
  Heatmap heatmap = heatmap_of(picture::matrix_of(result, Stage::weights, 1, 2));
  heatmap.box.width = 6 * 20.5;  // the four letters of "0.25" have 20 of it
  EXPECT_NEAR(numbers_in(heatmap, {.least = 4}, 12).front().size, 10, near_enough);
  EXPECT_NEAR(numbers_in(heatmap, {.least = 4}, 8).front().size, 8, near_enough);
  EXPECT_EQ(numbers_in(heatmap, {.least = 10}, 12).size(), 36U);
  heatmap.box.width = 6 * 10.5;  // too little for one decimal, too
  EXPECT_TRUE(numbers_in(heatmap, {.least = 10.1}, 12).empty());
  EXPECT_TRUE(numbers_in(heatmap, {.least = 4}, 0).empty());
}

TEST(CellNumbers, ThatTheEdgeCutsAreLeftOut) {
  const auto result = hard_result();
  Heatmap heatmap = heatmap_of(picture::matrix_of(result, Stage::scores, 1, 2));
  heatmap.window = {1.5, 2.5, 3, 3};
  heatmap.box = {0, 0, 120, 60};
  const std::vector<Word> words = numbers_in(heatmap);
  EXPECT_EQ(words.size(), 4U) << "two rows and two columns are whole";
  for (const Index row : {2, 3}) {
    for (const Index col : {3, 4}) {
      const std::optional<Word> word = word_at(words, heatmap, row, col);
      ASSERT_TRUE(word);
      EXPECT_EQ(word->text, format_fixed(static_cast<double>(cell_of(*result, Stage::scores, 1, 2, row, col)), 2));
    }
  }
}

TEST(CellNumbers, AreReadOnTheirGroundWhereCellsAreTranslucent) {
  const auto result = hard_result();
  Heatmap heatmap = heatmap_of(picture::matrix_of(result, Stage::queries, 1, 2));
  heatmap.opacity = 0.1;
  for (const Rgb ground : {Rgb{255, 255, 255}, Rgb{0, 0, 0}}) {
    for (const Word& word : numbers_in(heatmap, {.least = 2, .ground = ground, .alpha = 0.5})) {
      EXPECT_EQ(word.ink.colour, ink_on(ground));
      EXPECT_EQ(word.ink.alpha, 0.5);
    }
  }
}

TEST(CellMarks, HaveTheirShapesInTheMiddleOfTheirCells) {
  const Box cell{100, 200, 40, 20};
  const ThemeColours& theme = colours_of(ThemeId::light);
  const auto drawn = [&](CellMark mark, const Box& box) {
    Picture picture;
    scene::put_mark(picture, mark, box, {1, 2, 3}, theme);
    return picture;
  };
  const auto middle = [](const std::vector<picture::Point>& points) {
    const auto [left, right] = std::ranges::minmax(points, {}, &picture::Point::x);
    const auto [top, bottom] = std::ranges::minmax(points, {}, &picture::Point::y);
    return picture::Point{(left.x + right.x) / 2, (top.y + bottom.y) / 2};
  };
  EXPECT_EQ(drawn(CellMark::masked, cell).all<picture::Hatch>().at(0)->box, cell);
  const Picture dropped = drawn(CellMark::dropped, cell);
  EXPECT_EQ(dropped.all<picture::Fill>().at(0)->ink.colour, grey(theme.greys.gap));
  const std::vector<const picture::Stroke*> cross = dropped.all<picture::Stroke>();
  ASSERT_EQ(cross.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const picture::Point a = cross[i]->points[0], b = cross[i]->points[1];
    EXPECT_EQ(middle(cross[i]->points), (picture::Point{120, 210}));
    EXPECT_EQ(b.y - a.y, (i == 0 ? 1 : -1) * (b.x - a.x)) << "one falls, one rises";
    EXPECT_NEAR(b.x - a.x, 10, near_enough) << "half of the shorter side";
  }
  const Picture nothing = drawn(CellMark::not_a_number, cell);
  EXPECT_EQ(nothing.all<picture::Fill>().at(0)->ink.colour, grey(theme.greys.paper));
  const std::vector<picture::Point>& diamond = nothing.all<picture::Stroke>().at(0)->points;
  EXPECT_EQ(diamond.size(), 5U);
  EXPECT_EQ(diamond.front(), diamond.back()) << "it is closed";
  EXPECT_NEAR(middle(diamond).x, 120, near_enough);
  EXPECT_NEAR(middle(diamond).y, 210, near_enough);
  const std::vector<picture::Point> triangle = drawn(CellMark::infinite, cell).all<picture::Polygon>().at(0)->points;
  EXPECT_EQ(triangle[0].x, 120);
  EXPECT_LT(triangle[0].y, 210) << "its tip is at the top";
  EXPECT_GT(triangle[1].y, 210);
  EXPECT_EQ(triangle[1].y, triangle[2].y);
  const Picture edited = drawn(CellMark::edited, cell);
  EXPECT_EQ(edited.all<picture::Fill>().at(0)->ink.colour, (Rgb{1, 2, 3}));
  const std::vector<const picture::Polygon*> corners = edited.all<picture::Polygon>();
  ASSERT_EQ(corners.size(), 2U);
  EXPECT_EQ(corners[1]->ink.colour, theme.inks.edited) << "on its white rim";
  for (const picture::Polygon* const corner : corners) EXPECT_EQ(corner->points[1], (picture::Point{140, 200}));
  EXPECT_GT(corners[0]->points[2].y, corners[1]->points[2].y);
}

struct Pen {
  Picture picture;
  picture::TextMeasure measure = equal_letters;
  scene::SheetPen pen{picture, measure, colours_of(ThemeId::light), {9, 9, 9}, letter_em};

  std::vector<Word> words(std::string_view text) const {
    std::vector<Word> found;
    for (const Word* const word : picture.all<Word>())
      if (word->text == text) found.push_back(*word);
    return found;
  }
  Word word(std::string_view text) const {
    const std::vector<Word> found = words(text);
    EXPECT_EQ(found.size(), 1U) << text;
    return found.empty() ? Word() : found.front();
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Word* const word : picture.all<Word>()) all.push_back(word->text);
    return all;
  }
};

Box ink_box(const Word& word) { return picture::box_of(word, equal_letters); }
double middle_line(const Word& word) { return word.y + (picture::line_height / 2 - picture::baseline) * word.size; }

TEST(MarkLegend, HasASampleBeforeEachNameInOneOrderAndIsCentred) {
  const std::set<CellMark> marks = {CellMark::edited, CellMark::masked, CellMark::infinite};
  Pen one;
  const double end = put_legend(one.pen, marks, {1, 1, 1}, 100, 700, 30);
  EXPECT_EQ(one.texts(), (std::vector<std::string>{"masked", "infinite", "changed by hand"}));
  const std::vector<const picture::Outline*> samples = one.picture.all<picture::Outline>();
  ASSERT_EQ(samples.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Word name = one.word(one.texts()[i]);
    EXPECT_EQ(samples[i]->box.y, 30);
    EXPECT_EQ(samples[i]->box.bottom(), end);
    EXPECT_NEAR(middle_line(name), samples[i]->box.middle_y(), near_enough);
    EXPECT_GT(name.x, samples[i]->box.right());
    EXPECT_LT(name.x, samples[i]->box.right() + letter_em);
    if (i > 0) {
      EXPECT_GT(samples[i]->box.x, ink_box(one.word(one.texts()[i - 1])).right());
    }
  }
  const double left = samples[0]->box.x, right = ink_box(one.word("changed by hand")).right();
  EXPECT_NEAR(left + right, 800, near_enough);
  EXPECT_NEAR(right - left, legend_width(one.pen, marks), near_enough);
  EXPECT_EQ(legend_width(one.pen, {}), 0);
  Pen narrow;
  put_legend(narrow.pen, marks, {1, 1, 1}, 100, 220, 30);
  const std::vector<const picture::Outline*> below = narrow.picture.all<picture::Outline>();
  EXPECT_EQ(below[0]->box.y, 30);
  EXPECT_LT(below[0]->box.bottom(), below[2]->box.y) << "below each other";
  for (const Word* const word : narrow.picture.all<Word>()) {
    EXPECT_GE(ink_box(*word).x, 100);
    EXPECT_LE(ink_box(*word).right(), 220);
  }
}

TEST(ColourBars, HaveEachNumberBesideItsColour) {
  Pen upright;
  const scene::ColourBar bar{.range = {.low = -1, .high = 3}, .name = "range of all heads"};
  put_vertical_bar(upright.pen, bar, 20, 100, 200);
  const picture::Gradient gradient = *upright.picture.all<picture::Gradient>().at(0);
  EXPECT_TRUE(gradient.is_vertical);
  EXPECT_EQ(gradient.box.y, 100);
  EXPECT_EQ(gradient.box.height, 200);
  const char* const numbers[] = {"−1", "0", "1", "2", "3"};
  double widest = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const Word number = upright.word(numbers[i]);
    EXPECT_NEAR(middle_line(number), 300 - 50 * static_cast<double>(i), near_enough) << number.text;
    EXPECT_GT(number.x, gradient.box.right());
    widest = std::max(widest, ink_box(number).right());
  }
  const Word name = upright.word("range of all heads");
  EXPECT_TRUE(name.is_turned);
  EXPECT_NEAR(ink_box(name).middle_y(), 200, near_enough);
  EXPECT_GT(ink_box(name).x, widest);
  EXPECT_LE(ink_box(name).right(), 20 + vertical_bar_width(upright.pen, bar));
  Pen low;
  put_vertical_bar(low.pen, bar, 20, 100, 4 * letter_em);
  EXPECT_EQ(low.texts(), (std::vector<std::string>{"−1", "1", "3"})) << "and no name, which has no room";
  Pen lower;
  put_vertical_bar(lower.pen, bar, 20, 100, 4 * letter_em - 1);
  EXPECT_EQ(lower.texts(), (std::vector<std::string>{"−1", "3"}));
  Pen covered;
  put_vertical_bar(covered.pen, {.range = bar.range, .has_numbers = false}, 20, 100, 200);
  EXPECT_TRUE(covered.texts().empty());

  Pen below;
  put_small_bar(below.pen, {.range = {.low = 0.25F, .high = 0.75F}}, 20, 100, 120);
  const Box flat = below.picture.all<picture::Gradient>().at(0)->box;
  EXPECT_NEAR(ink_box(below.word("0.25")).x, flat.x, near_enough);
  EXPECT_NEAR(ink_box(below.word("0.75")).right(), flat.right(), near_enough);
  EXPECT_GE(ink_box(below.word("0.25")).y, flat.bottom());
  EXPECT_LE(ink_box(below.word("0.25")).bottom(), 100 + small_bar_height(below.pen));

  Pen inline_bar;
  const double width = put_inline_bar(inline_bar.pen, {.range = {.low = 0, .high = 1}}, 400, 100);
  const Box within = inline_bar.picture.all<picture::Gradient>().at(0)->box;
  EXPECT_NEAR(ink_box(inline_bar.word("1")).right(), 400, near_enough);
  EXPECT_LT(within.right(), ink_box(inline_bar.word("1")).x);
  EXPECT_LT(ink_box(inline_bar.word("0")).right(), within.x);
  EXPECT_NEAR(ink_box(inline_bar.word("0")).x, 400 - width, near_enough);
  EXPECT_NEAR(within.middle_y(), middle_line(inline_bar.word("1")), near_enough);
  Pen centred;
  put_inline_bar(centred.pen, {.range = {.low = -2, .high = 2}}, 400, 100);
  EXPECT_EQ(centred.texts().back(), "±2");
  EXPECT_NEAR(centred.picture.all<picture::Gradient>().at(0)->box.right(), 400, near_enough);
}

TEST(ColourBars, OfOneNumberHaveItsColourAndSayItOnce) {
  const scene::ColourBar bar{.range = {.low = 0.5F, .high = 0.5F}};
  const Rgb middle = entries(Colormap::viridis)[128];
  Pen upright;
  put_vertical_bar(upright.pen, bar, 20, 100, 200);
  EXPECT_EQ(upright.picture.all<picture::Fill>().at(0)->ink.colour, middle);
  EXPECT_NEAR(middle_line(upright.word("0.50")), 200, near_enough);
  Pen below;
  put_small_bar(below.pen, bar, 20, 100, 120);
  EXPECT_EQ(below.texts(), std::vector<std::string>{"0.50"});
  EXPECT_NEAR(ink_box(below.word("0.50")).middle_x(), 80, near_enough);
}

TEST(ColourBars, HaveAsManyDecimalsAsTellTheirNumbersApart) {
  const auto numbers = [](float low, float high) {
    Pen pen;
    put_vertical_bar(pen.pen, {.range = {.low = low, .high = high}}, 0, 0, 5 * letter_em);
    return pen.texts();
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(numbers(0, 1), (Texts{"0.00", "0.50", "1.00"}));
  EXPECT_EQ(numbers(0, 2), (Texts{"0", "1", "2"}));
  EXPECT_EQ(numbers(0.5F, 2.5F), (Texts{"0.50", "1.50", "2.50"}));
  EXPECT_EQ(numbers(0, 0.004F), (Texts{"0.000", "0.002", "0.004"}));
  Pen powers;
  const ColourRange logarithmic{.low = -3, .high = 0, .measure = {MeasureKind::logarithm, {}}};
  put_vertical_bar(powers.pen, {.range = logarithmic}, 0, 0, 20 * letter_em);
  EXPECT_EQ(powers.texts(), (Texts{"0.001", "0.01", "0.1", "1"}));
}

// A sheet of matrices of the hard document, each with row sums that are the number of its row.
struct DrawnSheet : Pen {
  std::vector<SheetMatrix> matrices;
  std::vector<std::string> rows = {"r1", "r2", "r3", "r4", "r5", "r6"};
  std::vector<std::string> columns = {"c1", "c2", "c3", "c4", "c5", "c6"};
  scene::SheetStyle style{.left = 50,
                          .width = 900,
                          .top = 20,
                          .most_names = 200,
                          .longest_names = 200,
                          .name_line = 12,
                          .largest_cell = 40,
                          .large_cell = 30,
                          .is_marking_names = true,
                          .range_name = "own range",
                          .numbers = {},
                          .cells = {}};
  std::optional<scene::Sheet> sheet;

  void put(std::size_t in_line) {
    scene::SheetLines lines;
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      if (i % in_line == 0) lines.emplace_back();
      lines.back().push_back(&matrices[i]);
    }
    const scene::SheetTexts sheet_texts{.row_names = rows,
                                        .column_names = columns,
                                        .widest_name = "c1",
                                        .row_sum = [](std::size_t matrix, Index row) -> std::optional<float> {
                                          if (row == 4) return {};
                                          return static_cast<float>(10 * matrix + static_cast<std::size_t>(row));
                                        }};
    sheet = put_sheet(pen, style, sheet_texts, lines);
    ASSERT_TRUE(sheet);
    ASSERT_EQ(sheet->matrices.size(), matrices.size());
  }
};

SheetMatrix hard_sheet(Stage stage, Index head, const std::optional<Source>& marked = {}) {
  return scene::sheet_matrix(picture::matrix_of(hard_result(), stage, 1, head), marked);
}

TEST(Sheets, NameEachRowAndColumnAndPutItsSumBesideIt) {
  DrawnSheet drawn;
  drawn.matrices = {hard_sheet(Stage::weights, 2, Source{.stage = Stage::scores, .row = 4, .col = 1})};
  drawn.matrices[0].widest_sums = {"100.00"};
  drawn.put(1);
  const scene::CellPlot& plot = drawn.sheet->matrices[0].plot;
  const ThemeInks& inks = colours_of(ThemeId::light).inks;
  const Word sum = drawn.word("sum");
  EXPECT_LE(ink_box(sum).bottom(), plot.box.y);
  for (Index at = 0; at < 6; ++at) {
    const Word row = drawn.word(fmt::format("r{}", at + 1));
    EXPECT_NEAR(middle_line(row), plot.cell(at, 0).middle_y(), near_enough);
    EXPECT_LT(ink_box(row).right(), plot.box.x);
    EXPECT_EQ(row.ink.colour, at == 4 ? inks.cross_hair : inks.text);
    const Word column = drawn.word(fmt::format("c{}", at + 1));
    EXPECT_NEAR(ink_box(column).middle_x(), plot.cell(0, at).middle_x(), near_enough);
    EXPECT_LT(ink_box(column).bottom(), plot.box.y);
    EXPECT_EQ(column.ink.colour, at == 1 ? inks.cross_hair : inks.text);
    if (at == 4) continue;  // it is not known
    std::vector<Word> sums = drawn.words(format_fixed(static_cast<double>(at), 2));
    std::erase_if(sums, [&](const Word& word) { return word.x < plot.box.right() || word.anchor != 1; });
    ASSERT_EQ(sums.size(), 1U) << at;
    EXPECT_NEAR(middle_line(sums[0]), plot.cell(at, 0).middle_y(), near_enough);
    EXPECT_NEAR(sums[0].x, ink_box(sum).right(), near_enough);
    EXPECT_EQ(sums[0].ink.colour, at == 1 ? inks.dim_text : inks.warning) << "weights should sum to 1";
  }
  const Word query = drawn.word("query");
  EXPECT_TRUE(query.is_turned);
  EXPECT_NEAR(ink_box(query).middle_y(), plot.box.middle_y(), near_enough);
  EXPECT_LT(ink_box(query).right(), ink_box(drawn.word("r1")).x);
  const Word key = drawn.word("key");
  EXPECT_NEAR(ink_box(key).middle_x(), plot.box.middle_x(), near_enough);
  EXPECT_LT(ink_box(key).bottom(), ink_box(drawn.word("c1")).y);
  std::vector<Box> marks;
  for (const picture::Outline* const outline : drawn.picture.all<picture::Outline>())
    if (outline->ink.colour == inks.cross_hair) marks.push_back(outline->box);
  const Box row = {plot.box.x, plot.cell(4, 0).y, plot.box.width, plot.cell_height()};
  const Box column = {plot.cell(0, 1).x, plot.box.y, plot.cell_width(), plot.box.height};
  ASSERT_EQ(marks.size(), 3U);
  for (const auto& [is, expected] : {std::pair{marks[0], row}, {marks[1], column}, {marks[2], plot.cell(4, 1)}}) {
    EXPECT_NEAR(is.x, expected.x, near_enough);
    EXPECT_NEAR(is.y, expected.y, near_enough);
    EXPECT_NEAR(is.width, expected.width, near_enough);
    EXPECT_NEAR(is.height, expected.height, near_enough);
  }
}

TEST(Sheets, MarkTheRowsOfBothTokensOfAPairInTheInputs) {
  DrawnSheet drawn;
  drawn.matrices = {
      hard_sheet(Stage::inputs, 0, Source{.stage = Stage::weights, .batch = 1, .head = 2, .row = 4, .col = 1})};
  drawn.put(1);
  const scene::CellPlot& plot = drawn.sheet->matrices[0].plot;
  std::vector<double> tops;
  for (const picture::Outline* const outline : drawn.picture.all<picture::Outline>()) {
    if (outline->ink.colour != colours_of(ThemeId::light).inks.cross_hair) continue;
    EXPECT_NEAR(outline->box.width, plot.box.width, near_enough);
    EXPECT_NEAR(outline->box.height, plot.cell_height(), near_enough);
    tops.push_back(outline->box.y);
  }
  std::ranges::sort(tops);
  ASSERT_EQ(tops.size(), 2U);
  EXPECT_NEAR(tops[0], plot.cell(1, 0).y, near_enough) << "the key's";
  EXPECT_NEAR(tops[1], plot.cell(4, 0).y, near_enough) << "the query's";
  for (const char* const name : {"r2", "r5"})
    EXPECT_EQ(drawn.word(name).ink.colour, colours_of(ThemeId::light).inks.cross_hair);
  EXPECT_EQ(drawn.words("dimension").size(), 1U);
}

TEST(Sheets, HaveHeadingsWithMarksOfTheirHeadsAndOneBarForAll) {
  DrawnSheet drawn;
  for (Index head = 0; head < 3; ++head) {
    drawn.matrices.push_back(hard_sheet(Stage::dropped_weights, head));
    drawn.matrices.back().heading = fmt::format("Head {}", head + 1);
    drawn.matrices.back().has_head_colour = true;
    drawn.matrices.back().widest_sums = {"100.00"};
  }
  drawn.style.repeats_columns = true;
  drawn.put(2);
  for (Index head = 0; head < 3; ++head) {
    const scene::PlacedSheetMatrix& placed = drawn.sheet->matrices[static_cast<std::size_t>(head)];
    const Word heading = drawn.word(fmt::format("Head {}", head + 1));
    std::vector<const picture::Fill*> chips = drawn.picture.all<picture::Fill>();
    std::erase_if(chips, [&](const picture::Fill* chip) { return chip->ink.colour != head_rgb(head, false); });
    std::erase_if(chips, [&](const picture::Fill* chip) {
      return std::abs(chip->box.middle_y() - middle_line(heading)) > 1 || chip->box.x > heading.x ||
             heading.x - chip->box.x > 60;
    });
    ASSERT_EQ(chips.size(), 1U) << head;
    EXPECT_NEAR(chips[0]->box.x, placed.plot.box.x, near_enough);
    EXPECT_NEAR(chips[0]->box.middle_y(), middle_line(heading), near_enough);
    EXPECT_LT(chips[0]->box.right(), heading.x);
    EXPECT_LT(ink_box(heading).bottom(), placed.plot.box.y);
    const std::vector<Word> sums = drawn.words(format_fixed(static_cast<double>(10 * head + 5), 2));
    ASSERT_FALSE(sums.empty());
    EXPECT_NEAR(middle_line(sums.back()), placed.plot.cell(5, 0).middle_y(), near_enough);
    EXPECT_NEAR(sums.back().x, placed.sums_right, near_enough);
    EXPECT_GT(placed.sums_right, placed.plot.box.right());
  }
  const auto& placed = drawn.sheet->matrices;
  EXPECT_EQ(placed[0].plot.box.y, placed[1].plot.box.y);
  EXPECT_GT(placed[1].plot.box.x, placed[0].sums_right);
  EXPECT_EQ(placed[2].plot.box.x, placed[0].plot.box.x);
  EXPECT_GT(placed[2].plot.box.y, placed[0].plot.box.bottom());
  EXPECT_EQ(drawn.words("r1").size(), 2U) << "at the left of each line";
  EXPECT_EQ(drawn.words("c1").size(), 2U) << "above the first line";
  EXPECT_EQ(drawn.words("own range").size(), 1U);
  const std::vector<const picture::Gradient*> bars = drawn.picture.all<picture::Gradient>();
  ASSERT_EQ(bars.size(), 1U);
  EXPECT_GT(bars[0]->box.x, placed[1].sums_right);
  EXPECT_EQ(bars[0]->box.y, placed[0].plot.box.y);
  EXPECT_NEAR(drawn.sheet->box.x - 50, 950 - drawn.sheet->box.right(), near_enough) << "in the middle";

  DrawnSheet own;
  own.matrices = drawn.matrices;
  own.style.shares_bar = false;
  own.put(3);
  const std::vector<const picture::Gradient*> each = own.picture.all<picture::Gradient>();
  ASSERT_EQ(each.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(each[i]->box.x, own.sheet->matrices[i].plot.box.x);
    EXPECT_GT(each[i]->box.y, own.sheet->matrices[i].plot.box.bottom());
  }
  EXPECT_EQ(own.words("r1").size(), 1U);
}

TEST(Sheets, OfContextsHaveTheMarksOfTheirHeadsAboveTheirColumns) {
  DrawnSheet drawn;
  drawn.matrices = {hard_sheet(Stage::context, 0)};
  drawn.put(1);
  const scene::CellPlot& plot = drawn.sheet->matrices[0].plot;
  ASSERT_EQ(plot.cols, 6);
  for (Index head = 0; head < 3; ++head) {
    std::vector<const picture::Fill*> strips = drawn.picture.all<picture::Fill>();
    std::erase_if(strips, [&](const picture::Fill* fill) { return fill->ink.colour != head_rgb(head, false); });
    ASSERT_EQ(strips.size(), head == 1 ? 1U : 2U) << "two greys by turns";
    if (head == 2) strips.erase(strips.begin());
    EXPECT_NEAR(strips[0]->box.middle_x(), plot.cell(0, 2 * head + 1).x, near_enough) << "above both of its columns";
    EXPECT_NEAR(strips[0]->box.width, 2 * plot.cell_width(), 2);
    EXPECT_LT(strips[0]->box.bottom(), plot.box.y);
  }
  for (Index col = 0; col < 6; ++col) {
    const Word name = drawn.word(std::to_string(col + 1));
    EXPECT_NEAR(ink_box(name).middle_x(), plot.cell(0, col).middle_x(), near_enough);
    EXPECT_EQ(name.ink.colour, colours_of(ThemeId::light).inks.dim_text);
  }
}

}  // namespace
}  // namespace attnscope::test
