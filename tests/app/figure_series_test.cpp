// Figures of a series: one page, one meaning of colours, and nothing that moves without a reason.

#include "figure/figure_series.h"

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

TEST(FigureSeries, SharesTheRangeOfAllFrames) {
  for (const std::optional<Stage> stage : {std::optional(Stage::scores), std::optional<Stage>()}) {
    const std::vector<Figure> figures = figures_of("seed=1..5", figure_of(stage));
    float widest = 0;
    for (std::size_t panel = 0; panel < figures[0].layout.panels.size(); ++panel) {
      const ColourRange& range = figures[0].layout.panels[panel].panel->range;
      for (const Figure& figure : figures) {
        const FigurePanel& shown = *figure.layout.panels[panel].panel;
        EXPECT_EQ(shown.range.low, range.low);
        EXPECT_EQ(shown.range.high, range.high);
        for (const float value : shown.values) {
          if (shown.stage == Stage::scores) widest = std::max(widest, std::abs(value));
        }
      }
    }
    const auto scores = std::ranges::find_if(
        figures[0].layout.panels, [](const PlacedPanel& panel) { return panel.panel->stage == Stage::scores; });
    EXPECT_GE(scores->panel->range.high, widest);  // of both heads
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

// A diagram without dropout has fewer panels than one with it.
void expect_same_places(const Figure& figure, const Figure& other) {
  std::size_t shared = 0;
  for (const PlacedPanel& panel : figure.layout.panels) {
    const auto twin = std::ranges::find_if(other.layout.panels, [&](const PlacedPanel& each) {
      return each.panel->stage == panel.panel->stage && each.panel->head == panel.panel->head &&
             each.panel->is_transposed == panel.panel->is_transposed && each.heat == panel.heat;
    });
    if (twin == other.layout.panels.end()) continue;
    ++shared;
    EXPECT_EQ(panel.number_size, twin->number_size) << info(panel.panel->stage).id;
  }
  EXPECT_EQ(shared, std::min(figure.layout.panels.size(), other.layout.panels.size()));
  if (figure.layout.bars.size() != other.layout.bars.size()) return;
  for (std::size_t bar = 0; bar < other.layout.bars.size(); ++bar)
    EXPECT_EQ(figure.layout.bars[bar].box, other.layout.bars[bar].box);
}

TEST(FigureSeries, KeepsEveryThingInItsPlace) {
  for (const char* const sweep : {"seed=1..5", "dropout=0..0.9:0.3", "embedding[2,1]=-1..1:0.5"}) {
    for (const std::optional<Stage> stage : {std::optional(Stage::dropped_weights), std::optional<Stage>()}) {
      const std::vector<Figure> figures = figures_of(sweep, figure_of(stage));
      for (const Figure& figure : figures) {
        EXPECT_EQ(figure.layout.width, figures[0].layout.width);
        EXPECT_EQ(figure.layout.height, figures[0].layout.height);
        EXPECT_EQ(figure.layout.marks.size(), figures[0].layout.marks.size()) << sweep;
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
      const FigureLayout& layout = figures[frame].layout;
      EXPECT_EQ(layout.height, last.layout.height);
      for (std::size_t panel = 0; panel < layout.panels.size(); ++panel) {
        const PlacedPanel& placed = layout.panels[panel];
        if (placed.panel->is_transposed || is_parameter(info(placed.panel->stage).axes)) continue;
        EXPECT_EQ(placed.panel->rows, static_cast<Index>(frame + 1));
        if (stage) {
          EXPECT_EQ(placed.room, last.layout.panels[panel].heat);
        }
        const auto row = static_cast<Index>(frame);
        expect_same_place(placed.cell(row, 0), last.layout.panels[panel].cell(row, 0));
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
  const FigureLayout& last = figures.back().layout;
  std::size_t panels_before = 0;
  std::size_t arrows_before = 0;
  for (const Figure& figure : figures) {
    const FigureLayout& layout = figure.layout;
    EXPECT_EQ(layout.height, last.height);
    EXPECT_GT(layout.panels.size(), panels_before);
    EXPECT_GE(layout.arrows.size(), arrows_before);
    panels_before = layout.panels.size();
    arrows_before = layout.arrows.size();
    for (std::size_t panel = 0; panel < layout.panels.size(); ++panel) {
      EXPECT_EQ(layout.panels[panel].panel->stage, last.panels[panel].panel->stage);
      EXPECT_EQ(layout.panels[panel].heat, last.panels[panel].heat);
      EXPECT_EQ(layout.panels[panel].panel->values, last.panels[panel].panel->values);
    }
  }
  EXPECT_EQ(figures[0].layout.panels.size(), 1U);
  EXPECT_EQ(figures[0].layout.arrows.size(), 0U);
  const auto is_to_come = [](const FigureDiagram::Matrix& each) { return each.is_awaited && each.matrix.is_present; };
  const auto outlines = std::ranges::count_if(figures[0].content->diagram->matrices, is_to_come);
  EXPECT_GT(outlines, 12);
  EXPECT_EQ(figures[0].layout.frames.size(), static_cast<std::size_t>(outlines));
  const Figure still = make_figure(std::make_shared<const Result>(evaluate(swept_document().config)),
                                   token_labels(swept_document().tokens), figure_of({}));
  EXPECT_EQ(last.panels.size(), still.layout.panels.size());
  EXPECT_EQ(last.arrows.size(), still.layout.arrows.size());
}

TEST(FigureSeries, ArrowsComeWithWhatTheyLeadTo) {
  const std::vector<Figure> figures = figures_of("stages", figure_of({}));
  EXPECT_EQ(figures[1].layout.arrows.size(), 1U);  // from the inputs to the queries
  EXPECT_EQ(text_in(figures[4], "softmax"), nullptr);
  EXPECT_NE(text_in(figures[7], "softmax"), nullptr);
}

// With dropout off there is nothing to outline, but the place is that of the other frames.
TEST(FigureSeries, WithoutOutlinesStagesStayInTheirPlacesToo) {
  FigureOptions options = figure_of({});
  options.has_outlines = false;
  const std::vector<Figure> figures = figures_of("dropout=0,0.5", options);
  EXPECT_LT(figures[0].layout.panels.size(), figures[1].layout.panels.size());
  expect_same_places(figures[0], figures[1]);
  EXPECT_EQ(figures[0].layout.frames.size(), 0U);
}

TEST(FigureOfAPipeline, ShowsTheStagesThatAreChosen) {
  FigureOptions options = figure_of({});
  const auto drawn = [&] {
    return make_figure(std::make_shared<const Result>(evaluate(swept_document().config)), swept_document().tokens,
                       options);
  };
  const Figure all = drawn();
  EXPECT_NE(text_in(all, "softmax"), nullptr);
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage) && row.stage != Stage::scores && row.stage != Stage::weights)
      options.left_out.add(row.stage);
  }
  const Figure two = drawn();
  std::set<Stage> shown;
  for (const PlacedPanel& panel : two.layout.panels) shown.insert(panel.panel->stage);
  EXPECT_EQ(shown, (std::set<Stage>{Stage::queries, Stage::keys, Stage::scores, Stage::weights}));
  EXPECT_EQ(text_in(two, "1  Project"), nullptr);
  EXPECT_NE(text_in(two, "journey"), nullptr);
  EXPECT_EQ(two.layout.arrows.size(), 2U);
  options.has_arrows = false;
  EXPECT_EQ(drawn().layout.arrows.size(), 0U);
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
