#include "features/shared/panel/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "session/figure_state.h"
#include "ui/imgui_input.h"
#include "ui/view_context.h"
#include "ui/widgets.h"
#include "view/stage_look.h"

namespace attnscope {
namespace {

constexpr float typed_number_width = 76;

struct RowText {
  std::string_view reason;  // why the row is disabled; empty when it is not
  std::string_view help;
};

// Draws one line of a list; returns whether it was chosen.
bool list_item(const ViewContext& context, const std::string& name, const std::string& label, bool is_chosen) {
  const bool pressed = ImGui::Selectable((label + "##" + name).c_str(), is_chosen);
  register_item(context, name, {.is_on = is_chosen});
  return pressed;
}

// Draws a list; `items` draws its lines while it is open.
template <typename Items>
void draw_list(const ViewContext& context, const char* label, const std::string& name, const std::string& shown,
               const RowText& text, const Items& items) {
  begin_list_row(context, label, shown, text.reason);
  const bool is_open = ImGui::BeginCombo(("##" + name).c_str(), shown.c_str(), ImGuiComboFlags_HeightLarge);
  register_opener(context, name, is_open, text.reason.empty());
  if (!is_open) item_tooltip(context, text.reason.empty() ? text.help : text.reason);
  if (is_open) {
    items();
    ImGui::EndCombo();
  }
  ImGui::EndDisabled();
}

constexpr float extras_gap = 18;
constexpr float column_gap = 14;
constexpr float content_share = 0.46f;  // of two columns; three backgrounds side by side are the widest row
constexpr int largest_slid_font = 24;   // points; larger ones are typed

// The rows of the dialog change the choices in place.
struct Form {
  const ViewContext& context;
  FigureChoices& choices;
  ChoiceSubject subject;
};

std::string widget_of(const FigureChoice& choice) { return fmt::format("figure/{}", choice.key); }

std::string title_of_chosen(const Form& form, const FigureChoice& choice, const std::string& otherwise) {
  const std::vector<ChoiceValue> values = choice.way.values(form.subject);
  const auto found = std::ranges::find(values, choice.way.word(form.choices), &ChoiceValue::word);
  return found == values.end() ? otherwise : found->title;
}

// Draws the values as lines of an open list, without those that cannot be chosen now.
void draw_items(const Form& form, const FigureChoice& choice, const std::string& widget, const std::string& shown) {
  for (const ChoiceValue& value : choice.way.values(form.subject)) {
    FigureChoices chosen = form.choices;
    if (!choice.way.choose(chosen, value.word, form.subject).empty()) continue;
    const std::string name = fmt::format("{}/{}", widget, value.item.empty() ? value.word : value.item);
    if (list_item(form.context, name, value.title, value.title == shown)) form.choices = chosen;
  }
}

void draw_list_of(const Form& form, std::string_view key, const std::string& otherwise = {}) {
  const FigureChoice& choice = figure_choice(key);
  const std::string reason = obstacle_to(choice, form.choices, form.subject);
  const std::string shown = reason.empty() ? title_of_chosen(form, choice, otherwise) : "–";
  draw_list(form.context, choice.label.c_str(), widget_of(choice), shown, {.reason = reason, .help = choice.tip},
            [&] { draw_items(form, choice, widget_of(choice), shown); });
}

// Draws the values side by side; the names of their widgets begin with `prefix`.
void draw_buttons_of(const Form& form, std::string_view key, std::string_view prefix) {
  const FigureChoice& choice = figure_choice(key);
  const std::string word = choice.way.word(form.choices);
  begin_row(form.context, choice.label);
  const float gap = 2 * unit(form.context);
  const std::vector<ChoiceValue> values = choice.way.values(form.subject);
  for (const ChoiceValue& value : values) {
    const float end = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    const bool is_first = value.word == values.front().word;
    const bool fits = ImGui::GetItemRectMax().x + gap + button_width(value.title.c_str()) <= end;
    if (!is_first && fits) ImGui::SameLine(0, gap);
    if (!is_first && !fits) {  // a row of its own below
      ImGui::EndDisabled();
      begin_row(form.context, "");
    }
    const std::string name = fmt::format("{}{}", prefix, value.word);
    if (choice_button(form.context, name, value.title.c_str(), value.word == word))
      choice.way.choose(form.choices, value.word, form.subject);
  }
  end_row(form.context, widget_of(choice));
}

// Returns whether the number was changed. What is typed may be out of bounds: then the preview says so, and stays.
bool draw_slider_of(const Form& form, std::string_view key, int& number, int first, int last, const std::string& shown,
                    std::string_view widest) {
  const FigureChoice& choice = figure_choice(key);
  begin_row(form.context, choice.label);
  const std::string id = "##" + widget_of(choice);
  const bool is_changed = value_step_slider(form.context, id.c_str(), number, first, last, shown.c_str(), 0, widest);
  end_row(form.context, widget_of(choice), {}, choice.tip);
  return is_changed;
}

void draw_tick_of(const Form& form, std::string_view key, bool is_on) {
  const FigureChoice& choice = figure_choice(key);
  const std::string reason = obstacle_to(choice, form.choices, form.subject);
  begin_row(form.context, choice.label, reason);
  if (ImGui::Checkbox(("##" + widget_of(choice)).c_str(), &is_on))
    choice.way.choose(form.choices, is_on ? "on" : "off", form.subject);
  end_row(form.context, widget_of(choice), reason, choice.tip, {.is_on = is_on});
}

// Draws a tick behind the row before, with its label before it.
void draw_tick_beside(const Form& form, std::string_view key) {
  const FigureChoice& choice = figure_choice(key);
  const std::string reason = obstacle_to(choice, form.choices, form.subject);
  bool is_on = choice.way.word(form.choices) == "on";
  ImGui::SameLine(0, extras_gap * unit(form.context));
  ImGui::BeginDisabled(!reason.empty());
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(choice.label.c_str());
  ImGui::SameLine();
  if (ImGui::Checkbox(("##" + widget_of(choice)).c_str(), &is_on))
    choice.way.choose(form.choices, is_on ? "on" : "off", form.subject);
  ImGui::EndDisabled();
  register_item(form.context, widget_of(choice), {.enabled = reason.empty(), .is_on = is_on});
  item_tooltip(form.context, reason.empty() ? choice.tip : reason);
}

void draw_text_of(const Form& form, std::string_view key, const char* hint) {
  const FigureChoice& choice = figure_choice(key);
  std::string text = choice.way.word(form.choices);
  begin_row(form.context, choice.label);
  if (text_field(("##" + widget_of(choice)).c_str(), hint, text, most_figure_text))
    choice.way.choose(form.choices, text, form.subject);
  end_row(form.context, widget_of(choice));
}

// Draws the list of stages and, below them, teaching views.
void draw_stage(const Form& form) {
  const FigureChoice& choice = figure_choice("stage");
  const FigureChoice& study = figure_choice("study");
  const std::string shown = title_of_chosen(form, study, title_of_chosen(form, choice, {}));
  draw_list(form.context, choice.label.c_str(), widget_of(choice), shown, {}, [&] {
    draw_items(form, choice, widget_of(choice), shown);
    draw_items(form, study, widget_of(choice), shown);
  });
}

// Returns the stages with a place in the diagram of this document.
std::vector<const StageInfo*> placed_stages(const AttentionConfig& config) {
  std::vector<const StageInfo*> rows;
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage) && acts_in(config, row.stage)) rows.push_back(&row);
  }
  return rows;
}

