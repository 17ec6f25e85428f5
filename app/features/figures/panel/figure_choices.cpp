#include "features/figures/panel/figure_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "look/stage_look.h"
#include "study/study.h"
#include "ui/list_row.h"
#include "ui/view_context.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr std::size_t most_typed_bytes = 2000;
constexpr float extras_gap = 18;
constexpr float column_gap = 14;
constexpr float content_share = 0.46f;  // of two columns; three backgrounds side by side are the widest row

void draw_stage(const ViewContext& context, FigureOptions& options) {
  const StudyInfo* const study = study_named(options.study.id);
  const std::string shown = study           ? fmt::format("view: {}", study->title)
                            : options.stage ? std::string(info(*options.stage).title)
                                            : "pipeline";
  draw_list(context, "stage", "figure/stage", shown, {}, [&] {
    if (list_item(context, "figure/stage/pipeline", "pipeline", !study && !options.stage)) {
      options.study = {};
      options.stage.reset();
      options.head = options.head.value_or(0);
    }
    for (const StageInfo& stage : stages()) {
      if (!has(*context.now.result(), stage.stage)) continue;
      const std::string name = fmt::format("figure/stage/{}", stage.id);
      if (!list_item(context, name, std::string(stage.title), !study && options.stage == stage.stage)) continue;
      options.study = {};
      options.stage = stage.stage;
    }
    for (const StudyInfo& each : studies()) {
      const std::string name = fmt::format("figure/stage/{}", each.id);
      const bool is_chosen = options.study.id == each.id;
      if (!list_item(context, name, fmt::format("view: {}", each.title), is_chosen) || is_chosen) continue;
      options.study.id = each.id;
      options.study.values.clear();
      options.stage = Stage::weights;
      options.head = options.head.value_or(0);
    }
  });
}

void draw_head(const ViewContext& context, FigureOptions& options) {
  const Index heads = head_count(context.now.result()->config);
  const auto text_of = [&](Index head) { return fmt::format("Head {} of {}", head + 1, heads); };
  const bool is_of_head = !options.stage || is_per_head(context.now.result()->config, *options.stage);
  const std::string reason = heads == 1    ? "This mechanism has one head."
                             : !is_of_head ? "This stage is the same for all heads."
                                           : "";
  const std::string shown = !is_of_head || heads == 1 ? "" : options.head ? text_of(*options.head) : "all heads";
  draw_list(context, "head", "figure/head", shown.empty() ? "–" : shown, {.reason = reason, .help = {}}, [&] {
    if (options.stage && list_item(context, "figure/head/all", "all heads", !options.head)) options.head.reset();
    for (Index head = 0; head < heads; ++head) {
      if (list_item(context, fmt::format("figure/head/{}", head), text_of(head), options.head == head))
        options.head = head;
    }
  });
}

void draw_sides(const ViewContext& context, FigureOptions& options) {
  static constexpr struct {
    ComparedSide side;
    const char* name;
    const char* label;
  } items[] = {{ComparedSide::before, "figure/side/A", "A"},
               {ComparedSide::now, "figure/side/B", "B"},
               {ComparedSide::difference, "figure/side/difference", "B − A"},
               {ComparedSide::side_by_side, "figure/side/side-by-side", "all three"}};
  if (!context.now.document.compared) {
    options.side = ComparedSide::now;
    return;
  }
  begin_row(context, "compared");
  for (const auto& item : items) {
    if (item.side != ComparedSide::before) ImGui::SameLine(0, 2 * unit(context));
    if (choice_button(context, item.name, item.label, options.side == item.side)) options.side = item.side;
  }
  end_row(context, "figure/side");
}

void draw_batch(const ViewContext& context, FigureOptions& options) {
  const Index size = context.now.result()->config.batch_size;
  if (size == 1) return;
  begin_row(context, "batch");
  int number = static_cast<int>(options.batch) + 1;
  const std::string shown = fmt::format("{} of {}", number, size);
  if (step_slider("##batch", number, 1, static_cast<int>(size), shown.c_str()))
    options.batch = std::clamp<Index>(number - 1, 0, size - 1);
  end_row(context, "figure/batch");
}

