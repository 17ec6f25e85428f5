#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluate.h"
#include "core/model/transformer.h"
#include "core/text.h"
#include "document/compare.h"
#include "document/edit.h"
#include "features/compare/panel/comparison.h"
#include "features/film/film_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/model/model_controller.h"
#include "features/model/panel/model_plan.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_view.h"
#include "ui/widgets.h"

namespace attnscope {

// Reads the run's tokens, because those of the document may belong to a newer text already.
std::string visible_name(const ViewContext& context, Index token) {
  const auto& shown = context.now.document.model->shown;
  std::string name = shown ? shown(token) : fmt::format("#{}", token);
  for (std::size_t at = name.find('\n'); at != std::string::npos; at = name.find('\n')) name.replace(at, 1, "↵");
  return name.empty() ? "∅" : name;
}

std::string head_title(const ViewContext& context, const LayerPicture& picture) {
  return fmt::format("Layer {}, head {}{}", picture.layer + 1, picture.head + 1,
                     bracketed_name(*context.now.document.model->weights, picture.layer, picture.head));
}

void open_head(CallQueue& queue, const LayerPicture& picture) {
  edit_document(queue, {"layer", [layer = picture.layer](Document& document) { show_layer(document, layer); }});
  change_view(queue, [picture](ViewState& state) {
    state.mode = ViewMode::diagram;
    state.head = picture.head;
    state.transient.picture = picture;
    state.transient.leads_to_model = true;
    if (state.pinned) state.pinned->head = picture.head;
  });
}

std::string change_text(float change, int decimals) {
  const bool is_zero = std::abs(change) < 0.5F * std::pow(10.0F, static_cast<float>(-decimals));
  const std::string number = format_fixed(is_zero ? 0.0 : static_cast<double>(change), decimals);
  return change > 0 && !is_zero ? "+" + number : number;
}

const HeadRanking* ranking_of(const ViewContext& context) {
  const ModelShown& model = context.now.model;
  return model.ranking && model.ranking->position == model.run->next.position && !model.ranked ? model.ranking.get()
                                                                                               : nullptr;
}

namespace {

constexpr std::size_t presented_falls = 4;
constexpr float least_full_fall = 0.05F;  // of a bar that fills its room, in nats

Evaluation evaluation_of(const Computed& computed) {
  return {.result = computed.result, .summaries = computed.summaries};
}

// Returns whether the rows of the last column are normalized already.
bool is_norm_last(const ViewContext& context) {
  return run_of(context).pass->model->shape.order == LayerOrder::norm_last;
}

LayerPicture head_at_keys(const ViewContext& context) {
  const std::optional<LayerPicture>& picture = context.now.view.transient.picture;
  const Index shown = std::get<ModelInputs>(context.now.document.config.inputs).layer;
  return picture ? *picture : LayerPicture{.layer = shown, .head = context.now.view.head};
}

bool is_head_off(const ViewContext& context, const LayerPicture& picture) {
  return is_off(run_of(context).pass->configs[static_cast<std::size_t>(picture.layer)], picture.head);
}

void switch_model_head(const ViewContext& context, CallQueue& queue, const LayerPicture& picture) {
  if (context.is_kept) return;
  const bool off = !is_head_off(context, picture);
  edit_document(queue,
                {fmt::format("switching layer {}, head {} {}", picture.layer + 1, picture.head + 1, off ? "off" : "on"),
                 [picture, off](Document& document) { set_head_off(document, picture.layer, picture.head, off); }});
}

void draw_column_titles(const ViewContext& context, const ModelPlan& plan) {
  const ImFont* const font = context.fonts.small_text;
  const bool has_words = text_size(font, fmt::format("Head {}", plan.heads)).x <= plan.side;
  const auto put = [&](Index column, const std::string& title, const Rgb& colour) {
    const bool fits = text_size(font, title).x <= plan.side + plan.gap;
    const std::size_t cut = fits ? std::string::npos : title.find('-');
    float y = plan.grid_top - plan.line * (cut == std::string::npos ? 1 : 2) - plan.gap / 2;
    for (const std::string& line : {title.substr(0, cut == std::string::npos ? cut : cut + 1),
                                    cut == std::string::npos ? std::string() : title.substr(cut + 1)}) {
      const float beyond = text_size(font, line).x - plan.side;
      if (beyond > plan.gap) return;
      // The two columns behind the heads may have wide titles: the left one ends where its column ends, the right one
      // begins where its column begins.
      const float lead = beyond > 0 && column == plan.heads ? 1.0F : beyond > 0 && column > plan.heads ? 0.0F : 0.5F;
      draw_text(font, {plan.head(0, column).x - lead * beyond, y}, {colour}, line);
      y += plan.line;
    }
  };
  const float number = text_size(font, fmt::format("{}", plan.heads)).x + plan.gap / 2;
  const auto step = std::max<Index>(static_cast<Index>(std::ceil(number / (plan.side + plan.grid_gap))), 1);
  for (Index head = 0; head < plan.heads; head += step) {
    put(head, has_words ? fmt::format("Head {}", head + 1) : fmt::format("{}", head + 1), context.theme.inks.text);
  }
  if (plan.large_side > 0 || plan.is_half) return;
  put(plan.heads, "feed-forward", context.theme.inks.text);
  put(plan.heads + 1, is_norm_last(context) ? "hidden" : "residual", context.theme.inks.text);
}

void draw_fall(const ViewContext& context, const ModelPlan& plan, const LayerPicture& picture, float largest) {
  const HeadRanking* const ranking = ranking_of(context);
  if (!ranking || plan.fall == 0) return;
  const float fall = ranking->of(picture.layer, picture.head);
  const ImVec2 low = plan.head(picture.layer, picture.head);
  const float y = low.y + plan.side;
  const float share = std::min(std::abs(fall) / std::max(largest, least_full_fall), 1.0F);
  const Rgb colour = fall >= 0 ? context.theme.inks.accent : context.theme.inks.warning;
  fill_box({low.x, y + plan.unit}, {low.x + share * plan.side, y + plan.fall}, {colour, 0.25});
  const std::string text = change_text(-fall, 2);
  draw_text(context.fonts.small_text, {low.x + plan.side - text_size(context.fonts.small_text, text).x, y + plan.unit},
            {context.theme.inks.dim_text}, text);
}

void draw_off(const ViewContext& context, const ModelPlan& plan, ImVec2 low) {
  const ImVec2 high{low.x + plan.side, low.y + plan.side};
  fill_box(low, high, {context.theme.inks.window, 0.72});
  stroke_line(low, high, {context.theme.inks.warning}, 1.5F * plan.unit);
  stroke_line({low.x, high.y}, {high.x, low.y}, {context.theme.inks.warning}, 1.5F * plan.unit);
}

}  // namespace

bool has_covers(const ViewContext& context, Index layer) {
  const LessonStep* const step = context.now.lesson.current();
  const AttentionConfig& config = (step ? *step->document : context.now.document).config;
  const auto* const asked = std::get_if<ModelInputs>(&config.inputs);
  return asked && asked->layer == layer && covers_any(context, Stage::weights);
}

namespace {

// Draws the picture of a stage in a square; returns nothing if it is yet to be computed.
std::optional<StageView> draw_square(const ViewContext& context, const ModelPlan& plan, const Computed& computed,
                                     Stage stage, Index head, ImVec2 low, const std::string& name,
                                     const std::string& title, bool is_covered = false) {
  auto view = stage_view(context, evaluation_of(computed), stage, head);
  if (!view) return view;
  const CellGrid grid{
      scene::whole_plot(box_between(low, {low.x + plan.side, low.y + plan.side}), view->rows, view->cols)};
  draw_heatmap(context, *view, grid);
  if (is_covered) draw_cover(context, *view, grid);
  if (!context.widgets) return view;
  register_matrix(context, *view, name, grid);
  context.widgets->matrices.back().title = title;
  if (!is_covered) context.widgets->matrices.back().covered = {};
  context.widgets->matrices.back().marks = {};
  return view;
}

// Returns the lines of a head's name, each of which ends before the diagonal; none where there is no room for them.
std::vector<std::string> lines_above_diagonal(const ImFont* font, std::string_view name, float side, float line,
                                              float cell) {
  std::vector<std::string> lines;
  for (const std::string_view word : split(name, ' ')) {
    const auto room = [&] { return side - static_cast<float>(lines.size()) * line - cell; };
    const std::string longer = lines.empty() ? "" : fmt::format("{} {}", lines.back(), word);
    if (!lines.empty() && text_size(font, longer).x <= room()) {
      lines.back() = longer;
      continue;
    }
    lines.emplace_back(word);
    if (text_size(font, word).x > room()) return {};
  }
  return lines;
}

// Draws the name that the model gives to the head, in the empty corner above the diagonal.
void draw_name(const ViewContext& context, const ModelPlan& plan, const LayerPicture& picture) {
  const std::string_view name = context.now.document.model->weights->name_of(picture.layer, picture.head);
  if (name.empty()) return;
  const ImFont* const font = context.fonts.small_text;
  const float pad = 3 * plan.unit;
  const float cell = plan.side / static_cast<float>(plan.tokens);
  const std::vector<std::string> lines =
      lines_above_diagonal(font, name, plan.side - 2 * pad - 2 * plan.unit, plan.line, cell);
  const ImVec2 low = plan.head(picture.layer, picture.head);
  const float right = low.x + plan.side - plan.unit;
  float y = low.y + plan.unit;
  for (const std::string_view line : lines) {
    const float left = right - pad - text_size(font, line).x;
    fill_box({left - pad, y}, {right, y + plan.line}, {context.theme.inks.window, 0.9});
    draw_text(font, {left, y}, {context.theme.inks.text}, line);
    y += plan.line;
  }
}

// Draws the menu that a right click on a head opens.
void draw_head_menu(const ViewContext& context, CallQueue& queue, const LayerPicture& picture,
                    const std::string& name) {
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) ImGui::OpenPopup(name.c_str());
  if (!ImGui::BeginPopup(name.c_str())) return;
  if (menu_item(context, "model/head/open", "Open its diagram", {.keys = "Enter"})) open_head(queue, picture);
  const std::string label = fmt::format("Switch it {}", is_head_off(context, picture) ? "on" : "off");
  const std::string_view obstacle = context.is_kept ? "A is kept as it was: only B is edited." : "";
  if (menu_item(context, "model/head/switch", label, {.keys = "Space", .obstacle = obstacle}))
    switch_model_head(context, queue, picture);
  ImGui::EndPopup();
}

// Draws the picture of a head; returns whether the pointer rests on it.
bool draw_head(const ViewContext& context, CallQueue& queue, const ModelPlan& plan, const LayerPicture& picture) {
  const ImVec2 low = plan.head(picture.layer, picture.head);
  const std::string name = fmt::format("model/{}/{}", picture.layer, picture.head);
  const std::string title = head_title(context, picture);
  draw_square(context, plan, run_of(context).layers[static_cast<std::size_t>(picture.layer)], Stage::weights,
              picture.head, low, name, fmt::format("attention weights, {}", title), has_covers(context, picture.layer));
  ImGui::SetCursorScreenPos(low);
  if (ImGui::InvisibleButton(name.c_str(), {plan.side, plan.side})) open_head(queue, picture);
  const bool is_hovered = ImGui::IsItemHovered();
  register_item(context, name, {.is_on = !is_head_off(context, picture)});
  draw_head_menu(context, queue, picture, name);
  const bool is_off_now = is_head_off(context, picture);
  if (is_off_now) draw_off(context, plan, low);
  draw_name(context, plan, picture);
  const bool is_at_keys =
      (is_presenting(context) || (context.now.view.transient.keys_lead && stages_have_keys(context))) &&
      picture == head_at_keys(context);
  const bool is_marked = is_hovered || is_at_keys;
  outline_box(low, {low.x + plan.side, low.y + plan.side},
              {is_marked ? context.theme.inks.accent : context.theme.inks.border}, (is_marked ? 2 : 1) * plan.unit);
  if (is_hovered && !is_at_keys &&
      (!context.now.view.transient.picture || *context.now.view.transient.picture != picture))
    change_view(queue, [picture](ViewState& state) { state.transient.picture = picture; });
  return is_marked;
}

void draw_strip(const ViewContext& context, const ModelPlan& plan, const Computed& computed, ImVec2 low,
                const std::string& name, const std::string& help) {
  draw_square(context, plan, computed, Stage::inputs, 0, low, name, help);
  ImGui::SetCursorScreenPos(low);
  ImGui::InvisibleButton(name.c_str(), {plan.side, plan.side});
  outline_box(low, {low.x + plan.side, low.y + plan.side}, {context.theme.inks.border}, plan.unit);
  register_item(context, name);
  item_tooltip(context, help);
}

// Says beside the embeddings how to use a head, and explains the number below it.
void draw_hints(const ViewContext& context, const ModelPlan& plan, const std::optional<LayerPicture>& marked) {
  const ImVec2 low{plan.grid, plan.embeddings().y};
  const ImFont* const font = context.fonts.small_text;
  const float room = plan.embeddings().x - low.x - text_size(font, "embeddings").x - 3 * plan.gap;
  const LayerPicture shown = marked.value_or(head_at_keys(context));
  const bool is_off_now = is_head_off(context, shown);
  const std::string by_space = fmt::format("; Space or a right click switches it {}", is_off_now ? "on" : "off");
  const std::string head =
      marked
          ? fmt::format("{}: its arcs stand beside the text. A click opens its diagram{}.", head_title(context, shown),
                        by_space)
          : fmt::format("The arcs beside the text are those of l{}{}. Rest the pointer on another head to see its own.",
                        head_title(context, shown).substr(1), is_off_now ? ", which is off" : "");
  const std::string number =
      plan.fall > 0 && ranking_of(context) && !covers_next_words(context.now.lesson)
          ? fmt::format(" Below each head: how the logarithm of the probability of “{}” changes without it.",
                        visible_name(context, ranking_of(context)->token))
          : "";
  const std::string text = wrapped(font, head + number, room);
  float y = low.y;
  for (const std::string_view line : split(text, '\n')) {
    draw_text(font, {low.x, y}, {context.theme.inks.dim_text}, line);
    y += plan.line;
  }
}

// Draws the heads of a layer with its name; returns the head under the pointer, or the one that the keys reached.
std::optional<LayerPicture> draw_heads_of_layer(const ViewContext& context, CallQueue& queue, const ModelPlan& plan,
                                                Index layer) {
  std::optional<LayerPicture> marked;
  const ImVec2 first = plan.head(layer, 0);
  const std::string label = fmt::format("Layer {}", layer + 1);
  const auto step = std::max<Index>(static_cast<Index>(std::ceil(plan.line / plan.pitch())), 1);
  if (layer % step == 0) {
    const float width = text_size(context.fonts.small_text, label).x;
    draw_text(context.fonts.small_text, {first.x - plan.gap - width, first.y + (plan.side - plan.line) / 2},
              {context.theme.inks.dim_text}, label);
  }
  const HeadRanking* const ranking = ranking_of(context);
  float largest = 0;
  if (ranking) {
    for (const float fall : ranking->falls) largest = std::max(largest, std::abs(fall));
  }
  for (Index head = 0; head < plan.heads; ++head) {
    const LayerPicture picture{.layer = layer, .head = head};
    if (draw_head(context, queue, plan, picture)) marked = picture;
    draw_fall(context, plan, picture, largest);
  }
  return marked;
}

// Draws all pictures; returns the head under the pointer, or the one that the keys reached.
std::optional<LayerPicture> draw_pictures(const ViewContext& context, CallQueue& queue, const ModelPlan& plan) {
  std::optional<LayerPicture> marked;
  const ModelRun& run = run_of(context);
  for (Index layer = 0; layer < plan.layers; ++layer) {
    if (const auto head = draw_heads_of_layer(context, queue, plan, layer)) marked = head;
    const auto place = static_cast<std::size_t>(layer);
    draw_strip(context, plan, run.fed[place], plan.strip(layer, 0), fmt::format("model/fed/{}", layer),
               fmt::format("What the feed-forward part of layer {} adds to the residual stream: a row for each token",
                           layer + 1));
    draw_strip(context, plan, run.residual[place + 1], plan.strip(layer, 1),
               fmt::format("model/residual/{}", layer + 1),
               is_norm_last(context)
                   ? fmt::format("The hidden states after layer {}, normalized: a row for each token", layer + 1)
                   : fmt::format("The residual stream after layer {}: a row for each token", layer + 1));
  }
  const ImVec2 first = plan.embeddings();
  draw_strip(context, plan, run.residual[0], first, "model/residual/0",
             is_norm_last(context) ? "The hidden states begin as the sum of the embeddings, normalized"
             : run.pass->model->shape.rope
                 ? "The residual stream begins as the embeddings of the tokens"
                 : "The residual stream begins as the embeddings of the tokens and of their positions");
  const std::string label = "embeddings";
  draw_text(context.fonts.small_text,
            {first.x - plan.gap - text_size(context.fonts.small_text, label).x, first.y + (plan.side - plan.line) / 2},
            {context.theme.inks.dim_text}, label);
  return marked;
}

Rgb arcs_rgb(const ViewContext& context, const LayerPicture& picture) {
  return is_head_off(context, picture) ? context.theme.inks.dim_text : context.theme.inks.text;
}

// Puts the tokens' names above their columns, turned.
void draw_column_names(const ViewContext& context, const ModelPlan& plan) {
  const ImFont* const font = context.fonts.small_text;
  const float first = plan.large.x + (plan.token - plan.name) / 2;
  const Index step = plan.name_step();
  for (Index key = 0; key < plan.tokens; key += step) {
    const Index token = run_of(context).pass->tokens[static_cast<std::size_t>(key)];
    const std::string text = fit_text(font, visible_name(context, token), plan.column_names - 2 * plan.unit);
    draw_vertical_text(font, plan.name,
                       {std::floor(first + static_cast<float>(key) * plan.token), plan.large.y - 4 * plan.unit},
                       {context.theme.inks.text}, text);
  }
}

// Draws the chosen head as large as the screen, the row of the chosen position framed.
void draw_large_head(const ViewContext& context, const ModelPlan& plan, const LayerPicture& picture) {
  ModelPlan large = plan;
  large.side = plan.large_side;
  const std::string title = head_title(context, picture);
  draw_square(context, large, run_of(context).layers[static_cast<std::size_t>(picture.layer)], Stage::weights,
              picture.head, plan.large, "model/large", fmt::format("attention weights, {}", title),
              has_covers(context, picture.layer));
  if (is_head_off(context, picture)) draw_off(context, large, plan.large);
  const ImVec2 high{plan.large.x + plan.large_side, plan.large.y + plan.large_side};
  outline_box(plan.large, high, {context.theme.inks.border}, plan.unit);
  const float middle = plan.token_y(run_of(context).next.position);
  outline_box({plan.large.x, middle - plan.token / 2}, {high.x, middle + plan.token / 2}, {context.theme.inks.accent},
              1.5F * plan.unit);
  ImGui::SetCursorScreenPos(plan.large);
  ImGui::Dummy({plan.large_side, plan.large_side});
  register_item(context, "model/large");
  const ImFont* const font = context.fonts.heading;
  draw_text(font, {plan.large.x, plan.top - plan.column_names - font_height(font) - 4 * plan.unit},
            {arcs_rgb(context, picture)}, fit_text(font, title, plan.large_side));
  draw_column_names(context, plan);
}

// Draws the heads of one of two models, and its words.
void draw_half(const ViewContext& context, CallQueue& queue, const ModelPlan& plan) {
  draw_column_titles(context, plan);
  for (Index layer = 0; layer < plan.layers; ++layer) draw_heads_of_layer(context, queue, plan, layer);
  if (!plan.has_words_below) return draw_next_words(context, queue, plan);
  ModelPlan below = plan;
  const float top = plan.head(0, 0).y + plan.pitch() + plan.gap;
  below.top = top + plan.line + plan.gap;
  if (plan.has_words_in_row) return draw_row_of_words(context, queue, below);
  below.words_width -= plan.gap;  // so that the percents stand apart from the heads' list beside them
  draw_likely_words(context, queue, below, presented_words);
  below.words += below.words_width + plan.gap;
  draw_falls(context, queue, below, top, presented_falls);
}

// Draws the chosen head large, and how the next word follows from it.
void draw_presented_model(const ViewContext& context, CallQueue& queue, const ModelPlan& plan) {
  const LayerPicture chosen = head_at_keys(context);
  draw_tokens_of_model(context, queue, plan);
  draw_large_head(context, plan, chosen);
  draw_arcs(context, plan, chosen, arcs_rgb(context, chosen));
  ModelPlan words = plan;
  if (plan.has_words_below) words.top = plan.grid_top;
  draw_likely_words(context, queue, words, presented_words);
  draw_column_titles(context, plan);
  for (Index layer = 0; layer < plan.layers; ++layer) draw_heads_of_layer(context, queue, plan, layer);
  if (plan.has_words_below) return;
  draw_falls(context, queue, plan, plan.head(0, 0).y + plan.side + 8 * plan.unit, presented_falls);
}

}  // namespace

