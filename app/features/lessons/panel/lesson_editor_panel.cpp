#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text.h"
#include "features/lessons/lesson_editor.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "platform/system/process.h"
#include "session/ui_state.h"
#include "teach/judge.h"
#include "ui/imgui_compat.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

bool line_field(const char* id, const char* hint, std::string& text, std::size_t most) {
  keep_text_on_escape(id);
  return text_field(id, hint, text, most);
}

using AskedKind = Question::Kind;

constexpr std::size_t most_title = 200;
constexpr std::size_t most_formula = 200;
constexpr int most_steps_in_sight = 6;
constexpr float narrow_padding = 5;      // of buttons, which stand in one line beside a diagram with numbers
constexpr std::size_t most_replies = 8;  // choices and mistakes

const LessonDraft& draft_of(const ViewContext& context) { return *context.now.draft; }

// Changes a part of the chosen step as it is typed; what one field changes is one edit.
void change_step(CallQueue& queue, std::string label, std::function<void(LessonStep&)> change) {
  const std::uint32_t field = ImGui::GetItemID();
  queue.push([label = std::move(label), change = std::move(change), field](const Controllers& to) {
    to.lesson_editor.edit_step(label, change, field);
  });
}

void change_question(CallQueue& queue, std::string label, std::function<void(Question&)> change) {
  change_step(queue, std::move(label), [change = std::move(change)](LessonStep& step) {
    if (step.question) change(*step.question);
  });
}

template <typename Function>
void call_editor(CallQueue& queue, const Function& function) {
  queue.push([function](const Controllers& to) { function(to.lesson_editor); });
}

void draw_editor_tabs(const ViewContext& context, CallQueue& queue) {
  const bool shows_setup = draft_of(context).shows_setup;
  const auto show = [&](bool setup) { call_editor(queue, [setup](LessonEditor& to) { to.show_setup(setup); }); };
  if (choice_button(context, "editor/tab/lesson", "Lesson", !shows_setup)) show(false);
  ImGui::SameLine(0, 3 * unit(context));
  if (choice_button(context, "editor/tab/setup", "Setup", shows_setup, "Everything that can be changed")) show(true);
  same_line_at_right(button_width("Close"));
  if (push_button(context, "editor/close", "Close", {}, "Closes the lesson that is being made")) {
    call_editor(queue, [](LessonEditor& to) { to.leave(); });
  }
  ImGui::Separator();
}

void draw_editor_head(const ViewContext& context, CallQueue& queue) {
  const LessonDraft& draft = draft_of(context);
  std::string title = draft.lesson.title;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (line_field("##lesson_title", "Title of the lesson", title, most_title)) {
    const std::uint32_t field = ImGui::GetItemID();
    call_editor(queue, [title, field](LessonEditor& to) {
      to.edit(
          "the title", [&](Lesson& lesson) { lesson.title = title; }, field);
    });
  }
  register_item(context, "editor/title");
  if (push_button(context, "editor/try", "Try it", {}, "Opens the lesson at this step, as a student sees it"))
    call_editor(queue, [](LessonEditor& to) { to.try_out(); });
  ImGui::SameLine();
  if (push_button(context, "editor/save",
                  draft.file.empty()  ? "Save…"
                  : draft.is_modified ? "Save"
                                      : "Saved",
                  {}, draft.file.empty() ? "Asks for the file's name" : shown_path(draft.file)))
    call_editor(queue, [](LessonEditor& to) { to.save(); });
  ImGui::SameLine();
  if (push_button(context, "editor/check", "Check", {}, "Lists what is left to do in all steps"))
    call_editor(queue, [](LessonEditor& to) { to.check(); });
  if (in_browser) return;
  ImGui::SameLine();
  if (push_button(context, "editor/hand_out", "Hand out",
                  draft.file.empty() ? "Save the lesson first: its handout is written beside it." : "",
                  "Writes the lesson on paper, a PDF beside its file"))
    call_editor(queue, [](LessonEditor& to) { to.hand_out(); });
  if (draft.file.empty()) return;
  const char* const with_answers = "with answers";
  const float box =
      ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(with_answers).x;
  ImGui::AlignTextToFramePadding();
  dim_text(context, fit_text(context.fonts.small_text, shown_path(draft.file.filename()),
                             ImGui::GetContentRegionAvail().x - box - ImGui::GetStyle().ItemSpacing.x));
  register_item(context, "editor/file");
  item_tooltip(context, shown_path(draft.file));
  same_line_at_right(box);
  const Action& answers = action("learn/handout_answers");
  bool has_answers = answers.is_on(context);
  if (ImGui::Checkbox(with_answers, &has_answers)) answers.run(context, queue);
  register_item(context, "editor/handout_answers", {.is_on = has_answers});
  item_tooltip(context, answers.help);
}

