#include <cmath>

#include "paint_file/figure_page.h"

namespace attnscope {
namespace {

constexpr double share_in_diagram = 0.5;  // of the page's text, as the letters of a diagram

bool shows(const FigurePanel& panel, CellMark mark) {
  const auto any = [](const std::vector<float>& cells, auto is_such) {
    for (const float cell : cells) {
      if (is_such(cell)) return true;
    }
    return false;
  };
  switch (mark) {
    case CellMark::masked:
      return panel.source.seen.hides_any(panel.rows);
    case CellMark::dropped:
      return panel.has_cells() ? any(panel.drops, [](float drop) { return drop > 0; }) : panel.source.has_factors();
    case CellMark::not_a_number:
      return any(panel.values, [](float value) { return std::isnan(value); });
    case CellMark::infinite:
      return any(panel.values, [](float value) { return std::isinf(value) && value > 0; });
    case CellMark::edited:
      return false;  // figures show what is, not how it came to be
  }
  return false;
}

std::vector<CellMarkName> entries_of(const FigureContent& content) {
  std::vector<CellMarkName> entries;
  for (const CellMarkName& entry : cell_marks) {
    bool is_shown = content.series_marks.contains(entry.mark);
    for (const auto& line : content.lines) {
      for (const FigurePanel& panel : line) is_shown = is_shown || shows(panel, entry.mark);
    }
    if (is_shown) entries.push_back(entry);
  }
  return entries;
}

}  // namespace

std::set<CellMark> marks_of(const FigureContent& content) {
  std::set<CellMark> marks;
  for (const CellMarkName& entry : entries_of(content)) marks.insert(entry.mark);
  return marks;
}

void put_legend(Page& page, double& top) {
  const std::vector<CellMarkName> entries = entries_of(page.content);
  if (entries.empty()) return;
  const double ems = page.content.diagram ? share_in_diagram : 1;
  const double em = ems * page.em;
  const TextStyle style = page.style(0.9 * ems);
  const double side = 1.15 * em;
  const double gap = 0.45 * em;
  const double between = 1.6 * em;
  double width = -between;
  for (const CellMarkName& entry : entries) width += side + gap + page.shaper.width(entry.text, style) + between;
  double x = (page.layout.width - width) / 2;
  for (const CellMarkName& entry : entries) {
    const double entry_width = side + gap + page.shaper.width(entry.text, style);
    if (x < page.margin || x + entry_width > page.layout.width - page.margin) {  // a narrow page: below each other
      x = page.margin;
      if (&entry != &entries.front()) top += 1.5 * em;
    }
    page.layout.marks.push_back({entry.mark, {x, top, side, side}});
    page.put(entry.text, style, page.inks.text, x + side + gap, top + (side - line_height * style.size) / 2,
             Align::left);
    x += entry_width + between;
  }
  top += side + 0.4 * em;
}

}  // namespace attnscope
