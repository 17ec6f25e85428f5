#include <cmath>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "document/json.h"
#include "support.h"
#include "teach/judge.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

using Kind = Question::Kind;

// The notebook's causal attention with half of the weights dropped.
class Judgements : public testing::Test {
protected:
  std::string on_number(const std::string& formula, double typed, double tolerance = 1e-4) const {
    const Question question{.kind = Kind::number, .answer = formula, .tolerance = tolerance};
    const Verdict verdict = judge(question, {.typed = fmt_number(typed)}, numbers_);
    return verdict.is_right ? "right" : verdict.why;
  }
  static std::string fmt_number(double number) { return std::to_string(number); }
  double value(std::string_view formula) const { return number_of_formula(formula, numbers_); }
  std::string on_cell(const std::string& asked, const Source& clicked) const {
    const Question question{.kind = Kind::cell, .answer = asked};
    const Verdict verdict = judge(question, {.cell = clicked}, numbers_);
    return verdict.is_right ? "right" : verdict.why;
  }
  static bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

  Document document_ = parse_document(R"({"mechanism": "causal_attention", "dropout": 0.5, "dropout_seed": 123,
                                          "seed": 789})");
  Result result_ = evaluate(document_.config);
  StepNumbers numbers_{document_, result_};
};

TEST_F(Judgements, OfANumberSayWhichNumberItIs) {
  const std::string asked = "weights[0,0,3,1]";
  EXPECT_EQ(on_number(asked, value(asked)), "right");
  EXPECT_TRUE(has(on_number(asked, value("scaled_scores[0,0,3,1]")), "of scaled scores; attention weights come after"))
      << on_number(asked, value("scaled_scores[0,0,3,1]"));
  EXPECT_TRUE(has(on_number(asked, value("weights[0,0,3,0]")), "key “Your” of query “with”"));
  EXPECT_TRUE(has(on_number(asked, -value(asked)), "sign"));
  EXPECT_TRUE(has(on_number(asked, 3), "too large"));
  EXPECT_TRUE(has(on_number("scores[0,0,3,1]", value("scores[0,0,1,3]")), "the other way round"));
}

// A number that merely happens to follow from the right one, and one of a stage that comes later, may not have been
// meant: a lesson names the mistakes that it knows.
TEST_F(Judgements, OfANumberNameOnlyNumbersOfItsStageAndOfThoseBeforeIt) {
  const std::string kept = "dropped_weights[0,0,3,1]";
  EXPECT_TRUE(has(on_number(kept, value("weights[0,0,3,1]")), "of attention weights; dropped weights come after them"));
  EXPECT_TRUE(has(on_number(kept, value("dropout_factors[0,0,3,1]")), "2 is too large"));
  EXPECT_TRUE(has(on_number("scores[0,0,3,1]", value("scaled_scores[0,0,3,1]")), "is too small"));
  EXPECT_TRUE(has(on_number("scores[0,0,3,1]", value("scores[0,0,3,1]") * std::sqrt(2)), "is too large"));
  EXPECT_TRUE(has(on_number("document.head_dim", 4), "4 is too large"));
  const Question rough{.kind = Kind::number, .answer = "weights[0,0,5,1]", .tolerance = 0.005};
  EXPECT_TRUE(has(judge(rough, {.typed = "0.19"}, numbers_).why, "the cell beside it, key “Your” of query “step”"));
  EXPECT_TRUE(has(judge(rough, {.typed = "0.196"}, numbers_).why, "too large")) << "0.1935 is not 0.196";
}

