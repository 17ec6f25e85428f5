#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "document/edit.h"
#include "features/setup/panel/mask_presets.h"
#include "features/shared/panel/panels.h"
#include "features/studies/panel/study.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

// Draws the row of the batch size, which is the only count among the options.
void draw_field(const ViewContext& context, CommandQueue& queue, const CountField&) {
  int value = static_cast<int>(context.now.document.config.batch_size);
  const std::string_view reason = begins_with_heads(context.now.document.config)
                                      ? "There are as many batch entries as the given queries have."
                                      : "";
  begin_row(context, "batch size", reason);
  if (value_step_slider(context, "##batch_size", value, 1, 8)) {
    const Index size = std::clamp<Index>(value, 1, max_batch);
    queue.push_back(EditDocument{"batch size", [size](Document& document) { set_batch_size(document, size); }, false});
  }
  if (ImGui::IsItemDeactivated()) queue.push_back(FinishEdit{});
  end_row(context, "setup/batch_size", reason,
          "Copies of the inputs, stacked. They differ in their dropout mask only. Ctrl+click to type up to 64.");
}

struct OrderChoice {
  std::array<Projection, 3> order;
  const char* label;
  const char* short_label;
};
void draw_weight_order(const ViewContext& context, CommandQueue& queue) {
  using enum Projection;
  static constexpr OrderChoice orders[] = {
      {{query, key, value}, "query, key, value", "Q, K, V"}, {{query, value, key}, "query, value, key", "Q, V, K"},
      {{key, query, value}, "key, query, value", "K, Q, V"}, {{key, value, query}, "key, value, query", "K, V, Q"},
      {{value, query, key}, "value, query, key", "V, Q, K"}, {{value, key, query}, "value, key, query", "V, K, Q"}};
  const AttentionConfig& config = context.now.document.config;
  std::vector<Choice> choices;
  for (const OrderChoice& choice : orders)
    choices.push_back({.label = choice.label, .short_label = choice.short_label});
  const auto at = std::ranges::find(orders, config.weight_order, &OrderChoice::order) - std::begin(orders);
  const bool has_weights = info(config.mechanism).weight_style != WeightStyle::none;
  draw_why_of_control(context, queue, "weight_order", "draw order");
  const int chosen = choose(context, "draw order", "setup/weight_order", choices, static_cast<int>(at),
                            has_weights ? "" : "This mechanism has no weights to draw.",
                            "Order in which the class declares its weights. It decides which random numbers each one "
                            "gets.");
  if (chosen < 0) return;
  queue.push_back(EditDocument{"weight order",
                               [chosen](Document& document) { document.config.weight_order = orders[chosen].order; }});
}

void draw_backend(const ViewContext& context, CommandQueue& queue) {
  const Choice choices[] = {{"serial"}, {"OpenMP", has_openmp ? "" : "This program was built without OpenMP."}};
  const int chosen = choose(context, "engine", "setup/backend", choices, static_cast<int>(context.now.view.backend), {},
                            "One thread (serial), or several (OpenMP). Both give the same bits.");
  if (chosen >= 0) {
    queue.push_back(UpdateView{[chosen](ViewState& state) { state.backend = static_cast<Backend>(chosen); }});
  }
  const std::string_view reason =
      context.now.view.backend == Backend::serial ? "The serial engine has one thread." : "";
  int threads = context.now.view.threads;
  begin_row(context, "threads", reason);
  if (value_step_slider(context, "##threads", threads, 0, 16, threads == 0 ? "all" : "%.0f")) {
    queue.push_back(UpdateView{[threads](ViewState& state) { state.threads = std::clamp(threads, 0, 256); }});
  }
  end_row(context, "setup/threads", reason, "Number of threads for OpenMP; all: one for each of the machine's cores.");
}

}  // namespace

void draw_options(const ViewContext& context, CommandQueue& queue) {
  constexpr std::array<std::string_view, 5> elsewhere = {"mechanism", "d_out", "num_heads", "dropout", "seed"};
  visit_fields([&](const auto& field) {
    if (std::ranges::find(elsewhere, field.key) != elsewhere.end()) return;
    draw_field(context, queue, field);
    if (field.key == "mask") draw_mask_presets(context, queue);
    if (field.key == "softcap") draw_bias(context, queue);
  });
  draw_weight_order(context, queue);
  draw_backend(context, queue);
}

}  // namespace attnscope
