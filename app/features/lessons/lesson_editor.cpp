#include "features/lessons/lesson_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/results.h"
#include "core/text.h"
#include "document/edit.h"
#include "features/lessons/handout.h"
#include "platform/system/file.h"
#include "session/view_state.h"
#include "teach/formula.h"
#include "teach/judge.h"
#include "teach/lesson.h"

namespace attnscope {
namespace {

using AskedKind = Question::Kind;

constexpr std::size_t most_entries = 200;  // of undo
constexpr std::size_t most_steps = 200;
constexpr const char* needs_document = "A step of a lesson needs a document that is computed";

std::string row_of(const Source& cell) {
  const std::string name = cell_name(cell);
  return name.substr(0, name.rfind(',')) + "]";
}

// Returns a stage from which the row cannot be read, so that it can be sketched.
Stage stage_before(const AttentionConfig& config, Stage asked) {
  const bool has_scores = has_stage(config, Stage::scores) && !depends_on(config, Stage::scores, asked);
  return has_scores ? Stage::scores : Stage::inputs;
}

Question question_of(AskedKind kind, const std::optional<Question>& before) {
  Question question = before.value_or(Question{});
  question.kind = kind;
  question.mistakes.clear();
  question.choices.clear();
  question.right = 0;
  question.solution = nullptr;
  const bool is_number = kind == AskedKind::number || kind == AskedKind::reach;
  question.tolerance = is_number ? 0.01 : kind == AskedKind::sketch ? 0.1 : 0;
  if (kind == AskedKind::choose) question.choices.resize(2);
  question.answer.clear();
  return question;
}

// Shows a layer of a model and, if the other side of a pair showed the same layer, of that side: formulas compare their
// numbers.
void show_layer_of_pair(Document& document, Index layer) {
  const auto layer_of = [](const Document& of) { return std::get<ModelInputs>(of.config.inputs).layer; };
  const Index before = layer_of(document);
  if (layer == before) return;
  show_layer(document, layer);
  const bool follows = document.compared && document.compared->model && layer_of(*document.compared) == before &&
                       layer < document.compared->model->weights->shape.layers;
  if (!follows) return;
  Document other = *document.compared;
  show_layer(other, layer);
  document.compared = std::make_shared<const Document>(std::move(other));
}

void set_chance(Question& question, const std::string& chance) {
  constexpr double half_percent = 0.005;
  question.answer = chance;
  question.tolerance = half_percent;
}

}  // namespace

void LessonEditor::open(Lesson lesson, std::size_t step) {
  if (!before_) before_ = display_.set_aside();
  undo_.clear();
  redo_.clear();
  field_ = 0;
  answered_ = {};
  kept_.clear();
  covered_.clear();
  name_parts(lesson);
  LessonDraft draft;
  draft.file = lesson.file;
  saved_ = lesson;
  draft.lesson = std::move(lesson);
  draft.step = step;
  shown_ = std::make_shared<const LessonDraft>(std::move(draft));
  followed_ = to_.now.edition;
}

void LessonEditor::begin() {
  LessonStep first = step_of_screen();
  Lesson lesson{.id = "lesson"};
  lesson.steps.push_back(std::move(first));
  open(std::move(lesson), 0);
}

void LessonEditor::begin_with(const std::shared_ptr<const Lesson>& lesson) {
  open(*lesson, 0);
  show_step();
}

void LessonEditor::restore(const std::shared_ptr<const Lesson>& lesson, const std::filesystem::path& file) {
  open(*lesson, 0);
  saved_.reset();
  change([&](LessonDraft& draft) {
    draft.file = file;
    draft.edition = ++edition_;
    draft.is_modified = true;
    draft.is_restored = true;
  });
  show_step();
}

void LessonEditor::close() {
  if (!shown_) return;
  const std::string title = shown_->lesson.title;
  const bool is_step = !to_.subject.attention() && to_.now.document == *shown_->current().document;
  shown_ = nullptr;
  closes_when_saved_ = false;
  film_.reset();
  undo_.clear();
  redo_.clear();
  std::optional<Opened> before = std::exchange(before_, std::nullopt);
  if (!before || !is_step) return;  // what was opened since stays
  if (!before->attention) before->undo_label = fmt::format("closing the lesson “{}”", title);
  display_.show(std::move(*before));
}

void LessonEditor::leave() {
  if (!shown_ || !shown_->is_modified) return close();
  DialogState& dialog = to_.dialog;
  dialog = {};
  dialog.kind = DialogState::Kind::question;
  dialog.question = "The lesson has changes that are not saved.";
  dialog.answers.emplace_back("Save", [this](const Controllers&) {
    closes_when_saved_ = true;
    save();
  });
  dialog.yes = "Discard";
  dialog.agreed = [this](const Controllers&) { close(); };
}

void LessonEditor::change(const std::function<void(LessonDraft&)>& change) {
  LessonDraft draft = *shown_;
  change(draft);
  draft.undo_label = undo_.empty() ? "" : undo_.back().label;
  draft.redo_label = redo_.empty() ? "" : redo_.back().label;
  shown_ = std::make_shared<const LessonDraft>(std::move(draft));
}

void LessonEditor::edit(const std::string& label, const std::function<void(Lesson&)>& make, std::uint32_t field) {
  if (!shown_) return;
  Lesson lesson = shown_->lesson;
  make(lesson);
  if (lesson.steps.empty()) throw Error("A lesson has at least one step.");
  if (shown_->file.empty()) lesson.id = id_of_title(lesson.title, "lesson");
  name_parts(lesson);
  const bool goes_on = field != 0 && field == field_ && !undo_.empty();
  if (!goes_on) undo_.push_back({shown_->lesson, shown_->step, label});
  if (undo_.size() > most_entries) undo_.erase(undo_.begin());
  redo_.clear();
  field_ = field;
  change([&](LessonDraft& draft) {
    draft.step = std::min(draft.step, lesson.steps.size() - 1);
    draft.lesson = std::move(lesson);
    draft.edition = ++edition_;
    draft.is_modified = true;
    draft.is_newest = true;
    draft.is_checked = false;
    draft.mistakes.clear();
  });
}

void LessonEditor::edit_step(const std::string& label, const std::function<void(LessonStep&)>& make,
                             std::uint32_t field) {
  if (!shown_) return;
  edit(
      label, [&, step = shown_->step](Lesson& lesson) { make(lesson.steps[step]); }, field);
}

void LessonEditor::take_back(std::vector<Entry>& from, std::vector<Entry>& to) {
  if (!shown_ || from.empty()) return;
  Entry entry = std::move(from.back());
  from.pop_back();
  to.push_back({shown_->lesson, shown_->step, entry.label});
  field_ = 0;
  const std::string chosen = shown_->current().id;
  const bool was_on_screen = is_on_screen(to_.now, shown_->current());
  const bool is_saved = saved_ && lesson_to_json(entry.lesson) == lesson_to_json(*saved_);
  change([&](LessonDraft& draft) {
    draft.lesson = std::move(entry.lesson);
    draft.step = entry.step;
    draft.edition = ++edition_;
    draft.is_modified = !is_saved;
    draft.is_newest = true;
    draft.is_checked = false;
    draft.mistakes.clear();
  });
  const LessonStep& now = shown_->current();
  if ((was_on_screen || now.id != chosen) && !is_on_screen(to_.now, now)) show_step();
  to_.messages.say(fmt::format("{}: {}.", &from == &undo_ ? "Undone" : "Done again", entry.label));
}

void LessonEditor::undo() { take_back(undo_, redo_); }

void LessonEditor::redo() { take_back(redo_, undo_); }

// In a model it is about the head that is chosen there, which may be one of another layer than that of the document: a
// step that names a head names its layer, too.
LessonStep LessonEditor::step_of_screen() const {
  to_.subject.require_computed(needs_document);
  Document document = to_.now.document;
  // A document that was kept as A is the other side of the pair.
  if (!document.compared && to_.now.compared && !to_.view.shows_changes) document.compared = to_.now.compared;
  if (const std::optional<LayerPicture> head = chosen_head_of_model(to_.now)) show_layer_of_pair(document, head->layer);
  return {.document = std::make_shared<const Document>(std::move(document)), .view = view_on_screen(to_.now)};
}

void LessonEditor::choose(std::size_t step) {
  if (!shown_) return;
  field_ = 0;
  to_.messages.forget_all();
  change([&](LessonDraft& draft) {
    draft.step = std::min(step, draft.lesson.steps.size() - 1);
    draft.shows_setup = false;
  });
  show_step();
}

// Shows it as an example is shown: Undo leads back to what was there.
void LessonEditor::show_step() {
  const LessonStep& step = shown_->current();
  if (to_.now.film.watching) films_.close_film();
  film_ = step.view.film ? step.view.pinned : std::nullopt;
  if (to_.subject.attention() || !(to_.now.document == *step.document))
    display_.show({.document = *step.document,
                   .undo_label = to_.subject.attention() ? "" : fmt::format("showing step {}", shown_->step + 1)});
  look_at_step(to_.view, step.view);
  followed_ = to_.now.edition;
}

void LessonEditor::add_screen() {
  if (!shown_) return;
  if (shown_->lesson.steps.size() >= most_steps) throw Error(fmt::format("A lesson has up to {} steps.", most_steps));
  const std::size_t at = shown_->step + 1;
  edit("adding a step", [&](Lesson& lesson) {
    lesson.steps.insert(lesson.steps.begin() + static_cast<std::ptrdiff_t>(at), step_of_screen());
  });
  change([&](LessonDraft& draft) { draft.step = at; });
  to_.messages.forget_all();
  show_layer_of_step();
}

// Shows the layer of the head of a model that the step is about.
void LessonEditor::show_layer_of_step() {
  if (to_.now.document.model && !to_.subject.attention() && !(to_.now.document == *shown_->current().document))
    show_step();
}

void LessonEditor::take_screen() {
  edit_step("what the step shows", [&](LessonStep& step) {
    const LessonStep screen = step_of_screen();
    const bool has_no_goal = step.question && step.question->solution && *step.question->solution == *step.document;
    if (has_no_goal) step.question->solution = screen.document;
    step.document = screen.document;
    step.view = screen.view;
  });
  if (shown_) show_layer_of_step();
}

void LessonEditor::copy_step() {
  if (!shown_) return;
  if (shown_->lesson.steps.size() >= most_steps) throw Error(fmt::format("A lesson has up to {} steps.", most_steps));
  const auto at = static_cast<std::ptrdiff_t>(shown_->step);
  edit("copying a step", [&](Lesson& lesson) {
    LessonStep copy = lesson.steps[shown_->step];
    copy.id.clear();
    lesson.steps.insert(lesson.steps.begin() + at + 1, std::move(copy));
  });
  change([&](LessonDraft& draft) { ++draft.step; });
  const auto covered = covered_.find(shown_->lesson.steps[shown_->step - 1].id);
  if (covered != covered_.end()) covered_[shown_->current().id] = covered->second;
}

void LessonEditor::delete_step() {
  if (!shown_) return;
  edit("deleting a step", [step = shown_->step](Lesson& lesson) {
    lesson.steps.erase(lesson.steps.begin() + static_cast<std::ptrdiff_t>(step));
  });
  show_step();
}

void LessonEditor::move_step(std::size_t from, std::size_t to) {
  if (!shown_ || from == to || std::max(from, to) >= shown_->lesson.steps.size()) return;
  if (from != shown_->step) choose(from);  // and Undo leads back to it
  edit("moving a step", [&](Lesson& lesson) {
    LessonStep moved = std::move(lesson.steps[from]);
    lesson.steps.erase(lesson.steps.begin() + static_cast<std::ptrdiff_t>(from));
    lesson.steps.insert(lesson.steps.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
  });
  change([&](LessonDraft& draft) { draft.step = to; });
}

// Returns the number that a question is about: the pinned one, if the step's document has it, or that of the question
// before, or else the weight that tells most.
Source LessonEditor::asked_cell() const {
  const LessonStep& step = shown_->current();
  const AttentionConfig& config = step.document->config;
  const std::optional<Source> asked = step.question ? cell_named(step.question->answer) : std::nullopt;
  for (const std::optional<Source>& cell : {to_.view.pinned, step.view.pinned, asked}) {
    const std::optional<Source> named = cell ? as_named(config, *cell) : std::nullopt;
    if (named && has_place_of(config, *named)) return *named;
  }
  const std::shared_ptr<const Result> result = to_.now.whole_result();
  const std::optional<Source> telling =
      result && result->config == config ? most_telling_cell(*result, step.view.head) : std::nullopt;
  return telling.value_or(
      Source{.stage = Stage::weights, .head = step.view.head.value_or(0), .row = query_count(config) - 1});
}

// Returns the formula of the chance that a question of this kind is about; empty for none.
std::string LessonEditor::asked_chance(AskedKind kind) const {
  const bool is_there = kind == AskedKind::number && shown_->current().document->model == to_.now.document.model;
  return is_there ? chance_on_screen(to_.now) : "";
}

void LessonEditor::keep_question(const LessonStep& step) {
  if (!step.question) return;
  Question& kept = kept_[{step.id, step.question->kind}] = *step.question;
  if (kept.solution && *kept.solution == *step.document) kept.solution = nullptr;  // there is no goal yet
}

// Returns whether the step had a question of this kind, which it gets again.
bool LessonEditor::take_kept(LessonStep& step, AskedKind kind) const {
  const auto kept = kept_.find({step.id, kind});
  if (kept == kept_.end()) return false;
  Question question = kept->second;
  if (step.question && question.ask.markdown.empty()) question.ask = step.question->ask;
  if (step.question && question.because.markdown.empty()) question.because = step.question->because;
  if (kind == AskedKind::reach && !question.solution) question.solution = step.document;
  step.question = std::move(question);
  return true;
}

void LessonEditor::set_answer(LessonStep& step, const Source& cell) {
  Question& question = *step.question;
  question.answer = question.kind == AskedKind::sketch ? row_of(cell) : cell_name(cell);
  if (question.kind == AskedKind::reach) question.solution = step.document;  // until there is a goal
}

// Changes how the step is looked at, so that it does not give the answer away.
void LessonEditor::cover_answer(LessonStep& step) {
  const Question& question = *step.question;
  const ViewAddress before = step.view;
  ViewAddress& view = step.view;
  if (question.kind == AskedKind::cell && view.pinned && cell_name(*view.pinned) == question.answer)
    view.pinned.reset();
  if (question.kind == AskedKind::sketch) {
    view.mode = ViewMode::focus.id;
    view.stage = stage_before(step.document->config, slice_of(question.answer)->stage);
    view.study = {};
    view.pinned.reset();
    view.film = false;
  }
  if (!(view == before)) covered_[step.id] = {before, view};
}

void LessonEditor::uncover_answer(LessonStep& step) {
  const auto covered = covered_.find(step.id);
  if (covered != covered_.end() && step.view == covered->second.second) step.view = covered->second.first;
}

void LessonEditor::ask(std::optional<AskedKind> kind) {
  if (!shown_) return;
  const std::string chance = kind ? asked_chance(*kind) : "";
  edit_step(kind ? "a question" : "removing a question", [&, cell = asked_cell()](LessonStep& step) {
    keep_question(step);
    uncover_answer(step);
    if (!kind) return step.question.reset();
    if (!take_kept(step, *kind)) {
      step.question = question_of(*kind, step.question);
      if (*kind != AskedKind::choose) set_answer(step, cell);
      if (!chance.empty()) set_chance(*step.question, chance);
    }
    cover_answer(step);
  });
}

void LessonEditor::take_answer() {
  if (!shown_ || !shown_->current().question) return;
  if (const std::string chance = asked_chance(shown_->current().question->kind); !chance.empty())
    return edit_step("an answer", [&](LessonStep& step) { set_chance(*step.question, chance); });
  const bool is_there = to_.view.pinned && has_place_of(shown_->current().document->config, *to_.view.pinned);
  if (!is_there) throw Error("Click the number that is the answer first.");
  edit_step("an answer", [&, cell = asked_cell()](LessonStep& step) {
    uncover_answer(step);
    set_answer(step, cell);
    cover_answer(step);
  });
}

void LessonEditor::take_goal() {
  if (!shown_ || !shown_->current().question) return;
  to_.subject.require_computed(needs_document);
  const std::shared_ptr<const Result> result = to_.now.whole_result();
  const AttentionConfig& config = shown_->current().document->config;
  const std::optional<Source> cell = to_.view.pinned ? as_named(config, *to_.view.pinned) : std::nullopt;
  const bool is_there = cell && has_place_of(config, *cell) && result && has_cell(*result, *cell);
  if (!is_there) throw Error("Click the number that is to be reached first.");
  Document reached = to_.now.document;
  reached.compared = shown_->current().document->compared;
  constexpr double digits = 100;  // two decimals can be said
  const double goal = std::round(static_cast<double>(value_at(*result, *cell)) * digits) / digits;
  edit_step("the goal", [&](LessonStep& step) {
    step.question->answer = cell_name(*cell);
    step.question->to = goal;
    step.question->solution = std::make_shared<const Document>(std::move(reached));
  });
}

void LessonEditor::show_setup(bool is_shown) {
  if (shown_) change([&](LessonDraft& draft) { draft.shows_setup = is_shown; });
}

void LessonEditor::check() {
  if (!shown_) return;
  change([&, mistakes = lesson_mistakes(shown_->lesson, known_views())](LessonDraft& draft) {
    draft.mistakes = mistakes;
    draft.left_out = left_out_on_paper(draft.lesson);
    draft.is_checked = true;
    ++draft.checks;
  });
}

void LessonEditor::try_out() {
  if (!shown_) return;
  Lesson lesson = shown_->lesson;
  lesson.id += "_draft";  // answers to the lesson itself stay
  if (lesson.title.empty()) lesson.title = "A lesson without a title";
  to_.messages.forget_all();
  lessons_.try_lesson(std::make_shared<const Lesson>(std::move(lesson)), shown_->step);
}

void LessonEditor::propose_name() {
  if (to_.dialog.kind != DialogState::Kind::save_lesson || !shown_) return;
  to_.dialog.name = shown_->file.empty() ? shown_->lesson.id + ".lesson.json" : shown_->file.filename().string();
}

void LessonEditor::save(const std::optional<std::filesystem::path>& wanted) {
  if (!shown_) return;
  const std::filesystem::path path = wanted.value_or(shown_->file);
  if (path.empty()) return dialogs_.show_dialog(DialogState::Kind::save_lesson);
  const std::string failure = failure_of([&] {
    if (lower_ending(path) != ".json") throw Error("A lesson is saved as a file that ends in .json.");
    write_file(path, lesson_to_json(shown_->lesson));
  });
  if (!failure.empty()) {
    if (to_.dialog.kind == DialogState::Kind::save_lesson) to_.dialog.error = failure;
    return to_.messages.say(failure, true);
  }
  to_.view.document_folder = path.parent_path().string();
  to_.dialog = {};
  saved_ = shown_->lesson;
  change([&](LessonDraft& draft) {
    draft.file = path;
    draft.is_modified = false;
    draft.is_restored = false;
  });
  check();
  const std::size_t count = shown_->mistakes.size();
  const std::string_view things = count == 1 ? "thing is" : "things are";
  const std::string open = count == 0 ? "" : fmt::format(" {} {} left to do.", count, things);
  if (closes_when_saved_) close();
  to_.messages.say(fmt::format("Saved {}.{}", shown_path(path), open));
}

void LessonEditor::hand_out() {
  if (!shown_) return;
  if (shown_->file.empty()) throw Error("Save the lesson first: its handout is written beside it.");
  std::filesystem::path path = shown_->file;
  if (lower_ending(path.stem()) == ".lesson") path.replace_extension();
  const bool has_answers = to_.view.handout_has_answers;
  path.replace_filename(fmt::format("{}{}.pdf", path.stem().string(), has_answers ? "" : no_answers));
  write_file(path, render_handout(shown_->lesson, has_answers));
  to_.messages.say(fmt::format("Wrote {}.", shown_path(path)));
}

// Says what number the answer of the chosen step is: once for each formula and result, as it may run a model.
void LessonEditor::compute_answer() {
  const LessonStep& step = shown_->current();
  const std::shared_ptr<const Result> result = to_.now.whole_result();
  const bool has_tokens = step.question && result && to_.now.document.tokens == step.document->tokens;
  const bool is_there = has_tokens && result->config == step.document->config;
  const Asked asked{has_tokens ? result : nullptr, is_there, has_tokens ? step.question->answer : ""};
  if (asked == answered_) return;
  answered_ = asked;
  std::string words;
  std::string number;
  const std::string failure = failure_of([&] {
    if (asked.formula.empty()) return;
    const StepNumbers numbers{is_there ? *step.document : to_.now.document, *result};
    words = formula_words(asked.formula, numbers);
    if (!is_there) return;
    const Values values = evaluate_formula(asked.formula, numbers);
    const bool is_share = is_in_percent(*step.question);
    number = is_share ? number_words(100 * values.numbers.front()) + " %" : format_values(values, 4);
  });
  change([&](LessonDraft& draft) {
    draft.answer = is_there && !failure.empty() ? failure : number.empty() ? "" : fmt::format("{}: {}", words, number);
    draft.answer_words = words;
  });
}

void LessonEditor::follow() {
  if (shown_) compute_answer();
  closes_when_saved_ = closes_when_saved_ && to_.dialog.kind == DialogState::Kind::save_lesson;
  const bool can_play = shown_ && film_ && to_.now.whole_result() && !to_.now.lesson.lesson;
  if (can_play) to_.messages.attempt([this, cell = *std::exchange(film_, std::nullopt)] { films_.watch_film(cell); });
  if (!shown_ || followed_ == to_.now.edition) return;
  followed_ = to_.now.edition;
  if (shown_->is_newest && !to_.now.lesson.lesson) change([](LessonDraft& draft) { draft.is_newest = false; });
}

std::string LessonEditor::text() const {
  if (!shown_) return "";
  std::string text = shown_->lesson.title + shown_->lesson.summary + shown_->file.string();
  for (const LessonStep& step : shown_->lesson.steps) text += step.title.markdown;
  const LessonStep& step = shown_->current();
  text += step.text.markdown;
  if (!step.question) return text;
  text += step.question->ask.markdown + step.question->because.markdown + step.question->answer;
  for (const Choosable& choice : step.question->choices) text += choice.text.markdown + choice.why.markdown;
  for (const Mistake& mistake : step.question->mistakes) text += mistake.value + mistake.why.markdown;
  return text;
}

}  // namespace attnscope
