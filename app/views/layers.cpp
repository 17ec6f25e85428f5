#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/heatmap.h"
#include "views/imgui_compat.h"
#include "views/imgui_keys.h"
#include "views/panels.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float layer_gap = 5;
constexpr float least_picture = 18;  // of a picture: where there is no room for that, the page scrolls

// Every head of every layer as a small picture: a row for a layer, a column for a head.
struct LayerGrid {
  Index layers = 1;
  Index heads = 1;
  float side = 0;     // of a picture
  float space = 0;    // between two
  ImVec2 min_screen;  // of the first

  ImVec2 place(Index layer, Index head) const {
    return {std::floor(min_screen.x + static_cast<float>(head) * (side + space)),
            std::floor(min_screen.y + static_cast<float>(layer) * (side + space))};
  }
};

LayerGrid layer_grid(const ViewContext& context, Index heads) {
  const float line = font_height(context.fonts.small_text);
  LayerGrid grid;
  grid.layers = std::ssize(context.layers);
  grid.heads = heads;
  grid.space = layer_gap * unit(context);
  const float left = text_size(context.fonts.small_text, fmt::format("Layer {}", grid.layers)).x + 2 * grid.space;
  const float top = line + grid.space;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = (room.x - left) / static_cast<float>(heads) - grid.space;
  const float height = (room.y - top) / static_cast<float>(grid.layers) - grid.space;
  grid.side = std::floor(std::max(std::min(width, height), least_picture * unit(context)));
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  grid.min_screen = {corner.x + left, corner.y + top};
  return grid;
}

// "Head 3", or the number alone; nothing where that would touch the next.
void draw_head_titles(const ViewContext& context, const LayerGrid& grid) {
  const ImFont* const font = context.fonts.small_text;
  const bool has_words = text_size(font, fmt::format("Head {}", grid.heads)).x <= grid.side;
  if (text_size(font, std::to_string(grid.heads)).x > grid.side + grid.space / 2) return;
  for (Index head = 0; head < grid.heads; ++head) {
    const std::string title = has_words ? fmt::format("Head {}", head + 1) : std::to_string(head + 1);
    const float x = grid.place(0, head).x + (grid.side - text_size(font, title).x) / 2;
    const ImVec4 colour =
        grid.heads > 1 ? head_colour(static_cast<long>(head), context.theme.dark) : context.theme.text;
    draw_text(*ImGui::GetWindowDrawList(), font, {x, grid.min_screen.y - font_height(font) - grid.space / 2},
              to_u32(colour), title);
  }
}

void draw_layer_title(const ViewContext& context, const LayerGrid& grid, Index layer) {
  const ImFont* const font = context.fonts.small_text;
  const std::string title = fmt::format("Layer {}", layer + 1);
  const ImVec2 first = grid.place(layer, 0);
  const bool is_shown = context.viewing && context.viewing->layer == layer;
  draw_text(*ImGui::GetWindowDrawList(), font,
            {first.x - 2 * grid.space - text_size(font, title).x, first.y + (grid.side - font_height(font)) / 2},
            to_u32(is_shown ? context.theme.text : context.theme.dim_text), title);
}

// A click shows it large.
void open_on_click(const ViewContext& context, CommandQueue& queue, const LayerGrid& grid, Index layer, Index head) {
  const ImVec2 low = grid.place(layer, head);
  ImGui::SetCursorScreenPos(low);
  const std::string name = fmt::format("layers/{}/{}", layer, head);
  if (ImGui::InvisibleButton(name.c_str(), {grid.side, grid.side})) {
    queue.push_back(UpdateViewing{[layer](Viewing& viewing) { viewing.layer = layer; }});
    queue.push_back(UpdateView{[head](ViewState& state) {
      state.layout = Layout::focus;
      state.head = head;
      if (state.pinned) state.pinned->head = head;
    }});
  }
  const bool is_marked = ImGui::IsItemHovered() || (ImGui::IsItemFocused() && shows_focus());
  const ImU32 colour = to_u32(is_marked ? context.theme.accent : context.theme.border);
  ImGui::GetWindowDrawList()->AddRect(low, {low.x + grid.side, low.y + grid.side}, colour, 0, 0,
                                      (is_marked ? 2 : 1) * unit(context));
  register_item(context, name);
  const bool is_there = context.layers[static_cast<std::size_t>(layer)].result != nullptr;
  item_tooltip(context, fmt::format("Layer {}, head {}: a click {} it", layer + 1, head + 1,
                                    is_there ? "enlarges" : "unpacks and enlarges"));
}

void draw_thumbnail(const ViewContext& context, const LayerGrid& grid, Index layer, Index head) {
  const ImVec2 low = grid.place(layer, head);
  const ImVec2 high{low.x + grid.side, low.y + grid.side};
  const Evaluation& evaluation = context.layers[static_cast<std::size_t>(layer)];
  const auto view = stage_view(context, evaluation, context.view.stage, head, grid.layers * grid.heads, true);
  if (!view || !context.heatmaps) return;
  CellGrid cells = {
      low, high, {0, 0, static_cast<double>(view->rows), static_cast<double>(view->cols)}, view->rows, view->cols};
  context.heatmaps->draw(*ImGui::GetWindowDrawList(), heatmap_quad(context, *view, cells));
}

}  // namespace

void draw_layers(const ViewContext& context, CommandQueue& queue) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const LayerGrid grid = layer_grid(context, head_count(context.result()->config));
  draw_head_titles(context, grid);
  for (Index layer = 0; layer < grid.layers; ++layer) {
    const ImVec2 first = grid.place(layer, 0);
    const ImVec2 last = grid.place(layer, grid.heads);
    if (!ImGui::IsRectVisible({corner.x, first.y}, {last.x, first.y + grid.side})) continue;
    draw_layer_title(context, grid, layer);
    for (Index head = 0; head < grid.heads; ++head) {
      draw_thumbnail(context, grid, layer, head);
      open_on_click(context, queue, grid, layer, head);
    }
  }
  const ImVec2 end = grid.place(grid.layers, grid.heads);
  ImGui::SetCursorScreenPos({end.x - grid.space, end.y - grid.space});
  ImGui::Dummy({0, 0});
}

}  // namespace attnscope
