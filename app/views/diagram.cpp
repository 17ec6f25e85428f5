#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "look/diagram_layout.h"
#include "views/axis_labels.h"
#include "views/diagram_parts.h"
#include "views/panels.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float edge = 12;
constexpr float longest_upright = 64;
constexpr float smallest_text = 11;
constexpr float overview_width = 150;
constexpr float little = 0.08F;  // of the window: where no more is out of sight, no overview is in the way
constexpr float zoom_step = 1.15F;

// The widest number of the matrices that show signs, as it will stand in a cell.
float widest_number(const ViewContext& context) {
  const std::string sample = context.view.decimals == 4 ? "−0.0000" : "−0.00";
  return std::ceil(text_size(context.fonts.small_text, smallest_text * unit(context), sample).x + 3 * unit(context));
}

DiagramText measured(const ViewContext& context) {
  const float scale = unit(context);
  const ImFont* const font = context.fonts.small_text;
  const float sum = text_size(font, context.view.decimals == 4 ? "0.0000" : "0.00").x + 8 * scale;
  return {.width_of = [font](std::string_view words) { return text_size(font, words).x; },
          .line = font_height(font),
          .heading = font_height(context.fonts.heading),
          .row_labels = row_label_width(context),
          .widest_label = context.label_width,
          .longest_upright = longest_upright * scale,
          .row_sums = sum,
          .gap = 6 * scale,
          .number_width = context.view.numbers ? widest_number(context) : 0,
          .number_height = std::ceil((smallest_text + 2) * scale)};
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
  const float indent = text_size(fonts.heading, title_of(band.band)).x + 14 * unit(context);
  const float drop = font_height(fonts.heading) - font_height(fonts.small_text) - 1;
  const ImVec2 at{pos.x + indent, pos.y + drop};
  const ImVec2 size = text_size(fonts.small_text, about(band.band));
  const float rim = 4 * unit(context);  // arrows pass beneath
  list.AddRectFilled({at.x - rim, at.y}, {at.x + size.x + rim, at.y + size.y}, to_u32(context.theme.window));
  draw_text(list, fonts.small_text, at, to_u32(context.theme.dim_text), about(band.band));
}

// All of it in a corner, with a frame around what is seen; a click goes there.
void draw_overview(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin) {
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  if (ImGui::GetScrollMaxX() <= little * size.x && ImGui::GetScrollMaxY() <= little * size.y) return;
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const float width = overview_width * unit(context);
  const float share = width / layout.width;
  const ImVec2 high{window.x + size.x - bar - 8 * unit(context), window.y + size.y - bar - 8 * unit(context)};
  const ImVec2 low{high.x - width, high.y - share * layout.height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, high, to_u32(context.theme.card), 4);
  for (const PlacedMatrix& placed : layout.matrices) {
    if (!placed.matrix.is_present) continue;
    const DiagramBox& box = placed.cells;
    list.AddRectFilled({low.x + share * box.x, low.y + share * box.y},
                       {low.x + share * box.right(), low.y + share * box.bottom()}, to_u32(context.theme.border));
  }
  const ImVec2 seen{low.x + share * (window.x - origin.x), low.y + share * (window.y - origin.y)};
  list.AddRect({std::max(seen.x, low.x), std::max(seen.y, low.y)},
               {std::min(seen.x + share * size.x, high.x), std::min(seen.y + share * size.y, high.y)},
               to_u32(context.theme.accent), 0, 0, 2 * unit(context));
  list.AddRect(low, high, to_u32(context.theme.border), 4);
  ImGui::SetCursorScreenPos(low);
  ImGui::InvisibleButton("overview", {width, share * layout.height});
  register_item(context, "diagram/overview");
  if (!ImGui::IsItemActive()) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  ImGui::SetScrollX((pointer.x - low.x) / share - size.x / 2);
  ImGui::SetScrollY((pointer.y - low.y) / share - size.y / 2);
}

// Ctrl and the wheel zoom around the pointer; dragging where nothing is pans.
void handle_canvas(CommandQueue& queue) {
  if (!ImGui::IsWindowHovered()) return;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl && io.MouseWheel != 0) {
    take_wheel();
    queue.push_back(UpdateView{[wheel = io.MouseWheel](ViewState& state) {
      state.diagram_zoom = std::clamp(state.diagram_zoom * std::pow(zoom_step, wheel), 1.0F, max_diagram_zoom);
    }});
  }
  if (ImGui::IsAnyItemHovered() || !ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return;
  ImGui::SetScrollX(ImGui::GetScrollX() - io.MouseDelta.x);
  ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
}

}  // namespace

void draw_diagram(const ViewContext& context, CommandQueue& queue) {
  const AttentionConfig& config = context.result()->config;
  const float margin = edge * unit(context);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float zoom = context.view.diagram_zoom;
  const DiagramText text = measured(context);
  const DiagramLayout layout = layout_diagram(config, text, room.x * zoom - margin, room.y * zoom - margin / 2);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 origin{std::floor(corner.x), std::floor(corner.y)};
  draw_diagram_arrows(context, layout, text, origin);
  for (const PlacedBand& band : layout.bands) draw_band(context, band, origin, std::max(layout.width, room.x - margin));
  for (const PlacedMatrix& placed : layout.matrices) draw_diagram_matrix(context, queue, placed, origin);
  ImGui::SetCursorScreenPos({origin.x + layout.width, origin.y + layout.height});
  ImGui::Dummy({0, 0});
  draw_overview(context, layout, origin);
  handle_canvas(queue);
}

}  // namespace attnscope
