#include "teach/questions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>
#include <set>
#include <span>

#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "tests/support/small_model.h"
#include "view/number_words.h"

namespace attnscope::test {
namespace {

// Of an example, where the document has nothing of what is asked about.
std::string answer(const ReaderQuestion& question, const Document& document, Index query = 1) {
  const Result own = evaluate(document.config);
  const std::optional<AttentionConfig> example = example_for(question, own);
  const Result result = example ? evaluate(*example) : own;
  const std::vector<std::string> labels = token_labels(document.tokens);
  return answer_of(question, {result, labels, 0, 0, query, {}});
}

TEST(Questions, AreThirtyTwoAndEachOpensAView) {
  EXPECT_EQ(questions().size(), 32U);
  std::set<std::string_view> ids;
  for (const ReaderQuestion& question : questions()) {
    EXPECT_TRUE(ids.insert(question.id).second) << question.id;
    EXPECT_NE(study_named(question.study), nullptr) << question.id;
  }
}

TEST(Questions, AreAnsweredWithNumbersOfEveryExample) {
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (builtin.id == "gpt2_sized") continue;
    const Document document = parse_document(builtin.json);
    for (const ReaderQuestion& question : questions()) {
      SCOPED_TRACE(std::string(builtin.id) + ", " + std::string(question.id));
      for (const Index query : {0, 1}) {
        const std::string text = answer(question, document, query);
        EXPECT_GT(text.size(), 40U);
        EXPECT_EQ(text.find("NaN in"), std::string::npos);
        EXPECT_EQ(text.find("{"), std::string::npos) << text;
        EXPECT_EQ(text.find("+ −"), std::string::npos) << "negative terms stand in brackets: " << text;
      }
    }
  }
}

TEST(Questions, FollowTheDocument) {
  Document document = default_document();
  document.config.dropout = 0.25;
  for (const char* const id : {"row_sums", "scaling", "d_out", "average_heads", "draws", "other_mask"}) {
    const ReaderQuestion& question = *question_named(id);
    Document other = document;
    other.config.seed = 7;
    other.config.d_out = 4;
    other.config.dropout = 0.5;
    other.config.dropout_kernel = DropoutKernel::standard;
    EXPECT_NE(answer(question, document), answer(question, other)) << id;
  }
}

// Every document but a viewed file has what a question asks about, or a change gives it that.
TEST(Questions, HaveAnExampleWhereADocumentHasNothingOfThem) {
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (builtin.id == "gpt2_sized") continue;
    const Document document = parse_document(builtin.json);
    const Result own = evaluate(document.config);
    for (const ReaderQuestion& question : questions()) {
      SCOPED_TRACE(std::string(builtin.id) + ", " + std::string(question.id));
      const std::optional<AttentionConfig> example = example_for(question, own);
      if (!question.example) {
        EXPECT_FALSE(example);
        continue;
      }
      EXPECT_NE(example.has_value(), question.example->is_there(document.config));
      if (!example) continue;
      EXPECT_TRUE(question.example->is_there(*example));
      const Result result = evaluate(*example);
      const std::vector<std::string> labels = token_labels(document.tokens);
      const Index query = row_for(question, result, 0, 0, {});
      const std::string text = answer_of(question, {result, labels, 0, 0, query, {}});
      EXPECT_EQ(text.find("has no"), std::string::npos) << text;
    }
  }
}

// "?" beside a stage asks what the stage is.
TEST(Questions, OfAStageAreItsOwnFirst) {
  const std::pair<Stage, const char*> own[] = {{Stage::inputs, "embedding"},
                                               {Stage::queries, "query"},
                                               {Stage::keys, "key"},
                                               {Stage::values, "value"},
                                               {Stage::context, "context"},
                                               {Stage::scaled_scores, "scaling"},
                                               {Stage::masked_scores, "minus_infinity"},
                                               {Stage::weights, "softmax"},
                                               {Stage::output, "out_proj"},
                                               {Stage::output_weight, "out_proj"}};
  for (const auto& [stage, id] : own) {
    const ReaderQuestion* const question = question_at(stage);
    ASSERT_NE(question, nullptr) << id;
    EXPECT_EQ(question->id, id);
  }
}

// The view beside the answer has the numbers of the stage that was asked about: of the pinned row, or of its weights.
TEST(Questions, OfAStageShowItsNumbers) {
  const Document document = opening_document();
  const Result result = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  const auto larger = [](float a, float b) { return std::abs(a) < std::abs(b); };
  for (const Stage stage : {Stage::inputs, Stage::query_weight, Stage::queries, Stage::keys, Stage::values,
                            Stage::scores, Stage::weights, Stage::context, Stage::output, Stage::output_weight}) {
    const ReaderQuestion* const question = question_at(stage);
    ASSERT_NE(question, nullptr) << info(stage).id;
    const Tensor numbers = read_stage(result, stage);
    const std::span<const float> row =
        is_parameter(info(stage).axes) ? std::span<const float>(numbers.values) : numbers.matrix(0).row(4);
    const float largest = std::ranges::max(row, larger);
    const TeachingViewChoice choice{.id = std::string(question->study)};
    const Board board = make_board({result, labels, 0, 0, 4, choice});
    bool is_there = false;
    for (const std::vector<BoardItem>& line : board.lines) {
      for (const BoardItem& item : line) {
        const auto* const matrix = std::get_if<BoardMatrix>(&item);
        is_there |= matrix && std::ranges::find(matrix->values, largest) != matrix->values.end();
      }
    }
    EXPECT_TRUE(is_there) << info(stage).id << ": " << largest << " in " << question->study;
  }
}