// Says that the lesson is one that a program left behind.
void draw_restored(const ViewContext& context) {
  if (!draft_of(context).is_restored) return;
  warning_text(context, "Restored: these changes were not saved when attnscope ended.");
  register_item(context, "editor/restored");
}

std::string step_label(const LessonStep& step, std::size_t index) {
  const std::string title = step.title.markdown.empty() ? "(no title)" : step.title.markdown;
  return fmt::format("{}  {}{}", index + 1, title, step.question ? "  ?" : "");
}

// A step is dragged to its new place.
void drag_step(CallQueue& queue, std::size_t index) {
  constexpr const char* kind = "step of a lesson";
  if (ImGui::BeginDragDropSource(ImGuiDragDropFlags_SourceNoPreviewTooltip)) {
    ImGui::SetDragDropPayload(kind, &index, sizeof index);
    ImGui::EndDragDropSource();
  }
  if (!ImGui::BeginDragDropTarget()) return;
  if (const ImGuiPayload* const payload = ImGui::AcceptDragDropPayload(kind)) {
    const std::size_t from = *static_cast<const std::size_t*>(payload->Data);
    call_editor(queue, [from, index](LessonEditor& to) { to.move_step(from, index); });
  }
  ImGui::EndDragDropTarget();
}

// Draws a button that moves the chosen step up or down.
void draw_arrow(const ViewContext& context, CallQueue& queue, const char* name, ImGuiDir direction, std::size_t from,
                std::size_t to) {
  same_line_if_fits(ImGui::GetStyle().ItemSpacing.x, ImGui::GetFrameHeight());
  ImGui::BeginDisabled(from == to);
  if (ImGui::ArrowButton(name, direction)) call_editor(queue, [from, to](LessonEditor& it) { it.move_step(from, to); });
  ImGui::EndDisabled();
  register_item(context, name, {.enabled = from != to});
  item_tooltip(context, direction == ImGuiDir_Up ? "Moves the step up; or drag it" : "Moves the step down; or drag it");
}

