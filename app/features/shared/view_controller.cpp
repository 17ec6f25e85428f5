#include "features/shared/view_controller.h"

#include "session/view_state.h"
#include "teach/teaching_view.h"

namespace attnscope {

std::string view_text(const ViewState& view) {
  return address_text({.mode = std::string(view.mode.id),
                       .stage = view.stage,
                       .head = view.head,
                       .batch = view.batch,
                       .range = view.range,
                       .pinned = view.pinned,
                       .side = view.side,
                       .study = view.mode == ViewMode::study ? view.study : TeachingViewChoice()});
}

std::string view_text(const FigureOptions& options) {
  const ViewMode layout = !options.study.id.empty() ? ViewMode::study
                          : !options.stage          ? ViewMode::diagram
                          : options.head            ? ViewMode::focus
                                                    : ViewMode::heads;
  return address_text({.mode = std::string(layout.id),
                       .stage = options.stage.value_or(Stage::weights),
                       .head = options.head.value_or(0),
                       .batch = options.batch,
                       .range = options.range,
                       .pinned = options.marked,
                       .side = options.side,
                       .study = options.study});
}

void look_at(ViewState& view, const ViewAddress& address) {
  if (const ViewModeInfo* const found = view_mode_named(address.mode)) view.mode = found->mode;
  if (study_named(address.study.id)) {
    view.mode = ViewMode::study;
    view.study = address.study;
  }
  view.stage = address.stage.value_or(view.stage);
  view.head = address.head.value_or(view.head);
  view.batch = address.batch.value_or(view.batch);
  view.range = address.range.value_or(view.range);
  view.side = address.side.value_or(view.side);
  view.decimals = address.decimals.value_or(view.decimals);
  if (address.pinned) view.pinned = address.pinned;
}

void look_as(ViewState& view, const AttentionConfig& config, std::string_view text) {
  look_at(view, address_in(text, config));
}

}  // namespace attnscope