void draw_background(const ViewContext& context, FigureOptions& options) {
  static constexpr struct {
    FigureTheme theme;
    const char* name;
    const char* label;
  } items[] = {{FigureTheme::light, "figure/light", "light"},
               {FigureTheme::dark, "figure/dark", "dark"},
               {FigureTheme::transparent, "figure/transparent", "transparent"}};
  begin_row(context, "background");
  for (const auto& item : items) {
    if (choice_button(context, item.name, item.label, options.theme == item.theme)) options.theme = item.theme;
    if (item.theme != FigureTheme::transparent) ImGui::SameLine(0, 2 * unit(context));
  }
  end_row(context, "figure/background");
}

void draw_colormap(const ViewContext& context, FigureOptions& options) {
  static constexpr std::pair<std::optional<Colormap>, const char*> maps[] = {
      {std::nullopt, "the stage's own"}, {Colormap::viridis, "viridis"}, {Colormap::diverging, "diverging"}};
  const auto is_chosen = [&](const auto& map) { return map.first == options.colormap; };
  const auto* const chosen = std::ranges::find_if(maps, is_chosen);
  draw_list(context, "colours", "figure/colormap", chosen == std::end(maps) ? "" : chosen->second, {}, [&] {
    int index = 0;
    for (const auto& map : maps) {
      if (list_item(context, fmt::format("figure/colormap/{}", index++), map.second, is_chosen(map)))
        options.colormap = map.first;
    }
  });
}

void draw_fixed_range(const ViewContext& context, FigureChoices& choices) {
  begin_row(context, "");
  ImGui::SetNextItemWidth(typed_number_width * unit(context));
  ImGui::InputFloat("##low", &choices.fixed_range.low, 0, 0, "%.6g");
  end_row(context, "figure/range/low");
  ImGui::SameLine();
  ImGui::TextUnformatted("to");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(typed_number_width * unit(context));
  ImGui::InputFloat("##high", &choices.fixed_range.high, 0, 0, "%.6g");
  register_item(context, "figure/range/high");
  choices.options.fixed_range = choices.fixed_range;
}

void draw_range(const ViewContext& context, FigureChoices& choices) {
  static constexpr const char* two_numbers = "two numbers";
  FigureOptions& options = choices.options;
  const char* const shown = options.fixed_range ? two_numbers : title(options.range);
  const RowText text = {.reason = {}, .help = range_modes_help};
  draw_list(context, "range", "figure/range", shown, text, [&] {
    for (const auto& [mode, id, label] : range_modes) {
      const bool is_chosen = !options.fixed_range && options.range == mode;
      if (!list_item(context, fmt::format("figure/range/{}", id), label, is_chosen)) continue;
      options.range = mode;
      options.fixed_range.reset();
    }
    if (list_item(context, "figure/range/two_numbers", two_numbers, options.fixed_range.has_value()))
      options.fixed_range = choices.fixed_range;
  });
  if (options.fixed_range) draw_fixed_range(context, choices);
}

void draw_numbers(const ViewContext& context, FigureOptions& options) {
  begin_row(context, "numbers");
  int decimals = options.decimals.value_or(-1);
  const std::string shown = decimals < 0 ? "none" : decimals == 1 ? "1 decimal" : fmt::format("{} decimals", decimals);
  if (step_slider("##decimals", decimals, -1, most_decimals, shown.c_str()))
    options.decimals = decimals < 0 ? std::nullopt : std::optional<int>(decimals);
  end_row(context, "figure/decimals", {}, "In the cells, where they fit; none at the left end.");
}

void draw_text_field(const ViewContext& context, const char* label, const char* hint, std::string& text) {
  const std::string name = fmt::format("figure/{}", label);
  begin_row(context, label);
  ImGui::PushID(name.c_str());
  text_field("##text", hint, text, most_typed_bytes);
  ImGui::PopID();
  end_row(context, name);
}

