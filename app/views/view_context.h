#pragma once

#include <imgui.h>

#include <set>

#include "compute/tile_store.h"
#include "look/cell_mark.h"
#include "paint_window/fonts.h"
#include "paint_window/heatmap_quad.h"
#include "state/command.h"
#include "state/moment.h"
#include "views/theme.h"
#include "views/widget_registry.h"

namespace attnscope {

class DiagramLayouts;
struct ReachOutlines;

// The tools that draw a frame.
struct FrameTools {
  Fonts fonts;
  Theme theme;
  TileStore* tiles = nullptr;       // makes estimates exact
  HeatmapSink* heatmaps = nullptr;  // null: no pictures (tests without graphics)
  WidgetRegistry* widgets = nullptr;
  DiagramLayouts* layouts = nullptr;  // kept from frame to frame; null: computed in each
};

// Everything that panels read. It changes only where commands are applied, which is never within a panel.
struct ViewContext : Moment, FrameTools {
  std::size_t widest_label = 0;          // index in `labels`
  std::set<CellMark>* marks = nullptr;   // of the matrices that this frame has drawn so far, for the legend
  const Computed* pictured = nullptr;    // a difference: drawn in the place of what is explained; null for none
  const Evaluation* beside = nullptr;    // of the other document, that colours are shared with; null for none
  bool is_kept = false;                  // A of a comparison, which is looked at and not edited
  ImGuiStorage* scrolled = nullptr;      // how far both are scrolled, then
  const ReachOutlines* reach = nullptr;  // around the pinned number's, where a layout shows them
};

}  // namespace attnscope
