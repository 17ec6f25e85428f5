#include "features/shared/panel/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "features/film/film_controller.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "features/stages/panel/diagram_scene.h"
#include "features/stages/panel/stage_view.h"
#include "teach/film.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

using Playing = FilmShown::Playing;

constexpr float bar_padding = 8;        // units, above and below the buttons
constexpr double least_watched = 1e-4;  // seconds between two frames that somebody sees
constexpr double longest_frame = 0.2;   // a longer one was asleep
constexpr double whole_film = 1e9;      // seconds

void call_film(CallQueue& queue, void (FilmController::*what)()) {
  queue.push([what](const Controllers& to) { (to.films.*what)(); });
}

bool is_audience(const ViewContext& context) { return context.now.view.transient.presenting.has_value(); }

float film_bar_height(const ViewContext& context) {
  return is_audience(context) ? 0 : ImGui::GetFrameHeight() + 2 * bar_padding * unit(context);
}

// A cell's box in the diagram that was drawn last, on a canvas that lies at `film`.
std::function<std::optional<Box>(const Source&)> origin_of(const ViewContext& context, const PicturePlace& film) {
  const scene::DiagramLayout* const layout = context.layouts ? context.layouts->last() : nullptr;
  if (!layout || !context.layouts->was_seen || context.now.view.mode != ViewMode::diagram || context.now.is_comparing())
    return {};
  const PicturePlace& drawn = context.layouts->place;
  const auto enlarged = static_cast<double>(drawn.scale / film.scale);
  const auto x = static_cast<double>((drawn.origin.x - film.origin.x) / film.scale);
  const auto y = static_cast<double>((drawn.origin.y - film.origin.y) / film.scale);
  return [=, config = context.now.result()->config](const Source& cell) {
    std::optional<Box> box = scene::box_in_diagram(*layout, config, cell);
    if (box) box = Box{x + enlarged * box->x, y + enlarged * box->y, enlarged * box->width, enlarged * box->height};
    return box;
  };
}

FilmCanvas canvas_for(const ViewContext& context, const PicturePlace& place, ImVec2 room) {
  const float scale = unit(context);
  FilmCanvas canvas;
  canvas.box = {0, 0, static_cast<double>(room.x / scale), static_cast<double>(room.y / scale)};
  canvas.theme = &context.theme;
  canvas.paper = context.theme.inks.card;
  canvas.measure = measure_in(context.fonts, scale);
  canvas.has_stepped_letters = true;
  canvas.origin = origin_of(context, place);
  if (!is_audience(context)) canvas.mark = mark_of_invented(context.now);  // before an audience the line says it
  return canvas;
}

std::string film_obstacle(const ViewContext& context, const std::optional<Source>& cell) {
  const Result* const result = context.now.result();
  if (!result || !result->finished.are_all()) return "The numbers of this document are still being computed.";
  if (const std::string obstacle = obstacle_of_cover(context.now); !obstacle.empty()) return obstacle;
  return cell ? obstacle_to_film(*result, *cell) : "Choose a number first: click its cell.";
}

// Lets the pointer work: a click on the picture plays or pauses, the strip leads to any moment.
void use_picture(const ViewContext& context, CallQueue& queue, const FilmCanvas& canvas, const PicturePlace& place) {
  const Film& film = *context.now.film.film;
  const Box strip = strip_of(canvas);
  const ImVec2 low = place.at(strip.x, strip.y);
  const ImVec2 high = place.at(strip.right(), strip.bottom());
  ImGui::SetCursorScreenPos(low);
  ImGui::InvisibleButton("strip", {std::max(1.0F, high.x - low.x), std::max(1.0F, high.y - low.y)});
  const auto& [cell, scene, t, playing] = *context.now.film.watching;
  const double share = (static_cast<double>(scene) + t) / static_cast<double>(film.scenes.size());
  register_item(context, "film/strip", {.value = share});
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsItemActive()) {
    const ImVec2 pointer = ImGui::GetMousePos();
    const double x = static_cast<double>((pointer.x - place.origin.x) / place.scale);
    const double inside = std::clamp(x, strip.x, strip.right() - 1e-3);
    if (const auto moment = moment_at(film, canvas, inside, strip.middle_y()))
      queue.push([at = *moment](const Controllers& to) { to.films.go_to(at.scene, at.t); });
  }
  const ImVec2 corner = place.at(canvas.box.x, canvas.box.y);
  ImGui::SetCursorScreenPos(corner);
  const bool is_clicked = ImGui::InvisibleButton(
      "picture", {std::max(1.0F, place.at(canvas.box.right(), 0).x - corner.x), std::max(1.0F, low.y - corner.y)});
  register_item(context, "film/picture");
  if (is_clicked) call_film(queue, &FilmController::play_or_pause);
}

// Draws the buttons in a line below the picture, and where the film is.
void draw_film_bar(const ViewContext& context, CallQueue& queue, ImVec2 low, float width) {
  const Film& film = *context.now.film.film;
  const FilmShown::Watching& watching = *context.now.film.watching;
  const float margin = 12 * unit(context);
  stroke_line(low, {low.x + width, low.y}, {context.theme.inks.border});
  ImGui::SetCursorScreenPos({low.x + margin, low.y + bar_padding * unit(context)});
  if (push_button(context, "film/back", "‹", {}, "The scene before (←)")) call_film(queue, &FilmController::go_back);
  ImGui::SameLine(0, 4 * unit(context));
  const bool is_playing = watching.playing != Playing::nothing;
  const bool is_at_end = watching.t == 1 && watching.scene + 1 == film.scenes.size();
  if (push_button(context, "film/play",
                  is_playing  ? "Pause"
                  : is_at_end ? "Again"
                              : "▸ Play",
                  {}, "Plays the film or stops it (Space)"))
    call_film(queue, &FilmController::play_or_pause);
  ImGui::SameLine(0, 4 * unit(context));
  if (push_button(context, "film/on", "›", {}, "Plays the next scene (→)")) call_film(queue, &FilmController::go_on);
  const float close = button_width("×  Diagram");
  std::string where = fmt::format("scene {} of {}", watching.scene + 1, film.scenes.size());
  ImGui::SameLine(0, margin);
  const float room = low.x + width - 2 * margin - close - ImGui::GetCursorScreenPos().x;
  if (ImGui::CalcTextSize(where.c_str()).x > room)
    where = fmt::format("{} / {}", watching.scene + 1, film.scenes.size());
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", where.c_str());
  register_item(context, "film/scene");
  ImGui::SameLine();
  ImGui::SetCursorScreenPos({low.x + width - margin - close, low.y + bar_padding * unit(context)});
  if (push_button(context, "film/close", "×  Diagram", {}, "Back to where you were (Esc)")) close_film(queue);
}

