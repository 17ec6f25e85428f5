#include "state/figure_choice_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "core/utf8.h"
#include "document/words.h"
#include "look/diagram.h"
#include "look/view_address.h"

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

// Counted from 1 as it is typed, and from 0 here.
bool take_index(Index& index, std::string_view text, Index count) {
  Index number = 0;
  if (!take_number<Index>(number, text, 1, count)) return false;
  index = number - 1;
  return true;
}

// The values of an enumeration, with their words and what the dialog calls them.
template <typename Value>
struct Named {
  Value value;
  const char* word;
  const char* title;
};
template <typename Value, std::size_t count>
using Names = std::array<Named<Value>, count>;

constexpr Names<ComparedSide, 4> side_names = {{{ComparedSide::before, "A", "A"},
                                                {ComparedSide::now, "B", "B"},
                                                {ComparedSide::difference, "difference", "B − A"},
                                                {ComparedSide::side_by_side, "side-by-side", "all three"}}};
constexpr Names<FigureTheme, 3> background_names = {{{FigureTheme::light, "light", "light"},
                                                     {FigureTheme::dark, "dark", "dark"},
                                                     {FigureTheme::transparent, "transparent", "transparent"}}};
constexpr Names<std::optional<Colormap>, 3> colormap_names = {{{std::nullopt, "own", "the stage's own"},
                                                               {Colormap::viridis, "viridis", "viridis"},
                                                               {Colormap::diverging, "diverging", "diverging"}}};
constexpr Names<std::optional<bool>, 3> row_sum_names = {
    {{std::nullopt, "automatic", ""}, {true, "on", ""}, {false, "off", ""}}};
constexpr Names<bool, 2> switch_names = {{{true, "on", ""}, {false, "off", ""}}};

template <typename Value, std::size_t count>
std::string word_of(const Names<Value, count>& names, const Value& value) {
  return std::ranges::find(names, value, &Named<Value>::value)->word;
}

template <typename Value, std::size_t count>
bool take_named(Value& value, const Names<Value, count>& names, std::string_view word) {
  for (const Named<Value>& name : names) {
    if (word != name.word) continue;
    value = name.value;
    return true;
  }
  return false;
}

// These find a value in the choices.
template <typename Value>
auto option(Value FigureOptions::*member) {
  return [=](auto& choices) -> auto& { return choices.options.*member; };
}
template <typename Value>
auto choice(Value Choices::*member) {
  return [=](auto& choices) -> auto& { return choices.*member; };
}

ChoiceWay way(decltype(ChoiceWay::choose) choose, decltype(ChoiceWay::allowed) allowed = {},
              decltype(ChoiceWay::word) word = {}, decltype(ChoiceWay::values) values = {},
              std::vector<std::string> words = {}) {
  return {std::move(choose), std::move(allowed), std::move(word), std::move(values), std::move(words)};
}

// Values that are one of a few names, a number or text, where `get` finds them in the choices.
template <typename Value, std::size_t count, typename Get>
ChoiceWay named(const Names<Value, count>& names, Get get) {
  ChoiceWay way;
  for (const Named<Value>& name : names) way.words.emplace_back(name.word);
  way.word = [=](const Choices& choices) { return word_of(names, get(choices)); };
  way.choose = [=](Choices& choices, const std::string& word, const Subject&) {
    return take_named(get(choices), names, word);
  };
  way.values = [=](const Subject&) {
    std::vector<ChoiceValue> values;
    for (const Named<Value>& name : names) values.push_back({name.word, name.title, ""});
    return values;
  };
  return way;
}

template <typename Get>
ChoiceWay number(double smallest, double largest, Get get) {
  return {
      .choose = [=](Choices& choices, const std::string& word,
                    const Subject&) { return take_number(get(choices), word, smallest, largest); },
      .allowed = [=](const Choices&,
                     const Subject&) { return fmt::format("it must be a number from {} to {}", smallest, largest); },
      .word = [=](const Choices& choices) { return fmt::format("{}", get(choices)); }};
}

template <typename Get>
ChoiceWay text(Get get) {
  return {.choose =
              [=](Choices& choices, const std::string& word, const Subject&) {
                if (find_invalid_utf8(word) || word.size() > most_figure_text) return false;
                get(choices) = word;
                return true;
              },
          .allowed =
              [](const Choices&, const Subject&) {
                return fmt::format("it must be UTF-8 text of at most {} bytes", most_figure_text);
              },
          .word = get};
}

