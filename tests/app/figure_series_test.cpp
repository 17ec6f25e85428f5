// Figures of a series: one page, one meaning of colours, and nothing that moves without a reason.

#include "paint/file/figure.h"

#include <cmath>
#include <set>

#include "document/sweep.h"
#include "figure_support.h"
#include "paint/file/figure_page.h"
#include "support.h"
#include "view/stage_look.h"

namespace attnscope::test {
namespace {

// The figures of all frames, laid out.
std::vector<Figure> figures_of(const std::string& sweep_text, FigureOptions options,
                               const Document& document = swept_document()) {
  const Sweep sweep = parse_sweep(sweep_text, document);
  FigureSeries series;
  std::vector<FigureContent> contents;
  for (std::size_t frame = 0; frame < sweep.values.size(); ++frame) {
    const Document shown = frame_document(document, sweep, frame);
    options.title = frame_name(document, sweep, frame);
    options.last_stage = last_stage(sweep, frame);
    contents.push_back(
        describe_figure(std::make_shared<const Result>(evaluate(shown.config)), token_labels(shown.tokens), options));
    series.add(contents.back());
  }
  std::vector<Figure> figures;
  for (const FigureContent& content : contents) figures.push_back(series.make(content));
  return figures;
}

void expect_same_place(const Box& box, const Box& other) {
  EXPECT_NEAR(box.x, other.x, 1e-5);
  EXPECT_NEAR(box.y, other.y, 1e-5);
  EXPECT_NEAR(box.width, other.width, 1e-5);
  EXPECT_NEAR(box.height, other.height, 1e-5);
}

// The matrices of a figure as they are drawn.
std::vector<const picture::Heatmap*> heatmaps_of(const Figure& figure) {
  return figure.picture.all<picture::Heatmap>();
}

float widest_of(const picture::Heatmap& heatmap) {
  float widest = 0;
  for (const float value : read_heatmap(heatmap, heatmap.rows, heatmap.cols).values)
    if (std::isfinite(value)) widest = std::max(widest, std::abs(value));
  return widest;
}

std::size_t arrows_of(const Figure& figure) {
  const std::vector<const picture::Stroke*> strokes = figure.picture.all<picture::Stroke>();
  return static_cast<std::size_t>(
      std::ranges::count_if(strokes, [](const picture::Stroke* stroke) { return stroke->head > 0; }));
}

TEST(FigureSeries, SharesTheRangeOfAllFrames) {
  for (const std::optional<Stage> stage : {std::optional(Stage::scores), std::optional<Stage>()}) {
    const std::vector<Figure> figures = figures_of("seed=1..5", figure_of(stage));
    float widest = 0;
    float range = 0;
    for (const Figure& figure : figures) {
      const std::vector<const picture::Heatmap*> heatmaps = heatmaps_of(figure);
      ASSERT_EQ(heatmaps.size(), heatmaps_of(figures[0]).size());
      for (std::size_t at = 0; at < heatmaps.size(); ++at) {
        EXPECT_EQ(heatmaps[at]->range.low, heatmaps_of(figures[0])[at]->range.low);
        EXPECT_EQ(heatmaps[at]->range.high, heatmaps_of(figures[0])[at]->range.high);
        if (heatmaps[at]->stage != Stage::scores) continue;
        range = heatmaps[at]->range.high;
        widest = std::max(widest, widest_of(*heatmaps[at]));
      }
    }
    EXPECT_GE(range, widest);  // of both heads
    EXPECT_GT(widest, 0.0F);
  }
}

TEST(FigureSeries, HasRangesOfItsOwnForEachHead) {
  FigureOptions options = figure_of(Stage::scores);
  options.head = {};
  options.range = RangeMode::own;
  const std::vector<Figure> figures = figures_of("seed=1..5", options);
  for (std::size_t head = 0; head < 2; ++head) {
    float widest = 0;
    for (const Figure& figure : figures) widest = std::max(widest, widest_of(*heatmaps_of(figure)[head]));
    for (const Figure& figure : figures) EXPECT_EQ(heatmaps_of(figure)[head]->range.high, widest);
  }
  EXPECT_NE(heatmaps_of(figures[0])[0]->range.high, heatmaps_of(figures[0])[1]->range.high);
}

TEST(FigureSeries, LeavesAFixedRangeAlone) {
  FigureOptions options = figure_of(Stage::scores);
  options.fixed_range = FixedRange{-0.25F, 0.5F};
  for (const Figure& figure : figures_of("seed=1..3", options)) {
    EXPECT_EQ(heatmaps_of(figure)[0]->range.low, -0.25F);
    EXPECT_EQ(heatmaps_of(figure)[0]->range.high, 0.5F);
  }
}

// What stands in both figures stands in the same place. A diagram without dropout has fewer matrices than one with it.
void expect_same_places(const Figure& figure, const Figure& other) {
  std::size_t shared = 0;
  for (const picture::Heatmap* const heatmap : heatmaps_of(figure)) {
    shared += static_cast<std::size_t>(std::ranges::count_if(heatmaps_of(other), [&](const picture::Heatmap* twin) {
      return twin->stage == heatmap->stage && twin->head == heatmap->head &&
             twin->is_transposed == heatmap->is_transposed && twin->box == heatmap->box;
    }));
  }
  EXPECT_EQ(shared, std::min(heatmaps_of(figure).size(), heatmaps_of(other).size()));
  const std::vector<const picture::Gradient*> bars = figure.picture.all<picture::Gradient>();
  const std::vector<const picture::Gradient*> other_bars = other.picture.all<picture::Gradient>();
  if (bars.size() != other_bars.size()) return;
  for (std::size_t bar = 0; bar < bars.size(); ++bar) EXPECT_EQ(bars[bar]->box, other_bars[bar]->box);
}

TEST(FigureSeries, KeepsEveryThingInItsPlace) {
  for (const char* const sweep : {"seed=1..5", "dropout=0..0.9:0.3", "embedding[2,1]=-1..1:0.5"}) {
    for (const std::optional<Stage> stage : {std::optional(Stage::dropped_weights), std::optional<Stage>()}) {
      const std::vector<Figure> figures = figures_of(sweep, figure_of(stage));
      SCOPED_TRACE(testing::Message() << sweep << ", " << (stage ? info(*stage).id : "pipeline"));
      for (const Figure& figure : figures) {
        EXPECT_EQ(figure.width, figures[0].width);
        EXPECT_EQ(figure.height, figures[0].height);
        EXPECT_EQ(legend_of(figure), legend_of(figures[0]));
        expect_same_places(figure, figures[0]);
      }
    }
  }
}

TEST(FigureSeries, RevealedTokensStayWhereTheyAppeared) {
  for (const std::optional<Stage> stage : {std::optional(Stage::weights), std::optional<Stage>()}) {
    const std::vector<Figure> figures = figures_of("tokens=1..6", figure_of(stage));
    const Figure& last = figures.back();
    for (std::size_t frame = 0; frame < figures.size(); ++frame) {
      SCOPED_TRACE(testing::Message() << frame + 1 << " tokens, " << (stage ? info(*stage).id : "pipeline"));
      EXPECT_EQ(figures[frame].height, last.height);
      const auto row = static_cast<Index>(frame);
      const std::vector<const picture::Heatmap*> heatmaps = heatmaps_of(figures[frame]);
      ASSERT_EQ(heatmaps.size(), heatmaps_of(last).size());
      for (std::size_t at = 0; at < heatmaps.size(); ++at) {
        if (is_parameter(info(heatmaps[at]->stage).axes)) continue;
        const bool is_turned = heatmaps[at]->is_transposed;
        EXPECT_EQ(is_turned ? heatmaps[at]->cols : heatmaps[at]->rows, row + 1) << info(heatmaps[at]->stage).id;
        const auto newest = [&](const picture::Heatmap& each) {
          return is_turned ? cell_of(each, 0, row) : cell_of(each, row, 0);
        };
        expect_same_place(newest(*heatmaps[at]), newest(*heatmaps_of(last)[at]));
      }
      ASSERT_NE(word_in(figures[frame], "Your"), nullptr);
      EXPECT_NEAR(word_in(figures[frame], "Your")->x, word_in(last, "Your")->x, 1e-5);
      EXPECT_NEAR(word_in(figures[frame], "Your")->y, word_in(last, "Your")->y, 1e-5);
      EXPECT_EQ(word_in(figures[frame], "step") != nullptr, frame == 5);
    }
  }
}

TEST(FigureSeries, RevealedStagesStayWhereTheyAppeared) {
  const std::vector<Figure> figures = figures_of("stages", figure_of({}));
  ASSERT_EQ(figures.size(), 12U);
  const Figure& last = figures.back();
  const auto is_same = [](const picture::Heatmap* a, const picture::Heatmap* b) {
    return a->stage == b->stage && a->head == b->head && a->is_transposed == b->is_transposed && a->box == b->box;
  };
  std::size_t matrices_before = 0;
  std::size_t arrows_before = 0;
  for (const Figure& figure : figures) {
    EXPECT_EQ(figure.height, last.height);
    const std::vector<const picture::Heatmap*> heatmaps = heatmaps_of(figure);
    EXPECT_GT(heatmaps.size(), matrices_before);
    EXPECT_GE(arrows_of(figure), arrows_before);
    matrices_before = heatmaps.size();
    arrows_before = arrows_of(figure);
    for (const picture::Heatmap* const heatmap : heatmaps) {
      const auto same = [&](const picture::Heatmap* each) { return is_same(each, heatmap); };
      EXPECT_TRUE(std::ranges::any_of(heatmaps_of(last), same)) << info(heatmap->stage).id;
    }
  }
  EXPECT_EQ(heatmaps_of(figures[0]).size(), 1U) << "the inputs";
  EXPECT_EQ(arrows_of(figures[0]), 0U);
  const Figure still = make_figure(std::make_shared<const Result>(evaluate(swept_document().config)),
                                   token_labels(swept_document().tokens), figure_of({}));
  EXPECT_EQ(heatmaps_of(last).size(), heatmaps_of(still).size());
  EXPECT_EQ(arrows_of(last), arrows_of(still));
}

TEST(FigureSeries, ArrowsAndWordsComeWithWhatTheyLeadTo) {
  const std::vector<Figure> figures = figures_of("stages", figure_of({}));
  EXPECT_EQ(arrows_of(figures[1]), 1U);  // from the inputs to the queries
  for (std::size_t frame = 0; frame < figures.size(); ++frame) {
    const bool has_weights = std::ranges::any_of(
        heatmaps_of(figures[frame]), [](const picture::Heatmap* heatmap) { return heatmap->stage == Stage::weights; });
    EXPECT_EQ(word_in(figures[frame], "softmax along each row") != nullptr, has_weights) << frame;
    EXPECT_EQ(word_in(figures[frame], "attention weights") != nullptr, has_weights) << frame;
    EXPECT_EQ(word_in(figures[frame], "output") != nullptr, frame + 1 == figures.size()) << frame;
  }
}

// What has no dropout has no place for it, but all else stands where it does in the other frames.
TEST(FigureSeries, KeepsTheRoomOfAStageThatAFrameLacks) {
  const std::vector<Figure> figures = figures_of("dropout=0,0.5", figure_of({}));
  EXPECT_LT(heatmaps_of(figures[0]).size(), heatmaps_of(figures[1]).size());
  EXPECT_EQ(word_in(figures[0], "dropped weights"), nullptr);
  EXPECT_NE(word_in(figures[1], "dropped weights"), nullptr);
  expect_same_places(figures[0], figures[1]);
}

// More heads have other columns: each figure shows its own.
TEST(FigureSeries, OfHeadsShowsAllHeadsOfEachFrame) {
  const std::vector<Figure> figures = figures_of("num_heads=1..4", figure_of({}));
  ASSERT_EQ(figures.size(), 3U);
  const Index heads[] = {1, 2, 4};
  for (std::size_t frame = 0; frame < figures.size(); ++frame) {
    Index columns = 0;
    for (const picture::Heatmap* const heatmap : heatmaps_of(figures[frame]))
      if (heatmap->stage == Stage::queries) columns = std::max(columns, static_cast<Index>(heatmap->window.cols));
    EXPECT_EQ(columns, 4 / heads[frame]) << "of a head of " << heads[frame];
  }
}

TEST(FigureOfAPipeline, ShowsTheStagesThatAreChosen) {
  FigureOptions options = figure_of({});
  const auto drawn = [&] {
    return make_figure(std::make_shared<const Result>(evaluate(swept_document().config)),
                       token_labels(swept_document().tokens), options);
  };
  const Figure all = drawn();
  EXPECT_NE(word_in(all, "softmax along each row"), nullptr);
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage) && row.stage != Stage::scores && row.stage != Stage::weights)
      options.left_out.add(row.stage);
  }
  const Figure two = drawn();
  std::set<Stage> shown;
  for (const picture::Heatmap* const heatmap : heatmaps_of(two)) shown.insert(heatmap->stage);
  EXPECT_EQ(shown, (std::set<Stage>{Stage::queries, Stage::keys, Stage::scores, Stage::weights}));
  EXPECT_EQ(word_in(two, "1  Project"), nullptr);
  EXPECT_NE(word_in(two, "journey"), nullptr);
  EXPECT_EQ(arrows_of(two), 2U);
  options.has_arrows = false;
  EXPECT_EQ(arrows_of(drawn()), 0U);
  options.left_out.add(Stage::scores);
  options.left_out.add(Stage::weights);
  EXPECT_TRUE(says(error_of(drawn).what(), {"None of the stages"}));
}

TEST(FigureSeries, NamesOfTokensDoNotChangeWhenAnotherLikeThemComes) {
  Document document = swept_document();
  document.tokens = {"the", "cat", "and", "the", "dog", "sat"};
  const std::vector<Figure> figures = figures_of("tokens=1..6", figure_of(Stage::weights), document);
  EXPECT_NE(word_in(figures[0], "the (1)"), nullptr);
  EXPECT_EQ(word_in(figures[0], "the"), nullptr);
}

TEST(FigureSeries, PageIsThatOfTheHighestFigure) {
  FigureOptions options = figure_of(Stage::weights);
  options.head = {};
  const std::vector<Figure> figures = figures_of("num_heads=1..4", options);
  ASSERT_EQ(figures.size(), 3U);
  for (const Figure& figure : figures) {
    EXPECT_EQ(figure.height, figures[0].height);
    for (const picture::Heatmap* const heatmap : heatmaps_of(figure)) EXPECT_LT(heatmap->box.bottom(), figure.height);
    for (const picture::Word* const word : figure.picture.all<picture::Word>()) EXPECT_LE(word->y, figure.height);
  }
  EXPECT_EQ(heatmaps_of(figures[2]).size(), 4U);
}

}  // namespace
}  // namespace attnscope::test
