#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/source.h"
#include "document/compare.h"
#include "features/shared/panel/calls.h"
#include "ui/view_context.h"

namespace attnscope {

// The context that stages and inspector read in a comparison: A's, B's, or B's with the difference as its pictures.
// `context` must outlive it.
class SideContext {
public:
  SideContext(const ViewContext& context, ComparedSide side);
  operator const ViewContext&() const { return context_; }
  // Both are drawn with one range of colours; `scrolled` is how far both are scrolled, null for each by itself.
  friend void share(SideContext& a, SideContext& b, ImGuiStorage* scrolled);

private:
  std::optional<UiState> own_;  // nothing where the side shows what the frame shows
  ViewContext context_;
};

// Within a window whose scrolling is shared: follows the others, or leads them where it was scrolled itself.
void share_scrolling(ImGuiStorage& shared);

// Draws the stages of the shown side, or A and B beside each other: with one range of colours, scrolled together.
void draw_compared_stages(const ViewContext& context, CallQueue& queue);

// Draws a line above the stages that says which side is shown, and where both differ most.
void draw_comparison_line(const ViewContext& context, CallQueue& queue);

// Draws a number of A, that of B and their difference in the inspector.
void draw_compared_values(const ViewContext& context, const Source& cell);

void draw_compare_menu(const ViewContext& context, CallQueue& queue);

// Returns a sentence that says why a stage cannot be subtracted.
std::string why_not_compared(const ViewContext& context, Stage stage);

// Returns the rows of the table of actions for comparing.
std::span<const Action> compare_actions();

void open_pair(const ViewContext& context, CallQueue& queue, const ReadyPair& pair);

// Returns why the pair cannot be compared; empty if it can.
std::string obstacle_to_pair(const ViewContext& context, const ReadyPair& pair);

}  // namespace attnscope