bool has_stage_of(const Subject& subject, Stage stage) {
  return subject.result ? has(*subject.result, stage) : has_stage(subject.config, stage);
}

std::string stage_word(const Choices& choices) {
  return choices.options.stage ? std::string(info(*choices.options.stage).id) : "pipeline";
}
std::vector<ChoiceValue> stage_values(const Subject& subject) {
  std::vector<ChoiceValue> values = {{"pipeline", "pipeline", ""}};
  for (const StageInfo& row : stages()) {
    if (has_stage_of(subject, row.stage)) values.push_back({std::string(row.id), std::string(row.title), ""});
  }
  return values;
}
bool take_stage(Choices& choices, const std::string& word, const Subject& subject) {
  FigureOptions& options = choices.options;
  const std::optional<Stage> stage = stage_named(word);
  if (word != "pipeline" && (!stage || !has_stage_of(subject, *stage))) return false;
  options.study = {};
  options.stage = stage;
  if (!stage) options.head = options.head.value_or(0);
  return true;
}
std::string allowed_stages(const Choices&, const Subject& subject) {
  std::vector<std::string> words;
  for (const ChoiceValue& value : stage_values(subject)) words.push_back(value.word);
  return fmt::format("this {} does not have it: its stages are {}", info(subject.config.mechanism).id,
                     fmt::join(words, ", "));
}

bool take_study(Choices& choices, const std::string& word, const Subject&) {
  FigureOptions& options = choices.options;
  if (options.study.id == word) return true;
  options.study.id = word;
  options.study.values.clear();
  options.stage = Stage::weights;
  options.head = options.head.value_or(0);
  return true;
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
bool take_head(Choices& choices, const std::string& word, const Subject& subject) {
  FigureOptions& options = choices.options;
  const Index heads = head_count(subject.config);
  if (word == "all" && !options.stage && heads > 1) return false;
  if (word != "all") return take_index(options.head.emplace(options.head.value_or(0)), word, heads);
  options.head = options.stage ? std::optional<Index>() : std::optional<Index>(0);
  return true;
}
std::string allowed_heads(const Choices& choices, const Subject& subject) {
  const Index heads = head_count(subject.config);
  if (heads == 1) return fmt::format("this {} has one head: it must be 1 or all", info(subject.config.mechanism).id);
  if (!choices.options.stage) return fmt::format("a pipeline shows one head: it must be 1 to {}", heads);
  return fmt::format("this {} has {} heads: it must be 1 to {} or all", info(subject.config.mechanism).id, heads,
                     heads);
}
std::string obstacle_to_head(const Choices& choices, const Subject& subject) {
  const std::optional<Stage>& stage = choices.options.stage;
  if (head_count(subject.config) == 1) return "This mechanism has one head.";
  return stage && !is_per_head(subject.config, *stage) ? "This stage is the same for all heads." : "";
}

bool take_batch(Choices& choices, const std::string& word, const Subject& subject) {
  return take_index(choices.options.batch, word, subject.config.batch_size);
}
std::string batch_word(const Choices& choices) { return fmt::format("{}", choices.options.batch + 1); }
std::string allowed_batches(const Choices&, const Subject& subject) {
  return fmt::format("it must be a whole number from 1 to {}", subject.config.batch_size);
}
std::string obstacle_to_batch(const Choices&, const Subject& subject) {
  return subject.config.batch_size == 1 ? "The batch has one entry." : "";
}

bool is_of_diagram(const StageInfo& row, std::string_view word) {
  return has_place(row.stage) && (word == row.id || word == id_of(row.place.band));
}
// Returns the words of "project,compare,head_context".
std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t comma = text.find(','); comma != text.npos; comma = text.find(',')) {
    words.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  words.push_back(text);
  return words;
}
// Stages and bands that are not named are left out.
bool take_parts(Choices& choices, const std::string& text, const Subject&) {
  const std::vector<std::string_view> words = words_in(text);
  const auto is_known = [](std::string_view word) {
    return std::ranges::any_of(stages(), [&](const StageInfo& row) { return is_of_diagram(row, word); });
  };
  if (!std::ranges::all_of(words, is_known)) return false;
  choices.options.left_out = {};
  for (const StageInfo& row : stages()) {
    const bool is_named = std::ranges::any_of(words, [&](std::string_view word) { return is_of_diagram(row, word); });
    if (has_place(row.stage) && !is_named) choices.options.left_out.add(row.stage);
  }
  return true;
}
std::string allowed_parts(const Choices&, const Subject&) {
  std::string known = "the pipeline has project, compare, mix";
  for (const StageInfo& row : stages()) {
    if (has_place(row.stage)) known += fmt::format(", {}", row.id);
  }
  return known;
}
std::string obstacle_to_parts(const Choices& choices, const Subject&) {
  return choices.options.stage ? "Only the pipeline has several stages, with arrows between them." : "";
}

