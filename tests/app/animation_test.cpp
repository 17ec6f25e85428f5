// What a sweep draws, frame by frame, and how often it evaluates for it.

#include "features/figures/figure_file.h"

#include <set>
#include "document/document.h"
#include "figure_support.h"
#include "files/image.h"
#include "support.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

TEST(Animation, FramesAreTheFiguresOfTheirDocuments) {
  const Document document = swept_document();
  FigureOptions options = figure_of(Stage::weights);
  options.scale = 1;
  options.title = "Given";
  Animation animation(document, parse_sweep("seed=5..7", document), [&](const Document&) { return options; });
  animation.look();
  for (std::size_t frame = 0; frame < 3; ++frame) {
    Document shown = document;
    shown.config.seed = 5 + frame;
    EXPECT_EQ(animation.document(frame), shown);
    FigureOptions titled = options;
    titled.title = "Given · seed " + std::to_string(5 + frame);
    const Figure alone =
        make_figure(std::make_shared<const Result>(evaluate(shown.config)), token_labels(shown.tokens), titled);
    EXPECT_EQ(decode_png(render_png(animation.figure(frame))).pixels, decode_png(render_png(alone)).pixels) << frame;
  }
}

TEST(FrameResults, AreEvaluatedOnceWhereThereIsRoomToKeepThem) {
  const Document document = swept_document();
  const auto frames = std::make_shared<FrameResults>(document, parse_sweep("seed=5..7", document));
  FigureOptions options = figure_of(Stage::weights);
  options.scale = 1;
  Animation animation(frames, [&](const Document&) { return options; });
  animation.look();
  std::vector<std::shared_ptr<const Result>> looked_at;
  for (std::size_t frame = 0; frame < 3; ++frame) looked_at.push_back(frames->result(frame, {}));
  for (std::size_t frame = 0; frame < 3; ++frame) {
    animation.figure(frame);
    EXPECT_EQ(frames->result(frame, {}), looked_at[frame]) << frame;
  }
}

TEST(FrameResults, OfStagesAreOneAndTheSame) {
  const Document document = swept_document();
  FrameResults frames(document, parse_sweep("stages", document));
  const std::shared_ptr<const Result> first = frames.result(0, {});
  for (std::size_t frame = 1; frame < frames.frame_count(); ++frame) EXPECT_EQ(frames.result(frame, {}), first);
}

TEST(FrameResults, AreEvaluatedAnewWhereThereIsNoRoomAndAreTheSame) {
  const Document document = swept_document();
  const Sweep sweep = parse_sweep("seed=5..7", document);
  FrameResults kept(document, sweep);
  constexpr std::uint64_t room_for_one = 3000;
  FrameResults evaluated(document, sweep, room_for_one);
  std::set<std::shared_ptr<const Result>> all_kept;
  std::set<std::shared_ptr<const Result>> all_evaluated;
  for (const std::size_t frame : {0U, 1U, 2U, 2U, 0U, 1U}) {
    const auto one = *all_evaluated.insert(evaluated.result(frame, {})).first;
    const auto other = *all_kept.insert(kept.result(frame, {})).first;
    EXPECT_EQ(one->share(Stage::weights)->values, other->share(Stage::weights)->values) << frame;
  }
  EXPECT_EQ(all_kept.size(), 3U);
  EXPECT_GT(all_evaluated.size(), 3U);
  EXPECT_LT(all_evaluated.size(), 6U);
}

TEST(Animation, AsksForTheChoicesOfEachFrame) {
  const Document document = swept_document();
  std::vector<std::uint64_t> seeds;
  Animation animation(document, parse_sweep("seed=5..7", document), [&](const Document& shown) {
    seeds.push_back(shown.config.seed);
    return figure_of(Stage::weights);
  });
  animation.look();
  EXPECT_EQ(seeds, (std::vector<std::uint64_t>{5, 6, 7}));
}

TEST(Animation, EachFrameHasTheFooterOfItsDocument) {
  const Document document = swept_document();
  FigureOptions options = figure_of(Stage::weights);
  options.footer = footer_text(document);
  Animation animation(document, parse_sweep("seed=5..7", document), frame_choices(options));
  animation.look();
  for (std::size_t frame = 0; frame < 3; ++frame) {
    const std::string footer = footer_text(animation.document(frame));
    EXPECT_NE(footer, options.footer);
    EXPECT_TRUE(word_in(animation.figure(frame), footer)) << footer;
  }
}

TEST(Animation, CanBeStopped) {
  const Document document = swept_document();
  Animation animation(document, parse_sweep("seed=5..7", document),
                      [&](const Document&) { return figure_of(Stage::weights); });
  std::stop_source stop;
  stop.request_stop();
  Execution execution;
  execution.stop = stop.get_token();
  EXPECT_THROW(animation.look({}, execution), Cancelled);
  animation.look();
  EXPECT_THROW(animation.figure(0, execution), Cancelled);
}

}  // namespace
}  // namespace attnscope::test
