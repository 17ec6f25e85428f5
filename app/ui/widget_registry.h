#pragma once

#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "paint/window/text.h"
#include "view/picture.h"

struct ImGuiWindow;

namespace attnscope {

struct WidgetState {
  bool enabled = true;
  std::optional<bool> is_on = {};    // the widget is on or chosen; none: it cannot be
  std::optional<double> value = {};  // the number of a slider that does not write it
  bool opens = false;                // a menu or a list: a click brings its items, "setup/mask/2" of "setup/mask"
};

// The places of this frame's named widgets and matrices, and their texts: tests and scripts find them by
// name, as a person finds them by sight.
struct WidgetRegistry {
  struct Entry : WidgetState {
    std::string name;  // "setup/dropout", "tokens/1/0", "stages/weights"
    ImVec2 min_screen;
    ImVec2 max_screen;
    std::string label = {};                // label of its row
    std::string help = {};                 // its tooltip, or why it is disabled
    ImGuiID id = 0;                        // Dear ImGui's, 0 for text
    const ImGuiWindow* window = nullptr;   // the window that it is in
    ImVec4 clip_screen{0, 0, 1e9f, 1e9f};  // left, top, right, bottom of what shows of that window
  };

  // A heatmap, with the matrix that it shows a part of.
  struct Matrix : picture::Matrix {
    explicit Matrix(const picture::Matrix& shown) : picture::Matrix(shown) {}

    std::string name;  // the name of its widget
    const ImGuiWindow* drawn_in = nullptr;
    std::string title;  // the title of its card
    ImVec2 card_min_screen;
    ImVec2 card_max_screen;
    ImVec2 min_screen;  // corner of the visible cells
    ImVec2 max_screen;
    CellWindow window;                    // the visible cells
    bool has_cells = true;                // false: several cells share a point
    std::vector<std::string> row_labels;  // labels of the visible rows
    std::vector<std::string> column_labels;
    MarkedLines marks;                       // row and column of the hovered or pinned cell
    int rank = 0;                            // importance of its numbers, 1 the weights; 0 outside of the diagram
    float text_size = 0;                     // size of its numbers, in units; 0: none are shown
    std::vector<Index> covered;              // rows of the stage whose numbers are to be predicted
    std::vector<picture::CellPlace> edited;  // cells that the user changed
  };

  // An arrow of the diagram, from stage to stage.
  struct Arrow {
    std::string_view from, to;  // ids of stages; empty for none
    std::vector<ImVec2> points;
    std::string text;  // the sign on it
  };

  void clear() {
    entries.clear();
    matrices.clear();
    arrows.clear();
    canvas_min = canvas_max = {};
    label.clear();
  }
  Entry& add(std::string name, ImVec2 min_screen, ImVec2 max_screen, WidgetState state = {}) {
    entries.push_back({state, std::move(name), min_screen, max_screen});
    entries.back().label.swap(label);
    return entries.back();
  }
  const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  std::vector<Entry> entries;
  std::vector<Matrix> matrices;
  std::vector<Arrow> arrows;
  ImVec2 canvas_min, canvas_max;  // corners of the diagram; empty without one
  std::string label;              // label of the row of the next widget
};

// A line of text, or what shows of it.
struct VisibleText {
  std::string text;
  ImVec2 min_screen;  // around its letters
  ImVec2 max_screen;
  float size = 0;  // the em of its font, in units
  bool is_vertical = false;
  const ImGuiWindow* window = nullptr;  // the window that it is in
};

// Every text that was drawn into a frame, read back from the letters in the draw lists: whatever drew it, none is
// missed. Blanks at the ends are not seen, neither is what a window lies over. What stands in different widgets or
// cells is different texts. Call after ImGui::Render().
std::vector<VisibleText> visible_texts(const Fonts& fonts, const WidgetRegistry& widgets);

// Returns the window that lies over a place of another one; null for none.
const ImGuiWindow* window_over(ImVec2 pos_screen, const ImGuiWindow* window);

}  // namespace attnscope
