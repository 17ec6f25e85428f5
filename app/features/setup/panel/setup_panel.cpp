#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include "core/text.h"
#include "document/edit.h"
#include "features/edit/panel/cell_edits.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float seed_field_width = 44;
constexpr int slider_seeds = 1000;  // the slider's end; any seed can be typed

// Returns why a mechanism cannot be chosen: the last one begins with given queries, keys and values.
std::string_view obstacle_to(const ViewContext& context, const MechanismInfo& mechanism) {
  const bool is_there =
      mechanism.mechanism != Mechanism::scaled_dot_product_attention || begins_with_heads(context.now.document.config);
  return is_there ? "" : "Open a file that holds queries, keys and values: File > Open.";
}

void draw_rung(const ViewContext& context, CallQueue& queue, const MechanismInfo& mechanism) {
  const bool is_chosen = mechanism.mechanism == context.now.document.config.mechanism;
  const std::string_view obstacle = obstacle_to(context, mechanism);
  const std::string label = fmt::format("{}  {}", rung_of(mechanism.mechanism),
                                        mechanism.short_title.empty() ? mechanism.title : mechanism.short_title);
  ImGui::BeginDisabled(!obstacle.empty());
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(is_chosen ? context.theme.inks.accent : context.theme.inks.text));
  if (ImGui::Selectable(label.c_str(), is_chosen) && !is_chosen) {
    edit_document(queue,
                  {"mechanism", [id = mechanism.mechanism](Document& document) { set_mechanism(document, id); }});
  }
  ImGui::PopStyleColor();
  ImGui::EndDisabled();
  register_item(context, fmt::format("setup/mechanism/{}", mechanism.id),
                {.enabled = obstacle.empty(), .is_on = is_chosen});
  const std::string what(mechanism.notebook_class.empty() ? mechanism.title : mechanism.notebook_class);
  item_tooltip(context, obstacle.empty() ? fmt::format("{}: {}", what, mechanism.adds) : std::string(obstacle));
}

void draw_ladder(const ViewContext& context, CallQueue& queue) {
  section_heading(context, "Mechanism");
  draw_setup_switch(context, queue);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * unit(context), 6 * unit(context)});
  for (const MechanismInfo& mechanism : every_mechanism()) draw_rung(context, queue, mechanism);
  ImGui::PopStyleVar();
}

// Draws the origin of queries, keys and values that no embeddings made.
void draw_origin(const ViewContext& context) {
  section_heading(context, "Queries, keys and values");
  const std::string& origin = context.now.document.config.heads.origin;
  dim_text(context, fmt::format("They are {}, so there are no embeddings to change.",
                                origin.empty() ? "written in the document" : "those of " + shown_text(origin)));
}

// Returns an end of the slider that fits the value and stays while it is dragged.
int slider_end(const char* id, Index value, Index last) {
  static constexpr std::array<int, 6> ends = {16, 64, 256, 1024, 4096, 12288};
  ImGuiStorage& storage = *ImGui::GetStateStorage();
  const ImGuiID key = ImGui::GetID(id);
  const int kept = storage.GetInt(key, 0);
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left) && kept != 0 && value <= kept) return kept;
  int end = ends.back();
  for (const int candidate : ends) {
    if (value <= candidate) {
      end = candidate;
      break;
    }
  }
  end = std::min(end, static_cast<int>(last));
  storage.SetInt(key, end);
  return end;
}

void draw_d_out(const ViewContext& context, CallQueue& queue) {
  const AttentionConfig& config = context.now.document.config;
  const bool has_weights = info(config.mechanism).weight_style != WeightStyle::none;
  const std::string_view reason = config_field<CountField>("d_out").reason(config);
  int value = static_cast<int>(has_weights ? config.d_out : input_features(config));
  const int end = slider_end("d_out_end", value, max_features);
  const bool is_of_each_head = has_own_heads(config);
  if (!is_of_each_head) draw_why_of_control(context, queue, "d_out", "d_out");
  begin_row(context, is_of_each_head ? "d_out per head" : "d_out", reason);
  if (value_step_slider(context, "##d_out", value, 1, end)) {
    const Index d_out = std::clamp<Index>(value, 1, max_features);
    edit_document(queue, held_edit("d_out", [d_out](Document& document) { set_d_out(document, d_out); }));
  }
  finish_when_let_go(queue);
  const std::string comes_out =
      is_of_each_head
          ? fmt::format("Size of the vectors that come out of each head: {} heads of {} numbers give {} together.",
                        config.num_heads, config.d_out, context_features(config))
          : "Size of the vectors that come out.";
  end_row(context, "setup/d_out", reason, comes_out + " Ctrl+click to type.");
}

void edit_num_heads(CallQueue& queue, Index heads) {
  edit_document(queue, held_edit("heads", [heads](Document& document) { set_num_heads(document, heads); }));
}

// Switches heads on and off, beside their number.
void draw_head_switches(const ViewContext& context, CallQueue& queue) {
  const AttentionConfig& config = context.now.document.config;
  const std::size_t off = config.heads_off.size();
  const std::string state = off == 0 ? "All heads are on." : fmt::format("{} of {} heads off.", off, config.num_heads);
  ImGui::PushStyleColor(ImGuiCol_Text, to_u32(off == 0 ? context.theme.inks.text : context.theme.inks.warning));
  const bool is_open = ImGui::BeginCombo("##heads_off", "", ImGuiComboFlags_HeightLarge | ImGuiComboFlags_NoPreview);
  ImGui::PopStyleColor();
  register_opener(context, "setup/heads_off", is_open);
  if (!is_open) return item_tooltip(context, state + " Switch them here: the context of a head that is off is zero.");
  for (Index head = 0; head < config.num_heads; ++head) {
    const bool is_on = !is_off(config, head);
    const std::string label = fmt::format("Head {} {}", head + 1, is_on ? "" : "(off)");
    if (text_item(static_cast<int>(head), label, is_on, ImGuiSelectableFlags_DontClosePopups))
      switch_head(context, queue, head);
    register_item(context, fmt::format("setup/heads_off/{}", head), {.is_on = is_on});
  }
  ImGui::EndCombo();
}

