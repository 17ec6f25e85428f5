#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/source.h"
#include "features/stages/panel/stage_view.h"
#include "paint/window/paint_picture.h"
#include "session/ui_state.h"
#include "ui/view_context.h"
#include "view/diagram.h"

namespace attnscope {

// The places of the diagram that is shown, kept from frame to frame: they are computed anew when the document, the
// canvas or the fonts changed. Where motion is wanted, what moves to another place takes a fifth of a second.
class DiagramLayouts {
public:
  explicit DiagramLayouts(bool has_motion = false) : has_motion_(has_motion) {}
  bool is_moving() const;  // the next frame will look different

  // Returns the layout of a document; null if the canvas is too small for any.
  const scene::DiagramLayout* of(const ViewContext& context, const scene::DiagramCanvas& canvas, float scale);
  // Returns the layout with A above B.
  const scene::DiagramLayout* of_both(const ViewContext& a, const ViewContext& b, const scene::DiagramCanvas& canvas,
                                      float scale);
  // Returns the layout that was asked for last; null if there was none.
  const scene::DiagramLayout* last() const { return layout_ ? &*layout_ : nullptr; }
  PicturePlace place;     // where it was drawn
  bool was_seen = false;  // the last picture of the stages was a diagram, so that a film begins in it

  // Returns the part of the diagram to show on the way to `wanted`. It is there at once if it does not move, or if the
  // diagram was not seen in the frame before.
  Box part_towards(const Box& wanted, bool moves);

private:
  const scene::DiagramLayout* current();
  void move_from(std::optional<scene::DiagramLayout> before);

  struct Key {
    std::shared_ptr<const Result> result;
    std::shared_ptr<const Result> second;
    std::vector<std::string> keys, queries;
    Index head = 0;
    int decimals = 2;
    StageSet left_out;
    scene::DiagramCanvas canvas;
    float scale = 1;
    const ImFont* font = nullptr;

    bool operator==(const Key&) const = default;
  };
  std::optional<Key> key_;
  scene::DiagramShape shape_;
  scene::DiagramShape second_shape_;  // of B
  std::optional<scene::DiagramLayout> layout_;
  bool has_motion_ = false;
  std::optional<scene::DiagramLayout> before_;  // while it moves
  std::optional<scene::DiagramLayout> moving_;
  double began_ = 0;  // seconds

  // The part that is shown, and the way there.
  Box part_from_, part_, part_to_;
  double part_began_ = 0;  // seconds
  int part_seen_ = -1;     // the number of the frame
};

// The outlines of what a number follows from, and of what follows from it.
struct ReachOutlines {
  std::vector<Reached> before;
  std::vector<Reached> after;
};

// Returns the outlines for the number that the inspector explains; none if no number is pinned or no frames are wanted.
ReachOutlines reach_outlines(const ViewContext& context);

// Draws frames around those cells of a matrix that are in `context.reach`, fainter with each step between them and the
// number.
void draw_reach(const ViewContext& context, const StageView& view, const CellGrid& grid);

// Notes on the diagram, each in a free place beside what it is about; it is left out where there is none.

// Says beside the weights what keeps one from reading them: that numbers of words were invented, and that all shares
// are nearly equal. A click leads to what helps.
void draw_notes_at_weights(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
                           const PicturePlace& place);

// Points at the number of the opening document that a newcomer drags first, until it was dragged or the note is closed.
void draw_drag_hint(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
                    const PicturePlace& place);

}  // namespace attnscope
