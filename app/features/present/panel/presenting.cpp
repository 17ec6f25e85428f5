#include "features/present/panel/presenting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "document/compare.h"
#include "features/compare/panel/comparison.h"
#include "features/edit/panel/cell_edits.h"
#include "features/film/film_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/lessons/lesson_editor.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "teach/film.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"
#include "view/stage_look.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

constexpr float screen_margin = 11;
constexpr float units_high = 594;      // the screen before an audience: 11 units are 20 pixels of 1080
constexpr float line_padding = 5;      // above and below the text of the line
constexpr float lesson_share = 0.22F;  // of the screen's width, or of its height if it is upright, for a lesson's text
constexpr float most_lesson_share = 0.4F;
constexpr float share_step = 0.015F;
constexpr float spot_radius = 90;
constexpr float spot_shade = 0.62F;  // darkness outside of the spot

// Returns whether A and B stand beside each other, one stage of each.
bool shows_pair(const ViewContext& context) {
  return context.now.is_comparing() && context.now.view.side == ComparedSide::side_by_side &&
         context.now.view.mode == ViewMode::diagram;
}

// Names the side of a pair that is shown alone: "B: dropout 0.25".
std::string words_of_side(const ViewContext& context) {
  const ComparedSide side = context.now.view.side;
  if (!context.now.is_comparing() || side == ComparedSide::side_by_side) return "";  // which names both
  const auto [a, b] = names_of_sides(context.now.compared->config, context.now.document.config);
  return side == ComparedSide::difference ? "B − A" : side == ComparedSide::now ? side_name("B", b) : side_name("A", a);
}

bool shows_study(const ViewContext& context) { return context.now.view.mode == ViewMode::study; }

void end_blank(CallQueue& queue) {
  change_view(queue, [](ViewState& state) {
    if (state.transient.presenting) state.transient.presenting->is_blank = false;
  });
}

bool shows_model(const ViewContext& context) {
  return context.now.view.mode == ViewMode::model && context.now.model.run;
}

void go_to_study(const ViewContext& context, CallQueue& queue, Index step) {
  step_study(context, queue, step);
  change_view(queue, [](ViewState& state) {
    if (!state.transient.presenting) return;
    state.transient.presenting->is_blank = false;
    state.transient.presenting->spot.reset();
  });
}

void handle_step_keys(const ViewContext& context, CallQueue& queue) {
  const bool is_space = is_key_pressed(keys::named(ImGuiKey_Space), true);
  if (is_space && shows_model(context)) return toggle_in_model(context, queue);
  const int forward =
      is_space || is_any_pressed({ImGuiKey_RightArrow, ImGuiKey_DownArrow, ImGuiKey_PageDown}, true) ? 1 : 0;
  const int back =
      is_any_pressed({ImGuiKey_LeftArrow, ImGuiKey_UpArrow, ImGuiKey_PageUp, ImGuiKey_Backspace}, true) ? 1 : 0;
  constexpr Index far = 1'000'000;
  const bool to_first = is_key_pressed(keys::named(ImGuiKey_Home));
  const bool to_last = is_key_pressed(keys::named(ImGuiKey_End));
  if (shows_study(context)) {
    if (forward != back) go_to_study(context, queue, forward - back);
    return;
  }
  if (shows_model(context)) {
    if (forward != back) go_to_head_of_model(context, queue, forward - back);
    if (to_first || to_last) go_to_head_of_model(context, queue, to_first ? -far : far);
    return;
  }
  if (forward != back && context.now.view.transient.presenting->is_blank) end_blank(queue);
  if (forward > back) present_next(context, queue);
  if (back > forward) present_previous(context, queue);
  if (to_first || to_last) present_step(context, queue, to_first ? 0 : far);
}

void toggle_blank(CallQueue& queue) {
  change_view(queue, [](ViewState& state) {
    if (state.transient.presenting) state.transient.presenting->is_blank = !state.transient.presenting->is_blank;
  });
}

bool has_spot(const ViewContext& context) {
  return context.now.view.transient.presenting->spot == context.now.view.mode;
}