void draw_editor_steps(const ViewContext& context, CallQueue& queue) {
  const LessonDraft& draft = draft_of(context);
  const int count = static_cast<int>(draft.lesson.steps.size());
  const auto rows = static_cast<float>(std::min(count, most_steps_in_sight));
  begin_flat_child("editor_steps", {0, rows * ImGui::GetTextLineHeightWithSpacing() + 4 * unit(context)});
  const float room = ImGui::GetContentRegionAvail().x;
  for (std::size_t i = 0; i < draft.lesson.steps.size(); ++i) {
    const std::string label = fit_text(context.fonts.text, step_label(draft.lesson.steps[i], i), room);
    const bool is_chosen = i == draft.step;
    if (text_item(static_cast<int>(i), label, is_chosen)) call_editor(queue, [i](LessonEditor& to) { to.choose(i); });
    drag_step(queue, i);
    register_item(context, fmt::format("editor/step/{}", i), {.is_on = is_chosen});
    int& seen = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("chosen"), -1);
    if (!is_chosen || seen == static_cast<int>(i)) continue;
    seen = static_cast<int>(i);
    ImGui::SetScrollHereY();
  }
  ImGui::EndChild();
  if (push_button(context, "editor/add", "Add this", {},
                  "Adds a step behind the chosen one. It shows what is on the screen: document, view, pinned number, "
                  "teaching view, pair or film"))
    call_editor(queue, [](LessonEditor& to) { to.add_screen(); });
  same_line_if_fits(ImGui::GetStyle().ItemSpacing.x, button_width("Copy"));
  if (push_button(context, "editor/copy", "Copy", {}, "Copies the chosen step"))
    call_editor(queue, [](LessonEditor& to) { to.copy_step(); });
  same_line_if_fits(ImGui::GetStyle().ItemSpacing.x, button_width("Delete"));
  if (push_button(context, "editor/delete", "Delete", count == 1 ? "A lesson has at least one step." : "",
                  "Deletes the chosen step"))
    call_editor(queue, [](LessonEditor& to) { to.delete_step(); });
  const std::size_t at = draft.step;
  draw_arrow(context, queue, "editor/up", ImGuiDir_Up, at, at == 0 ? at : at - 1);
  draw_arrow(context, queue, "editor/down", ImGuiDir_Down, at, std::min(at + 1, draft.lesson.steps.size() - 1));
}

// Returns what a step shows, in a line: "self-attention v2, 6 tokens · focus, attention weights · weights[0,0,4,1]".
std::string words_of_view(const LessonStep& step) {
  const Document& document = *step.document;
  std::string words =
      document.model ? "the model " + document.model->name : std::string(info(document.config.mechanism).title);
  words += fmt::format(", {} tokens", document.tokens.size());
  if (document.compared) words += ", a pair";
  const ViewAddress& view = step.view;
  if (const TeachingViewInfo* const study = study_named(view.study.id)) {
    words += fmt::format(" · {}", study->title);
  } else if (!view.mode.empty()) {
    words += " · " + view.mode;
  }
  if (view.stage) words += fmt::format(", {}", info(*view.stage).title);
  if (document.model) words += fmt::format(", layer {}", std::get<ModelInputs>(document.config.inputs).layer + 1);
  if (head_count(document.config) > 1 && view.head) words += fmt::format(", head {}", *view.head + 1);
  const std::vector<LayerPicture> off = heads_off_in(document.config);
  for (std::size_t i = 0; i < off.size(); ++i) {
    words += i == 0 ? " · off: " : "; ";
    if (document.model) words += fmt::format("layer {}, ", off[i].layer + 1);
    words += fmt::format("head {}", off[i].head + 1);
  }
  if (view.pinned) words += fmt::format(" · {}{}", view.film ? "film of " : "", cell_name(*view.pinned));
  return words;
}

void draw_shown(const ViewContext& context, CallQueue& queue, const LessonStep& step) {
  dim_text(context, words_of_view(step));
  register_item(context, "editor/shows");
  const bool is_shown = is_on_screen(context.now, step);
  if (push_button(context, "editor/take", "Show this instead", is_shown ? "The step shows what is on the screen." : "",
                  "Lets the step show what is on the screen now"))
    call_editor(queue, [](LessonEditor& to) { to.take_screen(); });
  ImGui::SameLine();
  const std::size_t at = draft_of(context).step;
  if (push_button(context, "editor/show", "Back to it", is_shown ? "The step is on the screen." : "",
                  "Shows on the screen what the step shows"))
    call_editor(queue, [at](LessonEditor& to) { to.choose(at); });
}

// Returns whether a number was put behind a text in the last frame: typing goes on behind it.
bool& has_new_number(const char* text) { return *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID(text), false); }

using AddNumber = std::function<void(LessonStep&, const std::string&)>;

