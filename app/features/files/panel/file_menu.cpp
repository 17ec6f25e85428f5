#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/shown_text.h"
#include "document/builtin.h"
#include "features/files/exchange_controller.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/shared/panel/menu.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

void draw_recent_menu(const ViewContext& context, CallQueue& queue) {
  const bool is_empty = context.now.recent.empty();
  const bool is_open = ImGui::BeginMenu("Recent", !is_empty);
  register_opener(context, "menu/file/recent", is_open, !is_empty);
  if (!is_open) return;
  if (ImGui::IsWindowAppearing()) queue.push([](const Controllers& to) { to.files.refresh_recent(); });
  int index = 0;
  for (const RecentFile& file : context.now.recent) {
    const std::string name = shown_path(file.path.filename()) + (file.is_there ? "" : " (missing)");
    if (text_item(index, name)) queue.push([path = file.path](const Controllers& to) { to.reading.open(path); });
    register_item(context, fmt::format("menu/file/recent/{}", index));
    item_tooltip(context, file.is_there ? shown_path(file.path) : shown_path(file.path) + " is not there any more.");
    ++index;
  }
  ImGui::EndMenu();
}

void draw_screenshot_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/file/screenshot", "Screenshot")) return;
  for (int scale = 1; scale <= 3; ++scale) {
    const std::string label = fmt::format("At {}× the resolution", scale);
    const bool chosen = scale == context.now.view.screenshot_scale;
    if (menu_item(context, fmt::format("menu/file/screenshot/{}", scale), label,
                  {.keys = chosen ? "F12" : "", .is_on = chosen})) {
      change_view(queue, [scale](ViewState& state) { state.screenshot_scale = scale; });
      queue.push([scale](const Controllers& to) { to.screenshots.take({scale}); });
    }
  }
  action_items(context, queue, {"", "file/screenshot/footer", "file/screenshot/folder"});
  ImGui::EndMenu();
}

// One square table can be embeddings or attention, and what it was taken for can be wrong.
void draw_arrays_menu(const ViewContext& context, CallQueue& queue) {
  const bool is_known = !context.now.arrays.empty();
  const bool is_open = ImGui::BeginMenu("Read again as", is_known);
  register_opener(context, "menu/file/arrays", is_open, is_known);
  if (!is_open) {
    item_tooltip(context, is_known ? shown_path(context.now.arrays) : "No file of arrays has been opened yet.");
    return;
  }
  const auto open_as = [&](ArraysAs as) {
    queue.push([path = context.now.arrays, as](const Controllers& to) { to.reading.open_arrays(path, as); });
  };
  if (menu_item(context, "menu/file/arrays/attention", "Attention to look at",
                {.is_on = context.now.viewing.has_value()}))
    open_as(ArraysAs::attention);
  if (menu_item(context, "menu/file/arrays/inputs", "Embeddings or weights to compute with",
                {.is_on = !context.now.viewing}))
    open_as(ArraysAs::inputs);
  ImGui::EndMenu();
}

}  // namespace

void draw_examples(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/file/examples", "Examples")) return;
  draw_example_items(context, queue);
  ImGui::EndMenu();
}

void draw_example_items(const ViewContext& context, CallQueue& queue) {
  float widest = 0;
  for (const BuiltinDocument& builtin : example_documents()) {
    widest = std::max(widest, text_size(context.fonts.text, builtin.title).x);
  }
  const ImFont* const small = context.fonts.small_text;
  const float drop = font_ascent(context.fonts.text) - font_ascent(small);  // to one baseline
  for (const BuiltinDocument& builtin : example_documents()) {
    if (menu_item(context, fmt::format("menu/file/examples/{}", builtin.id), builtin.title))
      queue.push([id = std::string(builtin.id)](const Controllers& to) { to.reading.open_example(id); });
    ImGui::SameLine(widest + 36 * unit(context));
    const ImVec2 pos_screen = ImGui::GetCursorScreenPos();
    draw_text(small, {pos_screen.x, pos_screen.y + drop}, {context.theme.inks.dim_text}, builtin.summary);
    ImGui::Dummy(text_size(small, builtin.summary));
  }
}

void draw_file_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/file", "File")) return;
  action_items(context, queue, {"file/new", "file/open"});
  draw_recent_menu(context, queue);
  draw_arrays_menu(context, queue);
  draw_examples(context, queue);
  if (!context.now.lost.empty()) action_items(context, queue, {"file/restore"});
  action_items(context, queue, {"", "file/save", "file/save_as", "file/export_weights", "", "file/figure"});
  draw_screenshot_menu(context, queue);
  action_items(context, queue, {"", "file/quit"});
  end_menu(context, queue, "file/");
}

}  // namespace attnscope