void step_in_model(const ViewContext& context, CallQueue& queue, Index rows, Index cols) {
  if (!context.now.model.run) return;
  LayerPicture picture = head_at_keys(context);
  const bool is_first = !context.now.view.transient.keys_lead;  // shows where it is before it moves
  if (is_first) rows = cols = 0;
  picture.layer = std::clamp<Index>(picture.layer - rows, 0, run_of(context).pass->layer_count() - 1);
  picture.head = std::clamp<Index>(picture.head + cols, 0, run_of(context).config.num_heads - 1);
  change_view(queue, [picture](ViewState& state) {
    state.transient.picture = picture;
    state.transient.keys_lead = true;
  });
}

void go_to_head_of_model(const ViewContext& context, CallQueue& queue, Index by) {
  if (context.now.model.run) queue.push([by](const Controllers& to) { to.models.go_to_head(by); });
}

std::string words_of_head(const ViewContext& context) {
  const LayerPicture chosen = head_at_keys(context);
  return fmt::format("layer {}, head {}{}", chosen.layer + 1, chosen.head + 1,
                     bracketed_name(*context.now.document.model->weights, chosen.layer, chosen.head));
}

bool is_off_in_model(const ViewContext& context) { return is_head_off(context, head_at_keys(context)); }

void open_in_model(const ViewContext& context, CallQueue& queue) {
  if (context.now.model.run) open_head(queue, head_at_keys(context));
}

