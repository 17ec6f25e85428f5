#include "teach/questions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <span>

#include "answers.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "tests/support/small_model.h"
#include "view/number_words.h"

namespace attnscope::test {
namespace {

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
        EXPECT_FALSE(tells(text, "NaN in"));
        EXPECT_FALSE(tells(text, "{"));
        EXPECT_FALSE(tells(text, "+ −")) << "negative terms stand in brackets";
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
      EXPECT_FALSE(tells(text, "has no"));
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
  EXPECT_TRUE(tells(query, "“it” has the query (3.60, 1.80)"));
  EXPECT_TRUE(tells(query, "with “cat” the score is 3.60 × 1.80 + 1.80 × 0.00 = " + score));
  EXPECT_TRUE(tells(query, "gets " + weight + " of its attention"));
  const std::string key = answer(*question_named("key"), document, it);
  EXPECT_TRUE(tells(key, "“cat” has the key (1.80, 0.00)"));
  EXPECT_TRUE(tells(key, "“it” with the score " + score));
  const std::string value = answer(*question_named("value"), document, it);
  EXPECT_TRUE(tells(value, "“cat” has the value (0.90, 0.00)"));
  EXPECT_TRUE(tells(value, "“it” takes " + weight + " times this value"));
  const std::string embedding = answer(*question_named("embedding"), document, it);
  EXPECT_TRUE(tells(embedding, "thing 0.30"));
}

TEST(Questions, SayWhatAContextAndAHeadAreWithTheDocumentsNumbers) {
  Document document = opening_document();
  const Result result = evaluate(document.config);
  const std::string context = answer(*question_named("context"), document, 4);
  const std::string first = format_fixed(static_cast<double>(result.find(Stage::context)->matrix()(4, 0)), 2);
  EXPECT_TRUE(tells(context, "“it” has the context (" + first + ", "));
  EXPECT_TRUE(tells(context, "= " + first + ": weights times"));
  const std::string head = answer(*question_named("head"), document, 4);
  EXPECT_TRUE(tells(head, "This document has 2 heads, of 2 numbers each. “it” looks in head 1 most at “cat” (0.97)"));
  document.config.heads_off = {0};
  EXPECT_TRUE(tells(answer(*question_named("context"), document, 4), "switched off"));
}

// The products of the first number of the output, and their sum.
TEST(Questions, TheArithmeticOfOutProjIsRight) {
  Document document = default_document();
  document.config.d_out = 4;
  document.config.num_heads = 2;
  const Result result = evaluate(document.config);
  const std::string text = answer(*question_named("out_proj"), document, 1);
  const std::string first = format_fixed(static_cast<double>(result.find(Stage::output)->matrix()(1, 0)), 2);
  EXPECT_TRUE(tells(text, "= " + first));
  EXPECT_TRUE(tells(text, "of the bias"));
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
      EXPECT_TRUE(tells(text, "= " + format_fixed(row, 3)));
    }
  }
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
    EXPECT_TRUE(tells(terms, format_fixed(static_cast<double>(largest), 3))) << text;
    const Index kept = std::ranges::count_if(dropped.matrix(0).row(row), [](float each) { return each > 0; });
    EXPECT_EQ(terms.find(fmt::format(" of {} more", kept - 4)) != std::string::npos, kept > 4) << text;
    EXPECT_TRUE(tells(text, "× 2.00 = " + format_fixed(sum, 3)));
  }
}

// After softmax a mask hides nothing from it: the denominator has every key.
TEST(Questions, ScoresAndWeightsDivideByAllThatSoftmaxReads) {
  Document document = default_document();
  document.config.mask = MaskRoute::causal_after_softmax;
  const Result result = evaluate(document.config);
  const std::string text = answer(*question_named("scores_weights"), document, 1);
  const double weight = static_cast<double>(read_stage(result, Stage::weights).matrix(0)(1, 0));
  EXPECT_TRUE(tells(text, "= " + format_fixed(weight, 3) + ": e to its power"));
  document.config.mask = MaskRoute::causal;
  document.config.scale_factor = 1e4;  // e to such a score is infinite
  const std::string large = answer(*question_named("scores_weights"), document, 5);
  EXPECT_FALSE(tells(large, "NaN"));
  EXPECT_FALSE(tells(large, "∞"));
}

TEST(Questions, EqualSharesComeOfScoresThatLieCloseTogether) {
  const ReaderQuestion& question = *question_named("equal_shares");
  const std::string random = answer(question, notebook_document(), 5);
  EXPECT_TRUE(tells(random, "small numbers in give small scores out"));
  const std::string telling = answer(question, opening_document(), 4);
  EXPECT_TRUE(tells(telling, "The scores of “it” lie 5.73 apart"));
  EXPECT_TRUE(tells(telling, "These are not equal."));
  EXPECT_TRUE(question.remedy(evaluate(notebook_document().config)));
  EXPECT_FALSE(question.remedy(evaluate(opening_document().config))) << "there is nothing to mend";
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
    EXPECT_TRUE(tells(text, fmt::format("with the score {} gets {} / {} = {}", format_fixed(score, 2),
                                        format_fixed(std::exp(score), 2), format_fixed(sum, 2),
                                        format_fixed(static_cast<double>(weights.matrix(0)(4, key)), 2))));
  }
}

