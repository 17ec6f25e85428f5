// A document and another one that it is compared with: kept, swapped, saved, and made in pairs.

#include "document/compare.h"

#include "core/evaluate.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

constexpr float tolerance = 4e-6F;

Document seeded(std::uint64_t seed) {
  Document document = default_document();
  document.config.d_out = 4;
  document.config.seed = seed;
  return document;
}

Document kept_at(std::uint64_t seed, std::uint64_t now) {
  Document document = seeded(seed);
  keep_as_compared(document);
  document.config.seed = now;
  return document;
}

Document pair_of(Document document, std::string_view id, Index head = 0) {
  const auto pair = std::ranges::find(ready_pairs(), id, &ReadyPair::id);
  make_pair(document, *pair, head);
  return document;
}

Tensor stage_of(const Document& document, Stage stage) {
  return read_stage(evaluate(document.config, {Backend::serial, 1, {}}), stage);
}

void expect_close(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.shape, expected.shape);
  for (std::size_t i = 0; i < actual.values.size(); ++i)
    ASSERT_NEAR(actual.values[i], expected.values[i], tolerance) << i;
}

TEST(Compare, KeepsTheDocumentAsItIsNow) {
  const Document document = kept_at(1, 2);
  ASSERT_TRUE(document.compared);
  EXPECT_EQ(*document.compared, seeded(1));
  EXPECT_FALSE(document == seeded(2));
  Document again = document;
  keep_as_compared(again);
  EXPECT_EQ(*again.compared, seeded(2)) << "and not what that was compared with";
}

TEST(Compare, SwapsAndStops) {
  Document document = kept_at(1, 2);
  swap_compared(document);
  EXPECT_EQ(document, kept_at(2, 1));
  stop_comparing(document);
  EXPECT_EQ(document, seeded(1));
  EXPECT_TRUE(says(error_of([&] { swap_compared(document); }).what(), {"There is no A"}));
}

