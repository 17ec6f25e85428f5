// Sweeps as they are typed, and the documents of their frames.

#include "document/sweep.h"
#include "core/tensor.h"

#include <algorithm>

#include "document/edit.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Values = std::vector<std::string>;

Document four_heads() { return parse_document(R"({"d_out": 4, "num_heads": 2, "dropout": 0.5})"); }

Values values_of(const std::string& sweep) { return parse_sweep(sweep, four_heads()).values; }

TEST(ParseSweep, GoesThroughRangesAndLists) {
  EXPECT_EQ(values_of("seed=1..4"), (Values{"1", "2", "3", "4"}));
  EXPECT_EQ(values_of("seed=1..20").size(), 20U);
  EXPECT_EQ(values_of("seed=0..10:4"), (Values{"0", "4", "8"}));
  EXPECT_EQ(values_of("seed=7"), Values{"7"});
  EXPECT_EQ(values_of("seed=5,1,3..4"), (Values{"5", "1", "3", "4"}));
  EXPECT_EQ(values_of("seed=18446744073709551614..18446744073709551615"),
            (Values{"18446744073709551614", "18446744073709551615"}));
  EXPECT_EQ(values_of("dropout=0..0.9:0.3"), (Values{"0.0", "0.3", "0.6", "0.9"}));
  EXPECT_EQ(values_of("dropout=0,0.25,1"), (Values{"0", "0.25", "1"}));
  EXPECT_EQ(values_of("dropout=0..0.3:0.1"), (Values{"0.0", "0.1", "0.2", "0.3"})) << "0.3 / 0.1 is less than 3";
  for (int last = 1; last <= 9; ++last)
    EXPECT_EQ(std::ssize(values_of("dropout=0..0." + std::to_string(last) + ":0.1")), last + 1) << last;
  EXPECT_EQ(values_of("embedding[2,1]=-0.2..0.2:0.1"), (Values{"-0.2", "-0.1", "0.0", "0.1", "0.2"}));
  EXPECT_EQ(values_of("tokens=1..6"), (Values{"1", "2", "3", "4", "5", "6"}));
}

TEST(ParseSweep, HasStepsOfItsOwnThatMeetTheEnd) {
  const Values dropout = values_of("dropout=0..0.9");
  EXPECT_EQ(dropout.size(), 19U);
  EXPECT_EQ(dropout[1], "0.05");
  EXPECT_EQ(dropout.back(), "0.90");
  const Values cell = values_of("embedding[1,3]=-1..1");
  EXPECT_EQ(cell.size(), 21U);
  EXPECT_EQ(cell[1], "-0.9");
  EXPECT_EQ(cell.back(), "1.0");
  EXPECT_EQ(values_of("dropout=0.5..0.5"), Values{"0.5"});
  EXPECT_EQ(values_of("embedding[1,1]=0..1000")[1], "50");
}

TEST(ParseSweep, CountsTheCellFromOne) {
  const Sweep sweep = parse_sweep("embedding[2,3]=0..1", four_heads());
  EXPECT_EQ(sweep.token, 1);
  EXPECT_EQ(sweep.feature, 2);
}

TEST(ParseSweep, GoesToTheNumbersOfHeadsThatDivide) {
  EXPECT_EQ(values_of("num_heads=1..4"), (Values{"1", "2", "4"}));
  EXPECT_EQ(values_of("num_heads=4,2,1"), (Values{"4", "2", "1"}));
  const Document wrapper = parse_document(R"({"mechanism": "multi_head_attention_wrapper"})");
  EXPECT_EQ(parse_sweep("num_heads=1..4", wrapper).values, (Values{"1", "2", "3", "4"}));
}