void end_spot(CallQueue& queue) {
  change_view(queue, [](ViewState& state) {
    if (state.transient.presenting) state.transient.presenting->spot.reset();
  });
}

void toggle_spot(const ViewContext& context, CallQueue& queue) {
  if (has_spot(context)) return end_spot(queue);
  change_view(queue, [](ViewState& state) {
    if (state.transient.presenting) state.transient.presenting->spot = state.mode;
  });
}

// A lesson that is open is presented step by step.
bool presents_lesson(const ViewContext& context) { return context.now.lesson.lesson != nullptr; }

bool shows_lesson_text(const ViewContext& context) {
  return presents_lesson(context) && !context.now.view.transient.presenting->hides_lesson;
}

void go_in_lesson(const ViewContext& context, CallQueue& queue, std::size_t step) {
  if (step == context.now.lesson.step || step >= context.now.lesson.lesson->steps.size()) return;
  queue.push([step](const Controllers& to) { to.lessons.go_to_step(step); });
  change_view(queue, [](ViewState& state) {
    if (!state.transient.presenting) return;
    state.transient.presenting->has_moved = true;
    state.transient.presenting->is_blank = false;
  });
}

// Switches a head of the step off or on: the large one of a model, else the one that is shown.
void switch_head_of_step(const ViewContext& context, CallQueue& queue) {
  if (shows_model(context)) return toggle_in_model(context, queue);
  const std::string obstacle(obstacle_to_heads(context));
  obstacle.empty() ? switch_head_at_hand(context, queue) : say(queue, obstacle);
}

// Returns whether a film that a step plays has more scenes to come.
bool has_more_scenes(const FilmShown& film) {
  return film.is_open() && (film.watching->scene + 1 < film.film->scenes.size() || film.watching->t < 1);
}

void handle_lesson_keys(const ViewContext& context, CallQueue& queue) {
  if (ImGui::GetIO().WantTextInput) return;  // an answer is typed
  const std::size_t now = context.now.lesson.step;
  const bool is_space = is_key_pressed(keys::named(ImGuiKey_Space), true);
  if (is_space && shows_model(context)) return toggle_in_model(context, queue);
  if (is_space && is_watching(context)) return queue.push([](const Controllers& to) { to.films.play_or_pause(); });
  if (is_space || is_any_pressed({ImGuiKey_RightArrow, ImGuiKey_DownArrow, ImGuiKey_PageDown}, true)) {
    if (has_more_scenes(context.now.film)) return queue.push([](const Controllers& to) { to.films.go_on(); });
    return go_in_lesson(context, queue, now + 1);
  }
  const bool is_back =
      is_any_pressed({ImGuiKey_LeftArrow, ImGuiKey_UpArrow, ImGuiKey_PageUp, ImGuiKey_Backspace}, true);
  if (is_back && context.now.film.is_open() && context.now.film.watching->scene > 0)
    return queue.push([](const Controllers& to) { to.films.go_back(); });
  if (is_back && now > 0) return go_in_lesson(context, queue, now - 1);
  if (is_watching(context)) {
    if (is_key_pressed(keys::named(ImGuiKey_Home)))
      return queue.push([](const Controllers& to) { to.films.go_to_begin(); });
    if (is_key_pressed(keys::named(ImGuiKey_End)))
      return queue.push([](const Controllers& to) { to.films.go_to_end(); });
  }
  if (is_key_pressed(keys::named(ImGuiKey_Home))) return go_in_lesson(context, queue, 0);
  if (is_key_pressed(keys::named(ImGuiKey_End)))
    return go_in_lesson(context, queue, context.now.lesson.lesson->steps.size() - 1);
  if (is_key_pressed(keys::letter('R')) && context.now.lesson.question()) {
    change_view(queue, [](ViewState& state) {
      if (state.transient.presenting) state.transient.presenting->hides_lesson = false;  // the answer is in the text
    });
    return queue.push([](const Controllers& to) { to.lessons.reveal(); });
  }
  if (is_key_pressed(keys::letter('O'))) return switch_head_of_step(context, queue);
  if (is_key_pressed(keys::letter('T')))
    change_view(queue, [](ViewState& state) {
      if (state.transient.presenting) state.transient.presenting->hides_lesson ^= true;
    });
}

