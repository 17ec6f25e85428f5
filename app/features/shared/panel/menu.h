#pragma once

#include <string_view>

#include "ui/view_context.h"

namespace attnscope {

// The parts of menus, and the menus that have a file of their own.

bool menu_item(const ViewContext& context, std::string_view name, const char* label, const char* shortcut = nullptr,
               bool selected = false, bool enabled = true);
bool begin_menu(const ViewContext& context, std::string_view name, const char* label);

template <typename Change>
void change_view(CommandQueue& queue, Change change) {
  queue.push_back(UpdateView{change});
}

// Why what is of a computed document is disabled while attention of a file is shown; else empty.
std::string_view viewing_reason(const ViewContext& context);

void draw_examples(const ViewContext& context, CommandQueue& queue);
void draw_example_items(const ViewContext& context, CommandQueue& queue);  // without the menu around them
void draw_file_menu(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope
