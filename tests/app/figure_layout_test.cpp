// Where everything of a figure stands: on the page, whole, and nothing on top of anything else.

#include <gtest/gtest.h>

#include <algorithm>

#include "figure_support.h"
#include "support.h"

namespace attnscope::test {
namespace {

bool overlap(const Box& a, const Box& b) {
  constexpr double touching = 0.01;
  return a.x + touching < b.right() && b.x + touching < a.right() && a.y + touching < b.bottom() &&
         b.y + touching < a.bottom();
}

bool is_within(const Box& inner, const Box& outer) {
  return inner.x >= outer.x && inner.right() <= outer.right() && inner.y >= outer.y && inner.bottom() <= outer.bottom();
}

testing::AssertionResult is_on_page(const Figure& figure, const Box& box) {
  if (box.x >= 0 && box.y >= 0 && box.right() <= figure.width && box.bottom() <= figure.height)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "(" << box.x << ", " << box.y << ") to (" << box.right() << ", " << box.bottom()
                                     << ") on a page of " << figure.width << " by " << figure.height;
}

struct Inked {
  std::string text;
  Box box;
};

std::vector<Inked> inked_words(const Figure& figure) {
  const TextShaper shaper;
  std::vector<Inked> words;
  for (const picture::Word* const word : figure.picture.all<picture::Word>())
    if (!word->text.empty()) words.push_back({word->text, picture::box_of(*word, shaper.text_measure())});
  return words;
}

void expect_clean(const Figure& figure) {
  const std::vector<Inked> words = inked_words(figure);
  const bool is_sheet = figure.options.stage.has_value();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& [text, box] = words[i];
    EXPECT_TRUE(is_on_page(figure, box)) << text;
    for (std::size_t j = i + 1; j < words.size(); ++j)
      ASSERT_FALSE(overlap(box, words[j].box)) << "\"" << text << "\" and \"" << words[j].text << "\"";
    for (const picture::Heatmap* const heatmap : figure.picture.all<picture::Heatmap>())  // but for its numbers
      EXPECT_FALSE(overlap(box, heatmap->box) && !is_within(box, heatmap->box)) << text;
    for (const picture::Gradient* const bar : figure.picture.all<picture::Gradient>())
      EXPECT_FALSE(overlap(box, bar->box)) << text;
    for (const picture::Fill* const fill : figure.picture.all<picture::Fill>())  // of heads, and of the legend
      EXPECT_FALSE(is_sheet && overlap(box, fill->box)) << text;
  }
  const std::vector<const picture::Heatmap*> heatmaps = figure.picture.all<picture::Heatmap>();
  for (std::size_t i = 0; i < heatmaps.size(); ++i) {
    EXPECT_TRUE(is_on_page(figure, heatmaps[i]->box)) << info(heatmaps[i]->stage).id;
    for (std::size_t j = i + 1; j < heatmaps.size(); ++j) EXPECT_FALSE(overlap(heatmaps[i]->box, heatmaps[j]->box));
  }
}

Index count_of(const Figure& figure, const std::string& text) { return std::ranges::count(texts_of(figure), text); }

TEST(FigureLayout, NothingOverlapsFromOneTokenToThousandWithNamesOf30Letters) {
  for (const Index tokens : {1, 6, 64, 1024}) {
    for (const std::vector<std::string>& names : {std::vector<std::string>(), long_names(tokens)}) {
      const FigureSubject of = subject(tokens, 2, 0.5, names);
      for (const FigureOptions& options :
           {figure_of(Stage::weights), figure_of(Stage::dropped_weights, std::nullopt), figure_of(Stage::queries),
            figure_of(Stage::context), figure_of(std::nullopt)}) {
        SCOPED_TRACE(testing::Message() << tokens << " tokens, " << names.size() << " names, stage "
                                        << (options.stage ? info(*options.stage).id : "pipeline"));
        expect_clean(make_figure(of.result, of.labels, options));
      }
    }
  }
}

TEST(FigureLayout, NothingOverlapsWithTwelveHeadsAnyWidthAndAnyRange) {
  const FigureSubject of = subject(6, 12, 0.5);
  for (const double width : {80.0, 160.0, 400.0}) {
    for (const RangeMode range : {RangeMode::fixed, RangeMode::own, RangeMode::relative}) {
      FigureOptions options = figure_of(Stage::scores, std::nullopt);
      options.width.length = width;
      options.range = range;
      SCOPED_TRACE(testing::Message() << width << " mm, range " << static_cast<int>(range));
      expect_clean(make_figure(of.result, of.labels, options));
    }
  }
}

TEST(FigureLayout, TitlesCaptionsAndFootersAreBrokenToTheWidth) {
  const FigureSubject of = subject(6, 2);
  FigureOptions options = figure_of(Stage::weights);
  options.width.length = 80;
  options.title = options.caption = options.footer =
      "A sentence that is far too long to stand on a single line of a page that is as narrow as this one is";
  const Figure figure = make_figure(of.result, of.labels, options);
  expect_clean(figure);
  EXPECT_EQ(count_of(figure, options.title), 0);
  options.title = "a\nb";
  EXPECT_EQ(count_of(make_figure(of.result, of.labels, options), "b"), 1);
}

TEST(FigureLayout, NamesOf30LettersAreWhole) {
  const std::vector<std::string> names = long_names(6);
  ASSERT_EQ(names.front().size(), 30U);
  const FigureSubject of = subject(6, 2, 0, names);
  const Figure figure = make_figure(of.result, names, figure_of(Stage::weights));
  for (const std::string& name : names) EXPECT_EQ(count_of(figure, name), 2) << name;  // as row and as column
}

TEST(FigureLayout, LongerNamesEndInAnEllipsisBetweenLetters) {
  const std::string accented = "e\u0301";
  std::string name;
  for (int i = 0; i < 150; ++i) name += accented;
  const FigureSubject of = subject(2, 1, 0, {name, "b"});
  const Figure figure = make_figure(of.result, of.labels, figure_of(Stage::weights));
  expect_clean(figure);
  const std::vector<std::string> texts = texts_of(figure);
  const auto found = std::ranges::find_if(texts, [&](const std::string& text) { return text.starts_with(accented); });
  ASSERT_NE(found, texts.end());
  EXPECT_TRUE(found->ends_with("\u0301…")) << *found;
}

TEST(FigureLayout, ManyLabelsAreThinnedEvenly) {
  const FigureSubject of = subject(1024, 2);
  const Figure figure = make_figure(of.result, of.labels, figure_of(Stage::weights));
  EXPECT_EQ(count_of(figure, "x1"), 2);
  EXPECT_EQ(count_of(figure, "x2"), 0);
  EXPECT_EQ(count_of(figure, "x1001"), 2);
  EXPECT_EQ(thinned_step(10, 9), 1);
  EXPECT_EQ(thinned_step(10, 12), 2);
  EXPECT_EQ(thinned_step(1, 12), 20);
}

TEST(FigureLayout, MarksHaveALegendOnlyWhereTheyShow) {
  const FigureSubject dropped = subject(6, 2, 0.5);
  EXPECT_EQ(legend_of(make_figure(dropped.result, dropped.labels, figure_of(Stage::scores))), 0);
  EXPECT_EQ(legend_of(make_figure(dropped.result, dropped.labels, figure_of(Stage::weights))), 1);
  EXPECT_EQ(legend_of(make_figure(dropped.result, dropped.labels, figure_of(Stage::dropped_weights))), 2);
}

TEST(FigureLayout, NumbersFitTheirCellsOrAreLeftOut) {
  for (const Index tokens : {6, 20, 40}) {
    const FigureSubject of = subject(tokens, 2);
    FigureOptions options = figure_of(Stage::scores);
    options.decimals = 4;
    const Figure figure = make_figure(of.result, of.labels, options);
    const picture::Heatmap& heatmap = *figure.picture.all<picture::Heatmap>().front();
    Index numbers = 0;
    for (const auto& [text, box] : inked_words(figure)) {
      if (!overlap(box, heatmap.box)) continue;
      EXPECT_LE(box.width, cell_of(heatmap, 0, 0).width);
      ++numbers;
    }
    EXPECT_EQ(numbers, tokens == 6 ? 36 : 0) << tokens;
  }
}

TEST(FigureLayout, PagesOfSlidesAreFilledAndNotLeft) {
  for (const PageSize& size : page_sizes) {
    for (const std::optional<Stage> stage :
         {std::optional<Stage>(), std::optional(Stage::weights), std::optional(Stage::queries)}) {
      for (const Index heads : {2, 4}) {
        const FigureSubject of = subject(6, heads, 0.5);
        FigureOptions options = figure_of(stage);
        set_page_size(options, size);
        options.title = "A title";
        options.footer = "a footer";
        SCOPED_TRACE(testing::Message() << size.id << ", stage " << (stage ? info(*stage).id : "pipeline"));
        const Figure figure = make_figure(of.result, of.labels, options);
        expect_clean(figure);
        EXPECT_EQ(figure.width, page_width(options.width));
        if (size.height > 0) {
          EXPECT_EQ(figure.height, page_height(options));
        }
        EXPECT_EQ(page_size_of(options), &size);
      }
    }
  }
}

TEST(FigureLayout, WordsOnAnArrowComeWithItsStage) {
  FigureSubject of = subject(6, 2);
  AttentionConfig config = of.result->config;
  config.mask = MaskRoute::none;
  of.result = std::make_shared<const Result>(evaluate(config));
  FigureOptions options = figure_of(std::nullopt);
  const auto has_word = [&](std::string_view part) {
    const Figure figure = make_figure(of.result, of.labels, options);
    return std::ranges::any_of(inked_words(figure),
                               [&](const Inked& word) { return word.text.find(part) != std::string::npos; });
  };
  ASSERT_TRUE(has_word("no mask")) << "all stages are there";
  ASSERT_TRUE(has_word("softmax"));
  options.last_stage = Stage::scores;
  EXPECT_FALSE(has_word("no mask"));
  EXPECT_FALSE(has_word("softmax"));
  options.last_stage = Stage::weights;
  EXPECT_TRUE(has_word("no mask"));
}

TEST(FigureLayout, TheMarkedCellIsMarkedWhereverItsTokensAre) {
  const FigureSubject of = subject(6, 2);
  FigureOptions options = figure_of(std::nullopt);
  const std::size_t unmarked = make_figure(of.result, of.labels, options).picture.all<picture::Outline>().size();
  options.marked = Source{.stage = Stage::weights, .row = 2, .col = 1};
  const Figure figure = make_figure(of.result, of.labels, options);
  const std::vector<const picture::Outline*> outlines = figure.picture.all<picture::Outline>();
  EXPECT_GT(outlines.size(), unmarked);
  const auto is_marked = [&](const Box& box) {
    return std::ranges::any_of(outlines, [&](const picture::Outline* outline) {
      return std::abs(outline->box.x - box.x) < 0.01 && std::abs(outline->box.y - box.y) < 0.01 &&
             std::abs(outline->box.width - box.width) < 0.01 && std::abs(outline->box.height - box.height) < 0.01;
    });
  };
  int found = 0;
  for (const picture::Heatmap* const heatmap : figure.picture.all<picture::Heatmap>()) {
    if (heatmap->head != 0) continue;  // of the other head
    const Box& heat = heatmap->box;
    const double row = heat.height / static_cast<double>(heatmap->rows);
    const double column = heat.width / heatmap->window.cols;
    if (heatmap->stage == Stage::weights) {
      EXPECT_TRUE(is_marked({heat.x + column, heat.y + 2 * row, column, row})) << "the cell itself";
      ++found;
    }
    if (heatmap->stage == Stage::scores) {
      EXPECT_TRUE(is_marked({heat.x + column, heat.y + 2 * row, column, row})) << "the same pair";
      ++found;
    }
    if (heatmap->stage == Stage::keys && heatmap->is_transposed) {
      EXPECT_TRUE(is_marked({heat.x + column, heat.y, column, heat.height})) << "the column of the key";
      ++found;
    }
  }
  EXPECT_EQ(found, 3);
}

TEST(FigureLayout, WhatTheDocumentDoesNotHaveIsRefused) {
  const FigureSubject of = subject(6, 2);
  const auto refusal = [&](const FigureOptions& options) {
    return std::string(error_of([&] { make_figure(of.result, of.labels, options); }).what());
  };
  EXPECT_TRUE(says(refusal(figure_of(Stage::renormalized_weights)), {"renormalized_weights", "dropped_weights"}));
  EXPECT_TRUE(says(refusal(figure_of(Stage::weights, 2)), {"3", "1 to 2"}));
  EXPECT_TRUE(says(refusal(figure_of(std::nullopt, std::nullopt)), {"1 to 2"}));
  FigureOptions options;
  options.batch = 1;
  EXPECT_TRUE(says(refusal(options), {"batch entry", "2"}));
  options = {};
  options.scale = 7;
  EXPECT_TRUE(says(refusal(options), {"7", "1 to 6"}));
  options = {};
  options.fixed_range = FixedRange{1, 1};
  EXPECT_TRUE(says(refusal(options), {"1..1"}));
  options = {};
  options.width = {30, LengthUnit::millimetres};
  options.font_size = 36;
  EXPECT_TRUE(says(refusal(options), {"no room", "36"}));
}

}  // namespace
}  // namespace attnscope::test
