// Attention of other programs on the command line, in files that NumPy wrote.

#include <gtest/gtest.h>

#include <cstdlib>

#include "program.h"
#include "support.h"

namespace attnscope::test {
namespace {

constexpr const char* script = R"(
import sys, numpy
generator = numpy.random.default_rng(3)
scores = generator.standard_normal((4, 3, 12, 12)).astype("float32")
scores[:, :, numpy.triu(numpy.ones((12, 12), bool), 1)] = -numpy.inf
weights = numpy.exp(scores - scores.max(-1, keepdims=True))
weights /= weights.sum(-1, keepdims=True)
numpy.save(sys.argv[1] + "/attn.npy", weights)
numpy.save(sys.argv[1] + "/scores.npy", scores)
numpy.savez(sys.argv[1] + "/layers.npz", *weights)
weights[1, 2, 3, 1] = numpy.nan
numpy.save(sys.argv[1] + "/nan.npy", weights)
numpy.save(sys.argv[1] + "/wide.npy", numpy.zeros((3, 4, 5)))
)";

class ViewCommand : public testing::Test {
protected:
  void SetUp() override {
    put_text(folder_ / "make.py", script);
    const std::string command = "/usr/bin/python3 '" + path("make.py") + "' '" + folder_.path().string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << "NumPy writes these files: is python3-numpy installed?";
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  ProgramRun draw(const std::string& command, const std::string& file, std::vector<std::string> options,
                  const std::string& out) const {
    options.insert(options.begin(), {command, path(file), "-o", path(out)});
    return run_program(options);
  }
  TemporaryFolder folder_;
};

TEST_F(ViewCommand, ScreenshotsOfLayersDiffer) {
  for (const char* const layer : {"1", "4"}) {
    const ProgramRun run = draw("screenshot", "attn.npy", {"--layer", layer}, std::string(layer) + ".png");
    ASSERT_EQ(run.status, 0) << run.err;
  }
  EXPECT_TRUE(text_of(folder_ / "1.png").starts_with("\x89PNG"));
  EXPECT_NE(text_of(folder_ / "1.png"), text_of(folder_ / "4.png"));
  const ProgramRun archive = draw("screenshot", "layers.npz", {"--layer", "4"}, "n.png");
  ASSERT_EQ(archive.status, 0) << archive.err;
}

TEST_F(ViewCommand, APictureOfAttentionCarriesNoDocument) {
  ASSERT_EQ(draw("screenshot", "attn.npy", {"--footer"}, "a.png").status, 0);
  EXPECT_EQ(text_of(folder_ / "a.png").find("iTXtattnscope"), std::string::npos);
  EXPECT_EQ(run_program({"eval", path("a.png")}).status, 2);
}

TEST_F(ViewCommand, NumbersThatAreNotFiniteAreDrawn) {
  for (const char* const file : {"nan.npy", "scores.npy"}) {
    const ProgramRun shot = draw("screenshot", file, {"--layer", "2"}, "x.png");
    EXPECT_EQ(shot.status, 0) << file << ": " << shot.err;
    const ProgramRun figure = draw("figure", file, {"--layer", "2", "--head", "3"}, "x.svg");
    EXPECT_EQ(figure.status, 0) << file << ": " << figure.err;
  }
}

TEST_F(ViewCommand, AFigureShowsTheNamesOfTokens) {
  put_text(folder_ / "tokens.txt", "The quick brown fox jumps over the lazy dog and runs away\n");
  const ProgramRun run =
      draw("figure", "attn.npy", {"--tokens", path("tokens.txt"), "--layer", "3", "--footer"}, "f.svg");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string figure = text_of(folder_ / "f.svg");
  EXPECT_NE(figure.find("quick"), std::string::npos);
  EXPECT_NE(figure.find("layer 3 of 4"), std::string::npos);
}

TEST_F(ViewCommand, WhatIsWrongIsOneSentence) {
  put_text(folder_ / "tokens.txt", "one two\n");
  put_text(folder_ / "attn.json", "{}");
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> cases = {
      {{"view", path("wide.npy")}, {"wide.npy: There is no attention in it", "(3, 4, 5)"}},
      {{"view", path("none.npy")}, {"none.npy"}},
      {{"view", path("attn.json")}, {"attn.json is not .npy, .npz or .safetensors"}},
      {{"view", path("attn.npy"), "--tensor", "q"}, {"no tensor \"q\""}},
      {{"view", path("attn.npy"), "--layer", "5"}, {"Layer 5", "layers 1 to 4"}},
      {{"view", path("attn.npy"), "--layer", "0"}, {"--layer is \"0\""}},
      {{"view", path("attn.npy"), "--tokens", path("tokens.txt")}, {"tokens.txt", "2 words", "12 tokens"}},
      {{"screenshot", path("attn.json"), "--layer", "2", "-o", path("x.png")}, {"--layer is for attention"}},
      {{"figure", path("attn.npy"), "--stage", "scores", "-o", path("x.png")}, {"no more than weights"}},
      {{"eval", path("attn.npy")}, {"attn.npy is a file of arrays", "attnscope view"}},
  };
  for (const auto& [arguments, fragments] : cases) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.status, 2) << run.err;
    for (const std::string& fragment : fragments) EXPECT_NE(run.err.find(fragment), std::string::npos) << run.err;
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.png"));
}

TEST_F(ViewCommand, WithoutADisplayTheWindowSaysSo) {
  const ProgramRun run = run_program({"view", path("attn.npy")});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("no display"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace attnscope::test
