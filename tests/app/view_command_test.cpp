// Attention of other programs on the command line, in files that NumPy wrote.

#include <gtest/gtest.h>

#include <cstdlib>

#include "files/document_file.h"
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
numpy.save(sys.argv[1] + "/line.npy", numpy.zeros(20))
cross = numpy.arange(1, 57, dtype="float32").reshape(2, 4, 7)
numpy.save(sys.argv[1] + "/cross.npy", cross / cross.sum(-1, keepdims=True))
names = ["W_query.weight", "W_key.weight", "W_value.weight", "out_proj.weight"]
numpy.savez(sys.argv[1] + "/module.npz", **{name: numpy.ones((4, 4)) for name in names}, **{"out_proj.bias": numpy.ones(4)})
numpy.savez(sys.argv[1] + "/model.npz", **{"wte.weight": numpy.ones((20, 8)), "h.0.attn.c_proj.weight": numpy.ones((8, 8))})
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

TEST_F(ViewCommand, AFigureNamesLayerAndHead) {
  ASSERT_EQ(draw("figure", "attn.npy", {"--layer", "3", "--head", "2"}, "a.svg").status, 0);
  EXPECT_NE(text_of(folder_ / "a.svg").find("Layer 3 of 4, head 2 of 3"), std::string::npos);
}

TEST_F(ViewCommand, APictureOfAttentionIsDrawnAgainFromThePicture) {
  put_text(folder_ / "tokens.txt", "The quick brown fox jumps over the lazy dog and runs away\n");
  for (const char* const command : {"screenshot", "figure"}) {
    const ProgramRun first = draw(command, "attn.npy", {"--layer", "3", "--tokens", path("tokens.txt")}, "a.png");
    ASSERT_EQ(first.status, 0) << first.err;
    const LoadedFile loaded = load_any_document(folder_ / "a.png");
    EXPECT_EQ(std::get<ImportedDocument>(loaded.document).file, folder_ / "attn.npy");
    EXPECT_EQ(std::get<ImportedDocument>(loaded.document).layer, 2);
    const ProgramRun second = draw("figure", "a.png", {}, "b.svg");
    ASSERT_EQ(second.status, 0) << second.err;
    EXPECT_NE(text_of(folder_ / "b.svg").find("quick"), std::string::npos);
    std::filesystem::remove(folder_ / "b.svg");
  }
}

TEST_F(ViewCommand, TheSameIsDrawnOfWhatWasSaved) {
  ASSERT_EQ(draw("figure", "attn.npy", {"--layer", "3"}, "a.svg").status, 0);
  save_document(std::get<ImportedDocument>(load_any_document(folder_ / "a.svg").document), folder_ / "x.json");
  const auto drawn = [&](const char* file, std::vector<std::string> options, const char* out) {
    const ProgramRun run = draw("figure", file, std::move(options), out);
    EXPECT_EQ(run.status, 0) << run.err;
    return text_of(folder_ / out);
  };
  EXPECT_EQ(drawn("x.json", {}, "b.svg"), text_of(folder_ / "a.svg"));
  EXPECT_EQ(drawn("x.json", {"--layer", "4"}, "b.svg"), drawn("attn.npy", {"--layer", "4"}, "c.svg"));
  const ProgramRun shot = draw("screenshot", "x.json", {}, "x.png");
  EXPECT_EQ(shot.status, 0) << shot.err;
}

TEST_F(ViewCommand, OtherNumbersThanThoseThatWereSavedAreDrawnWithASentence) {
  ASSERT_EQ(draw("figure", "attn.npy", {}, "a.svg").status, 0);
  EXPECT_EQ(draw("figure", "a.svg", {}, "b.svg").err, "");
  std::filesystem::rename(folder_ / "nan.npy", folder_ / "attn.npy");
  const ProgramRun run = draw("figure", "a.svg", {}, "c.svg");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "attnscope: " + path("attn.npy") +
                         " is not the file that was saved: its shape is the same, but its numbers differ.\n");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "c.svg"));
}