// Ends the presentation; one that began in the editor of lessons leads back there. The film of a step goes on.
void stop(const ViewContext& context, CallQueue& queue) {
  if (!presents_lesson(context)) queue.push([](const Controllers& to) { to.films.close(); });
  if (presents_lesson(context) && context.now.view.transient.presenting->began_in_editor)
    queue.push([](const Controllers& to) { to.lessons.close(); });
  change_view(queue, [](ViewState& state) { state.transient.presenting.reset(); });
}

// Returns whether a film plays that is none of a step.
bool plays_own_film(const ViewContext& context) { return is_watching(context) && !context.now.film.is_step; }

bool is_film_of_model(const ViewContext& context) {
  return plays_own_film(context) && context.now.view.transient.leads_to_model;
}

// Closes a film; that of a model's head leads back to the model.
void leave_film(const ViewContext& context, CallQueue& queue) {
  close_film(queue);
  if (!is_film_of_model(context)) return;
  change_view(queue, [](ViewState& state) {
    state.mode = ViewMode::model;
    state.transient.leads_to_model = false;
  });
}

// Returns "head 2 of 4" if one of several is shown.
std::string head_words(const ViewContext& context) {
  const Index heads = context.now.result() ? head_count(context.now.result()->config) : 1;
  if (heads == 1 || !context.now.view.mode.shows_one_head) return "";
  return fmt::format("head {} of {}", std::min(context.now.view.head, heads - 1) + 1, heads);
}

// Small text and headings at a step: those of the panels at 0, the largest at last_text_step.
constexpr int last_text_step = 2;
SizedText text_at_step(const Fonts& fonts, int step) {
  if (step == 0) return {fonts.small_text, fonts.heading};
  return fonts.larger.at(static_cast<std::size_t>(step - 1));
}

struct Line {
  std::string title;
  std::string words;
  std::string right;
  std::string hint = {};       // stands before that if there is room: the keys
  std::string_view mark = {};  // a warning before what stands at the right
};

Line line_of(const ViewContext& context) {
  const std::vector<Stage> stages = presented_stages(context);
  Line line;
  if (presents_lesson(context)) {
    const LessonShown& lesson = context.now.lesson;
    const LessonStep* const step = lesson.current();
    const bool says_lesson = !step || shows_lesson_text(context);  // the step's title stands beside the picture
    line = {
        says_lesson ? lesson.lesson->title : step->title.markdown, "",
        fmt::format("{} of {}", std::min(lesson.step + 1, lesson.lesson->steps.size()), lesson.lesson->steps.size())};
    std::string keys = is_watching(context)                 ? ""
                       : context.now.is_comparing()         ? "A shows A or B, Shift+A both"
                       : shows_model(context)               ? "Space switches the large head off or on"
                       : obstacle_to_heads(context).empty() ? "O switches the head off or on"
                                                            : "";
    const std::string_view between = keys.empty() ? "" : ", ";
    if (lesson.question() && !lesson.verdict) keys = fmt::format("R reveals the answer{}{}", between, keys);
    if (!context.now.view.transient.presenting->has_moved)
      keys = fmt::format("→ next step, ← back, {}{}T hides the text, Esc ends", keys, keys.empty() ? "" : ", ");
    if (!keys.empty()) line.hint = keys + "  ·  ";
    line.words = words_of_side(context);
  } else if (shows_study(context)) {
    const TeachingViewInfo& study = shown_study(context.now.view.study);
    line = {std::string(study.title), std::string(study.question), head_words(context)};
  } else if (plays_own_film(context)) {
    const std::string title(info(context.now.film.watching->cell.stage).title);
    line = {is_film_of_model(context) ? words_of_head(context) : title, "",
            "Space pauses, → and ← go through the scenes, Esc leads back"};
  } else if (shows_model(context)) {
    line = {words_of_head(context), is_off_in_model(context) ? "it is off" : "",
            "→ next head, ← back, Space switches it off or on, W plays its film, Esc ends"};
  } else if (!stages.empty() && shows_all_stages(context, stages) && shows_pair(context)) {
    line = {std::string(info(presented_stage_of_pair(context)).title), "", head_words(context)};
  } else if (!stages.empty() && shows_all_stages(context, stages)) {
    line = {"all stages", std::string(info(context.now.result()->config.mechanism).title), head_words(context)};
  } else if (!stages.empty()) {
    const std::size_t step = presented_step(context, stages);
    const Stage shown = stage_on_screen(context, stages);
    const std::string head = head_words(context);
    line = {std::string(info(shown).title), about(context.now.result()->config, shown),
            fmt::format("{}{}{} of {}", head, head.empty() ? "" : "  ·  ", step + 1, stages.size())};
    if (!context.now.view.transient.presenting->has_moved && stages.size() > 1)
      line.hint = "→ goes on, ← back, Home to the first stage, End to all, Esc ends  ·  ";
  }
  if (is_watching(context)) line.words.clear();                       // the film has its own sentences
  const bool says_off = shows_model(context) && !line.words.empty();  // what the message would say
  if (!context.now.messages.empty() && !says_off && !is_film_of_model(context))
    line.words = context.now.messages.back().text;
  line.mark = mark_of_invented(context.now);
  const bool has_room_for_words = line.hint.empty() || line.mark.empty();
  if (!has_room_for_words && context.now.messages.empty()) line.words.clear();
  return line;
}

