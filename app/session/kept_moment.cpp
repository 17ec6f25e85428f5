#include "session/kept_moment.h"

#include "views/workspace.h"

namespace attnscope {

void build_moment(KeptMoment& moment, const FrameTools& tools) {
  ViewContext& context = moment.context;
  static_cast<FrameTools&>(context) = tools;
  std::set<CellMark> marks;
  context.marks = &marks;
  CommandQueue nobody_listens;
  draw_workspace(context, nobody_listens, [] {});
  context.marks = nullptr;
}

}  // namespace attnscope
