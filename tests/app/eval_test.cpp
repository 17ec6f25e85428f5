// `attnscope eval`, through the program.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/evaluate.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "files/document_file.h"
#include "program.h"
#include "support.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

TEST(Eval, TakesEveryBuiltinDocument) {
  const TemporaryFolder folder;
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (builtin.id == "gpt2_sized") continue;  // takes a while, and the figures evaluate it anyway
    SCOPED_TRACE(builtin.id);
    const std::string document = builtin_path(std::string(builtin.id));
    const ProgramRun printed = run_program({"eval", document});
    ASSERT_EQ(printed.status, 0) << printed.err;
    EXPECT_EQ(printed.err, "");
    EXPECT_TRUE(json::parse(printed.out).contains("context"));
    const std::string file = (folder / "a.json").string();
    ASSERT_EQ(run_program({"eval", document, "-o", file}).status, 0);
    EXPECT_EQ(text_of(file), printed.out);
    EXPECT_EQ(run_program({"eval", document, "-o", (folder / "a.npz").string()}).status, 0);
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.json", "a.npz"}));
}

TEST(Eval, BackendsAndThreadsAgreeToTheLastBit) {
  const std::string document = builtin_path("causal_dropout");
  const std::string expected = run_program({"eval", document, "--backend", "serial"}).out;
  EXPECT_EQ(run_program({"eval", document, "--threads", "3"}).out, expected);
  EXPECT_EQ(run_program({"eval", document}).out, expected);
}

TEST(Eval, ReadsStandardInput) {
  const std::string file = builtin_path("multi_head_attention");
  const ProgramRun run = run_program({"eval", "-"}, "< '" + file + "'");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, run_program({"eval", file}).out);
  const ProgramRun bad = run_program({"eval", "-"}, "< /dev/null");
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("standard input: line 1"), std::string::npos) << bad.err;
}

TEST(Eval, GivesTheChosenStagesOnce) {
  const ProgramRun run =
      run_program({"eval", builtin_path("causal_minus_infinity"), "--stages", "masked_scores,mask,mask"});
  const json stages = json::parse(run.out);
  EXPECT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages["masked_scores"][0][0][0][1], "-inf");
  EXPECT_EQ(stages["mask"][0], json({false, true, true, true, true, true}));
}

TEST(Eval, RefusesStagesThatAreNotThere) {
  const std::string document = builtin_path("simple_self_attention");
  const ProgramRun unknown = run_program({"eval", document, "--stages", "weights,atention"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("\"atention\", but the stages of this document are inputs, "), std::string::npos);
  const ProgramRun missing = run_program({"eval", document, "--stages", "output"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("\"output\", which simple_self_attention does not have"), std::string::npos);
  EXPECT_EQ(run_program({"eval", document, "--stages", "weights,"}).status, 2);
}

TEST(Eval, RefusesOtherEndingsBeforeItComputes) {
  const ProgramRun run = run_program({"eval", "no/such.json", "-o", "out.txt"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("out.txt"), std::string::npos);
  EXPECT_NE(run.err.find(".npz, .npy, .csv or .json"), std::string::npos);
}

TEST(Eval, FormatsOfOneMatrixAskForOne) {
  const std::string document = builtin_path("multi_head_attention");
  const auto refusal = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"eval", document});
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1);
    return run.err;
  };
  EXPECT_NE(refusal({"-o", "a.npy"}).find(".npy holds one stage, but all were chosen"), std::string::npos);
  EXPECT_NE(refusal({"-o", "a.npy", "--stages", "keys,values"}).find("but 2 were chosen"), std::string::npos);
  EXPECT_NE(refusal({"-o", "a.csv", "--stages", "output"}).find("output has 2 batch entries"), std::string::npos);
  EXPECT_NE(refusal({"-o", "a.csv", "--stages", "weights", "--batch", "1"}).find("weights has 2 heads"),
            std::string::npos);
  EXPECT_NE(refusal({"--head", "3"}).find("from 1 to 2"), std::string::npos);
  EXPECT_NE(refusal({"--batch", "0"}).find("from 1 to 2"), std::string::npos);
}

// Heads and entries are those of a layer, and all layers have them.
TEST(Eval, OfAWholeModelChoosesNoHeadAndNoEntry) {
  const TemporaryFolder folder;
  put_text(folder / "model.json", R"({"model": "example:stories", "text": "Mia puts the ball in the box ."})");
  for (const std::string option : {"--head", "--batch"}) {
    const ProgramRun run = run_program({"eval", (folder / "model.json").string(), option, "1"});
    EXPECT_EQ(run.status, 2) << option;
    EXPECT_NE(run.err.find("choose a layer with --layer"), std::string::npos) << run.err;
  }
}

