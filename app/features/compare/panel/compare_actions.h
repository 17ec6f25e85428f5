#pragma once

#include <span>
#include <string>

#include "document/compare.h"
#include "features/shared/panel/actions.h"

namespace attnscope {

// The part of the table of actions that is of comparing.
std::span<const Action> compare_actions();

void open_pair(const ViewContext& context, CommandQueue& queue, const ReadyPair& pair);

// Why that cannot be done; empty where it can.
std::string obstacle_to_pair(const ViewContext& context, const ReadyPair& pair);

}  // namespace attnscope