// Time passes while the film plays, and the window wants another frame for it. Where no time passes nobody watches: it
// ends at once.
void let_time_pass(CallQueue& queue) {
  const auto passed = static_cast<double>(ImGui::GetIO().DeltaTime);
  const double seconds = passed < least_watched ? whole_film : std::min(passed, longest_frame);
  queue.push([seconds](const Controllers& to) { to.films.advance(seconds); });
}

}  // namespace

bool is_watching(const ViewContext& context) { return context.now.film.is_open(); }

void toggle_film(const ViewContext& context, CallQueue& queue) {
  if (context.now.film.watching && !context.now.film.is_step) return close_film(queue);
  if (context.now.view.mode == ViewMode::model) return watch_in_model(context, queue);
  if (const std::optional<Source> cell = explained_cell(context))
    queue.push([at = *cell](const Controllers& to) { to.films.watch(at); });
}

std::string obstacle_to_watching(const ViewContext& context) {
  if (context.now.film.watching && !context.now.film.is_step) return "";
  if (context.now.view.mode == ViewMode::model)
    return context.now.model.run ? "" : "The numbers of this model are still being computed.";
  return film_obstacle(context, explained_cell(context));
}

void draw_watch_button(const ViewContext& context, CallQueue& queue, const Source& cell, const char* label) {
  if (push_button(context, "inspector/watch", label, film_obstacle(context, cell),
                  "Shows how this number came to be (W)"))
    queue.push([cell](const Controllers& to) { to.films.watch(cell); });
}

void draw_film(const ViewContext& context, CallQueue& queue) {
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  ImGui::BeginChild("film", {0, 0}, false, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
  register_item(context, "film");
  begin_panel(context, queue, Panel::stages);
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const ImVec2 room{std::max(size.x, 1.0F), std::max(size.y - film_bar_height(context), 1.0F)};
  const PicturePlace place{{std::floor(low.x), std::floor(low.y)}, unit(context)};
  const FilmCanvas canvas = canvas_for(context, place, room);
  const FilmShown::Watching& watching = *context.now.film.watching;
  // At rest at its beginning a film shows its first picture whole: at the first moment nothing has come yet.
  const bool rests_at_begin = watching.playing == Playing::nothing && watching.scene == 0 && watching.t == 0;
  const double t = context.now.view.reduces_motion || rests_at_begin ? 1 : watching.t;
  // The picture has a ground of its own: where the processor draws, each layer of a whole window costs milliseconds.
  fill_box({low.x, place.origin.y + room.y}, {low.x + size.x, low.y + size.y}, {canvas.paper});
  paint_picture(context, frame_of(*context.now.film.film, watching.scene, t, canvas), place);
  use_picture(context, queue, canvas, place);
  if (!is_audience(context)) draw_film_bar(context, queue, {low.x, low.y + room.y}, size.x);
  if (watching.playing != Playing::nothing) let_time_pass(queue);
  end_panel(context, Panel::stages);
  ImGui::EndChild();
  ImGui::PopItemFlag();
}

void draw_landing(const ViewContext& context, CallQueue& queue, ImVec2 low, ImVec2 high) {
  const std::optional<FilmShown::Landing>& landing = context.now.film.landing;
  if (!landing) return;
  ImGui::SetCursorScreenPos(low);
  ImGui::BeginChild("landing", {high.x - low.x, high.y - low.y}, false,
                    ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  const float below = film_bar_height(context);
  const PicturePlace place{{std::floor(low.x), std::floor(low.y)}, unit(context)};
  const FilmCanvas canvas = canvas_for(context, place, {high.x - low.x, std::max(1.0F, high.y - low.y - below)});
  paint_picture(context, landing_of(*landing->film, landing->scene, landing->t, canvas), place);
  ImGui::EndChild();
  let_time_pass(queue);
}

void handle_film_keys(CallQueue& queue) {
  struct FilmKeys {
    std::initializer_list<ImGuiKey> keys;
    void (FilmController::*what)();
  };
  const FilmKeys rows[] = {{{ImGuiKey_Space}, &FilmController::play_or_pause},
                           {{ImGuiKey_RightArrow, ImGuiKey_PageDown}, &FilmController::go_on},
                           {{ImGuiKey_LeftArrow, ImGuiKey_PageUp}, &FilmController::go_back},
                           {{ImGuiKey_Home}, &FilmController::go_to_begin},
                           {{ImGuiKey_End}, &FilmController::go_to_end}};
  for (const FilmKeys& row : rows) {
    if (std::ranges::any_of(row.keys, [](ImGuiKey key) { return is_key_pressed(keys::named(key)); }))
      call_film(queue, row.what);
  }
}

void close_film(CallQueue& queue) { call_film(queue, &FilmController::leave); }

}  // namespace attnscope
