#include "workspace/build_frame.h"

#include "workspace/workspace.h"

namespace attnscope {
namespace {

void measure(ViewContext& context) {
  const ImFont* const font = context.fonts.small_text;
  context.widest_label = context.widest ? context.widest->of(context.now, font) : widest_of(context.now.labels, font);
}

}  // namespace

bool build_frame(Session& session, const FrameTools& tools) {
  if (tools.widgets) tools.widgets->clear();
  std::set<CellMark> marks;
  ViewContext context(session.shown(), {tools});
  context.marks = &marks;
  const std::optional<Source> hovered = session.shown().hovered;
  session.begin_frame();
  bool is_changed = false;
  const auto apply = [&] {
    if (session.apply_commands()) is_changed = true;
    measure(context);
  };
  apply();
  draw_workspace(context, session.queue(), apply);
  // A drag whose slider is gone, with the panel around it, ends too.
  if (session.is_editing() && !ImGui::IsAnyItemActive()) session.push(FinishEdit{});
  apply();
  session.end_frame();
  return is_changed || hovered != session.shown().hovered;
}

void build_frame(const Moment& moment, const FrameTools& tools) {
  std::set<CellMark> marks;
  ViewContext context(moment, {tools});
  context.marks = &marks;
  measure(context);
  CommandQueue nobody_listens;
  draw_workspace(context, nobody_listens, [] {});
}

}  // namespace attnscope
