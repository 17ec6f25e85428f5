#include "session/figure_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "core/text.h"
#include "teach/teaching_view.h"
#include "view/stage_look.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

using Choices = FigureChoices;
using Subject = ChoiceSubject;

template <typename Number>
bool take_number(Number& number, std::string_view text, Number smallest, Number largest) {
  const std::optional<Number> spelled = number_of<Number>(text);
  if (!spelled || !(*spelled >= smallest && *spelled <= largest)) return false;
  number = *spelled;
  return true;
}

// Reads an index: typed counting from 1, kept counting from 0.
bool take_index(Index& index, std::string_view text, Index count) {
  Index number = 0;
  if (!take_number<Index>(number, text, 1, count)) return false;
  index = number - 1;
  return true;
}

// Returns the values of a table whose rows have an id and a title.
template <typename Rows>
std::vector<ChoiceValue> values_of(const Rows& rows) {
  std::vector<ChoiceValue> values;
  for (const auto& row : rows) values.push_back({std::string(row.id), std::string(row.title), ""});
  return values;
}

// One value of an enumeration.
template <typename Value>
struct Named {
  Value value;
  const char* id;
  const char* title = "";
};
template <typename Value>
Named(Value, const char*, const char* = "") -> Named<Value>;
constexpr std::array side_names = {Named{ComparedSide::baseline, "A", "A"}, Named{ComparedSide::now, "B", "B"},
                                   Named{ComparedSide::difference, "difference", "B − A"},
                                   Named{ComparedSide::side_by_side, "side-by-side", "all three"}};
constexpr std::array background_names = {Named{FigureTheme::light, "light", "light"},
                                         Named{FigureTheme::dark, "dark", "dark"},
                                         Named{FigureTheme::high_contrast, "high-contrast", "high contrast"},
                                         Named{FigureTheme::transparent, "transparent", "transparent"},
                                         Named{FigureTheme::transparent_dark, "transparent-dark", "for dark"}};
using NamedColormap = Named<std::optional<Colormap>>;
constexpr std::array colormap_names = {NamedColormap{{}, "own", "the stage's own"},
                                       NamedColormap{Colormap::viridis, "viridis", "viridis"},
                                       NamedColormap{Colormap::diverging, "diverging", "diverging"}};
using NamedAnswer = Named<std::optional<bool>>;
constexpr std::array row_sum_names = {NamedAnswer{{}, "automatic"}, NamedAnswer{true, "on"}, NamedAnswer{false, "off"}};
constexpr std::array switch_names = {Named{true, "on"}, Named{false, "off"}};

// These find a value in the choices.
template <typename Value>
auto option(Value FigureOptions::*member) {
  return [=](auto& choices) -> auto& { return choices.options.*member; };
}
template <typename Value>
auto choice(Value Choices::*member) {
  return [=](auto& choices) -> auto& { return choices.*member; };
}

// Ways to choose one of a few names, a number or a text, which `get` finds in the choices.
template <typename Names, typename Get>
ChoiceWay named(const Names& names, Get get) {
  using Name = typename Names::value_type;
  const auto choose = [=](Choices& choices, const std::string& word, const Subject&) {
    const auto* const found = std::ranges::find(names, word, &Name::id);
    if (found == names.end()) return std::string("it must be one of its words");
    get(choices) = found->value;
    return std::string();
  };
  const auto word = [=](const Choices& choices) { return std::ranges::find(names, get(choices), &Name::value)->id; };
  return {choose, word, [=](const Subject&) { return values_of(names); }, true};
}

template <typename Get>
ChoiceWay number(double smallest, double largest, Get get) {
  const auto choose = [=](Choices& choices, const std::string& word, const Subject&) {
    if (take_number(get(choices), word, smallest, largest)) return std::string();
    return fmt::format("it must be a number from {} to {}", smallest, largest);
  };
  return {choose, [=](const Choices& choices) { return fmt::format("{}", get(choices)); }};
}

