#pragma once

#include <string>
#include <vector>

#include "features/session.h"
#include "ui/widget_registry.h"

namespace attnscope {

// Reads the window for those who cannot see it and for tests. Call after ImGui::Render().

// Writes JSON with a widget, a matrix or a text on each line:  {"window": {"title", "size"}, "widgets": [{"name",
// "label", "text", "enabled", "reason", "on", "open", "value", "focused", "covered", "help", "rect"}], "matrices":
// [{"name", "stage", "head", "title", "card", "rect", "cell", "rows", "columns", "first_row", "first_column",
// "row_labels", "column_labels", "text_size", "shown", "values", "marks"}], "inspector": [lines], "messages": [{"text",
// "error"}], "texts": [{"text", "size", "rect"}]}  Rectangles are [left, top, right, bottom] of the visible part, in
// pixels of a picture with the scale 1. Only switches have "on", only menus and lists "open", only disabled widgets
// "reason"; "covered" says that another window lies over the widget. In a matrix "rect" and "cell" (width and height)
// measure its cells, "shown" has the texts in them and "values" their full numbers; both are null if several cells
// share a point. "marks" has the hidden and the dropped cells, the covered ones, whose numbers are null, and the row
// and column of the pinned or pointed-at cell.
std::string read_window(const Session& session, const WidgetRegistry& widgets, const std::vector<VisibleText>& texts);

// Returns the text in a widget, from left to right.
std::string text_in(const WidgetRegistry::Entry& entry, const std::vector<VisibleText>& texts);

// Returns the texts in the cells that show of a matrix, row by row.
std::vector<std::string> cell_texts(const WidgetRegistry::Matrix& matrix, const std::vector<VisibleText>& texts);

// Returns the visible part of a rectangle; (0, 0, 0, 0) for nothing.
ImVec4 visible_part(const WidgetRegistry::Entry& entry);
inline bool is_empty(const ImVec4& rect) { return rect.z <= rect.x || rect.w <= rect.y; }

// Returns the rows and columns of a matrix that are visible at least in part.
CellRect shown_cells(const WidgetRegistry::Matrix& matrix);

}  // namespace attnscope
