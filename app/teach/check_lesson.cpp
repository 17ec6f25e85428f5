#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "teach/film.h"
#include "teach/formula.h"
#include "teach/judge.h"
#include "teach/lesson.h"
#include "teach/lesson_reading.h"

namespace attnscope {
namespace {

// Throws an Error whose sentence begins with the path of what is wrong.
template <typename... Parts>
[[noreturn]] void refuse(const std::string& path, fmt::format_string<Parts...> rest, Parts&&... parts) {
  throw Error(path, path + fmt::format(rest, std::forward<Parts>(parts)...));
}

void check_known(const std::string& path, const std::string& id, const std::vector<std::string_view>& known) {
  if (id.empty() || std::ranges::find(known, id) != known.end()) return;
  refuse(path, " is {}{}", in_quotes(id), known_names(id, known, ", but it must be one of "));
}

void check_view(const ViewAddress& view, const std::string& path, const StepNumbers& numbers, const KnownViews& known,
                Mistakes& mistakes) {
  mistakes.attempt([&] { check_known(path + ".layout", view.mode, known.layouts); });
  mistakes.attempt([&] { check_known(path + ".study", view.study.id, known.studies); });
  const AttentionConfig& config = numbers.document.config;
  mistakes.attempt([&] {
    if (view.stage && !has_stage(config, *view.stage))
      refuse(path, ".stage is \"{}\", which this step's document does not have.", info(*view.stage).id);
  });
  mistakes.attempt([&] {
    if (view.head && *view.head >= head_count(config))
      refuse(path, ".head is {}, but there are {}, counted from 0.", *view.head, head_count(config));
  });
  mistakes.attempt([&] {
    if (view.batch && *view.batch >= config.batch_size)
      refuse(path, ".batch is {}, but there are {}, counted from 0.", *view.batch, config.batch_size);
  });
  mistakes.attempt([&] {
    if (view.pinned && !has_cell(numbers.result, *view.pinned))
      refuse(path, ".pin is a cell that this step's document does not have.");
  });
  mistakes.attempt([&] {
    if (!view.film) return;
    if (!view.pinned) refuse(path, ".film plays how the pinned number came to be: add \"pin\".");
    const bool is_there = has_cell(numbers.result, *view.pinned);
    const std::string obstacle = is_there ? obstacle_to_film(numbers.result, *view.pinned) : "";
    if (!obstacle.empty()) refuse(path, ".film: {}", obstacle);
  });
}

void check_answers(const Question& question, const StepNumbers& numbers) {
  const bool is_reached = question.kind == Question::Kind::reach;
  const Result solved = is_reached ? evaluate(question.solution->config) : Result{};
  const Verdict verdict = is_reached ? judge(question, {}, {*question.solution, solved})
                                     : judge(question, right_answer(question, numbers), numbers);
  if (!verdict.is_right)
    throw Error(fmt::format("{}{}: {}", question.path,
                            is_reached ? ".solution does not reach what is asked for" : ": its own answer is not right",
                            verdict.why));
  if (question.kind == Question::Kind::cell) {
    const std::vector<Index> shape = stage_shape(numbers.document.config, slice_of(question.answer)->stage);
    if (shape.back() == 1 && shape[shape.size() - 2] == 1)
      throw Error(fmt::format("{} asks for the only cell that there is.", question.path));
  }
  if (is_reached && judge(question, {}, numbers).is_right)
    throw Error(
        fmt::format("{} asks for a goal that is already reached: make the tolerance smaller, or choose another goal.",
                    question.path));
}

void check_choices(const Question& question, Mistakes& mistakes) {
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    mistakes.attempt([&] {
      if (i != question.right && question.choices[i].why.markdown.empty())
        throw Error(fmt::format("{}.choices[{}] is wrong, but its \"why\" is empty.", question.path, i));
    });
  }
}

// Throws Error if a mistake counts as right, because its words would never be said.
void check_mistake(const Mistake& mistake, const Question& question, const StepNumbers& numbers) {
  const double wrong = number_of_formula(mistake.value, numbers);
  if (!(std::abs(wrong - number_of_formula(question.answer, numbers)) > question.tolerance))
    refuse(question.path, ": the mistake {} is {}, which counts as right.", mistake.value, number_words(wrong));
}

// Throws Error if the view gives the answer away: shows the row to be sketched, or pins the cell to be clicked.
void check_covered(const Question& question, const ViewAddress& view, const StepNumbers& numbers) {
  const bool is_pinned = question.kind == Question::Kind::cell && view.pinned &&
                         *view.pinned == cell_of(slice_of(question.answer).value());
  if (is_pinned) refuse(question.path, " asks for the cell that is already pinned: pin another.");
  if (question.kind != Question::Kind::sketch) return;
  const std::optional<Slice> slice = slice_of(question.answer);
  const bool is_out_of_sight =
      view.mode == "focus" && view.stage && slice && !depends_on(numbers.document.config, *view.stage, slice->stage);
  if (!is_out_of_sight)
    refuse(question.path, " asks for a row that is on the screen: show \"focus\" on a stage before it.");
  constexpr std::size_t most_bars = 12;
  if (first_bars(question, numbers).size() > most_bars)
    refuse(question.path, " asks for more than {} bars.", most_bars);
}

void check_replies(const Question& question, Mistakes& mistakes) {
  for (std::size_t i = 0; i < question.mistakes.size(); ++i) {
    mistakes.attempt([&] {
      if (trimmed(question.mistakes[i].why.markdown).empty())
        refuse(question.path, ".mistakes[{}]: its \"why\" is empty.", i);
    });
  }
}

void check_text(const LessonText& text, const StepNumbers& numbers, Mistakes& mistakes) {
  std::vector<std::string> wrong;
  mistakes.attempt([&] { lesson_text(text, &numbers, &wrong); });
  for (const std::string& sentence : wrong) mistakes.attempt([&] { refuse(text.path, ": {}", sentence); });
}

void check_question_texts(const Question& question, const StepNumbers& numbers, Mistakes& mistakes) {
  check_text(question.ask, numbers, mistakes);
  check_text(question.because, numbers, mistakes);
  for (const Choosable& choice : question.choices) {
    check_text(choice.text, numbers, mistakes);
    check_text(choice.why, numbers, mistakes);
  }
  for (const Mistake& mistake : question.mistakes) check_text(mistake.why, numbers, mistakes);
}

void check_question(const Question& question, const StepNumbers& numbers, Mistakes& mistakes) {
  const auto attempt = [&](const auto& work) { mistakes.attempt([&] { within(question.path, work); }); };
  const std::size_t before = mistakes.count();
  attempt([&] { check_answers(question, numbers); });
  check_choices(question, mistakes);
  check_replies(question, mistakes);
  for (const Mistake& mistake : question.mistakes) attempt([&] { check_mistake(mistake, question, numbers); });
  if (mistakes.count() == before) attempt([&] { right_answer_text(question, numbers); });
}

// Evaluates the documents of a lesson, one after the other; steps of the same document share its result.
class StepResults {
public:
  const Result& of(const Document& document) {
    if (!evaluated_ || !(evaluated_->config == document.config)) {
      evaluated_ = nullptr;
      result_ = evaluate(document.config);
      evaluated_ = &document;
    }
    return result_;
  }

private:
  Result result_;
  const Document* evaluated_ = nullptr;
};

void check_step(const LessonStep& step, const std::string& path, const StepReading& reading, const KnownViews& known,
                const StepNumbers& numbers, Mistakes& mistakes) {
  check_view(step.view, path + ".show", numbers, known, mistakes);
  check_text(step.title, numbers, mistakes);
  check_text(step.text, numbers, mistakes);
  if (!step.question) return;
  const Question& question = *step.question;
  check_question_texts(question, numbers, mistakes);
  if (reading.has_question) check_question(question, numbers, mistakes);
  const bool can_be_covered = reading.has_view && reading.has_question;
  if (can_be_covered) mistakes.attempt([&] { check_covered(question, step.view, numbers); });
  if (question.then) check_view(*question.then, question.path + ".then", numbers, known, mistakes);
}

void check_steps(const Lesson& lesson, const std::vector<StepReading>& readings, const KnownViews& known,
                 Mistakes& mistakes) {
  StepResults results;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    if (!step.document) continue;
    const std::string path = fmt::format("steps[{}]", i);
    mistakes.begin_step(static_cast<Index>(i));
    mistakes.attempt([&] {
      const Result& result = within(path, [&]() -> const Result& { return results.of(*step.document); });
      check_step(step, path, readings[i], known, {*step.document, result}, mistakes);
    });
  }
}

