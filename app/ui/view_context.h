#pragma once

#include <imgui.h>

#include <set>
#include <string>

#include "compute/head_cache.h"
#include "paint/window/heatmap_renderer.h"
#include "paint/window/text.h"
#include "session/call_queue.h"
#include "session/ui_state.h"
#include "ui/theme.h"
#include "ui/widget_registry.h"
#include "view/cells.h"

namespace attnscope {

class DiagramLayouts;
struct ReachOutlines;

// The widest label of the tokens, kept from frame to frame: there may be many.
class WidestLabel {
public:
  // Measures again where the tokens are others, or the font has come to have the letters of the widest.
  const std::string& of(const UiState& now, const ImFont* font);

private:
  TokenNames measured_;
  std::string label_;
  float width_ = 0;
};
std::string widest_of(const std::vector<std::string>& labels, const ImFont* font);

// The tools that draw a frame.
struct FrameTools {
  Fonts fonts;
  Theme theme;
  HeadCache* head_cache = nullptr;  // makes estimates exact
  HeatmapSink* heatmaps = nullptr;  // null: no pictures (tests without graphics)
  WidgetRegistry* widgets = nullptr;
  DiagramLayouts* layouts = nullptr;  // kept from frame to frame; null: computed in each
  WidestLabel* widest = nullptr;      // likewise
};

// How one document of the frame is drawn.
struct Drawing : FrameTools {
  std::string widest_label = {};         // of the moment's tokens
  std::set<CellMark>* marks = nullptr;   // of the matrices that this frame has drawn so far, for the legend
  const Computed* pictured = nullptr;    // a difference: drawn in the place of what is explained; null for none
  const Evaluation* beside = nullptr;    // of the other document, that colours are shared with; null for none
  bool is_kept = false;                  // A of a comparison, which is looked at and not edited
  ImGuiStorage* scrolled = nullptr;      // how far both are scrolled, then
  const ReachOutlines* reach = nullptr;  // around the pinned number's, where a layout shows them
};

// Everything that panels read: the moment that the frame shows, and how it is drawn. The moment changes only where
// calls are run, which is never within a panel.
struct ViewContext : Drawing {
  ViewContext(const UiState& shown, const Drawing& drawing) : Drawing(drawing), now(shown) {}
  ViewContext(const ViewContext&) = delete;

  const UiState& now;
};

}  // namespace attnscope
