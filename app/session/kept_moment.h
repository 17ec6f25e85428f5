#pragma once

#include <string>

#include "document/viewing_document.h"
#include "views/view_context.h"

namespace attnscope {

// The state that the screen showed at one moment, to be drawn again at another size while the session goes on.
struct KeptMoment {
  ViewContext context;
  std::string glyph_text;  // every text that the fonts must be able to show
  AnyDocument document;    // that a picture of it carries
};

void build_moment(KeptMoment& moment, const FrameTools& tools);

}  // namespace attnscope
