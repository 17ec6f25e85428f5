#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/text.h"
#include "features/figures/figure_controller.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "platform/system/process.h"
#include "session/figure_state.h"
#include "session/ui_state.h"
#include "ui/imgui_input.h"
#include "ui/view_context.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float one_column = 300;  // the choices
constexpr float two_columns = 590;
constexpr float preview_margin = 10;
constexpr float square_size = 8;  // side of a square behind transparent parts

// Tells how much room there is for the preview.
void measure(const ViewContext& context, CallQueue& queue, ImVec2 room) {
  const float pixels = ImGui::GetIO().DisplayFramebufferScale.x;
  const ImVec2 in_pixels{std::floor(room.x * pixels), std::floor(room.y * pixels)};
  const FigureChoices& known = context.now.dialog.figure;
  const bool is_known =
      known.preview_width == in_pixels.x && known.preview_height == in_pixels.y && known.pixels_per_unit == pixels;
  if (is_known || in_pixels.x < 1 || in_pixels.y < 1) return;
  change_dialog(queue, [in_pixels, pixels](DialogState& state) {
    state.figure.preview_width = in_pixels.x;
    state.figure.preview_height = in_pixels.y;
    state.figure.pixels_per_unit = pixels;
  });
}

// Draws squares behind transparent parts, as picture editors do.
void draw_transparent_ground(ImVec2 min, ImVec2 max, float size, bool is_dark) {
  fill_box(min, max, {grey(is_dark ? 24 : 255)});
  for (int row = 0; min.y + static_cast<float>(row) * size < max.y; ++row) {
    for (int col = row % 2; min.x + static_cast<float>(col) * size < max.x; col += 2) {
      const ImVec2 at{min.x + static_cast<float>(col) * size, min.y + static_cast<float>(row) * size};
      fill_box(at, {std::min(at.x + size, max.x), std::min(at.y + size, max.y)}, {grey(is_dark ? 40 : 238)});
    }
  }
}

// Draws the preview. One that was drawn for more room is shown smaller until the next is there.
void draw_picture(const ViewContext& context, const std::shared_ptr<const FigurePreview>& preview, ImVec2 min,
                  ImVec2 size) {
  const FigureImage& image = preview->image;
  const float pixels = preview->pixels_per_unit;
  const ImVec2 drawn{static_cast<float>(image.width) / pixels, static_cast<float>(image.height) / pixels};
  const float fit = std::min({1.0f, size.x / drawn.x, size.y / drawn.y});
  const ImVec2 shown{drawn.x * fit, drawn.y * fit};
  const ImVec2 at{std::floor(min.x + (size.x - shown.x) / 2), std::floor(min.y + (size.y - shown.y) / 2)};
  const ImVec2 end{at.x + shown.x, at.y + shown.y};
  if (!has_background(preview->theme))
    draw_transparent_ground(at, end, square_size * unit(context), preview->theme == FigureTheme::transparent_dark);
  draw_image(context, {image.width, image.height, image.pixels.data(), preview}, at, end);
  outline_box(at, end, {context.theme.inks.border});
}

std::string waiting_text(const DrawingProgress* progress) {
  if (!progress || progress->computed >= progress->count) return "Drawing …";
  return fmt::format("Computing frame {} of {} …", progress->computed + 1, progress->count.load());
}

std::string problem_of(const ViewContext& context) {
  if (!context.now.dialog.error.empty()) return context.now.dialog.error;
  if (!context.now.figure.obstacle.empty()) return context.now.figure.obstacle;
  return context.now.figure.preview ? context.now.figure.preview->error : "";
}

