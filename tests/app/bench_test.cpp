// attnscope bench, through the program. What it measures is checked for being consistent, never for being fast.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/evaluate.h"
#include "core/model/forward.h"
#include "files/document_file.h"
#include "program.h"
#include "support.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

json bench(std::vector<std::string> arguments, const std::string& preparation = "") {
  arguments.insert(arguments.begin(), "bench");
  arguments.emplace_back("--json");
  const ProgramRun run = run_program(arguments, "", preparation);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return json::parse(run.out);
}

const std::string& document() {
  static const std::string path = builtin_path("multi_head_attention");
  return path;
}

TEST(BenchCommand, FiguresFollowFromEachOther) {
  const json report = bench({document(), "--repeat", "4", "--threads", "1"});
  const auto times = report["times_s"].get<std::vector<double>>();
  const int accepted = report["accepted"];
  const int rejected = report["rejected"];
  EXPECT_EQ(times.size(), static_cast<std::size_t>(accepted > 0 ? accepted : rejected));
  EXPECT_TRUE(accepted == 4 || accepted + rejected == 16) << "it tries four times as often as it must";
  const double median = report["median_s"];
  EXPECT_GE(median, *std::ranges::min_element(times));
  EXPECT_LE(median, *std::ranges::max_element(times));
  const double rate = report["flops"].get<double>() / median;
  EXPECT_NEAR(report["gflops"].get<double>() * 1e9, rate, 1e-6 * rate);
  EXPECT_NEAR(report["fraction_of_peak"].get<double>(), rate / (report["peak_gflops"].get<double>() * 1e9), 1e-9);
  EXPECT_EQ(report["threads"], 1);
  EXPECT_EQ(report["backend"], "serial");
  EXPECT_GT(report["peak_rss_bytes"].get<double>(), 1e6);
}

// The operations of each layer's attention, its feed-forward part, and the last layer for every word.
TEST(BenchCommand, CountsTheOperationsOfAllLayers) {
  const TemporaryFolder folder;
  put_text(folder / "model.json", R"({"model": "example:stories", "text": "Mia puts the ball in the box ."})");
  const AttentionConfig config = load_document(folder / "model.json").config;
  const TransformerShape& shape = std::get<ModelInputs>(config.inputs).model->shape;
  const auto layers = static_cast<double>(shape.layers);
  const auto tokens = static_cast<double>(token_count(config));
  const double feed_forward = 2 * 2 * tokens * static_cast<double>(shape.features * shape.hidden);
  const double last_layer = 2 * tokens * static_cast<double>(shape.features * shape.vocabulary);
  const double expected = layers * (operation_count(config) + feed_forward) + last_layer;
  const json report = bench({(folder / "model.json").string(), "--repeat", "1", "--threads", "1"});
  EXPECT_NEAR(report["flops"].get<double>() / expected, 1, 1e-9);
}

TEST(BenchCommand, RunsTheInstructionSetThatTheEnvironmentNames) {
  EXPECT_EQ(bench({document(), "--repeat", "1"}, "export ATTNSCOPE_ISA=portable; ")["isa"], "portable");
  const ProgramRun refused = run_program({"bench", document()}, "", "export ATTNSCOPE_ISA=mmx; ");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("ATTNSCOPE_ISA is \"mmx\", but this processor runs"), std::string::npos) << refused.err;
  EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1);
}

TEST(BenchCommand, SaysItInWordsToo) {
  const ProgramRun run = run_program({"bench", document(), "--repeat", "2"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("6 tokens, 2 heads of 1"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("GFLOP/s"), std::string::npos);
}

TEST(BenchCommand, RefusesWhatItCannotMeasure) {
  EXPECT_EQ(run_program({"bench", document(), "--repeat", "0"}).status, 2);
  EXPECT_EQ(run_program({"bench", document(), "--threads", "many"}).status, 2);
  EXPECT_EQ(run_program({"bench", "nowhere.json"}).status, 2);
}

}  // namespace
}  // namespace attnscope::test
