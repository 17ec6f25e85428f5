#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/model/transformer.h"
#include "core/text.h"
#include "features/lessons/lesson_controller.h"
#include "features/model/model_controller.h"
#include "features/model/panel/model_plan.h"
#include "features/predict/panel/covering.h"
#include "features/shared/panel/calls.h"
#include "ui/widgets.h"
#include "view/number_words.h"

// What stands beside the pictures of a model's heads: its text at the left; at the right the likeliest next words, and
// the heads without which one of these becomes much less likely.
namespace attnscope {
namespace {

constexpr float coldest = 0.1F;  // temperature
constexpr float hottest = 3;
constexpr std::size_t most_falls = 5;   // heads in the list of those that matter
constexpr Index most_arc_tokens = 160;  // up to here all arcs of a head are drawn, else those of the chosen position
constexpr float least_arc = 0.08F;      // weight that has an arc

void heading_line(const ViewContext& context, const ModelPlan& plan, std::string_view text) {
  ImGui::SetCursorScreenPos({plan.words, ImGui::GetCursorScreenPos().y});
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(fit_text(context.fonts.heading, text, plan.words_width - plan.gap).c_str());
  ImGui::PopFont();
}

void note_line(const ViewContext& context, const ModelPlan& plan, std::string_view text) {
  const ImFont* const font = context.fonts.small_text;
  const std::string lines = wrapped(font, text, plan.words_width - 2 * plan.gap);
  ImVec2 low{plan.words, ImGui::GetCursorScreenPos().y};
  for (const std::string_view line : split(lines, '\n')) {
    draw_text(font, low, {context.theme.inks.dim_text}, line);
    low.y += plan.line;
  }
  ImGui::SetCursorScreenPos({low.x, low.y + 2 * plan.unit});
}

void draw_heading_of_words(const ViewContext& context, const ModelPlan& plan) {
  const ModelRun& run = run_of(context);
  ImGui::SetCursorScreenPos({plan.words, plan.top - plan.line - plan.gap});
  const Index token = run.pass->tokens[static_cast<std::size_t>(run.next.position)];
  if (!says_words(*run.pass->model)) return heading_line(context, plan, "No words");
  const std::string_view what = run.pass->model->shape.sees_later_tokens ? "Word in place of" : "Next word after";
  heading_line(context, plan, fmt::format("{} “{}”", what, visible_name(context, token)));
}

void draw_next_word(const ViewContext& context, CallQueue& queue, const ModelPlan& plan, Index token) {
  const ModelRun& run = run_of(context);
  const ImFont* const font = context.fonts.small_text;
  const auto place = static_cast<std::size_t>(token);
  const float now = run.next.probabilities[place];
  const float before = run.original.probabilities[place];
  const bool is_changed = run.original_pass != run.pass;
  const ImVec2 low{plan.words, ImGui::GetCursorScreenPos().y};
  const float height = plan.line + 5 * plan.unit;
  ImGui::SetCursorScreenPos(low);
  const std::string name = fmt::format("model/next/{}", token);
  if (ImGui::InvisibleButton(name.c_str(), {plan.words_width - plan.gap, height}))
    change_view(queue, [token](ViewState& state) { state.model.token = token; });
  const bool is_followed = context.now.model.ranking && context.now.model.ranking->token == token;
  if (ImGui::IsItemHovered())
    fill_box(low, {low.x + plan.words_width - plan.gap, low.y + height}, {context.theme.inks.row_hovered},
             3 * plan.unit);
  register_item(context, name, {.is_on = is_followed, .value = static_cast<double>(now)});
  item_tooltip(context, is_changed ? fmt::format("Unchanged, the model gives it {}. A click follows this word.",
                                                 format_probability(before))
                                   : "A click follows this word: the numbers below the heads are of its probability.");
  const float names = 88 * plan.unit;
  const float numbers = text_size(font, "100 %").x + plan.gap;
  const float bar = plan.words_width - plan.gap - names - numbers;
  const float y = low.y + (height - plan.line) / 2;
  draw_text(font, {low.x, y}, {is_followed ? context.theme.inks.accent : context.theme.inks.text},
            fit_text(font, visible_name(context, token), names - plan.gap / 2));
  const float rim = 3 * plan.unit;
  fill_box({low.x + names, low.y + rim}, {low.x + names + std::max(now * bar, plan.unit), low.y + height - rim},
           {context.theme.inks.accent, 0.75}, 2 * plan.unit);
  if (is_changed) {
    const float x = low.x + names + std::max(before * bar, plan.unit);
    outline_box({low.x + names, low.y + rim}, {x, low.y + height - rim}, {context.theme.inks.dim_text}, plan.unit,
                2 * plan.unit);
  }
  const std::string number = format_probability(now);
  draw_text(font, {low.x + plan.words_width - plan.gap - text_size(font, number).x, y}, {context.theme.inks.text},
            number);
  ImGui::SetCursorScreenPos({plan.words, low.y + height});
}

// The word whose probability the changes moved most: "“box”: 96.1 % → 12.0 %".
std::string largest_change(const ViewContext& context) {
  const ModelRun& run = run_of(context);
  Index token = 0;
  float most = -1;
  for (std::size_t i = 0; i < run.next.probabilities.size(); ++i) {
    const float change = std::abs(run.next.probabilities[i] - run.original.probabilities[i]);
    if (change <= most) continue;
    most = change;
    token = static_cast<Index>(i);
  }
  const auto place = static_cast<std::size_t>(token);
  const std::string before = format_probability(run.original.probabilities[place]);
  const std::string now = format_probability(run.next.probabilities[place]);
  return (before == now ? "No word's probability changed by 0.1 % or more."
                        : fmt::format("Changed most: “{}”, {} → {}.", visible_name(context, token), before, now)) +
         " Outlines are the unchanged model's.";
}

void draw_append_buttons(const ViewContext& context, CallQueue& queue, const ModelPlan& plan) {
  ImGui::SetCursorScreenPos({plan.words, ImGui::GetCursorScreenPos().y + plan.gap / 2});
  const TransformerShape& shape = run_of(context).pass->model->shape;
  const bool has_room = shape.sees_later_tokens || plan.tokens < shape.context_length;
  const std::string_view reason = has_room ? "" : "The text is as long as the model takes.";
  if (push_button(context, "model/append", shape.sees_later_tokens ? "Put in likeliest" : "Append likeliest", reason,
                  shape.sees_later_tokens ? "Puts the word into this place that the model holds most likely there"
                                          : "Appends the word that the model holds most likely after the text"))
    queue.push([](const Controllers& to) { to.models.append_word(false); });
  ImGui::SameLine(0, plan.gap);
  if (push_button(
          context, "model/draw", "Draw one", reason,
          shape.sees_later_tokens
              ? "Puts a word into this place that is drawn from the model's probabilities with the document's seed"
              : "Appends a word drawn from the model's probabilities with the document's seed"))
    queue.push([](const Controllers& to) { to.models.append_word(true); });
  ImGui::SetCursorScreenPos({plan.words, ImGui::GetCursorScreenPos().y});
  push_font(context.fonts.small_text);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("temperature");
  ImGui::SameLine(0, plan.gap);
  ImGui::SetNextItemWidth(plan.words + plan.words_width - 2 * plan.gap - ImGui::GetCursorScreenPos().x);
  float temperature = context.now.view.model.temperature;
  if (value_slider(context, "##temperature", temperature, coldest, hottest, "%.1f"))
    change_view(queue, [temperature](ViewState& state) {
      state.model.temperature = std::clamp(temperature, coldest, hottest);
    });
  register_item(context, "model/temperature", {.value = static_cast<double>(temperature)});
  item_tooltip(context,
               "Draw one takes the probabilities to the power of 1 ÷ temperature: below 1 likely words prevail");
  ImGui::PopFont();
}

void draw_arc(const ModelPlan& plan, Index query, Index key, const picture::Ink& ink, float thickness) {
  constexpr int pieces = 18;
  if (query == key) {
    const float radius = std::min(4 * plan.unit, plan.token / 3);
    return outline_circle({plan.arcs + radius, plan.token_y(query)}, radius, ink, thickness);
  }
  const float from = plan.token_y(query);
  const float to = plan.token_y(key);
  const float room = arc_width * plan.unit - plan.gap;
  const float reach = std::min(room, 8 * plan.unit + 0.5F * std::abs(from - to));
  ImVec2 before{plan.arcs, from};
  for (int piece = 1; piece <= pieces; ++piece) {
    const float angle = std::numbers::pi_v<float> * static_cast<float>(piece) / pieces;
    const ImVec2 next{plan.arcs + reach * std::sin(angle), from + (to - from) * (1 - std::cos(angle)) / 2};
    stroke_line(before, next, ink, thickness);
    before = next;
  }
}

}  // namespace

void draw_tokens_of_model(const ViewContext& context, CallQueue& queue, const ModelPlan& plan) {
  const ImFont* const font = context.fonts.small_text;
  const ModelRun& run = run_of(context);
  draw_text(font, {plan.left, plan.top - plan.line - plan.gap}, {context.theme.inks.dim_text}, "Text");
  const Index step = plan.name_step();
  for (Index position = 0; position < plan.tokens; ++position) {
    const ImVec2 low{plan.left, plan.token_y(position) - plan.token / 2};
    ImGui::SetCursorScreenPos(low);
    const std::string name = fmt::format("model/token/{}", position);
    if (ImGui::InvisibleButton(name.c_str(), {plan.text, plan.token})) {
      change_view(queue, [position](ViewState& state) {
        state.model.position = position;
        state.model.token.reset();
      });
    }
    const bool is_chosen = position == run.next.position;
    if (is_chosen || ImGui::IsItemHovered()) {
      fill_box(low, {low.x + plan.text - plan.gap / 2, low.y + plan.token},
               {is_chosen ? context.theme.inks.chosen : context.theme.inks.row_hovered}, 3 * plan.unit);
    }
    register_item(context, name, {.is_on = is_chosen});
    item_tooltip(context, run.pass->model->shape.sees_later_tokens
                              ? "Shows what the model holds likely in the place of this token"
                              : "Shows what the model holds likely after this token");
    if (position % step != 0 && !is_chosen) continue;
    const std::string text = fit_text(font, visible_name(context, run.pass->tokens[static_cast<std::size_t>(position)]),
                                      plan.text - 2 * plan.gap);
    draw_text(font, plan.name, {plan.left + plan.gap / 2, low.y + (plan.token - plan.name) / 2},
              {is_chosen ? context.theme.inks.accent : context.theme.inks.text}, text);
  }
}

void draw_arcs(const ViewContext& context, const ModelPlan& plan, const LayerPicture& picture, const Rgb& colour) {
  const Result& result = *run_of(context).layers[static_cast<std::size_t>(picture.layer)].result;
  const Index chosen = run_of(context).next.position;
  const bool hides = has_covers(context, picture.layer);
  std::vector<float> weights(static_cast<std::size_t>(plan.tokens));
  for (Index query = 0; query < plan.tokens; ++query) {
    if (query != chosen && plan.tokens > most_arc_tokens) continue;
    if (hides && is_covered(context, {.stage = Stage::weights, .head = picture.head, .row = query})) continue;
    read_cells(weights, result, Stage::weights, picture.head, {query, 0, 1, plan.tokens});
    for (Index key = 0; key < plan.tokens; ++key) {
      const float weight = weights[static_cast<std::size_t>(key)];
      if (weight < least_arc) continue;
      const double strength = static_cast<double>(weight) * (query == chosen ? 1.0 : 0.35);
      draw_arc(plan, query, key, {colour, strength}, (query == chosen ? 3.0F : 1.5F) * plan.unit);
    }
  }
}

void draw_falls(const ViewContext& context, CallQueue& queue, const ModelPlan& plan, float top, std::size_t most) {
  if (covers_next_words(context.now.lesson)) return;  // it names the word that is asked for
  const HeadRanking* const ranking = ranking_of(context);
  ImGui::SetCursorScreenPos({plan.words, top});
  heading_line(context, plan, "Without a head");
  if (!ranking) {
    const int share = static_cast<int>(100 * context.now.model.ranked.value_or(0));
    return note_line(context, plan, fmt::format("Trying each head: {} %.", share));
  }
  note_line(context, plan,
            fmt::format("How log p(“{}”) changes when one head is off{}:", visible_name(context, ranking->token),
                        plan.fall > 0 ? "; below its picture, too" : ""));
  std::vector<std::size_t> order(ranking->falls.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return std::abs(ranking->falls[i]); });
  order.resize(std::min(order.size(), most));
  for (const std::size_t i : order) {
    const auto number = static_cast<Index>(i);
    const LayerPicture picture{.layer = number / ranking->heads, .head = number % ranking->heads};
    ImGui::SetCursorScreenPos({plan.words, ImGui::GetCursorScreenPos().y});
    const std::string label = head_title(context, picture);
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const std::string text = change_text(-ranking->falls[i], 3);
    const float number_width = text_size(context.fonts.small_text, text).x;
    const std::string wrapped_label =
        wrapped(context.fonts.small_text, label, plan.words_width - 3 * plan.gap - number_width);
    const std::vector<std::string_view> lines = split(wrapped_label, '\n');
    const float height = static_cast<float>(lines.size()) * plan.line + 3 * plan.unit;
    const bool is_cut = plan.large_side > 0 && low.y + height > ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
    if (is_cut) return;  // before an audience nothing scrolls
    if (ImGui::InvisibleButton(label.c_str(), {plan.words_width - plan.gap, height})) open_head(queue, picture);
    if (ImGui::IsItemHovered()) {
      fill_box(low, {low.x + plan.words_width - plan.gap, low.y + height}, {context.theme.inks.row_hovered},
               3 * plan.unit);
    }
    register_item(context, fmt::format("model/fall/{}/{}", picture.layer, picture.head),
                  {.value = static_cast<double>(ranking->falls[i])});
    for (std::size_t line = 0; line < lines.size(); ++line) {
      draw_text(context.fonts.small_text, {low.x, low.y + static_cast<float>(line) * plan.line},
                {context.theme.inks.text}, lines[line]);
    }
    draw_text(context.fonts.small_text, {low.x + plan.words_width - plan.gap - number_width, low.y},
              {context.theme.inks.text}, text);
    ImGui::SetCursorScreenPos({plan.words, low.y + height});
  }
}

