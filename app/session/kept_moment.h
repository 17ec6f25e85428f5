#pragma once

#include <string>

#include "compute/tile_store.h"
#include "document/viewing_document.h"
#include "state/moment.h"

namespace attnscope {

// The state that the screen showed at one moment, to be drawn again at another size while the session goes on.
struct KeptMoment {
  Moment moment;
  std::string glyph_text;  // every text that the fonts must be able to show
  AnyDocument document;    // that a picture of it carries
};

}  // namespace attnscope
