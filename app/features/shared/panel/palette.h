#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ui/view_context.h"

namespace attnscope {

// One thing that can be asked for by its name.
struct PaletteEntry {
  std::string id = {};  // "edit/undo", "stage/weights": the widget is "palette/edit/undo"
  std::string title = {};
  std::string kind = {};      // "Stage", "Lesson"
  std::string keys = {};      // that do the same; empty for none
  std::string obstacle = {};  // why it cannot be done now; empty where it can
  std::function<void(const ViewContext& context, CommandQueue& queue)> run = {};
};

// Everything there is: actions, ways to look, stages and heads, mechanisms, examples, comparisons, lessons, teaching
// views and questions.
std::vector<PaletteEntry> palette_entries(const ViewContext& context);

// Returns the entries that have the typed text, best first; those that cannot be run now come last.
std::vector<PaletteEntry> found_entries(std::vector<PaletteEntry> entries, const std::string& typed);

void open_palette(CommandQueue& queue);
void draw_palette(const ViewContext& context, CommandQueue& queue);

}  // namespace attnscope
