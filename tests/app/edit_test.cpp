// Edits of the mechanism and its sizes.

#include "document/edit.h"

#include <random>

#include "core/evaluate.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

TEST(SetMechanism, TakesTheDefaultsOfTheNewOne) {
  Document document = default_document();
  set_mechanism(document, Mechanism::simple_self_attention);
  EXPECT_EQ(document.config.mask, MaskRoute::none);
  EXPECT_FALSE(document.config.scale);
  set_mechanism(document, Mechanism::self_attention_v1);
  EXPECT_EQ(document.config.mask, MaskRoute::none);
  EXPECT_TRUE(document.config.scale);
  set_mechanism(document, Mechanism::causal_attention);
  EXPECT_EQ(document.config.mask, MaskRoute::causal);
}

TEST(SetMechanism, KeepsWhatTheUserChose) {
  Document document = default_document();
  document.config.mask = MaskRoute::causal_renormalized;
  document.config.scale = false;
  set_mechanism(document, Mechanism::self_attention_v2);
  EXPECT_EQ(document.config.mask, MaskRoute::causal_renormalized);
  EXPECT_FALSE(document.config.scale);
}

TEST(SetMechanism, SnapsHeadsToADivisor) {
  Document document = default_document();
  set_mechanism(document, Mechanism::multi_head_attention_wrapper);
  document.config.d_out = 6;
  document.config.num_heads = 5;
  set_mechanism(document, Mechanism::multi_head_attention);
  EXPECT_EQ(document.config.num_heads, 6);
}