// Draws the line in letters as large as its room allows.
void draw_line(const ViewContext& context, ImVec2 low, ImVec2 high) {
  Line line = line_of(context);
  const float margin = screen_margin * unit(context);
  const float room = high.x - low.x - 2 * margin;
  const auto mark_room = [&](const SizedText& fonts) {
    return line.mark.empty() ? 0 : text_size(fonts.small_text, line.mark).x + 2 * margin;
  };
  const auto width_in = [&](const SizedText& fonts) {
    return text_size(fonts.heading, line.title).x + text_size(fonts.small_text, line.words).x +
           text_size(fonts.small_text, line.right).x + mark_room(fonts) + 2 * margin;
  };
  // The keys are named where that leaves room for the mark, or else for the title.
  const SizedText smallest = text_at_step(context.fonts, 0);
  const float hint = text_size(smallest.small_text, line.hint).x;
  const float words = line.mark.empty() ? text_size(smallest.small_text, line.words).x : 0;
  if (width_in(smallest) - words + hint <= room) line.right = line.hint + line.right;
  int step = last_text_step;
  while (step > 0 && width_in(text_at_step(context.fonts, step)) > room) --step;
  const SizedText fonts = text_at_step(context.fonts, step);
  fill_box(low, high, {context.theme.inks.panel});
  stroke_line(low, {high.x, low.y}, {context.theme.inks.border});
  const float foot = std::floor((low.y + high.y + font_ascent(fonts.heading)) / 2);
  const float title = text_size(fonts.heading, line.title).x;
  const auto right_width = [&] { return text_size(fonts.small_text, line.right).x; };
  while (right_width() > room - title - mark_room(fonts) - 2 * margin && line.right.find(", ") != std::string::npos)
    line.right.resize(line.right.rfind(", "));  // the last key has no room
  const float right = right_width();
  const auto put = [&](const ImFont* font, float x, Rgb colour, const std::string& text) {
    draw_text(font, {std::floor(x), foot - font_ascent(font)}, {colour}, text);
  };
  put(fonts.heading, low.x + margin, context.theme.inks.text, line.title);
  put(fonts.small_text, low.x + 2 * margin + title, context.theme.inks.text,
      fit_text(fonts.small_text, line.words, room - title - right - mark_room(fonts) - 2 * margin));
  put(fonts.small_text, high.x - margin - right, context.theme.inks.dim_text, line.right);
  if (!line.mark.empty())
    put(fonts.small_text, high.x - margin - right - mark_room(fonts), context.theme.inks.warning,
        std::string(line.mark));
  ImGui::SetCursorScreenPos(low);
  ImGui::Dummy({high.x - low.x, high.y - low.y});
  register_item(context, "presenting/line");
}

