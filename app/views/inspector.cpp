#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "views/actions.h"
#include "views/cell_menu.h"
#include "views/comparison.h"
#include "views/covering.h"
#include "views/format.h"
#include "views/inspector_lines.h"
#include "views/menu.h"
#include "views/panels.h"
#include "views/stage_view.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

// The number as the result shown has it; nothing where that has it no more.
std::optional<Source> valid_cell(const ViewContext& context, const std::optional<Source>& cell) {
  if (!cell || !context.result()) return {};
  const Source valid = with_batch_and_head_of(context.result()->config, *cell);
  return has_cell(*context.result(), valid) ? std::optional(valid) : std::nullopt;
}

struct Inspected {
  Source cell;
  std::vector<DerivationLine> lines;
};

// The cell that is shown; but where the pointer rests on a number that the pinned one is explained by, the pinned one.
std::optional<Inspected> inspected(const ViewContext& context) {
  const std::optional<Source> shown = valid_cell(context, shown_cell(context));
  if (!shown) return {};
  const std::optional<Source> pinned = valid_cell(context, context.view.pinned);
  const auto lines_of = [&](const Source& cell) {  // only the pinned one's were opened
    return without_covered(context, derivation(*context.result(), cell, context.labels,
                                               cell == pinned ? context.view.passing.opened : std::set<std::string>()));
  };
  if (pinned && shown != pinned) {
    std::vector<DerivationLine> lines = lines_of(*pinned);
    if (names(lines, *shown)) return Inspected{*pinned, std::move(lines)};
  }
  return Inspected{*shown, lines_of(*shown)};
}

void draw_place(const ViewContext& context, const Source& cell) {
  const StageInfo& stage = info(cell.stage);
  const Index heads = head_count(context.result()->config);
  push_font(context.fonts.heading);
  const float width = ImGui::GetContentRegionAvail().x;
  plain_text(wrapped(ImGui::GetFont(), fmt::format("{}{}", kind_words(cell.kind), stage.title), width));
  ImGui::PopFont();
  if (context.viewing && context.viewing->layers > 1) {
    ImGui::Text("Layer %lld of %lld", static_cast<long long>(context.viewing->layer) + 1,
                static_cast<long long>(context.viewing->layers));
  }
  if (is_per_head(context.result()->config, cell.stage) && heads > 1) {
    const ImVec4 colour = head_colour(static_cast<long>(cell.head), context.theme.dark);
    ImGui::TextColored(colour, "Head %lld of %lld", static_cast<long long>(cell.head) + 1,
                       static_cast<long long>(heads));
  }
  if (context.result()->config.batch_size > 1 && is_per_batch(cell.stage)) {
    ImGui::Text("Batch entry %lld", static_cast<long long>(cell.batch) + 1);
  }
  for (const std::string& line : position_lines(context, cell)) plain_text(wrapped(ImGui::GetFont(), line, width));
}

void draw_value(const ViewContext& context, const Source& cell) {
  const Result& result = *context.result();
  push_font(context.fonts.large_number);
  ImGui::TextUnformatted(format_full(value_at(result, cell)).c_str());
  ImGui::PopFont();
  if (cell.kind != SourceKind::cell) return;
  if (is_masked(result, cell)) {
    const bool is_edited = result.config.mask == MaskRoute::custom;
    dim_text(context, is_edited ? "masked: the key is hidden from the query" : "masked: the key comes after the query");
  }
  if (!is_dropped(result, cell)) return;
  const bool is_set = kept_by_user(result.config, cell.batch, cell.head, cell.row, cell.col).has_value();
  dim_text(context, is_set ? "dropped by you" : "dropped: its random number was 1 − p or more");
}

void draw_step(const ViewContext& context, CommandQueue& queue, std::string_view name, const char* label,
               const Action& step) {
  const std::string help = fmt::format("{} ({}): {}", step.label, step.chord.text(), step.help);
  if (push_button(context, name, label, obstacle_of(step, context), help)) step.run(context, queue);
}

// The heading, with Back and Forward at its right end.
void draw_heading(const ViewContext& context, CommandQueue& queue) {
  section_heading(context, "Inspector");
  const float gap = 3 * unit(context);
  const float width = ImGui::CalcTextSize("‹").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - 2 * width - gap);
  draw_step(context, queue, "inspector/back", "‹", action("view/back"));
  ImGui::SameLine(0, gap);
  draw_step(context, queue, "inspector/forward", "›", action("view/forward"));
}

void draw_formula(const ViewContext& context, Stage stage) {
  push_font(context.fonts.small_text);
  ImGui::TextWrapped("%s", std::string(wording(*context.result(), stage).formula).c_str());
  ImGui::PopFont();
}

void draw_nothing_selected(const ViewContext& context) {
  dim_text(
      context,
      "Rest the pointer on a cell to see how its number came to be. Click to keep it here, click again or press Esc "
      "to let it go.");
}

void draw_copies(const ViewContext& context, CommandQueue& queue, const Source& cell) {
  static constexpr struct {
    TextFormat format;
    const char* label;
    const char* name;
  } formats[] = {{TextFormat::plain, "text", "inspector/copy/text"},
                 {TextFormat::markdown, "Markdown", "inspector/copy/markdown"},
                 {TextFormat::latex, "LaTeX", "inspector/copy/latex"}};
  if (!obstacle_of_cover(context).empty()) return;
  dim_text(context, "Copy this as");
  push_font(context.fonts.small_text);
  for (const auto& [format, label, name] : formats) {
    if (format != TextFormat::plain) ImGui::SameLine(0, 4 * unit(context));
    if (push_button(context, name, label, {}, "How this number came to be, as far as it is opened"))
      queue.push_back(
          CopyText{derivation_text(*context.result(), cell, context.labels, context.view.passing.opened, format),
                   fmt::format("Copied how the number came to be, as {}.", label)});
  }
  ImGui::PopFont();
}

}  // namespace

void draw_inspector(const ViewContext& context, CommandQueue& queue) {
  draw_heading(context, queue);
  const std::optional<Inspected> shown = inspected(context);
  if (!shown) {
    draw_nothing_selected(context);
    return;
  }
  ImGui::Dummy({0, 2 * unit(context)});
  draw_place(context, shown->cell);
  ImGui::Dummy({0, 2 * unit(context)});
  if (is_covered(context, shown->cell)) {
    dim_text(context, "covered: what is it?");
    return draw_formula(context, shown->cell.stage);
  }
  draw_value(context, shown->cell);
  if (shown->cell == valid_cell(context, context.view.pinned)) draw_cell_edits(context, queue, shown->cell);
  draw_compared_values(context, shown->cell);
  ImGui::Separator();
  draw_formula(context, shown->cell.stage);
  draw_derivation(context, queue, shown->lines);
  ImGui::Dummy({0, 4 * unit(context)});
  draw_copies(context, queue, shown->cell);
  if (context.view.pinned && shown->cell == valid_cell(context, context.view.pinned)) {
    if (push_button(context, "inspector/unpin", "Unpin (Esc)")) {
      queue.push_back(UpdateView{[](ViewState& state) { state.pinned.reset(); }});
    }
  }
}

}  // namespace attnscope
