// Figures and pictures of a document with two batch entries, three heads, a mask beside dropout and a bias of its own
// for each: numbers, sums, ranges and words are of the matrix that the figure is of.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "core/evaluate.h"
#include "core/results.h"
#include "core/text.h"
#include "document/sweep.h"
#include "figure_support.h"
#include "paint/file/figure.h"
#include "tests/support/hard_documents.h"
#include "view/cells.h"
#include "view/colours.h"
#include "view/diagram.h"
#include "view/picture.h"

namespace attnscope::test {
namespace {

struct HardFigures : testing::Test {
  Document document = hard_document();
  std::shared_ptr<const Result> result = std::make_shared<const Result>(evaluate(document.config));
  std::vector<std::string> labels = token_labels(document.tokens);

  float at(Stage stage, Index batch, Index head, Index row, Index col) const {
    return value_at(*result, {.stage = stage, .batch = batch, .head = head, .row = row, .col = col});
  }
  static FigureOptions options_of(Stage stage, Index batch, std::optional<Index> head) {
    FigureOptions options = figure_of(stage, head);
    options.batch = batch;
    return options;
  }
};

// How often each text stands in a figure.
std::map<std::string, int> counted_texts(const Figure& figure) {
  std::map<std::string, int> counts;
  for (const std::string& text : texts_of(figure)) ++counts[text];
  return counts;
}

TEST_F(HardFigures, ShowTheNumbersOfTheirEntryAndHead) {
  for (const Stage stage : {Stage::weights, Stage::dropped_weights, Stage::biased_scores, Stage::head_context}) {
    for (Index batch = 0; batch < hard_entries; ++batch) {
      for (Index head = 0; head < hard_heads; ++head) {
        SCOPED_TRACE(fmt::format("{} of entry {}, head {}", info(stage).id, batch, head));
        const FigureOptions options = options_of(stage, batch, head);
        EXPECT_EQ(describe_figure(result, labels, options).place,
                  fmt::format("Head {} of 3, batch entry {} of 2", head + 1, batch + 1));
        const std::map<std::string, int> texts = counted_texts(make_figure(result, labels, options));
        std::map<std::string, int> expected;
        const std::vector<Index> shape = stage_shape(result->config, stage);
        for (Index row = 0; row < 6; ++row) {
          double sum = 0;
          for (Index col = 0; col < shape.back(); ++col) {
            const float value = at(stage, batch, head, row, col);
            sum += static_cast<double>(value);
            if (value != 0 && std::isfinite(value)) ++expected[format_fixed(static_cast<double>(value), 2)];
          }
          if (stage == Stage::weights || stage == Stage::dropped_weights) ++expected[format_fixed(sum, 2)];
        }
        for (const auto& [text, count] : expected) {
          EXPECT_TRUE(texts.contains(text) && texts.at(text) >= count) << text << ", " << count << " times";
        }
      }
    }
  }
}

TEST_F(HardFigures, OfAllHeadsStandSideBySideEachWithItsOwnSums) {
  for (Index batch = 0; batch < hard_entries; ++batch) {
    FigureOptions options = options_of(Stage::dropped_weights, batch, {});
    options.row_sums = true;
    const FigureContent content = describe_figure(result, labels, options);
    ASSERT_EQ(std::ssize(content.matrices), hard_heads);
    EXPECT_EQ(content.columns, 3) << "one line without an empty place";
    std::map<std::string, int> sums;
    for (Index head = 0; head < hard_heads; ++head) {
      const FigureMatrix& matrix = content.matrices[static_cast<std::size_t>(head)];
      EXPECT_EQ(matrix.heading, fmt::format("Head {} of 3", head + 1));
      EXPECT_EQ(matrix.matrix, batch * hard_heads + head);
      for (Index row = 0; row < 6; ++row) {
        double sum = 0;
        for (Index key = 0; key < 6; ++key)
          sum += static_cast<double>(at(Stage::dropped_weights, batch, head, row, key));
        EXPECT_NEAR(static_cast<double>(matrix.row_sums[static_cast<std::size_t>(row)]), sum, 1e-5);
        ++sums[format_fixed(sum, 2)];
      }
    }
    options.decimals.reset();  // no numbers in cells
    const std::map<std::string, int> texts = counted_texts(make_figure(result, labels, options));
    for (const auto& [text, count] : sums) EXPECT_TRUE(texts.contains(text) && texts.at(text) >= count) << text;
  }
}

TEST_F(HardFigures, HaveTheRangeOfTheirMatrix) {
  for (Index batch = 0; batch < hard_entries; ++batch) {
    for (Index head = 0; head < hard_heads; ++head) {
      FigureOptions options = options_of(Stage::scores, batch, head);
      options.range = RangeMode::own;
      float largest = 0;
      for (Index row = 0; row < 6; ++row) {
        for (Index col = 0; col < 6; ++col)
          largest = std::max(largest, std::abs(at(Stage::scores, batch, head, row, col)));
      }
      EXPECT_EQ(describe_figure(result, labels, options).matrices.front().range.high, largest);
    }
  }
  document.config.dropout = 0.2;
  result = std::make_shared<const Result>(evaluate(document.config));
  const FigureContent content = describe_figure(result, labels, options_of(Stage::dropped_weights, 1, 2));
  EXPECT_EQ(content.matrices.front().range.high, 1.25F) << "1 / (1 − 0.2)";
}

// A bar has the number of its low end below, that of its high end above.
TEST_F(HardFigures, BarsHaveTheirHighEndAbove) {
  FigureOptions options = options_of(Stage::scores, 1, 2);
  options.fixed_range = FixedRange{-0.25F, 0.75F};
  const Figure figure = make_figure(result, labels, options);
  const picture::Word* const low = word_in(figure, "−0.25");
  const picture::Word* const high = word_in(figure, "0.75");
  ASSERT_TRUE(low && high);
  EXPECT_GT(low->y, high->y);
}

TEST_F(HardFigures, OfTwoDocumentsHaveABeforeB) {
  Document other = document;
  other.config.seed = 7;
  const auto before = std::make_shared<const Result>(evaluate(other.config));
  const std::shared_ptr<const Result> both = difference_of(result, before);
  FigureOptions options = options_of(Stage::weights, 1, 2);
  options.side = ComparedSide::side_by_side;
  const FigureContent content = describe_figure(both, labels, options);
  ASSERT_EQ(content.matrices.size(), 3U);
  EXPECT_EQ(content.matrices[0].heading, "A: seed 7");
  EXPECT_EQ(content.matrices[0].result, before);
  EXPECT_EQ(content.matrices[1].heading, fmt::format("B: seed {}", document.config.seed));
  EXPECT_EQ(content.matrices[1].result, result);
  EXPECT_EQ(content.matrices[2].heading, "B − A");
  EXPECT_EQ(content.matrices[2].result, both);
}

// A colour means the same number in A and B, whichever of them has the wider range; what is between them has its own.
TEST_F(HardFigures, OfTwoDocumentsShareOneRangeForBoth) {
  document.config.mask = MaskRoute::none;
  document.config.hidden = {};
  document.config.dropout = 0;
  Document wider = document;
  wider.config.scale_factor = 3;
  const auto narrow = std::make_shared<const Result>(evaluate(document.config));
  const auto wide = std::make_shared<const Result>(evaluate(wider.config));
  const auto range = [&](const std::shared_ptr<const Result>& of, Stage stage) {
    StageSummary::Extremes extremes = no_extremes;
    for (Index row = 0; row < 6; ++row) {
      for (Index col = 0; col < 6; ++col) {
        const float value = value_at(*of, {.stage = stage, .batch = 1, .head = 2, .row = row, .col = col});
        widen(extremes, {value, value});
      }
    }
    return extremes;
  };
  for (const auto& [before, now] : {std::pair{narrow, wide}, {wide, narrow}}) {
    const auto both = difference_of(now, before);
    FigureOptions options = options_of(Stage::weights, 1, 2);
    options.side = ComparedSide::side_by_side;
    options.range = RangeMode::own;
    const std::vector<FigureMatrix> weights = describe_figure(both, labels, options).matrices;
    StageSummary::Extremes own = range(before, Stage::weights);
    widen(own, range(now, Stage::weights));
    for (const std::size_t side : {0U, 1U}) {
      EXPECT_EQ(weights[side].range.low, own.low);
      EXPECT_EQ(weights[side].range.high, own.high);
    }
    const StageSummary::Extremes between = range(both, Stage::weights);
    EXPECT_EQ(weights[2].range.high, std::max(-between.low, between.high));
    EXPECT_EQ(weights[2].range.low, -weights[2].range.high) << "centred on 0";
    options.stage = Stage::scaled_scores;
    const std::vector<FigureMatrix> scores = describe_figure(both, labels, options).matrices;
    const StageSummary::Extremes one = range(before, Stage::scaled_scores), other = range(now, Stage::scaled_scores);
    const float largest = std::max({-one.low, one.high, -other.low, other.high});
    for (const std::size_t side : {0U, 1U}) {
      EXPECT_EQ(scores[side].range.low, -largest);
      EXPECT_EQ(scores[side].range.high, largest);
    }
    options.stage = Stage::weights;
    for (const RangeMode mode : {RangeMode::shared, RangeMode::relative, RangeMode::logarithmic}) {
      options.range = mode;
      const std::vector<FigureMatrix> matrices = describe_figure(both, labels, options).matrices;
      EXPECT_EQ(matrices[0].range.low, matrices[1].range.low) << static_cast<int>(mode);
      EXPECT_EQ(matrices[0].range.high, matrices[1].range.high) << static_cast<int>(mode);
    }
  }
}

TEST_F(HardFigures, OfASeriesShareTheRangeOfAllFrames) {
  document.config.mask = MaskRoute::none;
  document.config.hidden = {};
  document.config.dropout = 0;
  FigureOptions options = options_of(Stage::weights, 1, 2);
  options.range = RangeMode::own;
  for (const char* const text : {"seed=1..4", "seed=4,3,2,1"}) {
    const Sweep sweep = parse_sweep(text, document);
    FigureSeries series;
    std::vector<FigureContent> contents;
    float low = 1;
    float high = 0;
    for (std::size_t frame = 0; frame < sweep.values.size(); ++frame) {
      const Document shown = frame_document(document, sweep, frame);
      result = std::make_shared<const Result>(evaluate(shown.config));
      for (Index row = 0; row < 6; ++row) {
        for (Index key = 0; key < 6; ++key) {
          low = std::min(low, at(Stage::weights, 1, 2, row, key));
          high = std::max(high, at(Stage::weights, 1, 2, row, key));
        }
      }
      contents.push_back(describe_figure(result, labels, options));
      series.add(contents.back());
    }
    for (const FigureContent& content : contents) {
      const Figure figure = series.make(content);
      EXPECT_EQ(figure.picture.all<picture::Heatmap>().front()->range.low, low);
      EXPECT_EQ(figure.picture.all<picture::Heatmap>().front()->range.high, high);
    }
  }
}

// A hidden weight says 0 in a figure and nothing in the diagram, whose hatch says it.
TEST_F(HardFigures, HiddenWeightsSayNothingInADiagram) {
  const auto zeros = [&](std::optional<Stage> stage) {
    FigureOptions options = figure_of(stage, 2);
    options.batch = 1;
    return counted_texts(make_figure(result, labels, options))["0"];
  };
  EXPECT_EQ(zeros(Stage::weights), 15 + 3);
  EXPECT_LT(zeros(std::nullopt), 15 + 3);
}

// The whole diagram of one head: each number is that of its cell, and a pinned weight frames the rows of both tokens.
TEST_F(HardFigures, DiagramsHaveTheNumbersSumsAndMarksOfTheirEntryAndHead) {
  FigureOptions options = figure_of(std::nullopt, 2);
  options.batch = 1;
  options.width = {1000, LengthUnit::millimetres};
  options.marked = Source{.stage = Stage::weights, .batch = 1, .head = 2, .row = 4, .col = 3};
  const Figure figure = make_figure(result, labels, options);
  const ThemeInks& inks = colours_of(ThemeId::light).inks;
  std::map<Stage, int> numbers;
  std::map<Stage, int> sums;
  std::vector<double> framed;
  for (const picture::Heatmap* const heatmap : figure.picture.all<picture::Heatmap>()) {
    const scene::CellPlot plot = scene::plot_of(*heatmap);
    for (const picture::Word* const word : figure.picture.all<picture::Word>()) {
      const auto row = static_cast<Index>(std::floor(plot.down().index_at(word->y - 0.36 * word->size)));
      const auto col = static_cast<Index>(std::floor(plot.across().index_at(word->x)));
      if (word->face == picture::Face::number && plot.box.contains(word->x, word->y)) {
        const Source cell = picture::source_at(*heatmap, row, col);
        EXPECT_EQ(cell.batch, is_per_batch(cell.stage) ? 1 : 0);
        const auto value = static_cast<double>(value_at(*result, cell));
        const bool is_number = word->text == format_fixed(value, 2) || word->text == format_fixed(value, 1) ||
                               word->text == format_fixed(value, 0);
        EXPECT_TRUE(is_number) << word->text << ", not " << value << " of " << info(cell.stage).id;
        numbers[cell.stage] += 1;
      }
      const double beside = word->x - plot.box.right();
      if (heatmap->stage != Stage::dropped_weights || word->anchor != 0 || beside < 0 || beside > 2 * word->size ||
          row < 0 || row > 5)
        continue;
      double sum = 0;
      for (Index key = 0; key < 6; ++key) sum += static_cast<double>(at(Stage::dropped_weights, 1, 2, row, key));
      EXPECT_EQ(word->text, format_fixed(sum, 2)) << "beside row " << row;
      EXPECT_EQ(word->ink.colour, std::abs(sum - 1) > 0.005 ? inks.warning : inks.dim_text);
      sums[heatmap->stage] += 1;
    }
    for (const picture::Outline* const outline : figure.picture.all<picture::Outline>()) {
      const Box& box = outline->box;
      const bool is_row = std::abs(box.x - plot.box.x) < 0.01 && std::abs(box.width - plot.box.width) < 0.01;
      if (heatmap->stage == Stage::inputs && is_row && outline->ink.colour == inks.cross_hair)
        framed.push_back((box.middle_y() - plot.box.y) / plot.cell_height());
    }
  }
  EXPECT_EQ(numbers[Stage::inputs], 6 * 3);
  EXPECT_GE(numbers[Stage::dropped_weights], 1);
  EXPECT_GE(numbers[Stage::queries], 6 * 2);
  EXPECT_GE(numbers[Stage::output], 6 * 6);
  EXPECT_EQ(sums[Stage::dropped_weights], 6);
  ASSERT_GE(framed.size(), 2U);
  EXPECT_NEAR(framed[0], 4.5, 0.01) << "the row of the query";
  EXPECT_NEAR(framed[1], 3.5, 0.01) << "the row of the key";
}

TEST_F(HardFigures, APairOfTokensMarksTwoRowsOfTheInputs) {
  const Source pair{.stage = Stage::weights, .batch = 1, .head = 2, .row = 4, .col = 3};
  EXPECT_EQ(marked_lines(document.config, pair, Stage::inputs), (MarkedLines{.row = 4, .second_row = 3}));
  EXPECT_EQ(marked_lines(document.config, pair, Stage::scores), (MarkedLines{.row = 4, .col = 3}));
  EXPECT_EQ(marked_lines(document.config, pair, Stage::queries), MarkedLines{.row = 4});
  EXPECT_EQ(marked_lines(document.config, pair, Stage::values), MarkedLines{.row = 3});
  const Source itself{.stage = Stage::weights, .row = 4, .col = 4};
  EXPECT_EQ(marked_lines(document.config, itself, Stage::inputs), MarkedLines{.row = 4});
}

// Six heads of queries share three of keys: a cell of keys is named by the entry and the head that it is shown for.
TEST(SharedKeysPicture, NamesCellsByTheirEntryAndHead) {
  Document document = default_document();
  document.config.d_out = 12;
  document.config.num_heads = 6;
  document.config.num_kv_heads = 3;
  document.config.batch_size = 2;
  const auto result = std::make_shared<const Result>(evaluate(document.config));
  for (const Index batch : {0, 1}) {
    for (const Index head : {0, 3, 5}) {
      for (const Stage stage : {Stage::queries, Stage::keys, Stage::values}) {
        const Source cell = picture::source_at(picture::matrix_of(result, stage, batch, head), 4, 1);
        EXPECT_EQ(cell, (Source{.stage = stage, .batch = batch, .head = head, .row = 4, .col = 1}));
      }
    }
    for (const Stage stage : {Stage::context, Stage::output}) {  // which have one matrix in each entry
      const Source cell = picture::source_at(picture::matrix_of(result, stage, batch, 0), 4, 1);
      EXPECT_EQ(cell, (Source{.stage = stage, .batch = batch, .row = 4, .col = 1}));
    }
  }
}

}  // namespace
}  // namespace attnscope::test