template <typename Get>
ChoiceWay text(Get get) {
  const auto choose = [=](Choices& choices, const std::string& word, const Subject&) {
    if (find_invalid_utf8(word) || word.size() > most_figure_text)
      return fmt::format("it must be UTF-8 text of at most {} bytes", most_figure_text);
    get(choices) = word;
    return std::string();
  };
  return {choose, get};
}

std::vector<ChoiceValue> stage_values(const Subject& subject) {
  std::vector<ChoiceValue> values = values_of(stages());
  std::erase_if(values, [&](const ChoiceValue& value) {
    const Stage stage = *stage_named(value.word);
    return subject.result ? !has(*subject.result, stage) : !has_stage(subject.config, stage);
  });
  values.insert(values.begin(), {"pipeline", "the diagram", ""});
  return values;
}
std::string take_stage(Choices& choices, const std::string& word, const Subject& subject) {
  FigureOptions& options = choices.options;
  const std::vector<ChoiceValue> values = stage_values(subject);
  std::vector<std::string_view> words;
  for (const ChoiceValue& value : values) words.push_back(value.word);
  if (std::ranges::find(words, word) == words.end()) {
    const std::string near = stage_named(word) ? "" : suggestion(word, words);
    return fmt::format("this {} does not have it{}", info(subject.config.mechanism).id,
                       near.empty() ? fmt::format(": its stages are {}", fmt::join(words, ", ")) : near);
  }
  options.study = {};
  options.stage = stage_named(word);
  if (!options.stage) options.head = options.head.value_or(0);
  return {};
}
std::string stage_word(const Choices& choices) {
  return choices.options.stage ? std::string(info(*choices.options.stage).id) : "pipeline";
}

std::string study_word(const Choices& choices) { return choices.options.study.id; }
std::vector<ChoiceValue> study_values(const Subject&) {
  std::vector<ChoiceValue> values;
  for (const TeachingViewInfo& study : studies())
    values.push_back({std::string(study.id), fmt::format("view: {}", study.title), ""});
  return values;
}
std::string take_study(Choices& choices, const std::string& word, const Subject&) {
  FigureOptions& options = choices.options;
  if (options.study.id == word) return {};
  options.study = {.id = word, .query = options.study.query};
  options.stage = Stage::weights;
  options.head = options.head.value_or(0);
  return {};
}

std::string head_word(const Choices& choices) {
  return choices.options.head ? fmt::format("{}", *choices.options.head + 1) : "all";
}
std::vector<ChoiceValue> head_values(const Subject& subject) {
  std::vector<ChoiceValue> values = {{"all", "all heads", ""}};
  const Index heads = head_count(subject.config);
  for (Index head = 1; head <= heads; ++head)
    values.push_back({fmt::format("{}", head), fmt::format("Head {} of {}", head, heads), fmt::format("{}", head - 1)});
  return values;
}
std::string take_head(Choices& choices, const std::string& word, const Subject& subject) {
  FigureOptions& options = choices.options;
  const Index heads = head_count(subject.config);
  if (word == "all" && (options.stage || heads == 1)) {
    options.head = options.stage ? std::optional<Index>() : std::optional<Index>(0);
    return {};
  }
  if (Index head = 0; take_index(head, word, heads)) {
    options.head = head;
    return {};
  }
  const std::string_view mechanism = info(subject.config.mechanism).id;
  if (heads == 1) return fmt::format("this {} has one head: it must be 1 or all", mechanism);
  if (!options.stage) return fmt::format("a pipeline shows one head: it must be 1 to {}", heads);
  return fmt::format("this {} has {} heads: it must be 1 to {} or all", mechanism, heads, heads);
}
std::string obstacle_to_head(const Choices&, const Subject& subject) {
  return head_count(subject.config) == 1 ? "This mechanism has one head." : "";
}
std::string idle_head(const Choices& choices, const Subject& subject) {
  const std::optional<Stage>& stage = choices.options.stage;
  const bool is_of_all = stage && head_count(subject.config) > 1 && !is_per_head(subject.config, *stage);
  return is_of_all ? "This stage is the same for all heads." : "";
}