// "Large" is clear of numbers from 0 up only: −0.41 is less than −0.24 and further from 0.
TEST_F(Judgements, OfANegativeNumberSayOnWhichSideOfItIs) {
  const std::string negative = "0 - weights[0,0,3,1]";
  const double right = value(negative);
  ASSERT_LT(right, -0.2);
  ASSERT_GT(right, -0.3);
  EXPECT_EQ(on_number(negative, -0.41), "−0.41 is too far below 0.");
  EXPECT_EQ(on_number(negative, -0.1), "−0.1 is not far enough below 0.");
  EXPECT_EQ(on_number(negative, 0), "The right number is below 0.");
  EXPECT_EQ(on_number(negative, 0.1), "The right number has the other sign.");
  const auto reached = [&](double goal) {
    return judge({.kind = Kind::reach, .answer = negative, .to = goal, .tolerance = 0.001}, {}, numbers_).why;
  };
  EXPECT_TRUE(has(reached(-0.1), "which is too far below 0: the goal is −0.1.")) << reached(-0.1);
  EXPECT_TRUE(has(reached(-0.9), "which is not far enough below 0: the goal is −0.9.")) << reached(-0.9);
  EXPECT_TRUE(has(reached(0.5), "which is below 0: the goal is 0.5.")) << reached(0.5);
}

TEST(Judgement, OfASharesSizeHoldsForSoftmaxAlone) {
  const Document document = parse_document(R"({"mechanism": "simple_self_attention", "normalization": "sum",
                                               "inputs": [[1, 0], [-1, 3]]})");
  const Result result = evaluate(document.config);
  const StepNumbers numbers{document, result};
  ASSERT_LT(number_of_formula("weights[0,0,1,0]", numbers), 0) << "a share of a sum may be negative";
  const Question question{.kind = Kind::number, .answer = "weights[0,0,1,0]", .tolerance = 1e-4};
  EXPECT_EQ(judge(question, {.typed = "-0.9"}, numbers).why, "−0.9 is too far below 0.");
}

TEST_F(Judgements, SayOfANamedMistakeWhatItsAuthorSays) {
  const Question question{
      .kind = Kind::number,
      .answer = "sum(dropped_weights[0,0,3])",
      .tolerance = 1e-4,
      .mistakes = {{"sum(weights[0,0,3])", {"", "Before dropout it is {{sum(weights[0,0,3]):.0f}}."}}}};
  EXPECT_EQ(judge(question, {.typed = "1"}, numbers_).why, "Before dropout it is 1.");
}

// The screen rounds numbers, and people type what they read there: of the right number and of a mistake alike.
TEST_F(Judgements, TakeNumbersAsTheScreenRoundsThem) {
  const Question question{.kind = Kind::number,
                          .answer = "0.6316",
                          .tolerance = 1e-4,
                          .mistakes = {{"1.5789", {"", "That is divided by 0.4."}}, {"0.63 + 0.05", {"", "Near."}}}};
  const auto said = [&](const std::string& typed) {
    const Verdict verdict = judge(question, {.typed = typed}, numbers_);
    return verdict.is_right ? "right" : verdict.why;
  };
  for (const char* const typed : {"1.6", "1,6 ", "1.58", "1.579", "1.5789"})
    EXPECT_EQ(said(typed), "That is divided by 0.4.") << typed;
  for (const char* const typed : {"0.63", ".632", "0.6316"}) EXPECT_EQ(said(typed), "right") << typed;
  EXPECT_EQ(said("0.68"), "Near.");
  for (const char* const typed : {"2", "1.5", "0.6", "1", "0.64"})
    EXPECT_TRUE(has(said(typed), "too ")) << typed << ": one digit says too little, and 0.64 is not 0.6316";
}

// What a wide tolerance takes for right may still be a mistake, if it is nearer to that.
TEST_F(Judgements, TellAMistakeFromTheRightNumberByWhichIsNearer) {
  const Question question{
      .kind = Kind::number, .answer = "1", .tolerance = 0.5, .mistakes = {{"1.5789", {"", "Mistaken."}}}};
  EXPECT_TRUE(judge(question, {.typed = "1.2"}, numbers_).is_right);
  EXPECT_EQ(judge(question, {.typed = "1.5"}, numbers_).why, "Mistaken.");
}

