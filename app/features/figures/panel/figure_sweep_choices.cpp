#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_view.h"
#include "session/figure_state.h"
#include "teach/film.h"
#include "ui/view_context.h"
#include "ui/widgets.h"
#include "view/number_words.h"
#include "view/stage_look.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

constexpr std::size_t most_sweep_bytes = 200;
constexpr float value_width = 58;
constexpr float token_width = 110;
constexpr float parameter_width = 185;
constexpr float range_width = 310;
constexpr float words_width = 250;

void next_to(const char* label) {
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(label);
  ImGui::SameLine();
}

void draw_film_kind(const ViewContext& context, FigureChoices& choices) {
  const Result& result = *context.now.result();
  const std::optional<Source>& pinned = context.now.view.pinned;
  const Source cell = pinned ? with_batch_and_head_of(result.config, *pinned) : Source();
  const bool has_cell = pinned && attnscope::has_cell(result, cell);
  const std::string reason = has_cell ? obstacle_to_film(result, cell) : "Pin a number in the window first.";
  const bool is_film = choices.options.film.has_value();
  ImGui::SameLine(0, 2 * unit(context));
  const bool pressed = choice_button(context, "figure/film", "Film", is_film,
                                     "How the pinned number came to be, scene by scene", reason);
  if (!pressed || is_film) return;
  choices.options.film = cell;
  choices.sweep.is_on = false;
  choices.sweep.frame = 0;
  if (!page_size_of(choices.options)) set_page_size(choices.options, page_sizes[0]);
  limit_animation(choices.options);
}

void draw_kind(const ViewContext& context, FigureChoices& choices) {
  const bool is_film = choices.options.film.has_value();
  if (choice_button(context, "figure/still", "Still", !choices.sweep.is_on && !is_film,
                    "One picture of the document as it is")) {
    choices.sweep.is_on = false;
    choices.options.film.reset();
  }
  ImGui::SameLine(0, 2 * unit(context));
  ImGui::BeginDisabled(context.now.viewing.has_value());
  const bool pressed = choice_button(context, "figure/sweep", "Sweep", choices.sweep.is_on);
  ImGui::EndDisabled();
  item_tooltip(context, context.now.viewing ? "The numbers of a file cannot be swept: nothing is computed."
                                            : "A picture for each value of one parameter");
  draw_film_kind(context, choices);
  if (!pressed || choices.sweep.is_on) return;
  choices.options.film.reset();
  choices.sweep.is_on = true;
  limit_animation(choices.options);
  choose_swept(context, choices, choices.sweep.parameter);
}

void draw_parameter(const ViewContext& context, FigureChoices& choices) {
  const std::span<const SweptParameter> parameters = swept_parameters();
  const auto shown = std::ranges::find(parameters, choices.sweep.parameter, &SweptParameter::name);
  std::vector<Choice> items;
  for (const SweptParameter& item : parameters)
    items.push_back({std::string(item.label), item.reason(context.now.document.config), item.name});
  ImGui::SetNextItemWidth(parameter_width * unit(context));
  const int chosen = choose_from(context, "figure/parameter", items, static_cast<int>(shown - parameters.begin()));
  if (chosen >= 0) choose_swept(context, choices, std::string(items[static_cast<std::size_t>(chosen)].name));
}

void draw_cell(const ViewContext& context, SweepChoices& sweep) {
  const Index features = input_features(context.now.document.config);
  const auto token = static_cast<std::size_t>(sweep.token);
  next_to("of");
  ImGui::SetNextItemWidth(token_width * unit(context));
  const bool is_open =
      begin_text_combo("##token", token < context.now.labels.size() ? context.now.labels[token] : std::string());
  register_opener(context, "figure/token", is_open);
  if (is_open) {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(context.now.labels.size()));
    while (clipper.Step()) {
      for (int index = clipper.DisplayStart; index < clipper.DisplayEnd; ++index) {
        if (text_item(index, context.now.labels[static_cast<std::size_t>(index)], sweep.token == index))
          sweep.token = index;
        register_item(context, fmt::format("figure/token/{}", index), {.is_on = sweep.token == index});
      }
    }
    ImGui::EndCombo();
  }
  next_to("dimension");
  int number = static_cast<int>(sweep.feature) + 1;
  ImGui::SetNextItemWidth(value_width * unit(context));
  if (ImGui::InputInt("##dimension", &number, 0)) sweep.feature = std::clamp<Index>(number, 1, features) - 1;
  register_item(context, "figure/dimension");
  item_tooltip(context, fmt::format("1 to {}", features));
}

void draw_value(const ViewContext& context, const char* label, const char* name, std::string& text, const char* hint,
                std::string_view help, float width = value_width) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(label);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(width * unit(context));
  ImGui::PushID(name);
  text_field("##value", hint, text, most_sweep_bytes);
  ImGui::PopID();
  register_item(context, name);
  item_tooltip(context, help);
}

// Behind what stands before it where there is room, else below.
void draw_range(const ViewContext& context, SweepChoices& sweep) {
  SweepRange& range = sweep.range();
  const float end = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (end - ImGui::GetItemRectMax().x >= range_width * unit(context)) ImGui::SameLine();
  if (const std::vector<std::string_view>& words = swept_parameter(sweep.parameter)->words; !words.empty()) {
    const std::string help = fmt::format("Some of {}, with commas between them", fmt::join(words, ", "));
    return draw_value(context, "through", "figure/sweep/first", range.first, "", help, words_width);
  }
  draw_value(context, "from", "figure/sweep/first", range.first, "",
             "The first value, or values with commas between them, as in 1,5,9, and nothing behind \"to\"");
  ImGui::SameLine();
  draw_value(context, "to", "figure/sweep/last", range.last, "", "The last value, as far as the steps meet it");
  ImGui::SameLine();
  draw_value(context, "step", "figure/sweep/step", range.step, "auto",
             "From one value to the next; empty: chosen by the program");
}

