#pragma once

#include <imgui.h>

#include <set>
#include <string>

#include "compute/head_cache.h"
#include "paint/window/heatmap_renderer.h"
#include "paint/window/text.h"
#include "session/call_queue.h"
#include "session/ui_state.h"
#include "ui/widget_registry.h"
#include "view/cells.h"
#include "view/colours.h"

namespace attnscope {

// A theme as panels use it. Light by default, because slides are light.
struct Theme : ThemeColours {
  float unit = 1;  // one unit of the interface's scale, in Dear ImGui's units
};

// The theme, and Dear ImGui's style set to it at `interface_scale`.
Theme apply_theme(ThemeId id, float interface_scale);

constexpr float disabled_alpha = 0.5f;  // of controls that do not apply

ImVec4 to_vec4(Rgb colour);
ImU32 to_u32(Rgb colour, float alpha = 1);

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
  HeadCache* head_cache = nullptr;  // makes pictures of matrices, and summaries
  HeatmapSink* heatmaps = nullptr;  // null: no pictures (tests without graphics)
  WidgetRegistry* widgets = nullptr;
  DiagramLayouts* layouts = nullptr;  // kept from frame to frame; null: computed in each
  WidestLabel* widest = nullptr;      // likewise
};

// How one document of the frame is drawn.
struct Drawing : FrameTools {
  std::string widest_label = {};         // the widest label of the tokens
  std::set<CellMark>* marks = nullptr;   // marks that this frame has drawn so far, for the legend
  const Computed* pictured = nullptr;    // a difference, drawn instead of the explained numbers; null for none
  const Evaluation* beside = nullptr;    // the other document's, which shares the colours; null for none
  bool is_kept = false;                  // side A of a comparison, which cannot be edited
  ImGuiStorage* scrolled = nullptr;      // how far both sides of a comparison are scrolled
  const ReachOutlines* reach = nullptr;  // frames of the pinned number, in modes that show them
};

// Everything that panels read: the moment that the frame shows, and how it is drawn. The moment changes only where
// calls are run, which is never within a panel.
struct ViewContext : Drawing {
  ViewContext(const UiState& shown, const Drawing& drawing) : Drawing(drawing), now(shown) {}
  ViewContext(const ViewContext&) = delete;

  const UiState& now;
};

}  // namespace attnscope