void watch_in_model(const ViewContext& context, CallQueue& queue) {
  if (!context.now.model.run) return;
  open_in_model(context, queue);
  const Source row{.stage = Stage::weights, .head = head_at_keys(context).head, .row = run_of(context).next.position};
  queue.push([row](const Controllers& to) { to.films.watch_largest(row); });
}

void toggle_in_model(const ViewContext& context, CallQueue& queue) {
  if (context.now.model.run) switch_model_head(context, queue, head_at_keys(context));
}

void draw_model(const ViewContext& context, CallQueue& queue) {
  const ModelShown& model = context.now.model;
  if (!model.error.empty()) warning_text(context, model.error);
  if (!model.run) {
    if (model.error.empty()) dim_text(context, "The model is being run on the text.");
    return;
  }
  const ModelPlan plan = plan_of(context);
  if (plan.large_side > 0) return draw_presented_model(context, queue, plan);
  if (plan.is_half) return draw_half(context, queue, plan);
  draw_tokens_of_model(context, queue, plan);
  draw_column_titles(context, plan);
  const std::optional<LayerPicture> marked = draw_pictures(context, queue, plan);
  draw_hints(context, plan, marked);
  const LayerPicture shown = marked.value_or(head_at_keys(context));
  draw_arcs(context, plan, shown, arcs_rgb(context, shown));
  draw_next_words(context, queue, plan);
  ImGui::SetCursorScreenPos({plan.words + plan.words_width - plan.gap, plan.bottom()});
  ImGui::Dummy({0, 0});
}

