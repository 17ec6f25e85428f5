#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "views/diagram_parts.h"
#include "views/imgui_compat.h"
#include "views/imgui_keys.h"
#include "views/keyboard.h"
#include "views/presenting.h"
#include "views/stage_view.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float overview_width = 150;
constexpr float widest_share = 1.0F / 3;
constexpr float little = 0.08F;        // of the window: where no more is out of sight, no overview is in the way
constexpr float outline_share = 0.3F;  // of what an outline counts for among what is covered
constexpr float title_lines = 30;      // width of a band's title with its line, in its heights
constexpr float key_pan = 0.2F;        // of the window, for an arrow key
constexpr float pin_margin = 24;       // between a pinned cell and the window's edge

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

// How much of what there is to see lies there: of matrices with their headers, and above all of the explained cell.
float covered(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin, ImVec2 low, ImVec2 size) {
  const auto shared = [&](const DiagramBox& box) {
    const float left = std::max(low.x, origin.x + box.x);
    const float top = std::max(low.y, origin.y + box.y);
    const float right = std::min(low.x + size.x, origin.x + box.right());
    const float bottom = std::min(low.y + size.y, origin.y + box.bottom());
    return std::max(0.0F, right - left) * std::max(0.0F, bottom - top);
  };
  float area = 0;
  for (const PlacedMatrix& placed : layout.matrices) {
    const bool is_outline = !placed.matrix.is_present;
    if (is_outline && (!context.view.show_absent || placed.matrix.absence.empty())) continue;
    const float top = is_outline ? placed.slot.y : std::min(placed.header.y, placed.cells.y);
    const float width = std::max(placed.header.width, placed.slot.width);
    area += (is_outline ? outline_share : 1) * shared({placed.slot.x, top, width, placed.slot.bottom() - top});
  }
  const float title = font_height(context.fonts.heading);
  for (const PlacedBand& band : layout.bands) area += shared({0, band.y, title_lines * title, title});
  const std::optional<Source>& cell = shown_cell(context);
  const std::optional<DiagramBox> box = cell ? box_of(context.result()->config, layout, *cell) : std::nullopt;
  return area + (box && shared(*box) > 0 ? size.x * size.y : 0);
}

// The corner where the overview covers least of the diagram, the lower right one of equals. While it is dragged it
// stays where it is.
ImVec2 overview_corner(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin, ImVec2 size) {
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 room = ImGui::GetWindowSize();
  const float gap = 8 * unit(context);
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const ImVec2 high{window.x + room.x - bar - gap - size.x, window.y + room.y - bar - gap - size.y};
  const std::array corners = {high, ImVec2{window.x + gap, high.y}, ImVec2{high.x, window.y + gap},
                              ImVec2{window.x + gap, window.y + gap}};
  int& last = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("overview corner"), 0);
  if (ImGui::GetActiveID() == ImGui::GetID("overview")) return corners.at(static_cast<std::size_t>(last));
  float least = std::numeric_limits<float>::max();
  for (std::size_t corner = 0; corner < corners.size(); ++corner) {
    const float cost = covered(context, layout, origin, corners.at(corner), size);
    if (cost >= least) continue;
    least = cost;
    last = static_cast<int>(corner);
  }
  return corners.at(static_cast<std::size_t>(last));
}

// Whether something is not what it was when it was last looked at, in this window.
bool is_new(const char* what, std::string_view name) {
  int& known = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID(what), 0);
  const auto now = static_cast<int>(ImGui::GetID(name.data(), name.data() + name.size()));
  const bool is_changed = known != 0 && known != now;
  known = now;
  return is_changed;
}

DiagramBox around(const DiagramBox& a, const DiagramBox& b) {
  const float x = std::min(a.x, b.x);
  const float y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

void scroll_into_sight(const ViewContext& context, const DiagramBox& box, ImVec2 origin) {
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float margin = pin_margin * unit(context);
  ImGui::SetScrollX(ImGui::GetScrollX() + shift_into(origin.x + box.x - window.x, box.width, size.x, margin));
  ImGui::SetScrollY(ImGui::GetScrollY() + shift_into(origin.y + box.y - window.y, box.height, size.y, margin));
}

}  // namespace

void draw_diagram_overview(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin) {
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  if (ImGui::GetScrollMaxX() <= little * size.x && ImGui::GetScrollMaxY() <= little * size.y) return;
  const float share = overview_width * unit(context) / layout.width;
  const ImVec2 own{share * layout.width, share * layout.height};
  if (own.x > widest_share * size.x) return;
  const ImVec2 low = overview_corner(context, layout, origin, own);
  const ImVec2 high{low.x + own.x, low.y + own.y};
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
  ImGui::InvisibleButton("overview", own);
  register_item(context, "diagram/overview");
  if (!ImGui::IsItemActive()) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  ImGui::SetScrollX((pointer.x - low.x) / share - size.x / 2);
  ImGui::SetScrollY((pointer.y - low.y) / share - size.y / 2);
}

void pan_diagram_by_keys(const ViewContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool is_meant = io.KeyShift || !context.view.pinned;
  if (!is_meant || io.KeyAlt || io.KeyCtrl || io.WantTextInput || !stages_have_keys(context)) return;
  const ImVec2 size = ImGui::GetWindowSize();
  const auto pressed = [](ImGuiKey key) { return is_key_pressed(keys::named(key), true) ? 1.0F : 0.0F; };
  const float right = pressed(ImGuiKey_RightArrow) - pressed(ImGuiKey_LeftArrow);
  const float down = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow);
  if (right != 0) ImGui::SetScrollX(ImGui::GetScrollX() + key_pan * right * size.x);
  if (down != 0) ImGui::SetScrollY(ImGui::GetScrollY() + key_pan * down * size.y);
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
  if (!is_new("pin", name) || !pinned) return;
  if (const std::optional<DiagramBox> box = box_of(context.result()->config, layout, *pinned))
    scroll_into_sight(context, *box, origin);
}

void follow_presented_stage(const ViewContext& context, const DiagramLayout& layout, ImVec2 origin) {
  const std::optional<Stage> stage = presented_stage(context);
  if (!is_new("step", stage ? info(*stage).id : "") || !stage) return;
  std::optional<DiagramBox> all;
  for (const PlacedMatrix& placed : layout.matrices) {
    if (placed.matrix.result != *stage) continue;
    const DiagramBox& cells = placed.cells;
    const DiagramBox box{cells.x, placed.header.y, cells.width, cells.bottom() - placed.header.y};
    all = all ? around(*all, box) : box;
  }
  if (all) scroll_into_sight(context, *all, origin);
}

}  // namespace attnscope