TEST_F(Judgements, NameFormulasInWords) {
  const auto words = [&](std::string_view formula) { return formula_words(formula, numbers_); };
  EXPECT_EQ(words("weights[0,0,1,5]"), "the attention weight of key “step” for query “journey”");
  EXPECT_EQ(words("sum(dropped_weights[0,0,2])"), "the sum of the dropped weights of query “starts”");
  EXPECT_EQ(words("max(head_context[0,0])"), "the largest number in the head context");
  EXPECT_EQ(words("context[0,1,0]"), "the context in row 2, column 1");
  EXPECT_EQ(words("inputs[0,1]"), "the inputs of row 2");
  EXPECT_EQ(words("mask[5,0]"), "the mask of key “Your” for query “step”");
  EXPECT_EQ(words("W_query[0,1]"), "W_query in row 1, column 2");
  EXPECT_EQ(words("2 * (document.head_dim - 1) / document.num_heads"), "2 × (head_dim − 1) / the number of heads");
  EXPECT_EQ(words("chance(box)"), "the probability of the next word box");
  const Document heads = parse_document(R"({"d_out": 4, "num_heads": 2, "batch_size": 2})");
  const Result result = evaluate(heads.config);
  EXPECT_EQ(formula_words("scores[1,0,3,1]", {heads, result}),
            "the score of key “journey” for query “with” of head 1 of batch entry 2");
}

TEST_F(Judgements, TakeNumbersAsPeopleWriteThem) {
  const Question question{.kind = Kind::number, .answer = "weights[0,0,1,0]", .tolerance = 0.005};
  for (const std::string typed : {"0.55", "0,55", " .55 ", "+0.55"})
    EXPECT_TRUE(judge(question, {.typed = typed}, numbers_).is_right) << typed;
  EXPECT_TRUE(has(judge(question, {.typed = "half"}, numbers_).why, "Type a number"));
  EXPECT_TRUE(has(judge(question, {.typed = ""}, numbers_).why, "Type a number"));
}

// A share is shown in percent, so it is typed in percent.
TEST_F(Judgements, OfANumberReadPercents) {
  const auto on = [&](const std::string& typed) {
    const Question question{.kind = Kind::number, .answer = "0.0158", .tolerance = 1e-4};
    const Verdict verdict = judge(question, {.typed = typed}, numbers_);
    return verdict.is_right ? "right" : verdict.why;
  };
  for (const std::string typed : {"1.6%", "1.6 %", " 1,58 % ", "1.6\u00A0%", "0.0158", "0.016"})
    EXPECT_EQ(on(typed), "right") << typed;
  EXPECT_TRUE(has(on("3.2 %"), "too large"));
  EXPECT_TRUE(has(on("3.2"), "too large"));
  EXPECT_TRUE(has(on("%"), "Type a number"));
  EXPECT_EQ(typed_number("50 %"), 0.5);
}

// The screen shows chances in percent, so the sign is what was forgotten.
TEST_F(Judgements, OfAChanceSayThatTheSignOfPercentIsMissing) {
  const Document document = parse_document(R"({"model": "example:stories", "text": "Mia puts the ball in the box ."})");
  const Result result = evaluate(document.config);
  const StepNumbers numbers{document, result};
  const Question question{.kind = Kind::number, .answer = "chance(the)", .tolerance = 1e-4};
  const std::string percents = fmt::format("{:.2f}", 100 * number_of_formula(question.answer, numbers));
  EXPECT_TRUE(judge(question, {.typed = percents + " %"}, numbers).is_right) << percents;
  EXPECT_EQ(judge(question, {.typed = percents}, numbers).why, "In percent that is right: type " + percents + " %.");
  EXPECT_EQ(judge(question, {.typed = "96.6"}, numbers).why,
            "96.6 is more than 1: did you mean 96.6 %, which is 0.966?");
  EXPECT_EQ(judge(question, {.typed = "966"}, numbers).why, "966 is more than 1, and a probability is not.");
}