void draw_preview(const ViewContext& context, CallQueue& queue, ImVec2 size) {
  const std::shared_ptr<const FigurePreview>& preview = context.now.figure.preview;
  const bool has_image = preview && preview->image.width > 0;
  const ImVec2 min = ImGui::GetCursorScreenPos();
  fill_box(min, {min.x + size.x, min.y + size.y}, {context.theme.inks.window}, 6 * unit(context));
  const float margin = preview_margin * unit(context);
  const ImVec2 room{size.x - 2 * margin, size.y - 2 * margin};
  measure(context, queue, room);
  if (has_image) draw_picture(context, preview, {min.x + margin, min.y + margin}, room);
  if (context.now.figure.is_late || (!has_image && problem_of(context).empty()))
    draw_text(context.fonts.small_text, {min.x + margin, min.y + margin / 2}, {context.theme.inks.dim_text},
              waiting_text(context.now.figure.preview_progress.get()));
  ImGui::Dummy(size);
  register_item(context, "figure/preview");
}

void draw_folder(const ViewContext& context, CallQueue& queue, ImVec2 size) {
  begin_flat_child("folder", size);
  draw_folder_line(context, queue);
  begin_flat_child("listing", {0, 0}, true);
  draw_listing(context, queue);
  ImGui::EndChild();
  ImGui::EndChild();
}

void draw_folder_choice(const ViewContext& context, CallQueue& queue) {
  if (in_browser) return;  // which has a folder of its own for what it saves
  const bool is_browsing = context.now.dialog.figure.is_browsing;
  if (push_button(context, "figure/folder", is_browsing ? "Preview" : "Folder…")) {
    change_dialog(queue, [](DialogState& state) { state.figure.is_browsing = !state.figure.is_browsing; });
  }
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::TextUnformatted(fit_text(context.fonts.text, shown_path(context.now.dialog.folder), room).c_str());
}

// The ending of the name says what is written; these say it where it is seen.
void draw_formats(const ViewContext& context, CallQueue& queue) {
  const std::filesystem::path name(context.now.dialog.name);
  for (const PictureFormat& format : picture_formats()) {
    if (!format.serves(use_of(context.now.dialog.figure))) continue;
    const std::string reason = format.is_video ? context.now.figure.video_problem : std::string();
    const std::string item = fmt::format("figure/format/{}", format.ending.substr(1));
    if (choice_button(context, item, std::string(format.name).c_str(), name.extension() == format.ending, {}, reason)) {
      change_dialog(queue, [ending = format.ending](DialogState& state) {
        state.name = std::filesystem::path(state.name).replace_extension(ending).string();
        state.error.clear();
      });
    }
    ImGui::SameLine(0, 2 * unit(context));
  }
  ImGui::SameLine();
}

// Returns whether the buttons have too little room for the name beside the formats: they are a line of their own then.
bool breaks_buttons(const ViewContext& context) {
  constexpr float room_for_a_line = 480;
  return ImGui::GetContentRegionAvail().x < room_for_a_line * unit(context);
}

void draw_buttons(const ViewContext& context, CallQueue& queue) {
  const bool is_drawing = context.now.figure.under_way.has_value();
  const std::string& obstacle = context.now.figure.obstacle;
  const std::string reason = is_drawing ? "A figure is being drawn." : obstacle;
  const char* const accept = context.now.figure.replaces_files ? "Replace" : "Export";
  const char* const leave = is_drawing ? "Stop" : "Close";
  const float width =
      button_width(accept) + button_width("Copy") + button_width(leave) + 3 * ImGui::GetStyle().ItemSpacing.x;
  const bool is_sweep = context.now.dialog.figure.sweep.is_on || context.now.dialog.figure.options.film;
  const bool is_broken = breaks_buttons(context);
  draw_formats(context, queue);
  if (is_broken) ImGui::NewLine();
  const std::string hint = "File name or path: " + endings_for(use_of(context.now.dialog.figure));
  draw_name_field(context, queue, hint.c_str(), -width);
  const bool is_entered = ImGui::IsItemDeactivated() && is_key_pressed(keys::named(ImGuiKey_Enter));
  ImGui::SameLine();
  if (push_button(context, "dialog/accept", accept, reason) || (is_entered && reason.empty()))
    accept_name(context, queue);
  ImGui::SameLine();
  if (push_button(context, "figure/copy", "Copy", reason,
                  is_sweep ? "The frame that is shown, to the clipboard, as PNG" : "To the clipboard, as PNG"))
    queue.push([](const Controllers& to) { to.figures.copy(); });
  ImGui::SameLine();
  if (!push_button(context, "dialog/cancel", leave)) return;
  if (is_drawing) {
    queue.push([](const Controllers& to) { to.figures.stop(); });
  } else {
    close_dialog(queue);
  }
}

