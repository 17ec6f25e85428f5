// What an audience reads: every text of every step of a presentation is large enough, whatever is presented.

#include "document/builtin.h"
#include "drive_support.h"
#include "teach/teaching_view.h"

namespace attnscope::test {
namespace {

constexpr int height = 720;
constexpr double least = 20.0 / 1080 * height;  // 20 pixels of a screen of 1080
constexpr double rounding = 0.35;               // letters come in whole pixels

class PresentedPictures : public DriveCommand {
protected:
  // Presents a document and reads the screen after each of so many keys.
  std::vector<Json> present(const std::string& document, const std::string& before, const std::string& key,
                            std::size_t count) const {
    std::string steps = before + R"({"keys": "F11"}, {"read": "0.json"})";
    for (std::size_t step = 1; step <= count; ++step)
      steps += R"(, {"keys": ")" + key + R"("}, {"read": ")" + std::to_string(step) + R"(.json"})";
    const ProgramRun run = drive(R"({"document": ")" + document + R"(", "size": [1280, )" + std::to_string(height) +
                                 R"(], "steps": [)" + steps + "]}");
    EXPECT_EQ(run.status, 0) << run.err;
    std::vector<Json> screens;
    for (std::size_t step = 0; step <= count; ++step)
      screens.push_back(reading("out/" + std::to_string(step) + ".json"));
    return screens;
  }

  static std::size_t expect_large_texts(const Json& screen, const std::string& where) {
    for (const Json& text : screen.at("texts"))
      EXPECT_GE(text.at("size").get<double>(), least - rounding) << where << ": " << text.at("text");
    return screen.at("texts").size();
  }
  static std::string line(const Json& screen) { return widget(screen, "presenting/line").at("text"); }
};

class PresentedExample : public PresentedPictures, public testing::WithParamInterface<std::string> {};

TEST_P(PresentedExample, HasLargeTexts) {
  std::size_t texts = 0;
  int step = 0;
  std::string last;
  for (const Json& screen : present("example:" + GetParam(), R"({"keys": "Ctrl+1"}, )", "Right", 40)) {
    texts += expect_large_texts(screen, std::to_string(step++));
    last = line(screen);
  }
  EXPECT_GT(texts, 400U);
  EXPECT_NE(last.find("all stages"), std::string::npos) << last;
}

std::vector<std::string> presented_examples() {
  std::vector<std::string> ids;
  for (const BuiltinDocument& example : example_documents())
    if (std::string_view(example.id) != "gpt2_sized") ids.emplace_back(example.id);  // its texts are those of others
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Pictures, PresentedExample, testing::ValuesIn(presented_examples()),
                         [](const testing::TestParamInfo<std::string>& example) { return example.param; });

TEST_F(PresentedPictures, OfEveryTeachingViewHaveLargeTexts) {
  for (const std::string document : {"example:who_is_it", "example:multi_head_attention", "example:stories"}) {
    std::size_t texts = 0;
    for (const Json& screen : present(document, R"({"keys": "Ctrl+5"}, )", "Right", studies().size()))
      texts += expect_large_texts(screen, document);
    EXPECT_GT(texts, 300U);
  }
}

// Space switches the chosen head off, and the next words change before the audience's eyes.
TEST_F(PresentedPictures, OfATrainedModelGoFromHeadToHead) {
  const std::vector<Json> screens = present("example:stories", R"({"keys": "Ctrl+6"}, )", "Right", 8);
  for (const Json& screen : screens) expect_large_texts(screen, line(screen));
  EXPECT_NE(line(screens[0]), line(screens[1]));
  EXPECT_NE(line(screens[0]).find("layer 3, head 1 (what came next last time)"), std::string::npos)
      << "it begins with the most telling head: " << line(screens[0]);
  EXPECT_NE(line(screens[0]).find("Space switches"), std::string::npos) << line(screens[0]);
  const ProgramRun run = drive(R"({"document": "example:stories", "steps": [{"keys": "Ctrl+6"}, {"keys": "F11"},
      {"keys": "Home"}, {"read": "on.json"}, {"keys": "Space"}, {"read": "off.json"}, {"keys": "Page Down"},
      {"read": "next.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json on = reading("out/on.json");
  const Json off = reading("out/off.json");
  EXPECT_EQ(line(on).find("it is off"), std::string::npos) << line(on);
  EXPECT_NE(line(off).find("layer 3, head 1"), std::string::npos) << line(off);
  EXPECT_NE(line(off).find("Space switches"), std::string::npos) << "the hint stays: " << line(off);
  EXPECT_NE(line(off).find("it is off"), std::string::npos) << line(off);
  const std::string next = line(reading("out/next.json"));
  EXPECT_NE(next.find("layer 1, head 1 (previous word)"), std::string::npos) << "the next one with a name: " << next;
  EXPECT_NE(on.at("texts"), off.at("texts"));
}

}  // namespace
}  // namespace attnscope::test