TEST_F(ViewCommand, WhatWasSavedIsRefusedWhereThereIsSomethingToCompute) {
  ASSERT_EQ(draw("figure", "attn.npy", {}, "a.svg").status, 0);
  save_document(std::get<ImportedDocument>(load_any_document(folder_ / "a.svg").document), folder_ / "x.json");
  const std::vector<std::vector<std::string>> commands = {
      {"eval"}, {"code"}, {"bench"}, {"weights", "-o", path("w.safetensors")}};
  for (const char* const file : {"x.json", "a.svg"}) {
    for (std::vector<std::string> command : commands) {
      command.insert(command.begin() + 1, path(file));
      const ProgramRun run = run_program(command);
      EXPECT_EQ(run.status, 2) << run.err;
      EXPECT_NE(run.err.find(path(file) + ": format is \"attnscope-viewing\""), std::string::npos) << run.err;
      EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
    }
  }
  const ProgramRun swept = draw("figure", "x.json", {"--sweep", "seed=1..2"}, "s.png");
  EXPECT_EQ(swept.status, 2);
  EXPECT_NE(swept.err.find("nothing to compute"), std::string::npos) << swept.err;
}

TEST_F(ViewCommand, WhatWasSavedOfAFileThatIsGoneOrAnotherNamesIt) {
  ASSERT_EQ(draw("figure", "attn.npy", {}, "a.svg").status, 0);
  save_document(std::get<ImportedDocument>(load_any_document(folder_ / "a.svg").document), folder_ / "x.json");
  const auto refusal = [&](std::vector<std::string> arguments) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
    return run.err;
  };
  EXPECT_NE(refusal({"view", path("x.json"), "--layer", "5"}).find("layers 1 to 4"), std::string::npos);
  EXPECT_NE(refusal({"view", path("x.json"), "--tensor", "q"}).find("already names"), std::string::npos);
  std::filesystem::rename(folder_ / "line.npy", folder_ / "attn.npy");
  for (const char* const file : {"x.json", "a.svg"})
    EXPECT_NE(refusal({"view", path(file)}).find("attn.npy: There is no attention in it"), std::string::npos);
  std::filesystem::remove(folder_ / "attn.npy");
  for (const char* const file : {"x.json", "a.svg"}) {
    EXPECT_NE(refusal({path(file)}).find("attn.npy, but that file is missing"), std::string::npos);
    EXPECT_NE(refusal({"screenshot", path(file), "-o", path("s.png")}).find("is missing"), std::string::npos);
  }
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

TEST_F(ViewCommand, ATableGivesTheTokensTheirNames) {
  put_text(folder_ / "table.csv", ",The,cat\nThe,1.0,0.0\ncat,0.3,0.7\n");
  ASSERT_EQ(draw("figure", "table.csv", {}, "f.svg").status, 0);
  EXPECT_NE(text_of(folder_ / "f.svg").find(">cat<"), std::string::npos);
  put_text(folder_ / "cross.csv", ",le,chat\nThe,1.0,0.0\ncat,0.3,0.7\n");
  const ProgramRun run = draw("figure", "cross.csv", {}, "f.svg");
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* const name : {"The", "cat", "le", "chat"})
    EXPECT_NE(text_of(folder_ / "f.svg").find(">" + std::string(name) + "<"), std::string::npos) << name;
}

TEST_F(ViewCommand, RowsAndColumnsHaveNamesOfTheirOwn) {
  put_text(folder_ / "keys.txt", "le chat noir dort sur le tapis");
  put_text(folder_ / "queries.txt", "the cat sleeps now");
  const std::vector<std::string> options = {
      "--tokens", path("keys.txt"), "--query-tokens", path("queries.txt"), "--head", "2", "--decimals", "2"};
  for (const char* const name : {"f.svg", "f.png", "f.pdf"}) {
    const ProgramRun run = draw("figure", "cross.npy", options, name);
    ASSERT_EQ(run.status, 0) << run.err;
    const auto saved = std::get<ImportedDocument>(load_any_document(folder_ / name).document);
    EXPECT_EQ(saved.query_tokens, (std::vector<std::string>{"the", "cat", "sleeps", "now"})) << name;
    EXPECT_EQ(saved.tokens[2], "noir") << name;
    EXPECT_EQ(draw("screenshot", name, {}, "again.png").status, 0) << name;
  }
  for (const char* const text : {"sleeps", "noir", "le (6)"})
    EXPECT_NE(text_of(folder_ / "f.svg").find(">" + std::string(text) + "<"), std::string::npos) << text;
}

