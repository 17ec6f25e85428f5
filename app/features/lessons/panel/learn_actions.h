#pragma once

#include <span>

#include "features/shared/panel/actions.h"

namespace attnscope {

// The part of the table of actions that is of lessons and predictions.
std::span<const Action> learn_actions();

}  // namespace attnscope