// Returns what stands for the pinned number in a text, or in Model for the chance of a next word; of A of a pair if it
// is wanted.
std::string number_on_screen(const ViewContext& context, const Document& side, bool is_a) {
  const auto of_side = [is_a](const std::string& formula) { return is_a ? "A(" + formula + ")" : formula; };
  if (const std::string chance = chance_on_screen(context.now); !chance.empty() && side.model)
    return fmt::format("{{{{100 * {}:.1f}}}} %", of_side(chance));
  const std::optional<Source>& pinned = context.now.view.pinned;
  const bool is_there = pinned && as_named(side.config, *pinned) && has_place_of(side.config, *pinned);
  return is_there ? fmt::format("{{{{{}:.2f}}}}", of_side(cell_name(*pinned))) : "";
}

// The labels of the buttons that put a number behind a text: the step's, and A's of a pair.
struct NumberLabels {
  std::string own;
  std::string of_a;
};

NumberLabels number_labels(const ViewContext& context, bool are_short) {
  const std::string chance = chance_on_screen(context.now);  // "chance(box)"
  if (are_short) return {chance.empty() ? "+ #" : "+ %", "+ A"};
  if (chance.empty()) return {"+ pinned number", "+ A's number"};
  constexpr std::size_t before = 7;  // "chance("
  return {fmt::format("+ chance of “{}”", chance.substr(before, chance.size() - before - 1)), "+ A's chance"};
}

// Draws a button that puts a number behind a text.
void draw_number_of_side(const ViewContext& context, CallQueue& queue, const std::string& name,
                         const std::string& label, const std::string& number, const AddNumber& add, bool& is_new) {
  const std::string reason = context.now.view.mode == ViewMode::model
                                 ? "Click a next word first, after the last word of the text."
                                 : "Click a number of this step first.";
  if (!push_button(context, name, label.c_str(), number.empty() ? reason : "",
                   fmt::format("Adds {}, which stands for the number", number)))
    return;
  is_new = true;
  queue.push([number, add](const Controllers& to) {
    to.lesson_editor.edit_step("a number", [&](LessonStep& step) { add(step, number); });
  });
}

// Draws a button that puts the number on the screen behind a text; of a pair, one for A's, too.
void draw_number_button(const ViewContext& context, CallQueue& queue, const std::string& name, const char* text,
                        const AddNumber& add, bool is_short = false) {
  const Document& document = *draft_of(context).current().document;
  bool& is_new = has_new_number(text);
  const auto [own, of_a] = number_labels(context, is_short);
  draw_number_of_side(context, queue, name, own, number_on_screen(context, document, false), add, is_new);
  if (!document.compared) return;
  same_line_if_fits(ImGui::GetStyle().ItemSpacing.x, button_width(of_a.c_str()));
  draw_number_of_side(context, queue, name + "/a", of_a, number_on_screen(context, *document.compared, true), add,
                      is_new);
}

// Draws a field for a text of a question, and beside it the button that puts a number behind it. Returns whether it was
// changed. `more` is the room that is left free behind the button.
bool field_with_number(const ViewContext& context, CallQueue& queue, const std::string& name, const char* hint,
                       std::string& text, int lines, const AddNumber& add, float more = 0) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const auto [own, of_a] = number_labels(context, true);
  float beside = more + gap + button_width(own.c_str());
  if (draft_of(context).current().document->compared) beside += gap + button_width(of_a.c_str());
  ImGui::PushID(name.c_str());
  const bool is_changed =
      paragraphs_field(context, "##field", hint, text, lines, std::exchange(has_new_number("field"), false), beside);
  register_item(context, name);
  ImGui::SameLine();
  draw_number_button(context, queue, name + "/number", "field", add, true);
  ImGui::PopID();
  return is_changed;
}

void add_number(std::string& text, const std::string& number) {
  if (!text.empty() && text.back() != ' ' && text.back() != '\n') text += ' ';
  text += number;
}