// A number is said in the unit in which the field takes it.
TEST_F(Judgements, OfAChanceAreInPercent) {
  const Document document = parse_document(R"({"model": "example:stories", "text": "Mia puts the ball in the box ."})");
  const Result result = evaluate(document.config);
  const StepNumbers numbers{document, result};
  const Question question{.kind = Kind::number, .answer = "chance(the)", .tolerance = 1e-4};
  const double right = 100 * number_of_formula(question.answer, numbers);
  EXPECT_EQ(right_answer_text(question, numbers), number_words(right) + " %");
  EXPECT_TRUE(judge(question, {.typed = "99 %"}, numbers).why.starts_with("99 % is too"));
  EXPECT_EQ(judge(question, {.typed = "?"}, numbers).why, "Type a number, such as 2.5 %.");
  const Question of_weight{.kind = Kind::number, .answer = "weights[0,0,1,0]"};
  EXPECT_EQ(right_answer_text(of_weight, numbers_), number_words(value(of_weight.answer)));
}

class Covers : public Judgements {
protected:
  // Returns what is covered in a step that pins a weight: "weights 3" is a row.
  std::string of(const std::string& question, const std::string& text = "", const std::string& show = "") const {
    const Lesson lesson = parse_lesson(
        fmt::format(R"({{"id": "a", "title": "A", "steps": [{{"id": "a", "title": "A", "text": "{}", "document":
          {{"mechanism": "causal_attention", "dropout": 0.5, "dropout_seed": 123, "seed": 789}},
          "show": {{"pin": "weights[0,0,3,1]"{}}}, "question": {}}}]}})",
                    text, show, question));
    std::string words;
    for (const Cover& cover : covers_of(lesson.steps.front(), numbers_))
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", info(cover.stage).id, cover.row.value_or(-1));
    return words;
  }
  static std::string choice(const std::string& right, const std::string& wrong = "another") {
    return fmt::format(R"({{"kind": "choose", "ask": "How much?", "right": 0,
                            "choices": [{{"text": "{}"}}, {{"text": "{}", "why": "No."}}]}})",
                       right, wrong);
  }
};

TEST_F(Covers, HideTheRowsThatAQuestionAsksFor) {
  EXPECT_EQ(of(choice("{{weights[0,0,3,1]:.2f}}")), "weights 3");
  EXPECT_EQ(of(choice("{{100 * weights[0,0,3,1]:.1f}} %", "{{scores[0,0,2,1]:.2f}}")), "weights 3, scores 2");
  EXPECT_EQ(of(choice(format_fixed(value("weights[0,0,3,1]"), 2))), "weights 3") << "typed by hand";
  EXPECT_EQ(of(choice(format_fixed(100 * value("weights[0,0,3,1]"), 0) + " %")), "weights 3");
  EXPECT_EQ(of(R"({"kind": "number", "ask": "?", "answer": "weights[0,0,2,1]"})"), "weights 2");
  EXPECT_EQ(of(R"({"kind": "sketch", "ask": "?", "answer": "weights[0,0,2]", "tolerance": 0.1})", "",
               R"(, "layout": "focus", "stage": "scores")"),
            "weights 2");
}

TEST_F(Covers, LeaveWhatIsToBeLookedAt) {
  EXPECT_EQ(of(choice("It looks at itself")), "") << "of words";
  EXPECT_EQ(of(choice("0.9876")), "");
  EXPECT_EQ(of(choice("{{weights[0,0,3,1] / weights[0,0,3,0]:.2f}}")), "") << "is computed from what is seen";
  EXPECT_EQ(of(R"q({"kind": "number", "ask": "?", "answer": "sum(weights[0,0,2])"})q"), "");
  EXPECT_EQ(of(R"({"kind": "cell", "ask": "?", "answer": "weights[0,0,2,1]"})"), "");
  EXPECT_EQ(of(choice("{{weights[0,0,3,1]:.2f}}"), "It is {{weights[0,0,3,1]:.4f}}."), "") << "the text tells it";
  EXPECT_EQ(of(choice("{{weights[0,0,3,1]:.2f}}"), "", R"(, "study": "softmax")"), "");
  EXPECT_EQ(of(choice("{{inputs[0,3,1]:.2f}}")), "") << "a typed number";
}

