// The document that the window opens with, as a newcomer uses it.

#include <fmt/format.h>

#include "document/builtin.h"
#include "drive_support.h"
#include "files/document_file.h"

namespace attnscope::test {
namespace {

class DriveOpening : public DriveCommand {
protected:
  static float share(const Json& read, std::size_t row, std::size_t col) {
    return matrix(read, "weights").at("values").at(row).at(col).get<float>();
  }
};

TEST_F(DriveOpening, ItLetsGoOfCatWhenItIsNoThing) {
  const ProgramRun run = drive(R"({"document": "example:who_is_it", "size": [1280, 720], "steps": [
      {"hover": "nothing"}, {"read": "a.json"}, {"drag": "inputs[0,1,0]", "by": [-90, 0]}, {"hover": "nothing"},
      {"read": "b.json"}, {"document": "now.json"}, {"keys": "Ctrl+Z"}, {"hover": "nothing"}, {"read": "c.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json before = reading("out/a.json");
  EXPECT_NEAR(share(before, 4, 1), 0.97, 0.01);
  EXPECT_NEAR(share(before, 2, 0), share(before, 2, 1), 1e-6) << "who looks for nothing shares evenly";
  const Json after = reading("out/b.json");
  EXPECT_LT(share(after, 4, 1), 0.3) << "no more than the others get";
  EXPECT_NEAR(share(after, 4, 1), share(after, 4, 0), 1e-6);
  EXPECT_EQ(share(reading("out/c.json"), 4, 1), share(before, 4, 1));
}

TEST_F(DriveOpening, ExplainsItAndNamesItsDimensions) {
  const ProgramRun run = drive(R"({"document": "example:who_is_it", "size": [1440, 900], "steps": [
      {"hover": "nothing"}, {"read": "a.json"}, {"enter": "tokens/dimensions/0", "text": "being"},
      {"hover": "nothing"}, {"read": "b.json"}, {"document": "now.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json read = reading("out/a.json");
  EXPECT_NE(read.at("inspector").dump().find("gets 97."), std::string::npos) << read.at("inspector").dump();
  const Json columns = matrix(read, "inputs").at("column_labels");
  EXPECT_EQ(columns, (Json{"thing", "action", "pronoun", "glue"}));
  const auto count = [](const Json& of, const std::string& text) {
    return std::ranges::count_if(of.at("texts"), [&](const Json& each) { return each.at("text") == text; });
  };
  EXPECT_GE(count(read, "pronoun"), 1) << "above the column of the inputs";
  EXPECT_GE(count(reading("out/b.json"), "being"), 1);
  EXPECT_EQ(load_document((folder_ / "out/now.json").string()).config.dimensions[0], "being");
}

TEST_F(DriveOpening, NearlyEqualSharesAreNamedExplainedAndUndone) {
  const ProgramRun run = drive(R"({"document": {}, "size": [1280, 720], "steps": [
      {"click": "stages/weights/equal_shares"}, {"hover": "nothing"}, {"read": "a.json"},
      {"click": "questions/remedy"}, {"hover": "nothing"}, {"document": "now.json"}, {"read": "b.json"},
      {"keys": "Ctrl+Z"}, {"document": "undone.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(reading("out/a.json").dump().find("small numbers in give small scores"), std::string::npos);
  EXPECT_GT(load_document((folder_ / "out/now.json").string()).config.scale_factor.value_or(0), 1);
  EXPECT_EQ(load_document((folder_ / "out/undone.json").string()), parse_document("{}"));
}

TEST_F(DriveOpening, TheFilmsButtonHasItsWordInEveryWindow) {
  for (const char* const size : {"[1024, 700]", "[1280, 720]", "[1440, 900]", "[1920, 1080]"}) {
    const ProgramRun run = drive(fmt::format(R"({{"document": "example:who_is_it", "size": {}, "steps": [
        {{"hover": "nothing"}}, {{"read": "a.json"}}]}})",
                                             size));
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string text = widget(reading(), "inspector/watch").at("text");
    EXPECT_NE(text.find("Watch"), std::string::npos) << size << ": " << text;
  }
}

TEST_F(DriveOpening, TheRailHasTheWholeNameOfEveryMechanism) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    if (mechanism.mechanism == Mechanism::scaled_dot_product_attention) continue;  // needs numbers from elsewhere
    const ProgramRun run = drive(fmt::format(R"({{"document": {{"mechanism": "{}"}}, "size": [1280, 720], "steps": [
        {{"hover": "nothing"}}, {{"read": "a.json"}}]}})",
                                             mechanism.id));
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string text = widget(reading(), "rail/mechanism").at("text");
    EXPECT_FALSE(text.empty()) << mechanism.id;
    EXPECT_EQ(text.find("…"), std::string::npos) << mechanism.id << ": " << text;
  }
}

