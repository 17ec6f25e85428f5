#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "views/number_slider.h"
#include "views/panels.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

struct Choice {
  const char* label;
  std::string_view reason;  // why it cannot be chosen; empty when it can
};

// A combo over `choices`; returns the newly chosen index or -1.
int choose(const ViewContext& context, const char* label, std::string_view name, std::span<const Choice> choices,
           int current, std::string_view reason, std::string_view help) {
  int chosen = -1;
  begin_row(context, label, reason);
  ImGui::PushID(label);
  const bool open = ImGui::BeginCombo("##combo", choices[static_cast<std::size_t>(current)].label);
  if (open) {
    for (int index = 0; index < static_cast<int>(choices.size()); ++index) {
      const Choice& choice = choices[static_cast<std::size_t>(index)];
      const ImGuiSelectableFlags flags = choice.reason.empty() ? 0 : ImGuiSelectableFlags_Disabled;
      if (ImGui::Selectable(choice.label, index == current, flags) && index != current) chosen = index;
      register_item(context, fmt::format("{}/{}", name, index), choice.reason.empty());
      item_tooltip(choice.reason);
    }
    ImGui::EndCombo();
  }
  ImGui::PopID();
  end_row(context, name, reason, open ? std::string_view{} : help);
  return chosen;
}

template <typename Change>
void edit_option(CommandQueue& queue, const char* label, Change change) {
  queue.push_back(EditDocument{label, change, true});
}

void draw_mask(const ViewContext& context, CommandQueue& queue) {
  const AttentionConfig& config = context.document.config;
  const bool sums = config.mechanism == Mechanism::simple_self_attention && config.normalization == Normalization::sum;
  const std::array<Choice, 4> choices = {
      {{"none", {}},
       {"causal: −∞", sums ? "A sum that contains −∞ shares nothing out: choose softmax first." : ""},
       {"after softmax: × 0", {}},
       {"× 0, renormalized", {}}}};
  const int chosen = choose(context, "mask", "setup/mask", choices, static_cast<int>(config.mask), {},
                            "How keys after the query are hidden: minus infinity before softmax, or zeros after it.");
  if (chosen >= 0) {
    edit_option(queue, "mask", [chosen](Document& document) { document.config.mask = static_cast<MaskRoute>(chosen); });
  }
}

void draw_normalization(const ViewContext& context, CommandQueue& queue) {
  const AttentionConfig& config = context.document.config;
  const bool simple = config.mechanism == Mechanism::simple_self_attention;
  const bool causal = config.mask == MaskRoute::causal;
  const std::array<Choice, 2> choices = {
      {{"softmax", {}}, {"sum", causal ? "Not with −∞ in the scores: choose another mask first." : ""}}};
  const int chosen =
      choose(context, "normalize", "setup/normalization", choices, simple ? static_cast<int>(config.normalization) : 0,
             simple ? "" : "Only simple self-attention can divide by the sum; the others use softmax.",
             "What turns a row of scores into weights.");
  if (chosen >= 0) {
    edit_option(queue, "normalization",
                [chosen](Document& document) { document.config.normalization = static_cast<Normalization>(chosen); });
  }
}

void draw_check(const ViewContext& context, CommandQueue& queue, const char* label, std::string_view name,
                bool AttentionConfig::*field, const char* text, std::string_view reason, std::string_view help) {
  bool value = context.document.config.*field;
  begin_row(context, label, reason);
  ImGui::PushID(label);
  if (ImGui::Checkbox(text, &value)) {
    edit_option(queue, label, [field, value](Document& document) { document.config.*field = value; });
  }
  ImGui::PopID();
  end_row(context, name, reason, help);
}

void draw_training(const ViewContext& context, CommandQueue& queue) {
  const bool drops = info(context.document.config.mechanism).has_dropout;
  static constexpr std::array<Choice, 2> choices = {{{"training", {}}, {"evaluation", {}}}};
  const int chosen = choose(context, "mode", "setup/training", choices, context.document.config.training ? 0 : 1,
                            drops ? "" : "Without dropout, training and evaluation are the same.",
                            "Dropout acts in training only: model.train() or model.eval().");
  if (chosen >= 0) {
    edit_option(queue, "mode", [chosen](Document& document) { document.config.training = chosen == 0; });
  }
}

void draw_batch_size(const ViewContext& context, CommandQueue& queue) {
  int value = static_cast<int>(context.document.config.batch_size);
  begin_row(context, "batch size");
  if (step_slider("##batch_size", value, 1, 8)) {
    const Index size = std::clamp<Index>(value, 1, max_batch);
    queue.push_back(
        EditDocument{"batch size", [size](Document& document) { document.config.batch_size = size; }, false});
  }
  if (ImGui::IsItemDeactivated()) queue.push_back(FinishEdit{});
  end_row(context, "setup/batch_size", {},
          "Copies of the inputs, stacked. They differ in their dropout mask only. Ctrl+click to type up to 64.");
}

