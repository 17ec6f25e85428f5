#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "core/config_fields.h"
#include "core/model/transformer.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/compare.h"
#include "document/edit.h"
#include "features/compare/panel/comparison.h"
#include "features/files/exchange_controller.h"
#include "features/files/reading_controller.h"
#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "session/view_state.h"
#include "teach/lesson.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

using Entries = std::vector<PaletteEntry>;

constexpr Index most_heads = 64;  // up to so many heads are listed one by one

// "Edit" of "edit/undo".
std::string kind_of(const Action& action) {
  std::string kind(action.id);
  kind.resize(std::min(kind.find('/'), kind.size()));
  kind.front() = static_cast<char>(kind.front() - 'a' + 'A');
  return kind;
}

void add_actions(Entries& entries, const ViewContext& context) {
  for (const Action& action : actions()) {
    if (!action.run || action.id == std::string_view("help/palette")) continue;
    entries.push_back({.id = action.id,
                       .title = action.label_now ? action.label_now(context) : action.label,
                       .kind = kind_of(action),
                       .keys = action.chord.text(),
                       .obstacle = obstacle_of(action, context),
                       .run = action.run});
  }
}

void add_settings(Entries& entries, const ViewContext& context) {
  for (const Setting& row : setting_table()) {
    int index = 0;
    for (const Setting::Value& value : row.values) {
      entries.push_back({.id = fmt::format("settings/{}/{}", row.id, value.id),
                         .title = fmt::format("{}: {}", row.label, value.title),
                         .kind = "Settings",
                         .obstacle = std::string(row.obstacle_in(context.now.view, index)),
                         .run = [choose = row.choose, index](const ViewContext&, CallQueue& queue) {
                           change_view(queue, [choose, index](ViewState& state) { choose(state, index); });
                         }});
      ++index;
    }
  }
}

// Adds the items of submenus, each with the id of its widget.
void add_submenus(Entries& entries, const ViewContext& context) {
  for (const CodeItem& item : code_items) {
    entries.push_back({.id = fmt::format("edit/copy/{}", item.id),
                       .title = fmt::format("Copy as {}", item.label),
                       .kind = "Edit",
                       .obstacle = std::string(viewing_reason(context)),
                       .run = [language = item.language](const ViewContext&, CallQueue& queue) {
                         queue.push([language](const Controllers& to) { to.exchange.copy_code(language); });
                       }});
  }
  for (const MatrixItem& item : matrix_items) {
    entries.push_back({.id = fmt::format("edit/copy_stage/{}", item.id),
                       .title = fmt::format("Copy {} as {}", info(copied_stage(context.now.view)).title, item.label),
                       .kind = "Edit",
                       .run = [form = item.form](const ViewContext&, CallQueue& queue) {
                         queue.push([form](const Controllers& to) { to.exchange.copy_stage(form); });
                       }});
  }
  for (const ArraysItem& item : arrays_items) {
    entries.push_back(
        {.id = fmt::format("file/arrays/{}", item.id),
         .title = fmt::format("Read again as {}", item.label),
         .kind = "File",
         .obstacle = context.now.arrays.empty() ? "No file of arrays has been opened yet." : "",
         .run = [as = item.as](const ViewContext& shown, CallQueue& queue) {
           queue.push([path = shown.now.arrays, as](const Controllers& to) { to.reading.open_arrays(path, as); });
         }});
  }
}

void add_layouts(Entries& entries, const ViewContext& context) {
  for (const ViewModeInfo& row : view_modes()) {
    entries.push_back(
        {.id = fmt::format("layout/{}", row.mode.id),
         .title = fmt::format("{}: {}", row.title, row.help),
         .kind = "View",
         .keys = row.keys(),
         .obstacle = std::string(row.obstacle_in(context.now)),
         .run = [layout = row.mode](const ViewContext&, CallQueue& queue) { show_layout(queue, layout); }});
  }
}

void add_stages(Entries& entries, const ViewContext& context) {
  if (!context.now.result()) return;
  for (const StageInfo& stage : stages()) {
    if (!has(*context.now.result(), stage.stage)) continue;
    entries.push_back({.id = fmt::format("stage/{}", stage.id),
                       .title = std::string(stage.title),
                       .kind = "Stage",
                       .run = [stage = stage.stage](const ViewContext& shown, CallQueue& queue) {
                         const Source cell = {
                             .stage = stage, .batch = shown.now.view.batch, .head = shown.now.view.head};
                         change_view(queue, [cell](ViewState& state) { look_at(state, cell); });
                       }});
  }
  const Index heads = head_count(context.now.result()->config);
  for (Index head = 0; heads > 1 && head < std::min(heads, most_heads); ++head) {
    entries.push_back(
        {.id = fmt::format("head/{}", head + 1),
         .title = fmt::format("Head {} of {}{}", head + 1, heads, bracketed_name(context.now.result()->config, head)),
         .kind = "Head",
         .run = [head](const ViewContext&, CallQueue& queue) {
           change_view(queue, [head](ViewState& state) { state.head = head; });
         }});
  }
}