// Returns whether a formula of a text shows the number that another formula stands for, alone or among others.
bool shows(const LessonText& text, std::string_view answer) {
  const std::optional<Slice> asked = slice_of(answer);
  const std::string_view all = text.markdown;
  for (std::size_t at = all.find("{{"); at != std::string_view::npos; at = all.find("{{", at + 2)) {
    const std::string_view inner = all.substr(at + 2, std::min(all.find("}}", at), all.size()) - at - 2);
    const std::string_view formula = trimmed(inner.substr(0, inner.find(':')));
    if (formula == trimmed(answer)) return true;
    std::optional<Slice> shown;
    Mistakes unreadable;  // said of the text itself
    unreadable.attempt([&] { shown = slice_of(formula); });
    if (!asked || !shown || shown->stage != asked->stage || shown->index.size() > asked->index.size()) continue;
    if (std::ranges::equal(shown->index, std::span(asked->index).first(shown->index.size()))) return true;
  }
  return false;
}

// Notes texts that show the number or the row that their step, or a later one with the same document, asks for.
void check_given_away(const Lesson& lesson, Mistakes& mistakes) {
  for (std::size_t asking = 0; asking < lesson.steps.size(); ++asking) {
    const std::optional<Question>& question = lesson.steps[asking].question;
    if (!question || (question->kind != Question::Kind::number && question->kind != Question::Kind::sketch)) continue;
    for (std::size_t telling = 0; telling <= asking; ++telling) {
      const LessonStep& step = lesson.steps[telling];
      const auto look_at = [&](const LessonText& text) {
        mistakes.attempt([&] {
          if (shows(text, question->answer))
            refuse(text.path, " shows {}, which {} asks for.", question->answer, question->path);
        });
      };
      const bool is_same =
          step.document && lesson.steps[asking].document && *step.document == *lesson.steps[asking].document;
      if (!is_same) continue;
      mistakes.begin_step(static_cast<Index>(telling));
      look_at(step.title);
      look_at(step.text);
      if (step.question) look_at(step.question->ask);
      if (step.question && telling < asking) look_at(step.question->because);
    }
  }
}

