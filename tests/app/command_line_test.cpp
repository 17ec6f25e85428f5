// The program as a shell sees it: exit status, and one line for whatever goes wrong.

#include <algorithm>
#include <filesystem>

#include "program.h"
#include "support.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

// The program ended with this status, said one line on standard error and nothing on standard output.
void expect_failure(const ProgramRun& run, int status, const std::vector<std::string>& fragments) {
  EXPECT_EQ(run.status, status) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.starts_with("attnscope: ")) << run.err;
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
  EXPECT_TRUE(run.err.ends_with('\n'));
  for (const std::string& fragment : fragments) EXPECT_NE(run.err.find(fragment), std::string::npos) << run.err;
}

TEST(CommandLine, HelpAndVersionGoToStandardOutput) {
  const ProgramRun help = run_program({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  for (const char* word : {"FILE", "eval", "screenshot", "--version"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  EXPECT_NE(run_program({"eval", "--help"}).out.find("--stages"), std::string::npos);
  EXPECT_NE(run_program({"screenshot", "--help"}).out.find("--theme"), std::string::npos);
}

TEST(CommandLine, NamesOfThousandsOfCharactersAreCut) {
  const TemporaryFolder folder;
  const std::string name(5000, 'x');
  const std::string document = builtin_path("simple_self_attention");
  put_text(folder.path() / "weights.json",
           R"({"mechanism": "multi_head_attention", "weights": {")" + name + R"(": [[1]]}})");
  put_text(folder.path() / "key.json", "{\"" + name + "\": 1}");
  const std::vector<std::vector<std::string>> wrong = {
      {"eval", (folder.path() / "weights.json").string()},
      {"eval", document, "--stages", name},
      {"eval", document, name},
      {"figure", document, "--stage", name, "-o", "a.png"},
      {"figure", document, "--size", name, "-o", "a.png"},
  };
  for (const std::vector<std::string>& arguments : wrong) {
    const ProgramRun run = run_program(arguments);
    expect_failure(run, 2, {"x… (", "x"});
    EXPECT_LT(run.err.size(), 600U) << run.err;
  }
}

TEST(CommandLine, WrongUsageIsStatusTwoAndOneLine) {
  const std::string document = builtin_path("simple_self_attention");
  expect_failure(run_program({"--frobnicate"}), 2, {"--frobnicate", "--help"});
  expect_failure(run_program({"eval"}), 2, {"DOC is required"});
  expect_failure(run_program({"eval", document, "more.json"}), 2, {"more.json"});
  expect_failure(run_program({document, "eval", document}), 2, {"before the command"});
  expect_failure(run_program({"eval", document, "screenshot", document, "-o", "a.png"}), 2, {});
  expect_failure(run_program({"eval", document, "-o"}), 2, {"--out"});
  expect_failure(run_program({"eval", document, "--backend", "cuda"}), 2, {"--backend", "cuda", "serial", "openmp"});
  for (const char* threads : {"0", "-1", "257", "two", "1.5", "99999999999"}) {
    expect_failure(run_program({"eval", document, "--threads", threads}), 2, {"--threads", threads, "1 to 256"});
  }
}

TEST(CommandLine, AMissingOrBadDocumentIsStatusTwo) {
  const TemporaryFolder folder;
  put_text(folder / "bad\nname.json", R"({"seed": -1})");
  const std::string bad = (folder / "bad\nname.json").string();
  for (const auto& arguments : {std::vector<std::string>{"eval"}, {"screenshot", "-o", "x.png"}, {}}) {
    std::vector<std::string> with_missing = arguments;
    with_missing.push_back("no/such.json");
    expect_failure(run_program(with_missing), 2, {"no/such.json", "No such file"});
    with_missing.back() = bad;
    expect_failure(run_program(with_missing), 2, {"name.json", "seed is -1", "18446744073709551615"});
  }
  expect_failure(run_program({"-"}), 2, {"standard input"});
}

TEST(CommandLine, EveryBrokenDocumentIsStatusTwoAndOneLine) {
  const std::filesystem::path broken = data_folder() / "broken_documents";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(broken)) {
    SCOPED_TRACE(entry.path().filename());
    expect_failure(run_program({"eval", entry.path().string()}), 2, {entry.path().string() + ": "});
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST(CommandLine, WithoutADisplayTheWindowNamesTheScreenshot) {
  expect_failure(run_program({}), 1, {"display", "attnscope screenshot"});
  expect_failure(run_program({builtin_path("simple_self_attention")}), 1, {"display", "attnscope screenshot"});
}

TEST(CommandLine, ScreenshotArgumentsAreChecked) {
  const std::string document = builtin_path("simple_self_attention");
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"screenshot", document});
    return run_program(more);
  };
  expect_failure(with({}), 2, {"--out"});
  expect_failure(with({"-o", "a.jpg"}), 2, {"a.jpg", ".png"});
  for (const char* size :
       {"319x240", "320x239", "7681x4320", "800", "800x", "x600", "800x600x3", "8e2x600", "-800x600"}) {
    expect_failure(with({"-o", "a.png", "--size", size}), 2, {"--size", size, "320x240 to 7680x4320"});
  }
  for (const char* scale : {"0.49", "4.1", "nan", "inf", "big", "-1"}) {
    expect_failure(with({"-o", "a.png", "--scale", scale}), 2, {"--scale", scale, "0.5 to 4"});
  }
  expect_failure(with({"-o", "a.png", "--theme", "sepia"}), 2, {"--theme", "sepia", "light", "dark", "high-contrast"});
}

TEST(CommandLine, AClosedOrFullStandardOutputIsStatusOne) {
  const std::string document = builtin_path("simple_self_attention");
  for (const char* where : {">&-", ">/dev/full"}) {
    expect_failure(run_program({"eval", document}, where), 1, {"standard output"});
    expect_failure(run_program({"--help"}, where), 1, {"standard output"});
  }
  const ProgramRun silent = run_program({"eval", document}, ">&- 2>&-");
  EXPECT_EQ(silent.status, 1);
}

TEST(CommandLine, AReaderThatHasLeftIsStatusOne) {
  const TemporaryFolder folder;
  const std::string document = (folder / "a.json").string();
  put_text(document, R"({"inputs": {"randn": [300, 8]}})");  // more text than a pipe holds
  const std::string status = (folder / "status").string();
  const ProgramRun run = run_program({"eval", document}, "; echo $? >'" + status + "'; } | true", "{ ");
  EXPECT_EQ(text_of(status), "1\n");
  EXPECT_NE(run.err.find("Cannot write to standard output: Broken pipe."), std::string::npos) << run.err;
}

TEST(CommandLine, NamesWhatAMisspelledNameMayHaveMeant) {
  const auto says = [](const std::vector<std::string>& arguments) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.status, 2) << run.err;
    return run.err;
  };
  const std::string document = builtin_path("multi_head_attention");
  EXPECT_EQ(says({"evl", document}), "attnscope: \"evl\" is no command, did you mean \"eval\"?\n");
  EXPECT_EQ(says({"screnshot"}), "attnscope: \"screnshot\" is no command, did you mean \"screenshot\"?\n");
  EXPECT_EQ(says({"code", document, "--langage", "numpy"}),
            "attnscope: \"--langage\" is no option, did you mean \"--language\"?\n");
  EXPECT_EQ(says({"code", document, "--language", "nump"}),
            "attnscope: --language is \"nump\", did you mean \"numpy\"?\n");
  EXPECT_EQ(says({"code", document, "--language", "rust"}),
            "attnscope: --language is \"rust\", but it must be one of pytorch, numpy, latex.\n");
  EXPECT_EQ(says({"eval", document, "--stages", "weight"}),
            "attnscope: --stages names \"weight\", did you mean \"weights\"?\n");
  EXPECT_EQ(
      says({"figure", document, "-o", "a.svg", "--stage", "score"}),
      "attnscope: --stage is \"score\", but this multi_head_attention does not have it, did you mean \"scores\"?\n");
  EXPECT_EQ(says({"figure", document, "-o", "a.svg", "--study", "sharpnes"}),
            "attnscope: --study is \"sharpnes\", did you mean \"sharpness\"?\n");
  EXPECT_EQ(says({"figure", document, "-o", "a.gif", "--sweep", "sead=1..3"}),
            "attnscope: The sweep is \"sead=1..3\", did you mean \"seed\"?\n");
  EXPECT_EQ(says({"eval", "example:storys"}), "attnscope: \"storys\" is not an example, did you mean \"stories\"?\n");
  EXPECT_EQ(says({"lesson", "handout", "mesk", "-o", "a.pdf"}),
            "attnscope: There is no lesson \"mesk\", did you mean \"mask\"?\n");
}