void add_presented_stages(Entries& entries, const ViewContext& context) {
  for (const Stage stage : presentable_stages(context)) {
    const StageInfo& row = info(stage);
    const bool is_left_out = context.now.view.not_presented.contains(stage);
    if (!is_left_out) {
      entries.push_back(
          {.id = fmt::format("present/from/{}", row.id),
           .title = fmt::format("Present from {} on", row.title),
           .kind = "Presentation",
           .run = [stage](const ViewContext& shown, CallQueue& queue) { present_from(shown, queue, stage); }});
    }
    entries.push_back(
        {.id = fmt::format("present/stage/{}", row.id),
         .title = is_left_out ? fmt::format("Present {} again", row.title)
                              : fmt::format("Leave {} out when presenting", row.title),
         .kind = "Presentation",
         .run = [stage](const ViewContext& shown, CallQueue& queue) { present_or_leave_out(shown, queue, stage); }});
  }
}

void add_mechanisms(Entries& entries, const ViewContext& context) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    entries.push_back({.id = fmt::format("mechanism/{}", mechanism.id),
                       .title = std::string(mechanism.title),
                       .kind = "Mechanism",
                       .obstacle = std::string(viewing_reason(context)),
                       .run = [id = mechanism.mechanism](const ViewContext&, CallQueue& queue) {
                         edit_document(queue, {"mechanism", [id](Document& edited) { set_mechanism(edited, id); }});
                       }});
  }
  for (const BuiltinDocument& builtin : example_documents()) {
    entries.push_back({.id = fmt::format("example/{}", builtin.id),
                       .title = fmt::format("{}: {}", builtin.title, builtin.summary),
                       .kind = "Example",
                       .run = [id = std::string(builtin.id)](const ViewContext&, CallQueue& queue) {
                         queue.push([id](const Controllers& to) { to.reading.open_example(id); });
                       }});
  }
  for (const ReadyPair& pair : ready_pairs()) {
    entries.push_back({.id = fmt::format("pair/{}", pair.id),
                       .title = std::string(pair.title),
                       .kind = "Compare",
                       .obstacle = obstacle_to_pair(context, pair),
                       .run = [&pair](const ViewContext& shown, CallQueue& queue) { open_pair(shown, queue, pair); }});
  }
}

void add_fields(Entries& entries, const ViewContext& context) {
  const bool is_hidden = context.now.lesson.lesson && !context.now.lesson.shows_setup;
  const std::string obstacle(is_hidden ? "The lesson stands in the place of the setup." : viewing_reason(context));
  entries.push_back({.id = "setup/tokens",
                     .title = "Tokens: names, numbers, a sentence of your own",
                     .kind = "Setup",
                     .obstacle = obstacle,
                     .run = [](const ViewContext& shown, CallQueue& queue) {
                       show_tokens(shown, queue);
                       type_sentence(queue);
                     }});
  visit_fields([&](const auto& field) {
    const bool is_named = field.label == field.key;
    entries.push_back(
        {.id = fmt::format("setup/{}", field.key),
         .title = is_named ? std::string(field.key) : fmt::format("{} ({})", field.label, field.key),
         .kind = "Setup",
         .obstacle = obstacle,
         .run = [key = field.key](const ViewContext& shown, CallQueue& queue) { show_control(shown, queue, key); }});
  });
}

void add_lessons(Entries& entries, const ViewContext& context) {
  for (const auto* const lessons : {&shipped_lessons(), &context.now.lesson.own}) {
    for (const std::shared_ptr<const Lesson>& lesson : *lessons) {
      entries.push_back({.id = fmt::format("lesson/{}", lesson->id),
                         .title = lesson->title,
                         .kind = "Lesson",
                         .run = [id = lesson->id](const ViewContext&, CallQueue& queue) { open_lesson(queue, id); }});
    }
  }
  for (const TeachingViewInfo& study : studies()) {
    entries.push_back(
        {.id = fmt::format("study/{}", study.id),
         .title = fmt::format("{}: {}", study.title, study.question),
         .kind = "Teaching view",
         .obstacle = context.now.result() ? obstacle_to(study, *context.now.result()) : "Nothing is computed yet.",
         .run = [id = study.id](const ViewContext&, CallQueue& queue) { show_study(queue, id); }});
  }
  for (const ReaderQuestion& question : questions()) {
    entries.push_back({.id = fmt::format("question/{}", question.id),
                       .title = std::string(question.text),
                       .kind = "Question",
                       .run = [id = question.id](const ViewContext&, CallQueue& queue) { show_question(queue, id); }});
  }
}

constexpr float palette_width = 560;
constexpr float from_top = 0.14F;  // of the window
constexpr int rows_in_sight = 12;
constexpr std::size_t most_typed_bytes = 100;

void close_palette(CallQueue& queue) {
  change_view(queue, [](ViewState& state) { state.transient.palette.reset(); });
}

