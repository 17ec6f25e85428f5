// `attnscope figure`, through the program.

#include <gtest/gtest.h>

#include <regex>

#include "document/document.h"
#include "document/json.h"
#include "files/document_file.h"
#include "pictures.h"
#include "program.h"
#include "support.h"

namespace attnscope::test {
namespace {

ProgramRun draw(const std::string& out, std::vector<std::string> more,
                const std::string& document = "multi_head_attention") {
  std::vector<std::string> arguments = {"figure", builtin_path(document), "-o", out};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

TEST(FigureCommand, WritesPngSvgAndPdf) {
  const TemporaryFolder folder;
  for (const char* const name : {"a.png", "a.svg", "a.pdf"}) {
    const ProgramRun run = draw((folder / name).string(), {"--stage", "pipeline", "--footer"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out + run.err, "");
  }
  EXPECT_EQ(text_of(folder / "a.png").substr(1, 3), "PNG");
  EXPECT_EQ(text_of(folder / "a.pdf").substr(0, 5), "%PDF-");
  EXPECT_NE(text_of(folder / "a.svg").find(">journey</text>"), std::string::npos);
  EXPECT_NE(text_of(folder / "a.svg").find("seed 123"), std::string::npos);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.pdf", "a.png", "a.svg"}));
}

// A line of heads for each layer, with the last one at the top, and no single head in its heading.
TEST(FigureCommand, DrawsAllLayersOfATrainedModel) {
  const TemporaryFolder folder;
  put_text(folder / "story.json", R"({"model": "example:stories", "text": "Mia puts the ball in the box"})");
  const auto figure = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"figure", (folder / "story.json").string(), "-o",
                                          (folder / "a.svg").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  ASSERT_EQ(figure({"--stage", "weights", "--layer", "all"}).status, 0);
  const std::string svg = text_of(folder / "a.svg");
  EXPECT_LT(svg.find("Layer 4, head 1"), svg.find("Layer 1, head 4"));
  EXPECT_NE(svg.find("Layer 1, head 4"), std::string::npos);
  EXPECT_EQ(svg.find("Head 1 of 4"), std::string::npos);
  EXPECT_EQ(figure({"--stage", "inputs", "--layer", "all"}).err,
            "attnscope: All layers are drawn of a stage that each head has: choose one, such as weights.\n");
  EXPECT_EQ(figure({"--layer", "5"}).status, 2);
}

// An option that changes nothing was meant to change something.
TEST(FigureCommand, RefusesOptionsThatChangeNothing) {
  const TemporaryFolder folder;
  const std::string out = (folder / "a.svg").string();
  const auto refused = [&](const std::string& document, std::vector<std::string> more, const std::string& option) {
    std::vector<std::string> arguments = {"figure", document, "-o", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.status, 2) << option << run.err;
    EXPECT_EQ(run.err.find("attnscope: " + option + " changes nothing here: leave it out."), 0U) << run.err;
    EXPECT_TRUE(folder.names().empty());
  };
  const std::string heads = builtin_path("multi_head_attention");
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
           {"--head", "2"}, {"--batch", "1"}, {"--row-sums"}, {"--no-row-sums"}, {"--study", "mix"}}) {
    std::vector<std::string> more = {"--layer", "all"};
    more.insert(more.end(), option.begin(), option.end());
    refused("example:stories", more, option.front());
  }
  for (const std::vector<std::string>& option :
       std::vector<std::vector<std::string>>{{"--stage", "scores"},
                                             {"--decimals", "3"},
                                             {"--colormap", "viridis"},
                                             {"--colormap", "#ffffff..#c00020"},
                                             {"--row-sums"},
                                             {"--range", "own"},
                                             {"--stages", "mix"},
                                             {"--no-arrows"}}) {
    std::vector<std::string> more = {"--study", "softmax"};
    more.insert(more.end(), option.begin(), option.end());
    refused(heads, more, option.front());
  }
  refused(heads, {"--stages", "mix"}, "--stages");
  refused(heads, {"--no-arrows"}, "--no-arrows");
  refused(heads, {"--stage", "inputs", "--head", "2"}, "--head");
  refused(heads, {"--stage", "W_query", "--batch", "2"}, "--batch");
  refused(heads, {"--stage", "queries", "--row-sums"}, "--row-sums");
}

TEST(FigureCommand, TakesTheControlsOfAViewAlone) {
  const TemporaryFolder folder;
  const auto set = [&](const std::string& study, const std::string& value) {
    return draw((folder / "a.svg").string(), {"--study", study, "--set", value}).err;
  };
  EXPECT_EQ(set("softmax", "temperature=0.5"), "");
  EXPECT_EQ(set("softmax", "temprature=0.5"), "attnscope: --set names \"temprature\", did you mean \"temperature\"?\n");
  EXPECT_EQ(set("sharpness", "x=1"), "attnscope: --set names \"x\", but the controls of sharpness are factor.\n");
  EXPECT_EQ(set("linear", "x=1"), "attnscope: --set names \"x\", but the view linear has no controls here.\n");
  EXPECT_EQ(set("softmax", "temperature=50"),
            "attnscope: --set temperature is 50, but it must be a number from 0.1 to 10.\n");
  EXPECT_EQ(set("sharpness", "factor=1.5"),
            "attnscope: --set factor is 1.5, but it must be a whole number from 1 to 100.\n");
  EXPECT_EQ(set("sentence", "all=2"), "attnscope: --set all is 2, but it must be 0 (off) or 1 (on).\n");
  EXPECT_EQ(set("draws", "order=4"),
            "attnscope: --set order is 4, but it must be one of 0 (as it is), 1 (query, key, value), 2 (key, query, "
            "value), 3 (value, key, query).\n");
  const ProgramRun sweep =
      draw((folder / "a.gif").string(), {"--study", "softmax", "--set", "x=1", "--sweep", "seed=1..2"});
  EXPECT_EQ(sweep.status, 2) << sweep.err;
}

TEST(FigureCommand, NamesTheLayerAndTheHeadsThatAreOff) {
  const TemporaryFolder folder;
  put_text(folder / "story.json",
           R"({"model": "example:stories", "text": "Mia puts the ball", "layer": 2, "heads_off": [1]})");
  const auto drawn = [&](const std::string& head) {
    const std::string svg = (folder / "a.svg").string();
    run_program({"figure", (folder / "story.json").string(), "-o", svg, "--stage", "weights", "--head", head});
    return text_of(svg);
  };
  EXPECT_NE(drawn("2").find("Layer 3 of 4, head 2 of 4 (off)"), std::string::npos);
  const std::string all = drawn("all");
  for (const char* const text : {"Layer 3 of 4", "Head 1 of 4<", "Head 2 of 4 (off)<"})
    EXPECT_NE(all.find(text), std::string::npos) << text;
}

class FigureOfADocument : public testing::TestWithParam<PictureKind> {
protected:
  FigureOfADocument() { put_text(folder_ / "a.json", to_json(difficult_document())); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string figure() const { return path("figure." + kind_name(GetParam())); }

  TemporaryFolder folder_;
};

TEST_P(FigureOfADocument, IsThatDocument) {
  const ProgramRun drawn = run_program({"figure", path("a.json"), "-o", figure(), "--head", "all"});
  ASSERT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_EQ(load_document(figure()), difficult_document());
  const ProgramRun of_json = run_program({"eval", path("a.json")});
  const ProgramRun of_figure = run_program({"eval", figure()});
  EXPECT_EQ(of_figure.status, 0) << of_figure.err;
  EXPECT_FALSE(of_json.out.empty());
  EXPECT_EQ(of_figure.out, of_json.out);
  run_program({"eval", path("a.json"), "-o", path("a.npz")});
  run_program({"eval", figure(), "-o", path("b.npz")});
  EXPECT_EQ(text_of(path("a.npz")), text_of(path("b.npz")));
}

TEST_P(FigureOfADocument, IsTheSameFigureWhenItIsDrawnOfAFigure) {
  const std::string again = path("again." + kind_name(GetParam()));
  ASSERT_EQ(run_program({"figure", path("a.json"), "-o", figure(), "--stage", "pipeline"}).status, 0);
  ASSERT_EQ(run_program({"figure", figure(), "-o", again, "--stage", "pipeline"}).status, 0);
  EXPECT_EQ(load_document(again), difficult_document());
  if (GetParam() == PictureKind::pdf) return;  // holds the time at which it was written
  EXPECT_TRUE(text_of(again) == text_of(figure()));
}

INSTANTIATE_TEST_SUITE_P(Of, FigureOfADocument, testing::ValuesIn(still_kinds),
                         [](const auto& kind) { return kind_name(kind.param); });

TEST(FigureCommand, ShowsPartsOfThePipeline) {
  const TemporaryFolder folder;
  const auto drawn = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"figure", builtin_path("multi_head_attention"), "-o",
                                          (folder / "a.svg").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = run_program(arguments);
    return run.status == 0 ? text_of(folder / "a.svg") : run.err;
  };
  const std::string parts = drawn({"--stage", "pipeline", "--stages", "scores,mix"});
  EXPECT_NE(parts.find(">scores</text>"), std::string::npos);
  EXPECT_NE(parts.find(">context</text>"), std::string::npos);
  EXPECT_EQ(parts.find(">masked scores</text>"), std::string::npos);
  const std::string all = drawn({"--stage", "pipeline"});
  EXPECT_EQ(all.find("soft cap"), std::string::npos) << "what a document lacks takes no room";
  EXPECT_NE(all.find(">softmax along each row</text>"), std::string::npos);
  EXPECT_NE(drawn({"--stage", "pipeline", "--no-outlines"}).find("--no-outlines"), std::string::npos)
      << "an option of old";
  EXPECT_NE(drawn({"--stages", "scores"}).find("--stage pipeline"), std::string::npos);
  EXPECT_NE(drawn({"--stage", "pipeline", "--stages", "scores,wieghts"})
                .find("\"wieghts\" is no part of the pipeline, did you mean \"weights\"?"),
            std::string::npos);
  EXPECT_NE(drawn({"--stage", "pipeline", "--stages", "scores,zzz"}).find("but the pipeline has"), std::string::npos);
  EXPECT_NE(drawn({"--stage", "pipeline", "--stages", "masked_weights"}).find("None of the stages"), std::string::npos);
}

TEST(FigureCommand, LooksAtAPictureAsThePictureDoes) {
  const TemporaryFolder folder;
  const auto draw = [&](const std::string& source, const std::string& name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"figure", source, "-o", (folder / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    return (folder / name).string();
  };
  const std::string first = draw(builtin_path("multi_head_attention"), "first.svg",
                                 {"--stage", "scores", "--head", "2", "--range", "own", "--cell", "2,1"});
  EXPECT_TRUE(text_of(draw(first, "again.svg")) == text_of(first));
  const std::string other = text_of(draw(first, "other.svg", {"--stage", "weights", "--head", "1"}));
  EXPECT_NE(other.find(">attention weights</text>"), std::string::npos);
  EXPECT_NE(other.find("Head 1 of 2"), std::string::npos);
  const std::string all = draw(builtin_path("multi_head_attention"), "all.svg", {"--head", "all"});
  EXPECT_TRUE(text_of(draw(all, "again.svg")) == text_of(all));
}

TEST(FigureCommand, FooterIsThatOfScreenshots) {
  const TemporaryFolder folder;
  Document document = default_document();
  document.config.dropout = 0.5;
  document.config.training = false;
  put_text(folder / "a.json", to_json(document));
  const std::string out = (folder / "a.svg").string();
  ASSERT_EQ(run_program({"figure", (folder / "a.json").string(), "-o", out, "--footer"}).status, 0);
  EXPECT_NE(text_of(out).find(footer_text(document)), std::string::npos);
}

TEST(FigureCommand, EndingsMayBeCapitals) {
  const TemporaryFolder folder;
  EXPECT_EQ(draw((folder / "a.PNG").string(), {}).status, 0);
  EXPECT_EQ(text_of(folder / "a.PNG").substr(1, 3), "PNG");
}

TEST(FigureCommand, DoesWhatItsOptionsSay) {
  const TemporaryFolder folder;
  const std::string out = (folder / "a.svg").string();
  const ProgramRun run = draw(out, {"--stage", "scores", "--head", "2", "--width", "500px", "--range", "-1..1",
                                    "--decimals", "4", "--title", "A title", "--caption", "A caption", "--row-sums"});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string svg = text_of(out);
  for (const char* const text :
       {">Head 2 of 2, batch entry 1 of 2<", ">A title<", ">A caption<", ">sum<", ">−1.00<", ">fixed range<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_NE(svg.find("width=\"500px\""), std::string::npos) << svg.substr(0, 300);
  EXPECT_TRUE(std::regex_search(svg, std::regex(">0\\.\\d{4}</text>")));
  ASSERT_EQ(draw(out, {"--head", "all", "--decimals", "none"}).status, 0);
  EXPECT_NE(text_of(out).find(">Head 1 of 2"), std::string::npos);
  EXPECT_NE(text_of(out).find(">Head 2 of 2"), std::string::npos);
}

TEST(FigureCommand, SaysWhatTheColoursOfManyTokensAre) {
  const TemporaryFolder folder;
  const std::string document = (folder / "long.json").string();
  put_text(document, R"({"inputs": {"randn": [24, 3]}})");
  const std::string out = (folder / "a.svg").string();
  const auto bar_of = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"figure", document, "-o", out});
    EXPECT_EQ(run_program(options).status, 0);
    return text_of(out);
  };
  EXPECT_NE(bar_of({}).find(">× visible keys<"), std::string::npos);
  EXPECT_NE(bar_of({"--range", "logarithmic"}).find(">logarithmic<"), std::string::npos);
  EXPECT_EQ(bar_of({"--range", "fixed"}).find("visible keys"), std::string::npos);
  EXPECT_EQ(bar_of({"--stage", "scores"}).find("visible keys"), std::string::npos);
}

