#include "state/view_state.h"

#include <cstdlib>

namespace attnscope {
namespace {

constexpr std::size_t max_places = 200;

bool is_step(const Source& from, const Source& to) {
  const bool is_same_matrix =
      from.stage == to.stage && from.batch == to.batch && from.layer == to.layer && from.kind == to.kind;
  return is_same_matrix && std::abs(from.row - to.row) <= 1 && std::abs(from.col - to.col) <= 1;
}

bool has_a_head(Stage stage) {
  const StageAxes axes = info(stage).axes;
  return axes == StageAxes::head_query_key || axes == StageAxes::head_token_feature;
}

// From the end of one list to that of the other.
void go(ViewState& view, std::vector<Source>& from, std::vector<Source>& to) {
  if (from.empty()) return;
  Trail& trail = view.passing.trail;
  if (trail.here) to.push_back(*trail.here);
  trail.here = from.back();
  from.pop_back();
  look_at(view, *trail.here);
}

}  // namespace

void note_pinned(ViewState& view, const std::optional<Source>& before) {
  const bool is_alike =
      view.pinned && before && view.pinned->stage == before->stage && view.pinned->kind == before->kind;
  if (!is_alike) view.passing.opened.clear();  // its lines are others
  if (view.pinned && view.pinned != before && has_a_head(view.pinned->stage)) view.head = view.pinned->head;
  Trail& trail = view.passing.trail;
  if (!trail.here) trail.here = before;
  if (!view.pinned || view.pinned == trail.here) return;
  const Source now = *view.pinned;
  if (trail.here && !is_step(*trail.here, now)) {
    trail.back.push_back(*trail.here);
    if (trail.back.size() > max_places) trail.back.erase(trail.back.begin());
    trail.forward.clear();
  }
  trail.here = now;
}

bool can_go_back(const ViewState& view) { return !view.passing.trail.back.empty(); }
bool can_go_forward(const ViewState& view) { return !view.passing.trail.forward.empty(); }

void go_back(ViewState& view) { go(view, view.passing.trail.back, view.passing.trail.forward); }
void go_forward(ViewState& view) { go(view, view.passing.trail.forward, view.passing.trail.back); }

void look_at(ViewState& view, const Source& source) {
  view.pinned = source;
  if (view.layout.shows_one_stage) view.stage = source.stage;
}

void show_stage(ViewState& view, Stage stage) {
  view.stage = stage;
  const bool is_alike =
      view.pinned && is_query_by_key(info(view.pinned->stage).axes) && is_query_by_key(info(stage).axes);
  if (!is_alike) return;
  view.pinned->stage = stage;
  view.pinned->head = has_a_head(stage) ? view.head : 0;
}

}  // namespace attnscope
