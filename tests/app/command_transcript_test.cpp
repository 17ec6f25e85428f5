// What commands print and what figures say, of documents in which no number is like another one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "document/json.h"
#include "program.h"
#include "support.h"
#include "tests/support/hard_documents.h"
#include "tests/support/transcript.h"

namespace attnscope::test {
namespace {

constexpr const char* stories = R"({"model": "example:stories", "text": "Mia puts the ball in the box .", "layer": 2,
    "heads_off": [1], "changed_layers": {"0": {"heads_off": [3]}}})";

Document heads_that_share_keys() {
  Document document = hard_document();
  AttentionConfig& config = document.config;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.d_out = 16;
  config.bias = {};
  config.qk_norm = QkNorm::rms;
  config.rope = Rope{.base = 100, .layout = RopeLayout::interleaved, .dims = 2, .offset = 5};
  config.softcap = 0.5;
  check(document);
  return document;
}

class CommandTranscript : public testing::Test {
protected:
  CommandTranscript() {
    put_text(file("hard"), to_json(hard_document()));
    put_text(file("given"), to_json(hard_given(3, 5)));
    put_text(file("short"), to_json(hard_given(1, 2)));
    put_text(file("shared"), to_json(heads_that_share_keys()));
    put_text(file("stories"), stories);
    put_text(folder_ / "cross.csv",
             ",le,chat,noir,dort\nthe,0.7,0.1,0.125,0.075\ncat,0.1,0.8,0.05,0.05\nsleeps,0,0.2,0.1,0.7\n");
    put_text(file("cross"),
             R"({"format": "attnscope-viewing", "file": "cross.csv", "shape": [3, 4], "axes": "query, key",
        "number_type": "float32", "tokens": ["le", "chat", "noir", "dort"], "query_tokens": ["the", "cat", "cat"]})");
  }
  std::string file(const std::string& name) const { return (folder_ / (name + ".json")).string(); }

  // Writes what a command prints; the folder has another name each time.
  void write(const std::vector<std::string>& arguments) {
    const ProgramRun run = run_program(arguments);
    text_ += "== " + without_folder(fmt::format("{}", fmt::join(arguments, " "))) + " ==\n";
    text_ += without_folder(run.out + run.err);
    if (run.status != 0) text_ += fmt::format("exit status {}\n", run.status);
  }
  // Writes the text elements of a figure of a document.
  void write_figure(const std::string& name, std::vector<std::string> options) {
    const std::string svg = (folder_ / "a.svg").string();
    text_ += fmt::format("== figure {} {} ==\n", name, fmt::join(options, " "));
    options.insert(options.begin(), {"figure", file(name), "-o", svg, "--width", "400mm", "--footer"});
    const ProgramRun run = run_program(options);
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string drawn = text_of(svg);
    write_texts(drawn);
    if (std::ranges::find(options, "--study") != options.end()) return;  // widths of texts decide about its charts
    for (const char* const element : {"rect", "path", "line", "image", "polygon", "circle"})
      text_ += fmt::format("{} {}, ", count_of(drawn, fmt::format("<{}[ >]", element)), element);
    text_ += "\n";
  }

  TemporaryFolder folder_;
  std::string text_;

private:
  std::string without_folder(std::string text) const {
    const std::string folder = folder_.path().string() + "/";
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.erase(at, folder.size());
    return text;
  }
  static std::ptrdiff_t count_of(const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator());
  }
  // The version is in the footer.
  void write_texts(const std::string& svg) {
    static const std::regex element("<text[^>]*>(.*?)</text>");
    static const std::regex tag("<[^>]*>");
    static const std::regex version("attnscope [0-9.]+");
    std::vector<std::string> texts;
    for (std::sregex_iterator at(svg.begin(), svg.end(), element), end; at != end; ++at)
      texts.push_back(std::regex_replace(std::regex_replace((*at)[1].str(), tag, ""), version, "attnscope"));
    text_ += in_lines(texts);
  }
};

TEST_F(CommandTranscript, CodeOfHardDocuments) {
  write({"code", "--language", "pytorch", file("hard")});
  write({"code", "--language", "numpy", file("shared")});
  write({"code", "--language", "latex", file("short")});
  expect_transcript("command_code", text_);
}