TEST_F(Judgements, OfACellSayWhatWasClicked) {
  const std::string asked = "weights[0,0,3,1]";
  EXPECT_EQ(on_cell(asked, {.stage = Stage::weights, .row = 3, .col = 1}), "right");
  EXPECT_TRUE(
      has(on_cell(asked, {.stage = Stage::weights, .row = 1, .col = 3}), "you clicked key “with” of query “journey”"));
  EXPECT_TRUE(has(on_cell(asked, {.stage = Stage::scores, .row = 3, .col = 1}), "a cell of scores"));
  EXPECT_TRUE(has(on_cell(asked, {.stage = Stage::weights, .row = 2, .col = 4}), "hides"));
  EXPECT_TRUE(has(on_cell(asked, {.stage = Stage::weights, .row = 3, .col = 0}), "The row is right"));
  EXPECT_TRUE(has(on_cell(asked, {.stage = Stage::weights, .row = 4, .col = 1}), "The column is right"));
  const std::string diagonal = on_cell(asked, {.stage = Stage::weights, .row = 2, .col = 2});
  EXPECT_TRUE(diagonal.starts_with("Neither the query nor the key is right: you clicked key “starts”")) << diagonal;
  EXPECT_TRUE(has(judge({.kind = Kind::cell, .answer = asked}, {}, numbers_).why, "Click"));
  EXPECT_EQ(right_answer_text({.kind = Kind::cell, .answer = asked}, numbers_),
            "query “with”, key “journey”, of attention weights.");
  EXPECT_EQ(right_answer_text({.kind = Kind::cell, .answer = "context[0,1,0]"}, numbers_),
            "row 2, column 1, of context.");
}

TEST(Judgement, OfACellNamesAnotherHeadOrBatchEntry) {
  const Document document = parse_document(
      R"({"mechanism": "multi_head_attention", "num_heads": 2, "d_out": 2, "batch_size": 2, "seed": 123})");
  const Result result = evaluate(document.config);
  const auto judged = [&](const Source& clicked) {
    return judge({.kind = Kind::cell, .answer = "weights[1,1,3,2]"}, {.cell = clicked}, {document, result});
  };
  EXPECT_TRUE(judged({.stage = Stage::weights, .batch = 1, .head = 1, .row = 3, .col = 2}).is_right);
  const Verdict of_head = judged({.stage = Stage::weights, .batch = 1, .head = 0, .row = 3, .col = 2});
  EXPECT_FALSE(of_head.is_right);
  EXPECT_EQ(of_head.why, "That is head 1; the question is about head 2.");
  const Verdict of_entry = judged({.stage = Stage::weights, .batch = 0, .head = 1, .row = 3, .col = 2});
  EXPECT_FALSE(of_entry.is_right);
  EXPECT_EQ(of_entry.why, "That is batch entry 1, not 2.");
}

TEST_F(Judgements, OfBarsNameTheWorst) {
  const Question question{.kind = Kind::sketch, .answer = "weights[0,0,1]", .tolerance = 0.06};
  const auto why = [&](std::vector<float> bars) { return judge(question, {.bars = std::move(bars)}, numbers_).why; };
  EXPECT_TRUE(judge(question, {.bars = {0.55F, 0.45F, 0, 0, 0, 0}}, numbers_).is_right);
  EXPECT_TRUE(has(why({0.4F, 0.3F, 0.3F, 0, 0, 0}), "The mask hides “"));
  EXPECT_TRUE(has(why({0.9F, 0.9F, 0, 0, 0, 0}), "sum to 1.8"));
  const std::string furthest = why({0.2F, 0.8F, 0, 0, 0, 0});  // both are as far off
  EXPECT_TRUE(has(furthest, "“Your” is furthest off: you gave it 0.2, but it gets more") ||
              has(furthest, "“journey” is furthest off: you gave it 0.8, but it gets less"))
      << furthest;
  EXPECT_EQ(first_bars(question, numbers_).size(), 6U);
  EXPECT_EQ(bar_names(question, numbers_)[1], "journey");
}

