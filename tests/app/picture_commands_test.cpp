// A picture is taken wherever a document is, and gives the same numbers.

#include <nlohmann/json.hpp>

#include "document/builtin.h"
#include "document/document.h"
#include "document/json.h"
#include "files/document_file.h"
#include "files/image.h"
#include "pictures.h"
#include "program.h"
#include "support.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

class PictureCommand : public testing::TestWithParam<PictureKind> {
protected:
  PictureCommand() {
    put_text(json_, to_json(difficult_document()));
    put_text(picture_, with_document(plain_picture(GetParam()), GetParam(), difficult_document()));
  }

  TemporaryFolder folder_;
  const std::string json_ = (folder_ / "a.json").string();
  const std::string picture_ = (folder_ / "figure").string();
};

TEST_P(PictureCommand, EvaluatesToTheSameBits) {
  const ProgramRun of_json = run_program({"eval", json_});
  const ProgramRun of_picture = run_program({"eval", picture_});
  EXPECT_EQ(of_picture.err, "");
  EXPECT_EQ(of_picture.status, 0);
  EXPECT_FALSE(of_json.out.empty());
  EXPECT_EQ(of_picture.out, of_json.out);
  EXPECT_EQ(run_program({"eval", "-"}, "<'" + picture_ + "'").out, of_json.out);
  run_program({"eval", json_, "-o", (folder_ / "a.npz").string()});
  run_program({"eval", picture_, "-o", (folder_ / "b.npz").string()});
  EXPECT_EQ(text_of(folder_ / "a.npz"), text_of(folder_ / "b.npz"));
}

TEST_P(PictureCommand, IsTimedLikeItsDocument) {
  const ProgramRun run = run_program({"bench", picture_, "--repeat", "1", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_P(PictureCommand, WithoutADocumentIsStatusTwo) {
  put_text(picture_, plain_picture(GetParam()));
  for (const char* command : {"eval", "bench"}) {
    const ProgramRun run = run_program({command, picture_});
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.err.find(picture_ + ": This "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("carries no document"), std::string::npos) << run.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PictureCommand, testing::ValuesIn(picture_kinds),
                         [](const auto& kind) { return kind_name(kind.param); });

class Screenshots : public testing::Test {
protected:
  // The path of a screenshot of `source`.
  std::string take(const std::string& source, const std::string& name, std::vector<std::string> more = {}) {
    const std::string path = (folder_ / name).string();
    std::vector<std::string> arguments = {"screenshot", source, "-o", path, "--size", "800x600"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(Screenshots, AreDocumentsAndSoAreTheirScreenshots) {
  put_text(folder_ / "a.json", to_json(difficult_document()));
  const std::string first = take((folder_ / "a.json").string(), "first.png");
  EXPECT_EQ(load_document(first), difficult_document());
  EXPECT_EQ(load_document(take(first, "second.png")), difficult_document());
}

TEST_F(Screenshots, WithoutADocumentShowTheOpeningWindow) {
  const std::string path = (folder_ / "open.png").string();
  const ProgramRun run = run_program({"screenshot", "-o", path, "--size", "800x600"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(load_document(path), opening_document());
  const ProgramRun refused = run_program({"screenshot", "-o", path, "--layer", "2"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--layer is for attention"), std::string::npos) << refused.err;
}

TEST_F(Screenshots, OfAPictureShowWhatThePictureShows) {
  const std::string document = builtin_path("multi_head_attention");
  const std::string figure = (folder_ / "figure.png").string();
  ASSERT_EQ(run_program({"figure", document, "-o", figure, "--stage", "scores", "--head", "2"}).status, 0);
  const std::string of_figure = take(figure, "of_figure.png");
  EXPECT_NE(read_png(of_figure).pixels, read_png(take(document, "of_document.png")).pixels);
  std::string json = document_in(text_of(of_figure)).value_or("");
  EXPECT_TRUE(take_view_out(json).starts_with("layout=focus stage=scores head=2"));
}

TEST_F(Screenshots, HaveAFooterOnRequest) {
  const std::string document = builtin_path("multi_head_attention");
  const Image plain = read_png(take(document, "plain.png"));
  const Image with = read_png(take(document, "with.png", {"--footer"}));
  ASSERT_EQ(with.height, 600);
  const auto count_of_dark = [](const Image& image) {  // in the lowest strip
    std::ptrdiff_t dark = 0;
    for (std::size_t i = std::size_t{580} * 800 * 4; i < image.pixels.size(); i += 4) dark += image.pixels[i] < 160;
    return dark;
  };
  EXPECT_GT(count_of_dark(with), 200);
  EXPECT_NE(with.pixels, plain.pixels);
  EXPECT_EQ(load_document(folder_ / "with.png"), load_document(document));
}

TEST(Footer, SaysWhatIsNeededToMakeThePictureAgain) {
  Document document = default_document();
  const std::string version = " · attnscope " + std::string(attnscope::version());
  EXPECT_EQ(footer_text(document), "Multi-head attention · 2 heads · seed 123 · no dropout" + version);
  document.config.dropout = 0.5;
  document.config.num_heads = 1;
  EXPECT_EQ(footer_text(document), "Multi-head attention · 1 head · seed 123 · dropout 0.5" + version);
  document.config.dropout_seed = 7;
  EXPECT_EQ(footer_text(document), "Multi-head attention · 1 head · seed 123 · dropout 0.5 with seed 7" + version);
  document.config.training = false;
  EXPECT_EQ(footer_text(document),
            "Multi-head attention · 1 head · seed 123 · dropout 0.5 off in evaluation" + version);
  document.config.mechanism = Mechanism::self_attention_v2;
  EXPECT_EQ(footer_text(document), "Self-attention v2 · seed 123" + version);
}

}  // namespace
}  // namespace attnscope::test