TEST(Questions, SayWhatAQueryAKeyAndAValueAreWithTheDocumentsNumbers) {
  const Document document = opening_document();
  const Index it = 4;
  const Result result = evaluate(document.config);
  const std::string score = fmt::format("{:.2f}", result.find(Stage::scores)->matrix()(it, 1));
  const std::string weight = fmt::format("{:.2f}", result.find(Stage::weights)->matrix()(it, 1));
  const std::string query = answer(*question_named("query"), document, it);
  EXPECT_NE(query.find("“it” has the query (3.60, 1.80)"), std::string::npos) << query;
  EXPECT_NE(query.find("with “cat” the score is 3.60 × 1.80 + 1.80 × 0.00 = " + score), std::string::npos) << query;
  EXPECT_NE(query.find("gets " + weight + " of its attention"), std::string::npos) << query;
  const std::string key = answer(*question_named("key"), document, it);
  EXPECT_NE(key.find("“cat” has the key (1.80, 0.00)"), std::string::npos) << key;
  EXPECT_NE(key.find("“it” with the score " + score), std::string::npos) << key;
  const std::string value = answer(*question_named("value"), document, it);
  EXPECT_NE(value.find("“cat” has the value (0.90, 0.00)"), std::string::npos) << value;
  EXPECT_NE(value.find("“it” takes " + weight + " times this value"), std::string::npos) << value;
  const std::string embedding = answer(*question_named("embedding"), document, it);
  EXPECT_NE(embedding.find("thing 0.30"), std::string::npos) << embedding;
}

TEST(Questions, SayWhatAContextAndAHeadAreWithTheDocumentsNumbers) {
  Document document = opening_document();
  const Result result = evaluate(document.config);
  const std::string context = answer(*question_named("context"), document, 4);
  const std::string first = format_fixed(static_cast<double>(result.find(Stage::context)->matrix()(4, 0)), 2);
  EXPECT_NE(context.find("“it” has the context (" + first + ", "), std::string::npos) << context;
  EXPECT_NE(context.find("= " + first + ": weights times"), std::string::npos) << context;
  const std::string head = answer(*question_named("head"), document, 4);
  EXPECT_NE(head.find("This document has 2 heads, of 2 numbers each. “it” looks in head 1 most at “cat” (0.97)"),
            std::string::npos)
      << head;
  document.config.heads_off = {0};
  EXPECT_NE(answer(*question_named("context"), document, 4).find("switched off"), std::string::npos);
}

// The products of the first number of the output, and their sum.
TEST(Questions, TheArithmeticOfOutProjIsRight) {
  Document document = default_document();
  document.config.d_out = 4;
  document.config.num_heads = 2;
  const Result result = evaluate(document.config);
  const std::string text = answer(*question_named("out_proj"), document, 1);
  const std::string first = format_fixed(static_cast<double>(result.find(Stage::output)->matrix()(1, 0)), 2);
  EXPECT_NE(text.find("= " + first), std::string::npos) << text;
  EXPECT_NE(text.find("of the bias"), std::string::npos) << text;
}

// Reads an expression of numbers, products, quotients and one sum in brackets, as answers write them.
class WrittenSum {
public:
  explicit WrittenSum(std::string text) : rest_(std::move(text)) {}

  double sum() {
    double value = product();
    while (take("+ ")) value += product();
    return value;
  }

private:
  bool take(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_.erase(0, sign.size());
    return true;
  }
  double product() {
    double value = factor();
    while (true) {
      if (take("× ")) {
        value *= factor();
      } else if (take("/ ")) {
        value /= factor();
      } else {
        return value;
      }
    }
  }
  double factor() {
    const bool is_open = take("(");
    double value = 0;
    if (is_open && !rest_.starts_with("−")) {
      value = sum();
    } else {
      const double sign = take("−") ? -1 : 1;
      std::size_t used = 0;
      value = sign * std::stod(rest_, &used);
      rest_.erase(0, used);
    }
    if (is_open) take(")");
    take(" ");
    return value;
  }

  std::string rest_;
};

