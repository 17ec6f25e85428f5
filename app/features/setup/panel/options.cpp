#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "core/evaluate.h"
#include "document/edit.h"
#include "features/setup/panel/mask_presets.h"
#include "features/shared/panel/panels.h"
#include "features/studies/panel/study.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

template <typename Change>
void edit_option(CommandQueue& queue, const char* label, Change change) {
  queue.push_back(EditDocument{label, change, true});
}

// A row with a list; what is chosen becomes an edit.
struct ChoiceRow {
  const char* label;
  std::string_view name;
  std::string_view reason;
  std::string_view help;
  const char* edit;  // what undo will say
  void (*set)(Document& document, int index);
};

void draw_choice(const ViewContext& context, CommandQueue& queue, const ChoiceRow& row, std::span<const Choice> choices,
                 int current) {
  draw_why_of_control(context, queue, row.name.substr(row.name.find('/') + 1), row.label);
  const int chosen = choose(context, row.label, row.name, choices, current, row.reason, row.help);
  if (chosen < 0) return;
  edit_option(queue, row.edit, [chosen, set = row.set](Document& document) { set(document, chosen); });
}

void draw_mask(const ViewContext& context, CommandQueue& queue) {
  const AttentionConfig& config = context.now.document.config;
  const bool sums = config.mechanism == Mechanism::simple_self_attention && config.normalization == Normalization::sum;
  const Choice choices[] = {
      {"none"},
      {"causal: −∞", sums ? "A sum that contains −∞ cannot be divided by: choose softmax first." : ""},
      {"after softmax: × 0"},
      {"× 0, renormalized"},
      {"custom: −∞", sums ? "A sum that contains −∞ cannot be divided by: choose softmax first." : ""}};
  draw_choice(context, queue,
              {"mask", "setup/mask", "",
               "How keys after the query are hidden: minus infinity before softmax, or zeros after it.", "mask",
               [](Document& to, int index) { set_mask(to, static_cast<MaskRoute>(index)); }},
              choices, static_cast<int>(config.mask));
}

void draw_normalization(const ViewContext& context, CommandQueue& queue) {
  const AttentionConfig& config = context.now.document.config;
  const bool simple = config.mechanism == Mechanism::simple_self_attention;
  const bool hides_scores = has_stage(config, Stage::masked_scores);
  const Choice choices[] = {
      {"softmax"}, {"sum", hides_scores ? "Impossible with −∞ in the scores: choose another mask first." : ""}};
  draw_choice(context, queue,
              {"normalize", "setup/normalization",
               simple ? "" : "Only simple self-attention can divide by the sum; the others use softmax.",
               "How a row of scores becomes weights.", "normalization",
               [](Document& to, int index) { to.config.normalization = static_cast<Normalization>(index); }},
              choices, simple ? static_cast<int>(config.normalization) : 0);
}

void draw_check(const ViewContext& context, CommandQueue& queue, const char* label, std::string_view name, bool is_on,
                void (*set)(Document&, bool), const char* text, std::string_view reason, std::string_view help) {
  bool value = is_on;
  begin_row(context, label, reason);
  ImGui::PushID(label);
  if (ImGui::Checkbox(text, &value)) {
    edit_option(queue, label, [set, value](Document& document) { set(document, value); });
  }
  ImGui::PopID();
  end_row(context, name, reason, help, {.is_on = is_on});
}

void draw_training(const ViewContext& context, CommandQueue& queue) {
  const bool drops = info(context.now.document.config.mechanism).has_dropout;
  draw_choice(context, queue,
              {"mode", "setup/training", drops ? "" : "Without dropout, training and evaluation are the same.",
               "Dropout acts in training only: model.train() or model.eval().", "mode",
               [](Document& to, int index) { to.config.training = index == 0; }},
              std::array<Choice, 2>{{{"training"}, {"evaluation"}}}, context.now.document.config.training ? 0 : 1);
}

void draw_batch_size(const ViewContext& context, CommandQueue& queue) {
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

void draw_dropout_kernel(const ViewContext& context, CommandQueue& queue) {
  const AttentionConfig& config = context.now.document.config;
  draw_choice(
      context, queue,
      {"dropout as on", "setup/dropout_kernel",
       info(config.mechanism).has_dropout ? "" : "Dropout begins with causal attention.",
       "One seed, two masks: PyTorch built with Intel MKL and running on an Intel processor draws its dropout mask "
       "from one random word and a stream that follows from it; on AMD, Arm and Apple processors, or built without "
       "MKL, it draws two words for every weight. Choose the machine whose numbers you compare with.",
       "dropout kernel", [](Document& to, int index) { to.config.dropout_kernel = static_cast<DropoutKernel>(index); }},
      std::array<Choice, 2>{{{.label = "Intel with MKL (the book's notebooks)", .short_label = "Intel, MKL"},
                             {.label = "any other machine", .short_label = "any other"}}},
      static_cast<int>(config.dropout_kernel));
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
  draw_choice(context, queue,
              {"draw order", "setup/weight_order", has_weights ? "" : "This mechanism has no weights to draw.",
               "Order in which the class declares its weights. It decides which random numbers each one gets.",
               "weight order", [](Document& to, int index) { to.config.weight_order = orders[index].order; }},
              choices, static_cast<int>(at));
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
  const MechanismInfo& mechanism = info(context.now.document.config.mechanism);
  const bool linear = mechanism.weight_style == WeightStyle::linear;
  draw_check(
      context, queue, "qkv bias", "setup/qkv_bias", context.now.document.config.qkv_bias,
      [](Document& document, bool is_on) { document.config.qkv_bias = is_on; }, "add a bias",
      linear ? "" : "Only nn.Linear has a bias: from self-attention v2 upwards.",
      "Whether W_query, W_key and W_value add a bias.");
  draw_mask(context, queue);
  draw_mask_presets(context, queue);
  const std::optional<double> factor = context.now.document.config.scale_factor;
  const std::string scaling = factor ? fmt::format("× {:.4g}", *factor) : "÷ √head_dim";
  draw_check(context, queue, "scaling", "setup/scale", context.now.document.config.scale, set_scaling, scaling.c_str(),
             {}, "Divide the scores by the square root of head_dim, so that they do not grow with it.");
  for (const NumberField& field : number_fields()) {
    if (field.can_be_off) draw_number_slider(context, queue, field);
  }
  draw_normalization(context, queue);
  draw_training(context, queue);
  draw_batch_size(context, queue);
  draw_dropout_kernel(context, queue);
  for (const WholeField& field : whole_fields()) {
    if (field.key != seed_field().key) draw_whole_row(context, queue, field);
  }
  draw_weight_order(context, queue);
  draw_backend(context, queue);
}

}  // namespace attnscope