TEST(CommandLine, RefusesWhatHasNoEffect) {
  const TemporaryFolder folder;
  const auto says = [](const std::vector<std::string>& arguments) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.status, 2) << run.err;
    return run.err;
  };
  const std::string document = builtin_path("multi_head_attention");
  const std::string out = (folder / "a.png").string();
  EXPECT_EQ(says({"eval", document, "--stages", ""}),
            "attnscope: --stages is empty: leave it out, or give it a value.\n");
  EXPECT_EQ(says({"screenshot", document, "--layer", "", "-o", out}),
            "attnscope: --layer is empty: leave it out, or give it a value.\n");
  EXPECT_EQ(says({"screenshot", "--lesson", "mask", "--layer", "2", "-o", out}).find("attnscope: --layer is for"), 0U);
  EXPECT_EQ(says({"screenshot", "example:stories", "--layer", "all", "-o", out}).find("attnscope: --layer is all"), 0U);
  const std::string weights = (folder / "w.safetensors").string();
  EXPECT_EQ(
      says({"weights", "example:stories", "-o", weights}),
      "attnscope: example:stories is a whole model, but weights are written of one layer: choose it with --layer.\n");
  EXPECT_EQ(says({"code", "example:stories"}),
            "attnscope: example:stories is a whole model, but code is written of one layer: choose it with --layer.\n");
  EXPECT_TRUE(folder.names().empty());
  EXPECT_EQ(run_program({"weights", "example:stories", "--layer", "2", "-o", weights}).status, 0);
}

}  // namespace
}  // namespace attnscope::test
