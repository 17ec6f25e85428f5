#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/source.h"
#include "document/compare.h"
#include "features/shared/panel/menu.h"
#include "ui/view_context.h"

namespace attnscope {

// The context that stages and inspector read where the document is compared with another one: that of A, of B, or of B
// with the difference for its pictures. `context` must outlive it.
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

// The stages of the side that is shown, or A and B beside each other: with one range of colours, scrolled together.
void draw_compared_stages(const ViewContext& context, CallQueue& queue);

// A line above the stages: which side is shown, and where both differ most.
void draw_comparison_line(const ViewContext& context, CallQueue& queue);

// In the inspector: a number of A, of B and what is between them.
void draw_compared_values(const ViewContext& context, const Source& cell);

void draw_compare_menu(const ViewContext& context, CallQueue& queue);

// Why a stage of both cannot be subtracted: a sentence.
std::string why_not_compared(const ViewContext& context, Stage stage);

// The part of the table of actions that is of comparing.
std::span<const Action> compare_actions();

void open_pair(const ViewContext& context, CallQueue& queue, const ReadyPair& pair);

// Why that cannot be done; empty where it can.
std::string obstacle_to_pair(const ViewContext& context, const ReadyPair& pair);

}  // namespace attnscope