void draw_texts(const ViewContext& context, CallQueue& queue, const LessonStep& step) {
  std::string title = step.title.markdown;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (line_field("##step_title", "Title of the step", title, most_title))
    change_step(queue, "the step's title", [title](LessonStep& of) { of.title.markdown = title; });
  register_item(context, "editor/step_title");
  std::string text = step.text.markdown;
  if (paragraphs_field(context, "##step_text", "What is there to see?", text, 4,
                       std::exchange(has_new_number("text"), false)))
    change_step(queue, "the step's text", [text](LessonStep& of) { of.text.markdown = text; });
  register_item(context, "editor/text");
  draw_number_button(context, queue, "editor/number", "text",
                     [](LessonStep& of, const std::string& number) { add_number(of.text.markdown, number); });
}

void draw_kinds(const ViewContext& context, CallQueue& queue, const LessonStep& step) {
  struct Row {
    std::optional<AskedKind> kind;
    const char* name;
    const char* label;
    const char* help;
  };
  constexpr Row rows[] = {
      {{}, "none", "no", "The step asks nothing"},
      {AskedKind::choose, "choose", "choice", "Students choose one of several answers"},
      {AskedKind::number, "number", "value", "Students type a number"},
      {AskedKind::cell, "cell", "cell", "Students click a cell"},
      {AskedKind::sketch, "sketch", "row", "Students drag the bars of a row"},
      {AskedKind::reach, "reach", "goal", "Students change the document until a number is as you want it"}};
  ImGui::TextUnformatted("Question");
  bool& is_new = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("new question"), false);
  if (is_new && step.question) {  // its fields come into sight
    ImGui::SetScrollHereY(0);
    is_new = false;
  }
  for (const Row& row : rows) {
    if (row.kind) same_line_if_fits(unit(context), button_width(row.label));
    const bool is_on = step.question ? row.kind == step.question->kind : !row.kind;
    if (choice_button(context, fmt::format("editor/ask/{}", row.name), row.label, is_on, row.help) && !is_on) {
      is_new = row.kind.has_value();
      call_editor(queue, [kind = row.kind](LessonEditor& to) { to.ask(kind); });
    }
  }
}

void draw_tolerance(const ViewContext& context, CallQueue& queue, const Question& question) {
  const double unit_of_answer = is_in_percent(question) ? 100 : 1;
  float tolerance = static_cast<float>(unit_of_answer * question.tolerance);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Right within ±");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(80 * unit(context));
  if (ImGui::InputFloat("##tolerance", &tolerance, 0, 0, unit_of_answer > 1 ? "%g %%" : "%g"))
    change_question(queue, "the tolerance", [typed = static_cast<double>(tolerance) / unit_of_answer](Question& of) {
      of.tolerance = std::clamp(typed, 0.0, 1e6);
    });
  register_item(context, "editor/tolerance");
}

void draw_answer(const ViewContext& context, CallQueue& queue, const LessonStep& step) {
  const Question& question = *step.question;
  std::string answer = question.answer;
  const bool is_chance = question.kind == AskedKind::number && !chance_on_screen(context.now).empty();
  const char* const take = is_chance ? "Chance" : "Pinned";
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Answer");
  ImGui::SameLine();
  if (question.kind == AskedKind::number) {
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - button_width(take) - ImGui::GetStyle().ItemSpacing.x);
    if (line_field("##answer", "weights[0,0,1,2] or a formula", answer, most_formula))
      change_question(queue, "the answer", [answer](Question& of) { of.answer = answer; });
    register_item(context, "editor/answer");
  } else {
    ImGui::TextUnformatted(answer.c_str());
    register_item(context, "editor/answer");
  }
  same_line_if_fits(ImGui::GetStyle().ItemSpacing.x, button_width(take));
  if (push_button(context, "editor/take_answer", take,
                  is_chance || context.now.view.pinned ? "" : "Click the answer first.",
                  is_chance                            ? "Takes the chance of the next word as the answer"
                  : question.kind == AskedKind::sketch ? "Takes the row of the pinned number as the answer"
                                                       : "Takes the pinned number as the answer"))
    call_editor(queue, [](LessonEditor& to) { to.take_answer(); });
  // A number is not broken at its point.
  dim_text(context, wrapped(context.fonts.small_text, draft_of(context).answer,
                            ImGui::GetContentRegionAvail().x - unit(context)));
  register_item(context, "editor/answer/value");
  if (question.kind == AskedKind::cell) return;
  draw_tolerance(context, queue, question);
}

