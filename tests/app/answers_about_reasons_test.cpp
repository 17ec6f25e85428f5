// Answers about weight matrices and about why attention is as it is.

#include "teach/questions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "answers.h"
#include "core/evaluate.h"
#include "core/model/forward.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "tests/support/small_model.h"
#include "view/number_words.h"

namespace attnscope::test {
namespace {

TEST(Questions, PositionsNameTheScoreWithAndWithoutThem) {
  Document document = default_document();
  document.config.d_out = 8;
  document.config.rope = Rope{.base = 10};
  const std::string text = answer(*question_named("positions"), document, 3);
  const auto score = [&](const AttentionConfig& config) {
    return fmt::format("{:.3f}", std::abs(evaluate(config).find(Stage::scores)->matrix()(3, 0)));
  };
  EXPECT_TRUE(tells(text, score(document.config)));
  document.config.rope.reset();
  EXPECT_TRUE(tells(text, score(document.config)));
  EXPECT_TRUE(tells(text, "stand 3 apart"));
}

TEST(Questions, PositionsOfAModelThatLearnedThemAreThoseOfItsEmbeddings) {
  const Result result = evaluate(small_layer(small_model(), 1));
  const ReaderQuestion& question = *question_named("positions");
  EXPECT_FALSE(example_for(question, result)) << "it has positions of its own";
  const std::vector<std::string> labels(static_cast<std::size_t>(token_count(result.config)), "a");
  const std::string text = answer_of(question, {result, labels, 0, 0, 3, {}});
  const std::size_t at = text.find("In dimension ");
  ASSERT_NE(at, std::string::npos) << text;
  const Index dimension = std::stoi(text.substr(at + 13)) - 1;
  const NormalizedNumber third = normalized_number(*result.below, 3, dimension);
  const NormalizedNumber first = normalized_number(*result.below, 0, dimension);
  for (const double each : {third.embedding, third.position, first.position})
    EXPECT_TRUE(tells(text, format_fixed(each, 3))) << each << " in ";
}

TEST(Questions, OrderOfDrawsBeginsWithWhatIsDrawnFirst) {
  Document document = default_document();
  document.config.inputs = RandnInputs{6, 3};
  document.config.skip_draws = 2;
  document.config.qk_norm = QkNorm::rms;
  const std::string text = answer(*question_named("draws"), document, 1);
  EXPECT_TRUE(tells(text, "draws thrown away (2), then inputs, randn ("));
  EXPECT_FALSE(tells(text, "norm")) << "gains are not drawn";
  document.config.weight_order = {Projection::key, Projection::query, Projection::value};
  EXPECT_TRUE(tells(answer(*question_named("draws"), document, 1), "Declared as query, key, value, 2 of its"));
}

TEST(Questions, OrderOfDrawsIsOfDrawnWeights) {
  const QuestionExample& example = *question_named("draws")->example;
  const AttentionConfig set = opening_document().config;
  EXPECT_FALSE(example.is_there(set));
  EXPECT_TRUE(example.is_there(example.with(set)));
  EXPECT_TRUE(example.is_there(default_document().config));
}

// The weights of a row if hidden keys had the score 0.
TEST(Questions, ZeroInThePlaceOfMinusInfinityTakesARealShare) {
  Document document = default_document();
  document.config.scale_factor = 3;
  const Result result = evaluate(document.config);
  const auto row = result.find(Stage::scaled_scores)->matrix().row(2);
  const double e[] = {std::exp(static_cast<double>(row[0])), std::exp(static_cast<double>(row[1])),
                      std::exp(static_cast<double>(row[2]))};
  const double seen = e[0] + e[1] + e[2];
  const double most = std::max({e[0], e[1], e[2]});
  const std::string text = answer(*question_named("minus_infinity"), document, 2);
  EXPECT_TRUE(tells(text, fmt::format("the 3 keys hidden from “{}” would take {} of its weight", document.tokens[2],
                                      format_fixed(3 / (seen + 3), 2))));
  EXPECT_TRUE(tells(text, fmt::format("would get {} instead of {}", format_fixed(most / (seen + 3), 2),
                                      format_fixed(most / seen, 2))));
  EXPECT_FALSE(tells(answer(*question_named("minus_infinity"), document, 5), "from “" + document.tokens[5]))
      << "the last row hides nothing, so the row before it is told";
}

// Without positions, tokens that change places take their weights along; with rotary positions they do not.
TEST(Questions, PermutedWordsPermuteTheWeightsUnlessTheyHavePositions) {
  Document document = default_document();
  document.config.d_out = 8;
  const ReaderQuestion& question = *question_named("order");
  for (const bool is_drawn : {false, true}) {
    if (is_drawn) document.config.inputs = RandnInputs{6, 3};
    const std::string text = answer(question, document, 3);
    EXPECT_TRUE(tells(text, "still gives them"));
    EXPECT_TRUE(tells(text, "Here only the mask knows an order."));
    AttentionConfig unmasked = document.config;
    unmasked.mask = MaskRoute::none;
    const Tensor weights = read_stage(evaluate(unmasked), Stage::weights);
    const std::vector<float> row(weights.matrix(0).row(3).begin(), weights.matrix(0).row(3).end());
    float most = 0;
    for (std::size_t key = 0; key < row.size(); ++key) most = key == 3 ? most : std::max(most, row[key]);
    EXPECT_TRUE(tells(text, format_fixed(static_cast<double>(most), 3)));
  }
  document.config.rope.emplace();
  const std::string turned = answer(question, document, 3);
  EXPECT_TRUE(tells(turned, "rotary positions bring them in"));
  AttentionConfig unmasked = document.config;
  unmasked.mask = MaskRoute::none;
  const Tensor weights = read_stage(evaluate(unmasked), Stage::weights);
  Index most = 0;
  for (const Index key : {1, 2, 4, 5}) most = weights.matrix(0)(3, key) > weights.matrix(0)(3, most) ? key : most;
  EXPECT_TRUE(
      tells(turned, " instead of " + format_fixed(static_cast<double>(weights.matrix(0)(3, most)), 3) + " and "));
  document.config.rope.reset();
  document.config.bias = Tensor({6, 6}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5,
                                         0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  EXPECT_TRUE(tells(answer(question, document, 3), "the bias brings them in"));
}

TEST(Questions, WithEqualMatricesTwoTokensScoreEachOtherTheSame) {
  Document document = default_document();
  document.config.qkv_bias = true;
  const ReaderQuestion& question = *question_named("three");
  const Result own = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  const TeachingViewChoice choice;
  const auto proposed = [&](const Result& of) {
    return question.trial(TeachingViewSubject{of, labels, 0, 0, 1, choice});
  };
  const std::optional<QuestionRemedy> remedy = proposed(own);
  ASSERT_TRUE(remedy);
  Document equal = document;
  remedy->change(equal);
  const Result result = evaluate(equal.config);
  const Tensor scores = read_stage(result, Stage::scores);
  Index highest = 0;  // tokens that score themselves higher than every other one
  for (Index row = 0; row < 6; ++row) {
    for (Index col = 0; col < row; ++col) EXPECT_NEAR(scores.matrix(0)(row, col), scores.matrix(0)(col, row), 1e-6);
    const auto of_row = scores.matrix(0).row(row);
    highest += std::ranges::count_if(of_row, [&](float score) { return score >= of_row[row]; }) == 1 ? 1 : 0;
  }
  EXPECT_EQ(read_stage(result, Stage::queries), read_stage(own, Stage::queries));
  const std::string text = answer(question, document, 1);
  EXPECT_TRUE(text.find(" tokens would score") == std::string::npos ||
              text.find(fmt::format("and {} of 6 tokens would score", highest)) != std::string::npos)
      << text;
  EXPECT_FALSE(proposed(result)) << "they are equal already";
  const std::string seen = answer(question, equal, 1);
  EXPECT_TRUE(tells(seen, "In this document W_key = W_query, so the scores are symmetric"));
  const std::string count = highest == 6   ? "Each of the 6 tokens scores itself highest"
                            : highest == 0 ? "No token scores itself highest"
                                           : fmt::format("{} of 6 tokens score", highest);
  EXPECT_TRUE(tells(seen, count));
  Tensor bias = drawn_parameter(equal.config, "W_key.bias");
  bias.values[0] += 5;
  equal.config.weight_overrides["W_key.bias"] = SharedTensor(bias);
  EXPECT_FALSE(tells(answer(question, equal, 1), "symmetric")) << "the keys' bias is another one";
  for (const Mechanism mechanism : {Mechanism::self_attention_v1, Mechanism::multi_head_attention_wrapper}) {
    Document other = default_document();
    other.config.mechanism = mechanism;
    proposed(evaluate(other.config)).value().change(other);
    const Result shared = evaluate(other.config);
    EXPECT_EQ(read_stage(shared, Stage::queries), read_stage(shared, Stage::keys));
  }
}

// Ties are no favourites: in the opening document, most rows of scores are zeros.
TEST(Questions, ARowOfEqualScoresHasNoFavourite) {
  const Document document = opening_document();
  EXPECT_TRUE(
      tells(answer(*question_named("three"), document, 4), "1 of 6 tokens would score itself highest; now none does."));
}

TEST(Questions, SayWhatWasSetAndWhatTheSeedDrew) {
  const ReaderQuestion& question = *question_named("trained");
  Document document = notebook_document();
  EXPECT_TRUE(tells(answer(question, document), "as seed 123 drew them"));
  Tensor weight = drawn_parameter(document.config, "W_key.weight");
  const Index numbers = words_of_parameters(document.config);
  weight.values[0] += 1;
  weight.values[3] += 1;
  document.config.weight_overrides["W_key.weight"] = SharedTensor(weight);
  EXPECT_TRUE(
      tells(answer(question, document),
            fmt::format("seed 123 drew {} of the {} numbers of the weights, and 2 were set", numbers - 2, numbers)));
  const std::string chosen = answer(question, opening_document());
  EXPECT_TRUE(tells(chosen, "each of the 68 numbers of the weights ends after two decimals at most"));
  Document fine = opening_document();
  set_weight(fine, Stage::query_weight, 0, 0, 0, 0.1234F);
  EXPECT_TRUE(tells(answer(question, fine), "all 68 numbers of the weights were set, by hand or from a file."));
  document.config.mechanism = Mechanism::simple_self_attention;
  document.config.weight_overrides.clear();
  EXPECT_TRUE(tells(answer(question, document), "no weights"));
}

// Left out, a key moves the context by what the others' mean differs from it.
TEST(Questions, AnExplanationIsMeasuredByLeavingAKeyOut) {
  const Document document = opening_document();
  const Result result = evaluate(document.config);
  const std::string text = answer(*question_named("explanation"), document, 4);
  const Tensor weights = read_stage(result, final_weights_stage(result.config));
  const Tensor values = read_stage(result, Stage::values);
  const auto row = weights.matrix(0).row(4);
  const Index most = std::ranges::max_element(row) - row.begin();
  double moved = 0;
  for (Index i = 0; i < 2; ++i) {
    double with_it = 0;
    double without = 0;
    double left = 0;
    for (Index key = 0; key < 6; ++key) {
      const double part =
          static_cast<double>(row[static_cast<std::size_t>(key)]) * static_cast<double>(values.matrix(0)(key, i));
      with_it += part;
      without += key == most ? 0 : part;
      left += key == most ? 0 : static_cast<double>(row[static_cast<std::size_t>(key)]);
    }
    moved += std::pow(with_it - without / left, 2);
  }
  EXPECT_TRUE(tells(text, fmt::format("“it” gives “cat” its largest weight, {}; if the other keys share this weight "
                                      "instead, its context moves by {}.",
                                      format_fixed(static_cast<double>(row[static_cast<std::size_t>(most)]), 2),
                                      format_fixed(std::sqrt(moved), 2))));
}

// How far the context moves without a key, computed anew from weights and values.
double moved_without(const Result& result, Index query, Index left_out) {
  const Tensor weights = read_stage(result, final_weights_stage(result.config));
  const Tensor values = read_stage(result, Stage::values);
  const auto row = weights.matrix(0).row(query);
  const double all = std::accumulate(row.begin(), row.end(), 0.0);
  const double rest = all - static_cast<double>(row[left_out]);
  double squares = 0;
  for (Index i = 0; i < values.cols(); ++i) {
    double with_it = 0;
    double without = 0;
    for (Index key = 0; key < weights.cols(); ++key) {
      const double part = static_cast<double>(row[key]) * static_cast<double>(values.matrix(0)(key, i));
      with_it += part / all;
      without += key == left_out ? 0 : part / rest;
    }
    squares += std::pow(with_it - without, 2);
  }
  return std::sqrt(squares);
}

// Of every row: that no pair of keys is in the wrong order is said only where it is so.
TEST(Questions, AnExplanationSaysOfTheOrderOfKeysOnlyWhatIsSo) {
  Document drawn = default_document();
  drawn.config.mask = MaskRoute::none;
  for (const Document& document : {opening_document(), drawn, notebook_document()}) {
    const Result result = evaluate(document.config);
    for (Index query = 1; query < 6; ++query) {
      const std::string text = answer(*question_named("explanation"), document, query);
      const auto row = read_stage(result, final_weights_stage(result.config));
      Index all = 0;
      Index misleading = 0;
      for (Index a = 0; a < 6; ++a) {
        for (Index b = 0; b < 6; ++b) {
          if (row.matrix(0)(query, a) <= row.matrix(0)(query, b) || row.matrix(0)(query, b) == 0) continue;
          ++all;
          misleading += moved_without(result, query, b) > moved_without(result, query, a) + 1e-12 ? 1 : 0;
        }
      }
      SCOPED_TRACE(text);
      EXPECT_EQ(text.find("In none of the row's") != std::string::npos, misleading == 0 && all > 1);
      if (misleading > 0 && all > 1) {
        EXPECT_TRUE(tells(text, fmt::format("in {} of {} pairs of keys", misleading, all)));
      }
    }
  }
  const std::string small = answer(*question_named("explanation"), opening_document(), 4);
  EXPECT_TRUE(tells(small,
                    "“it” with the weight 0.005 moves the context by 0.003, but “slept” with the weight 0.003 "
                    "moves the context by 0.004."));
}

TEST(Questions, AnExplanationTakesAwayAHeadOnlyWhereOthersAreLeft) {
  const Document document = opening_document();
  const Result result = evaluate(document.config);
  AttentionConfig without = document.config;
  without.heads_off = {0};
  const Result after = evaluate(without);
  double squares = 0;
  for (Index i = 0; i < 4; ++i)
    squares += std::pow(static_cast<double>(result.find(Stage::output)->matrix()(4, i)) -
                            static_cast<double>(after.find(Stage::output)->matrix()(4, i)),
                        2);
  const std::string text = answer(*question_named("explanation"), document, 4);
  EXPECT_TRUE(
      tells(text, "with head 1 switched off (O), the output of “it” moves by " + format_fixed(std::sqrt(squares), 2)));
  Document single = default_document();
  single.config.mechanism = Mechanism::causal_attention;
  const std::string alone = answer(*question_named("explanation"), single, 4);
  EXPECT_FALSE(tells(alone, "switched off"));
  EXPECT_FALSE(tells(alone, "output"));
}

// Who follows the answer and switches the head off still sees the number that it promised.
TEST(Questions, AnExplanationSaysWhatASwitchedOffHeadHasMoved) {
  const Document document = opening_document();
  Document off = document;
  off.config.heads_off = {0};
  const ReaderQuestion& question = *question_named("explanation");
  const std::string before = answer(question, document, 4);
  const std::string text = answer(question, off, 4);
  const std::size_t promised = before.find(", the output of “it” moves by ");
  ASSERT_NE(promised, std::string::npos) << before;
  EXPECT_TRUE(tells(text, before.substr(promised)));
  EXPECT_TRUE(tells(text, "Head 1 is switched off now, and its context is 0. With the head on: “it” gives"));
  EXPECT_FALSE(tells(before, "switched off now"));
}

TEST(Questions, AnExplanationSaysWhatDropoutLeftAndTakesAnotherRow) {
  Document document = default_document();
  document.config.mechanism = Mechanism::causal_attention;
  document.config.mask = MaskRoute::causal;
  document.config.dropout = 0.5;
  document.config.training = true;
  for (Index key = 0; key < 3; ++key) set_dropout_edit(document, {.query = 2, .key = key, .keeps = key == 2});
  for (Index key = 0; key < 4; ++key) set_dropout_edit(document, {.query = 3, .key = key, .keeps = true});
  const std::string text = answer(*question_named("explanation"), document, 2);
  EXPECT_TRUE(tells(text, "“" + document.tokens[2] + "” sees 3 keys, of which dropout left one. “"));
  EXPECT_TRUE(tells(text, "its largest weight"));
}

TEST(Questions, AnExplanationOfAModelSaysWhatTheNextWordLoses) {
  const AttentionConfig config = small_layer(small_model(), 1);
  const Result result = evaluate(config);
  const std::vector<std::string> labels(static_cast<std::size_t>(token_count(config)), "a");
  const std::string text = answer_of(*question_named("explanation"), {result, labels, 1, 0, 3, {}});
  const auto most_likely = [&](const AttentionConfig& of, std::optional<Index> word) {
    Tensor row = logits(*run_model(of), token_count(config) - 1, 1, {});
    softmax(row.values);
    const Index at = word ? *word : std::ranges::max_element(row.values) - row.values.begin();
    return std::pair(at, format_fixed(static_cast<double>(row.values[static_cast<std::size_t>(at)]), 3));
  };
  AttentionConfig without = config;
  without.heads_off = {1};
  const auto [word, with_all] = most_likely(config, {});
  const std::string left = most_likely(without, word).second;
  EXPECT_NE(left, with_all);
  EXPECT_TRUE(tells(text, fmt::format("the probability {} instead of {}.", left, with_all)));
  const Result off = evaluate(without);
  const std::string now = answer_of(*question_named("explanation"), {off, labels, 1, 0, 3, {}});
  EXPECT_TRUE(
      tells(now, fmt::format("as it is now, the model gives its likeliest next word the probability {} instead of "
                             "{}.",
                             left, with_all)));
}

// The draw that is named has the same place among the numbers that either kind of weight stores.
TEST(Questions, OfLinearAndParameterNameTheCellsThatADrawLandsIn) {
  Document document = default_document();
  document.config.mechanism = Mechanism::self_attention_v1;
  const std::string text = answer(*question_named("linear"), document);
  EXPECT_TRUE(tells(text, "draw 4 is W[1, 1] of nn.Parameter, but weight[1, 0] of nn.Linear"));
  const Result v1 = evaluate(document.config);
  document.config.mechanism = Mechanism::self_attention_v2;
  const Result v2 = evaluate(document.config);
  const float drawn = v1.parameters->front().tensor.matrix()(1, 1);
  const double bound = 1 / std::sqrt(3.0);
  EXPECT_NEAR(v2.parameters->front().tensor.matrix()(1, 0), (2 * static_cast<double>(drawn) - 1) * bound, 1e-6);
}

// The pair that a text names is that of the view beside it, the query sees its key, and it stays where the matrices
// become equal.
TEST(Questions, OfThreeMatricesKeepTheirPair) {
  const ReaderQuestion& question = *question_named("three");
  for (const Document& document : {opening_document(), default_document(), notebook_document()}) {
    const Result result = evaluate(document.config);
    const std::vector<std::string> labels = token_labels(document.tokens);
    for (Index query = 1; query < 6; ++query) {
      TeachingViewChoice choice{.id = "symmetry", .values = {question.controls}};
      const TeachingViewSubject subject{result, labels, 0, 0, query, choice};
      const std::string text = answer_of(question, subject);
      const QuestionRemedy remedy = question.trial(subject).value();
      const auto key = static_cast<std::size_t>(remedy.controls.at("key"));
      EXPECT_FALSE(visibility(document.config).hides(query, static_cast<Index>(key)));
      const std::string pair =
          fmt::format("“{}” scores “{}” ", document.tokens[static_cast<std::size_t>(query)], document.tokens[key]);
      EXPECT_TRUE(tells(text, "Now " + pair));
      EXPECT_TRUE(tells(text, "symmetric"));
      EXPECT_TRUE(tells(make_board(subject).headline, pair));
      Document equal = document;
      remedy.change(equal);
      choice.values = remedy.controls;
      const Result after = evaluate(equal.config);
      const std::string kept = answer_of(question, {after, labels, 0, 0, query, choice});
      const double score = read_stage(after, Stage::scores).matrix(0)(query, static_cast<Index>(key));
      EXPECT_EQ(kept.find(pair) != std::string::npos, score != 0) << kept;
    }
  }
}

// A score of 0 in both directions shows no symmetry.
TEST(Questions, OfEqualMatricesNameAPairWithAScoreOrSayWhyThereIsNone) {
  const ReaderQuestion& question = *question_named("three");
  Document document = opening_document();
  document.config = with_keys_of_queries(document.config);
  const std::string text = answer(question, document, 4);
  EXPECT_TRUE(tells(text, "every two different tokens score each other 0, because only “it” looks for something"));
  set_input(document, 0, 2, 0.5F);  // the pronoun's dimension: now the first token looks for something, too
  for (Index query = 1; query < 4; ++query) {
    const std::string seen = answer(question, document, query);
    EXPECT_TRUE(tells(seen, fmt::format("“{}” scores “it” ", document.tokens[0])));
  }
}

TEST(Questions, OfThreeMatricesCountFavouritesOnlyIfTheyChange) {
  for (const Document& document : {opening_document(), default_document(), notebook_document()}) {
    const std::string text = answer(*question_named("three"), document, 4);
    for (Index count = 0; count <= 6; ++count) {
      const bool is_with = text.find(fmt::format(" {} of 6 tokens would", count)) != std::string::npos;
      const bool is_now = text.find(count == 1 ? "now 1 does" : fmt::format("now {} do", count)) != std::string::npos;
      EXPECT_FALSE(is_with && is_now) << text;
    }
  }
}

TEST(Questions, OfLinearSayWhoMadeTheWeights) {
  const ReaderQuestion& question = *question_named("linear");
  EXPECT_TRUE(tells(answer(question, opening_document()), "were set, not drawn"));
  EXPECT_TRUE(tells(answer(question, notebook_document()), "weights were drawn and"));
  Document document = notebook_document();
  set_weight(document, Stage::query_weight, 0, 0, 0, 2);
  EXPECT_TRUE(tells(answer(question, document), "weights were in part set and"));
}

}  // namespace
}  // namespace attnscope::test