// Readers recompute it: each expression of an answer gives, with the digits that stand there, the result that follows.
TEST(Questions, WrittenSumsComeOutWithTheDigitsShown) {
  const std::regex written(R"(((?:\(?(?:−)?[0-9.]+\)?(?: (?:×|\+|/) )?){2,}) = ((?:−)?[0-9.]+[0-9]))");
  const std::regex counts(" of (?:[0-9]+ more|the bias)");
  Index sums = 0;
  const auto check = [&](const Document& document) {
    for (const char* const id : {"query", "context", "out_proj", "row_sums", "softmax", "scores_weights"}) {
      for (Index query = 0; query < std::ssize(document.tokens); ++query) {
        const std::string text = std::regex_replace(answer(*question_named(id), document, query), counts, "");
        for (std::sregex_iterator at(text.begin(), text.end(), written), end; at != end; ++at) {
          const std::string result = std::regex_replace((*at)[2].str(), std::regex("−"), "-");
          const std::size_t decimals = result.size() - result.find('.') - 1;
          const double computed = WrittenSum((*at)[1].str()).sum();
          EXPECT_NEAR(computed, std::stod(result), 0.5000001 * std::pow(10, -static_cast<double>(decimals)))
              << id << ", " << query << ": " << at->str();
          ++sums;
        }
      }
    }
  };
  for (const Document& document : {opening_document(), notebook_document()}) check(document);
  for (const std::uint64_t seed : {1, 2, 3, 123}) {
    for (const double rate : {0.1, 0.5, 0.75}) {
      Document document = default_document();
      document.config.seed = seed;
      document.config.d_out = 4;
      document.config.num_heads = 2;
      document.config.dropout = rate;
      check(document);
    }
  }
  EXPECT_GT(sums, 300);
}

// The sum of a row after dropout is that of the document, and one number is not called several.
TEST(Questions, OfRowSumsNameTheSumOfTheRow) {
  Document document = default_document();
  document.config.dropout = 0.5;
  document.config.training = true;
  const Result result = evaluate(document.config);
  const Tensor dropped = read_stage(result, Stage::dropped_weights);
  for (Index query = 0; query < 6; ++query) {
    double row = 0;
    for (const float weight : dropped.matrix(0).row(query)) row += static_cast<double>(weight);
    const std::string text = answer(*question_named("row_sums"), document, query);
    const auto kept = std::ranges::count_if(dropped.matrix(0).row(query), [](float each) { return each != 0; });
    EXPECT_EQ(text.find("the others give") != std::string::npos, kept > 1) << text;
    EXPECT_EQ(text.find("the other gives") != std::string::npos, kept == 1) << text;
    EXPECT_EQ(text.find("so that the row sums to 0") != std::string::npos, kept == 0) << text;
    if (kept > 0) {
      EXPECT_NE(text.find("= " + format_fixed(row, 3)), std::string::npos) << text;
    }
  }
}

TEST(Questions, PositionsNameTheScoreWithAndWithoutThem) {
  Document document = default_document();
  document.config.d_out = 8;
  document.config.rope = Rope{.base = 10};
  const std::string text = answer(*question_named("positions"), document, 3);
  const auto score = [&](const AttentionConfig& config) {
    return fmt::format("{:.3f}", std::abs(evaluate(config).find(Stage::scores)->matrix()(3, 0)));
  };
  EXPECT_NE(text.find(score(document.config)), std::string::npos) << text;
  document.config.rope.reset();
  EXPECT_NE(text.find(score(document.config)), std::string::npos) << text;
  EXPECT_NE(text.find("stand 3 apart"), std::string::npos) << text;
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
    EXPECT_NE(text.find(format_fixed(each, 3)), std::string::npos) << each << " in " << text;
}

// An example with other weights is not the same document.
TEST(Questions, SayWhatElseIsDifferentInAnExample) {
  const auto words = [](std::string_view id, const AttentionConfig& own) {
    const ReaderQuestion& question = *question_named(id);
    return example_words(question, own, example_for(question, evaluate(own)).value());
  };
  AttentionConfig own = default_document().config;
  own.d_out = 4;
  EXPECT_EQ(words("positions", own),
            "This document has no rotary positions, so this is the same document with rotary positions.");
  own.mechanism = Mechanism::causal_attention;
  EXPECT_EQ(words("positions", own),
            "This document has no rotary positions, so this is another document of the same tokens, with rotary "
            "positions: Multi-head attention, d_out = 4, 2 heads, and weights of its own.");
  EXPECT_EQ(words("row_sums", own), "This document has no dropout, so this is the same document with p = 0.50.");
  own.mechanism = Mechanism::simple_self_attention;
  own.mask = MaskRoute::none;
  own.normalization = Normalization::sum;
  EXPECT_EQ(words("mask_when", own),
            "This document has no mask, so this is the same document with a causal mask and softmax.");
}

TEST(Questions, KeepTypedWeightsInAnExampleOfTheSameSizes) {
  AttentionConfig own = default_document().config;
  own.d_out = 4;
  own.weight_overrides["W_query.weight"] = Tensor({4, 3});
  const std::optional<AttentionConfig> example = example_for(*question_named("positions"), evaluate(own));
  ASSERT_TRUE(example);
  EXPECT_TRUE(example->weight_overrides.contains("W_query.weight"));
}

