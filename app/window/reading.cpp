#include "window/frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/evaluate.h"
#include "core/results.h"
#include "core/visibility.h"
#include "document/json_value.h"
#include "document/spelling.h"
#include "ui/imgui_compat.h"
#include "ui/imgui_input.h"

namespace attnscope {
namespace {

constexpr Index most_values = 1 << 20;  // a matrix with more is written without its values
constexpr float same_line = 0.5f;       // share of a text's height

std::string number(float value) { return fmt::format("{:g}", std::round(value * 100) / 100); }

std::string rect(float left, float top, float right, float bottom) {
  return fmt::format("[{}, {}, {}, {}]", number(left), number(top), number(right), number(bottom));
}
std::string rect(ImVec2 low, ImVec2 high) { return rect(low.x, low.y, high.x, high.y); }

ImVec2 middle_of(const VisibleText& text) {
  return {(text.min_screen.x + text.max_screen.x) / 2, (text.min_screen.y + text.max_screen.y) / 2};
}

bool contains(ImVec2 low, ImVec2 high, ImVec2 pos) {
  return pos.x >= low.x && pos.x < high.x && pos.y >= low.y && pos.y < high.y;
}

// Writes an array with an element a line.
std::string lines(const std::vector<std::string>& elements) {
  return elements.empty() ? "[]" : fmt::format("[\n  {}]", fmt::join(elements, ",\n  "));
}

std::string strings(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(json_string(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

// Writes rows of `cols` elements each.
std::string grid(const std::vector<std::string>& elements, Index cols) {
  std::string text = "[";
  for (std::size_t at = 0; at < elements.size(); ++at) {
    const bool begins = at % static_cast<std::size_t>(cols) == 0;
    text += begins ? (at == 0 ? "[" : "], [") : ", ";
    text += elements[at];
  }
  return text + (elements.empty() ? "]" : "]]");
}

bool has_focus(const WidgetRegistry::Entry& entry) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool is_chosen_by_keys = g.NavId == entry.id && shows_focus();
  return entry.id != 0 && (g.ActiveId == entry.id || is_chosen_by_keys);
}

// Returns whether something lies over the widget, or an open dialog must be answered first.
bool is_covered(const WidgetRegistry::Entry& entry, const ImVec4& shown) {
  ImGuiWindow* const dialog = ImGui::GetTopMostPopupModal();
  if (dialog && !ImGui::IsWindowWithinBeginStackOf(const_cast<ImGuiWindow*>(entry.window), dialog)) return true;
  return window_over({(shown.x + shown.z) / 2, (shown.y + shown.w) / 2}, entry.window) != nullptr;
}

std::string widget(const WidgetRegistry& widgets, const WidgetRegistry::Entry& entry, const ImVec4& shown,
                   const std::vector<VisibleText>& texts) {
  const bool is_matrix =
      std::ranges::find(widgets.matrices, entry.name, &WidgetRegistry::Matrix::name) != widgets.matrices.end();
  std::string text = fmt::format("{{\"name\": {}, ", json_string(entry.name));
  if (!entry.label.empty()) text += fmt::format("\"label\": {}, ", json_string(entry.label));
  text += fmt::format("\"text\": {}, \"enabled\": {}, ", is_matrix ? "\"\"" : json_string(text_in(entry, texts)),
                      entry.enabled);
  if (!entry.enabled) text += fmt::format("\"reason\": {}, ", json_string(entry.help));
  if (entry.is_on) text += fmt::format("\"{}\": {}, ", entry.opens ? "open" : "on", *entry.is_on);
  if (entry.value) text += fmt::format("\"value\": {:g}, ", *entry.value);
  if (has_focus(entry)) text += "\"focused\": true, ";
  if (is_covered(entry, shown)) text += "\"covered\": true, ";
  if (entry.enabled && !entry.help.empty()) text += fmt::format("\"help\": {}, ", json_string(entry.help));
  return text + fmt::format("\"rect\": {}}}", rect(shown.x, shown.y, shown.z, shown.w));
}

std::string value_text(float value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
  std::string text;
  append_float(text, value);
  return text;
}

bool is_covered(const WidgetRegistry::Matrix& matrix, const CellRect& cells, std::size_t at) {
  const Index place = static_cast<Index>(at);
  const Index row = matrix.is_transposed ? cells.col + place % cells.cols : cells.row + place / cells.cols;
  return std::ranges::binary_search(matrix.covered, row);
}

std::string line_number(Index index) { return index < 0 ? "null" : std::to_string(index); }

std::string marks(const WidgetRegistry::Matrix& matrix, const CellRect& cells, bool has_values) {
  std::vector<std::string> hidden;
  std::vector<std::string> dropped;
  std::vector<std::string> covered;
  const Visibility seen = visibility(*matrix.result, matrix.stage);
  const bool drops = has_values && shows_dropped(*matrix.result, matrix.stage);
  const std::vector<float> factors = drops ? read_shown(matrix, Stage::dropout_factors, cells) : std::vector<float>();
  for (Index at = 0; has_values && at < cells.rows * cells.cols; ++at) {
    const Index row = cells.row + at / cells.cols;
    const Index col = cells.col + at % cells.cols;
    const std::string cell = fmt::format("[{}, {}]", row, col);
    if (is_covered(matrix, cells, static_cast<std::size_t>(at))) {
      covered.push_back(cell);
    } else if (seen.hides(row, col)) {
      hidden.push_back(cell);
    } else if (drops && factors[static_cast<std::size_t>(at)] == 0) {
      dropped.push_back(cell);
    }
  }
  std::vector<std::string> edited;
  for (const auto& [row, col] : matrix.edited) edited.push_back(fmt::format("[{}, {}]", row, col));
  return fmt::format(
      "{{\"hidden\": [{}], \"dropped\": [{}], \"covered\": [{}], \"edited\": [{}], \"row\": {}, \"second_row\": {}, "
      "\"column\": {}}}",
      fmt::join(hidden, ", "), fmt::join(dropped, ", "), fmt::join(covered, ", "), fmt::join(edited, ", "),
      line_number(matrix.marks.row), line_number(matrix.marks.second_row), line_number(matrix.marks.col));
}

// The smallest text of a card.
std::string size_of_numbers(const WidgetRegistry::Matrix& matrix, const std::vector<VisibleText>& texts) {
  float smallest = 0;
  for (const VisibleText& text : texts) {
    const bool is_in_card =
        text.window == matrix.drawn_in && contains(matrix.card_min_screen, matrix.card_max_screen, middle_of(text));
    if (!is_in_card) continue;
    smallest = smallest == 0 ? text.size : std::min(smallest, text.size);
  }
  return smallest == 0 ? "null" : number(smallest);
}

std::string shown_numbers(const WidgetRegistry::Matrix& matrix, const CellRect& cells,
                          const std::vector<VisibleText>& texts) {
  std::vector<std::string> elements;
  bool is_any = false;
  for (const std::string& text : cell_texts(matrix, texts)) {
    is_any = is_any || !text.empty();
    elements.push_back(text.empty() ? "null" : json_string(text));
  }
  return is_any ? grid(elements, cells.cols) : "null";
}

std::string matrix(const WidgetRegistry::Matrix& matrix, const std::vector<VisibleText>& texts) {
  const CellRect cells = shown_cells(matrix);
  const bool has_values = matrix.has_cells && cells.rows * cells.cols <= most_values;
  std::vector<std::string> values;
  if (has_values)
    for (const float value : read_shown(matrix, matrix.stage, cells))
      values.push_back(is_covered(matrix, cells, values.size()) ? "null" : value_text(value));
  const float width = (matrix.max_screen.x - matrix.min_screen.x) / static_cast<float>(matrix.window.cols);
  const float height = (matrix.max_screen.y - matrix.min_screen.y) / static_cast<float>(matrix.window.rows);
  const bool is_of_head = is_per_head(matrix.result->config, matrix.stage);
  std::string text =
      fmt::format("{{\"name\": {}, \"stage\": \"{}\", \"head\": {}, \"transposed\": {}, \"title\": {}, ",
                  json_string(matrix.name), info(matrix.stage).id, is_of_head ? std::to_string(matrix.head) : "null",
                  matrix.is_transposed, json_string(matrix.title));
  text += fmt::format("\"card\": {}, \"rect\": {}, \"cell\": [{}, {}], ",
                      rect(matrix.card_min_screen, matrix.card_max_screen), rect(matrix.min_screen, matrix.max_screen),
                      number(width), number(height));
  text += fmt::format("\"rows\": {}, \"columns\": {}, \"first_row\": {}, \"first_column\": {}, ", matrix.rows,
                      matrix.cols, cells.row, cells.col);
  text += fmt::format("\"row_labels\": {}, \"column_labels\": {}, \"text_size\": {}, ", strings(matrix.row_labels),
                      strings(matrix.column_labels), size_of_numbers(matrix, texts));
  text += fmt::format("\"rank\": {}, ", matrix.rank == 0 ? "null" : std::to_string(matrix.rank));
  return text + fmt::format("\"shown\": {}, \"values\": {}, \"marks\": {}}}",
                            has_values ? shown_numbers(matrix, cells, texts) : "null",
                            has_values ? grid(values, cells.cols) : "null", marks(matrix, cells, has_values));
}

std::string arrow(const WidgetRegistry::Arrow& arrow) {
  std::vector<std::string> points;
  for (const ImVec2 point : arrow.points) points.push_back(fmt::format("[{}, {}]", number(point.x), number(point.y)));
  const auto stage = [](std::string_view id) { return id.empty() ? "null" : fmt::format("\"{}\"", id); };
  return fmt::format("{{\"from\": {}, \"to\": {}, \"points\": [{}], \"text\": {}}}", stage(arrow.from), stage(arrow.to),
                     fmt::join(points, ", "), json_string(arrow.text));
}

// Returns the lines of text in a panel.
std::vector<std::string> panel_lines(const WidgetRegistry::Entry* panel, const std::vector<VisibleText>& texts) {
  std::vector<std::string> all;
  const VisibleText* last = nullptr;
  for (const VisibleText& text : texts) {
    const bool is_in_panel = panel && text.window && contains(panel->min_screen, panel->max_screen, middle_of(text)) &&
                             text.window->RootWindow == panel->window->RootWindow;
    if (!is_in_panel) continue;
    const float height = text.max_screen.y - text.min_screen.y;
    if (last && std::abs(middle_of(text).y - middle_of(*last).y) < same_line * height) {
      all.back() += " " + text.text;
    } else {
      all.push_back(text.text);
    }
    last = &text;
  }
  return all;
}

}  // namespace

ImVec4 visible_part(const WidgetRegistry::Entry& entry) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec4& clip = entry.clip_screen;
  const ImVec4 part{std::max({entry.min_screen.x, clip.x, 0.0f}), std::max({entry.min_screen.y, clip.y, 0.0f}),
                    std::min({entry.max_screen.x, clip.z, display.x}),
                    std::min({entry.max_screen.y, clip.w, display.y})};
  return part.z > part.x && part.w > part.y ? part : ImVec4{};
}

std::string text_in(const WidgetRegistry::Entry& entry, const std::vector<VisibleText>& texts) {
  std::string all;
  for (const VisibleText& text : texts) {
    if (text.window != entry.window || !contains(entry.min_screen, entry.max_screen, middle_of(text))) continue;
    all += (all.empty() ? "" : " ") + text.text;
  }
  return all;
}

CellRect shown_cells(const WidgetRegistry::Matrix& matrix) {
  return {static_cast<Index>(matrix.window.row), static_cast<Index>(matrix.window.col), std::ssize(matrix.row_labels),
          std::ssize(matrix.column_labels)};
}

std::vector<std::string> cell_texts(const WidgetRegistry::Matrix& matrix, const std::vector<VisibleText>& texts) {
  const CellRect cells = shown_cells(matrix);
  std::vector<std::string> all(static_cast<std::size_t>(cells.rows * cells.cols));
  const ImVec2 size{matrix.max_screen.x - matrix.min_screen.x, matrix.max_screen.y - matrix.min_screen.y};
  for (const VisibleText& text : texts) {
    const ImVec2 middle = middle_of(text);
    if (text.window != matrix.drawn_in || !contains(matrix.min_screen, matrix.max_screen, middle)) continue;
    const double row = matrix.window.row + (middle.y - matrix.min_screen.y) / size.y * matrix.window.rows;
    const double col = matrix.window.col + (middle.x - matrix.min_screen.x) / size.x * matrix.window.cols;
    const Index at = (static_cast<Index>(row) - cells.row) * cells.cols + static_cast<Index>(col) - cells.col;
    if (at >= 0 && at < std::ssize(all)) all[static_cast<std::size_t>(at)] += text.text;
  }
  return all;
}

std::string read_window(const Session& session, const WidgetRegistry& widgets, const std::vector<VisibleText>& texts) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  std::vector<std::string> entries;
  for (const WidgetRegistry::Entry& entry : widgets.entries) {
    const ImVec4 shown = visible_part(entry);
    if (shown.z > shown.x) entries.push_back(widget(widgets, entry, shown, texts));
  }
  std::vector<std::string> matrices;
  for (const WidgetRegistry::Matrix& shown : widgets.matrices) {
    const ImVec4 part = visible_part(*widgets.find(shown.name));
    if (part.z > part.x) matrices.push_back(matrix(shown, texts));
  }
  std::vector<std::string> arrows;
  for (const WidgetRegistry::Arrow& each : widgets.arrows) arrows.push_back(arrow(each));
  const bool has_canvas = widgets.canvas_max.x > widgets.canvas_min.x;
  const std::string canvas = has_canvas ? rect(widgets.canvas_min, widgets.canvas_max) : "null";
  std::vector<std::string> messages;
  for (const Message& message : session.shown().messages)
    messages.push_back(fmt::format("{{\"text\": {}, \"error\": {}}}", json_string(message.text), message.is_error));
  std::vector<std::string> all_texts;
  for (const VisibleText& text : texts)
    all_texts.push_back(fmt::format("{{\"text\": {}, \"size\": {}, \"rect\": {}{}}}", json_string(text.text),
                                    number(text.size), rect(text.min_screen, text.max_screen),
                                    text.is_vertical ? ", \"vertical\": true" : ""));
  std::vector<std::string> inspector;
  for (const std::string& line : panel_lines(widgets.find("inspector"), texts)) inspector.push_back(json_string(line));
  return fmt::format(
      "{{\"window\": {{\"title\": {}, \"size\": [{}, {}]}},\n\"widgets\": {},\n\"canvas\": {},\n\"matrices\": "
      "{},\n\"arrows\": {},\n\"inspector\": {},\n"
      "\"messages\": {},\n\"texts\": {}}}\n",
      json_string(session.window_title()), number(size.x), number(size.y), lines(entries), canvas, lines(matrices),
      lines(arrows), lines(inspector), lines(messages), lines(all_texts));
}

}  // namespace attnscope