TEST_F(DriveOpening, TheDiagramOfAFileHasRoomForTheCard) {
  const char* const wide = "0.4,0.1,0.1,0.1,0.1,0.1,0.1\n";
  const char* const high = "0.4,0.2,0.2,0.2\n";
  for (const auto& [rows, row] : {std::pair{4, wide}, std::pair{7, high}}) {
    std::string numbers;
    for (int i = 0; i < rows; ++i) numbers += row;
    put_text(folder_ / "attention.csv", numbers);
    const ProgramRun run = drive(fmt::format(R"({{"size": [1280, 720], "steps": [{{"open": "{}"}}, {{"keys": "Ctrl+1"}},
        {{"hover": "nothing"}}, {{"read": "a.json"}}]}})",
                                             (folder_ / "attention.csv").string()));
    ASSERT_EQ(run.status, 0) << run.err;
    const Json card = widget(reading(), "inspector").at("rect");
    const Json page = widget(reading(), "workspace").at("rect");
    const Json weights = matrix(reading(), "weights").at("rect");
    EXPECT_LT(card.at(3).get<double>(), page.at(3).get<double>()) << rows;
    EXPECT_GT(card.at(3).get<double>() - card.at(1).get<double>(), 150) << rows;
    EXPECT_TRUE(card.at(0) > weights.at(2) || card.at(1) > weights.at(3)) << rows;
  }
}

TEST_F(DriveOpening, AllExamplesAreInSightInASmallWindow) {
  const ProgramRun run = drive(R"({"document": "example:who_is_it", "size": [1280, 720], "steps": [
      {"click": "menu/file"}, {"click": "menu/file/examples"}, {"hover": "nothing"}, {"read": "a.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const double end = widget(reading(), "dialog/close").at("rect").at(1);
  for (const BuiltinDocument& example : example_documents()) {
    const Json rect = widget(reading(), "gallery/examples/" + std::string(example.id)).at("rect");
    EXPECT_LE(rect.at(3).get<double>(), end) << example.id;
    EXPECT_GT(rect.at(3).get<double>() - rect.at(1).get<double>(), 80) << example.id << " is cut";
  }
}

TEST_F(DriveOpening, ASentenceOfOnesOwnSaysThatItsNumbersAreInvented) {
  const ProgramRun run = drive(R"({"document": {}, "size": [1280, 800], "steps": [
      {"enter": "tokens/sentence", "text": "the cat zzz"}, {"hover": "nothing"}, {"read": "a.json"},
      {"enter": "tokens/sentence", "text": "Mia puts the ball in the box"}, {"hover": "nothing"}, {"read": "b.json"},
      {"click": "tokens/read_by_model"}, {"hover": "nothing"}, {"document": "now.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json unknown = reading("out/a.json");
  EXPECT_EQ(widget(unknown, "tokens/read_by_model").at("enabled"), false);
  EXPECT_NE(widget(unknown, "tokens/read_by_model").dump().find("does not know “zzz”"), std::string::npos)
      << widget(unknown, "tokens/read_by_model").dump();
  EXPECT_EQ(widget(reading("out/b.json"), "tokens/read_by_model").at("enabled"), true);
  EXPECT_EQ(load_document((folder_ / "out/now.json").string()).text, "Mia puts the ball in the box");
}

// The weights themselves say it, where the column is a rail and where the shares look like a finding.
TEST_F(DriveOpening, WeightsOfInventedNumbersSaySoAndOfferTheModel) {
  const ProgramRun run = drive(R"({"document": "example:who_is_it", "size": [1280, 720], "steps": [
      {"hover": "nothing"}, {"read": "before.json"},
      {"enter": "tokens/sentence", "text": "the dog zzz"}, {"keys": "Escape"},
      {"click": "stages/weights/invented"}, {"hover": "nothing"}, {"read": "unknown.json"}, {"keys": "Escape"},
      {"enter": "tokens/sentence", "text": "the dog sat"}, {"keys": "Escape"},
      {"click": "stages/weights/invented"}, {"click": "stages/weights/invented/read_by_model"},
      {"hover": "nothing"}, {"document": "now.json"}]})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(reading("out/before.json").dump().find("stages/weights/invented"), std::string::npos);
  const Json unknown = reading("out/unknown.json");
  EXPECT_NE(widget(unknown, "stages/weights/invented/read_by_model").dump().find("does not know “zzz”"),
            std::string::npos);
  EXPECT_EQ(load_document((folder_ / "out/now.json").string()).text, "the dog sat");
}

}  // namespace
}  // namespace attnscope::test