// Draws what a number is to become, which is taken from the screen.
void draw_goal(const ViewContext& context, CallQueue& queue, const LessonStep& step) {
  const Question& question = *step.question;
  const bool has_goal = !(*question.solution == *step.document);
  const std::string& number = draft_of(context).answer_words.empty() ? question.answer : draft_of(context).answer_words;
  dim_text(context,
           has_goal
               ? fmt::format("Students change the document until {} is {:g}. “Reveal” shows the document that was on "
                             "the screen when you took this goal.",
                             number, question.to)
               : fmt::format("Change the document until {} is as students are to make it; then press “Goal from "
                             "screen”.",
                             number));
  register_item(context, "editor/answer");
  if (push_button(context, "editor/take_goal", "Goal from screen",
                  context.now.view.pinned ? "" : "Click the number that is to be reached first.",
                  "Takes the pinned number, as it is now, as the goal, and this document as one way to reach it"))
    call_editor(queue, [](LessonEditor& to) { to.take_goal(); });
  draw_tolerance(context, queue, question);
}

void draw_choice(const ViewContext& context, CallQueue& queue, const Question& question, std::size_t i) {
  const std::string name = fmt::format("editor/choice/{}", i);
  const bool is_right = i == question.right;
  if (ImGui::RadioButton("##right", is_right) && !is_right)
    change_question(queue, "the right choice", [i](Question& of) { of.right = i; });
  register_item(context, name + "/right", {.is_on = is_right});
  item_tooltip(context, "Marks this choice as the right one");
  ImGui::SameLine();
  std::string text = question.choices[i].text.markdown;
  const AddNumber add_to_text = [i](LessonStep& of, const std::string& number) {
    if (of.question && i < of.question->choices.size()) add_number(of.question->choices[i].text.markdown, number);
  };
  if (field_with_number(context, queue, name + "/text", "A choice", text, 1, add_to_text,
                        button_width("×") + ImGui::GetStyle().ItemSpacing.x))
    change_question(queue, "a choice", [i, text](Question& of) {
      if (i < of.choices.size()) of.choices[i].text.markdown = text;
    });
  ImGui::SameLine();
  if (push_button(context, name + "/remove", "×", question.choices.size() == 2 ? "There are at least two choices." : "",
                  "Removes the choice"))
    change_question(queue, "removing a choice", [i](Question& of) {
      if (i >= of.choices.size() || of.choices.size() <= 2) return;
      of.choices.erase(of.choices.begin() + static_cast<std::ptrdiff_t>(i));
      if (of.right >= i && of.right > 0) --of.right;
    });
  if (is_right) return;
  ImGui::Indent(18 * unit(context));
  std::string why = question.choices[i].why.markdown;
  const AddNumber add_to_why = [i](LessonStep& of, const std::string& number) {
    if (of.question && i < of.question->choices.size()) add_number(of.question->choices[i].why.markdown, number);
  };
  if (field_with_number(context, queue, name + "/why", "Say why it is wrong", why, 1, add_to_why))
    change_question(queue, "a reply", [i, why](Question& of) {
      if (i < of.choices.size()) of.choices[i].why.markdown = why;
    });
  ImGui::Unindent(18 * unit(context));
}

void draw_choices(const ViewContext& context, CallQueue& queue, const Question& question) {
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    draw_choice(context, queue, question, i);
    ImGui::PopID();
  }
  if (push_button(context, "editor/add_choice", "Add a choice",
                  question.choices.size() == most_replies ? "There are at most eight choices." : ""))
    change_question(queue, "adding a choice", [](Question& of) { of.choices.emplace_back(); });
}