TEST(Questions, AnIdentityIsSaidToChangeNothing) {
  const ReaderQuestion& question = *question_named("out_proj");
  EXPECT_TRUE(tells(answer(question, opening_document(), 4), "it changes nothing"));
  EXPECT_FALSE(tells(answer(question, notebook_document(), 4), "it changes nothing"));
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
  EXPECT_TRUE(tells(headline(), "takes 0.97 of its value"));
  document.config.heads_off = {0};
  EXPECT_TRUE(tells(headline(), "takes nothing of its value: head 1 is switched off"));
  const std::string text = answer(*question_named("value"), document, 4);
  EXPECT_TRUE(tells(text, "with this head on, “it” would take 0.97 times this value; the head is switched off"));
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
    EXPECT_TRUE(tells(text,
                      "2 of 12 queries, 2 of 12 keys, 2 of 12 values, 11 of 36 scores, 15 of 36 attention weights, 6 "
                      "of 12 numbers of the context"));
    EXPECT_TRUE(tells(text, "in 3 of 6 rows"));
    EXPECT_TRUE(tells(text, "The mask hides “" + document.tokens[3] + "” from the words before it"));
  }
  document.config.mask = MaskRoute::none;
  const std::string seen = answer(*question_named("changes"), document, 3);
  EXPECT_TRUE(tells(seen, "36 of 36 attention weights, 12 of 12 numbers of the context"));
  EXPECT_FALSE(tells(seen, "The mask hides"));
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
  EXPECT_TRUE(tells(text, "the 24 numbers of the context are the same."));
}

TEST(Questions, OfTheMaskSaysThatLaterWordsAreHidden) {
  const ReaderQuestion& question = *question_named("hide_or_show");
  Document document = opening_document();
  const std::string text = answer(question, document, 4);
  EXPECT_TRUE(tells(text, "hides later words from earlier ones"));
  EXPECT_TRUE(tells(text, "The query “it” sees 5 of 6 keys."));
  set_hidden(document, 0, 5, false);
  EXPECT_FALSE(tells(answer(question, document, 4), "hides later words")) << "one of them is seen";
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
    EXPECT_FALSE(tells(when, "no key is hidden"));
  }
}

TEST(Questions, OfTheMaskBeginWithItsSide) {
  EXPECT_TRUE(answer(*question_named("hide_or_show"), opening_document(), 4)
                  .starts_with("A key right of the diagonal comes later and is hidden"));
  const std::string why = answer(*question_named("minus_infinity"), opening_document(), 4);
  EXPECT_LT(why.find("right of the diagonal"), why.find('.')) << why;
  const std::string side = answer(*question_named("hide_or_show"), opening_document(), 4);
  EXPECT_TRUE(tells(side, question_named("minus_infinity")->text)) << "the other question";
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
      EXPECT_TRUE(tells(text, stage.title));
      EXPECT_TRUE(tells(text, format_shape(shape))) << stage.title;
    }
  }
  EXPECT_TRUE(tells(answer(question, opening_document()), "queries, keys, values (2, 2, 6, 2)"));
}

TEST(Questions, AChangedNumberNamesOnlyStagesThatAreThere) {
  Document document = default_document();
  document.config.mechanism = Mechanism::simple_self_attention;
  document.config.weight_overrides.clear();
  const std::string simple = answer(*question_named("changes"), document, 1);
  EXPECT_FALSE(tells(simple, "queries"));
  EXPECT_FALSE(tells(simple, "output"));
}

// The inputs of a layer come from the layers below it: the answer changes one of them there.
TEST(Questions, AChangedNumberOfAModelIsCountedToo) {
  const AttentionConfig config = small_layer(small_model(), 1);
  const Result result = evaluate(config);
  const std::vector<std::string> labels(static_cast<std::size_t>(token_count(config)), "a");
  const std::string text = answer_of(*question_named("changes"), {result, labels, 0, 0, 2, {}});
  const Index features = stage_shape(config, Stage::queries).back() * head_count(config);
  EXPECT_TRUE(tells(text, fmt::format("{} of {} queries", features,
                                      format_integer(static_cast<double>(features * token_count(config))))));
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
  EXPECT_TRUE(tells(text, "head_dim is d_k"));
  EXPECT_TRUE(tells(text, "the largest of 8 weights"));
  const Result result = evaluate(document.config);
  const Board board = make_board({result, token_labels(document.tokens), 0, 0, 4, {.id = "scaling"}});
  EXPECT_TRUE(tells(board.note, "8 keys"));
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
  EXPECT_FALSE(tells(answer(question, document, 4), "changes nothing"));
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