// Of twenty weights of which one is large, the sum shows that one, and what the others come to.
TEST(Questions, ALongSumShowsItsLargestTerms) {
  Document document;
  document.config.inputs = RandnInputs{20, 3};
  document.tokens = numbered_tokens(20);
  document.config.mechanism = Mechanism::causal_attention;
  document.config.d_out = 3;
  document.config.mask = MaskRoute::causal;
  document.config.scale_factor = 30;
  document.config.dropout = 0.5;
  const Result result = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  for (Index row = 10; row < 20; ++row) {
    const std::string text = answer_of(*question_named("row_sums"), {result, labels, 0, 0, row, {}});
    const Tensor weights = read_stage(result, Stage::weights);
    const Tensor dropped = read_stage(result, Stage::dropped_weights);
    float largest = 0;
    double sum = 0;
    for (Index key = 0; key < 20; ++key) {
      if (dropped.matrix(0)(row, key) > 0) largest = std::max(largest, weights.matrix(0)(row, key));
      sum += static_cast<double>(dropped.matrix(0)(row, key));
    }
    const std::size_t open = text.find("give (");
    ASSERT_NE(open, std::string::npos) << text;
    const std::string terms = text.substr(open, text.find(')', open) - open);
    EXPECT_NE(terms.find(format_fixed(static_cast<double>(largest), 3)), std::string::npos) << text;
    const Index kept = std::ranges::count_if(dropped.matrix(0).row(row), [](float each) { return each > 0; });
    EXPECT_EQ(terms.find(fmt::format(" of {} more", kept - 4)) != std::string::npos, kept > 4) << text;
    EXPECT_NE(text.find("× 2.00 = " + format_fixed(sum, 3)), std::string::npos) << text;
  }
}

// After softmax a mask hides nothing from it: the denominator has every key.
TEST(Questions, ScoresAndWeightsDivideByAllThatSoftmaxReads) {
  Document document = default_document();
  document.config.mask = MaskRoute::causal_after_softmax;
  const Result result = evaluate(document.config);
  const std::string text = answer(*question_named("scores_weights"), document, 1);
  const double weight = static_cast<double>(read_stage(result, Stage::weights).matrix(0)(1, 0));
  EXPECT_NE(text.find("= " + format_fixed(weight, 3) + ": e to its power"), std::string::npos) << text;
  document.config.mask = MaskRoute::causal;
  document.config.scale_factor = 1e4;  // e to such a score is infinite
  const std::string large = answer(*question_named("scores_weights"), document, 5);
  EXPECT_EQ(large.find("NaN"), std::string::npos) << large;
  EXPECT_EQ(large.find("∞"), std::string::npos) << large;
}

TEST(Questions, OrderOfDrawsBeginsWithWhatIsDrawnFirst) {
  Document document = default_document();
  document.config.inputs = RandnInputs{6, 3};
  document.config.skip_draws = 2;
  document.config.qk_norm = QkNorm::rms;
  const std::string text = answer(*question_named("draws"), document, 1);
  EXPECT_NE(text.find("draws thrown away (2), then inputs, randn ("), std::string::npos) << text;
  EXPECT_EQ(text.find("norm"), std::string::npos) << "gains are not drawn: " << text;
  document.config.weight_order = {Projection::key, Projection::query, Projection::value};
  EXPECT_NE(answer(*question_named("draws"), document, 1).find("Declared as query, key, value, 2 of its"),
            std::string::npos);
}

TEST(Questions, OrderOfDrawsIsOfDrawnWeights) {
  const QuestionExample& example = *question_named("draws")->example;
  const AttentionConfig set = opening_document().config;
  EXPECT_FALSE(example.is_there(set));
  EXPECT_TRUE(example.is_there(example.with(set)));
  EXPECT_TRUE(example.is_there(default_document().config));
}

TEST(Questions, EqualSharesComeOfScoresThatLieCloseTogether) {
  const ReaderQuestion& question = *question_named("equal_shares");
  const std::string random = answer(question, notebook_document(), 5);
  EXPECT_NE(random.find("small numbers in give small scores out"), std::string::npos) << random;
  const std::string telling = answer(question, opening_document(), 4);
  EXPECT_NE(telling.find("The scores of “it” lie 5.73 apart"), std::string::npos) << telling;
  EXPECT_NE(telling.find("These are not equal."), std::string::npos);
  EXPECT_TRUE(question.remedy(evaluate(notebook_document().config)));
  EXPECT_FALSE(question.remedy(evaluate(opening_document().config))) << "there is nothing to mend";
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
  EXPECT_NE(text.find(fmt::format("the 3 keys hidden from “{}” would take {} of its weight", document.tokens[2],
                                  format_fixed(3 / (seen + 3), 2))),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(fmt::format("would get {} instead of {}", format_fixed(most / (seen + 3), 2),
                                  format_fixed(most / seen, 2))),
            std::string::npos)
      << text;
  EXPECT_EQ(answer(*question_named("minus_infinity"), document, 5).find("from “" + document.tokens[5]),
            std::string::npos)
      << "the last row hides nothing, so the row before it is told";
}

TEST(Questions, SoftmaxTellsThePowersOfTheLargestAndTheSmallestScore) {
  const Document document = opening_document();
  const Result result = evaluate(document.config);
  const std::string text = answer(*question_named("softmax"), document, 4);
  const Stage last = normalized_from_stage(result.config);
  const Tensor scores = read_stage(result, last);
  const Tensor weights = read_stage(result, Stage::weights);
  const auto row = scores.matrix(0).row(4).first(5);  // the mask hides the last key
  double sum = 0;
  for (const float score : row) sum += std::exp(static_cast<double>(score));
  for (const Index key : {std::ranges::max_element(row) - row.begin(), std::ranges::min_element(row) - row.begin()}) {
    const auto score = static_cast<double>(row[static_cast<std::size_t>(key)]);
    EXPECT_NE(text.find(fmt::format("with the score {} gets {} / {} = {}", format_fixed(score, 2),
                                    format_fixed(std::exp(score), 2), format_fixed(sum, 2),
                                    format_fixed(static_cast<double>(weights.matrix(0)(4, key)), 2))),
              std::string::npos)
        << text;
  }
}