void choose_entry(const ViewContext& context, CallQueue& queue, const PaletteEntry& entry) {
  if (!entry.obstacle.empty()) return;
  close_palette(queue);
  entry.run(context, queue);
}

// Draws an entry; returns whether the pointer is on it.
bool draw_entry(const ViewContext& context, CallQueue& queue, const PaletteEntry& entry, int number, bool is_chosen) {
  const std::string right = entry.keys.empty() ? entry.kind : fmt::format("{}   {}", entry.keys, entry.kind);
  const float right_width = text_size(context.fonts.small_text, right).x;
  const float room = palette_width * unit(context) - right_width - 24 * unit(context);
  const bool is_possible = entry.obstacle.empty();
  ImGui::BeginDisabled(!is_possible);
  if (text_item(number, fit_text(context.fonts.text, entry.title, room), is_chosen))
    choose_entry(context, queue, entry);
  ImGui::EndDisabled();
  register_item(context, fmt::format("palette/{}", entry.id), {.enabled = is_possible, .is_on = is_chosen});
  note_help(context, entry.obstacle);
  if (is_chosen) ImGui::SetScrollHereY(0.5F);
  const ImVec2 low = ImGui::GetItemRectMin();
  const float drop = (ImGui::GetItemRectSize().y - font_height(context.fonts.small_text)) / 2;
  draw_text(context.fonts.small_text, {low.x + room + 12 * unit(context), low.y + drop}, {context.theme.inks.dim_text},
            right);
  return ImGui::IsMouseHoveringRect(low, ImGui::GetItemRectMax());
}

// Says below the entries why the one under the pointer, else the chosen one, cannot be used now.
void draw_obstacle(const ViewContext& context, std::string_view obstacle) {
  push_font(context.fonts.small_text);
  const ImFont* const font = context.fonts.small_text;
  dim_text(context, obstacle.empty() ? " " : fit_text(font, std::string(obstacle), palette_width * unit(context)));
  register_item(context, "palette/obstacle");
  ImGui::PopFont();
}

void draw_palette_fields(const ViewContext& context, CallQueue& queue) {
  const Palette& palette = *context.now.view.transient.palette;
  std::string typed = palette.typed;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(palette_width * unit(context));
  if (text_field("##palette", "Type what you want to do or see", typed, most_typed_bytes))
    change_view(queue, [typed](ViewState& state) { state.transient.palette = Palette{.typed = typed}; });
  register_item(context, "palette/text");
  const bool is_entered = ImGui::IsWindowFocused() && is_key_pressed(keys::named(ImGuiKey_Enter));
  const std::vector<PaletteEntry> found = found_entries(palette_entries(context), palette.typed);
  const int last = std::max(static_cast<int>(found.size()) - 1, 0);
  const int step = (is_key_pressed(keys::named(ImGuiKey_DownArrow), true) ? 1 : 0) -
                   (is_key_pressed(keys::named(ImGuiKey_UpArrow), true) ? 1 : 0);
  const int chosen = std::clamp(palette.chosen + step, 0, last);
  if (chosen != palette.chosen)
    change_view(queue, [chosen](ViewState& state) {
      if (state.transient.palette) state.transient.palette->chosen = chosen;
    });
  const float height = static_cast<float>(rows_in_sight) * ImGui::GetTextLineHeightWithSpacing();
  ImGui::BeginChild("entries", {palette_width * unit(context), height}, false, ImGuiWindowFlags_NoNav);
  if (found.empty()) dim_text(context, "Nothing has this name.");
  int told = chosen;
  for (int number = 0; number < static_cast<int>(found.size()); ++number)
    if (draw_entry(context, queue, found[static_cast<std::size_t>(number)], number, number == chosen)) told = number;
  ImGui::EndChild();
  draw_obstacle(context, found.empty() ? "" : found[static_cast<std::size_t>(told)].obstacle);
  if (is_entered && !found.empty()) choose_entry(context, queue, found[static_cast<std::size_t>(chosen)]);
}

}  // namespace

Entries palette_entries(const ViewContext& context) {
  Entries entries;
  add_actions(entries, context);
  add_submenus(entries, context);
  add_layouts(entries, context);
  add_stages(entries, context);
  add_presented_stages(entries, context);
  add_mechanisms(entries, context);
  add_fields(entries, context);
  add_settings(entries, context);
  add_lessons(entries, context);
  return entries;
}

void open_palette(CallQueue& queue) {
  change_view(queue, [](ViewState& state) { state.transient.palette = Palette{}; });
}

void draw_palette(const ViewContext& context, CallQueue& queue) {
  if (!context.now.view.transient.palette) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y * from_top}, ImGuiCond_Appearing, {0.5F, 0});
  const bool is_open =
      floating_window(context, "Commands", ImGuiWindowFlags_NoNavInputs, [&] { draw_palette_fields(context, queue); });
  if (!is_open) close_palette(queue);
}

}  // namespace attnscope