std::string take_batch(Choices& choices, const std::string& word, const Subject& subject) {
  const Index size = subject.config.batch_size;
  if (take_index(choices.options.batch, word, size)) return {};
  return fmt::format("it must be a whole number from 1 to {}", size);
}
std::string batch_word(const Choices& choices) { return fmt::format("{}", choices.options.batch + 1); }
std::string obstacle_to_batch(const Choices&, const Subject& subject) {
  return subject.config.batch_size == 1 ? "The batch has one entry." : "";
}

bool is_of_diagram(const StageInfo& row, std::string_view word) {
  return has_place(row.stage) && (word == row.id || word == id_of(row.place.band));
}
std::string known_parts(std::string_view word) {
  std::vector<std::string_view> known = {"project", "compare", "mix"};
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage)) known.push_back(row.id);
  }
  const std::string near = suggestion(word, known);
  return near.empty() ? fmt::format("the pipeline has {}", fmt::join(known, ", "))
                      : fmt::format("{} is no part of the pipeline{}", in_quotes(word), near);
}
// Takes the named stages and bands; the others are left out.
std::string take_parts(Choices& choices, const std::string& text, const Subject&) {
  StageSet named;
  for (const std::string_view word : split(text, ',')) {
    StageSet of_word;
    for (const StageInfo& row : stages()) {
      if (is_of_diagram(row, word)) of_word.add(row.stage);
    }
    if (of_word.is_empty()) return known_parts(word);
    named = named | of_word;
  }
  choices.options.left_out = {};
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage) && !named.contains(row.stage)) choices.options.left_out.add(row.stage);
  }
  return {};
}
std::string idle_batch(const Choices& choices, const Subject& subject) {
  const std::optional<Stage>& stage = choices.options.stage;
  const bool is_of_all = stage && subject.config.batch_size > 1 && !is_per_batch(*stage);
  return is_of_all ? "This stage is the same for all entries of the batch." : "";
}

std::string idle_in_view(const Choices& choices, const Subject&) {
  return choices.options.study.id.empty() ? "" : "A teaching view chooses its own numbers and colours.";
}
std::string idle_parts(const Choices& choices, const Subject&) {
  return choices.options.stage ? "Only the diagram has several stages, with arrows between them." : "";
}

std::string take_cell(Choices& choices, const std::string& word, const Subject& subject) {
  FigureOptions& options = choices.options;
  const Stage stage = options.stage.value_or(Stage::weights);
  const std::vector<Index> shape = stage_shape(subject.config, stage);
  const Index rows = shape[shape.size() - 2];
  const std::vector<std::string_view> numbers = split(word, ',');
  std::optional<Source> cell = cell_named(word);
  if (!cell && numbers.size() == 2) {
    cell = {.stage = stage, .batch = options.batch, .head = options.head.value_or(0)};
    if (!take_index(cell->row, numbers[0], rows) || !take_index(cell->col, numbers[1], shape.back())) cell.reset();
  } else if (cell && !has_place_of(subject.config, *cell)) {
    cell.reset();
  }
  if (cell) options.marked = cell;
  return cell ? std::string()
              : fmt::format(
                    "it must be a row of 1 to {} and a column of 1 to {} as in 2,1, or a cell as in "
                    "weights[0,0,1,0]",
                    rows, shape.back());
}