// Without positions, tokens that change places take their weights along; with rotary positions they do not.
TEST(Questions, PermutedWordsPermuteTheWeightsUnlessTheyHavePositions) {
  Document document = default_document();
  document.config.d_out = 8;
  const ReaderQuestion& question = *question_named("order");
  for (const bool is_drawn : {false, true}) {
    if (is_drawn) document.config.inputs = RandnInputs{6, 3};
    const std::string text = answer(question, document, 3);
    EXPECT_NE(text.find("still gives them"), std::string::npos) << text;
    EXPECT_NE(text.find("Here only the mask knows an order."), std::string::npos) << text;
    AttentionConfig unmasked = document.config;
    unmasked.mask = MaskRoute::none;
    const Tensor weights = read_stage(evaluate(unmasked), Stage::weights);
    const std::vector<float> row(weights.matrix(0).row(3).begin(), weights.matrix(0).row(3).end());
    float most = 0;
    for (std::size_t key = 0; key < row.size(); ++key) most = key == 3 ? most : std::max(most, row[key]);
    EXPECT_NE(text.find(format_fixed(static_cast<double>(most), 3)), std::string::npos) << text;
  }
  document.config.rope.emplace();
  const std::string turned = answer(question, document, 3);
  EXPECT_NE(turned.find("rotary positions bring them in"), std::string::npos) << turned;
  AttentionConfig unmasked = document.config;
  unmasked.mask = MaskRoute::none;
  const Tensor weights = read_stage(evaluate(unmasked), Stage::weights);
  Index most = 0;
  for (const Index key : {1, 2, 4, 5}) most = weights.matrix(0)(3, key) > weights.matrix(0)(3, most) ? key : most;
  EXPECT_NE(turned.find(" instead of " + format_fixed(static_cast<double>(weights.matrix(0)(3, most)), 3) + " and "),
            std::string::npos)
      << turned;
  document.config.rope.reset();
  document.config.bias = Tensor({6, 6}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5,
                                         0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  EXPECT_NE(answer(question, document, 3).find("the bias brings them in"), std::string::npos);
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
  EXPECT_NE(seen.find("In this document W_key = W_query, so the scores are symmetric"), std::string::npos) << seen;
  const std::string count = highest == 6   ? "Each of the 6 tokens scores itself highest"
                            : highest == 0 ? "No token scores itself highest"
                                           : fmt::format("{} of 6 tokens score", highest);
  EXPECT_NE(seen.find(count), std::string::npos) << seen;
  Tensor bias = drawn_parameter(equal.config, "W_key.bias");
  bias.values[0] += 5;
  equal.config.weight_overrides["W_key.bias"] = SharedTensor(bias);
  EXPECT_EQ(answer(question, equal, 1).find("symmetric"), std::string::npos) << "the keys' bias is another one";
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
  EXPECT_NE(
      answer(*question_named("three"), document, 4).find("1 of 6 tokens would score itself highest; now none does."),
      std::string::npos)
      << answer(*question_named("three"), document, 4);
}

TEST(Questions, SayWhatWasSetAndWhatTheSeedDrew) {
  const ReaderQuestion& question = *question_named("trained");
  Document document = notebook_document();
  EXPECT_NE(answer(question, document).find("as seed 123 drew them"), std::string::npos);
  Tensor weight = drawn_parameter(document.config, "W_key.weight");
  const Index numbers = words_of_parameters(document.config);
  weight.values[0] += 1;
  weight.values[3] += 1;
  document.config.weight_overrides["W_key.weight"] = SharedTensor(weight);
  EXPECT_NE(
      answer(question, document)
          .find(fmt::format("seed 123 drew {} of the {} numbers of the weights, and 2 were set", numbers - 2, numbers)),
      std::string::npos)
      << answer(question, document);
  const std::string chosen = answer(question, opening_document());
  EXPECT_NE(chosen.find("each of the 68 numbers of the weights ends after two decimals at most"), std::string::npos)
      << chosen;
  Document fine = opening_document();
  set_weight(fine, Stage::query_weight, 0, 0, 0, 0.1234F);
  EXPECT_NE(answer(question, fine).find("all 68 numbers of the weights were set, by hand or from a file."),
            std::string::npos);
  document.config.mechanism = Mechanism::simple_self_attention;
  document.config.weight_overrides.clear();
  EXPECT_NE(answer(question, document).find("no weights"), std::string::npos);
}

TEST(Questions, AnIdentityIsSaidToChangeNothing) {
  const ReaderQuestion& question = *question_named("out_proj");
  EXPECT_NE(answer(question, opening_document(), 4).find("it changes nothing"), std::string::npos);
  EXPECT_EQ(answer(question, notebook_document(), 4).find("it changes nothing"), std::string::npos);
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
  EXPECT_NE(text.find(fmt::format("“it” gives “cat” its largest weight, {}; if the other keys share this weight "
                                  "instead, its context moves by {}.",
                                  format_fixed(static_cast<double>(row[static_cast<std::size_t>(most)]), 2),
                                  format_fixed(std::sqrt(moved), 2))),
            std::string::npos)
      << text;
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
        EXPECT_NE(text.find(fmt::format("in {} of {} pairs of keys", misleading, all)), std::string::npos);
      }
    }
  }
  const std::string small = answer(*question_named("explanation"), opening_document(), 4);
  EXPECT_NE(small.find("“it” with the weight 0.005 moves the context by 0.003, but “slept” with the weight 0.003 "
                       "moves the context by 0.004."),
            std::string::npos)
      << small;
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
  EXPECT_NE(
      text.find("with head 1 switched off (O), the output of “it” moves by " + format_fixed(std::sqrt(squares), 2)),
      std::string::npos)
      << text;
  Document single = default_document();
  single.config.mechanism = Mechanism::causal_attention;
  const std::string alone = answer(*question_named("explanation"), single, 4);
  EXPECT_EQ(alone.find("switched off"), std::string::npos) << alone;
  EXPECT_EQ(alone.find("output"), std::string::npos) << alone;
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
  EXPECT_NE(text.find(before.substr(promised)), std::string::npos) << text;
  EXPECT_NE(text.find("Head 1 is switched off now, and its context is 0. With the head on: “it” gives"),
            std::string::npos)
      << text;
  EXPECT_EQ(before.find("switched off now"), std::string::npos) << before;
}