void draw_repetition(const ViewContext& context, SweepChoices& sweep) {
  ImGui::SameLine();
  const PictureFormat* const format = format_by_ending(context.now.dialog.name);
  const bool is_video = format && format->is_video;
  const bool has_pages = format && format->has_pages;
  const bool is_off = sweep.is_series || is_video || has_pages;
  ImGui::BeginDisabled(is_off);
  const char* const help = sweep.is_series ? "Numbered pictures do not play by themselves."
                           : has_pages     ? "The pages of a PDF do not play."
                           : is_video      ? "What plays a video decides how often."
                                           : "The animation begins again after its last frame, without end";
  bool repeats = !sweep.plays_once;
  if (ImGui::Checkbox("repeat", &repeats)) sweep.plays_once = !repeats;
  ImGui::EndDisabled();
  register_item(context, "figure/repeat", {.enabled = !is_off, .is_on = repeats});
  item_tooltip(context, help);
}

void draw_series_choice(const ViewContext& context, SweepChoices& sweep, const char* one, const char* many) {
  if (choice_button(context, "figure/animated", one, !sweep.is_series, "One file that browsers and slides play"))
    sweep.is_series = false;
  ImGui::SameLine(0, 2 * unit(context));
  if (choice_button(context, "figure/series", "Numbered PNGs", sweep.is_series, many)) sweep.is_series = true;
}

// Draws what a film has in the place of a parameter.
void draw_film_choices(const ViewContext& context, FigureChoices& choices) {
  const Source& cell = *choices.options.film;
  next_to("of");
  ImGui::TextUnformatted(number_name(*context.now.result(), cell, query_and_key_names(context)).c_str());
  register_item(context, "figure/film/cell");
  draw_series_choice(context, choices.sweep, "Film", "The last picture of each scene");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(value_width * unit(context));
  double& seconds = choices.options.scene_seconds;
  ImGui::InputDouble("##seconds", &seconds, 0, 0, seconds > 0 ? "%.4g" : "auto");
  if (!(seconds >= 0)) seconds = 0;  // "nan" can be typed
  if (seconds > 0) seconds = std::clamp(seconds, shortest_scene, longest_scene);
  register_item(context, "figure/seconds");
  item_tooltip(context, figure_choice("seconds").tip);
  ImGui::SameLine();
  ImGui::TextUnformatted("seconds a scene");
  draw_repetition(context, choices.sweep);
}

void draw_file_kind(const ViewContext& context, SweepChoices& sweep) {
  draw_series_choice(context, sweep, "Animation", "A picture of its own for each value");
  ImGui::SameLine();
  ImGui::BeginDisabled(sweep.is_series);
  ImGui::SetNextItemWidth(value_width * unit(context));
  ImGui::InputDouble("##rate", &sweep.frames_per_second, 0, 0, "%.4g");
  if (std::isnan(sweep.frames_per_second)) sweep.frames_per_second = 0;  // "nan" can be typed
  register_item(context, "figure/rate", {.enabled = !sweep.is_series});
  item_tooltip(context, sweep.is_series ? "Numbered pictures do not play by themselves." : "0.1 to 50");
  ImGui::SameLine();
  ImGui::TextUnformatted("frames per second");
  ImGui::EndDisabled();
  draw_repetition(context, sweep);
  const std::size_t count = context.now.figure.frame_count;
  if (count == 0) return;
  ImGui::SameLine();
  const std::string frames = count == 1 ? "1 frame" : fmt::format("{} frames", count);
  const bool has_length = !sweep.is_series && sweep.frames_per_second > 0;
  const std::string text =
      has_length ? fmt::format("{}, {:.3g} s", frames, static_cast<double>(count) / sweep.frames_per_second) : frames;
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(context.theme.inks.dim_text));
  ImGui::TextUnformatted(text.c_str());  // in the font of its row, to stand on the same line
  ImGui::PopStyleColor();
}

}  // namespace

// Dropout comes after the weights, and the range up to what a kept weight of 1 is scaled to would leave nearly all
// cells dark. Of a head with a high number there may be none in a frame.
void choose_swept(const ViewContext& context, FigureChoices& choices, const std::string& parameter) {
  FigureOptions& options = choices.options;
  choices.sweep.parameter = parameter;
  choices.sweep.frame = 0;
  if (parameter == "dropout" && has_stage(context.now.document.config, Stage::dropped_weights)) {
    if (options.stage == Stage::weights) options.stage = Stage::dropped_weights;
    if (options.range == RangeMode::automatic) options.range = RangeMode::shared;
  }
  if (parameter == swept_stages && options.stage) {
    options.stage.reset();
    options.head = options.head.value_or(0);
  }
  if (parameter != "num_heads") return;
  options.head = options.stage ? std::optional<Index>() : std::optional<Index>(0);
}

void draw_sweep_choices(const ViewContext& context, FigureChoices& choices) {
  draw_kind(context, choices);
  if (choices.options.film) return draw_film_choices(context, choices);
  if (!choices.sweep.is_on) return;
  ImGui::SameLine();
  draw_parameter(context, choices);
  if (choices.sweep.parameter == swept_embedding) draw_cell(context, choices.sweep);
  if (choices.sweep.parameter != swept_stages) draw_range(context, choices.sweep);
  draw_file_kind(context, choices.sweep);
}

}  // namespace attnscope