// Wrong numbers that people type, with what is said to them.
void draw_wrong_numbers(const ViewContext& context, CallQueue& queue, const Question& question) {
  for (std::size_t i = 0; i < question.mistakes.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const std::string name = fmt::format("editor/mistake/{}", i);
    std::string value = question.mistakes[i].value;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - button_width("×") - ImGui::GetStyle().ItemSpacing.x);
    if (line_field("##value", "A wrong number, or its formula", value, most_formula))
      change_question(queue, "a wrong number", [i, value](Question& of) {
        if (i < of.mistakes.size()) of.mistakes[i].value = value;
      });
    register_item(context, name + "/value");
    ImGui::SameLine();
    if (push_button(context, name + "/remove", "×", {}, "Removes this reply"))
      change_question(queue, "removing a reply", [i](Question& of) {
        if (i < of.mistakes.size()) of.mistakes.erase(of.mistakes.begin() + static_cast<std::ptrdiff_t>(i));
      });
    std::string why = question.mistakes[i].why.markdown;
    const AddNumber add_to_why = [i](LessonStep& of, const std::string& number) {
      if (of.question && i < of.question->mistakes.size()) add_number(of.question->mistakes[i].why.markdown, number);
    };
    if (field_with_number(context, queue, name + "/why", "Say what the student mistook", why, 1, add_to_why))
      change_question(queue, "a reply", [i, why](Question& of) {
        if (i < of.mistakes.size()) of.mistakes[i].why.markdown = why;
      });
    ImGui::PopID();
  }
  if (push_button(context, "editor/add_mistake", "Reply to a wrong number",
                  question.mistakes.size() == most_replies ? "There are at most eight replies." : ""))
    change_question(queue, "adding a reply", [](Question& of) { of.mistakes.push_back({.value = "0"}); });
}

void draw_question(const ViewContext& context, CallQueue& queue, const LessonStep& step) {
  draw_kinds(context, queue, step);
  if (!step.question) return;
  const Question& question = *step.question;
  std::string ask = question.ask.markdown;
  const AddNumber add_to_ask = [](LessonStep& of, const std::string& number) {
    if (of.question) add_number(of.question->ask.markdown, number);
  };
  if (field_with_number(context, queue, "editor/question", "What do you ask?", ask, 2, add_to_ask))
    change_question(queue, "the question", [ask](Question& of) { of.ask.markdown = ask; });
  switch (question.kind) {
    case AskedKind::choose:
      draw_choices(context, queue, question);
      break;
    case AskedKind::reach:
      draw_goal(context, queue, step);
      break;
    case AskedKind::number:
      draw_answer(context, queue, step);
      draw_wrong_numbers(context, queue, question);
      break;
    case AskedKind::cell:
    case AskedKind::sketch:
      draw_answer(context, queue, step);
      break;
  }
  std::string because = question.because.markdown;
  if (paragraphs_field(context, "##because", "What do you say afterwards?", because, 2,
                       std::exchange(has_new_number("because"), false)))
    change_question(queue, "the explanation", [because](Question& of) { of.because.markdown = because; });
  register_item(context, "editor/because");
  draw_number_button(context, queue, "editor/because/number", "because", [](LessonStep& of, const std::string& number) {
    if (of.question) add_number(of.question->because.markdown, number);
  });
}

// Returns the number between the place's name and its bracket, and removes these: 2 of "steps[2].text" for "steps[".
std::optional<std::size_t> take_index(std::string& sentence, std::string_view place) {
  const std::size_t at = sentence.find(place);
  const std::size_t end = at == std::string::npos ? at : sentence.find(']', at);
  if (end == std::string::npos) return {};
  const std::size_t first = at + place.size();
  const std::optional<std::size_t> index =
      number_of<std::size_t>(std::string_view(sentence).substr(first, end - first));
  if (index) sentence.erase(at, end + 1 - at);
  return index;
}