// Dragged, the slider stands on allowed numbers only. A typed one that is not allowed is refused once it is entered,
// not while it is typed: 2 is the beginning of 25.
void draw_num_heads(const ViewContext& context, CallQueue& queue) {
  const AttentionConfig& config = context.now.document.config;
  const bool has_heads = info(config.mechanism).has_heads;
  const std::string_view reason = config_field<CountField>("num_heads").reason(config);
  const std::vector<Index> allowed = allowed_head_counts(context.now.document);
  draw_why_of_control(context, queue, "num_heads", "heads");
  begin_row(context, "heads", reason);
  const float gap = 4 * unit(context);
  if (has_heads) ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() - gap);
  int& refused = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("refused_heads"));
  int heads = refused != 0 ? refused : static_cast<int>(has_heads ? config.num_heads : 1);
  if (value_step_slider(context, "##heads", heads, 1, static_cast<int>(allowed.back()), "%.0f",
                        ImGuiSliderFlags_Logarithmic)) {
    const auto distance = [heads](Index count) { return std::abs(count - heads); };
    const Index nearest = std::ranges::min(allowed, {}, distance);
    refused = is_slider_typed() && nearest != heads ? heads : 0;
    if (refused == 0) edit_num_heads(queue, nearest);
  }
  if (ImGui::IsItemDeactivated() && refused != 0) edit_num_heads(queue, std::exchange(refused, 0));
  finish_when_let_go(queue);
  end_row(context, "setup/num_heads", reason,
          "Number of heads. In multi-head attention it divides d_out. Ctrl+click to type.");
  if (!has_heads) return;
  ImGui::SameLine(0, gap);
  draw_head_switches(context, queue);
}

auto seed_of(std::uint64_t seed) {
  return [seed](Document& document) { document.config.seed = seed; };
}

// Draws a slider for looking around, a field for any seed, and dice for surprise.
void draw_seed(const ViewContext& context, CallQueue& queue) {
  const std::uint64_t seed = context.now.document.config.seed;
  const auto& seed_field = config_field<IntegerField>("seed");
  const std::string_view reason = seed_field.reason(context.now.document.config);
  draw_why_of_control(context, queue, "seed", "seed");
  begin_row(context, "seed", reason);
  const float dice = ImGui::GetFrameHeight();
  const float field = seed_field_width * unit(context);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - dice - field - 2 * ImGui::GetStyle().ItemInnerSpacing.x);
  int slid = static_cast<int>(std::min<std::uint64_t>(seed, slider_seeds));
  if (track_slider(context, "##seed_slider", slid, 0, slider_seeds))
    edit_document(queue, held_edit("seed", seed_of(static_cast<std::uint64_t>(slid))));
  finish_when_let_go(queue);
  register_item(context, "setup/seed_slider", {.enabled = reason.empty(), .value = static_cast<double>(slid)});
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::SetNextItemWidth(field);
  draw_whole_input(context, queue, seed_field);
  register_item(context, "setup/seed", {.enabled = reason.empty()});
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  if (ImGui::Button("⚄", {dice, dice})) edit_document(queue, {"seed", seed_of(std::random_device{}() % slider_seeds)});
  end_row(context, "setup/dice", reason, "Another seed");
}

void draw_options_section(const ViewContext& context, CallQueue& queue) {
  const bool tall = ImGui::GetWindowHeight() > 1120 * unit(context);  // a sentence has room below them, too
  const bool is_open = context.now.view.show_options.value_or(tall);
  ImGui::SetNextItemOpen(is_open, ImGuiCond_Always);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, ImGui::GetStyle().FramePadding.y});
  const bool open =
      ImGui::TreeNodeEx("More options", ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth);
  ImGui::PopStyleVar();
  register_item(context, "setup/options");
  if (open != is_open) {
    change_view(queue, [open](ViewState& state) { state.show_options = open; });
  }
  if (is_open) draw_options(context, queue);
}

}  // namespace

void draw_setup_panel(const ViewContext& context, CallQueue& queue) {
  if (!context.now.view.transient.pointed.empty() && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    change_view(queue, [](ViewState& state) { state.transient.pointed.clear(); });
  if (context.now.viewing) return draw_viewing_setup(context, queue);
  push_font(context.fonts.small_text);
  const bool is_of_model = context.now.document.model != nullptr;
  is_of_model ? draw_model_setup(context, queue) : draw_ladder(context, queue);
  ImGui::Dummy({0, 2 * unit(context)});
  if (!is_of_model) draw_d_out(context, queue);
  draw_num_heads(context, queue);
  draw_field(context, queue, config_field<NumberField>("dropout"));
  draw_seed(context, queue);
  ImGui::Dummy({0, 2 * unit(context)});
  draw_options_section(context, queue);
  ImGui::Dummy({0, 2 * unit(context)});
  if (begins_with_heads(context.now.document.config)) {
    draw_origin(context);
  } else if (!is_of_model) {
    draw_tokens(context, queue);
  }
  ImGui::PopFont();
}

}  // namespace attnscope
