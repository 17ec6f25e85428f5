// Figures of two documents that are compared, through the program.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/source.h"
#include "document/compare.h"
#include "document/edit.h"
#include "document/json.h"
#include "files/document_file.h"
#include "program.h"
#include "support.h"

namespace attnscope::test {
namespace {

class FigureSide : public testing::Test {
protected:
  FigureSide() {
    document_.config.d_out = 4;
    keep_as_compared(document_);
    document_.config.seed = 7;
    put_text(folder_ / "a.json", to_json(document_));
  }

  ProgramRun draw(const std::vector<std::string>& more, const std::string& out = "a.svg") {
    std::vector<std::string> arguments = {"figure", (folder_ / "a.json").string(), "-o", (folder_ / out).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  std::string drawn(const std::vector<std::string>& more) {
    const ProgramRun run = draw(more);
    EXPECT_EQ(run.status, 0) << run.err;
    return text_of(folder_ / "a.svg");
  }
  // What is said instead of drawing, on one line.
  std::string refused(const std::vector<std::string>& more) {
    const ProgramRun run = draw(more);
    EXPECT_EQ(run.status, 2) << run.err;
    return run.err.substr(0, run.err.find('\n'));
  }
  // The query's weight of a key, as a figure writes it.
  static std::string written(double number) {
    return fmt::format(">{}{:.4f}</text>", number < 0 ? "−" : "", std::abs(number));
  }
  static double weight(const Document& document) {
    const Result result = evaluate(document.config, {Backend::serial, 1, {}});
    return static_cast<double>(value_at(result, {.stage = Stage::weights, .row = 1, .col = 0}));
  }

  Document document_ = default_document();
  TemporaryFolder folder_;
};

TEST_F(FigureSide, IsOfTheDocumentOfTheOtherOrOfWhatIsBetween) {
  const double now = weight(document_);
  const double before = weight(*document_.compared);
  const std::string difference = written(static_cast<double>(static_cast<float>(now) - static_cast<float>(before)));
  const std::vector<std::string> four = {"--decimals", "4"};
  const auto side = [&](const std::string& name) { return drawn({"--decimals", "4", "--side", name}); };
  EXPECT_NE(drawn(four).find(written(now)), std::string::npos);
  EXPECT_NE(side("A").find(written(before)), std::string::npos);
  EXPECT_NE(side("difference").find(difference), std::string::npos);
  const std::string all = drawn({"--decimals", "4", "--side", "side-by-side", "--width", "300mm"});
  for (const std::string& number : {written(now), written(before), difference, std::string(">B − A</text>")})
    EXPECT_NE(all.find(number), std::string::npos) << number;
}

TEST_F(FigureSide, OfThePipelineIsOfEveryStageThatBothHave) {
  document_.config.d_out = 6;
  put_text(folder_ / "a.json", to_json(document_));
  const std::string pipeline = drawn({"--stage", "pipeline", "--side", "difference"});
  EXPECT_NE(pipeline.find(">attention weights</text>"), std::string::npos);
  EXPECT_EQ(pipeline.find(">output</text>"), std::string::npos) << "of another shape in A";
  EXPECT_EQ(draw({"--stage", "pipeline", "--side", "A"}).status, 0);
}

TEST_F(FigureSide, ThatCannotBeDrawnIsRefusedInASentence) {
  EXPECT_TRUE(says(refused({"--head", "all", "--side", "side-by-side"}), {"Only one matrix"}));
  document_.config.d_out = 6;
  put_text(folder_ / "a.json", to_json(document_));
  EXPECT_TRUE(says(refused({"--stage", "output", "--side", "difference"}), {"output cannot be subtracted"}));
  stop_comparing(document_);
  put_text(folder_ / "a.json", to_json(document_));
  EXPECT_TRUE(says(refused({"--side", "A"}), {"compared with nothing"}));
}

TEST_F(FigureSide, CarriesBoth) {
  ASSERT_EQ(draw({"--side", "difference"}, "a.png").status, 0);
  EXPECT_EQ(load_document((folder_ / "a.png").string()), document_);
  ASSERT_EQ(run_program({"figure", (folder_ / "a.png").string(), "-o", (folder_ / "b.svg").string()}).status, 0);
  EXPECT_NE(text_of(folder_ / "b.svg").find("B − A"), std::string::npos) << "as the picture was looked at";
}

// Of another number of tokens nothing but the weight matrices has a difference, and these have no diagram.
TEST_F(FigureSide, TheDifferenceOfOtherTokensIsOneOfWeights) {
  delete_token(document_, 0);
  put_text(folder_ / "a.json", to_json(document_));
  EXPECT_NE(refused({"--stage", "pipeline", "--side", "difference"}).find("no stage has the same shape"),
            std::string::npos);
  EXPECT_NE(drawn({"--stage", "W_query", "--side", "difference"}).find("W_query"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