TEST_F(CommandTranscript, FiguresOfEveryStage) {
  for (std::size_t index = 0; index < stage_count; ++index) {
    const auto stage = static_cast<Stage>(index);
    if (!has_stage(hard_document().config, stage)) continue;
    const std::string cell = is_parameter(info(stage).axes) ? "1,2" : "4,2";
    std::vector<std::string> options = {"--stage", std::string(info(stage).id)};
    if (is_per_batch(stage)) options.insert(options.end(), {"--batch", "2"});
    if (is_per_head(hard_document().config, stage)) options.insert(options.end(), {"--head", "3"});
    options.insert(options.end(), {"--cell", cell, "--arithmetic", "--decimals", "3"});
    write_figure("hard", options);
  }
  expect_transcript("command_figures", text_);
}

TEST_F(CommandTranscript, FiguresOfOtherKinds) {
  write_figure("hard", {"--stage", "weights", "--batch", "2", "--head", "all", "--row-sums"});
  write_figure("hard", {"--stage", "inputs", "--cell", "weights[1,2,4,3]"});
  write_figure("given", {"--stage", "pipeline", "--batch", "2", "--head", "2"});
  for (const char* const stage : {"rotated_keys", "normalized_queries", "capped_scores", "values"})
    write_figure("shared", {"--stage", stage, "--batch", "2", "--head", "4"});
  write_figure("shared", {"--stage", "k_norm"});
  write_figure("shared", {"--study", "dropout", "--batch", "2", "--head", "3"});
  write_figure("stories", {"--head", "3", "--cell", "5,2", "--arithmetic"});
  write_figure("cross", {"--cell", "2,4", "--row-sums", "--decimals", "3"});
  write_figure("cross", {"--study", "sharpness"});
  write({"eval", file("cross")});
  write({"view", file("cross"), "--query-tokens", file("cross")});
  write_figure("stories", {"--layer", "all", "--decimals", "none"});
  expect_transcript("command_other_figures", text_);
}

TEST_F(CommandTranscript, Refusals) {
  const std::string out = (folder_ / "a.svg").string();
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--head", "4"},
                                             {"--batch", "3"},
                                             {"--stage", "rotated_keys"},
                                             {"--stage", "weight"},
                                             {"--cell", "7,1"},
                                             {"--cell", "1"},
                                             {"--decimals", "9"},
                                             {"--width", "5mm"},
                                             {"--sweep", "seed=3..1"},
                                             {"--layer", "2"},
                                             {"--study", "linear", "--set", "masks=2"},
                                             {"--study", "dropout", "--set", "masks=0"},
                                             {"--study", "mix", "--decimals", "3"},
                                             {"--side", "A"},
                                             {"--range", "1..0"},
                                             {"--scale", "9"}}) {
    std::vector<std::string> arguments = {"figure", file("hard"), "-o", out};
    arguments.insert(arguments.end(), options.begin(), options.end());
    write(arguments);
  }
  write({"figure", file("stories"), "-o", out, "--layer", "9"});
  for (const char* const width : {"29mm", "1001mm", "119px", "8001px"})
    write({"figure", file("hard"), "-o", out, "--width", width});
  const std::string made = file("made");
  const std::string embeddings = (folder_ / "embeddings.csv").string();
  put_text(embeddings, "1,2\n3,4\n");
  write({"import", embeddings, "--mechanism", "causal_attention", "-o", made});
  write({"import", embeddings, "--num-heads", "2", "-o", made});
  write({"import", embeddings, "--rows", "2..3", "-o", made});
  write({"import", embeddings, "--rows", "2..2"});
  write({"eval", file("hard"), "--stages", "weights,nothing"});
  write({"eval", file("hard"), "--head", "0"});
  write({"eval", file("hard"), "--batch", "two"});
  write({"eval", file("missing")});
  write({"code", file("hard"), "--language", "rust"});
  write({"lesson", "handout", "nothing", "-o", out});
  write({"weights", file("given"), "-o", out});
  write({"view", file("hard")});
  write({"nothing"});
  expect_transcript("command_refusals", text_);
}

}  // namespace
}  // namespace attnscope::test