// A head that is off takes nothing, whatever its weights are: answers and views say so.
TEST(Questions, OfAHeadThatIsOffSayThatItTakesNothing) {
  Document document = opening_document();
  const auto headline = [&] {
    const Result result = evaluate(document.config);
    const std::vector<std::string> labels = token_labels(document.tokens);
    const TeachingViewChoice choice{.id = "roles"};
    return make_board({result, labels, 0, 0, 4, choice}).headline;
  };
  EXPECT_NE(headline().find("takes 0.97 of its value"), std::string::npos) << headline();
  document.config.heads_off = {0};
  EXPECT_NE(headline().find("takes nothing of its value: head 1 is switched off"), std::string::npos) << headline();
  const std::string text = answer(*question_named("value"), document, 4);
  EXPECT_NE(text.find("with this head on, “it” would take 0.97 times this value; the head is switched off"),
            std::string::npos)
      << text;
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
  EXPECT_NE(text.find("“" + document.tokens[2] + "” sees 3 keys, of which dropout left one. “"), std::string::npos)
      << text;
  EXPECT_NE(text.find("its largest weight"), std::string::npos) << text;
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
  EXPECT_NE(text.find(fmt::format("the probability {} instead of {}.", left, with_all)), std::string::npos) << text;
  const Result off = evaluate(without);
  const std::string now = answer_of(*question_named("explanation"), {off, labels, 1, 0, 3, {}});
  EXPECT_NE(now.find(fmt::format("as it is now, the model gives its likeliest next word the probability {} instead of "
                                 "{}.",
                                 left, with_all)),
            std::string::npos)
      << now;
}

// The draw that is named has the same place among the numbers that either kind of weight stores.
TEST(Questions, OfLinearAndParameterNameTheCellsThatADrawLandsIn) {
  Document document = default_document();
  document.config.mechanism = Mechanism::self_attention_v1;
  const std::string text = answer(*question_named("linear"), document);
  EXPECT_NE(text.find("draw 4 is W[1, 1] of nn.Parameter, but weight[1, 0] of nn.Linear"), std::string::npos) << text;
  const Result v1 = evaluate(document.config);
  document.config.mechanism = Mechanism::self_attention_v2;
  const Result v2 = evaluate(document.config);
  const float drawn = v1.parameters->front().tensor.matrix()(1, 1);
  const double bound = 1 / std::sqrt(3.0);
  EXPECT_NEAR(v2.parameters->front().tensor.matrix()(1, 0), (2 * static_cast<double>(drawn) - 1) * bound, 1e-6);
}