TEST(ParseSweep, GoesThroughEveryFieldOfTheConfiguration) {
  EXPECT_EQ(values_of("mask=none,causal"), (Values{"none", "causal"}));
  EXPECT_EQ(values_of("qkv_bias=false,true"), (Values{"false", "true"}));
  EXPECT_EQ(values_of("softcap=5..20:5"), (Values{"5", "10", "15", "20"}));
  EXPECT_EQ(values_of("d_out=2,4"), (Values{"2", "4"}));
  EXPECT_EQ(values_of("skip_draws=0..2"), (Values{"0", "1", "2"}));
  for (const SweptParameter& parameter : swept_parameters()) EXPECT_FALSE(parameter.label.empty()) << parameter.name;
  visit_fields([](const auto& field) { EXPECT_NE(swept_parameter(field.key), nullptr) << field.key; });
}

TEST(ParseSweep, GoesThroughTheStagesThatTheDiagramHas) {
  EXPECT_EQ(parse_sweep("stages", parse_document(R"({"d_out": 4, "scale": false})")).values,
            (Values{"inputs", "queries", "keys", "values", "scores", "masked_scores", "weights", "head_context",
                    "context", "output"}));
  const Values dropped = values_of("stages");  // the mask and the factors come with what they are applied to
  EXPECT_EQ(std::ranges::count(dropped, "dropped_weights"), 1);
  EXPECT_EQ(std::ranges::count(dropped, "dropout_factors"), 0);
  EXPECT_EQ(std::ranges::count(dropped, "scaled_scores"), 1);
  const Document simple = parse_document(R"({"mechanism": "simple_self_attention"})");
  EXPECT_EQ(parse_sweep("stages", simple).values, (Values{"inputs", "scores", "weights", "context"}));
}

TEST(ParseSweep, SaysWhatIsWrong) {
  struct Case {
    std::string sweep;
    Values fragments;
  };
  for (const Case& wrong : std::vector<Case>{{"", {"\"\"", "seed=1..20"}},
                                             {"seed", {"\"seed\"", "seed=1..20"}},
                                             {"sead=1..20", {"sead=1..20", "did you mean \"seed\"?"}},
                                             {"zzzzzz=1..20", {"zzzzzz=1..20", "dropout=0..0.9", "embedding[2,1]"}},
                                             {"seed[1]=1..2", {"seed[1]=1..2"}},
                                             {"embedding=0..1", {"embedding=0..1", "counted from 1"}},
                                             {"embedding[2]=0..1", {"embedding[2]"}},
                                             {"embedding[a,1]=0..1", {"embedding[a,1]"}},
                                             {"embedding[0,1]=0..1", {"no token 0", "has 6"}},
                                             {"embedding[7,1]=0..1", {"no token 7", "has 6"}},
                                             {"embedding[1,4]=0..1", {"no dimension 4", "has 3"}},
                                             {"embedding[9223372036854775807,1]=0..1", {"no token", "has 6"}},
                                             {"stages=1..4", {"stages=1..4", "tokens=1..6 and stages"}},
                                             {"seed=", {"whole numbers", "1..20"}},
                                             {"seed=1..", {"whole numbers"}},
                                             {"seed=1,,2", {"whole numbers"}},
                                             {"seed=-1..2", {"whole numbers"}},
                                             {"seed=9..1", {"goes up"}},
                                             {"seed=1..9:0", {"step"}},
                                             {"seed=1.5", {"whole numbers"}},
                                             {"seed=1..18446744073709551616", {"whole numbers"}},
                                             {"seed=0..18446744073709551615", {"at most 1000 frames"}},
                                             {"seed=1..1001", {"1001 values", "at most 1000"}},
                                             {"dropout=a..b", {"numbers with up to 9 decimals", "0..0.9:0.1"}},
                                             {"dropout=0..inf", {"numbers"}},
                                             {"dropout=nan", {"numbers"}},
                                             {"dropout=0..1e300", {"numbers"}},
                                             {"dropout=0.00000000001", {"9 decimals"}},
                                             {"dropout=0..1:-0.1", {"step"}},
                                             {"dropout=0..1:0.0001", {"10001 values", "at most 1000"}},
                                             {"num_heads=3..3", {"3..3", "divides d_out, which is 4"}},
                                             {"mask=none,hidden", {"none, causal, causal_after_softmax", "commas"}},
                                             {"training=yes", {"false, true"}},
                                             {std::string("seed=\xFF\n", 7), {"whole numbers"}}}) {
    const Error error = error_of([&] { parse_sweep(wrong.sweep, four_heads()); });
    EXPECT_TRUE(says(error.what(), wrong.fragments)) << wrong.sweep;
  }
}

