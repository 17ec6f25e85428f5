#pragma once

#include "scene/diagram_layout.h"

namespace attnscope::scene {

// A layout on the way from one to another, `share` of it done: what both have moves to its new place, what is new
// stands there already. Arrows and pills wait until everything has arrived.
DiagramLayout between(const DiagramLayout& from, const DiagramLayout& to, double share);

}  // namespace attnscope::scene
