// The lessons in a window of 1280 × 720 and a larger one: what a step is about is there, whole and with its numbers,
// and a task stays on the screen beside the controls that it asks for.

#include "drive_support.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

class DriveLessons : public DriveCommand {
protected:
  static std::string opening(const std::string& lesson) {
    return R"({"click": "menu/learn"}, {"click": "menu/learn/lessons"}, {"click": "menu/learn/lessons/)" + lesson +
           R"("}, )";
  }
  static std::string going_to(std::size_t step) {
    return R"({"click": "lesson/step/)" + std::to_string(step) + R"("}, {"hover": "lesson/title"}, )";
  }
  static std::string reading_as(const std::string& name) { return R"({"read": ")" + name + R"(.json"}, )"; }
  ProgramRun run(const std::string& steps, const std::string& size = "1280, 720") const {
    return drive(R"({"size": [)" + size + R"(], "steps": [)" + steps + R"({"wait": 0}]})");
  }
  static bool shows(const Json& read, const std::string& name) {
    return std::ranges::any_of(read.at("widgets"),
                               [&](const Json& widget) { return widget.at("name").get<std::string>() == name; });
  }
  static float bottom_of(const Json& widget) { return widget.at("rect").at(3); }

  // Small matrices have numbers, except in the diagram, which gives them up in the order of their importance.
  static void expect_numbers(const Json& read) {
    constexpr int most_cells = 40;
    constexpr double least_cell = 44;  // a number of four decimals fits in the letters of every system
    for (const Json& matrix : read.at("matrices")) {
      const std::string name = matrix.at("name");
      const bool is_large = name.starts_with("focus/") || name.starts_with("heads/");
      if (!is_large || matrix.at("rows").get<int>() * matrix.at("columns").get<int>() > most_cells) continue;
      if (matrix.at("cell").at(0).get<double>() < least_cell) continue;
      EXPECT_NE(matrix.at("shown").dump().find_first_of("0123456789"), std::string::npos) << name;
    }
  }
  // What is said is in sight up to its end; a number at its end is not looked for.
  static void expect_last_word(const Json& read, const std::string& said) {
    std::string text;
    for (const Json& widget : read.at("widgets")) {
      if (widget.at("name").get<std::string>().starts_with("lesson/because/")) text = widget.at("text");
    }
    const std::string last = said.substr(said.rfind(' ') + 1);
    EXPECT_FALSE(text.empty());
    const bool is_word = last.find_first_of("{}`*\n") == std::string::npos;
    EXPECT_TRUE(!is_word || text.find(last) != std::string::npos) << text;
  }
  // A board that ends above the lower edge needs no scrolling.
  static void expect_whole_board(const Json& read) {
    if (!shows(read, "study/board")) return;
    EXPECT_LT(bottom_of(widget(read, "study/board")), bottom_of(widget(read, "workspace")) - 8);
  }
};

constexpr std::size_t lesson_count = 7;

class DriveLessonsAt : public DriveLessons, public testing::WithParamInterface<std::tuple<std::string, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, DriveLessonsAt,
                         testing::Combine(testing::Values("1280, 720", "1920, 1080"),
                                          testing::Range<std::size_t>(0, lesson_count)));

TEST_P(DriveLessonsAt, ShowWhatTheyAreAboutWholeAndWithItsNumbers) {
  ASSERT_EQ(shipped_lessons().size(), lesson_count);
  const auto& [size, number] = GetParam();
  const std::shared_ptr<const Lesson>& lesson = shipped_lessons()[number];
  std::string steps = opening(lesson->id);
  for (std::size_t step = 0; step < lesson->steps.size(); ++step) {
    steps += going_to(step) + reading_as("asked" + std::to_string(step));
    if (lesson->steps[step].question)
      steps += R"({"click": "lesson/reveal"}, {"hover": "lesson/title"}, )" + reading_as("said" + std::to_string(step));
  }
  const ProgramRun done = run(steps, size);
  ASSERT_EQ(done.status, 0) << done.err;
  for (std::size_t step = 0; step < lesson->steps.size(); ++step) {
    for (const char* const moment : {"asked", "said"}) {
      if (*moment == 's' && !lesson->steps[step].question) continue;
      SCOPED_TRACE(lesson->id + ", " + lesson->steps[step].id + ", " + moment);
      const Json read = reading("out/" + std::string(moment) + std::to_string(step) + ".json");
      expect_numbers(read);
      expect_whole_board(read);
      if (*moment == 's') expect_last_word(read, lesson->steps[step].question->because.markdown);
      const bool says_dropout = read.at("texts").dump().find("dropout") != std::string::npos;
      EXPECT_FALSE(says_dropout && lesson->id == "mask");
    }
  }
}

TEST_F(DriveLessons, KeepTheirTaskBesideTheControlsItAsksFor) {
  for (const std::string id : {"dropout", "heads", "gpt2"}) {
    SCOPED_TRACE(id);
    const ProgramRun done = run(opening(id) + going_to(shipped_lesson(id)->steps.size() - 1) +
                                R"({"click": "lesson/tab/setup"}, {"click": "lesson/answer"}, {"read": "a.json"}, )");
    ASSERT_EQ(done.status, 0) << done.err;
    const Json read = reading();
    for (const std::string name : {"lesson/ask/0", "lesson/answer", "lesson/why", "setup/dropout", "setup/num_heads"})
      EXPECT_TRUE(shows(read, name)) << name;
    EXPECT_NE(read.at("texts").dump().find("Goal: "), std::string::npos);
  }
}

TEST_F(DriveLessons, BeginWithALineThatOneClickSendsAway) {
  for (const std::string way : {"start/close", "start/lesson", "start/sentence"}) {
    SCOPED_TRACE(way);
    const ProgramRun done = run(R"({"keys": "Ctrl+,"}, {"click": "settings/learn/start"}, {"keys": "Escape"},
                                   {"read": "a.json"}, {"click": ")" +
                                way + R"("}, {"read": "b.json"}, )");
    ASSERT_EQ(done.status, 0) << done.err;
    for (const std::string name : {"start/lesson", "start/sentence", "start/examples"}) {
      EXPECT_TRUE(shows(reading(), name));
      EXPECT_FALSE(shows(reading("out/b.json"), name));
    }
    EXPECT_EQ(shows(reading("out/b.json"), "lesson/next"), way == "start/lesson");
    EXPECT_EQ(shows(reading("out/b.json"), "tokens/sentence"), way == "start/sentence");
  }
  const ProgramRun done = run(R"({"keys": "Ctrl+,"}, {"click": "settings/learn/start"}, {"keys": "Escape"},
      {"click": "start/examples"}, {"click": "gallery/examples/causal_dropout"}, {"read": "a.json"}, )");
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_FALSE(shows(reading(), "start/lesson"));
  EXPECT_NO_THROW(matrix(reading(), "dropped_weights"));
}

}  // namespace
}  // namespace attnscope::test