std::vector<Index> marked_shape(const Choices& choices, const Subject& subject) {
  return stage_shape(subject.config, choices.options.stage.value_or(Stage::weights));
}
bool take_cell(Choices& choices, const std::string& word, const Subject& subject) {
  FigureOptions& options = choices.options;
  if (const std::optional<Source> named = cell_named(word)) {
    if (has_place_of(subject.config, *named)) options.marked = named;
    return has_place_of(subject.config, *named);
  }
  const std::vector<Index> shape = marked_shape(choices, subject);
  const std::size_t comma = std::min(word.find(','), word.size());
  Source cell{
      .stage = options.stage.value_or(Stage::weights), .batch = options.batch, .head = options.head.value_or(0)};
  if (comma == word.size() || !take_index(cell.row, word.substr(0, comma), shape[shape.size() - 2])) return false;
  if (!take_index(cell.col, word.substr(comma + 1), shape.back())) return false;
  options.marked = cell;
  return true;
}
std::string allowed_cells(const Choices& choices, const Subject& subject) {
  const std::vector<Index> shape = marked_shape(choices, subject);
  return fmt::format("it must be a row of 1 to {} and a column of 1 to {} as in 2,1, or a cell as in weights[0,0,1,0]",
                     shape[shape.size() - 2], shape.back());
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
bool take_decimals(Choices& choices, const std::string& word, const Subject&) {
  int decimals = 0;
  if (word != "none" && !take_number(decimals, word, 0, most_decimals)) return false;
  choices.options.decimals = word == "none" ? std::nullopt : std::optional(decimals);
  return true;
}

std::string allowed_decimals(const Choices&, const Subject&) {
  return fmt::format("it must be 0 to {} or none", most_decimals);
}

std::string obstacle_to_row_sums(const Choices& choices, const Subject&) {
  const FigureOptions& options = choices.options;
  if (!options.study.id.empty()) return "A teaching view chooses its own row sums.";
  const bool is_square = !options.stage || is_query_by_key(info(*options.stage).axes);
  return is_square ? "" : "Only matrices of queries by keys have row sums.";
}

std::string width_word(const Choices& choices) {
  const FigureWidth& width = choices.options.width;
  return fmt::format("{}{}", width.length, width.unit == LengthUnit::pixels ? "px" : "mm");
}
bool take_width(Choices& choices, const std::string& word, const Subject&) {
  FigureWidth width;
  if (!word.ends_with("px") && !word.ends_with("mm")) return false;
  if (word.ends_with("px")) width.unit = LengthUnit::pixels;
  const WidthBounds bounds = width_bounds(width.unit);
  const std::string_view number = std::string_view(word).substr(0, word.size() - 2);
  if (!take_number(width.length, number, bounds.smallest, bounds.largest)) return false;
  choices.options.width = width;
  return true;
}
std::string allowed_widths(const Choices&, const Subject&) {
  constexpr WidthBounds metric = width_bounds(LengthUnit::millimetres);
  constexpr WidthBounds pixels = width_bounds(LengthUnit::pixels);
  return fmt::format("it must be {}mm to {}mm or {}px to {}px", metric.smallest, metric.largest, pixels.smallest,
                     pixels.largest);
}
std::string height_word(const Choices& choices) { return fmt::format("{}", choices.options.height); }
// In the unit of the width; 0 where the height follows from the content.
bool take_height(Choices& choices, const std::string& word, const Subject&) {
  const WidthBounds bounds = width_bounds(choices.options.width.unit);
  if (word == "0") choices.options.height = 0;
  return word == "0" || take_number(choices.options.height, word, bounds.smallest, bounds.largest);
}

std::string size_word(const Choices& choices) {
  const PageSize* const size = page_size_of(choices.options);
  return size ? std::string(size->id) : "";
}
std::vector<ChoiceValue> size_values(const Subject&) {
  std::vector<ChoiceValue> values;
  for (const PageSize& size : page_sizes) values.push_back({std::string(size.id), std::string(size.title), ""});
  return values;
}
std::vector<std::string> page_size_words() {
  std::vector<std::string> words;
  for (const PageSize& size : page_sizes) words.emplace_back(size.id);
  return words;
}
bool take_size(Choices& choices, const std::string& word, const Subject&) {
  const PageSize* const size = page_size_named(word);
  if (!size) return false;
  set_page_size(choices.options, *size);
  if (choices.sweep.is_on) limit_animation(choices.options);
  return true;
}

constexpr const char* two_numbers = "two_numbers";

std::string word_of_range(const FixedRange& range) { return fmt::format("{}..{}", range.low, range.high); }
std::string fixed_word(const Choices& choices) { return word_of_range(choices.fixed_range); }
std::string range_word(const Choices& choices) {
  const FigureOptions& options = choices.options;
  if (options.fixed_range) return word_of_range(*options.fixed_range);
  return std::string(std::ranges::find(range_modes, options.range, &RangeModeName::mode)->id);
}
// "0..0.5"
bool take_fixed(Choices& choices, const std::string& word, const Subject&) {
  constexpr float largest = 1e30F;
  const std::size_t dots = std::min(word.find(".."), word.size());
  FixedRange range;
  if (dots == word.size() || !take_number(range.low, word.substr(0, dots), -largest, largest)) return false;
  if (!take_number(range.high, word.substr(dots + 2), -largest, largest) || !(range.low < range.high)) return false;
  choices.fixed_range = range;
  return true;
}
bool take_range(Choices& choices, const std::string& word, const Subject& subject) {
  FigureOptions& options = choices.options;
  const auto* const named = std::ranges::find(range_modes, word, &RangeModeName::id);
  if (named != range_modes.end()) {
    options.range = named->mode;
    options.fixed_range.reset();
    return true;
  }
  if (word != two_numbers && !take_fixed(choices, word, subject)) return false;
  options.fixed_range = choices.fixed_range;
  return true;
}
std::vector<ChoiceValue> range_values(const Subject&) {
  std::vector<ChoiceValue> values;
  for (const RangeModeName& row : range_modes) values.push_back({std::string(row.id), row.title, ""});
  values.push_back({two_numbers, "two numbers", ""});
  return values;
}
std::string allowed_ranges(const Choices&, const Subject&) {
  std::string names;
  for (const RangeModeName& row : range_modes) names += fmt::format("{}, ", row.id);
  return fmt::format("it must be {}or a number and a larger one as in 0..0.5", names);
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
       .label = "stage",
       .help = "Stage (weights, W_query, ...), or pipeline for all stages of one head (default: weights)",
       .way = way(take_stage, allowed_stages, stage_word, stage_values)},
      {.key = "study", .help = "A teaching view instead of a stage, by name", .way = way(take_study)},
      {.key = "head",
       .label = "head",
       .help = "Head, from 1, or all (default: 1)",
       .way = way(take_head, allowed_heads, head_word, head_values),
       .obstacle = obstacle_to_head},
      {.key = "batch",
       .label = "batch",
       .help = "Batch entry, from 1 (default: 1)",
       .way = way(take_batch, allowed_batches, batch_word),
       .obstacle = obstacle_to_batch},
      {.key = "side",
       .label = "compared",
       .help = "Side of a comparison of two documents: B (default), A, difference, or side-by-side",
       .way = named(side_names, option(&FigureOptions::side))},
      {.key = "stages",
       .label = "stages",
       .help = "Only these stages of the pipeline, separated by commas, or bands: project, compare, mix",
       .tip = "Stages without a tick are left out, and the others take their room.",
       .way = way(take_parts, allowed_parts),
       .obstacle = obstacle_to_parts},
      {.key = "arrows",
       .label = "arrows",
       .tip = "From each stage to those that are computed from it.",
       .is_kept = true,
       .way = named(switch_names, option(&FigureOptions::has_arrows)),
       .obstacle = obstacle_to_parts,
       .flags = arrow_flags},
      {.key = "cell",
       .help = "Mark a cell of the stage (of the weights in the pipeline), as row,column from 1, or any as "
               "weights[0,0,1,0]",
       .way = way(take_cell, allowed_cells)},
      {.key = "pinned",
       .label = "pinned cell",
       .tip = "Its row and column are marked in every matrix.",
       .is_kept = true,
       .way = named(switch_names, choice(&Choices::shows_pinned)),
       .obstacle = obstacle_to_pinned},
      {.key = "arithmetic",
       .label = "arithmetic",
       .tip = "Below the figure: how the pinned number was computed.",
       .is_kept = true,
       .way = named(switch_names, choice(&Choices::has_arithmetic)),
       .obstacle = obstacle_to_arithmetic,
       .flags = arithmetic_flags},
      {.key = "decimals",
       .label = "numbers",
       .help = "Decimals of the numbers in the cells, 0 to 4, or none (default: 2)",
       .tip = "In the cells, where they fit; none at the left end.",
       .is_kept = true,
       .way = way(take_decimals, allowed_decimals, decimals_word)},
      {.key = "row_sums",
       .label = "row sums",
       .is_kept = true,
       .way = named(row_sum_names, option(&FigureOptions::row_sums)),
       .obstacle = obstacle_to_row_sums,
       .flags = sum_flags},
      {.key = "footer",
       .label = "footer",
       .tip = "A small line below: mechanism, heads, seed, dropout, version.",
       .is_kept = true,
       .way = named(switch_names, choice(&Choices::has_footer)),
       .flags = footer_flags},
      {.key = "title", .label = "title", .help = "Title above the figure", .way = text(option(&FigureOptions::title))},
      {.key = "caption",
       .label = "caption",
       .help = "Caption below the figure",
       .way = text(option(&FigureOptions::caption))},
  };
}

