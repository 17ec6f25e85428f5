#include "features/present/panel/presenting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "document/sweep.h"
#include "features/compare/panel/comparison.h"
#include "features/film/panel/film_panel.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
#include "features/teaching_views/panel/teaching_view.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"
#include "view/stage_look.h"

namespace attnscope {
namespace {

constexpr float screen_margin = 20;
constexpr float line_padding = 9;  // above and below the text of the line
constexpr float spot_radius = 90;
constexpr float spot_shade = 0.62F;  // darkness outside of the spot

// Returns the stages that can be presented, in turn; scaled scores that are the scores again are a word on the arrow.
std::vector<Stage> presentable_stages(const ViewContext& context) {
  if (!context.now.result()) return {};
  std::vector<Stage> stages = stages_one_by_one(context.now.result()->config);
  const bool is_scaled = score_scale(context.now.result()->config) != 1;
  std::erase_if(stages, [&](Stage stage) {
    return !has(*context.now.result(), stage) || (stage == Stage::scaled_scores && !is_scaled);
  });
  return stages;
}

// Returns those of them that the user did not leave out; all of them where none would be left.
std::vector<Stage> presented_stages(const ViewContext& context) {
  std::vector<Stage> all = presentable_stages(context);
  std::vector<Stage> chosen = all;
  std::erase_if(chosen, [&](Stage stage) { return context.now.view.not_presented.contains(stage); });
  return chosen.empty() ? all : chosen;
}

// Returns the step of the stage that is shown alone, else that of the diagram. The document may have fewer stages than
// it had.
std::size_t step_within(const ViewContext& context, const std::vector<Stage>& stages) {
  if (context.now.view.mode.shows_one_stage) {
    const auto shown = std::ranges::find(stages, context.now.view.stage);
    if (shown != stages.end()) return static_cast<std::size_t>(shown - stages.begin());
  }
  const Index last = static_cast<Index>(stages.size()) - 1;
  return static_cast<std::size_t>(
      std::clamp<Index>(context.now.view.transient.presenting->step, 0, std::max<Index>(last, 0)));
}

// Returns the stage on the screen, which may be a weight matrix and so no step.
Stage stage_on_screen(const ViewContext& context, const std::vector<Stage>& stages) {
  return context.now.view.mode.shows_one_stage ? context.now.view.stage : stages[step_within(context, stages)];
}

bool shows_study(const ViewContext& context) { return context.now.view.mode == ViewMode::study; }

void go_to_step(CallQueue& queue, const std::vector<Stage>& stages, Index step) {
  if (stages.empty()) return;
  const Index to = std::clamp<Index>(step, 0, static_cast<Index>(stages.size()) - 1);
  change_view(queue, [to, stage = stages[static_cast<std::size_t>(to)]](ViewState& state) {
    if (!state.transient.presenting) return;
    state.transient.presenting->step = to;
    state.transient.presenting->has_moved = true;
    state.transient.presenting->is_blank = false;
    state.stage = stage;
  });
}

void go_to_study(const ViewContext& context, CallQueue& queue, Index step) {
  const Index now = &shown_study(context.now.view.study) - studies().data();
  const Index to = std::clamp<Index>(now + step, 0, static_cast<Index>(studies().size()) - 1);
  show_study(queue, studies()[static_cast<std::size_t>(to)].id);
  change_view(queue, [](ViewState& state) {
    if (!state.transient.presenting) return;
    state.transient.presenting->is_blank = false;
    state.transient.presenting->spot.reset();
  });
}

bool is_any_pressed(std::initializer_list<ImGuiKey> named) {
  return std::ranges::any_of(named, [](ImGuiKey key) { return is_key_pressed(keys::named(key), true); });
}

void handle_step_keys(const ViewContext& context, CallQueue& queue) {
  const int forward =
      is_any_pressed({ImGuiKey_RightArrow, ImGuiKey_DownArrow, ImGuiKey_PageDown, ImGuiKey_Space}) ? 1 : 0;
  const int back = is_any_pressed({ImGuiKey_LeftArrow, ImGuiKey_UpArrow, ImGuiKey_PageUp, ImGuiKey_Backspace}) ? 1 : 0;
  if (shows_study(context)) {
    if (forward != back) go_to_study(context, queue, forward - back);
    return;
  }
  const std::vector<Stage> stages = presented_stages(context);
  if (forward != back) go_to_step(queue, stages, static_cast<Index>(step_within(context, stages)) + forward - back);
  if (is_key_pressed(keys::named(ImGuiKey_Home))) go_to_step(queue, stages, 0);
  if (is_key_pressed(keys::named(ImGuiKey_End))) go_to_step(queue, stages, static_cast<Index>(stages.size()) - 1);
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

void stop(CallQueue& queue) {
  change_view(queue, [](ViewState& state) { state.transient.presenting.reset(); });
}

// Returns "head 2 of 4" if one of several is shown.
std::string head_words(const ViewContext& context) {
  const Index heads = context.now.result() ? head_count(context.now.result()->config) : 1;
  if (heads == 1 || !context.now.view.mode.shows_one_head) return "";
  return fmt::format("head {} of {}", std::min(context.now.view.head, heads - 1) + 1, heads);
}

// Small text and headings at a step: those of the panels at 0, the largest at last_text_step.
constexpr int last_text_step = 3;
SizedText text_at_step(const Fonts& fonts, int step) {
  if (step == 0) return {fonts.small_text, fonts.heading};
  return fonts.larger.at(static_cast<std::size_t>(step - 1));
}

struct Line {
  std::string title;
  std::string words;
  std::string right;
};

Line line_of(const ViewContext& context) {
  const std::vector<Stage> stages = presented_stages(context);
  Line line;
  if (shows_study(context)) {
    const TeachingViewInfo& study = shown_study(context.now.view.study);
    line = {std::string(study.title), std::string(study.question), head_words(context)};
  } else if (!stages.empty()) {
    const std::size_t step = step_within(context, stages);
    const Stage shown = stage_on_screen(context, stages);
    const std::string head = head_words(context);
    line = {std::string(info(shown).title), about(context.now.result()->config, shown),
            fmt::format("{}{}{} of {}", head, head.empty() ? "" : "  ·  ", step + 1, stages.size())};
    if (!context.now.view.transient.presenting->has_moved && stages.size() > 1)
      line.right = "→ and ← go through the stages, End shows all, Esc ends  ·  " + line.right;
  }
  if (!context.now.messages.empty()) line.right = context.now.messages.back().text;
  return line;
}

// Draws the line in letters as large as its room allows.
void draw_line(const ViewContext& context, ImVec2 low, ImVec2 high) {
  const Line line = line_of(context);
  const float margin = screen_margin * unit(context);
  const float room = high.x - low.x - 2 * margin;
  const auto width_in = [&](const SizedText& fonts) {
    return text_size(fonts.heading, line.title).x + text_size(fonts.small_text, line.words).x +
           text_size(fonts.small_text, line.right).x + 2 * margin;
  };
  int step = last_text_step;
  while (step > 0 && width_in(text_at_step(context.fonts, step)) > room) --step;
  const SizedText fonts = text_at_step(context.fonts, step);
  fill_box(low, high, {context.theme.inks.panel});
  stroke_line(low, {high.x, low.y}, {context.theme.inks.border});
  const float foot = std::floor((low.y + high.y + font_ascent(fonts.heading)) / 2);
  const float title = text_size(fonts.heading, line.title).x;
  const float right = text_size(fonts.small_text, line.right).x;
  const auto put = [&](const ImFont* font, float x, Rgb colour, const std::string& text) {
    draw_text(font, {std::floor(x), foot - font_ascent(font)}, {colour}, text);
  };
  put(fonts.heading, low.x + margin, context.theme.inks.text, line.title);
  put(fonts.small_text, low.x + 2 * margin + title, context.theme.inks.text,
      fit_text(fonts.small_text, line.words, room - title - right - 2 * margin));
  put(fonts.small_text, high.x - margin - right, context.theme.inks.dim_text, line.right);
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

}  // namespace

std::optional<Stage> presented_stage(const ViewContext& context) {
  if (!is_presenting(context)) return {};
  const std::vector<Stage> stages = presented_stages(context);
  if (stages.empty()) return {};
  return stages[step_within(context, stages)];
}

StageSet unpresented_stages(const ViewContext& context) {
  StageSet left_out;
  if (!is_presenting(context)) return left_out;
  const std::vector<Stage> presented = presented_stages(context);
  for (const Stage stage : presentable_stages(context)) {
    if (std::ranges::find(presented, stage) == presented.end()) left_out.add(stage);
  }
  return left_out;
}

void draw_presented_stages_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/view/presented", "Stages to present")) return;
  ImGui::PushItemFlag(ImGuiItemFlags_SelectableDontClosePopup, true);
  const bool has_one_left = presented_stages(context).size() == 1;
  for (const Stage stage : presentable_stages(context)) {
    const bool is_chosen = !context.now.view.not_presented.contains(stage);
    const bool is_last = is_chosen && has_one_left;
    if (!menu_item(context, fmt::format("menu/view/presented/{}", info(stage).id), info(stage).title,
                   {.is_on = is_chosen, .obstacle = is_last ? "A presentation has at least one stage." : ""}))
      continue;
    change_view(queue, [stage, is_chosen](ViewState& state) {
      is_chosen ? state.not_presented.add(stage) : state.not_presented.remove(stage);
    });
  }
  ImGui::PopItemFlag();
  ImGui::EndMenu();
}

StageSet awaited_results(const ViewContext& context) {
  const std::optional<Stage> stage = presented_stage(context);
  const bool have_all_come = !stage || *stage == presented_stages(context).back();
  return have_all_come ? StageSet() : places_after(context.now.result()->config, *stage);
}

void toggle_presenting(const ViewContext& context, CallQueue& queue) {
  if (is_presenting(context)) return stop(queue);
  // It begins with the stage that is shown alone, or with that of the pinned number.
  const std::vector<Stage> stages = presented_stages(context);
  std::optional<Stage> wanted;
  if (context.now.view.pinned) wanted = context.now.view.pinned->stage;
  if (context.now.view.mode.shows_one_stage) wanted = context.now.view.stage;
  const auto first = wanted ? std::ranges::find(stages, *wanted) : stages.end();
  change_view(queue, [step = first != stages.end() ? first - stages.begin() : 0](ViewState& state) {
    state.transient.presenting.emplace().step = step;
    state.transient.keyboard.reset();
    state.transient.question.reset();
    state.map = {};
    state.diagram_zoom = 1;
  });
}

void handle_presenting_keys(const ViewContext& context, CallQueue& queue) {
  if (had_popup() || is_popup_open() || context.now.view.transient.palette || context.now.view.transient.question)
    return;
  const ImGuiIO& io = ImGui::GetIO();
  if (is_key_pressed(keys::letter('W'))) {
    const std::string obstacle = obstacle_to_watching(context);
    return obstacle.empty() ? toggle_film(context, queue) : say(queue, obstacle);
  }
  if (is_watching(context))
    return is_key_pressed(keys::named(ImGuiKey_Escape)) ? close_film(queue) : handle_film_keys(queue);
  if (is_key_pressed(keys::named(ImGuiKey_Escape))) return stop(queue);
  handle_step_keys(context, queue);
  if (is_key_pressed(keys::letter('H'))) step_head(context, queue, io.KeyShift ? -1 : 1);
  if (is_key_pressed(keys::letter('B')) || io.InputQueueCharacters.contains(L'.')) toggle_blank(queue);
  if (is_key_pressed(keys::letter('S'))) return toggle_spot(context, queue);
  if (context.now.view.transient.presenting->spot && !has_spot(context)) end_spot(queue);  // another view ends it
  if (is_key_pressed(keys::letter('P')))
    say(queue, "A prediction needs its panel: end presenting with Esc, then press P.");
}

void draw_presentation(const ViewContext& context, CallQueue& queue, float height) {
  if (context.now.view.transient.presenting->is_blank) return draw_blank();
  const float width = ImGui::GetIO().DisplaySize.x;
  const float margin = screen_margin * unit(context);
  const float line =
      font_height(text_at_step(context.fonts, last_text_step).heading) + 2 * line_padding * unit(context);
  ImGui::SetCursorScreenPos({margin, margin});
  ImGui::BeginChild("presentation", {width - 2 * margin, height - line - margin});
  if (is_watching(context)) {
    draw_film(context, queue);
  } else if (context.now.is_comparing()) {
    draw_compared_stages(context, queue);
  } else {
    draw_stages(context, queue);
  }
  ImGui::EndChild();
  draw_line(context, {0, height - line}, {width, height});
  if (has_spot(context)) draw_spot(context);
}

}  // namespace attnscope