namespace {

constexpr std::size_t most_text_bytes = 65'536;

Index unknown_words(const Document& document) {
  const std::vector<Index>& tokens = std::get<ModelInputs>(document.config.inputs).tokens;
  return document.model->unknown ? std::ranges::count(tokens, *document.model->unknown) : 0;
}

void draw_text_of_model(const ViewContext& context, CallQueue& queue) {
  const Document& document = context.now.document;
  const std::string_view reason =
      document.model->encode ? "" : "The model has no tokenizer: its tokens have numbers only.";
  section_heading(context, "Text");
  ImGui::BeginDisabled(!reason.empty());
  ImGui::SetNextItemWidth(-1);
  document_text_field(context, queue, "##text", "A text for the model", document.text, most_text_bytes, "text",
                      [](Document& edited, const std::string& text) { set_text(edited, text); });
  ImGui::EndDisabled();
  register_item(context, "model/text", {.enabled = reason.empty()});
  item_tooltip(context, reason.empty() ? "Type a text and press Enter: the model's tokenizer cuts it into tokens."
                                       : std::string(reason));
  dim_text(context, fmt::format("{} tokens of at most {}", document.tokens.size(),
                                document.model->weights->shape.context_length));
  if (const Index unknown = unknown_words(document); unknown > 0)
    warning_text(context, fmt::format("The model does not know {}: it reads {} instead.",
                                      unknown == 1 ? "one of the words" : fmt::format("{} of the words", unknown),
                                      document.model->shown(*document.model->unknown)));
}

// Draws the button that puts the model beside one whose training has not begun.
void draw_untrained_button(const ViewContext& context, CallQueue& queue) {
  const Document& document = context.now.document;
  if (document.compared && document.model->weights->drawn_by) return;  // it is there
  const ReadyPair& pair = *ready_pair_named("untrained");
  if (push_button(context, "model/untrained", "Compare with untrained", obstacle_to_pair(context, pair),
                  "The same model with weights as the seed draws them: what did training change?"))
    open_pair(context, queue, pair);
}

}  // namespace

