#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "document/sweep.h"
#include "features/film/film_controller.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "teach/film.h"
#include "ui/widgets.h"
#include "view/stage_look.h"

// The stages of a presentation, and how one goes from stage to stage and from scene to scene.
namespace attnscope {
namespace {

// Returns whether the scenes of a step are still being made, so that the step before is shown.
bool is_about_to_come(const FilmShown& film) {
  return film.is_step && film.watching && !film.film && film.watching->scene == 0;
}

// Goes to a step; the one after the last shows all stages of the diagram.
void go_to_step(const ViewContext& context, CallQueue& queue, const std::vector<Stage>& stages, Index step) {
  if (stages.empty()) return;
  const Index last = static_cast<Index>(stages.size()) - (context.now.view.mode == ViewMode::diagram ? 0 : 1);
  const Index to = std::clamp<Index>(step, 0, last);
  const Stage stage = stages[std::min(static_cast<std::size_t>(to), stages.size() - 1)];
  change_view(queue, [to, stage](ViewState& state) {
    if (!state.transient.presenting) return;
    state.transient.presenting->step = to;
    state.transient.presenting->has_moved = to > 0;
    state.transient.presenting->is_blank = false;
    state.stage = stage;
  });
}

// Returns the number whose making shows how a stage comes: of the pinned weight, or else the most telling one, and of
// its row the largest.
std::optional<Source> telling_number(const ViewContext& context, Stage stage) {
  const Result& result = *context.now.result();
  const AttentionConfig& config = result.config;
  const Index head = std::min(context.now.view.head, head_count(config) - 1);
  std::optional<Source> weight = context.now.view.pinned;
  if (!weight || !is_query_by_key(info(weight->stage).axes)) weight = most_telling_cell(result, head);
  if (!weight) weight = Source{.row = query_count(config) - 1};
  Source cell{.stage = stage, .batch = context.now.view.batch, .row = weight->row, .layer = weight->layer};
  if (is_per_head(config, stage)) cell.head = head * matrices_per_entry(config, stage) / head_count(config);
  if (is_query_by_key(info(stage).axes)) {
    cell.col = weight->col;
    return cell;
  }
  if (has_key_rows(stage)) cell.row = weight->col;
  if (!has_cell(result, cell)) return {};
  const std::vector<float> row = values_at(result, {cell, stage_shape(config, stage).back()});
  const auto largest = std::ranges::max_element(row, {}, [](float number) { return std::abs(number); });
  cell.col = largest - row.begin();
  return cell;
}

// Returns the number whose scenes a step plays; none if it has none.
std::optional<Source> played_number(const ViewContext& context, Stage stage) {
  const Result* const result = context.now.result();
  const bool can_play = context.now.view.mode == ViewMode::diagram && !context.now.is_comparing() && result &&
                        context.now.is_current && result->finished.are_all();
  if (!can_play) return {};
  const std::optional<Source> cell = telling_number(context, stage);
  return cell && obstacle_to_film(*result, *cell).empty() ? cell : std::nullopt;
}

}  // namespace

std::vector<Stage> presented_stages(const ViewContext& context) {
  std::vector<Stage> all = presentable_stages(context);
  std::vector<Stage> chosen = all;
  std::erase_if(chosen, [&](Stage stage) { return context.now.view.not_presented.contains(stage); });
  return chosen.empty() ? all : chosen;
}

bool shows_all_stages(const ViewContext& context, const std::vector<Stage>& stages) {
  return context.now.view.mode == ViewMode::diagram &&
         context.now.view.transient.presenting->step >= static_cast<Index>(stages.size());
}

std::size_t presented_step(const ViewContext& context, const std::vector<Stage>& stages) {
  if (context.now.view.mode.shows_one_stage) {
    const auto shown = std::ranges::find(stages, context.now.view.stage);
    if (shown != stages.end()) return static_cast<std::size_t>(shown - stages.begin());
  }
  const Index last = static_cast<Index>(stages.size()) - 1;
  const Index step = context.now.view.transient.presenting->step - (is_about_to_come(context.now.film) ? 1 : 0);
  return static_cast<std::size_t>(std::clamp<Index>(step, 0, std::max<Index>(last, 0)));
}

Stage stage_on_screen(const ViewContext& context, const std::vector<Stage>& stages) {
  return context.now.view.mode.shows_one_stage ? context.now.view.stage : stages[presented_step(context, stages)];
}

void present_next(const ViewContext& context, CallQueue& queue) {
  const FilmShown& film = context.now.film;
  const std::vector<Stage> stages = presented_stages(context);
  if (film.watching) {
    if (!film.is_open()) return;
    const bool is_over = film.watching->t == 1 && film.watching->playing == FilmShown::Playing::nothing &&
                         film.watching->scene + 1 == film.film->scenes.size();
    return is_over ? close_film(queue) : queue.push([](const Controllers& to) { to.films.go_on(); });
  }
  if (stages.empty() || shows_all_stages(context, stages)) return;
  const std::size_t next = presented_step(context, stages) + 1;
  go_to_step(context, queue, stages, static_cast<Index>(next));
  if (next >= stages.size()) return;
  if (const std::optional<Source> cell = played_number(context, stages[next]))
    queue.push([at = *cell](const Controllers& to) { to.films.watch_step(at); });
}

void present_previous(const ViewContext& context, CallQueue& queue) {
  const FilmShown& film = context.now.film;
  const std::vector<Stage> stages = presented_stages(context);
  if (stages.empty()) return;
  const std::size_t step = presented_step(context, stages);
  if (film.watching) {
    if (film.watching->scene > 0) return queue.push([](const Controllers& to) { to.films.go_back(); });
    queue.push([](const Controllers& to) { to.films.close(); });
    return go_to_step(context, queue, stages, static_cast<Index>(step) - 1);
  }
  if (shows_all_stages(context, stages)) return go_to_step(context, queue, stages, static_cast<Index>(step));
  if (const std::optional<Source> cell = played_number(context, stages[step]))
    return queue.push([at = *cell](const Controllers& to) { to.films.watch_step_from_end(at); });
  go_to_step(context, queue, stages, static_cast<Index>(step) - 1);
}

void present_step(const ViewContext& context, CallQueue& queue, Index step) {
  queue.push([](const Controllers& to) { to.films.close(); });
  go_to_step(context, queue, presented_stages(context), step);
}

std::vector<Stage> presentable_stages(const ViewContext& context) {
  if (!context.now.result()) return {};
  std::vector<Stage> stages = stages_one_by_one(context.now.result()->config);
  // Scaled scores that are the scores again are a word on the arrow.
  const bool is_scaled = score_scale(context.now.result()->config) != 1;
  std::erase_if(stages, [&](Stage stage) {
    return !has(*context.now.result(), stage) || (stage == Stage::scaled_scores && !is_scaled);
  });
  return stages;
}

std::optional<Stage> presented_stage(const ViewContext& context) {
  if (!is_presenting(context)) return {};
  const std::vector<Stage> stages = presented_stages(context);
  if (stages.empty() || shows_all_stages(context, stages)) return {};
  return stages[presented_step(context, stages)];
}

Stage presented_stage_of_pair(const ViewContext& context) {
  if (const std::optional<Stage> stage = presented_stage(context)) return *stage;
  const AttentionConfig& config = context.now.result()->config;
  const std::optional<Source>& pinned = context.now.view.pinned;
  const bool is_pinned = pinned && has_stage(config, pinned->stage) && is_query_by_key(info(pinned->stage).axes);
  return is_pinned ? pinned->stage : final_weights_stage(config);
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
  end_menu();
}

StageSet awaited_results(const ViewContext& context) {
  const std::optional<Stage> stage = presented_stage(context);
  const bool have_all_come = !stage || *stage == presented_stages(context).back();
  return have_all_come ? StageSet() : places_after(context.now.result()->config, *stage);
}

void present_or_leave_out(const ViewContext& context, CallQueue& queue, Stage stage) {
  const bool is_only_one = presented_stages(context) == std::vector{stage};
  if (is_only_one) return say(queue, "A presentation has at least one stage.");
  change_view(queue, [stage](ViewState& state) {
    state.not_presented.contains(stage) ? state.not_presented.remove(stage) : state.not_presented.add(stage);
  });
}

}  // namespace attnscope
