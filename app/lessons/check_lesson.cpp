#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/evaluate.h"
#include "lessons/lesson_parts.h"
#include "lessons/lesson_text.h"

namespace attnscope {
namespace {

// Throws an Error whose sentence begins with the path of what is wrong.
template <typename... Parts>
[[noreturn]] void refuse(const std::string& path, fmt::format_string<Parts...> rest, Parts&&... parts) {
  throw Error(path, path + fmt::format(rest, std::forward<Parts>(parts)...));
}

void check_known(const std::string& path, const std::string& id, const std::vector<std::string_view>& known) {
  if (id.empty() || std::ranges::find(known, id) != known.end()) return;
  refuse(path, " is \"{}\", but it must be one of {}.", id, fmt::join(known, ", "));
}

void check_view(const ViewAddress& view, const std::string& path, const StepNumbers& numbers, const KnownViews& known) {
  check_known(path + ".layout", view.layout, known.layouts);
  check_known(path + ".study", view.study.id, known.studies);
  const AttentionConfig& config = numbers.document.config;
  if (view.stage && !has_stage(config, *view.stage))
    refuse(path, ".stage is \"{}\", which this step's document does not have.", info(*view.stage).id);
  if (view.head && *view.head >= head_count(config))
    refuse(path, ".head is {}, but there are {}, counted from 0.", *view.head, head_count(config));
  if (view.batch && *view.batch >= config.batch_size)
    refuse(path, ".batch is {}, but there are {}, counted from 0.", *view.batch, config.batch_size);
  if (view.pinned && !has_cell(numbers.result, *view.pinned))
    refuse(path, ".pin is a cell that this step's document does not have.");
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
    throw Error(fmt::format("{} asks for a goal that is already reached: make the tolerance smaller.", question.path));
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    if (i != question.right && question.choices[i].why.markdown.empty())
      throw Error(fmt::format("{}.choices[{}] is wrong, but its \"why\" is empty.", question.path, i));
  }
}

// A mistake that counts as right would never be said.
void check_mistakes(const Question& question, const StepNumbers& numbers) {
  for (const Mistake& mistake : question.mistakes) {
    const double wrong = number_of_formula(mistake.value, numbers);
    if (!(std::abs(wrong - number_of_formula(question.answer, numbers)) > question.tolerance))
      refuse(question.path, ": the mistake {} is {}, which counts as right.", mistake.value, number_words(wrong));
  }
}

// A row that is to be sketched must not be on the screen, and a cell that is to be clicked not be pinned.
void check_covered(const Question& question, const ViewAddress& view, const StepNumbers& numbers) {
  const bool is_pinned = question.kind == Question::Kind::cell && view.pinned &&
                         *view.pinned == cell_of(slice_of(question.answer).value());
  if (is_pinned) refuse(question.path, " asks for the cell that is already pinned: pin another.");
  if (question.kind != Question::Kind::sketch) return;
  const std::optional<Slice> slice = slice_of(question.answer);
  const bool is_out_of_sight =
      view.layout == "focus" && view.stage && slice && !depends_on(numbers.document.config, *view.stage, slice->stage);
  if (!is_out_of_sight)
    refuse(question.path, " asks for a row that is on the screen: show \"focus\" on a stage before it.");
  constexpr std::size_t most_bars = 12;
  if (first_bars(question, numbers).size() > most_bars)
    refuse(question.path, " asks for more than {} bars.", most_bars);
}

void check_question(const Question& question, const StepNumbers& numbers) {
  lesson_text(question.ask, &numbers);
  lesson_text(question.because, &numbers);
  for (const Choosable& choice : question.choices) {
    lesson_text(choice.text, &numbers);
    lesson_text(choice.why, &numbers);
  }
  for (const Mistake& mistake : question.mistakes) lesson_text(mistake.why, &numbers);
  within(question.path, [&] {
    check_answers(question, numbers);
    check_mistakes(question, numbers);
    right_answer_text(question, numbers);
  });
}

}  // namespace

void check_lesson(const Lesson& lesson, const KnownViews& known) {
  Result result;
  const Document* evaluated = nullptr;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    const std::string path = fmt::format("steps[{}]", i);
    if (!evaluated || !(evaluated->config == step.document->config)) {
      within(path, [&] { result = evaluate(step.document->config); });
      evaluated = step.document.get();
    }
    const StepNumbers numbers{*step.document, result};
    check_view(step.view, path + ".show", numbers, known);
    lesson_text(step.title, &numbers);
    lesson_text(step.text, &numbers);
    if (!step.question) continue;
    check_question(*step.question, numbers);
    check_covered(*step.question, step.view, numbers);
    if (step.question->then) check_view(*step.question->then, step.question->path + ".then", numbers, known);
  }
}

}  // namespace attnscope