void draw_dropout_kernel(const ViewContext& context, CommandQueue& queue) {
  const bool drops = info(context.document.config.mechanism).has_dropout;
  static constexpr std::array<Choice, 2> choices = {{{"Intel + MKL", {}}, {"everywhere else", {}}}};
  const int chosen = choose(
      context, "kernel", "setup/dropout_kernel", choices, static_cast<int>(context.document.config.dropout_kernel),
      drops ? "" : "Dropout begins with causal attention.",
      "One seed, two masks: PyTorch built with Intel MKL and running on an Intel processor draws its dropout mask from "
      "one random word and a stream that follows from it; on AMD, Arm and Apple processors, or built without MKL, it "
      "draws "
      "two words for every weight. Choose the one that the notebook's reader has.");
  if (chosen >= 0) {
    edit_option(queue, "dropout kernel",
                [chosen](Document& document) { document.config.dropout_kernel = static_cast<DropoutKernel>(chosen); });
  }
}

using Order = std::array<Projection, 3>;
constexpr std::array<Order, 6> orders = {{{Projection::query, Projection::key, Projection::value},
                                          {Projection::query, Projection::value, Projection::key},
                                          {Projection::key, Projection::query, Projection::value},
                                          {Projection::key, Projection::value, Projection::query},
                                          {Projection::value, Projection::query, Projection::key},
                                          {Projection::value, Projection::key, Projection::query}}};

void draw_weight_order(const ViewContext& context, CommandQueue& queue) {
  const AttentionConfig& config = context.document.config;
  static constexpr std::array<Choice, 6> choices = {{{"query, key, value", {}},
                                                     {"query, value, key", {}},
                                                     {"key, query, value", {}},
                                                     {"key, value, query", {}},
                                                     {"value, query, key", {}},
                                                     {"value, key, query", {}}}};
  const auto at = std::find(orders.begin(), orders.end(), config.weight_order);
  const bool has_weights = info(config.mechanism).weight_style != WeightStyle::none;
  const int chosen =
      choose(context, "draw order", "setup/weight_order", choices, static_cast<int>(at - orders.begin()),
             has_weights ? "" : "This mechanism has no weights to draw.",
             "Order in which the class declares its weights. It decides which random numbers each one gets.");
  if (chosen >= 0) {
    edit_option(queue, "weight order", [chosen](Document& document) {
      document.config.weight_order = orders[static_cast<std::size_t>(chosen)];
    });
  }
}

void draw_backend(const ViewContext& context, CommandQueue& queue) {
  const std::array<Choice, 2> choices = {
      {{"serial", {}}, {"OpenMP", has_openmp ? "" : "This program was built without OpenMP."}}};
  const int chosen = choose(context, "engine", "setup/backend", choices, static_cast<int>(context.view.backend), {},
                            "Who computes: one thread, or OpenMP on several. The results are the same bits.");
  if (chosen >= 0) {
    queue.push_back(UpdateView{[chosen](ViewState& state) { state.backend = static_cast<Backend>(chosen); }});
  }
  const std::string_view reason = context.view.backend == Backend::serial ? "The serial engine has one thread." : "";
  int threads = context.view.threads;
  begin_row(context, "threads", reason);
  if (step_slider("##threads", threads, 0, 16, threads == 0 ? "all" : "%.0f")) {
    queue.push_back(UpdateView{[threads](ViewState& state) { state.threads = std::clamp(threads, 0, 256); }});
  }
  end_row(context, "setup/threads", reason, "Threads that OpenMP may use; all: as many as the machine has.");
}

}  // namespace

void draw_options(const ViewContext& context, CommandQueue& queue) {
  const MechanismInfo& mechanism = info(context.document.config.mechanism);
  const bool linear = mechanism.weight_style == WeightStyle::linear;
  draw_check(context, queue, "qkv bias", "setup/qkv_bias", &AttentionConfig::qkv_bias, "add a bias",
             linear ? "" : "Only nn.Linear has a bias: from self-attention v2 upwards.",
             "Whether W_query, W_key and W_value add a bias.");
  draw_mask(context, queue);
  draw_check(context, queue, "scaling", "setup/scale", &AttentionConfig::scale, "÷ √head_dim", {},
             "Divide the scores by the square root of head_dim, so that softmax stays soft.");
  for (const NumberField& field : number_fields()) {
    if (field.can_be_off) draw_number_slider(context, queue, field);
  }
  draw_normalization(context, queue);
  draw_training(context, queue);
  draw_batch_size(context, queue);
  draw_dropout_kernel(context, queue);
  draw_weight_order(context, queue);
  draw_backend(context, queue);
}

}  // namespace attnscope
