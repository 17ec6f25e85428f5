#include <fmt/format.h>

#include <string>
#include <vector>

#include "features/figures/panel/figure_choices.h"
#include "look/diagram.h"
#include "state/figure_choice_table.h"
#include "ui/list_row.h"

namespace attnscope {
namespace {

// Returns the stages with a place in the diagram of this document.
std::vector<const StageInfo*> placed_stages(const AttentionConfig& config) {
  std::vector<const StageInfo*> rows;
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage) && acts_in(config, row.stage)) rows.push_back(&row);
  }
  return rows;
}

void choose_stage(StageSet& left_out, Stage stage, bool is_shown) {
  if (is_shown) {
    left_out.remove(stage);
  } else {
    left_out.add(stage);
  }
}

// A band, with all of its stages, or a part of it.
void draw_band(const ViewContext& context, const std::vector<const StageInfo*>& rows, Band band, StageSet& left_out) {
  bool has_all = true;
  for (const StageInfo* const row : rows) {
    if (row->place.band == band && left_out.contains(row->stage)) has_all = false;
  }
  const std::string name = fmt::format("figure/stages/{}", id_of(band));
  if (ImGui::Checkbox(std::string(title_of(band)).c_str(), &has_all)) {
    for (const StageInfo* const row : rows) {
      if (row->place.band == band) choose_stage(left_out, row->stage, has_all);
    }
  }
  register_item(context, name, {.is_on = has_all});
  ImGui::Indent();
  for (const StageInfo* const row : rows) {
    if (row->place.band != band) continue;
    bool is_shown = !left_out.contains(row->stage);
    if (ImGui::Checkbox(std::string(row->title).c_str(), &is_shown)) choose_stage(left_out, row->stage, is_shown);
    register_item(context, fmt::format("figure/stages/{}", row->id), {.is_on = is_shown});
  }
  ImGui::Unindent();
}

}  // namespace

void draw_diagram_stages(const ViewContext& context, FigureOptions& options) {
  const std::vector<const StageInfo*> rows = placed_stages(context.now.result()->config);
  std::size_t count = 0;
  for (const StageInfo* const row : rows) count += options.left_out.contains(row->stage) ? 0 : 1;
  const std::string shown = count == rows.size() ? "all stages" : fmt::format("{} of {} stages", count, rows.size());
  const FigureChoice& choice = figure_choice("stages");
  draw_list(context, choice.label, "figure/stages", shown, {.reason = {}, .help = choice.tip}, [&] {
    for (const Band band : {Band::project, Band::compare, Band::mix}) draw_band(context, rows, band, options.left_out);
  });
}

}  // namespace attnscope
