#pragma once

#include <string>

#include "document/compare.h"
#include "views/command.h"
#include "views/view_context.h"

// What the actions of comparing do, for the table of actions.
namespace attnscope {

void toggle_changes(const ViewContext& context, CommandQueue& queue);
void keep_document(const ViewContext& context, CommandQueue& queue);
void end_comparison(const ViewContext& context, CommandQueue& queue);

std::string label_of_keeping(const ViewContext& context);

void open_pair(const ViewContext& context, CommandQueue& queue, const ReadyPair& pair);

// Why something cannot be done; empty where it can.
std::string obstacle_to_pair(const ViewContext& context, const ReadyPair& pair);
std::string obstacle_to_changes(const ViewContext& context);
std::string not_compared(const ViewContext& context);
std::string no_kept_document(const ViewContext& context);

}  // namespace attnscope