void draw_model_setup(const ViewContext& context, CallQueue& queue) {
  const TrainedModel& model = *context.now.document.model;
  const TransformerShape& shape = model.weights->shape;
  section_heading(context, "Trained model");
  draw_setup_switch(context, queue);
  const auto draw_name = [&](const char* side, const TrainedModel& named, const char* id) {
    ImGui::TextUnformatted(
        fit_text(context.fonts.small_text, side + shown_text(named.name), ImGui::GetContentRegionAvail().x).c_str());
    register_item(context, id);
    item_tooltip(context, shown_path(named.path));
  };
  const Document* const a = context.now.document.compared.get();
  const bool has_two = a && a->model && a->model->name != model.name;
  if (has_two) draw_name("A: ", *a->model, "model/name_of_a");
  draw_name(has_two ? "B: " : "", model, "model/name");
  dim_text(context, fmt::format("{} layers of {} heads, {} features, {} tokens", shape.layers, shape.heads,
                                shape.features, shape.vocabulary));
  const Index shown = std::get<ModelInputs>(context.now.document.config.inputs).layer;
  int layer = static_cast<int>(shown) + 1;
  const std::string text = fmt::format("{} of {}", layer, shape.layers);
  begin_row(context, "layer");
  const std::string widest = fmt::format("{} of {}", shape.layers, shape.layers);
  if (value_step_slider(context, "##layer", layer, 1, static_cast<int>(shape.layers), text.c_str(), 0, widest)) {
    edit_document(queue, held_edit("layer", [layer](Document& document) { show_layer(document, layer - 1); }));
  }
  finish_when_let_go(queue);
  end_row(context, "model/layer", {}, "The layer whose attention Diagram, Heads and Focus show");
  ImGui::Dummy({0, 2 * unit(context)});
  draw_text_of_model(context, queue);
  draw_untrained_button(context, queue);
}

}  // namespace attnscope
