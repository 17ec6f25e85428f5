#pragma once

#include <string_view>

#include "ui/view_context.h"

namespace attnscope {

// The parts of menus, and the menus that have a file of their own.

struct MenuItem {
  std::string_view keys = {};      // that do the same
  bool is_on = false;              // ticked
  bool is_enabled = true;          // also where there is nothing to say about it
  std::string_view obstacle = {};  // why it is disabled; empty where it is not
  std::string_view help = {};      // where it is not
};
bool menu_item(const ViewContext& context, std::string_view name, std::string_view label, const MenuItem& item = {});
bool begin_menu(const ViewContext& context, std::string_view name, const char* label);

template <typename Change>
void change_view(CommandQueue& queue, Change change) {
  queue.push_back(UpdateView{change});
}

inline void show_layout(CommandQueue& queue, const Layout& layout) {
  change_view(queue, [layout](ViewState& state) { state.layout = layout; });
}

// Why what is of a computed document is disabled while attention of a file is shown; else empty.
std::string_view viewing_reason(const ViewContext& context);

void draw_examples(const ViewContext& context, CommandQueue& queue);
void draw_example_items(const ViewContext& context, CommandQueue& queue);  // without the menu around them
void draw_file_menu(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope
