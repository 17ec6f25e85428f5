// No command replaces a file that it reads, or a file of the model that it uses.

#include <gtest/gtest.h>

#include <filesystem>

#include "program.h"
#include "support.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

class ReplacedInputs : public testing::Test {
protected:
  ReplacedInputs() {
    put_text(at("d.json"), R"({"dropout": 0.5})");
    fs::create_directory(at("model"));
    for (const char* const name : {"config.json", "model.safetensors", "tokenizer.json"})
      fs::copy_file(tests_folder().parent_path() / "assets/models/stories" / name, at("model") / name);
    put_text(at("model/generation_config.json"), "{}");
    put_text(at("m.json"), R"({"model": "model", "text": "Mia puts the ball in the box", "layer": 0})");
  }
  fs::path at(const std::string& name) const { return folder_ / name; }
  std::string name(const std::string& name) const { return at(name).string(); }
  // Runs a command whose output names the file; the file stays as it is.
  void expect_refused(std::vector<std::string> arguments, const std::string& input,
                      const std::string& redirection = {}) {
    const std::string before = text_of(at(input));
    const ProgramRun run = run_program(arguments, redirection);
    EXPECT_EQ(run.status, 2) << arguments.front() << " " << input << ": " << run.err;
    EXPECT_NE(run.err.find("is made from this file, which would be lost"), std::string::npos) << run.err;
    EXPECT_EQ(text_of(at(input)), before) << input;
  }

  TemporaryFolder folder_;
};

TEST_F(ReplacedInputs, OfADocument) {
  expect_refused({"eval", name("d.json"), "-o", name("d.json")}, "d.json");
  expect_refused({"eval", "-", "-o", name("d.json")}, "d.json", "< " + name("d.json"));
  expect_refused({"code", name("d.json"), "-o", name("d.json")}, "d.json");
  ASSERT_EQ(run_program({"screenshot", name("d.json"), "-o", name("d.png")}).status, 0);
  expect_refused({"screenshot", name("d.png"), "-o", name("d.png")}, "d.png");
  expect_refused({"figure", name("d.png"), "-o", name("d.png")}, "d.png");
  expect_refused({"figure", name("d.png"), "--sweep", "seed=1..2", "-o", name("d.png")}, "d.png");
  put_text(at("e.csv"), "1,2\n3,4\n");
  fs::create_symlink(at("e.csv"), at("e.json"));
  expect_refused({"import", name("e.csv"), "-o", name("e.json")}, "e.csv");
  expect_refused({"import", name("e.csv"), "--document", name("d.json"), "-o", name("d.json")}, "d.json");
  EXPECT_EQ(run_program({"eval", name("d.json"), "-o", name("other.json")}).status, 0);
  EXPECT_EQ(run_program({"eval", name("d.json"), "-o", name("other.json")}).status, 0)
      << "no input: it may be replaced";
}

TEST_F(ReplacedInputs, ByWhateverPathOrLink) {
  fs::create_symlink(at("d.json"), at("link.json"));
  fs::create_hard_link(at("d.json"), at("hard.json"));
  fs::create_directory(at("sub"));
  expect_refused({"eval", name("d.json"), "-o", name("link.json")}, "d.json");
  expect_refused({"eval", name("link.json"), "-o", name("d.json")}, "d.json");
  expect_refused({"eval", name("d.json"), "-o", name("hard.json")}, "hard.json");
  expect_refused({"eval", name("d.json"), "-o", name("sub/../d.json")}, "d.json");
}

TEST_F(ReplacedInputs, OfFilesThatADocumentNames) {
  ASSERT_EQ(run_program({"eval", name("d.json"), "--stages", "mask", "-o", name("bias.npy")}).status, 0);
  put_text(at("biased.json"), R"({"bias": "bias.npy"})");
  expect_refused({"eval", name("biased.json"), "--stages", "weights", "-o", name("bias.npy")}, "bias.npy");
}

TEST_F(ReplacedInputs, OfAModel) {
  expect_refused({"weights", name("m.json"), "-o", name("model/model.safetensors")}, "model/model.safetensors");
  expect_refused({"eval", name("m.json"), "-o", name("model/config.json")}, "model/config.json");
  expect_refused({"code", name("m.json"), "-o", name("model/tokenizer.json")}, "model/tokenizer.json");
  expect_refused({"eval", name("model"), "--layer", "1", "-o", name("model/generation_config.json")},
                 "model/generation_config.json");
  EXPECT_EQ(run_program({"eval", name("m.json"), "-o", name("model/stages.json")}).status, 0) << "no file of the model";
}

TEST_F(ReplacedInputs, OfALesson) {
  fs::copy_file(tests_folder().parent_path() / "assets/lessons/3_mask.json", at("mask.json"));
  fs::create_symlink(at("mask.json"), at("mask.pdf"));
  expect_refused({"lesson", "handout", name("mask.json"), "-o", name("mask.pdf")}, "mask.json");
}

TEST_F(ReplacedInputs, OfAScript) {
  put_text(at("script.json"), R"({"steps": [{"read": "script.json"}]})");
  expect_refused({"drive", name("script.json"), "-o", folder_.path().string()}, "script.json");
}

// In the window a document is saved over itself.
TEST_F(ReplacedInputs, NotOfADocumentThatIsSaved) {
  put_text(at("script.json"), R"({"document": "d.json", "steps": [{"document": "d.json"}]})");
  EXPECT_EQ(run_program({"drive", name("script.json"), "-o", folder_.path().string()}).status, 0);
}

}  // namespace
}  // namespace attnscope::test
