// What is covered is not in what scripts read either.

#include "core/source.h"
#include "document/builtin.h"
#include "document/json.h"
#include "document/spelling.h"
#include "drive_support.h"

namespace attnscope::test {
namespace {

using DrivePredict = DriveCommand;

TEST_F(DrivePredict, ReadingsDoNotSayWhatIsCovered) {
  const ProgramRun run = drive_steps(R"({"click": {"stage": "weights", "row": 3, "col": 1}},
      {"click": "menu/learn"}, {"hover": "menu/learn/predict"}, {"click": "menu/predict/row"},
      {"hover": {"stage": "weights", "row": 3, "col": 0}}, {"read": "a.json"},
      {"click": "predict/reveal"}, {"hover": "nothing"}, {"read": "b.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  const Document document =
      parse_document(std::ranges::find(builtin_documents(), "multi_head_attention", &BuiltinDocument::id)->json);
  const Result result = evaluate(document.config);
  std::string number;
  append_float(number, value_at(result, {.stage = Stage::weights, .row = 3, .col = 1}));
  EXPECT_EQ(text_of(folder_ / "out/a.json").find(number), std::string::npos);
  const Json covered = matrix(reading(), "weights");
  for (const Json& value : covered.at("values").at(3)) EXPECT_TRUE(value.is_null());
  for (const Json& text : covered.at("shown").at(3)) EXPECT_TRUE(text.is_null());
  EXPECT_FALSE(covered.at("values").at(2).at(1).is_null());
  EXPECT_EQ(covered.at("marks").at("covered").size(), 6U);
  EXPECT_EQ(covered.at("marks").at("covered").at(0), Json::array({3, 0}));
  const Json revealed = reading("out/b.json");
  EXPECT_FALSE(matrix(revealed, "weights").at("values").at(3).at(1).is_null());
  EXPECT_EQ(widget(revealed, "predict/score").at("text"), "0 of 1 right, 1 shown so far");
}

}  // namespace
}  // namespace attnscope::test