// Percent signs, of tokens, as sliders write them.
std::string without_formats(std::string text) {
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 2)) text.insert(at, 1, '%');
  return text;
}

// Returns a text as wide as that of any frame, if their names are about as long as this one's.
std::string widest_frame(const FigureState& figure, bool is_film) {
  return fmt::format("{}00 · {} {} of {}", figure.frame_name, is_film ? "scene" : "frame", figure.frame_count,
                     figure.frame_count);
}

// Draws the slider through the frames of a sweep, below the preview.
void draw_frames(const ViewContext& context, FigureChoices& choices) {
  const FigureState& figure = context.now.figure;
  const std::string reason = figure.frame_count == 0 ? "There are no frames to go through." : "";
  SweepChoices& sweep = choices.sweep;
  const bool is_film = choices.options.film.has_value();
  if (!is_film) {
    if (push_button(context, "figure/play", sweep.is_playing ? "Pause" : "Play", reason))
      sweep.is_playing = !sweep.is_playing;
    ImGui::SameLine();
  }
  const int last = std::max(1, static_cast<int>(figure.frame_count));
  int number = static_cast<int>(sweep.frame) + 1;
  const std::string shown =
      figure.frame_count == 0
          ? "–"
          : fmt::format("{} · {} {} of {}", figure.frame_name, is_film ? "scene" : "frame", number, figure.frame_count);
  const float room = ImGui::GetContentRegionAvail().x / 2;
  const std::string text = fit_text(context.fonts.text, shown, room);
  ImGui::BeginDisabled(!reason.empty());
  ImGui::SetNextItemWidth(-1);
  if (value_step_slider(context, "##frame", number, 1, last, without_formats(text).c_str(), 0,
                        figure.frame_count == 0 ? "" : widest_frame(figure, is_film))) {
    sweep.frame = static_cast<std::size_t>(std::clamp(number, 1, last) - 1);
    sweep.is_playing = false;
  }
  ImGui::EndDisabled();
  register_item(context, "figure/frame", {.enabled = reason.empty()});
}

void draw_middle(const ViewContext& context, CallQueue& queue, FigureChoices& choices, float height) {
  const float scrollbar = ImGui::GetStyle().ScrollbarSize;
  const bool is_high_enough = figure_choices_height(context, choices) <= height;
  const float width = (is_high_enough ? one_column : two_columns) * unit(context);
  begin_flat_child("choices", {width + scrollbar, height});
  draw_figure_choices(context, choices, is_high_enough);
  ImGui::EndChild();
  ImGui::SameLine();
  const bool has_frames = choices.sweep.is_on || choices.options.film;
  const float frames = has_frames ? ImGui::GetFrameHeightWithSpacing() : 0;
  const ImVec2 beside{ImGui::GetContentRegionAvail().x, height - frames};
  if (context.now.dialog.figure.is_browsing) return draw_folder(context, queue, {beside.x, height});
  ImGui::BeginGroup();
  draw_preview(context, queue, beside);
  if (has_frames) draw_frames(context, choices);
  ImGui::EndGroup();
}

constexpr float progress_width = 240;
constexpr double millimetres_per_pixel = 25.4 / 96;

// "160 × 112 mm; as PNG 1814 × 1272 pixels"
std::string size_text(const ViewContext& context) {
  const FigurePreview* const preview = context.now.figure.preview.get();
  if (!preview || preview->width <= 0) return " ";
  const double scale = context.now.dialog.figure.options.scale;
  return fmt::format("{} × {} mm; as PNG {} × {} pixels", std::lround(preview->width * millimetres_per_pixel),
                     std::lround(preview->height * millimetres_per_pixel), std::lround(preview->width * scale),
                     std::lround(preview->height * scale));
}

