// Numbers are followed down to what was typed or to the generator's word, as a script sees it.

#include <fmt/format.h>

#include "drive_support.h"

namespace attnscope::test {
namespace {

using DriveDerivation = DriveCommand;

TEST_F(DriveDerivation, ANumberIsFollowedDownToTheGeneratorAndBack) {
  const ProgramRun run = drive_steps(R"(
      {"click": {"stage": "scores", "row": 3, "col": 1}}, {"click": "inspector/line/3/open"},
      {"click": "inspector/line/3/0/3/open"}, {"click": "inspector/line/3/0/4/open"},
      {"hover": "inspector/line/3/0/4/1"}, {"read": "a.json"},
      {"click": "inspector/line/3/0/4/1"}, {"keys": "Alt+Left"}, {"read": "b.json"})");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(reading().dump().find("0x"), std::string::npos) << "the word that became the weight";
  EXPECT_NE(reading("out/b.json").dump().find("How well the query of"), std::string::npos);
}

// The deepest arrow that is still closed.
std::string closed_arrow(const Json& read) {
  std::string name;
  for (const Json& widget : read.at("widgets")) {
    const std::string each = widget.at("name");
    const bool is_arrow = each.starts_with("inspector/line/") && each.ends_with("/open");
    if (is_arrow && widget.at("on") == false) name = each;
  }
  return name;
}

// One mechanism whose numbers end at what was typed and one whose numbers end at the generator; the tests of
// derivations walk down all of them.
TEST_F(DriveDerivation, LeadsFromTheOutputToTheBeginningAndBack) {
  for (const Mechanism each : {Mechanism::simple_self_attention, Mechanism::multi_head_attention}) {
    const MechanismInfo& mechanism = info(each);
    SCOPED_TRACE(mechanism.id);
    const std::string output = mechanism.has_output_projection ? "output" : "context";
    const std::string end = mechanism.weight_style == WeightStyle::none ? "Typed: " : "0x";
    const auto walk = [&](const std::string& steps) {
      const ProgramRun run = drive(fmt::format(
          R"({{"document": {{"mechanism": "{}"}}, "size": [1920, 3000], "steps": [
              {{"click": {{"stage": "{}", "row": 1, "col": 0}}}}{}, {{"hover": "nothing"}}, {{"read": "a.json"}}]}})",
          mechanism.id, output, steps));
      ASSERT_EQ(run.status, 0) << run.err;
    };
    std::string steps = R"(, {"click": "inspector/dock"})";  // a column has room for all of its lines
    walk(steps);
    const std::string start = reading().at("inspector").dump();
    const std::string first = closed_arrow(reading());
    for (int opened = 0; opened < 12 && reading().dump().find(end) == std::string::npos; ++opened) {
      const std::string arrow = closed_arrow(reading());
      ASSERT_NE(arrow, "");
      steps += R"(, {"click": ")" + arrow + R"("})";
      walk(steps);
    }
    EXPECT_NE(reading().dump().find(end), std::string::npos);
    const std::string operand = first.substr(0, first.rfind('/')) + "/0";
    walk(fmt::format(R"(, {{"click": "inspector/dock"}}, {{"click": "{}"}}, {{"click": "{}"}}, {{"keys": "Alt+Left"}})",
                     first, operand));
    EXPECT_EQ(reading().at("inspector").dump(), start);
  }
}

}  // namespace
}  // namespace attnscope::test
