#pragma once

#include <string>
#include <string_view>

#include "features/session.h"
#include "ui/visible_text.h"

namespace attnscope {

// Reads the window for those who cannot see it and for tests. Call after ImGui::Render().

// Writes JSON with a widget, a matrix or a text on each line:
//
//   {"window": {"title", "size"},
//    "widgets": [{"name", "label", "text", "enabled", "reason", "on", "open", "value", "focused", "covered", "help",
//    "rect"}], "matrices": [{"name", "stage", "head", "title", "card", "rect", "cell", "rows", "columns", "first_row",
//                  "first_column", "row_labels", "column_labels", "text_size", "shown", "values", "marks"}],
//    "inspector": [lines], "messages": [{"text", "error"}],
//    "texts": [{"text", "size", "rect"}]}
//
// Rectangles are [left, top, right, bottom] in pixels of a window whose pictures have the scale 1, of what shows. "on"
// is there for what is on or off, "open" for menus and lists, "reason" for what is disabled, "covered" behind another
// window. Of a matrix "rect"
// and "cell" (width and height) are those of its cells, "shown" what stands in them, "values" their numbers in full;
// both are null where several cells share a point. "marks" has the hidden and the dropped cells, those that are
// covered, whose numbers are null, and the row and column of the one that is pinned or pointed at.
std::string read_window(const Session& session, const WidgetRegistry& widgets, const std::vector<VisibleText>& texts);

// Returns the text in a widget, from left to right.
std::string text_in(const WidgetRegistry::Entry& entry, const std::vector<VisibleText>& texts);

// Returns the texts in the cells that show of a matrix, row by row.
std::vector<std::string> cell_texts(const WidgetRegistry::Matrix& matrix, const std::vector<VisibleText>& texts);

// The part of a rectangle that shows, (0, 0, 0, 0) for nothing.
ImVec4 visible_part(const WidgetRegistry::Entry& entry);
inline bool is_empty(const ImVec4& rect) { return rect.z <= rect.x || rect.w <= rect.y; }

// Rows and columns that show of a matrix, if only in part.
CellRect shown_cells(const WidgetRegistry::Matrix& matrix);

}  // namespace attnscope