std::vector<FigureChoice> look_rows() {
  return {
      {.key = "width",
       .label = "width",
       .help = "Width, 30mm to 1000mm or 120px to 8000px (default: 160mm)",
       .tip = "The height follows.",
       .is_kept = true,
       .way = way(take_width, allowed_widths, width_word)},
      {.key = "height", .is_kept = true, .way = way(take_height, {}, height_word)},
      {.key = "size",
       .label = "size",
       .help = "Width, height and font size for a slide or a paper, by name",
       .tip = "Width, height and letters for a slide or a paper",
       .way = way(take_size, {}, size_word, size_values, page_size_words())},
      {.key = "scale",
       .label = "scale",
       .help = "Pixels of a PNG for each 1/96 inch, 1 to 6 (default: 3, or 1 for a width in px; an animation is at "
               "most 1920 "
               "pixels wide)",
       .tip = scale_tip(),
       .is_kept = true,
       .way = number(1, largest_scale, option(&FigureOptions::scale))},
      {.key = "theme",
       .label = "background",
       .help = "Background (default: light)",
       .is_kept = true,
       .way = named(background_names, option(&FigureOptions::theme))},
      {.key = "font_size",
       .label = "font size",
       .help = "Font size in points, 4 to 36 (default: 9)",
       .is_kept = true,
       .way = number(smallest_font, largest_font, option(&FigureOptions::font_size))},
      {.key = "range",
       .label = "range",
       .help =
           "Range of the colours: automatic (fixed for up to 12 keys, then relative), shared (all heads), own (each "
           "matrix), fixed (weights from 0 to 1), relative (weights times the keys that their query may see), "
           "logarithmic, "
           "or two numbers as in 0..0.5",
       .tip = range_modes_help,
       .is_kept = true,
       .way = way(take_range, allowed_ranges, range_word, range_values)},
      {.key = "two_numbers", .is_kept = true, .way = way(take_fixed, {}, fixed_word)},
      {.key = "colormap",
       .label = "colours",
       .help = "Colour map (default: own, the stage's)",
       .is_kept = true,
       .way = named(colormap_names, option(&FigureOptions::colormap))},
  };
}

}  // namespace

std::span<const FigureChoice> figure_choice_table() {
  static const std::vector<FigureChoice> rows = [] {
    std::vector<FigureChoice> all = content_rows();
    std::ranges::move(look_rows(), std::back_inserter(all));
    return all;
  }();
  return rows;
}

const FigureChoice& figure_choice(std::string_view key) {
  return *std::ranges::find(figure_choice_table(), key, &FigureChoice::key);
}

std::string obstacle_to(const FigureChoice& choice, const FigureChoices& choices, const ChoiceSubject& subject) {
  return choice.obstacle ? choice.obstacle(choices, subject) : std::string();
}

}  // namespace attnscope