void replace_first(std::string& sentence, std::string_view what, std::string_view by) {
  const std::size_t at = sentence.find(what);
  if (at != std::string::npos) sentence.replace(at, what.size(), by);
}

struct WhatIsLeft {
  std::optional<std::size_t> step;
  std::string words;  // "Step 3, choice 2: is wrong, but its reply is empty."
};

// Says a mistake in the words of the screen, where steps and choices count from 1.
WhatIsLeft what_is_left(std::string sentence) {
  const std::optional<std::size_t> step = take_index(sentence, "steps[");
  const std::optional<std::size_t> choice = take_index(sentence, "question.choices[");
  const std::optional<std::size_t> reply = take_index(sentence, "question.mistakes[");
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {".question.ask", ".the question"},  {".question.because", ".what you say afterwards"},
      {".question.answer", ".the answer"}, {".question asks", ".the question asks"},
      {".question:", ".the question:"},    {".show: ", ".what it shows: "},
      {".show.film: ", ".its film: "},     {"show \"focus\" on", "show Focus on"},
      {"its \"why\" is", "its reply is"}};
  for (const auto& [key, word] : names) replace_first(sentence, key, word);
  while (sentence.starts_with('.')) sentence.erase(0, 1);
  if (sentence.starts_with("title") || sentence.starts_with("text")) sentence = "its " + sentence;
  if (choice) sentence = fmt::format("choice {}{}{}", *choice + 1, sentence.starts_with(' ') ? "" : ": ", sentence);
  if (reply) sentence = fmt::format("wrong number {}{}", *reply + 1, sentence);
  if (step) sentence = fmt::format("Step {}: {}", *step + 1, trimmed(sentence));
  return {step, sentence};
}

void draw_mistakes(const ViewContext& context, CallQueue& queue) {
  const LessonDraft& draft = draft_of(context);
  if (!draft.is_checked) return;
  std::vector<WhatIsLeft> left;
  for (const std::string& mistake : draft.mistakes) left.push_back(what_is_left(mistake));
  std::ranges::stable_sort(left, {}, &WhatIsLeft::step);
  if (left.empty()) {
    dim_text(context, "Nothing is left to do.");
    register_item(context, "editor/left/none");
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    warning_text(context, left[i].words);
    if (ImGui::IsItemClicked() && left[i].step)
      call_editor(queue, [step = *left[i].step](LessonEditor& to) { to.choose(step); });
    register_item(context, fmt::format("editor/left/{}", i));
  }
  for (std::size_t i = 0; i < draft.left_out.size(); ++i) {
    dim_text(context, draft.left_out[i]);
    register_item(context, fmt::format("editor/left_out/{}", i));
  }
  ImGui::Separator();
}

}  // namespace

bool is_making_lesson(const ViewContext& context) { return context.now.draft && !context.now.lesson.lesson; }

void draw_lesson_editor(const ViewContext& context, CallQueue& queue) {
  draw_editor_tabs(context, queue);
  const LessonDraft& draft = draft_of(context);
  if (draft.shows_setup) {
    begin_flat_child("editor_setup", {0, 0});
    draw_setup_panel(context, queue);
    return ImGui::EndChild();
  }
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {narrow_padding * unit(context), ImGui::GetStyle().FramePadding.y});
  draw_editor_head(context, queue);
  draw_restored(context);
  ImGui::Separator();
  draw_editor_steps(context, queue);
  ImGui::Separator();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  begin_flat_child("editor_step", {0, 0});
  ImGui::PopStyleVar();
  int& checks = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("checks"), draft.checks);
  if (std::exchange(checks, draft.checks) != draft.checks) ImGui::SetScrollY(0);  // what the check says is there
  ImGui::PushID(static_cast<int>(draft.step));  // fields of different steps are different ones
  const LessonStep& step = draft.current();
  draw_mistakes(context, queue);
  draw_texts(context, queue, step);
  draw_shown(context, queue, step);
  ImGui::Separator();
  draw_question(context, queue, step);
  ImGui::PopID();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace attnscope