// Notes which texts are still to be written. One that could not be read is not empty: that was said.
void check_written(const Lesson& lesson, bool has_title, Mistakes& mistakes) {
  const auto look_at_text = [&](const LessonText& text) {
    mistakes.attempt([&] {
      if (!text.path.empty() && trimmed(text.markdown).empty()) refuse(text.path, " is empty.");
    });
  };
  mistakes.begin_step(-1);
  mistakes.attempt([&] {
    if (has_title && trimmed(lesson.title).empty()) throw Error("The lesson has no title.");
  });
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    mistakes.begin_step(static_cast<Index>(i));
    look_at_text(step.title);
    look_at_text(step.text);
    if (!step.question) continue;
    look_at_text(step.question->ask);
    for (const Choosable& choice : step.question->choices) look_at_text(choice.text);
  }
}

}  // namespace

std::vector<std::string> lesson_mistakes(std::string_view text, const KnownViews& known) {
  Mistakes mistakes;
  const LessonReading reading = read_lesson(text, {}, mistakes);
  check_written(reading.lesson, reading.has_title, mistakes);
  check_steps(reading.lesson, reading.steps, known, mistakes);
  check_given_away(reading.lesson, mistakes);
  return mistakes.sentences();
}

std::vector<std::string> lesson_mistakes(const Lesson& lesson, const KnownViews& known) {
  Mistakes mistakes;
  check_written(lesson, true, mistakes);
  check_steps(lesson, std::vector<StepReading>(lesson.steps.size()), known, mistakes);
  check_given_away(lesson, mistakes);
  return mistakes.sentences();
}

void check_lesson(const Lesson& lesson, const KnownViews& known) {
  Mistakes mistakes;
  check_steps(lesson, std::vector<StepReading>(lesson.steps.size()), known, mistakes);
  mistakes.throw_first();
}

}  // namespace attnscope