// "Drawing frame 3 of 20", and the part of all work that is done.
struct ProgressText {
  std::string text;
  float fraction = 0;
};

ProgressText progress_of(const FigureState::Export& under_way, double seconds) {
  const DrawingProgress& progress = *under_way.progress;
  const std::size_t count = progress.count;
  const std::size_t drawn = progress.drawn;
  const std::size_t computed = progress.computed;
  const auto share = [&](std::size_t done, std::size_t all) {
    return static_cast<float>(done) / static_cast<float>(std::max<std::size_t>(all, 1));
  };
  if (progress.is_of_frames && count > 0) {  // all are computed before the first is drawn
    const bool is_drawing = computed >= count;
    return {fmt::format("{} frame {} of {}", is_drawing ? "Drawing" : "Computing",
                        std::min(is_drawing ? drawn + 1 : computed + 1, count), count),
            share(is_drawing ? drawn : computed, count)};
  }
  const float encoded = progress.encoded;
  if (encoded > 0) return {fmt::format("Writing {}", under_way.name), encoded};
  const std::string waited = fmt::format("{} … {:.0f} s", under_way.name, seconds);
  if (count < 2) return {"Drawing " + waited, -1};
  if (drawn >= count) return {"Writing " + waited, -1};
  return {fmt::format("Drawing matrix {} of {}", drawn + 1, count), share(drawn, count)};
}

void draw_progress(const ViewContext& context) {
  const FigureState::Export& under_way = *context.now.figure.under_way;
  const ProgressText progress = progress_of(under_way, std::max(0.0, ImGui::GetTime() - under_way.since));
  if (progress.fraction >= 0) {
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ImGui::GetStyleColorVec4(ImGuiCol_SliderGrab));
    ImGui::ProgressBar(progress.fraction, {progress_width * unit(context), 0});
    ImGui::PopStyleColor();
    register_item(context, "figure/progress");
    ImGui::SameLine();
  }
  ImGui::TextUnformatted(progress.text.c_str());
}

// Draws a line below the figure: the progress of its export, the error or the written file, else its size. The line is
// always there, so that nothing jumps.
void draw_figure_news(const ViewContext& context) {
  const FigureState& figure = context.now.figure;
  const std::string problem = problem_of(context);
  ImGui::AlignTextToFramePadding();
  if (figure.under_way) {
    draw_progress(context);
  } else if (!problem.empty()) {
    warning_text(context, problem);
  } else {
    ImGui::TextUnformatted(figure.said.empty() ? size_text(context).c_str() : figure.said.c_str());
  }
}

// Returns the height of that line: its sentence may take several lines.
float figure_news_height(const ViewContext& context) {
  const std::string problem = context.now.figure.under_way ? "" : problem_of(context);
  const float text = ImGui::CalcTextSize(problem.c_str(), nullptr, false, ImGui::GetContentRegionAvail().x).y;
  const ImGuiStyle& style = ImGui::GetStyle();
  return std::max(ImGui::GetFrameHeight(), text + style.FramePadding.y) + style.ItemSpacing.y;
}

}  // namespace

void draw_figure_dialog(const ViewContext& context, CallQueue& queue) {
  if (!context.now.result()) return;
  FigureChoices choices = context.now.dialog.figure;
  const FigureChoices before = choices;
  draw_sweep_choices(context, choices);
  const float lines = (in_browser ? 1.0F : 2.0F) + (breaks_buttons(context) ? 1.0F : 0.0F);
  const float below = lines * ImGui::GetFrameHeightWithSpacing() + figure_news_height(context);
  draw_middle(context, queue, choices, ImGui::GetContentRegionAvail().y - below);
  if (choices != before) {
    change_dialog(queue, [choices](DialogState& state) {
      state.figure = choices;
      state.error.clear();
    });
  }
  draw_figure_news(context);
  draw_folder_choice(context, queue);
  draw_buttons(context, queue);
}

}  // namespace attnscope
