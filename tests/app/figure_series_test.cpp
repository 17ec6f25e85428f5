// Figures of a series: one page, one meaning of colours, and nothing that moves without a reason.

#include "paint_file/figure_series.h"

#include <set>

#include "document/sweep.h"
#include "figure_support.h"
#include "look/diagram.h"
#include "support.h"

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

const PlacedText* text_in(const Figure& figure, const std::string& text) {
  const auto found = std::ranges::find(figure.layout.texts, text, &PlacedText::text);
  return found == figure.layout.texts.end() ? nullptr : &*found;
}

// The matrices of a figure, whether they stand in lines or in a diagram.
std::vector<const FigurePanel*> panels_of(const Figure& figure) {
  std::vector<const FigurePanel*> panels;
  for (const std::vector<FigurePanel>& line : figure.content->lines)
    for (const FigurePanel& panel : line) panels.push_back(&panel);
  return panels;
}

// The matrices of a diagram as they are drawn.
std::vector<const picture::Heatmap*> heatmaps_of(const Figure& figure) {
  return figure.layout.picture.all<picture::Heatmap>();
}

std::size_t arrows_of(const Figure& figure) {
  const std::vector<const picture::Stroke*> strokes = figure.layout.picture.all<picture::Stroke>();
  return static_cast<std::size_t>(
      std::ranges::count_if(strokes, [](const picture::Stroke* stroke) { return stroke->head > 0; }));
}

