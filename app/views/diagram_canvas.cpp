#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/diagram_parts.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float overview_width = 150;
constexpr float little = 0.08F;   // of the window: where no more is out of sight, no overview is in the way
constexpr float pin_margin = 24;  // between a pinned cell and the window's edge

// Where a number is in the diagram; row maxima and sums are beside their rows.
std::optional<DiagramBox> box_of(const AttentionConfig& config, const DiagramLayout& layout, const Source& source) {
  const PlacedMatrix* placed = layout.result(source.stage);
  if (!placed) {
    const auto operand =
        std::ranges::find(layout.matrices, source.stage, [](const PlacedMatrix& each) { return each.matrix.stage; });
    if (operand != layout.matrices.end()) placed = &*operand;
  }
  if (!placed || !placed->matrix.is_present) return std::nullopt;
  const std::vector<Index> shape = stage_shape(config, source.stage);
  const Index heads = placed->matrix.shows_all_heads ? head_count(config) : 1;
  auto rows = static_cast<float>(shape[shape.size() - 2]);
  auto cols = static_cast<float>(shape.back());
  auto row = static_cast<float>(source.row);
  auto col = static_cast<float>(source.col);
  if (placed->matrix.is_transposed) {
    std::swap(rows, cols);
    std::swap(row, col);
  }
  if (heads > 1) col += cols * static_cast<float>(source.head);
  const DiagramBox& cells = placed->cells;
  const float width = cells.width / (cols * static_cast<float>(heads));
  const float height = cells.height / rows;
  return DiagramBox{cells.x + col * width, cells.y + row * height, width, height};
}

// How far to go so that what takes `size` from `begin` on, in a window that shows `room`, is inside.
float shift_into(float begin, float size, float room, float margin) {
  if (begin < margin) return begin - margin;
  return std::max(0.0F, begin + size + margin - room);
}

}  // namespace

void draw_diagram_overview(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin) {
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

void keep_diagram_in_place(const DiagramLayout& before, const DiagramLayout& after, ImVec2 origin, ImVec2 screen) {
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 padding{origin.x + ImGui::GetScrollX() - window.x, origin.y + ImGui::GetScrollY() - window.y};
  const ImVec2 share{(screen.x - origin.x) / before.width, (screen.y - origin.y) / before.height};
  ImGui::SetScrollX(padding.x + share.x * after.width - (screen.x - window.x));
  ImGui::SetScrollY(padding.y + share.y * after.height - (screen.y - window.y));
  // A window scrolls no further than to what was in it in the last frame.
  ImGui::SetCursorScreenPos({origin.x + after.width, origin.y + after.height});
  ImGui::Dummy({0, 0});
}

void follow_pin(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin) {
  const std::optional<Source>& pinned = context.view.pinned;
  const std::string name =
      pinned ? fmt::format("{} {} {} {}", info(pinned->stage).id, pinned->head, pinned->row, pinned->col) : "";
  int& known = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("pin"), 0);
  const auto now = static_cast<int>(ImGui::GetID(name.c_str()));
  const bool is_new = known != 0 && known != now;
  known = now;
  if (!is_new || !pinned) return;
  const std::optional<DiagramBox> box = box_of(context.result()->config, layout, *pinned);
  if (!box) return;
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float margin = pin_margin * unit(context);
  ImGui::SetScrollX(ImGui::GetScrollX() + shift_into(origin.x + box->x - window.x, box->width, size.x, margin));
  ImGui::SetScrollY(ImGui::GetScrollY() + shift_into(origin.y + box->y - window.y, box->height, size.y, margin));
}

}  // namespace attnscope