TEST(Eval, ALayerOfAModelIsChosen) {
  const ProgramRun run = run_program({"eval", "example:stories", "--layer", "3", "--stages", "weights", "--head", "2"});
  Document document = load_document("example:stories");
  show_layer(document, 2);
  const Result result = evaluate(document.config);
  const json weights = json::parse(run.out)["weights"][0];
  ASSERT_EQ(weights.size(), document.tokens.size());
  for (Index row = 0; row < std::ssize(weights); ++row) {
    for (Index col = 0; col <= row; ++col) {
      const Source cell{.stage = Stage::weights, .head = 1, .row = row, .col = col};
      EXPECT_FLOAT_EQ(weights[row][col].get<float>(), value_at(result, cell)) << row << ", " << col;
    }
  }
  EXPECT_NE(run_program({"code", "example:stories", "--layer", "3"}).out,
            run_program({"code", "example:stories", "--layer", "2"}).out);
  EXPECT_NE(run_program({"code", builtin_path("causal_dropout"), "--layer", "2"}).err.find("has one layer"),
            std::string::npos);
}

TEST(Eval, OneHeadOfOneEntryIsAMatrix) {
  const ProgramRun run = run_program(
      {"eval", builtin_path("multi_head_attention"), "--stages", "weights,mask,output", "--head", "2", "--batch", "1"});
  const json stages = json::parse(run.out);
  EXPECT_EQ(stages["weights"].size(), 6U);
  EXPECT_TRUE(stages["weights"][0][0].is_number());
  EXPECT_EQ(stages["mask"].size(), 6U);
  EXPECT_EQ(stages["output"].size(), 6U);
  EXPECT_TRUE(stages["output"][0][0].is_number());
}

TEST(Eval, ATargetThatCannotBeWrittenIsStatusOne) {
  const TemporaryFolder folder;
  const std::string target = (folder / "no" / "a.npz").string();
  const ProgramRun run = run_program({"eval", builtin_path("self_attention_v1"), "-o", target});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("Cannot write " + target), std::string::npos) << run.err;
}

// A full disk, in the form that needs none: a limit on the size of files.
TEST(Eval, NothingIsEverHalfWritten) {
  const TemporaryFolder folder;
  for (const char* name : {"a.npz", "a.json"}) {
    put_text(folder / name, "old");
    const ProgramRun full = run_program({"eval", builtin_path("multi_head_attention"), "-o", (folder / name).string()},
                                        "", "ulimit -f 1; ");
    EXPECT_EQ(full.status, 1);
    EXPECT_NE(full.err.find("File too large"), std::string::npos) << full.err;
    EXPECT_EQ(text_of(folder / name), "old");
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.json", "a.npz"}));
}

TEST(Eval, DocumentsBeyondTheMemoryAreStatusOne) {
  const TemporaryFolder folder;
  put_text(folder / "huge.json", R"({"inputs": {"randn": [4096, 12288]}, "batch_size": 64, "d_out": 12288,
    "mechanism": "multi_head_attention_wrapper", "num_heads": 128})");
  const ProgramRun run = run_program({"eval", (folder / "huge.json").string()});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("memory"), std::string::npos) << run.err;
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const std::string address_limit;  // the sanitizers map more addresses than there is memory
#else
const std::string address_limit = "ulimit -v 1500000; ";
#endif

TEST(Eval, StagesBeyondTheMemoryAreWrittenStripByStrip) {
  const TemporaryFolder folder;
  const std::string document = (folder / "long.json").string();
  put_text(document, R"({"inputs": {"randn": [4096, 2]}, "d_out": 64, "num_heads": 64})");  // 4.3 GB a stage
  const std::vector<std::string> eval = {"eval", document, "-o", (folder / "a.npy").string()};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), eval.begin(), eval.end());
    return run_program(more, "", address_limit);
  };
  const ProgramRun output = with({"--stages", "output"});
  EXPECT_EQ(output.status, 0) << output.err;
  const ProgramRun weights = with({"--stages", "weights", "--head", "3"});
  EXPECT_EQ(weights.status, 0) << weights.err;
  EXPECT_EQ(std::filesystem::file_size(folder / "a.npy"), 128 + 4ULL * 4096 * 4096);
}

}  // namespace
}  // namespace attnscope::test