std::string film_word(const Choices& choices) { return choices.options.film ? cell_name(*choices.options.film) : ""; }
std::string take_film(Choices& choices, const std::string& word, const Subject& subject) {
  const std::optional<Source> cell = cell_named(word);
  if (!cell) return "it must be a cell as in weights[0,0,1,0], by the axes of its stage, counted from 0";
  if (!has_place_of(subject.config, *cell)) {
    const std::string shape = fmt::format("{}", fmt::join(stage_shape(subject.config, cell->stage), " × "));
    return has_stage(subject.config, cell->stage)
               ? fmt::format("the {} are {}, and indices count from 0", info(cell->stage).title, shape)
               : fmt::format("this {} has no {}", info(subject.config.mechanism).id, info(cell->stage).title);
  }
  choices.options.film = cell;
  return {};
}
std::string seconds_word(const Choices& choices) { return fmt::format("{}", choices.options.scene_seconds); }
std::string take_seconds(Choices& choices, const std::string& word, const Subject&) {
  double seconds = 0;
  const bool is_taken = word == "0" || take_number(seconds, word, shortest_scene, longest_scene);
  if (is_taken) choices.options.scene_seconds = seconds;
  return is_taken ? "" : fmt::format("it must be a number from {} to {}", shortest_scene, longest_scene);
}
std::string idle_seconds(const Choices& choices, const Subject&) {
  return choices.options.film ? "" : "Only a film has scenes: --film chooses its cell.";
}

std::string obstacle_to_pinned(const Choices&, const Subject& subject) {
  return subject.has_pinned_cell ? "" : "No cell is pinned: click one in the window first.";
}
std::string obstacle_to_arithmetic(const Choices& choices, const Subject& subject) {
  if (!choices.shows_pinned) return "Tick “pinned cell” first: the arithmetic explains its number.";
  if (choices.sweep.is_on) return "Only a still figure shows how a number is derived.";
  return obstacle_to_pinned(choices, subject);
}

std::string decimals_word(const Choices& choices) {
  return choices.options.decimals ? fmt::format("{}", *choices.options.decimals) : "none";
}
std::string take_decimals(Choices& choices, const std::string& word, const Subject&) {
  int decimals = 0;
  const bool has_none = word == "none";
  if (!has_none && !take_number(decimals, word, 0, most_decimals))
    return fmt::format("it must be 0 to {} or none", most_decimals);
  choices.options.decimals = has_none ? std::nullopt : std::optional(decimals);
  return {};
}

std::string idle_row_sums(const Choices& choices, const Subject&) {
  const FigureOptions& options = choices.options;
  if (!options.study.id.empty()) return "A teaching view chooses its own row sums.";
  const bool is_square = !options.stage || is_query_by_key(info(*options.stage).axes);
  return is_square ? "" : "Only matrices of queries by keys have row sums.";
}

std::string width_word(const Choices& choices) {
  const FigureWidth& width = choices.options.width;
  return fmt::format("{}{}", width.length, width.unit == LengthUnit::pixels ? "px" : "mm");
}
std::string take_width(Choices& choices, const std::string& word, const Subject&) {
  FigureWidth width;
  if (word.ends_with("px")) width.unit = LengthUnit::pixels;
  const WidthBounds bounds = width_bounds(width.unit);
  const std::string_view number = std::string_view(word).substr(0, std::max<std::size_t>(word.size(), 2) - 2);
  const bool has_unit = word.ends_with("px") || word.ends_with("mm");
  if (has_unit && take_number(width.length, number, bounds.smallest, bounds.largest)) {
    choices.options.width = width;
    return {};
  }
  constexpr WidthBounds metric = width_bounds(LengthUnit::millimetres);
  constexpr WidthBounds pixels = width_bounds(LengthUnit::pixels);
  return fmt::format("it must be {}mm to {}mm or {}px to {}px", metric.smallest, metric.largest, pixels.smallest,
                     pixels.largest);
}
std::string height_word(const Choices& choices) { return fmt::format("{}", choices.options.height); }
// Takes the height in the unit of the width; 0 if it follows from the content.
std::string take_height(Choices& choices, const std::string& word, const Subject&) {
  const WidthBounds bounds = width_bounds(choices.options.width.unit);
  if (word == "0") choices.options.height = 0;
  const bool is_taken = word == "0" || take_number(choices.options.height, word, bounds.smallest, bounds.largest);
  return is_taken ? "" : "it must be 0 or as high as a page can be wide";
}