void draw_spot(const ViewContext& context) {
  if (ImGui::IsMousePosValid()) draw_spotlight(ImGui::GetMousePos(), spot_radius * unit(context), spot_shade);
}

void draw_blank() {
  fill_box({0, 0}, ImGui::GetIO().DisplaySize, {Rgb{}});
  ImGui::SetMouseCursor(ImGuiMouseCursor_None);
}

// Messages are about the step or head that is shown: a key that leads to another one takes them away.
void forget_messages_when_going_on(const ViewContext& context, CallQueue& queue) {
  const bool goes_on =
      is_any_pressed({ImGuiKey_Space, ImGuiKey_RightArrow, ImGuiKey_DownArrow, ImGuiKey_PageDown, ImGuiKey_LeftArrow,
                      ImGuiKey_UpArrow, ImGuiKey_PageUp, ImGuiKey_Backspace, ImGuiKey_Home, ImGuiKey_End},
                     true) ||
      is_key_pressed(keys::letter('H'));
  if (goes_on && !context.now.messages.empty()) queue.push([](const Controllers& to) { to.messages.forget_all(); });
}

void begin_at(CallQueue& queue, Index step, std::optional<Stage> stage) {
  change_view(queue, [step, stage](ViewState& state) {
    state.transient.presenting.emplace().step = step;
    if (!state.transient.keys_lead) state.transient.picture.reset();  // the pointer only rested there
    state.transient.keys_lead = true;                                 // until the pointer moves, it has no say
    if (stage) state.stage = *stage;
    state.transient.keyboard.reset();
    state.transient.leads_to_model = false;
    state.transient.opens_setup = false;
    state.transient.opens_tokens = false;
    state.transient.question.reset();
    state.map = {};
    state.diagram_zoom = 1;
  });
}

}  // namespace

float presented_scale(const ViewState& view, ImVec2 display) {
  constexpr float steps = 40;  // a scale needs letters of its own
  if (!view.transient.presenting) return 0;
  const float height = std::min(display.y, 0.75F * display.x);  // an upright screen has room for smaller letters only
  return std::ceil(height / units_high * steps) / steps;
}

void toggle_presenting(const ViewContext& context, CallQueue& queue) {
  if (is_presenting(context)) return stop(context, queue);
  constexpr Index all_stages = 1'000'000;
  if (presents_lesson(context)) return begin_at(queue, all_stages, {});  // with the film of its step
  queue.push([](const Controllers& to) { to.films.close(); });
  if (context.now.draft) {  // the lesson that is being made is tried out before the audience
    begin_at(queue, all_stages, {});
    change_view(queue, [](ViewState& state) { state.transient.presenting->began_in_editor = true; });
    return queue.push([](const Controllers& to) { to.lesson_editor.try_out(); });
  }
  // It begins with the first stage, or with the one that is shown alone.
  const std::vector<Stage> stages = presented_stages(context);
  const auto shown = std::ranges::find(stages, context.now.view.stage);
  const bool is_shown_alone = context.now.view.mode.shows_one_stage && shown != stages.end();
  if (stages.empty()) return begin_at(queue, 0, {});
  const auto first = is_shown_alone ? shown : stages.begin();
  begin_at(queue, first - stages.begin(), *first);
}

void present_from(const ViewContext& context, CallQueue& queue, Stage stage) {
  const std::vector<Stage> stages = presented_stages(context);
  const auto first = std::ranges::find(stages, stage);
  if (first == stages.end()) return;
  queue.push([](const Controllers& to) { to.films.close(); });
  if (!context.now.view.mode.shows_one_stage) show_layout(queue, ViewMode::diagram);
  begin_at(queue, first - stages.begin(), stage);
}

