#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "look/diagram_of_file.h"
#include "look/diagram_words.h"
#include "views/axis_labels.h"
#include "views/diagram_parts.h"
#include "views/panels.h"
#include "views/presenting.h"
#include "views/reach_outlines.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float edge = 6;
constexpr float zoom_step = 1.15F;
constexpr float tall_cell = 1.6F;            // against a line of text
constexpr float tall_cell_on_screen = 1.1F;  // the same before an audience, which reads from further away
constexpr float cell_margin = 1;             // beside a number, both sides together

// Of a cell that every number of so many decimals fits into: digits differ in width.
float widest_number(const ViewContext& context, std::string_view before_point) {
  const auto width = [&](std::string_view text) { return text_size(context.fonts.narrow_number, text).x; };
  float digit = 0;
  for (const char* const each : {"0", "2", "3", "4", "5", "6", "7", "8", "9"}) digit = std::max(digit, width(each));
  return std::ceil(width(before_point) + static_cast<float>(context.view.decimals) * digit +
                   cell_margin * unit(context));
}

// Of text at a step of its sizes. The smallest one is for too little room: then nothing takes more of it than it needs.
DiagramText measured(const ViewContext& context, int step) {
  const float scale = unit(context);
  const float factor = factor_of(context.fonts, step);
  const Fonts fonts = resized(context.fonts, step);
  const ImFont* const font = fonts.small_text;
  const bool is_tight = step < 0;
  const std::string_view number = context.view.decimals == 4 ? "0.0000" : "0.00";
  const float widest = widest_number(context, "−0.");
  // Smaller than that it is still the diagram, of colours alone.
  const float legible = context.view.numbers ? std::min(1.0F, context.view.diagram_zoom) : 0;
  return {.width_of = [font](std::string_view words) { return text_size(font, words).x; },
          .line = font_height(font),
          .heading = font_height(fonts.heading),
          .row_labels = factor * row_label_width(context),
          .widest_label = factor * context.label_width,
          .longest_upright = factor * longest_upright_label(context),
          .row_sums =
              (is_tight ? text_size(fonts.narrow_number, number).x : text_size(font, number).x + 3 * scale) + 5 * scale,
          .gap = (is_tight ? 3.5F : 6.0F) * scale,
          .number_width = legible * widest,
          .number_height = legible * std::ceil(digit_height(fonts.narrow_number)),
          .sign_width = is_tight && !context.is_comparing() ? legible * (widest - widest_number(context, "0.")) : 0};
}

void draw_band(const ViewContext& context, const PlacedBand& band, ImVec2 origin, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Fonts& fonts = context.fonts;
  const ImVec2 pos{origin.x, origin.y + band.y};
  if (band.y > 0) {
    const float y = std::floor(pos.y - 3 * unit(context));
    list.AddLine({pos.x, y}, {pos.x + width, y}, to_u32(context.theme.border));
  }
  draw_text(list, fonts.heading, pos, to_u32(context.theme.text), title_of(band.band));
  register_part(context, fmt::format("diagram/band/{}", static_cast<int>(band.band) + 1), pos,
                {pos.x + width, pos.y + font_height(fonts.heading)});
  const float indent = text_size(fonts.heading, title_of(band.band)).x + 14 * unit(context);
  const float drop = font_height(fonts.heading) - font_height(fonts.small_text) - 1;
  const ImVec2 at{pos.x + indent, pos.y + drop};
  const ImVec2 size = text_size(fonts.small_text, about(band.band));
  const float rim = 4 * unit(context);  // arrows pass beneath
  list.AddRectFilled({at.x - rim, at.y}, {at.x + size.x + rim, at.y + size.y}, to_u32(context.theme.window));
  draw_text(list, fonts.small_text, at, to_u32(context.theme.dim_text), about(band.band));
}

// As large as the room allows, and text with it: a step up where results' cells stay tall against its lines, and a step
// down where it would not fit.
struct Canvas {
  DiagramLayout layout;
  int step = 0;
};

Canvas canvas_of(const ViewContext& context, ImVec2 room, float zoom) {
  const float margin = edge * unit(context);
  const float larger = std::max(1.0F, zoom);
  const ImVec2 size{room.x * larger - margin, room.y * larger - margin / 2};
  const auto layout_at = [&](int step) {
    return layout_diagram(*context.result(), measured(context, step), size.x, size.y);
  };
  const float tall = is_presenting(context) ? tall_cell_on_screen : tall_cell;
  Canvas canvas{layout_at(0)};
  if (canvas.layout.width > size.x || canvas.layout.height > size.y)
    return {layout_at(first_text_step), first_text_step};
  for (int step = 1; step <= last_text_step; ++step) {
    DiagramLayout layout = layout_at(step);
    if (layout.width > size.x || layout.height > size.y || layout.cell_height < tall * measured(context, step).line)
      break;
    canvas = {std::move(layout), step};
  }
  return canvas;
}

// What fits the window again is seen from its beginning.
void go_to_corner_when_fitted(float zoom) {
  float& before = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("zoom"), 1);
  if (before != zoom && zoom == 1) {
    ImGui::SetScrollX(0);
    ImGui::SetScrollY(0);
  }
  before = zoom;
}

// Ctrl and the wheel zoom around the pointer; dragging where nothing is pans.
void handle_canvas(const ViewContext& context, CommandQueue& queue, const DiagramLayout& layout, ImVec2 room,
                   ImVec2 origin) {
  if (!ImGui::IsWindowHovered()) return;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl && io.MouseWheel != 0) {
    take_wheel();
    const float zoom =
        std::clamp(context.view.diagram_zoom * std::pow(zoom_step, io.MouseWheel), min_diagram_zoom, max_diagram_zoom);
    keep_diagram_in_place(layout, canvas_of(context, room, zoom).layout, origin, io.MousePos);
    queue.push_back(UpdateView{[zoom](ViewState& state) { state.diagram_zoom = zoom; }});
  }
  if (ImGui::IsAnyItemHovered() || !ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return;
  ImGui::SetScrollX(ImGui::GetScrollX() - io.MouseDelta.x);
  ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
}

}  // namespace

void draw_diagram(const ViewContext& context, CommandQueue& queue) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const Canvas canvas = canvas_of(context, room, context.view.diagram_zoom);
  go_to_corner_when_fitted(context.view.diagram_zoom);
  const DiagramLayout& layout = canvas.layout;
  ViewContext larger = resized(context, canvas.step);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 origin{std::floor(corner.x), std::floor(corner.y)};
  const StageSet awaited = awaited_results(context);
  draw_diagram_arrows(larger, layout, measured(context, canvas.step), origin, awaited);
  const float width = std::max(layout.width, room.x - edge * unit(context));
  for (const PlacedBand& band : layout.bands) draw_band(larger, band, origin, width);
  const ReachOutlines reach = reach_outlines(context);
  larger.reach = &reach;
  for (const PlacedMatrix& placed : layout.matrices) {
    if (awaited.contains(placed.matrix.result)) {
      draw_awaited_matrix(larger, placed, origin);
    } else {
      draw_diagram_matrix(larger, queue, layout, placed, origin);
    }
  }
  ImGui::SetCursorScreenPos({origin.x + layout.width, origin.y + layout.height});
  ImGui::Dummy({0, 0});
  draw_diagram_overview(context, layout, origin);
  pan_diagram_by_keys(context);
  follow_pin(context, layout, origin);
  follow_presented_stage(context, layout, origin);
  handle_canvas(context, queue, layout, room, origin);
}

}  // namespace attnscope