TEST(SetMechanism, CarriesWeightsFromV1ToV2AndBackTransposed) {
  Document v1 = parse_document(R"({"mechanism": "self_attention_v1", "weights": {
    "W_query": [[1, 2], [3, 4], [5, 6]], "W_key": [[0, 1], [1, 0], [2, 2]], "W_value": [[1, 0], [0, 1], [1, 1]]}})");
  Document v2 = v1;
  set_mechanism(v2, Mechanism::self_attention_v2);
  EXPECT_EQ(v2.config.weight_overrides.at("W_query.weight"), Tensor({2, 3}, {1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(v2.config.weight_overrides.size(), 3U);
  const Tensor* left = evaluate(v1.config).find(Stage::context);
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(*evaluate(v1.config).share(Stage::context), *evaluate(v2.config).share(Stage::context));
  set_mechanism(v2, Mechanism::self_attention_v1);
  EXPECT_EQ(v2, v1);
}

TEST(SetMechanism, DropsWeightsThatNoLongerFit) {
  Document document =
      parse_document(R"({"weights": {"out_proj.bias": [1, 2], "W_key.weight": [[1, 2, 3], [4, 5, 6]]}})");
  set_mechanism(document, Mechanism::causal_attention);
  EXPECT_EQ(document.config.weight_overrides.count("out_proj.bias"), 0U);
  EXPECT_EQ(document.config.weight_overrides.count("W_key.weight"), 1U);
  set_mechanism(document, Mechanism::multi_head_attention_wrapper);
  EXPECT_TRUE(document.config.weight_overrides.empty());
}

TEST(SetMechanism, LeavesTheDocumentAloneWhenItCannotBe) {
  Document document = parse_document(R"({"mechanism": "self_attention_v1", "mask": "causal", "normalization": "sum"})");
  const Document before = document;
  EXPECT_EQ(error_of([&] { set_mechanism(document, Mechanism::simple_self_attention); }).field, "mask");
  EXPECT_EQ(document, before);
}

TEST(SetSizes, HeadsSnapToTheNearestDivisorOfANewDOut) {
  Document document = default_document();
  set_d_out(document, 12);
  set_num_heads(document, 12);
  set_d_out(document, 7);
  EXPECT_EQ(document.config.num_heads, 7);
  set_d_out(document, 10);
  EXPECT_EQ(document.config.num_heads, 5);
}

TEST(SetSizes, HeadsThatDoNotDivideDOutAreRefusedWithThoseThatDo) {
  Document document = default_document();
  set_d_out(document, 8);
  const Document before = document;
  const Error error = error_of([&] { set_num_heads(document, 3); });
  EXPECT_TRUE(says(error.what(), {"num_heads is 3", "must divide d_out, which is 8", "1, 2, 4 or 8"})) << error.what();
  EXPECT_EQ(document, before);
}

TEST(SetSizes, TheWrapperTakesAnyNumberOfHeads) {
  Document document = default_document();
  set_mechanism(document, Mechanism::multi_head_attention_wrapper);
  set_num_heads(document, 7);
  EXPECT_EQ(document.config.num_heads, 7);
  EXPECT_EQ(allowed_head_counts(document).size(), 128U);
}

TEST(SetSizes, HeadsOfKeysDivideTheHeadsOrAreAsMany) {
  Document document = default_document();
  set_d_out(document, 12);
  set_num_heads(document, 4);
  document.config.num_kv_heads = 2;
  document.config.rope = Rope{.dims = 2};
  set_num_heads(document, 6);
  EXPECT_EQ(document.config.num_kv_heads, 2);
  EXPECT_EQ(document.config.rope->dims, 2);
  const AttentionConfig before = document.config;
  set_num_heads(document, 3);
  EXPECT_EQ(document.config.num_kv_heads, std::nullopt);
  EXPECT_NE(what_followed(before, document.config).find("2 heads of keys do not divide 3"), std::string::npos);
  set_mechanism(document, Mechanism::causal_attention);
  document.config.num_kv_heads = 2;  // of no use there
  set_mechanism(document, Mechanism::multi_head_attention);
  EXPECT_EQ(document.config.num_kv_heads, std::nullopt);
  set_num_heads(document, 12);
  EXPECT_EQ(document.config.rope->dims, std::nullopt) << "a head has one dimension";
}

TEST(SetSizes, AllowedHeadsAreTheDivisors) {
  Document document = default_document();
  set_d_out(document, 12);
  EXPECT_EQ(allowed_head_counts(document), (std::vector<Index>{1, 2, 3, 4, 6, 12}));
  set_d_out(document, 768);
  EXPECT_EQ(allowed_head_counts(document).back(), 128);
}

TEST(SetSizes, RefusesWhatIsOutOfRangeAndChangesNothing) {
  Document document = default_document();
  EXPECT_EQ(error_of([&] { set_d_out(document, 0); }).field, "d_out");
  EXPECT_EQ(error_of([&] { set_d_out(document, 12289); }).field, "d_out");
  EXPECT_EQ(error_of([&] { set_num_heads(document, 0); }).field, "num_heads");
  EXPECT_EQ(error_of([&] { set_num_heads(document, 129); }).field, "num_heads");
  EXPECT_EQ(document, default_document());
}

TEST(SetSizes, DropWeightsThatNoLongerFit) {
  Document document = parse_document(R"({"weights": {"out_proj.bias": [1, 2]}})");
  set_d_out(document, 4);
  EXPECT_TRUE(document.config.weight_overrides.empty());
}

// A long random walk: whatever edit is made, the document stays one that can be saved and opened.
TEST(Edits, LeaveValidDocuments) {
  std::mt19937 engine(5);
  const auto below = [&](Index limit) { return static_cast<Index>(engine() % static_cast<std::uint32_t>(limit)); };
  Document document = default_document();
  for (int step = 0; step < 3000; ++step) {
    const Index tokens = token_count(document.config);
    const Index features = input_features(document.config);
    try {
      switch (below(15)) {
        case 0:
          set_mechanism(document, mechanisms()[static_cast<std::size_t>(below(6))].mechanism);
          break;
        case 1:
          set_d_out(document, 1 + below(12));
          break;
        case 2:
          set_num_heads(document, 1 + below(12));
          break;
        case 3:
          make_inputs_explicit(document);
          break;
        case 4:
          set_input(document, below(tokens), below(features), static_cast<float>(below(100)) / 7);
          break;
        case 5:
          rename_token(document, below(tokens), "n" + std::to_string(step));
          break;
        case 6:
          add_token(document);
          break;
        case 7:
          duplicate_token(document, below(tokens));
          break;
        case 8:
          delete_token(document, below(tokens));
          break;
        case 9:
          move_token(document, below(tokens), below(tokens));
          break;
        case 10:
          add_feature(document);
          break;
        case 11:
          remove_feature(document);
          break;
        case 12:
          fill_with_randn(document);
          break;
        case 13:
          set_inputs(document, {{1, 2}, {3, 4}});
          break;
        default:
          set_sentence(document, "the cat sat, the dog ran");
          break;
      }
    } catch (const Error& error) {
      EXPECT_TRUE(says(error.what(), {}));  // the last token or feature
    }
    ASSERT_NO_THROW(check(document)) << "step " << step;
    ASSERT_EQ(parse_document(to_json(document)), document) << "step " << step;
  }
}

// What an edit of the document says that it changed besides.
template <typename Edit>
std::string followed(const Document& before, const Edit& edit) {
  Document now = before;
  edit(now);
  return what_followed(before.config, now.config);
}

TEST(WhatFollowed, NamesTheHeadsThatHadToDivideDOut) {
  Document document = default_document();
  EXPECT_EQ(followed(document, [](Document& now) { set_d_out(now, 7); }),
            "The number of heads changed from 2 to 1: it must divide d_out, which is 7.");
  EXPECT_EQ(followed(document, [](Document& now) { set_d_out(now, 8); }), "");
  EXPECT_EQ(followed(document, [](Document& now) { set_num_heads(now, 1); }), "");
}

TEST(WhatFollowed, NamesMaskAndScalingThatCameWithTheMechanism) {
  const Document document = default_document();
  EXPECT_EQ(followed(document, [](Document& now) { set_mechanism(now, Mechanism::simple_self_attention); }),
            "Simple self-attention comes with no mask and unscaled scores.");
  EXPECT_EQ(followed(document, [](Document& now) { set_mechanism(now, Mechanism::self_attention_v2); }),
            "Self-attention v2 comes with no mask.");
  EXPECT_EQ(followed(document, [](Document& now) { set_mechanism(now, Mechanism::causal_attention); }), "");
  EXPECT_EQ(followed(document, [](Document& now) { now.config.mask = MaskRoute::none; }), "");
}

TEST(WhatFollowed, CountsTheWeightsThatNoLongerFit) {
  const Document document =
      parse_document(R"({"weights": {"out_proj.bias": [1, 2], "W_key.weight": [[1, 2, 3], [4, 5, 6]]}})");
  EXPECT_EQ(followed(document, [](Document& now) { set_d_out(now, 4); }),
            "2 weights that were set no longer fit and are drawn again: undo brings them back.");
  EXPECT_EQ(followed(document, [](Document& now) { set_mechanism(now, Mechanism::causal_attention); }),
            "1 weight that was set no longer fits and is drawn again: undo brings it back.");
  EXPECT_EQ(followed(document, [](Document& now) { now.config.weight_overrides.clear(); }), "") << "as was asked";
}

Document with_interventions() {
  return parse_document(R"({"d_out": 6, "num_heads": 3, "batch_size": 2, "heads_off": [0, 2], "dropout_edits":
    {"drop": [[0, 0, 1, 0], [1, 2, 5, 3]], "keep": [[0, 1, 4, 2]]}})");
}

TEST(Interventions, GoWithTheHeadsAndBatchEntriesThatTheyAreOf) {
  Document document = with_interventions();
  const AttentionConfig before = document.config;
  set_num_heads(document, 2);
  EXPECT_EQ(document.config.heads_off, std::vector<Index>{0});
  EXPECT_EQ(document.config.dropout_edits, (std::vector<DropoutEdit>{{0, 0, 1, 0, false}, {0, 1, 4, 2, true}}));
  EXPECT_EQ(what_followed(before, document.config),
            "The edit also removed 1 head that was switched off and 1 weight that was kept or dropped by hand. "
            "Undo restores them.");
  document = with_interventions();
  set_batch_size(document, 1);
  EXPECT_EQ(document.config.dropout_edits.size(), 2U);
  set_mechanism(document, Mechanism::simple_self_attention);
  EXPECT_EQ(document.config.dropout_edits.size(), 2U) << "ignored, and there when the user comes back";
  set_d_out(document, 4);
  EXPECT_EQ(document.config.heads_off, (std::vector<Index>{0, 2}));
}

TEST(Interventions, FollowTheirTokens) {
  Document document = with_interventions();
  const auto cells = [&] { return document.config.dropout_edits; };
  move_token(document, 1, 4);  // 4 becomes 3
  EXPECT_EQ(cells(), (std::vector<DropoutEdit>{{0, 0, 4, 0, false}, {0, 1, 3, 1, true}, {1, 2, 5, 2, false}}));
  move_token(document, 4, 1);
  EXPECT_EQ(cells(), with_interventions().config.dropout_edits);
  duplicate_token(document, 0);
  EXPECT_EQ(cells(), (std::vector<DropoutEdit>{{0, 0, 2, 0, false}, {0, 1, 5, 3, true}, {1, 2, 6, 4, false}}));
  delete_token(document, 0);
  EXPECT_EQ(cells(), (std::vector<DropoutEdit>{{0, 1, 4, 2, true}, {1, 2, 5, 3, false}}));
  set_sentence(document, "five words are left here");
  EXPECT_EQ(cells(), (std::vector<DropoutEdit>{{0, 1, 4, 2, true}}));
}

TEST(Interventions, AreSetAndTakenBackOneByOne) {
  Document document = default_document();
  set_dropout_edit(document, {0, 1, 3, 2, true});
  set_dropout_edit(document, {0, 0, 3, 2, false});
  set_dropout_edit(document, {0, 1, 3, 2, false});
  EXPECT_EQ(document.config.dropout_edits, (std::vector<DropoutEdit>{{0, 0, 3, 2, false}, {0, 1, 3, 2, false}}));
  remove_dropout_edit(document, {0, 0, 3, 2});
  EXPECT_EQ(document.config.dropout_edits.size(), 1U);
  EXPECT_EQ(error_of([&] { set_dropout_edit(document, {0, 2, 0, 0}); }).field, "dropout_edits.drop");
  remove_dropout_edits(document);
  set_head_off(document, 1, true);
  set_head_off(document, 0, true);
  EXPECT_EQ(document.config.heads_off, (std::vector<Index>{0, 1}));
  set_head_off(document, 0, false);
  set_head_off(document, 1, false);
  EXPECT_EQ(document, default_document());
  EXPECT_EQ(error_of([&] { set_head_off(document, 2, true); }).field, "heads_off[0]");
}

TEST(Edit, ScalingThatIsOffHasNoFactorThatAFileCouldNotSay) {
  Document document = default_document();
  document.config.scale_factor = 2;
  set_scaling(document, false);
  EXPECT_EQ(parse_document(to_json(document)), document);
  set_scaling(document, true);
  EXPECT_EQ(parse_document(to_json(document)), document);
}

}  // namespace
}  // namespace attnscope::test