std::vector<ChoiceValue> size_values(const Subject&) { return values_of(page_sizes); }
std::string size_word(const Choices& choices) {
  const PageSize* const size = page_size_of(choices.options);
  return size ? std::string(size->id) : "";
}
std::string take_size(Choices& choices, const std::string& word, const Subject&) {
  const PageSize* const size = page_size_named(word);
  if (!size) return "it must be the name of a size";
  set_page_size(choices.options, *size);
  if (choices.sweep.is_on || choices.options.film) limit_animation(choices.options);
  return {};
}

constexpr const char* two_numbers = "two_numbers";

std::string word_of_range(const FixedRange& range) { return fmt::format("{}..{}", range.low, range.high); }
std::string fixed_word(const Choices& choices) { return word_of_range(choices.fixed_range); }
std::string range_word(const Choices& choices) {
  const FigureOptions& options = choices.options;
  if (options.fixed_range) return word_of_range(*options.fixed_range);
  return std::string(std::ranges::find(range_modes, options.range, &RangeModeName::mode)->id);
}
// Takes a range such as "0..0.5".
std::string take_fixed(Choices& choices, const std::string& word, const Subject&) {
  constexpr float largest = 1e30F;
  const std::size_t dots = word.find("..");
  FixedRange range;
  if (dots != word.npos && take_number(range.low, word.substr(0, dots), -largest, largest) &&
      take_number(range.high, word.substr(dots + 2), -largest, largest) && range.low < range.high) {
    choices.fixed_range = range;
    return {};
  }
  return "a number and a larger one as in 0..0.5";
}
std::string take_range(Choices& choices, const std::string& word, const Subject& subject) {
  FigureOptions& options = choices.options;
  std::string names;
  for (const RangeModeName& row : range_modes) {
    names += fmt::format("{}, ", row.id);
    if (word != row.id) continue;
    options.range = row.mode;
    options.fixed_range.reset();
    return {};
  }
  const std::string refusal = word == two_numbers ? "" : take_fixed(choices, word, subject);
  if (!refusal.empty()) return fmt::format("it must be {}or {}", names, refusal);
  options.fixed_range = choices.fixed_range;
  return {};
}
std::vector<ChoiceValue> range_values(const Subject&) {
  std::vector<ChoiceValue> values = values_of(range_modes);
  values.push_back({two_numbers, "two numbers", ""});
  return values;
}

constexpr const char* two_colours = "two_colours";

std::string ends_word(const Choices& choices) { return text_of(choices.colour_ends); }
std::string colormap_word(const Choices& choices) {
  const FigureOptions& options = choices.options;
  if (options.colour_ends) return text_of(*options.colour_ends);
  return std::string(std::ranges::find(colormap_names, options.colormap, &NamedColormap::value)->id);
}
// Takes two colours such as "#ffffff..#0b5394".
std::string take_ends(Choices& choices, const std::string& word, const Subject&) {
  const std::optional<ColourEnds> ends = colour_ends_of(word);
  if (!ends) return "two colours as in #ffffff..#0b5394";
  choices.colour_ends = *ends;
  return {};
}
std::string take_colormap(Choices& choices, const std::string& word, const Subject& subject) {
  FigureOptions& options = choices.options;
  std::string names;
  for (const NamedColormap& row : colormap_names) {
    names += fmt::format("{}, ", row.id);
    if (word != row.id) continue;
    options.colormap = row.value;
    options.colour_ends.reset();
    return {};
  }
  const std::string refusal = word == two_colours ? "" : take_ends(choices, word, subject);
  if (!refusal.empty()) return fmt::format("it must be {}or {}", names, refusal);
  options.colour_ends = choices.colour_ends;
  return {};
}
std::vector<ChoiceValue> colormap_values(const Subject&) {
  std::vector<ChoiceValue> values = values_of(colormap_names);
  values.push_back({two_colours, "two colours", ""});
  return values;
}

std::string scale_tip() {
  const auto is_vector = [](const PictureFormat& format) { return format.is_vector; };
  return fmt::format("Pixels of a PNG for each of 1/96 inch. An {} is sharp at any size.",
                     listed(&PictureFormat::name, is_vector));
}