TEST(ParseSweep, RefusesWhatChangesNothing) {
  const auto refused = [](const std::string& json, const std::string& sweep, const Values& fragments) {
    const Error error = error_of([&] { parse_sweep(sweep, parse_document(json)); });
    EXPECT_TRUE(says(error.what(), fragments)) << sweep;
  };
  refused(R"({"mechanism": "self_attention_v2"})", "dropout=0..0.9", {"dropout", "self_attention_v2"});
  refused(R"({"training": false})", "dropout=0..0.9", {"dropout", "evaluation", "training"});
  refused(R"({"mechanism": "causal_attention"})", "normalization=sum", {"normalization", "simple self-attention"});
  refused(R"({"mechanism": "causal_attention"})", "num_heads=1..2", {"num_heads", "more than one head"});
  refused(R"({"mechanism": "simple_self_attention"})", "seed=1..2", {"seed", "draws nothing"});
  const Document drawn = parse_document(R"({"mechanism": "simple_self_attention", "inputs": {"randn": [2, 2]}})");
  EXPECT_EQ(parse_sweep("seed=1..2", drawn).values.size(), 2U);
}

Document frame(const Document& document, const std::string& sweep, std::size_t number) {
  return frame_document(document, parse_sweep(sweep, document), number);
}

TEST(FrameDocument, DiffersInTheSweptValueOnly) {
  Document expected = four_heads();
  expected.config.dropout = 0.3;
  EXPECT_EQ(frame(four_heads(), "dropout=0..0.9:0.1", 3), expected);
  expected = four_heads();
  expected.config.seed = 18446744073709551615U;
  EXPECT_EQ(frame(four_heads(), "seed=18446744073709551615", 0), expected);
  expected = four_heads();
  expected.config.num_heads = 4;
  EXPECT_EQ(frame(four_heads(), "num_heads=1..4", 2), expected);
  expected = four_heads();
  expected.config.qkv_bias = true;
  EXPECT_EQ(frame(four_heads(), "qkv_bias=false,true", 1), expected);
  expected = four_heads();
  expected.config.softcap = 10;
  EXPECT_EQ(frame(four_heads(), "softcap=5..20:5", 1), expected);
  expected = four_heads();
  set_mask(expected, MaskRoute::causal_after_softmax);
  EXPECT_EQ(frame(four_heads(), "mask=causal,causal_after_softmax", 1), expected);
  expected = four_heads();
  set_mechanism(expected, Mechanism::self_attention_v2);
  EXPECT_EQ(frame(four_heads(), "mechanism=self_attention_v2", 0), expected);
  expected = four_heads();
  set_d_out(expected, 3);
  EXPECT_EQ(frame(four_heads(), "d_out=2..3", 1), expected);
  expected = four_heads();
  std::get<SharedTensor>(expected.config.inputs).set(1, 2, -0.7F);
  EXPECT_EQ(frame(four_heads(), "embedding[2,3]=-1..1", 3), expected);
  EXPECT_EQ(frame(four_heads(), "tokens=6", 0), four_heads());
  EXPECT_EQ(frame(four_heads(), "stages", 2), four_heads());
}

TEST(FrameDocument, RevealsTokensOneByOne) {
  Document expected = four_heads();
  for (Index count = 6; count >= 1; --count) {
    EXPECT_EQ(frame(four_heads(), "tokens=1..6", static_cast<std::size_t>(count - 1)), expected);
    if (count > 1) delete_token(expected, count - 1);
  }
}

