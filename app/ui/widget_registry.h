#pragma once

#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "view/matrix.h"

struct ImGuiWindow;

namespace attnscope {

struct WidgetState {
  bool enabled = true;
  std::optional<bool> is_on = {};    // of what is on or off, chosen or not
  std::optional<double> value = {};  // of a slider that does not write it
  bool opens = false;                // a menu or a list: a click brings its items, "setup/mask/2" of "setup/mask"
};

// The places of this frame's named widgets and matrices, and their texts: tests and scripts find them by
// name, as a person finds them by sight.
struct WidgetRegistry {
  struct Entry : WidgetState {
    std::string name;  // "setup/dropout", "tokens/1/0", "stages/weights"
    ImVec2 min_screen;
    ImVec2 max_screen;
    std::string label = {};                // of its row
    std::string help = {};                 // its tooltip; of a disabled one the reason
    ImGuiID id = 0;                        // Dear ImGui's, 0 for text
    const ImGuiWindow* window = nullptr;   // that it is in
    ImVec4 clip_screen{0, 0, 1e9f, 1e9f};  // left, top, right, bottom of what shows of that window
  };

  // A heatmap, with the matrix that it shows a part of.
  struct Matrix : picture::Matrix {
    explicit Matrix(const picture::Matrix& shown) : picture::Matrix(shown) {}

    std::string name;  // of its widget
    const ImGuiWindow* drawn_in = nullptr;
    std::string title;  // of its card
    ImVec2 card_min_screen;
    ImVec2 card_max_screen;
    ImVec2 min_screen;  // of the cells that show
    ImVec2 max_screen;
    CellWindow window;                    // these
    bool has_cells = true;                // not so small that several share a point
    std::vector<std::string> row_labels;  // of what shows
    std::vector<std::string> column_labels;
    MarkedLines marks;                       // of the cell that is hovered or pinned
    int rank = 0;                            // importance of its numbers, 1 the weights; 0 outside of the diagram
    float text_size = 0;                     // of its numbers, in units; 0: none are shown
    std::vector<Index> covered;              // rows of the stage whose numbers are to be predicted
    std::vector<picture::CellPlace> edited;  // that a person changed
  };

  // An arrow of the diagram, from stage to stage.
  struct Arrow {
    std::string_view from, to;  // ids of stages; empty for none
    std::vector<ImVec2> points;
    std::string text;  // its sign
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
  ImVec2 canvas_min, canvas_max;  // of the diagram; empty where there is none
  std::string label;              // of the row that the next widget stands in
};

}  // namespace attnscope