constexpr ChoiceFlag arrow_flags[] = {{"--no-arrows", "off", "No arrows in the pipeline"}};
constexpr ChoiceFlag sum_flags[] = {{"--row-sums", "on", "Show row sums"},
                                    {"--no-row-sums", "off", "Show no row sums, not even where they should be 1"}};
constexpr ChoiceFlag footer_flags[] = {
    {"--footer", "on", "A line below the figure: mechanism, heads, seed, dropout, version"}};
constexpr ChoiceFlag arithmetic_flags[] = {
    {"--arithmetic", "on", "Explain below the figure how the number of --cell was computed"}};

std::vector<FigureChoice> content_rows() {
  return {
      {.key = "stage",
       .help = "Stage (weights, W_query, ...), or pipeline for all stages of one head (default: weights)",
       .way = {take_stage, stage_word, stage_values}},
      {.key = "study",
       .help = "A teaching view instead of a stage, by name",
       .way = {take_study, study_word, study_values, true}},
      {.key = "film",
       .help = "The film of a cell instead of a stage: how its number came to be, as weights[0,0,4,1]",
       .is_of_film = true,
       .way = {take_film, film_word}},
      {.key = "seconds",
       .help = "Seconds of each scene of a film, 0.5 to 60 (default: as long as the scene needs)",
       .tip = "0.5 to 60; 0: each scene is as long as it needs to be.",
       .is_of_film = true,
       .is_kept = true,
       .way = {take_seconds, seconds_word},
       .idle = idle_seconds},
      {.key = "head",
       .help = "Head, from 1, or all (default: 1)",
       .way = {take_head, head_word, head_values},
       .idle = idle_head,
       .obstacle = obstacle_to_head},
      {.key = "batch",
       .help = "Batch entry, from 1 (default: 1)",
       .way = {take_batch, batch_word},
       .idle = idle_batch,
       .obstacle = obstacle_to_batch},
      {.key = "side",
       .label = "compared",
       .help = "Side of a comparison of two documents: B (default), A, difference, or side-by-side",
       .way = named(side_names, option(&FigureOptions::side))},
      {.key = "stages",
       .help = "Only these stages of the pipeline, separated by commas, or bands: project, compare, mix",
       .tip = "Stages without a tick are left out, and the others take their room.",
       .way = {take_parts},
       .idle = idle_parts},
      {.key = "arrows",
       .tip = "From each stage to those that are computed from it.",
       .is_kept = true,
       .way = named(switch_names, option(&FigureOptions::has_arrows)),
       .idle = idle_parts,
       .flags = arrow_flags},
      {.key = "cell",
       .help = "Mark a cell of the stage (of the weights in the pipeline), as row,column from 1, or any as "
               "weights[0,0,1,0]",
       .way = {take_cell}},
      {.key = "pinned",
       .label = "pinned cell",
       .tip = "Its row and column are marked in every matrix.",
       .is_kept = true,
       .way = named(switch_names, choice(&Choices::shows_pinned)),
       .obstacle = obstacle_to_pinned},
      {.key = "arithmetic",
       .tip = "Below the figure: how the pinned number was computed.",
       .is_kept = true,
       .way = named(switch_names, choice(&Choices::has_arithmetic)),
       .idle = idle_in_view,
       .obstacle = obstacle_to_arithmetic,
       .flags = arithmetic_flags},
      {.key = "decimals",
       .label = "numbers",
       .help = "Decimals of the numbers in the cells, 0 to 4, or none (default: 2)",
       .tip = "In the cells, where they fit; none at the left end.",
       .is_of_film = true,
       .is_kept = true,
       .way = {take_decimals, decimals_word},
       .idle = idle_in_view},
      {.key = "row_sums",
       .is_kept = true,
       .way = named(row_sum_names, option(&FigureOptions::row_sums)),
       .idle = idle_row_sums,
       .flags = sum_flags},
      {.key = "footer",
       .tip = "A small line below: mechanism, heads, seed, dropout, version.",
       .is_kept = true,
       .way = named(switch_names, choice(&Choices::has_footer)),
       .flags = footer_flags},
      {.key = "title", .help = "Title above the figure", .way = text(option(&FigureOptions::title))},
      {.key = "caption", .help = "Caption below the figure", .way = text(option(&FigureOptions::caption))},
  };
}