TEST_F(Judgements, OfWhatIsToBeReachedSayWhichWay) {
  const Question question{.kind = Kind::reach, .answer = "sum(dropped_weights[0,0,1])", .to = 1, .tolerance = 0.001};
  EXPECT_EQ(goal_words(question, numbers_), "the sum of the dropped weights of query “journey” is 1.");
  EXPECT_EQ(judge(question, {}, numbers_).why,
            "Now the sum of the dropped weights of query “journey” is 0.8966, which is too small: the goal is 1.");
  const Question wide{.kind = Kind::reach, .answer = "weights[0,0,1,0]", .to = 0.25, .tolerance = 0.1667};
  EXPECT_EQ(goal_words(wide, numbers_),
            "the attention weight of key “Your” for query “journey” is between 0.08 and 0.42.");
  EXPECT_TRUE(has(judge(wide, {}, numbers_).why, "which is too large: the goal is between 0.08 and 0.42."));
  const Question whole{.kind = Kind::reach, .answer = "document.head_dim", .to = 2, .tolerance = 0.1};
  EXPECT_EQ(goal_words(whole, numbers_), "head_dim is 2.");
  Document without = document_;
  without.config.dropout = 0;
  const Result result = evaluate(without.config);
  EXPECT_TRUE(judge(question, {}, {without, result}).is_right);
}

TEST(Progress, CountsHonestly) {
  LessonProgress progress;
  progress.answered("one", "a", false);
  progress.answered("one", "a", true);
  progress.answered("one", "b", true);
  progress.revealed("one", "c");
  progress.answered("one", "c", true);  // too late
  EXPECT_FALSE(progress.of("one", "c").is_right);
  EXPECT_EQ(progress.of("one", "a").wrong, 1);
  Lesson lesson{.id = "one"};
  for (const char* const id : {"a", "b", "c", "d"}) lesson.steps.push_back({.id = id, .question = Question{}});
  EXPECT_EQ(score_of(lesson, progress), (LessonScore{4, 2, 1, 1}));
  EXPECT_EQ(score_words(score_of(lesson, progress)), "2 of 4 right, 1 at the first attempt, 1 shown");
}

TEST(Progress, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  LessonProgress progress;
  EXPECT_EQ(load_progress(folder / "lessons.json"), progress);
  progress.answered("one", "a", false);
  progress.revealed("two", "b");
  EXPECT_TRUE(save_progress(progress, {}, folder / "lessons.json"));
  EXPECT_EQ(load_progress(folder / "lessons.json"), progress);
  put_text(folder / "lessons.json", R"({"one": {"a": {"wrong": -1, "right": false, "revealed": false}}})");
  EXPECT_THROW(load_progress(folder / "lessons.json"), Error);
}

TEST(Progress, OfTwoWindowsIsKept) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "lessons.json";
  LessonProgress first;
  first.answered("one", "a", true);
  first.answered("two", "a", true);
  EXPECT_TRUE(save_progress(first, {}, file));
  LessonProgress second = load_progress(file);
  const LessonProgress second_before = second;
  const LessonProgress first_before = first;
  second.answered("one", "b", false);
  EXPECT_TRUE(save_progress(second, second_before, file));
  first.answered("one", "c", true);
  first.clear("two");
  EXPECT_TRUE(save_progress(first, first_before, file));
  EXPECT_EQ(first, load_progress(file));
  EXPECT_TRUE(first.of("one", "a").is_right);
  EXPECT_EQ(first.of("one", "b").wrong, 1) << "what the other window has saved is lost";
  EXPECT_TRUE(first.of("one", "c").is_right);
  EXPECT_FALSE(first.of("two", "a").is_right) << "what is deleted came back";
}

TEST(Progress, IsNotWrittenWhileAnotherWindowWritesIt) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "lessons.json";
  LessonProgress progress;
  progress.answered("one", "a", true);
  {
    const FileLock other(file.string() + ".lock");
    EXPECT_FALSE(save_progress(progress, {}, file));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_TRUE(save_progress(progress, {}, file));
  EXPECT_EQ(load_progress(file), progress);
}

}  // namespace
}  // namespace attnscope::test