constexpr std::string_view covered_words = "The likeliest words stand here once the lesson's question is answered.";

void draw_likely_words(const ViewContext& context, CallQueue& queue, const ModelPlan& plan, std::size_t most) {
  const ModelRun& run = run_of(context);
  draw_heading_of_words(context, plan);
  if (!says_words(*run.pass->model)) return note_line(context, plan, no_words);
  if (covers_next_words(context.now.lesson)) return note_line(context, plan, covered_words);
  for (const Index likely : std::span(run.next.likeliest).first(std::min(most, run.next.likeliest.size())))
    draw_next_word(context, queue, plan, likely);
  if (run.original_pass != run.pass) note_line(context, plan, largest_change(context));
}

void draw_row_of_words(const ViewContext& context, CallQueue& queue, const ModelPlan& plan) {
  constexpr std::size_t words = 3;
  const ModelRun& run = run_of(context);
  ModelPlan column = plan;
  const float pitch = 2 * plan.words_width / static_cast<float>(words);
  column.words_width = pitch - 2 * plan.gap;
  if (!says_words(*run.pass->model) || covers_next_words(context.now.lesson))
    return draw_likely_words(context, queue, plan, words);
  draw_heading_of_words(context, plan);
  const float y = ImGui::GetCursorScreenPos().y;
  for (const Index likely : std::span(run.next.likeliest).first(std::min(words, run.next.likeliest.size()))) {
    ImGui::SetCursorScreenPos({column.words, y});
    draw_next_word(context, queue, column, likely);
    column.words += pitch;
  }
}

void draw_next_words(const ViewContext& context, CallQueue& queue, const ModelPlan& plan) {
  const ModelRun& run = run_of(context);
  draw_heading_of_words(context, plan);
  if (!says_words(*run.pass->model)) return note_line(context, plan, no_words);
  if (covers_next_words(context.now.lesson)) return note_line(context, plan, covered_words);
  const bool is_in_place = run.pass->model->shape.sees_later_tokens;
  if (const std::optional<Index> own = token_of_text(run)) {
    note_line(context, plan,
              fmt::format("The text {} “{}”, {}.", is_in_place ? "has" : "goes on with", visible_name(context, *own),
                          format_probability(run.next.probabilities[static_cast<std::size_t>(*own)])));
  }
  for (const Index likely : run.next.likeliest) draw_next_word(context, queue, plan, likely);
  if (run.original_pass != run.pass) note_line(context, plan, largest_change(context));
  if (!context.is_kept) draw_append_buttons(context, queue, plan);
  draw_falls(context, queue, plan, ImGui::GetCursorScreenPos().y + plan.gap, most_falls);
}

}  // namespace attnscope
