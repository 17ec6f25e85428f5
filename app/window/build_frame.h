#pragma once

#include "features/session.h"
#include "ui/view_context.h"

namespace attnscope {

// Builds a frame of the session, between ImGui::NewFrame and ImGui::Render: what panels ask for is done before what
// depends on it is drawn. Returns whether the next frame may look different without anything happening.
bool build_frame(Session& session, const FrameTools& tools);

// Builds a frame of a moment that has passed; nothing can be done in it.
void build_frame(const UiState& moment, const FrameTools& tools);

}  // namespace attnscope