std::vector<FigureChoice> look_rows() {
  return {
      {.key = "width",
       .help = "Width, 30mm to 1000mm or 120px to 8000px (default: 160mm)",
       .tip = "The height follows.",
       .is_of_film = true,
       .is_kept = true,
       .way = {take_width, width_word}},
      {.key = "height", .is_of_film = true, .is_kept = true, .way = {take_height, height_word}},
      {.key = "size",
       .help = "Width, height and font size for a slide or a paper, by name",
       .tip = "Width, height and letters for a slide or a paper",
       .is_of_film = true,
       .way = {take_size, size_word, size_values, true}},
      {.key = "scale",
       .help = "Pixels of a PNG for each 1/96 inch, 1 to 6 (default: 3, or 1 for a width in px; an animation is at "
               "most 1920 pixels wide)",
       .tip = scale_tip(),
       .is_of_film = true,
       .is_kept = true,
       .way = number(1, largest_scale, option(&FigureOptions::scale))},
      {.key = "theme",
       .label = "background",
       .help = "Background (default: light)",
       .is_of_film = true,
       .is_kept = true,
       .way = named(background_names, option(&FigureOptions::theme))},
      {.key = "font_size",
       .help = "Font size in points, 4 to 36 (default: 9)",
       .is_kept = true,
       .way = number(smallest_font, largest_font, option(&FigureOptions::font_size))},
      {.key = "range",
       .help =
           "Range of the colours: automatic (fixed for up to 12 keys, then relative), shared (all heads), own (each "
           "matrix), fixed (weights from 0 to 1), relative (weights times the keys that their query may see), "
           "logarithmic, or two numbers as in 0..0.5",
       .tip = range_modes_help,
       .is_kept = true,
       .way = {take_range, range_word, range_values},
       .idle = idle_in_view},
      {.key = "two_numbers", .is_kept = true, .way = {take_fixed, fixed_word}},
      {.key = "colormap",
       .label = "colours",
       .help =
           "Colours of the numbers: own (the stage's), viridis, diverging, or those of the smallest and the largest "
           "number as in #ffffff..#0b5394 (default: own)",
       .tip = "Two colours of your own are those of the smallest and the largest number.",
       .is_kept = true,
       .way = {take_colormap, colormap_word, colormap_values},
       .idle = idle_in_view},
      {.key = "two_colours", .is_kept = true, .way = {take_ends, ends_word}},
  };
}

}  // namespace

std::span<const FigureChoice> figure_choice_table() {
  static const std::vector<FigureChoice> rows = [] {
    std::vector<FigureChoice> all = content_rows();
    std::ranges::move(look_rows(), std::back_inserter(all));
    for (FigureChoice& choice : all) {
      if (choice.label.empty()) choice.label = choice.key;
      std::ranges::replace(choice.label, '_', ' ');
    }
    return all;
  }();
  return rows;
}

const FigureChoice& figure_choice(std::string_view key) {
  return *std::ranges::find(figure_choice_table(), key, &FigureChoice::key);
}

std::string idleness_of(const FigureChoice& choice, const FigureChoices& choices, const ChoiceSubject& subject) {
  if (choices.options.film && !choice.is_of_film) return "A film shows what its number came from, in its own way.";
  return choice.idle ? choice.idle(choices, subject) : std::string();
}

std::string obstacle_to(const FigureChoice& choice, const FigureChoices& choices, const ChoiceSubject& subject) {
  std::string reason = idleness_of(choice, choices, subject);
  return reason.empty() && choice.obstacle ? choice.obstacle(choices, subject) : reason;
}

}  // namespace attnscope
