// Where everything of a teaching view's items stands: numbers in their cells and at the ends of their bars, names
// beside what they name, curves above the numbers of their axes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "view/board.h"
#include "view/stage_look.h"

namespace attnscope::test {
namespace {

constexpr double touching = 0.01;

double letters_wide(std::string_view text, double size, picture::Face) {
  return 0.5 * size * static_cast<double>(text.size());
}

// A board with one line of items, as it is drawn.
class DrawnBoard {
public:
  explicit DrawnBoard(std::vector<BoardItem> items, ThemeId theme = ThemeId::light, double width = 900)
      : theme_(colours_of(theme)) {
    board_.lines = {std::move(items)};
    layout_ = scene::layout_board(board_, {.width = width,
                                           .height = 500,
                                           .text = 15,
                                           .theme = &theme_,
                                           .paper = {250, 250, 250},
                                           .line = {200, 200, 200},
                                           .measure = letters_wide});
  }

  std::vector<picture::Word> words(std::string_view text) const {
    std::vector<picture::Word> found;
    for (const picture::Word* const word : layout_.picture.all<picture::Word>())
      if (word->text == text) found.push_back(*word);
    return found;
  }
  // The only word with this text.
  picture::Word word(std::string_view text) const {
    const std::vector<picture::Word> found = words(text);
    EXPECT_EQ(found.size(), 1U) << text;
    return found.empty() ? picture::Word() : found.front();
  }
  // Filled boxes of a colour, from left to right.
  std::vector<Box> fills(Rgb colour) const {
    std::vector<Box> found;
    for (const picture::Fill* const fill : layout_.picture.all<picture::Fill>())
      if (fill->ink.colour == colour) found.push_back(fill->box);
    std::ranges::sort(found, {}, &Box::x);
    return found;
  }
  std::vector<picture::Stroke> strokes(std::size_t points) const {
    std::vector<picture::Stroke> found;
    for (const picture::Stroke* const stroke : layout_.picture.all<picture::Stroke>())
      if (stroke->points.size() == points) found.push_back(*stroke);
    return found;
  }
  std::vector<Box> frames(Rgb colour) const {
    std::vector<Box> found;
    for (const picture::Outline* const outline : layout_.picture.all<picture::Outline>())
      if (outline->ink.colour == colour) found.push_back(outline->box);
    return found;
  }
  const scene::BoardCells& cells(std::size_t matrix = 0) const { return layout_.cells.at(matrix); }
  const scene::BoardLayout& layout() const { return layout_; }
  const ThemeInks& inks() const { return theme_.inks; }
  Rgb tint(Index number) const { return series_rgb(number, theme_.is_dark); }

private:
  const ThemeColours& theme_;
  Board board_;
  scene::BoardLayout layout_;
};

Box around(const picture::Word& word) { return picture::box_of(word, letters_wide); }
double line_middle(const picture::Word& word) {
  return word.y + (picture::line_height / 2 - picture::baseline) * word.size;
}

void expect_in_middle_of(const picture::Word& word, const Box& box) {
  EXPECT_NEAR(around(word).middle_x(), box.middle_x(), touching) << word.text;
  EXPECT_NEAR(line_middle(word), box.middle_y(), touching) << word.text;
}

// A number stands on top of a bar that goes up, and below one that goes down.
void expect_at_end_of(const picture::Word& number, const Box& bar, bool goes_down) {
  EXPECT_NEAR(around(number).middle_x(), bar.middle_x(), touching) << number.text;
  const Box box = around(number);
  const double gap = goes_down ? box.y - bar.bottom() : bar.y - box.bottom();
  EXPECT_GE(gap, 0) << number.text;
  EXPECT_LT(gap, number.size) << number.text;
}

TEST(BoardBarsDrawn, HaveTheirNumbersAtTheirEndsAndTheirNamesBelow) {
  const DrawnBoard board({BoardBars{
      .title = "scores", .labels = {"a", "b", "c", "d"}, .parts = {{.values = {2, -1, 0.5F, -0.25F}}}, .decimals = 1}});
  const std::vector<Box> bars = board.fills(board.inks().accent);
  ASSERT_EQ(bars.size(), 4U);
  const char* const numbers[] = {"2.0", "−1.0", "0.5", "−0.2"};
  const char* const names[] = {"a", "b", "c", "d"};
  const double zero = bars[0].bottom();
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const bool goes_down = i % 2 == 1;
    expect_at_end_of(board.word(numbers[i]), bars[i], goes_down);
    EXPECT_NEAR(goes_down ? bars[i].y : bars[i].bottom(), zero, touching);
    const picture::Word name = board.word(names[i]);
    EXPECT_NEAR(around(name).middle_x(), bars[i].middle_x(), touching);
    EXPECT_GE(around(name).y, around(board.word("−1.0")).bottom()) << "below the lowest number";
  }
  const std::vector<picture::Stroke> axis = board.strokes(2);
  ASSERT_EQ(axis.size(), 1U);
  for (const picture::Point& end : axis[0].points) EXPECT_NEAR(end.y, zero, touching) << "the line of 0";
  EXPECT_LE(axis[0].points[0].x, bars.front().x);
  EXPECT_GE(axis[0].points[1].x, bars.back().right());
}

TEST(BoardBarsDrawn, OfSeveralPartsStandSideBySideInTheColoursOfTheirKeys) {
  const DrawnBoard board({BoardBars{.labels = {"first", "second"},
                                    .parts = {{.name = "one", .values = {1, 4}, .tint = 0},
                                              {.name = "two", .values = {2, -3}, .grey = 3},
                                              {.name = "grey", .values = {5, 6}, .tint = neutral_tint}}}});
  const Rgb grey = mix({250, 250, 250}, board.inks().dim_text, 0.4);
  const Rgb colours[] = {board.tint(0), mix({250, 250, 250}, board.inks().text, 0.65), grey};
  const char* const keys[] = {"one", "two", "grey"};
  const char* const numbers[2][3] = {{"1.00", "2.00", "5.00"}, {"4.00", "−3.00", "6.00"}};
  const double values[2][3] = {{1, 2, 5}, {4, -3, 6}};
  std::vector<std::vector<Box>> bars(2);
  for (std::size_t part = 0; part < 3; ++part) {
    std::vector<Box> all = board.fills(colours[part]);
    ASSERT_EQ(all.size(), 3U) << "two bars and a key";
    const picture::Word name = board.word(keys[part]);
    const auto is_key = [&](const Box& box) { return std::abs(box.middle_y() - line_middle(name)) < touching; };
    const auto key = std::ranges::find_if(all, is_key);
    ASSERT_NE(key, all.end());
    EXPECT_LT(key->right(), name.x);
    EXPECT_LT(name.x - key->right(), name.size);
    all.erase(key);
    for (std::size_t bar = 0; bar < 2; ++bar) {
      bars[bar].push_back(all[bar]);
      expect_at_end_of(board.word(numbers[bar][part]), all[bar], values[bar][part] < 0);
      EXPECT_NEAR(all[bar].height / std::abs(values[bar][part]), bars[0][0].height, touching) << "by its number";
    }
  }
  const char* const names[] = {"first", "second"};
  for (std::size_t bar = 0; bar < 2; ++bar) {
    EXPECT_NEAR(bars[bar][0].right(), bars[bar][1].x, touching);
    EXPECT_NEAR(bars[bar][1].right(), bars[bar][2].x, touching);
    EXPECT_NEAR(around(board.word(names[bar])).middle_x(), bars[bar][1].middle_x(), touching);
  }
  EXPECT_LT(bars[0][2].right(), bars[1][0].x) << "apart from those of the next name";
}

TEST(BoardBarsDrawn, LeaveThePlaceOfANumberThatIsNotFiniteEmpty) {
  const float infinity = std::numeric_limits<float>::infinity();
  const DrawnBoard board({BoardBars{
      .labels = {"first", "second"},
      .parts = {{.name = "one", .values = {-infinity, 2}, .tint = 0}, {.name = "two", .values = {3, 4}, .tint = 3}}}});
  const double from_name_to_bar = around(board.word("4.00")).middle_x() - around(board.word("second")).middle_x();
  EXPECT_GT(from_name_to_bar, 0);
  EXPECT_NEAR(around(board.word("3.00")).middle_x() - around(board.word("first")).middle_x(), from_name_to_bar,
              touching);
}

TEST(BoardBarsDrawn, HiddenOnesSayMinusInfinityAndNotTheirNumber) {
  const DrawnBoard board({BoardBars{
      .labels = {"a", "b"}, .parts = {{.values = {2, 7}}}, .marks = {{}, {.is_hidden = true}}, .high = 4.0F}});
  const std::vector<Box> bars = board.fills(board.inks().accent);
  ASSERT_EQ(bars.size(), 1U);
  EXPECT_TRUE(board.words("7.00").empty());
  const picture::Word hidden = board.word("−∞");
  EXPECT_NEAR(around(hidden).middle_x(), around(board.word("b")).middle_x(), touching);
  EXPECT_LE(around(hidden).bottom(), bars[0].bottom()) << "above the line of 0";
  EXPECT_GT(around(hidden).bottom(), bars[0].bottom() - hidden.size);
}

TEST(BoardBarsDrawn, EndWhereTheirAxisEndsAndAreAsHighAsItSays) {
  const auto heights = [](std::vector<float> values, std::optional<float> high) {
    const DrawnBoard board({BoardBars{.parts = {{.values = std::move(values)}}, .high = high}});
    std::vector<double> found;
    for (const Box& bar : board.fills(board.inks().accent)) found.push_back(bar.height);
    return found;
  };
  const std::vector<double> two = heights({1, 3}, 2.0F);
  EXPECT_NEAR(two[1], 2 * two[0], touching) << "3 is drawn as 2";
  EXPECT_NEAR(heights({1, 2}, {})[1], two[1], touching);
  EXPECT_EQ(heights({0, 0}, {}), (std::vector<double>{0, 0}));
  const std::vector<double> below = heights({-1, -3}, {});
  EXPECT_NEAR(below[1], 3 * below[0], touching);
}

TEST(BoardBarsDrawn, OfAHistogramTouchAndHaveNoNumbers) {
  const DrawnBoard board(
      {BoardBars{.labels = {"", "a long name", ""}, .parts = {{.values = {1, 2, 3}}}, .is_narrow = true}});
  const std::vector<Box> bars = board.fills(board.inks().accent);
  ASSERT_EQ(bars.size(), 3U);
  constexpr double seam = 0.5;  // by which a bar reaches below the next
  for (std::size_t i = 0; i + 1 < bars.size(); ++i) EXPECT_NEAR(bars[i].right(), bars[i + 1].x + seam, touching);
  EXPECT_TRUE(board.words("2.00").empty());
  EXPECT_NEAR(around(board.word("a long name")).middle_x(), bars[1].middle_x() - seam / 2, touching) << "whole";
}

// The curve's numbers are those of the axes below and beside them.
void expect_on_axes(const DrawnBoard& board, const picture::Stroke& curve, const std::vector<std::string>& x,
                    const std::vector<std::string>& y) {
  ASSERT_EQ(curve.points.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const picture::Point at = curve.points[i];
    const auto is_below = [&](const picture::Word& word) {
      return std::abs(around(word).middle_x() - at.x) < touching;
    };
    const auto is_beside = [&](const picture::Word& word) { return std::abs(line_middle(word) - at.y) < touching; };
    EXPECT_TRUE(std::ranges::any_of(board.words(x[i]), is_below)) << x[i];
    EXPECT_TRUE(std::ranges::any_of(board.words(y[i]), is_beside)) << y[i];
  }
}

TEST(BoardPlotDrawn, CurvesStandAboveAndBesideTheNumbersOfTheirAxes) {
  const BoardPlot powers{.title = "p",
                         .x_title = "keys",
                         .is_log_y = true,
                         .curves = {{.name = "1/n", .x = {1, 10, 100}, .y = {1, 0.1, 0.01}, .tint = 2}}};
  const DrawnBoard logarithmic({powers});
  expect_on_axes(logarithmic, logarithmic.strokes(3).at(0), {"1", "10", "100"}, {"1", "0.1", "0.01"});
  EXPECT_EQ(logarithmic.strokes(3).at(0).ink.colour, logarithmic.tint(2));
  const DrawnBoard linear({BoardPlot{.x_title = "keys", .curves = {{.name = "n", .x = {1, 10, 100}, .y = {1, 4, 3}}}}});
  const picture::Stroke curve = linear.strokes(3).at(0);
  expect_on_axes(linear, curve, {"1", "10", "100"}, {"1", "4", "3"});
  EXPECT_EQ(curve.ink.colour, linear.inks().dim_text);
  const picture::Word zero = linear.word("0");
  EXPECT_GT(line_middle(zero), curve.points[0].y) << "axes without logarithms begin at 0";
  EXPECT_LT(around(zero).right(), curve.points[0].x);
  const picture::Word title = linear.word("keys");
  EXPECT_NEAR(around(title).middle_x(), (curve.points.front().x + curve.points.back().x) / 2, touching);
  EXPECT_GE(around(title).y, around(linear.word("100")).bottom());
  EXPECT_GE(around(linear.word("100")).y, line_middle(zero));
}

TEST(BoardPlotDrawn, AxesHaveStepsThatSuitTheirLength) {
  const auto shows = [](double from, double to, const std::vector<std::string>& ticks,
                        const std::vector<std::string>& others) {
    const DrawnBoard board({BoardPlot{.curves = {{.name = "c", .x = {from, to}, .y = {0, 0}}}}});
    for (const std::string& tick : ticks) EXPECT_FALSE(board.words(tick).empty()) << tick;
    for (const std::string& tick : others) EXPECT_TRUE(board.words(tick).empty()) << tick;
  };
  shows(1, 1024, {"4", "16", "256", "1024"}, {"2", "10", "100"});
  shows(2, 500, {"10", "100", "1000"}, {"4", "2"});
  shows(1, 1e7, {"100", "10000"}, {"10", "1000"});
  shows(1, 1e6, {"10", "1000"}, {"4"});
  shows(7, 7, {"10"}, {"100"});
  const auto shows_y = [](double high, const std::vector<std::string>& ticks, const std::vector<std::string>& others) {
    const DrawnBoard board({BoardPlot{.curves = {{.name = "c", .x = {3, 30}, .y = {0, high}}}}});
    for (const std::string& tick : ticks) EXPECT_FALSE(board.words(tick).empty()) << tick;
    for (const std::string& tick : others) EXPECT_TRUE(board.words(tick).empty()) << tick;
  };
  shows_y(9, {"0", "2", "4", "6", "8"}, {"3", "5"});
  shows_y(30, {"5", "15", "25", "30"}, {"2", "4"});
  shows_y(0.3, {"0.05", "0.3"}, {"0.02"});
}

TEST(BoardPlotDrawn, ExplainsSolidDashedAndSingleCurvesByKeysOfTheirKind) {
  BoardPlot plot{.curves = {{.name = "solid", .x = {1, 10}, .y = {1, 2}, .tint = 0},
                            {.name = "dashed", .x = {1, 10}, .y = {2, 1}, .tint = 1, .is_dashed = true},
                            {.name = "here", .x = {10}, .y = {2}, .tint = 2, .is_point = true}}};
  const DrawnBoard board({plot});
  const auto lines_of = [&](const DrawnBoard& of, Index tint) {
    std::vector<picture::Stroke> found = of.strokes(2);
    std::erase_if(found, [&](const picture::Stroke& each) { return each.ink.colour != of.tint(tint); });
    return found;
  };
  const auto beside = [&](std::string_view name, Index tint) {
    const picture::Word word = board.word(name);
    return std::ranges::count_if(lines_of(board, tint), [&](const picture::Stroke& each) {
      return std::abs(each.points[0].y - line_middle(word)) < touching && each.points[1].x < word.x;
    });
  };
  EXPECT_EQ(beside("solid", 0), 1);
  EXPECT_EQ(beside("dashed", 1), 2);
  EXPECT_EQ(lines_of(board, 0).size(), 2U) << "the curve and its key";
  const std::vector<Box> squares = board.fills(board.tint(2));
  ASSERT_EQ(squares.size(), 2U) << "the place and its key";
  const picture::Point end = lines_of(board, 0).back().points.back();
  const auto is_at_end = [&](const Box& box) {
    return std::abs(box.middle_x() - end.x) < touching && std::abs(box.middle_y() - end.y) < touching;
  };
  EXPECT_EQ(std::ranges::count_if(squares, is_at_end), 1) << "where the solid curve ends, too";
  // Dashes lie on the line that they stand for, and leave gaps.
  std::vector<picture::Stroke> dashes = lines_of(board, 1);
  std::erase_if(dashes, [&](const picture::Stroke& each) { return each.points[0].y == each.points[1].y; });
  ASSERT_GT(dashes.size(), 10U);
  const picture::Point begin = dashes.front().points.front();
  double drawn = 0;
  for (const picture::Stroke& each : dashes) {
    drawn += each.points[1].x - each.points[0].x;
    for (const picture::Point& at : each.points)
      EXPECT_NEAR((at.y - begin.y) / (at.x - begin.x + 1e-9),
                  (dashes.back().points[1].y - begin.y) / (dashes.back().points[1].x - begin.x),
                  at.x == begin.x ? 1e9 : 1e-3);
  }
  EXPECT_NEAR(drawn / (end.x - begin.x), 0.55, 0.02);
  plot.has_legend = false;
  EXPECT_TRUE(DrawnBoard({plot}).words("solid").empty());
}

BoardMatrix numbered_matrix() {
  return {.title = "numbers",
          .rows = 2,
          .cols = 3,
          .values = {0, 0.25F, 0.5F, 0.75F, 1, std::numeric_limits<float>::quiet_NaN()},
          .row_labels = {"one", "two"},
          .column_labels = {"left", "mid", "right"},
          .row_sums = {0.75F, 1},
          .marked_row = 1};
}

TEST(BoardMatrixDrawn, HasEachNumberInItsCellAndEachNameBesideItsRowOrColumn) {
  const DrawnBoard board({numbered_matrix()});
  const scene::BoardCells& cells = board.cells();
  const char* const numbers[2][3] = {{"0.00", "0.25", "0.50"}, {"0.75", "1.00", ""}};
  for (Index row = 0; row < 2; ++row) {
    for (Index col = 0; col < 3; ++col) {
      const std::string text = numbers[row][col];
      if (text.empty()) continue;
      const Box cell = cells.cell(row, col);
      const Rgb ground = colour_of(Colormap::viridis, static_cast<float>(row * 3 + col) / 4, 0, 1);
      const std::vector<picture::Word> words = board.words(text);
      const auto is_in = [&](const picture::Word& word) { return cell.contains(word.x, word.y); };
      const auto word = std::ranges::find_if(words, is_in);
      ASSERT_NE(word, words.end()) << text;
      expect_in_middle_of(*word, cell);
      EXPECT_EQ(word->ink.colour, ink_on(ground)) << text;
      EXPECT_EQ(std::ranges::count(board.fills(ground), cell), 1) << text;
    }
  }
  const char* const rows[] = {"one", "two"};
  for (Index row = 0; row < 2; ++row) {
    const picture::Word name = board.word(rows[row]);
    EXPECT_NEAR(line_middle(name), cells.cell(row, 0).middle_y(), touching);
    EXPECT_LT(around(name).right(), cells.box.x);
    EXPECT_EQ(name.ink.colour, row == 1 ? board.inks().accent : board.inks().text) << "the marked one";
  }
  const char* const columns[] = {"left", "mid", "right"};
  for (Index col = 0; col < 3; ++col) {
    const picture::Word name = board.word(columns[col]);
    EXPECT_NEAR(around(name).middle_x(), cells.cell(0, col).middle_x(), touching);
    EXPECT_LE(around(name).bottom(), cells.box.y);
  }
  const picture::Word sum = board.word("sum");
  EXPECT_LE(around(sum).bottom(), cells.box.y);
  for (const auto& [text, row, ink] :
       {std::tuple{"0.75", 0, board.inks().warning}, {"1.00", 1, board.inks().dim_text}}) {
    std::vector<picture::Word> words = board.words(text);
    std::erase_if(words, [&](const picture::Word& word) { return around(word).x < cells.box.right(); });
    ASSERT_EQ(words.size(), 1U) << text << " beside the cells";
    EXPECT_NEAR(line_middle(words[0]), cells.cell(row, 0).middle_y(), touching);
    EXPECT_NEAR(around(words[0]).right(), around(sum).right(), touching);
    EXPECT_EQ(words[0].ink.colour, ink) << text;
  }
}

TEST(BoardMatrixDrawn, OfSignedNumbersIsCentredOnZeroInTheMapOfItsTheme) {
  for (const ThemeId theme : {ThemeId::light, ThemeId::dark}) {
    BoardMatrix matrix{.rows = 1, .cols = 3, .values = {-2, 0, 1}, .is_signed = true, .low = 0, .high = 2};
    const DrawnBoard board({matrix}, theme);
    const Colormap map = theme == ThemeId::dark ? Colormap::diverging_dark : Colormap::diverging;
    for (Index col = 0; col < 3; ++col) {
      const Rgb ground = colour_of(map, matrix.values[static_cast<std::size_t>(col)], -2, 2);
      EXPECT_EQ(std::ranges::count(board.fills(ground), board.cells().cell(0, col)), 1) << col;
    }
  }
}

// Who drew a number is told by shades of one hue: colours of a series would look like signs or heads.
TEST(BoardMatrixDrawn, HasTextsShadesAndMarksInTheirCells) {
  BoardMatrix matrix{.rows = 2, .cols = 2, .values = {1, 2, 3, 4}};
  matrix.texts = {"ab", "cd", "ef", "gh"};
  matrix.tints = {3, -1, 1, 0};
  matrix.marks = {{}, {}, {.differs = true}, {.is_dropped = true}};
  const DrawnBoard board({matrix});
  const Box first = board.cells().cell(0, 0);
  expect_in_middle_of(board.word("ab"), first);
  const auto shade = [&](double share) { return mix({250, 250, 250}, board.inks().accent, share); };
  EXPECT_EQ(board.fills(shade(0.95)), std::vector<Box>{first});
  EXPECT_TRUE(board.words("cd").empty()) << "a cell without a colour is blank";
  const Box below = board.cells().cell(1, 0);
  expect_in_middle_of(board.word("ef"), below);
  EXPECT_EQ(board.fills(shade(0.75)), std::vector<Box>{below});
  EXPECT_TRUE(board.words("gh").empty()) << "it is crossed out";
  const std::vector<Box> frames = board.frames(board.inks().cross_hair);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0], (Box{below.x + 1, below.y + 1, below.width - 2, below.height - 2}));
  const std::vector<picture::Stroke> cross = board.strokes(2);
  ASSERT_EQ(cross.size(), 2U);
  for (const picture::Stroke& stroke : cross)
    for (const picture::Point& end : stroke.points) EXPECT_TRUE(board.cells().cell(1, 1).contains(end.x, end.y));
}