TEST(FigureSeries, SharesTheRangeOfAllFrames) {
  for (const std::optional<Stage> stage : {std::optional(Stage::scores), std::optional<Stage>()}) {
    const std::vector<Figure> figures = figures_of("seed=1..5", figure_of(stage));
    const std::vector<const FigurePanel*> first = panels_of(figures[0]);
    float widest = 0;
    float range = 0;
    for (const Figure& figure : figures) {
      const std::vector<const FigurePanel*> panels = panels_of(figure);
      ASSERT_EQ(panels.size(), first.size());
      for (std::size_t panel = 0; panel < panels.size(); ++panel) {
        EXPECT_EQ(panels[panel]->range.low, first[panel]->range.low);
        EXPECT_EQ(panels[panel]->range.high, first[panel]->range.high);
        if (panels[panel]->stage != Stage::scores) continue;
        range = panels[panel]->range.high;
        for (const float value : panels[panel]->values) widest = std::max(widest, std::abs(value));
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
    for (const Figure& figure : figures) {
      for (const float value : figure.layout.panels[head].panel->values) widest = std::max(widest, std::abs(value));
    }
    for (const Figure& figure : figures) EXPECT_EQ(figure.layout.panels[head].panel->range.high, widest);
  }
  EXPECT_NE(figures[0].layout.panels[0].panel->range.high, figures[0].layout.panels[1].panel->range.high);
}

TEST(FigureSeries, LeavesAFixedRangeAlone) {
  FigureOptions options = figure_of(Stage::scores);
  options.fixed_range = FixedRange{-0.25F, 0.5F};
  for (const Figure& figure : figures_of("seed=1..3", options)) {
    EXPECT_EQ(figure.layout.panels[0].panel->range.low, -0.25F);
    EXPECT_EQ(figure.layout.panels[0].panel->range.high, 0.5F);
  }
}

// What stands in both figures stands in the same place. A diagram without dropout has fewer matrices than one with it.
void expect_same_places(const Figure& figure, const Figure& other) {
  EXPECT_EQ(figure.layout.panels.size(), other.layout.panels.size());
  for (std::size_t panel = 0; panel < figure.layout.panels.size(); ++panel) {
    EXPECT_EQ(figure.layout.panels[panel].heat, other.layout.panels[panel].heat);
    EXPECT_EQ(figure.layout.panels[panel].number_size, other.layout.panels[panel].number_size);
  }
  std::size_t shared = 0;
  for (const picture::Heatmap* const heatmap : heatmaps_of(figure)) {
    shared += static_cast<std::size_t>(std::ranges::count_if(heatmaps_of(other), [&](const picture::Heatmap* twin) {
      return twin->stage == heatmap->stage && twin->head == heatmap->head &&
             twin->is_transposed == heatmap->is_transposed && twin->box == heatmap->box;
    }));
  }
  EXPECT_EQ(shared, std::min(heatmaps_of(figure).size(), heatmaps_of(other).size()));
  const std::vector<const picture::Gradient*> bars = figure.layout.picture.all<picture::Gradient>();
  const std::vector<const picture::Gradient*> other_bars = other.layout.picture.all<picture::Gradient>();
  if (bars.size() != other_bars.size()) return;
  for (std::size_t bar = 0; bar < bars.size(); ++bar) EXPECT_EQ(bars[bar]->box, other_bars[bar]->box);
}

TEST(FigureSeries, KeepsEveryThingInItsPlace) {
  for (const char* const sweep : {"seed=1..5", "dropout=0..0.9:0.3", "embedding[2,1]=-1..1:0.5"}) {
    for (const std::optional<Stage> stage : {std::optional(Stage::dropped_weights), std::optional<Stage>()}) {
      const std::vector<Figure> figures = figures_of(sweep, figure_of(stage));
      SCOPED_TRACE(testing::Message() << sweep << ", " << (stage ? info(*stage).id : "pipeline"));
      for (const Figure& figure : figures) {
        EXPECT_EQ(figure.layout.width, figures[0].layout.width);
        EXPECT_EQ(figure.layout.height, figures[0].layout.height);
        EXPECT_EQ(legend_of(figure), legend_of(figures[0]));
        expect_same_places(figure, figures[0]);
      }
    }
  }
}

Box cell_of(const picture::Heatmap& heatmap, Index row, Index column) {
  const double width = heatmap.box.width / static_cast<double>(heatmap.columns);
  const double height = heatmap.box.height / static_cast<double>(heatmap.rows);
  return {heatmap.box.x + static_cast<double>(column) * width, heatmap.box.y + static_cast<double>(row) * height, width,
          height};
}

TEST(FigureSeries, RevealedTokensStayWhereTheyAppeared) {
  for (const std::optional<Stage> stage : {std::optional(Stage::weights), std::optional<Stage>()}) {
    const std::vector<Figure> figures = figures_of("tokens=1..6", figure_of(stage));
    const Figure& last = figures.back();
    for (std::size_t frame = 0; frame < figures.size(); ++frame) {
      const FigureLayout& layout = figures[frame].layout;
      SCOPED_TRACE(testing::Message() << frame + 1 << " tokens, " << (stage ? info(*stage).id : "pipeline"));
      EXPECT_EQ(layout.height, last.layout.height);
      const auto row = static_cast<Index>(frame);
      for (std::size_t panel = 0; panel < layout.panels.size(); ++panel) {
        EXPECT_EQ(layout.panels[panel].panel->rows, row + 1);
        EXPECT_EQ(layout.panels[panel].room, last.layout.panels[panel].heat);
        expect_same_place(layout.panels[panel].cell(row, 0), last.layout.panels[panel].cell(row, 0));
      }
      const std::vector<const picture::Heatmap*> heatmaps = heatmaps_of(figures[frame]);
      ASSERT_EQ(heatmaps.size(), heatmaps_of(last).size());
      for (std::size_t at = 0; at < heatmaps.size(); ++at) {
        if (is_parameter(info(heatmaps[at]->stage).axes)) continue;
        const bool is_turned = heatmaps[at]->is_transposed;
        EXPECT_EQ(is_turned ? heatmaps[at]->columns : heatmaps[at]->rows, row + 1) << info(heatmaps[at]->stage).id;
        const auto newest = [&](const picture::Heatmap& each) {
          return is_turned ? cell_of(each, 0, row) : cell_of(each, row, 0);
        };
        expect_same_place(newest(*heatmaps[at]), newest(*heatmaps_of(last)[at]));
      }
      ASSERT_NE(text_in(figures[frame], "Your"), nullptr);
      expect_same_place(text_in(figures[frame], "Your")->box, text_in(last, "Your")->box);
      EXPECT_EQ(text_in(figures[frame], "step") != nullptr, frame == 5);
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
    EXPECT_EQ(figure.layout.height, last.layout.height);
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
  EXPECT_FALSE(figures[0].content->diagram->awaited.is_empty());
  EXPECT_TRUE(last.content->diagram->awaited.is_empty());
  const Figure still = make_figure(std::make_shared<const Result>(evaluate(swept_document().config)),
                                   token_labels(swept_document().tokens), figure_of({}));
  EXPECT_EQ(heatmaps_of(last).size(), heatmaps_of(still).size());
  EXPECT_EQ(arrows_of(last), arrows_of(still));
}

TEST(FigureSeries, ArrowsAndWordsComeWithWhatTheyLeadTo) {
  const std::vector<Figure> figures = figures_of("stages", figure_of({}));
  EXPECT_EQ(arrows_of(figures[1]), 1U);  // from the inputs to the queries
  for (std::size_t frame = 0; frame < figures.size(); ++frame) {
    const StageSet& awaited = figures[frame].content->diagram->awaited;
    const bool has_weights = !awaited.contains(Stage::weights);
    EXPECT_EQ(text_in(figures[frame], "softmax along each row") != nullptr, has_weights) << frame;
    EXPECT_EQ(text_in(figures[frame], "attention weights") != nullptr, has_weights) << frame;
    EXPECT_EQ(text_in(figures[frame], "output") != nullptr, frame + 1 == figures.size()) << frame;
  }
}

// What has no dropout has no place for it, but all else stands where it does in the other frames.
TEST(FigureSeries, KeepsTheRoomOfAStageThatAFrameLacks) {
  const std::vector<Figure> figures = figures_of("dropout=0,0.5", figure_of({}));
  EXPECT_LT(heatmaps_of(figures[0]).size(), heatmaps_of(figures[1]).size());
  EXPECT_EQ(text_in(figures[0], "dropped weights"), nullptr);
  EXPECT_NE(text_in(figures[1], "dropped weights"), nullptr);
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
      if (heatmap->stage == Stage::queries) columns = std::max(columns, heatmap->columns);
    EXPECT_EQ(columns, 4 / heads[frame]) << "of a head of " << heads[frame];
  }
}

TEST(FigureOfAPipeline, ShowsTheStagesThatAreChosen) {
  FigureOptions options = figure_of({});
  const auto drawn = [&] {
    return make_figure(std::make_shared<const Result>(evaluate(swept_document().config)), swept_document().tokens,
                       options);
  };
  const Figure all = drawn();
  EXPECT_NE(text_in(all, "softmax along each row"), nullptr);
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage) && row.stage != Stage::scores && row.stage != Stage::weights)
      options.left_out.add(row.stage);
  }
  const Figure two = drawn();
  std::set<Stage> shown;
  for (const picture::Heatmap* const heatmap : heatmaps_of(two)) shown.insert(heatmap->stage);
  EXPECT_EQ(shown, (std::set<Stage>{Stage::queries, Stage::keys, Stage::scores, Stage::weights}));
  EXPECT_EQ(text_in(two, "1  Project"), nullptr);
  EXPECT_NE(text_in(two, "journey"), nullptr);
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
  EXPECT_NE(text_in(figures[0], "the (1)"), nullptr);
  EXPECT_EQ(text_in(figures[0], "the"), nullptr);
}

TEST(FigureSeries, PageIsThatOfTheHighestFigure) {
  FigureOptions options = figure_of(Stage::weights);
  options.head = {};
  const std::vector<Figure> figures = figures_of("num_heads=1..4", options);
  ASSERT_EQ(figures.size(), 3U);
  for (const Figure& figure : figures) {
    EXPECT_EQ(figure.layout.height, figures[0].layout.height);
    for (const PlacedPanel& panel : figure.layout.panels) EXPECT_LT(panel.heat.bottom(), figure.layout.height);
    for (const PlacedText& text : figure.layout.texts) EXPECT_LE(text.box.bottom(), figure.layout.height);
  }
  EXPECT_EQ(figures[2].layout.panels.size(), 4U);
}

}  // namespace
}  // namespace attnscope::test