void choose_stage(StageSet& left_out, Stage stage, bool is_shown) {
  is_shown ? left_out.remove(stage) : left_out.add(stage);
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

// Draws the row that chooses which stages of the diagram the figure shows.
void draw_diagram_stages(const Form& form) {
  StageSet& left_out = form.choices.options.left_out;
  const std::vector<const StageInfo*> rows = placed_stages(form.subject.config);
  const auto count = std::ranges::count_if(rows, [&](const StageInfo* row) { return !left_out.contains(row->stage); });
  const std::string shown =
      std::cmp_equal(count, rows.size()) ? "all stages" : fmt::format("{} of {} stages", count, rows.size());
  const FigureChoice& choice = figure_choice("stages");
  draw_list(form.context, choice.label.c_str(), widget_of(choice), shown, {.reason = {}, .help = choice.tip}, [&] {
    for (const Band band : {Band::project, Band::compare, Band::mix}) draw_band(form.context, rows, band, left_out);
  });
}

void draw_batch(const Form& form) {
  if (!obstacle_to(figure_choice("batch"), form.choices, form.subject).empty()) return;
  const Index size = form.subject.config.batch_size;
  int number = static_cast<int>(form.choices.options.batch) + 1;
  if (draw_slider_of(form, "batch", number, 1, static_cast<int>(size), fmt::format("{} of {}", number, size),
                     fmt::format("{} of {}", size, size)))
    form.choices.options.batch = std::clamp<Index>(number - 1, 0, size - 1);
}

void draw_sides(const Form& form) {
  if (form.context.now.document.compared) return draw_buttons_of(form, "side", "figure/side/");
  form.choices.options.side = ComparedSide::now;
}

void draw_numbers(const Form& form) {
  std::optional<int>& chosen = form.choices.options.decimals;
  int decimals = chosen.value_or(-1);
  const std::string shown = decimals < 0 ? "none" : decimals == 1 ? "1 decimal" : fmt::format("{} decimals", decimals);
  if (draw_slider_of(form, "decimals", decimals, -1, most_decimals, shown, "0 decimals"))
    chosen = decimals < 0 ? std::nullopt : std::optional<int>(decimals);
}

void draw_row_sums(const Form& form) {
  const Stage stage = form.choices.options.stage.value_or(Stage::weights);
  const bool apply = obstacle_to(figure_choice("row_sums"), form.choices, form.subject).empty();
  draw_tick_of(form, "row_sums", apply && has_row_sums(form.choices.options, form.subject.config, stage));
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

void draw_colour_ends(const ViewContext& context, FigureChoices& choices) {
  const auto draw = [&](const char* id, const char* name, Rgb& colour) {
    float channels[] = {static_cast<float>(colour.r) / 255, static_cast<float>(colour.g) / 255,
                        static_cast<float>(colour.b) / 255};
    const auto byte = [](float share) { return static_cast<std::uint8_t>(std::lround(255 * share)); };
    ImGui::SetNextItemWidth(typed_number_width * unit(context));
    constexpr ImGuiColorEditFlags flags = ImGuiColorEditFlags_DisplayHex | ImGuiColorEditFlags_NoLabel |
                                          ImGuiColorEditFlags_NoOptions | ImGuiColorEditFlags_NoInputs;
    if (ImGui::ColorEdit3(id, channels, flags)) colour = {byte(channels[0]), byte(channels[1]), byte(channels[2])};
    register_item(context, name);
  };
  begin_row(context, "");
  draw("##low_colour", "figure/colour/low", choices.colour_ends.low);
  end_row(context, "figure/colours");
  ImGui::SameLine();
  ImGui::TextUnformatted("to");
  ImGui::SameLine();
  draw("##high_colour", "figure/colour/high", choices.colour_ends.high);
  choices.options.colour_ends = choices.colour_ends;
}

void draw_width(const Form& form) {
  const ViewContext& context = form.context;
  FigureOptions& options = form.choices.options;
  const FigureChoice& choice = figure_choice("width");
  const bool is_metric = options.width.unit == LengthUnit::millimetres;
  begin_row(context, choice.label);
  ImGui::SetNextItemWidth(typed_number_width * unit(context));
  if (ImGui::InputDouble("##width", &options.width.length, 0, 0, "%.6g")) options.height = 0;
  end_row(context, widget_of(choice), {}, choice.tip);
  ImGui::SameLine();
  if (choice_button(context, "figure/width/mm", "mm", is_metric) && !is_metric) {
    options.width = {std::round(options.width.length / 96 * 25.4), LengthUnit::millimetres};
    options.height = std::round(options.height / 96 * 25.4);
  }
  ImGui::SameLine(0, 2 * unit(context));
  const bool pressed =
      choice_button(context, "figure/width/px", "px", !is_metric, "Of 1/96 inch, as browsers count them");
  if (!pressed || !is_metric) return;
  options.height = std::round(page_height(options));
  options.width = {std::round(page_width(options.width)), LengthUnit::pixels};
}

// Draws what a figure is made for: a slide first, or another page, or a width of one's own.
void draw_page_size(const Form& form) {
  draw_list_of(form, "size", "custom width");
  draw_width(form);
}

void draw_resolution(const Form& form) {
  FigureOptions& options = form.choices.options;
  int scale = static_cast<int>(options.scale);
  const std::string shown = fmt::format("{:.3g} ×", options.scale);  // an animation may have 1.5
  if (draw_slider_of(form, "scale", scale, 1, static_cast<int>(largest_scale), shown, shown)) options.scale = scale;
  if (form.choices.options.film) return;  // its letters grow with its page
  int points = static_cast<int>(options.font_size);
  if (draw_slider_of(form, "font_size", points, static_cast<int>(smallest_font), largest_slid_font, "%.0f pt", "00 pt"))
    options.font_size = points;
}

// Draws the choices of what the figure shows.
void draw_content(const Form& form) {
  FigureChoices& choices = form.choices;
  if (choices.options.film) return draw_numbers(form);  // it has titles of its own
  draw_stage(form);
  if (obstacle_to(figure_choice("stages"), choices, form.subject).empty()) {
    draw_diagram_stages(form);
    draw_tick_of(form, "arrows", choices.options.has_arrows);
  }
  draw_list_of(form, "head");
  draw_batch(form);
  draw_sides(form);
  draw_numbers(form);
  draw_row_sums(form);
  draw_tick_beside(form, "footer");
  draw_tick_of(form, "pinned", choices.shows_pinned);
  draw_tick_beside(form, "arithmetic");
  draw_text_of(form, "title", choices.sweep.is_on ? "the frame's value" : "no title");
  draw_text_of(form, "caption", "no caption");
}

// Draws the choices of how the figure looks.
void draw_look(const Form& form) {
  draw_resolution(form);
  draw_buttons_of(form, "theme", "figure/");
  if (form.choices.options.film) return;
  draw_list_of(form, "colormap", "two colours");
  if (form.choices.options.colour_ends) draw_colour_ends(form.context, form.choices);
  draw_list_of(form, "range", "two numbers");
  if (form.choices.options.fixed_range) draw_fixed_range(form.context, form.choices);
}

}  // namespace

float figure_choices_height(const ViewContext& context, const FigureChoices& choices) {
  constexpr int rows_of_all = 15;
  constexpr int rows_of_film = 7;
  if (choices.options.film) return static_cast<float>(rows_of_film) * ImGui::GetFrameHeightWithSpacing();
  const bool has_batch = context.now.result()->config.batch_size > 1;
  const int rows_of_diagram = choices.options.stage ? 0 : 2;
  const int rows = rows_of_all + rows_of_diagram + (has_batch ? 1 : 0) + (context.now.document.compared ? 1 : 0) +
                   (choices.options.fixed_range ? 1 : 0) + (choices.options.colour_ends ? 1 : 0);
  return static_cast<float>(rows) * ImGui::GetFrameHeightWithSpacing();
}

void draw_figure_choices(const ViewContext& context, FigureChoices& choices, bool is_one_column) {
  const Result& result = *context.now.result();
  const Form form{context, choices, {result.config, &result, context.now.view.pinned.has_value()}};
  if (is_one_column) {
    draw_page_size(form);
    draw_content(form);
    draw_look(form);
    return;
  }
  const float gap = column_gap * unit(context);
  const float width = ImGui::GetContentRegionAvail().x - gap;
  begin_flat_child("content", {content_share * width, 0});
  draw_page_size(form);
  draw_content(form);
  ImGui::EndChild();
  ImGui::SameLine(0, gap);
  begin_flat_child("look", {(1 - content_share) * width, 0});
  draw_look(form);
  ImGui::EndChild();
}

}  // namespace attnscope