TEST(FrameDocument, KeepsTheNumbersThatWereDrawn) {
  const Document drawn = parse_document(R"({"inputs": {"randn": [5, 3]}})");
  Document all = drawn;
  make_inputs_explicit(all);
  const Document two = frame(drawn, "tokens=1..5", 1);
  EXPECT_EQ(eigen(inputs_of(two)), eigen(inputs_of(all)).topRows(2));
  EXPECT_EQ(two.config.skip_draws, all.config.skip_draws);
  EXPECT_EQ(two.tokens.size(), 2U);
}

TEST(FrameDocument, RefusesBadValuesAsTheDocumentDoes) {
  const auto refused = [](const std::string& sweep, const Values& fragments) {
    const Error error = error_of([&] { frame(four_heads(), sweep, 0); });
    EXPECT_TRUE(says(error.what(), fragments)) << sweep;
  };
  refused("dropout=1.5", {"dropout is 1.5", "from 0 to 1"});
  refused("dropout=-0.5", {"dropout is -0.5"});
  refused("num_heads=3", {"num_heads is 3", "divide d_out", "1, 2 or 4"});
  refused("num_heads=0", {"num_heads is 0"});
  refused("num_heads=18446744073709551615", {"num_heads is"});
  refused("batch_size=65", {"batch_size is 65"});
  refused("softcap=0", {"softcap is 0"});
  refused("tokens=0", {"0 tokens", "1 to 6"});
  refused("tokens=7", {"7 tokens", "has 6"});
}

TEST(FrameDocument, LosesWeightsThatNoLongerFitAndNoOthers) {
  const Document wrapper = parse_document(
      R"({"mechanism": "multi_head_attention_wrapper", "num_heads": 2, "weights": {
        "heads.0.W_key.weight": [[1, 2, 3], [4, 5, 6]], "heads.1.W_key.weight": [[1, 2, 3], [4, 5, 6]]}})");
  const Document one = frame(wrapper, "num_heads=1..3", 0);
  EXPECT_EQ(one.config.num_heads, 1);
  EXPECT_EQ(one.config.weight_overrides.size(), 1U);
  EXPECT_TRUE(one.config.weight_overrides.contains("heads.0.W_key.weight"));
}

TEST(LastStage, IsThatOfTheFrameAndNoneWhereAllAreThere) {
  const Sweep sweep = parse_sweep("stages", four_heads());
  EXPECT_EQ(last_stage(sweep, 0), Stage::inputs);
  EXPECT_EQ(last_stage(sweep, 4), Stage::scores);
  EXPECT_EQ(last_stage(sweep, sweep.values.size() - 1), std::nullopt);
  EXPECT_EQ(last_stage(parse_sweep("seed=1..3", four_heads()), 0), std::nullopt);
}

TEST(WithoutStages, HasNoFramesOfThem) {
  const Sweep stages = parse_sweep("stages", four_heads());
  const Sweep fewer = without_stages(stages, {Stage::inputs, Stage::output, Stage::capped_scores});
  EXPECT_EQ(fewer.values.size(), stages.values.size() - 2);
  EXPECT_EQ(fewer.values.front(), "queries");
  EXPECT_EQ(without_stages(parse_sweep("seed=1..3", four_heads()), {Stage::inputs}).values.size(), 3U);
}

TEST(FrameName, SaysParameterAndValue) {
  const auto name = [](const std::string& sweep, std::size_t number) {
    return frame_name(four_heads(), parse_sweep(sweep, four_heads()), number);
  };
  EXPECT_EQ(name("dropout=0..0.9", 2), "dropout 0.10");
  EXPECT_EQ(name("seed=1..20", 6), "seed 7");
  EXPECT_EQ(name("num_heads=1..4", 0), "1 head");
  EXPECT_EQ(name("num_heads=1..4", 2), "4 heads");
  EXPECT_EQ(name("mask=none,causal", 1), "mask causal");
  EXPECT_EQ(name("tokens=1..6", 2), "3 tokens");
  EXPECT_EQ(name("stages", 5), "masked scores");
  EXPECT_EQ(name("embedding[2,1]=-1..1", 7), "journey, dimension 1: \u22120.3");
}

}  // namespace
}  // namespace attnscope::test
