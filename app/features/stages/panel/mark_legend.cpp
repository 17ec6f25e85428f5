#include "features/stages/panel/mark_legend.h"

#include <vector>

#include "core/difference.h"
#include "features/stages/panel/heatmap.h"
#include "features/stages/panel/stage_sheet.h"
#include "ui/widgets.h"
#include "view/cells.h"

namespace attnscope {
namespace {

constexpr Index most_looked_at = 1024;
constexpr double legend_em = 12.5 / 0.9;  // names are as large as small text

bool shows_hidden(const StageView& view, const CellRect& rect) {
  const Visibility seen = visibility(*view.result, view.stage);
  bool is_any_hidden = false;
  for (Index row = rect.row; row < rect.row + rect.rows && !is_any_hidden; ++row)
    for_each_hidden(seen, row, rect.col, rect.col + rect.cols, [&](const KeyRange&) { is_any_hidden = true; });
  return is_any_hidden;
}

// Writes the legend in small text, from the beginning of a line on; returns its width.
float put_marks(const ViewContext& context, picture::Picture& picture) {
  if (!context.marks) return 0;
  const picture::TextMeasure measure = measure_in(context.fonts, unit(context));
  const scene::SheetPen pen = screen_pen(context, picture, measure, legend_em);
  const double width = scene::legend_width(pen, *context.marks);
  const double line = static_cast<double>(font_height(context.fonts.small_text) / unit(context));
  scene::put_legend(pen, *context.marks, context.theme.inks.dim_text, 0, width, (line - 1.15 * legend_em) / 2);
  return static_cast<float>(width) * unit(context);
}

}  // namespace

void note_marks(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  if (!context.marks) return;
  std::set<CellMark>& marks = *context.marks;
  const CellRect rect = grid.shown();  // what is masked or dropped is never shown transposed
  if (shows_hidden(view, rect)) marks.insert(CellMark::masked);
  const Visibility seen = visibility(*view.result, view.stage);
  const bool is_read = rect.rows * rect.cols <= most_looked_at;
  if (shows_dropped(*view.result, view.stage)) {
    const std::vector<float> factors = is_read ? read_shown(view, Stage::dropout_factors, rect) : std::vector<float>{0};
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const bool is_hidden = is_read && seen.hides(rect.row + at / rect.cols, rect.col + at % rect.cols);
      if (factors[i] == 0 && !is_hidden) marks.insert(CellMark::dropped);
    }
  }
  if (!is_read) return;
  for (const float value : read_shown(view, view.stage, rect)) {
    if (const std::optional<CellMark> mark = mark_of(value, false)) marks.insert(*mark);
  }
}

float mark_legend_width(const ViewContext& context) {
  picture::Picture unused;
  return put_marks(context, unused);
}

void draw_mark_legend(const ViewContext& context, ImVec2 pos_screen) {
  picture::Picture picture;
  put_marks(context, picture);
  paint_picture(context, picture, {pos_screen, unit(context)});
}

}  // namespace attnscope