TEST_F(ViewCommand, ATableIsReadAsSomebodySays) {
  put_text(folder_ / "counts.csv", "6,2\n1,1\n");
  ASSERT_EQ(draw("figure", "counts.csv", {"--numbers", "shares", "--decimals", "2"}, "f.svg").status, 0);
  EXPECT_NE(text_of(folder_ / "f.svg").find(">0.75<"), std::string::npos);
  const auto saved = std::get<ImportedDocument>(load_any_document(folder_ / "f.svg").document);
  EXPECT_EQ(saved.numbers, NumbersAs::shares);
  const ProgramRun run = draw("figure", "f.svg", {"--numbers", "scores", "--decimals", "2"}, "g.svg");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(text_of(folder_ / "g.svg").find(">6.00<"), std::string::npos);
}

TEST_F(ViewCommand, WhatFollowsFromTheNumbersIsSaid) {
  const auto said = [&](const char* file, const std::string& text) {
    if (!text.empty()) put_text(folder_ / file, text);
    const ProgramRun run = draw("figure", file, {}, "a.svg");
    EXPECT_EQ(run.status, 0);
    return run.err;
  };
  const std::string causal =
      ": Every weight above the diagonal is exactly 0: these cells are shown as hidden by a causal mask.\n";
  EXPECT_EQ(said("attn.npy", ""), "attnscope: " + path("attn.npy") + causal);
  EXPECT_EQ(said("both.csv", "0.5,0.5\n0.25,0.75\n"), "");
  const std::string in_percent =
      ": Its rows sum to 100, so these are weights in percent: they are shown divided by 100.\n";
  EXPECT_EQ(said("percent.csv", "50,50\n25,75\n"), "attnscope: " + path("percent.csv") + in_percent);
  EXPECT_NE(text_of(folder_ / "a.svg").find(">0.25<"), std::string::npos);
  EXPECT_EQ(said("percent.csv", "100,0\n25,75\n"),
            "attnscope: " + path("percent.csv") + in_percent + "attnscope: " + path("percent.csv") + causal);
  EXPECT_NE(said("scores.csv", "5,1\n2,7\n").find("shown as scores"), std::string::npos);
}

TEST_F(ViewCommand, WhatIsWrongIsOneSentence) {
  put_text(folder_ / "tokens.txt", "one two\n");
  put_text(folder_ / "attn.json", "{}");
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> cases = {
      {{"view", path("line.npy")}, {"line.npy: There is no attention in it", "(20"}},
      {{"view", path("cross.npy"), "--tokens", path("tokens.txt")}, {"tokens.txt", "2 words", "7 keys"}},
      {{"view", path("cross.npy"), "--query-tokens", path("tokens.txt")}, {"tokens.txt", "2 words", "4 queries"}},
      {{"view", path("attn.npy"), "--numbers", "sums"}, {"--numbers is \"sums\"", "weights, scores, shares"}},
      {{"view", path("none.npy")}, {"none.npy"}},
      {{"view", path("attn.json")}, {"attn.json is a document and holds", "attnscope "}},
      {{"view", path("attn.npy"), "--tensor", "q"}, {"no tensor \"q\""}},
      {{"view", path("attn.npy"), "--layer", "5"}, {"Layer 5", "layers 1 to 4"}},
      {{"view", path("attn.npy"), "--layer", "0"}, {"--layer is \"0\""}},
      {{"view", path("attn.npy"), "--tokens", path("tokens.txt")}, {"tokens.txt", "2 words", "12 tokens"}},
      {{"screenshot", path("attn.json"), "--layer", "2", "-o", path("x.png")}, {"--layer is for attention"}},
      {{"figure", path("attn.npy"), "--stage", "scores", "-o", path("x.png")}, {"holds only weights"}},
      {{"eval", path("attn.npy")}, {"attn.npy is a file of arrays", "attnscope view"}},
      {{"eval", path("model.npz")}, {"model.npz: The file has the weights of a model", "config.json", "emb_dim"}},
      {{"view", path("model.npz")}, {"model.npz: The file has the weights of a model", "config.json", "emb_dim"}},
      {{"figure", path("model.npz"), "-o", path("x.png")}, {"the weights of a model, and no attention"}},
      {{"screenshot", path("model.npz"), "-o", path("x.png")}, {"the weights of a model, and no attention"}},
      {{"import", path("model.npz"), "-o", path("x.json")}, {"the weights of a model, and no attention"}},
      {{"import", path("module.npz"), "-o", path("x.json")}, {"module.npz: ", "share d_out = 4", "with --num-heads."}},
      {{"eval", path("attn.npy"), "--num-heads", "2"}, {"--num-heads is for a model", "attn.npy"}},
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