void handle_presenting_keys(const ViewContext& context, CallQueue& queue) {
  if (had_popup() || is_popup_open() || context.now.view.transient.palette || context.now.view.transient.question)
    return;
  const ImGuiIO& io = ImGui::GetIO();
  forget_messages_when_going_on(context, queue);
  if (is_key_pressed(keys::letter('W'))) {
    const std::string obstacle = obstacle_to_watching(context);
    if (!obstacle.empty()) return say(queue, obstacle);
    return plays_own_film(context) ? leave_film(context, queue) : toggle_film(context, queue);
  }
  if (plays_own_film(context) && !presents_lesson(context))
    return is_key_pressed(keys::named(ImGuiKey_Escape)) ? leave_film(context, queue) : handle_film_keys(queue);
  if (is_key_pressed(keys::named(ImGuiKey_Escape)))
    return plays_own_film(context) ? leave_film(context, queue) : stop(context, queue);
  presents_lesson(context) ? handle_lesson_keys(context, queue) : handle_step_keys(context, queue);
  if (is_key_pressed(keys::letter('H')) && !shows_model(context) && !plays_own_film(context))
    step_head(context, queue, io.KeyShift ? -1 : 1);
  if (context.now.is_comparing() && is_key_pressed(keys::letter('A')))
    action(io.KeyShift ? "compare/side_by_side" : "compare/before").run(context, queue);
  if (is_key_pressed(keys::letter('B')) || io.InputQueueCharacters.contains(L'.')) toggle_blank(queue);
  if (is_key_pressed(keys::letter('S'))) return toggle_spot(context, queue);
  if (context.now.view.transient.presenting->spot && !has_spot(context)) end_spot(queue);  // another view ends it
  if (is_key_pressed(keys::letter('P')))
    say(queue, "A prediction needs its panel: end presenting with Esc, then press P.");
}

namespace {

// Draws the text of a lesson at the left, or below the picture if the screen is upright; returns what it takes of the
// screen's width and height. A step that does not fit gets more of the screen, before it is answered: what is said then
// is scrolled to, and the picture stays where it is.
ImVec2 draw_lesson_text(const ViewContext& context, CallQueue& queue, ImVec2 high) {
  const LessonShown& lesson = context.now.lesson;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const std::string step = fmt::format("share/{}/{}/{}/{}", lesson.lesson->id, lesson.step, static_cast<int>(screen.x),
                                       static_cast<int>(screen.y));
  float& share = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID(step.c_str()), lesson_share);
  const bool is_upright = screen.x < screen.y;
  const ImVec2 taken{is_upright ? 0 : std::floor(share * screen.x), is_upright ? std::floor(share * screen.y) : 0};
  const float margin = screen_margin * unit(context);
  ImGui::SetCursorScreenPos({margin, is_upright ? high.y - taken.y : margin});
  begin_flat_child("presented_lesson",
                   is_upright ? ImVec2{high.x - margin, taken.y} : ImVec2{taken.x - margin, high.y - margin});
  const bool fits = draw_lesson_panel(context, queue);
  ImGui::EndChild();
  const bool is_answered = lesson.verdict || (lesson.question() && lesson.record().is_done());
  if (!fits && !is_answered) share = std::min(share + share_step, most_lesson_share);
  return taken;
}

}  // namespace

void draw_presentation(const ViewContext& context, CallQueue& queue, float height) {
  if (context.now.view.transient.presenting->is_blank) return draw_blank();
  const float width = ImGui::GetIO().DisplaySize.x;
  const float margin = screen_margin * unit(context);
  const float line =
      font_height(text_at_step(context.fonts, last_text_step).heading) + 2 * line_padding * unit(context);
  ImVec2 high{width - margin, height - line};
  const ImVec2 text = shows_lesson_text(context) ? draw_lesson_text(context, queue, high) : ImVec2{0, 0};
  const ImVec2 low{margin + text.x, margin};
  high.y -= text.y;
  ImGui::SetCursorScreenPos(low);
  ImGui::BeginChild("presentation", {high.x - low.x, high.y - low.y});
  if (is_watching(context)) {
    draw_film(context, queue);
  } else if (context.now.is_comparing()) {
    draw_compared_stages(context, queue);
  } else {
    draw_stages(context, queue);
    draw_landing(context, queue, low, high);
  }
  ImGui::EndChild();
  draw_line(context, {0, height - line}, {width, height});
  if (has_spot(context)) draw_spot(context);
}

}  // namespace attnscope
