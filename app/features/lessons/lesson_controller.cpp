#include "features/lessons/lesson_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "features/lessons/handout.h"
#include "features/shared/app_services.h"
#include "platform/system/file.h"
#include "session/ui_state.h"
#include "session/view_state.h"

namespace attnscope {

bool asks_about_next_word(const Question& question) {
  std::string formulas = question.answer + question.ask.markdown + question.because.markdown;
  for (const Choosable& choice : question.choices) formulas += choice.text.markdown + choice.why.markdown;
  const std::string ask = lower_case(question.ask.markdown);
  constexpr std::string_view signs[] = {"next word", "likeliest", "most likely", "word comes next"};
  return formulas.find("chance(") != std::string::npos ||
         std::ranges::any_of(signs, [&](std::string_view sign) { return ask.find(sign) != std::string::npos; });
}

bool covers_next_words(const LessonShown& shown) {
  return shown.question() && !shown.record().is_done() && asks_about_next_word(*shown.question());
}

void LessonController::open(const std::string& id) { begin(lesson_named(id)); }

void LessonController::open(const std::vector<std::shared_ptr<const Lesson>>& files) {
  offer(files);
  begin(files.front());
}

void LessonController::begin(const std::shared_ptr<const Lesson>& lesson) {
  if (!shown_.lesson) {
    if (unsaved_.ask_before([this, lesson] { begin(lesson); })) {
      to_.dialog.question = "Closing the lesson brings them back. If you quit before that, the next start offers them.";
      to_.dialog.yes = "Open the lesson";
      return;
    }
    remember_screen();
  }
  covers_.uncover();
  shown_.lesson = lesson;
  begin_step(0);
}

void LessonController::remember_screen() {
  before_ = display_.set_aside();
  view_before_ = to_.view;
}

void LessonController::try_out(const std::shared_ptr<const Lesson>& lesson, std::size_t step) {
  if (!shown_.lesson) remember_screen();
  covers_.uncover();
  shown_.progress.clear(lesson->id);
  shown_.lesson = lesson;
  begin_step(step);
}

std::shared_ptr<const Lesson> LessonController::lesson_named(const std::string& id) const {
  for (const std::shared_ptr<const Lesson>& lesson : shown_.own) {
    if (lesson->id == id) return lesson;
  }
  if (std::shared_ptr<const Lesson> lesson = shipped_lesson(id)) return lesson;
  throw Error(fmt::format("There is no lesson called {}.", in_quotes(id)));
}

// Offers lessons. One with the name of another replaces it, because it was corrected and opened again.
void LessonController::offer(const std::vector<std::shared_ptr<const Lesson>>& lessons) {
  for (const std::shared_ptr<const Lesson>& lesson : lessons) {
    std::erase_if(shown_.own, [&](const auto& other) { return other->id == lesson->id; });
    shown_.own.push_back(lesson);
  }
}

// Closes the lesson. Undo leads back into it.
void LessonController::close() {
  if (!shown_.lesson) return;
  const std::shared_ptr<const Lesson> lesson = std::exchange(shown_.lesson, nullptr);
  if (std::exchange(film_, std::nullopt) || to_.now.film.watching) films_.close_film();
  shown_.numbers.reset();
  shown_.covers.clear();
  shown_.verdict.reset();
  if (!before_) return;
  before_->undo_label = before_->attention ? "" : fmt::format("closing the lesson “{}”", lesson->title);
  display_.show(*std::exchange(before_, std::nullopt));
  to_.view.mode = view_before_.mode;
  to_.view.stage = view_before_.stage;
  to_.view.decimals = view_before_.decimals;
  to_.view.pinned = view_before_.pinned;
}

void LessonController::go_to_step(std::size_t step) {
  if (!shown_.lesson) return;
  to_.messages.forget_all();  // they are about the step before
  begin_step(step);
}

void LessonController::begin_step(std::size_t step) {
  shown_.shows_setup = false;
  shown_.step = std::min(step, shown_.lesson->steps.size());
  show_step(true);
}

void LessonController::restore_step() { show_step(false); }

void LessonController::show_step(bool starts_over) {
  const LessonStep* const step = shown_.current();
  if (!step) return;
  show_document(*step->document, fmt::format("the step “{}”", step->title.markdown));
  look(step->view);
  if (shown_.question() && shown_.record().is_done() && step->question->then) look(*step->question->then);
  if (!starts_over) return follow();
  shown_.numbers.reset();
  shown_.covers.clear();
  told_.reset();
  begin_answer();
  write_texts();
  followed_ = 0;
  follow();
}

// Shows it as an example is shown: Undo leads back to what was there, and nothing is lost. The keys stay where they
// are.
void LessonController::show_document(const Document& document, const std::string& label) {
  if (!to_.subject.attention() && to_.now.document == document) return;
  const std::optional<Panel> keyboard = to_.view.transient.keyboard;
  const std::optional<Presenting> presenting = to_.view.transient.presenting;
  const bool keys_lead = to_.view.transient.keys_lead;  // a pointer at rest stays at rest
  display_.show({.document = document, .undo_label = to_.subject.attention() ? "" : label});
  to_.view.transient.keyboard = keyboard;
  to_.view.transient.presenting = presenting;
  to_.view.transient.keys_lead = keys_lead;
}

void LessonController::look(const ViewAddress& view) {
  if (film_ || to_.now.film.watching) films_.close_film();
  look_at_step(to_.view, view);
  film_ = view.film ? view.pinned : std::nullopt;
}

// Plays the film of a step as soon as there are numbers for it, and nothing in it answers an open question.
void LessonController::play_film() {
  const bool has_numbers = shown_.numbers && to_.now.whole_result();
  if (!film_ || !has_numbers || !shown_.covers.empty()) return;
  to_.messages.attempt([this, cell = *std::exchange(film_, std::nullopt)] { films_.watch_film(cell); });
}

void LessonController::begin_answer() {
  shown_.answer = {};
  shown_.verdict.reset();
}

// Writes the texts of the step. What is wrong with a formula stands in its place; a text that cannot be read stands
// as it was typed, behind what is wrong with it.
void LessonController::write_texts() {
  const std::optional<StepNumbers> numbers = step_numbers();
  std::vector<std::string> wrong;  // said by attnscope lesson check and the editor's Check
  const auto blocks = [&](const LessonText& text) -> std::vector<TextBlock> {
    try {
      return lesson_text(text, numbers ? &*numbers : nullptr, &wrong);
    } catch (const Error& error) {
      return {{TextBlock::Kind::paragraph, {{TextSpan::Style::plain, error.what()}}},
              {TextBlock::Kind::paragraph, {{TextSpan::Style::plain, text.markdown}}}};
    }
  };
  LessonTexts& texts = shown_.texts;
  texts = {};
  texts.text = told_text().value_or(blocks(shown_.current()->text));
  const Question* const question = shown_.question();
  if (!question || !numbers) return;
  texts.ask = blocks(question->ask);
  texts.because = blocks(question->because);
  to_.messages.attempt([&] {
    for (const Choosable& choice : question->choices)
      texts.choices.push_back(plain_lesson_text(choice.text, &*numbers, &wrong));
    if (question->kind == Question::Kind::sketch) texts.bars = bar_names(*question, *numbers);
    if (question->kind == Question::Kind::reach) texts.goal = goal_words(*question, *numbers);
    texts.answer = right_answer_text(*question, *numbers);
  });
}

// Returns the step's text with the numbers on the screen where the learner is asked to change these. Returns nothing
// for other steps, and where the changed document does without what the text tells.
std::optional<std::vector<TextBlock>> LessonController::told_text() const {
  if (!is_asked(Question::Kind::reach) || !shown_.numbers || !told_ || to_.subject.attention()) return {};
  try {
    const StepNumbers numbers{to_.now.document, *told_};
    return lesson_text(shown_.current()->text, &numbers);
  } catch (const Error&) {
    return {};
  }
}

std::optional<StepNumbers> LessonController::step_numbers() const {
  const LessonStep* const step = shown_.current();
  if (!step || !shown_.numbers) return {};
  return StepNumbers{*step->document, *shown_.numbers};
}

void LessonController::answer() {
  const Question* const question = shown_.question();
  std::optional<StepNumbers> numbers = step_numbers();
  if (!question || !numbers) return;
  if (question->kind == Question::Kind::cell) shown_.answer.cell = to_.now.view.pinned;
  if (question->kind == Question::Kind::reach) {
    if (!to_.now.is_current || !to_.now.result()) return;
    numbers.emplace(StepNumbers{to_.now.document, *to_.now.result()});
  }
  try {
    shown_.verdict = judge(*question, shown_.answer, *numbers);
  } catch (const Error& error) {  // the learner's document does without what is to be reached
    shown_.verdict = Verdict{false, error.what()};
  }
  shown_.progress.answered(shown_.lesson->id, shown_.current()->id, shown_.verdict->is_right);
  save_progress();
  if (shown_.verdict->is_right && question->then) look(*question->then);
}

void LessonController::reveal() {
  const Question* const question = shown_.question();
  const std::optional<StepNumbers> numbers = step_numbers();
  if (!question || !numbers) return;
  shown_.progress.revealed(shown_.lesson->id, shown_.current()->id);
  save_progress();
  shown_.verdict.reset();
  shown_.answer = right_answer(*question, *numbers);
  if (question->solution) {
    show_document(*question->solution, "the solution");
    look(shown_.current()->view);
  }
  if (question->kind == Question::Kind::cell) to_.view.pinned = shown_.answer.cell;
  if (question->then) look(*question->then);
}

void LessonController::restart() {
  if (!shown_.lesson) return;
  save_progress();  // as below
  shown_.progress.clear(shown_.lesson->id);
  save_progress();
  if (set_aside_) set_aside_->clear(shown_.lesson->id);
  go_to_step(0);
}

void LessonController::hand_out(const std::string& id, const std::filesystem::path& folder) {
  const std::shared_ptr<const Lesson> lesson = lesson_named(id);
  const bool has_answers = to_.view.handout_has_answers;
  const std::filesystem::path path =
      folder / fmt::format("attnscope-{}-handout{}.pdf", lesson->id, has_answers ? "" : no_answers);
  write_file(path, render_handout(*lesson, has_answers));
  to_.messages.say(fmt::format("Wrote {}.", shown_path(path)));
}

void LessonController::clear_progress() {
  save_progress();  // takes over what other windows have written, which is deleted, too
  shown_.progress.clear();
  save_progress();
  begin_answer();
  to_.messages.say("All answers given in lessons are deleted.");
}

void LessonController::keep_progress_in(const std::filesystem::path& file) {
  try {
    shown_.progress = kept_progress_ = load_progress(file);
    progress_file_ = file;
  } catch (const Error& error) {
    throw Error(fmt::format("Answers in lessons are not saved, so that the file stays as it is. {}", error.what()));
  }
}

void LessonController::save_progress() {
  if (progress_file_.empty() || set_aside_) return;
  to_.messages.attempt([&] {
    if (attnscope::save_progress(shown_.progress, kept_progress_, progress_file_)) kept_progress_ = shown_.progress;
  });
}

void LessonController::take_numbers() {
  const LessonStep& step = *shown_.current();
  const std::shared_ptr<const Result> result = to_.now.whole_result();
  if (!result || !(result->config == step.document->config)) return;
  shown_.numbers = result;
  cover_numbers();
  write_texts();
  const Question* const question = shown_.question();
  if (question && question->kind == Question::Kind::sketch && shown_.answer.bars.empty())
    shown_.answer.bars = shown_.record().is_done() ? right_answer(*question, *step_numbers()).bars
                                                   : first_bars(*question, *step_numbers());
}

bool LessonController::is_asked(Question::Kind kind) const {
  const Question* const question = shown_.question();
  return question && question->kind == kind;
}

// An audience begins with open questions each time: its answers last as long as the presentation, and those of the
// learner come back after it.
void LessonController::follow_presenting() {
  const bool is_presenting = to_.view.transient.presenting.has_value() && shown_.lesson;
  if (is_presenting == set_aside_.has_value()) return;
  const bool was_done = shown_.record().is_done();
  if (is_presenting) {
    set_aside_ = std::exchange(shown_.progress, {});
  } else {
    shown_.progress = *std::exchange(set_aside_, std::nullopt);
  }
  if (!shown_.lesson || shown_.record().is_done() == was_done) return;  // a film goes on
  // After a presentation the step begins again, so that no revealed answer stays in the learner's field.
  if (!is_presenting || !shown_.is_changed) return begin_step(shown_.step);
  shown_.verdict.reset();
  cover_numbers();
}

void LessonController::cover_numbers() {
  const std::optional<StepNumbers> numbers = step_numbers();
  shown_.covers = numbers && !shown_.record().is_done() ? covers_of(*shown_.current(), *numbers) : std::vector<Cover>{};
}

void LessonController::follow() {
  follow_presenting();
  if (!shown_.current()) return;
  if (shown_.record().is_done()) shown_.covers.clear();
  if (followed_ != to_.now.edition) {
    followed_ = to_.now.edition;
    shown_.is_changed = to_.subject.attention() || !(to_.now.document == *shown_.current()->document);
    if (is_asked(Question::Kind::reach)) shown_.verdict.reset();  // the verdict was on the document before
  }
  if (is_asked(Question::Kind::cell) && shown_.answer.cell != to_.view.pinned) shown_.verdict.reset();
  if (!shown_.numbers) take_numbers();
  play_film();
  if (is_asked(Question::Kind::reach)) follow_numbers();
}

void LessonController::follow_numbers() {
  const std::shared_ptr<const Result> result = to_.now.whole_result();
  if (!shown_.numbers || !result || result == told_) return;
  told_ = result;
  write_texts();
}

std::string LessonController::text() const {
  const LessonStep* const step = shown_.current();
  if (!step) return "";
  std::string text;
  for (const std::shared_ptr<const Lesson>& own : shown_.own) text += own->title;
  text += shown_.lesson->title + step->title.markdown + step->text.markdown;
  if (const Question* const question = shown_.question()) {
    text += question->ask.markdown + question->because.markdown;
    for (const Choosable& choice : question->choices) text += choice.text.markdown + choice.why.markdown;
  }
  return text;
}

}  // namespace attnscope