TEST(BoardMatrixDrawn, BesideOneWithTheSameRowsDoesNotNameThemAgain) {
  const BoardMatrix left = numbered_matrix();
  BoardMatrix right = numbered_matrix();
  const auto named = [&](const BoardMatrix& beside) {
    return DrawnBoard({left, BoardSign{"="}, beside}).words("one").size();
  };
  EXPECT_EQ(named(right), 1U);
  right.row_labels = {"one", "three"};
  EXPECT_EQ(named(right), 2U);
  const DrawnBoard board({left, BoardSign{"="}, left, BoardText{"", "beside"}});
  const picture::Word sign = board.word("=");
  EXPECT_GT(around(sign).x, around(board.words("sum")[0]).right());
  EXPECT_LT(around(sign).right(), board.cells(1).box.x);
  EXPECT_NEAR(board.cells(0).box.y, board.cells(1).box.y, touching) << "rows stand side by side";
}

TEST(BoardMovingDrawn, ColoursNumbersByTokenCountsTheirHeadAndNamesRowsAndGroups) {
  BoardMoving moving{.title = "queries", .numbers = {{0.1F, 0, 0}, {0.2F, 0, 1}, {0.3F, 1, 0}, {0.4F, 1, 1}}};
  moving.arrangements = {{.name = "side by side",
                          .places = {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
                          .cols_together = 1,
                          .rows = {"Your", "journey"},
                          .groups = {"head 1", "head 2"}},
                         {.name = "below each other",
                          .places = {{0, 0}, {2, 0}, {1, 0}, {3, 0}},
                          .rows_together = 2,
                          .rows = {"Your", "journey", "Your", "journey"},
                          .groups = {"head 1", "head 2"}}};
  const char* const numbers[] = {"0.10", "0.20", "0.30", "0.40"};
  const auto number_at = [](const DrawnBoard& board, const char* text) { return around(board.word(text)); };
  for (const double step : {0.0, 1.0}) {
    moving.step = step;
    const DrawnBoard board({moving});
    for (std::size_t i = 0; i < 4; ++i) {
      const picture::Word word = board.word(numbers[i]);
      const Rgb ground = mix({250, 250, 250}, board.tint(static_cast<Index>(i / 2)), 0.45);
      const std::vector<Box> grounds = board.fills(ground);
      const auto box = std::ranges::find_if(grounds, [&](const Box& each) { return each.contains(word.x, word.y); });
      ASSERT_NE(box, grounds.end()) << word.text << " is on the colour of its token";
      expect_in_middle_of(word, *box);
      const auto head = static_cast<Index>(i % 2);
      std::vector<Box> parts = board.fills(head_rgb(head, false));
      std::erase_if(parts, [&](const Box& each) {
        return std::abs(each.y - box->bottom()) > touching || each.x < box->x - touching || each.x > box->right();
      });
      ASSERT_EQ(std::ssize(parts), head + 1) << "the strip below " << word.text << " counts its head";
      EXPECT_NEAR(parts.front().x, box->x, touching);
      EXPECT_NEAR(parts.back().right(), box->right(), touching);
    }
    const picture::Word one = board.word("head 1");
    const picture::Word two = board.word("head 2");
    EXPECT_EQ(one.ink.colour, board.inks().text);
    EXPECT_EQ(two.ink.colour, board.inks().text);
    if (step == 0) {
      EXPECT_EQ(board.words("side by side").size(), 1U);
      EXPECT_NEAR(around(one).middle_x(), number_at(board, "0.10").middle_x(), touching);
      EXPECT_NEAR(around(two).middle_x(), number_at(board, "0.20").middle_x(), touching);
      EXPECT_LT(around(one).bottom(), number_at(board, "0.10").y);
    } else {
      EXPECT_EQ(board.words("below each other").size(), 1U);
      EXPECT_GT(around(one).x, number_at(board, "0.10").right());
      const double middle = (number_at(board, "0.20").middle_y() + number_at(board, "0.40").middle_y()) / 2;
      EXPECT_NEAR(around(two).middle_y(), middle, two.size) << "beside both of its rows";
    }
    for (const auto& [name, number] : {std::pair{"Your", "0.10"}, {"journey", "0.30"}}) {
      const picture::Word row = board.words(name).at(0);
      EXPECT_NEAR(around(row).middle_y(), number_at(board, number).middle_y(), row.size / 2) << name;
      EXPECT_LT(around(row).right(), number_at(board, "0.10").x);
    }
  }
  moving.step = 0.3;
  const DrawnBoard between({moving});
  EXPECT_TRUE(between.words("head 1").empty()) << "on the way nothing is named";
  EXPECT_EQ(between.words("side by side").size(), 1U);
  moving.step = 0.7;
  EXPECT_EQ(DrawnBoard({moving}).words("below each other").size(), 1U);
  moving.step = 9;
  EXPECT_EQ(DrawnBoard({moving}).words("below each other").size(), 1U) << "there is no later one";
}

TEST(BoardTableDrawn, HasWordsAtTheLeftNumbersAtTheRightAndItsHeaderAboveALine) {
  const BoardTable table{
      .title = "counts", .header = {"what", "n"}, .rows = {{"words", "7"}, {"long letters", "12345"}}};
  const DrawnBoard board({table});
  const picture::Word what = board.word("what"), n = board.word("n");
  const picture::Word words = board.word("words"), letters = board.word("long letters");
  const picture::Word seven = board.word("7"), many = board.word("12345");
  for (const picture::Word& word : {words, letters}) EXPECT_NEAR(around(word).x, around(what).x, touching);
  for (const picture::Word& word : {seven, many}) EXPECT_NEAR(around(word).right(), around(n).right(), touching);
  EXPECT_LT(around(letters).right(), around(many).x);
  EXPECT_EQ(words.y, seven.y);
  EXPECT_EQ(letters.y, many.y);
  EXPECT_EQ(what.y, n.y);
  ASSERT_EQ(board.strokes(2).size(), 1U);
  const picture::Stroke line = board.strokes(2)[0];
  EXPECT_GT(line.points[0].y, around(what).bottom());
  EXPECT_LT(line.points[0].y, around(words).y);
  EXPECT_LT(words.y, letters.y);
  EXPECT_NEAR(line.points[0].x, around(what).x, touching);
  EXPECT_NEAR(line.points[1].x, around(n).right(), touching);
  EXPECT_EQ(what.ink.colour, board.inks().dim_text);
  EXPECT_EQ(words.ink.colour, board.inks().text);
  BoardTable longer = table;
  for (const std::size_t rows : {10U, 11U}) {
    longer.rows.resize(rows, {"words", "8"});
    const DrawnBoard one({longer});
    EXPECT_EQ(one.word("7").size<seven.size - touching, rows> 10) << "of more than 10 rows letters are small";
  }
}

BoardArcs three_arcs(std::size_t heads) {
  BoardArcs arcs{.tokens = {"Your", "journey", "starts"}, .query = 1, .hidden = {2}};
  for (std::size_t head = 0; head < heads; ++head) {
    const float share = 0.1F + 0.03F * static_cast<float>(head);
    arcs.heads.push_back({"head " + std::to_string(head + 1), static_cast<int>(head), {share, 1 - share, 0}});
  }
  for (Index token = 0; token < 3; ++token) arcs.sources.push_back({.stage = Stage::weights, .row = 1, .col = token});
  return arcs;
}

TEST(BoardArcsDrawn, HaveTheWeightsOfEachHeadBelowTheirTokens) {
  const DrawnBoard board({three_arcs(2)});
  const char* const weights[2][2] = {{"0.10", "0.90"}, {"0.13", "0.87"}};
  const char* const tokens[] = {"Your", "journey"};
  for (std::size_t token = 0; token < 2; ++token) {
    double above = around(board.word(tokens[token])).bottom();
    for (std::size_t head = 0; head < 2; ++head) {
      const picture::Word weight = board.word(weights[head][token]);
      EXPECT_NEAR(around(weight).middle_x(), around(board.word(tokens[token])).middle_x(), touching);
      EXPECT_GT(around(weight).y, above) << "heads in their order";
      above = around(weight).bottom();
      EXPECT_EQ(weight.ink.colour, head_rgb(static_cast<Index>(head), false));
    }
  }
  ASSERT_EQ(board.layout().spots.size(), 3U);
  for (std::size_t token = 0; token < 3; ++token) {
    const scene::BoardSpot& spot = board.layout().spots[token];
    EXPECT_EQ(spot.source.col, static_cast<Index>(token));
    EXPECT_EQ(spot.text, three_arcs(2).tokens[token]);
    expect_in_middle_of(board.word(spot.text), spot.box);
  }
  EXPECT_EQ(board.fills(board.inks().accent), std::vector<Box>{board.layout().spots[1].box}) << "the query stands out";
  const Box hatch = board.layout().picture.all<picture::Hatch>().at(0)->box;
  EXPECT_EQ(hatch.x, board.layout().spots[2].box.x);
  EXPECT_GE(hatch.y, board.layout().spots[2].box.bottom());
  for (Index head = 0; head < 2; ++head) {  // samples of their arcs: a line, and two dashes
    const picture::Word key = board.word("head " + std::to_string(head + 1));
    EXPECT_EQ(std::ranges::count_if(board.strokes(2),
                                    [&](const picture::Stroke& each) {
                                      return each.ink.colour == head_rgb(head, false) && each.points[1].x < key.x &&
                                             std::abs(each.points[0].y - line_middle(key)) < touching;
                                    }),
              head + 1);
  }
}

TEST(BoardArcsDrawn, OfHeadsWithEvenNumbersAreDashed) {
  BoardArcs arcs{.tokens = {"a", "b"}, .query = 1, .heads = {{"head 1", 0, {1, 0}}}};
  EXPECT_EQ(DrawnBoard({arcs}).layout().picture.all<picture::Stroke>().size(), 1U);
  arcs.heads[0].head = 1;
  EXPECT_GT(DrawnBoard({arcs}).layout().picture.all<picture::Stroke>().size(), 8U);
}

TEST(BoardArcsDrawn, OfManyHeadsHaveStripsAsLongAsTheirWeights) {
  const DrawnBoard board({three_arcs(5)});
  EXPECT_TRUE(board.words("0.10").empty());
  const Box token = board.layout().spots[0].box;
  double below = token.bottom();
  for (Index head = 0; head < 5; ++head) {
    std::vector<Box> strips = board.fills(head_rgb(head, false));  // heads with even numbers have another grey
    std::erase_if(strips, [&](const Box& box) { return box.y < token.bottom(); });
    ASSERT_EQ(strips.size(), head % 2 == 0 ? 6U : 4U) << "the hidden token has none";
    strips = {strips[static_cast<std::size_t>(head / 2)],
              strips[static_cast<std::size_t>(head / 2) + strips.size() / 2]};
    const double share = 0.1 + 0.03 * static_cast<double>(head);
    EXPECT_NEAR(strips[0].x, token.x, touching);
    EXPECT_NEAR(strips[0].width, share * token.width, touching);
    EXPECT_NEAR(strips[1].width, (1 - share) * token.width, touching);
    EXPECT_GT(strips[0].y, below - touching);
    below = strips[0].bottom();
  }
  EXPECT_FALSE(DrawnBoard({three_arcs(4)}).words("0.10").empty()) << "four heads have numbers";
}

TEST(BoardArcsDrawn, AreAsThickAsTheirWeightsAndPaleFromOtherQueries) {
  BoardArcs arcs{.tokens = {"a", "b", "c"}, .query = 2, .shows_all = true};
  arcs.heads = {{"head 1", 0, {1, 0, 0, 0.5F, 0.5F, 0, 0.25F, 0.25F, 0.5F}}};
  const DrawnBoard board({arcs});
  const std::vector<const picture::Stroke*> strokes = board.layout().picture.all<picture::Stroke>();
  ASSERT_EQ(strokes.size(), 6U);
  const double weights[] = {1, 0.5, 0.5, 0.25, 0.25, 0.5};
  for (std::size_t i = 0; i < strokes.size(); ++i) {
    EXPECT_NEAR(strokes[i]->thickness, weights[i] * strokes[0]->thickness, touching) << i;
    EXPECT_EQ(strokes[i]->ink.colour, i < 3 ? mix({250, 250, 250}, head_rgb(0, false), 0.35) : head_rgb(0, false)) << i;
  }
  arcs.shows_all = false;
  arcs.heads[0].weights = {0.5F, 0.049F, 0.451F};
  EXPECT_EQ(DrawnBoard({arcs}).layout().picture.all<picture::Stroke>().size(), 2U) << "a tenth of the largest is drawn";
}

TEST(BoardArcsDrawn, NameHeadsByTheirNumbersWhereThereIsNoRoomForMore) {
  BoardArcs arcs = three_arcs(5);
  for (BoardArcs::Head& head : arcs.heads) head.name = "a long name of a head";
  EXPECT_EQ(DrawnBoard({arcs}, ThemeId::light, 900).words("a long name of a head").size(), 0U);
  const DrawnBoard narrow({arcs}, ThemeId::light, 300);
  for (const char* const number : {"1", "2", "3", "4", "5"}) EXPECT_EQ(narrow.words(number).size(), 1U) << number;
  arcs.heads.resize(1);
  EXPECT_EQ(DrawnBoard({arcs}).words("a long name of a head").size(), 1U);
}

}  // namespace
}  // namespace attnscope::test