// Row sums and the footer, side by side.
void draw_extras(const ViewContext& context, FigureChoices& choices) {
  FigureOptions& options = choices.options;
  const bool is_square = !options.stage || is_query_by_key(info(*options.stage).axes);
  const std::string reason = !options.study.id.empty() ? "A teaching view chooses its own row sums."
                             : !is_square              ? "Only matrices of queries by keys have row sums."
                                                       : "";
  const Stage stage = options.stage.value_or(Stage::weights);
  bool has_sums = reason.empty() && has_row_sums(options, context.now.result()->config, stage);
  begin_row(context, "row sums", reason);
  if (ImGui::Checkbox("##row_sums", &has_sums)) options.row_sums = has_sums;
  end_row(context, "figure/row_sums", reason, {}, {.is_on = has_sums});
  ImGui::SameLine(0, extras_gap * unit(context));
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("footer");
  ImGui::SameLine();
  ImGui::Checkbox("##footer", &choices.has_footer);
  register_item(context, "figure/footer", {.is_on = choices.has_footer});
  item_tooltip(context, "A small line below: mechanism, heads, seed, dropout, version.");
}

void draw_pinned(const ViewContext& context, FigureChoices& choices) {
  const std::string reason = context.now.view.pinned ? "" : "No cell is pinned: click one in the window first.";
  begin_row(context, "pinned cell", reason);
  ImGui::Checkbox("##pinned", &choices.shows_pinned);
  end_row(context, "figure/pinned", reason, "Its row and column are marked in every matrix.",
          {.is_on = choices.shows_pinned});
  ImGui::SameLine(0, extras_gap * unit(context));
  const std::string other_reason = !choices.shows_pinned
                                       ? "Tick “pinned cell” first: the arithmetic explains its number."
                                   : choices.sweep.is_on ? "Only a still figure shows how a number is derived."
                                                         : reason;
  ImGui::BeginDisabled(!other_reason.empty());
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("arithmetic");
  ImGui::SameLine();
  ImGui::Checkbox("##arithmetic", &choices.has_arithmetic);
  ImGui::EndDisabled();
  register_item(context, "figure/arithmetic", {.enabled = other_reason.empty(), .is_on = choices.has_arithmetic});
  item_tooltip(context, other_reason.empty() ? "Below the figure: how the pinned number was computed." : other_reason);
}

// Choices of what the figure shows.
void draw_content(const ViewContext& context, FigureChoices& choices) {
  draw_stage(context, choices.options);
  if (!choices.options.stage) draw_diagram_choices(context, choices.options);
  draw_head(context, choices.options);
  draw_batch(context, choices.options);
  draw_sides(context, choices.options);
  draw_numbers(context, choices.options);
  draw_extras(context, choices);
  draw_pinned(context, choices);
  draw_text_field(context, "title", choices.sweep.is_on ? "the frame's value" : "no title", choices.options.title);
  draw_text_field(context, "caption", "no caption", choices.options.caption);
}

// How it looks.
void draw_look(const ViewContext& context, FigureChoices& choices) {
  draw_figure_sizes(context, choices);
  draw_background(context, choices.options);
  draw_colormap(context, choices.options);
  draw_range(context, choices);
}

}  // namespace

float figure_choices_height(const ViewContext& context, const FigureChoices& choices) {
  constexpr int rows_of_all = 14;
  const bool has_batch = context.now.result()->config.batch_size > 1;
  const int rows_of_diagram = choices.options.stage ? 0 : 2;
  const int rows = rows_of_all + rows_of_diagram + (has_batch ? 1 : 0) + (context.now.document.compared ? 1 : 0) +
                   (choices.options.fixed_range ? 1 : 0);
  return static_cast<float>(rows) * ImGui::GetFrameHeightWithSpacing();
}

void draw_figure_choices(const ViewContext& context, FigureChoices& choices, bool is_one_column) {
  if (is_one_column) {
    draw_content(context, choices);
    draw_look(context, choices);
    return;
  }
  const float gap = column_gap * unit(context);
  const float width = ImGui::GetContentRegionAvail().x - gap;
  begin_flat_child("content", {content_share * width, 0});
  draw_content(context, choices);
  ImGui::EndChild();
  ImGui::SameLine(0, gap);
  begin_flat_child("look", {(1 - content_share) * width, 0});
  draw_look(context, choices);
  ImGui::EndChild();
}

}  // namespace attnscope
