#include "session/kept_moment.h"

#include "paint_window/text.h"
#include "views/workspace.h"

namespace attnscope {

void build_moment(KeptMoment& moment, const FrameTools& tools) {
  ViewContext& context = moment.context;
  static_cast<FrameTools&>(context) = tools;
  std::set<CellMark> marks;
  context.marks = &marks;
  const bool has_labels = context.widest_label < context.labels.size();
  context.label_width = has_labels ? text_size(context.fonts.small_text, context.labels[context.widest_label]).x : 0;
  CommandQueue nobody_listens;
  draw_workspace(context, nobody_listens, [] {});
  context.marks = nullptr;
}

}  // namespace attnscope