// Of token 4 of 6 with a causal mask: its row and its column of scores, and the weights of the rows that see it.
TEST(Questions, AChangedNumberChangesItsRowItsColumnAndWholeRowsOfWeights) {
  Document document = default_document();
  document.config.mechanism = Mechanism::causal_attention;
  document.config.mask = MaskRoute::causal;
  document.config.d_out = 2;
  document.config.weight_overrides.clear();
  for (const bool is_drawn : {false, true}) {
    if (is_drawn) document.config.inputs = RandnInputs{6, 3};
    const std::string text = answer(*question_named("changes"), document, 3);
    EXPECT_NE(text.find("2 of 12 queries, 2 of 12 keys, 2 of 12 values, 11 of 36 scores, 15 of 36 attention weights, 6 "
                        "of 12 numbers of the context"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("in 3 of 6 rows"), std::string::npos) << text;
    EXPECT_NE(text.find("The mask hides “" + document.tokens[3] + "” from the words before it"), std::string::npos)
        << text;
  }
  document.config.mask = MaskRoute::none;
  const std::string seen = answer(*question_named("changes"), document, 3);
  EXPECT_NE(seen.find("36 of 36 attention weights, 12 of 12 numbers of the context"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("The mask hides"), std::string::npos) << seen;
}

TEST(Questions, TheNumberThatIsChangedIsTheOneThatSomebodyLooksAt) {
  Document document = opening_document();
  const Result result = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  const ReaderQuestion& question = *question_named("changes");
  const TeachingViewChoice choice;
  const auto subject = [&](std::optional<Index> feature) {
    return TeachingViewSubject{result, labels, 0, 0, 4, choice, {}, nullptr, feature};
  };
  EXPECT_EQ(question.trial(subject({})).value().label, "Set “pronoun” of “it” to 1.00") << "the largest of the row";
  EXPECT_EQ(question.trial(subject(0)).value().label, "Set “thing” of “it” to 0.40");
  question.trial(subject(0)).value().change(document);
  EXPECT_FLOAT_EQ(evaluate(document.config).find(Stage::inputs)->matrix()(4, 0), 0.4F);
}

TEST(Questions, AListOfHeadsAndOneClassHaveTheSameContext) {
  const std::string text = answer(*question_named("wrapper"), opening_document(), 4);
  EXPECT_NE(text.find("the 24 numbers of the context are the same."), std::string::npos) << text;
}

TEST(Questions, OfTheMaskSaysThatLaterWordsAreHidden) {
  const ReaderQuestion& question = *question_named("hide_or_show");
  Document document = opening_document();
  const std::string text = answer(question, document, 4);
  EXPECT_NE(text.find("hides later words from earlier ones"), std::string::npos) << text;
  EXPECT_NE(text.find("The query “it” sees 5 of 6 keys."), std::string::npos) << text;
  set_hidden(document, 0, 5, false);
  EXPECT_EQ(answer(question, document, 4).find("hides later words"), std::string::npos) << "one of them is seen";
}

// Whatever row somebody looks at: a row from which nothing is hidden, or everything, shows nothing of a mask.
TEST(Questions, OfMasksAreAboutARowFromWhichSomeKeysAreHidden) {
  for (const Document& document : {opening_document(), default_document(), notebook_document()}) {
    const Result result = evaluate(document.config);
    const Visibility seen = visibility(document.config);
    for (const char* const id : {"hide_or_show", "mask_when", "minus_infinity"}) {
      const ReaderQuestion& question = *question_named(id);
      for (Index pinned = 0; pinned < 6; ++pinned) {
        const Index row = row_for(question, result, 0, 0, pinned);
        EXPECT_LT(seen.count(row), 6) << id << ", " << pinned;
        EXPECT_TRUE(row == pinned || seen.count(pinned) == 6) << id << ", " << pinned;
      }
    }
    const std::string when =
        answer(*question_named("mask_when"), document, row_for(*question_named("mask_when"), result, 0, 0, 5));
    EXPECT_EQ(when.find("no key is hidden"), std::string::npos) << when;
  }
}

TEST(Questions, OfTheMaskBeginWithItsSide) {
  EXPECT_TRUE(answer(*question_named("hide_or_show"), opening_document(), 4)
                  .starts_with("A key right of the diagonal comes later and is hidden"));
  const std::string why = answer(*question_named("minus_infinity"), opening_document(), 4);
  EXPECT_LT(why.find("right of the diagonal"), why.find('.')) << why;
  const std::string side = answer(*question_named("hide_or_show"), opening_document(), 4);
  EXPECT_NE(side.find(question_named("minus_infinity")->text), std::string::npos) << "the other question";
}

TEST(Questions, ABatchOfTwoIsShownWithEveryShape) {
  const ReaderQuestion& question = *question_named("batch_shapes");
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (builtin.id == "gpt2_sized") continue;
    SCOPED_TRACE(builtin.id);
    const Document document = parse_document(builtin.json);
    const std::string text = answer(question, document);
    AttentionConfig two = document.config;
    two.batch_size = 2;
    for (const StageInfo& stage : stages()) {
      if (!has_stage(two, stage.stage) || is_parameter(stage.axes)) continue;
      const std::vector<Index> shape = shape_in_class(two, stage.stage);
      if (shape.front() != 2) continue;
      EXPECT_NE(text.find(stage.title), std::string::npos) << stage.title << ": " << text;
      EXPECT_NE(text.find(format_shape(shape)), std::string::npos) << stage.title << ": " << text;
    }
  }
  EXPECT_NE(answer(question, opening_document()).find("queries, keys, values (2, 2, 6, 2)"), std::string::npos)
      << answer(question, opening_document());
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
      EXPECT_NE(text.find("Now " + pair), std::string::npos) << text;
      EXPECT_NE(text.find("symmetric"), std::string::npos) << text;
      EXPECT_NE(make_board(subject).headline.find(pair), std::string::npos) << make_board(subject).headline;
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
  EXPECT_NE(text.find("every two different tokens score each other 0, because only “it” looks for something"),
            std::string::npos)
      << text;
  set_input(document, 0, 2, 0.5F);  // the pronoun's dimension: now the first token looks for something, too
  for (Index query = 1; query < 4; ++query) {
    const std::string seen = answer(question, document, query);
    EXPECT_NE(seen.find(fmt::format("“{}” scores “it” ", document.tokens[0])), std::string::npos) << seen;
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
  EXPECT_NE(answer(question, opening_document()).find("were set, not drawn"), std::string::npos);
  EXPECT_NE(answer(question, notebook_document()).find("weights were drawn and"), std::string::npos);
  Document document = notebook_document();
  set_weight(document, Stage::query_weight, 0, 0, 0, 2);
  EXPECT_NE(answer(question, document).find("weights were in part set and"), std::string::npos);
}

TEST(Questions, AChangedNumberNamesOnlyStagesThatAreThere) {
  Document document = default_document();
  document.config.mechanism = Mechanism::simple_self_attention;
  document.config.weight_overrides.clear();
  const std::string simple = answer(*question_named("changes"), document, 1);
  EXPECT_EQ(simple.find("queries"), std::string::npos) << simple;
  EXPECT_EQ(simple.find("output"), std::string::npos) << simple;
}

// The inputs of a layer come from the layers below it: the answer changes one of them there.
TEST(Questions, AChangedNumberOfAModelIsCountedToo) {
  const AttentionConfig config = small_layer(small_model(), 1);
  const Result result = evaluate(config);
  const std::vector<std::string> labels(static_cast<std::size_t>(token_count(config)), "a");
  const std::string text = answer_of(*question_named("changes"), {result, labels, 0, 0, 2, {}});
  const Index features = stage_shape(config, Stage::queries).back() * head_count(config);
  EXPECT_NE(text.find(fmt::format("{} of {} queries", features,
                                  format_integer(static_cast<double>(features * token_count(config))))),
            std::string::npos)
      << text;
}

TEST(Questions, AChangedNumberIsShownInTheHeadThatItChangesMost) {
  const Document document = opening_document();
  const Result before = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  const TeachingViewChoice choice;
  const QuestionRemedy trial =
      question_named("changes")->trial(TeachingViewSubject{before, labels, 0, 0, 4, choice}).value();
  Document changed = document;
  trial.change(changed);
  const Result after = evaluate(changed.config);
  const Tensor was = read_stage(before, Stage::weights);
  const Tensor is = read_stage(after, Stage::weights);
  float most[2] = {};
  for (std::size_t i = 0; i < was.values.size(); ++i)
    most[i / 36] = std::max(most[i / 36], std::abs(is.values[i] - was.values[i]));
  EXPECT_EQ(trial.head, most[1] > most[0] ? 1 : 0) << most[0] << " " << most[1];
}

TEST(Questions, ScalingNamesDkAndDrawsAsManyKeysAsItsView) {
  const Document document = opening_document();
  const std::string text = answer(*question_named("scaling"), document, 4);
  EXPECT_NE(text.find("head_dim is d_k"), std::string::npos) << text;
  EXPECT_NE(text.find("the largest of 8 weights"), std::string::npos) << text;
  const Result result = evaluate(document.config);
  const Board board = make_board({result, token_labels(document.tokens), 0, 0, 4, {.id = "scaling"}});
  EXPECT_NE(board.note.find("8 keys"), std::string::npos) << board.note;
}

TEST(Questions, AnIdentityCanBeMadeToMix) {
  Document document = opening_document();
  const std::vector<std::string> labels = token_labels(document.tokens);
  const TeachingViewChoice choice;
  const ReaderQuestion& question = *question_named("out_proj");
  const Result before = evaluate(document.config);
  question.trial(TeachingViewSubject{before, labels, 0, 0, 4, choice}).value().change(document);
  const Result after = evaluate(document.config);
  EXPECT_NE(after.find(Stage::output)->matrix()(4, 0), before.find(Stage::output)->matrix()(4, 0));
  EXPECT_EQ(answer(question, document, 4).find("changes nothing"), std::string::npos);
  EXPECT_FALSE(question.trial(TeachingViewSubject{after, labels, 0, 0, 4, choice})) << "it mixes already";
}

TEST(Questions, AreFoundByTheirWordsAndByOthers) {
  EXPECT_EQ(find_questions("future").front()->id, "hide_or_show");
  EXPECT_EQ(find_questions("key before query").front()->id, "draws");
  EXPECT_EQ(find_questions("").size(), questions().size());
  ASSERT_EQ(find_questions("MKL").size(), 1U);
  EXPECT_EQ(find_questions("mkl").front()->id, "other_mask");
  EXPECT_EQ(find_questions("row masked").front()->id, "masked_row");
  EXPECT_TRUE(find_questions("zebra").empty());
}

TEST(Questions, AreAskedWhereTheyComeUp) {
  EXPECT_EQ(question_at(Stage::dropped_weights)->id, "row_sums");
  EXPECT_EQ(question_at(Stage::mask)->id, "hide_or_show");
  EXPECT_EQ(question_at(Stage::capped_scores), nullptr);
  EXPECT_EQ(question_at_control("d_out")->id, "d_out");
  EXPECT_EQ(question_at_control("threads"), nullptr);
}

}  // namespace
}  // namespace attnscope::test