TEST(FigureCommand, SaysWhatIsWrongAndWritesNothing) {
  struct Case {
    std::vector<std::string> options;
    std::vector<std::string> fragments;
  };
  const TemporaryFolder folder;
  for (const Case& wrong : std::vector<Case>{
           {{"--stage", "zzz"}, {"--stage", "zzz", "pipeline", "scaled_scores"}},
           {{"--stage", "renormalized_weights"}, {"renormalized_weights", "multi_head_attention does not have"}},
           {{"--head", "3"}, {"--head", "\"3\"", "2 heads", "1 to 2"}},
           {{"--head", "0"}, {"--head", "\"0\""}},
           {{"--head", "all", "--stage", "pipeline"}, {"--head", "pipeline", "1 to 2"}},
           {{"--batch", "9"}, {"--batch", "\"9\""}},
           {{"--width", "12cm"}, {"--width", "12cm", "30mm", "8000px"}},
           {{"--cell", "7,1"}, {"--cell", "7,1", "1 to 6"}},
           {{"--width", "nanpx"}, {"--width"}},
           {{"--scale", "7"}, {"--scale", "1 to 6"}},
           {{"--font-size", "99"}, {"--font-size", "4 to 36"}},
           {{"--decimals", "5"}, {"--decimals", "0 to 4 or none"}},
           {{"--range", "1..0"}, {"--range", "1..0"}},
           {{"--range", "0..nan"}, {"--range"}},
           {{"--range", "all"}, {"--range", "automatic, shared, own, fixed, relative, logarithmic, or a number"}},
           {{"--title", "\xFF"}, {"--title", "UTF-8"}},
           {{"--width", "30mm", "--font-size", "36"}, {"no room", "36"}}}) {
    const ProgramRun run = draw((folder / "a.png").string(), wrong.options);
    EXPECT_EQ(run.status, 2) << wrong.options[1];
    EXPECT_TRUE(says(run.err.substr(0, run.err.size() - 1), wrong.fragments)) << run.err;
  }
  const ProgramRun jpeg = draw((folder / "a.jpg").string(), {});
  EXPECT_EQ(jpeg.status, 2);
  EXPECT_TRUE(says(jpeg.err.substr(0, jpeg.err.size() - 1), {"a.jpg", ".png, .svg or .pdf"})) << jpeg.err;
  EXPECT_EQ(run_program(
                {"figure", builtin_path("multi_head_attention"), "-o", (folder / "a.png").string(), "--theme", "blue"})
                .status,
            2);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace attnscope::test