TEST(Compare, BothAreSavedTogether) {
  Document document = kept_at(1, 2);
  document.config.weight_overrides["W_query.weight"] = Tensor({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(parse_document(to_json(document)), document);
  swap_compared(document);
  EXPECT_EQ(parse_document(to_json(document)), document);
}

TEST(Compare, NamesBothByWhatDiffers) {
  using Names = std::pair<std::string, std::string>;
  const auto names = [](const Document& document) {
    return names_of_sides(document.compared->config, document.config);
  };
  EXPECT_EQ(names(kept_at(123, 124)), Names("seed 123", "seed 124"));
  EXPECT_EQ(names(pair_of(seeded(123), "scaling")), Names("scaled", "not scaled"));
  EXPECT_EQ(names(pair_of(seeded(123), "mask_after_softmax")), Names("mask causal: −∞", "mask after softmax: × 0"));
  EXPECT_EQ(names(pair_of(seeded(123), "dropout")), Names("dropout 0.00", "dropout 0.50"));
  EXPECT_EQ(names(pair_of(seeded(123), "training")), Names("training", "evaluation"));
  EXPECT_EQ(names(pair_of(seeded(123), "positions")), Names("no positions", "RoPE: halves"));
  EXPECT_EQ(names(pair_of(seeded(123), "v1_v2")),
            Names(info(Mechanism::self_attention_v1).title, info(Mechanism::self_attention_v2).title));
  Document document = kept_at(1, 2);
  document.config.heads_off = {1};
  EXPECT_EQ(names(document), Names("seed 1, all heads on", "seed 2, head 2 off"));
  EXPECT_EQ(names(kept_at(1, 1)), Names("", ""));
  EXPECT_EQ(side_name("A", ""), "A");
  EXPECT_EQ(side_name("A", "scaled"), "A: scaled");
}

TEST(Compare, ReadsADocumentLikeAnyOther) {
  const Document document = parse_document(
      R"({"compared_with": {"inputs": [[1, 2]], "mechanism": "self_attention_v1"}, "inputs": [[3, 4], [5, 6]]})");
  EXPECT_EQ(document.tokens.size(), 2U);
  EXPECT_EQ(document.compared->tokens.size(), 1U);
  EXPECT_EQ(document.compared->config.mask, MaskRoute::none);
  EXPECT_EQ(inputs_of(*document.compared).values, (AlignedFloats{1, 2}));
}

TEST(Compare, SaysWhatIsWrongWithTheOther) {
  const auto refused = [](const std::string& text) {
    return std::string(error_of([&] { (void)parse_document(text); }).what());
  };
  EXPECT_TRUE(says(refused(R"({"compared_with": {"seed": "x"}})"), {"compared_with.seed", "\"x\""}));
  EXPECT_TRUE(says(refused(R"({"compared_with": {"d_out": 3}})"), {"compared_with", "num_heads"}));
  EXPECT_TRUE(says(refused(R"({"compared_with": {"sede": 1}})"), {"\"sede\" is not a key of a document", "seed"}));
  EXPECT_TRUE(says(refused(R"({"compared_with": {"compared_with": {}}})"), {"a document without compared_with"}));
  EXPECT_TRUE(says(refused(R"({"compared_with": 3})"), {"compared_with is 3"}));
}

TEST(ReadyPairs, AreValidOfEveryMechanismThatTheyAreFor) {
  for (std::size_t i = 0; i < 2 * mechanisms().size(); ++i) {
    const MechanismInfo& mechanism = mechanisms()[i / 2];
    Document document = seeded(1);
    set_mechanism(document, mechanism.mechanism);
    if (i % 2 == 1) {
      document.config.num_kv_heads = 1;
      document.config.rope = Rope{};
    }
    for (const ReadyPair& pair : ready_pairs()) {
      if (pair.is_of_model) continue;  // model_document_test.cpp has it
      SCOPED_TRACE(std::string(mechanism.id) + " " + std::string(pair.id));
      Document made = document;
      const std::string obstacle = pair.obstacle ? pair.obstacle(document) : "";
      if (!obstacle.empty()) {
        EXPECT_TRUE(says(obstacle, {}));
        EXPECT_EQ(error_of([&] { make_pair(made, pair, 0); }).what(), obstacle);
        EXPECT_EQ(made, document);
        continue;
      }
      make_pair(made, pair, 0);
      ASSERT_TRUE(made.compared);
      EXPECT_FALSE(made.compared->config == made.config);
      EXPECT_EQ(parse_document(to_json(made)), made);
    }
  }
}

// Of a document with drawn weights, of which most pairs show nothing, and of the opening one.
TEST(ReadyPairs, ShowTheirSubjectOrSayThatThereIsNone) {
  for (const Document& start : {notebook_document(), opening_document(), seeded(1)}) {
    for (const ReadyPair& pair : ready_pairs()) {
      if (pair.is_of_model) continue;  // model_document_test.cpp has it
      SCOPED_TRACE(pair.id);
      Document made = start;
      make_telling_pair(made, pair, 0);
      const double difference = largest_difference(made);
      if (pair.example) {
        EXPECT_GE(difference, telling_difference);
      } else {
        EXPECT_LT(difference, 1e-5) << "the summary says: " << pair.summary;
        EXPECT_NE(pair.summary.find("same"), std::string_view::npos);
      }
    }
  }
}

TEST(ReadyPairs, StayWithADocumentThatShowsTheirSubject) {
  const auto pair_named = [](std::string_view id) { return std::ranges::find(ready_pairs(), id, &ReadyPair::id); };
  Document dropping = notebook_document();
  EXPECT_FALSE(make_telling_pair(dropping, *pair_named("dropout"), 0));
  EXPECT_EQ(dropping.tokens, notebook_document().tokens);
  Document scaled = notebook_document();
  EXPECT_TRUE(make_telling_pair(scaled, *pair_named("scaling"), 0));
  EXPECT_EQ(scaled.tokens, opening_document().tokens);
}

TEST(ReadyPairs, OfOneHeadTakeNoBiasForEach) {
  const auto pair = std::ranges::find(ready_pairs(), "v1_v2", &ReadyPair::id);
  Document document = seeded(1);
  document.config.bias = Tensor({2, 6, 6}, AlignedFloats(72, 0.5F));
  EXPECT_EQ(pair->obstacle(document), "The bias has numbers for several heads, but SelfAttention has one head.");
  document.config.bias = Tensor({1, 6, 6}, AlignedFloats(36, 0.5F));
  EXPECT_EQ(pair->obstacle(document), "");
  EXPECT_EQ(pair_of(document, "v1_v2").config.mechanism, Mechanism::self_attention_v2);
}

TEST(ReadyPairs, OfMasksForgetAMaskOfTheUsersOwn) {
  Document document = seeded(1);
  set_hidden(document, 2, 0, true);
  ASSERT_EQ(document.config.mask, MaskRoute::custom);
  for (const char* const id : {"mask_after_softmax", "mask_renormalized"}) {
    const Document made = pair_of(document, id);
    EXPECT_EQ(parse_document(to_json(made)), made) << id;
  }
}

TEST(ReadyPairs, OfTheSameWeightsGiveTheSameResults) {
  const Document renormalized = pair_of(seeded(1), "mask_renormalized");
  expect_close(stage_of(renormalized, Stage::output), stage_of(*renormalized.compared, Stage::output));
  const Document classes = pair_of(seeded(1), "v1_v2");
  EXPECT_EQ(classes.config.mechanism, Mechanism::self_attention_v2);
  expect_close(stage_of(classes, Stage::context), stage_of(*classes.compared, Stage::context));
  for (const Mechanism mechanism : {Mechanism::multi_head_attention, Mechanism::multi_head_attention_wrapper}) {
    Document document = seeded(1);
    set_mechanism(document, mechanism);
    document.config.qkv_bias = true;
    const Document split = pair_of(document, "wrapper_split");
    EXPECT_EQ(split.compared->config.mechanism, Mechanism::multi_head_attention_wrapper);
    expect_close(stage_of(split, Stage::context), stage_of(*split.compared, Stage::context));
    if (mechanism == Mechanism::multi_head_attention_wrapper)
      expect_close(stage_of(split, Stage::output), stage_of(split, Stage::context));
  }
}

// The weights stay, whether the seed drew them or somebody set them, and heads that share keys get them in common.
TEST(ReadyPairs, OfWrapperAndSplitKeepTheDocument) {
  Document shared = seeded(1);
  set_mechanism(shared, Mechanism::multi_head_attention);
  shared.config.num_kv_heads = 1;
  Document dropping = opening_document();
  dropping.config.dropout = 0.5;
  for (const Document& document : {opening_document(), seeded(1), shared, dropping}) {
    const Document split = pair_of(document, "wrapper_split");
    EXPECT_EQ(split.config.weight_overrides, document.config.weight_overrides);
    expect_close(stage_of(split, Stage::weights), stage_of({document}, Stage::weights));
    expect_close(stage_of(split, Stage::context), stage_of(*split.compared, Stage::context));
  }
}

// What is before has the next head in this one's place, and gives the same output.
TEST(ReadyPairs, OfTwoHeadsExchangeThem) {
  for (const Mechanism mechanism : {Mechanism::multi_head_attention, Mechanism::multi_head_attention_wrapper}) {
    Document document = seeded(1);
    set_mechanism(document, mechanism);
    document.config.qkv_bias = true;
    const Document pair = pair_of(document, "heads", 1);
    const Tensor now = stage_of(pair, Stage::weights);
    const Tensor before = stage_of(*pair.compared, Stage::weights);
    const Index half = now.size() / 2;
    EXPECT_EQ(AlignedFloats(now.values.begin(), now.values.begin() + half),
              AlignedFloats(before.values.begin() + half, before.values.end()));
    EXPECT_FALSE(now == before);
    if (has_stage(pair.config, Stage::output))
      expect_close(stage_of(*pair.compared, Stage::output), stage_of(pair, Stage::output));
  }
}

// All heads have one norm of queries and one of keys.
TEST(ReadyPairs, OfTwoHeadsKeepTheNormOfBoth) {
  Document document = seeded(1);
  set_mechanism(document, Mechanism::multi_head_attention);
  document.config.qk_norm = QkNorm::rms;
  document.config.weight_overrides["k_norm.weight"] = Tensor({2}, {1.5F, -2});
  ASSERT_EQ(head_features(document.config), 2);
  const Document pair = pair_of(document, "heads", 1);
  EXPECT_EQ(stage_of(*pair.compared, Stage::key_gain), stage_of(pair, Stage::key_gain));
  expect_close(stage_of(*pair.compared, Stage::output), stage_of(pair, Stage::output));
}

}  // namespace
}  // namespace attnscope::test
