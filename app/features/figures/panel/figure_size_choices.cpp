#include <fmt/format.h>

#include <cmath>

#include "features/figures/panel/figure_choices.h"
#include "ui/list_row.h"

namespace attnscope {
namespace {

constexpr int largest_slid_font = 24;  // points; larger ones are typed

// A typed width may be out of bounds: then the preview says so, and stays.
void draw_width(const ViewContext& context, FigureOptions& options) {
  const bool is_metric = options.width.unit == LengthUnit::millimetres;
  begin_row(context, "width");
  ImGui::SetNextItemWidth(typed_number_width * unit(context));
  if (ImGui::InputDouble("##width", &options.width.length, 0, 0, "%.6g")) options.height = 0;
  end_row(context, "figure/width", {}, "The height follows.");
  ImGui::SameLine();
  if (choice_button(context, "figure/width/mm", "mm", is_metric) && !is_metric) {
    options.width = {std::round(options.width.length / 96 * 25.4), LengthUnit::millimetres};
    options.height = std::round(options.height / 96 * 25.4);
  }
  ImGui::SameLine(0, 2 * unit(context));
  const bool pressed =
      choice_button(context, "figure/width/px", "px", !is_metric, "Of 1/96 inch, as browsers count them");
  if (!pressed || !is_metric) return;
  options.height = std::round(page_height(options));
  options.width = {std::round(page_width(options.width)), LengthUnit::pixels};
}

void draw_page_size(const ViewContext& context, FigureChoices& choices) {
  FigureOptions& options = choices.options;
  const PageSize* const chosen = page_size_of(options);
  const RowText text = {.reason = {}, .help = "Width, height and letters for a slide or a paper"};
  draw_list(context, "size", "figure/size", chosen ? std::string(chosen->title) : "custom width", text, [&] {
    for (const PageSize& size : page_sizes) {
      if (!list_item(context, fmt::format("figure/size/{}", size.id), std::string(size.title), &size == chosen))
        continue;
      set_page_size(options, size);
      if (choices.sweep.is_on) limit_animation(options);
    }
  });
}

}  // namespace

void draw_figure_sizes(const ViewContext& context, FigureChoices& choices) {
  FigureOptions& options = choices.options;
  draw_page_size(context, choices);
  draw_width(context, options);
  begin_row(context, "scale");
  int scale = static_cast<int>(options.scale);
  const std::string shown = fmt::format("{:.3g} ×", options.scale);  // an animation may have 1.5
  if (step_slider("##scale", scale, 1, static_cast<int>(largest_scale), shown.c_str())) options.scale = scale;
  const std::string vectors =
      listed(&PictureFormat::name, [](const PictureFormat& format) { return format.is_vector; });
  end_row(context, "figure/scale", {},
          fmt::format("Pixels of a PNG for each of 1/96 inch. An {} is sharp at any size.", vectors));
  begin_row(context, "font size");
  int points = static_cast<int>(options.font_size);
  if (step_slider("##font", points, static_cast<int>(smallest_font), largest_slid_font, "%.0f pt"))
    options.font_size = points;
  end_row(context, "figure/font_size");
}

}  // namespace attnscope
