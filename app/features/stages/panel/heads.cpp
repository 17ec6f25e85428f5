#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_sheet.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr double least_matrix = 60;  // units along a side: where there is no room for that, the page is scrolled
constexpr Index most_columns = 16;

struct HeadGrid {
  Index columns = 1;
  scene::CellSize cell;
  bool is_scrolled = false;  // there are too many heads for the page
};

// Chooses the columns that give the largest cells, of those the most nearly square.
HeadGrid choose_grid(const StageSheet& sheet, const StageView& like, Index heads, double top) {
  HeadGrid best;
  double most = -1;
  for (Index columns = 1; columns <= std::min(heads, most_columns); ++columns) {
    const Index lines = (heads + columns - 1) / columns;
    if (columns > 1 && lines == (heads + columns - 2) / (columns - 1)) continue;  // a column less does as well
    const scene::CellSize cell = sheet.fit(columns, lines, top);
    const double low = std::min(cell.width, cell.height);
    const double high = std::max(cell.width, cell.height);
    const double worth = low <= 0 ? 0 : std::sqrt(low * high) * (0.7 + 0.3 * low / high);
    if (worth <= most) continue;
    most = worth;
    best = {columns, cell};
  }
  const scene::CellSize least{least_matrix / static_cast<double>(like.cols),
                              least_matrix / static_cast<double>(like.rows)};
  if (best.cell.width >= least.width && best.cell.height >= least.height) return best;
  best = {1, least, true};
  while (best.columns < std::min(heads, most_columns) && sheet.fit(best.columns + 1, 1, top).width >= least.width)
    ++best.columns;
  return best;
}

}  // namespace

void draw_heads(const ViewContext& context, CallQueue& queue) {
  const bool is_of_heads = context.now.result() && is_per_head(context.now.result()->config, context.now.view.stage);
  const Index heads = is_of_heads ? head_count(context.now.result()->config) : 1;
  std::vector<std::optional<StageView>> views;
  for (Index head = 0; head < heads; ++head) views.push_back(stage_view(context, context.now.view.stage, head));
  const auto first = std::ranges::find_if(views, [](const auto& view) { return view.has_value(); });
  if (first == views.end()) {
    dim_text(context, why_missing(context, context.now.view.stage));
    return;
  }
  const StageView like = **first;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const SheetRoom room = sheet_room(context, corner, ImGui::GetContentRegionAvail());
  const double em = text_size_in(room);
  StageSheet sheet(context, std::move(views), SheetUse::heads, room, em);
  const double top = 2.1 * em;  // below the sheet's title
  HeadGrid grid = choose_grid(sheet, like, heads, top);
  if (grid.is_scrolled) {
    sheet.leave_sums_out();
    grid = choose_grid(sheet, like, heads, top);
  }
  sheet.place(grid.columns, top, grid.cell);
  const std::string pooling =
      sheet.sheet().matrices.empty() ? "" : pooling_text(context, sheet.grid_of(static_cast<std::size_t>(like.head)));
  draw_sheet_header(context, queue, like, room, em, false, pooling);
  sheet.draw(queue);
  const Box& box = sheet.sheet().box;
  ImGui::SetCursorScreenPos(sheet.at(std::max(box.right(), 0.0) - 1, box.bottom()));
  ImGui::Dummy({1, 0});
}

}  // namespace attnscope
