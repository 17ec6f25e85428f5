#include "commands/figure_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/subcommands.h"
#include "compute/computation.h"
#include "core/difference.h"
#include "core/shown_text.h"
#include "core/utf8.h"
#include "document/footer.h"
#include "features/figures/figure_file.h"
#include "features/shared/picture_view.h"
#include "look/diagram.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "state/view_state.h"
#include "words/explanation_text.h"

namespace attnscope {
namespace {

constexpr double scale_in_print = 3;  // 288 dots an inch

std::optional<Stage> stage_or_pipeline(const AttentionConfig& config, const std::string& name) {
  if (name == "pipeline") return {};
  if (name.empty()) return Stage::weights;
  return stage_or_refuse("--stage", name, config, "pipeline");
}

// "compare,head_context": bands and stages that have a place in the diagram. The others are left out.
StageSet left_out_by(const std::string& text) {
  StageSet left_out;
  if (text.empty()) return left_out;
  std::vector<std::string_view> words;
  for (std::string_view rest = text;; rest.remove_prefix(words.back().size() + 1)) {
    words.push_back(rest.substr(0, rest.find(',')));
    if (words.back().size() == rest.size()) break;
  }
  std::string known = "project, compare, mix";
  for (const StageInfo& row : stages()) {
    if (!has_place(row.stage)) continue;
    known += fmt::format(", {}", row.id);
    const auto shows = [&](std::string_view word) { return word == row.id || word == id_of(row.place.band); };
    if (std::ranges::none_of(words, shows)) left_out.add(row.stage);
  }
  for (const std::string_view word : words) {
    const auto means = [&](const StageInfo& row) {
      return has_place(row.stage) && (word == row.id || word == id_of(row.place.band));
    };
    if (std::ranges::none_of(stages(), means))
      throw UsageError(fmt::format("--stages names {}, but the pipeline has {}.", in_quotes(word), known));
  }
  return left_out;
}

// Only a pipeline has parts. What is left out where none is drawn would be no choice at all.
void set_parts(FigureOptions& options, const FigureArguments& arguments) {
  options.left_out = left_out_by(arguments.stages);
  options.has_arrows = !arguments.no_arrows;
  const bool is_given = !arguments.stages.empty() || arguments.no_arrows;
  if (options.stage && is_given) throw UsageError("--stages and --no-arrows need --stage pipeline: add it.");
}

// "masks=1000"
StudyChoice study_of(const FigureArguments& arguments) {
  StudyChoice study{.id = arguments.study};
  constexpr double largest = 1e6;
  for (const std::string& each : arguments.study_values) {
    const std::size_t equals = std::min(each.find('='), each.size());
    if (equals == each.size())
      throw UsageError(
          fmt::format("--set is {}, but it must be a name and a number as in masks=1000.", in_quotes(each)));
    study.values[each.substr(0, equals)] = parse_number("--set", each.substr(equals + 1), -largest, largest);
  }
  return study;
}

std::optional<Index> head_named(const AttentionConfig& config, const FigureArguments& arguments) {
  if (arguments.head.empty()) return 0;
  if (arguments.head == "all") {
    if (arguments.stage == "pipeline" && head_count(config) > 1) {
      throw UsageError(
          fmt::format("--head is \"all\", but a pipeline shows one head: choose 1 to {}.", head_count(config)));
    }
    return {};
  }
  const auto heads = static_cast<int>(head_count(config));
  try {
    return parse_whole_number("--head", arguments.head, 1, heads) - 1;
  } catch (const UsageError&) {
    throw UsageError(fmt::format("--head is {}, but this {} has {}: it must be {} or all.", in_quotes(arguments.head),
                                 info(config.mechanism).id, heads == 1 ? "one head" : fmt::format("{} heads", heads),
                                 heads == 1 ? "1" : fmt::format("1 to {}", heads)));
  }
}

FigureWidth width_of(const std::string& text) {
  if (text.empty()) return {};
  FigureWidth width;
  std::string_view number = text;
  if (number.ends_with("px")) width.unit = LengthUnit::pixels;
  const WidthBounds bounds = width_bounds(width.unit);
  try {
    if (!number.ends_with("px") && !number.ends_with("mm")) throw UsageError("");
    number.remove_suffix(2);
    width.length = parse_number("--width", number, bounds.smallest, bounds.largest);
  } catch (const UsageError&) {
    constexpr WidthBounds metric = width_bounds(LengthUnit::millimetres);
    constexpr WidthBounds pixels = width_bounds(LengthUnit::pixels);
    throw UsageError(fmt::format("--width is {}, but it must be {}mm to {}mm or {}px to {}px.", in_quotes(text),
                                 metric.smallest, metric.largest, pixels.smallest, pixels.largest));
  }
  return width;
}

// "relative", or two numbers as in "0..0.5".
void set_range(FigureOptions& options, const std::string& text) {
  const auto* const named = std::ranges::find(range_modes, text, &RangeModeName::id);
  if (named != range_modes.end()) options.range = named->mode;
  if (text.empty() || named != range_modes.end()) return;
  constexpr double largest = 1e30;
  const std::size_t dots = text.find("..");
  try {
    if (dots == std::string::npos) throw UsageError("");
    const double low = parse_number("--range", text.substr(0, dots), -largest, largest);
    const double high = parse_number("--range", text.substr(dots + 2), -largest, largest);
    options.fixed_range = FixedRange{static_cast<float>(low), static_cast<float>(high)};
    if (!(options.fixed_range->low < options.fixed_range->high)) throw UsageError("");
  } catch (const UsageError&) {
    std::string names;
    for (const RangeModeName& row : range_modes) names += fmt::format("{}, ", row.id);
    throw UsageError(fmt::format("--range is {}, but it must be {}or a number and a larger one as in 0..0.5.",
                                 in_quotes(text), names));
  }
}

std::optional<int> decimals_of(const std::string& text) {
  if (text.empty()) return FigureOptions().decimals;
  if (text == "none") return {};
  try {
    return parse_whole_number("--decimals", text, 0, most_decimals);
  } catch (const UsageError&) {
    throw UsageError(fmt::format("--decimals is {}, but it must be 0 to {} or none.", in_quotes(text), most_decimals));
  }
}

// "2,1" of the stage, or of the weights of a pipeline.
std::optional<Source> cell_of(const AttentionConfig& config, const FigureOptions& options, const std::string& text) {
  if (text.empty()) return {};
  Source cell = {
      .stage = options.stage.value_or(Stage::weights), .batch = options.batch, .head = options.head.value_or(0)};
  const std::vector<Index> shape = stage_shape(config, cell.stage);
  const auto rows = static_cast<int>(shape[shape.size() - 2]);
  const auto cols = static_cast<int>(shape.back());
  const std::size_t comma = text.find(',');
  try {
    if (comma == std::string::npos) throw UsageError("");
    cell.row = parse_whole_number("--cell", text.substr(0, comma), 1, rows) - 1;
    cell.col = parse_whole_number("--cell", text.substr(comma + 1), 1, cols) - 1;
  } catch (const UsageError&) {
    throw UsageError(fmt::format("--cell is {}, but it must be a row of 1 to {} and a column of 1 to {} as in 2,1.",
                                 in_quotes(text), rows, cols));
  }
  return cell;
}

std::string text_of(std::string_view option, const std::string& text) {
  constexpr std::size_t most_bytes = 2000;  // more than any page has room for
  if (find_invalid_utf8(text)) throw UsageError(fmt::format("{} is not UTF-8 text: type it again.", option));
  if (text.size() > most_bytes)
    throw UsageError(fmt::format("{} has {} bytes, but at most {} are drawn.", option, text.size(), most_bytes));
  return text;
}

PictureKind kind_for(const std::string& out) {
  if (const PictureFormat* const format = format_by_ending(out, PictureUse::still)) return format->kind;
  throw UsageError(
      fmt::format("-o is {}, but a figure is written as {}.", in_quotes(out), endings_for(PictureUse::still)));
}

// Choices that do not go together are wrong usage too: too little room, too many pixels.
std::string drawn(const FigureSubject& subject, PictureKind kind) {
  return or_refuse([&] { return figure_file(subject, kind); });
}

}  // namespace

FigureOptions figure_options(const FigureArguments& arguments, const Document& document) {
  const AttentionConfig& config = document.config;
  FigureOptions options;
  options.stage = stage_or_pipeline(config, arguments.stage);
  options.study = study_of(arguments);
  options.head = head_named(config, arguments);
  if (!options.stage && !options.head) options.head = 0;  // the only one
  if (!arguments.batch.empty()) {
    options.batch = parse_whole_number("--batch", arguments.batch, 1, static_cast<int>(config.batch_size)) - 1;
  }
  for (const auto& [side, name] : compared_sides) {
    if (name == arguments.side) options.side = side;
  }
  set_parts(options, arguments);
  options.width = width_of(arguments.width);
  const PageSize* const size = page_size_named(arguments.size);
  if (size) set_page_size(options, *size);
  options.scale = options.width.unit == LengthUnit::pixels ? 1 : scale_in_print;
  if (!arguments.scale.empty()) options.scale = parse_number("--scale", arguments.scale, 1, largest_scale);
  if (arguments.theme == "dark") options.theme = FigureTheme::dark;
  if (arguments.theme == "transparent") options.theme = FigureTheme::transparent;
  if (!arguments.font_size.empty()) {
    options.font_size = parse_number("--font-size", arguments.font_size, smallest_font, largest_font);
  }
  if (arguments.colormap == "viridis") options.colormap = Colormap::viridis;
  if (arguments.colormap == "diverging") options.colormap = Colormap::diverging;
  set_range(options, arguments.range);
  options.decimals = decimals_of(arguments.decimals);
  if (arguments.row_sums) options.row_sums = true;
  if (arguments.no_row_sums) options.row_sums = false;
  options.marked = cell_of(config, options, arguments.cell);
  options.title = text_of("--title", arguments.title);
  options.caption = text_of("--caption", arguments.caption);
  if (arguments.footer) options.footer = footer_text(document);
  return options;
}

FigureArguments as_seen(FigureArguments arguments, const Document& document, const std::string& seen) {
  if (seen.empty()) return arguments;
  ViewState view;
  look_as(view, document.config, seen);
  const Layout& layout = view.layout;
  if (view.layout == Layout::study && arguments.study.empty() && arguments.stage.empty()) {
    arguments.study = view.study.id;
    for (const auto& [control, value] : view.study.values)
      arguments.study_values.push_back(fmt::format("{}={}", control, value));
    arguments.stage = info(Stage::weights).id;
  }
  if (arguments.stage.empty()) arguments.stage = layout.shows_one_stage ? info(view.stage).id : "pipeline";
  const bool is_of_one = layout.shows_one_head || arguments.stage == "pipeline";
  if (arguments.head.empty()) arguments.head = is_of_one ? fmt::format("{}", view.head + 1) : "all";
  if (arguments.side.empty() && !arguments.sweep && document.compared)
    arguments.side = std::ranges::find(compared_sides, view.side, [](const auto& each) { return each.first; })->second;
  if (arguments.batch.empty()) arguments.batch = fmt::format("{}", view.batch + 1);
  if (arguments.range.empty() && view.range != RangeMode::automatic)
    arguments.range = std::ranges::find(range_modes, view.range, &RangeModeName::mode)->id;
  return arguments;
}

std::optional<Source> cell_seen(const Document& document, const std::string& seen) {
  ViewState view;
  look_as(view, document.config, seen);
  return view.pinned;
}

namespace {

// A figure of attention from a file: no evaluation, but one stage that is read.
void run_attention_figure(const FigureArguments& arguments, PictureKind kind, LoadedAttention loaded) {
  const std::string_view stage = info(loaded.viewed->stage()).id;
  if (!arguments.stage.empty() && arguments.stage != stage) {
    throw UsageError(fmt::format("--stage is {}, but {} holds only {}: leave the option out.",
                                 in_quotes(arguments.stage), arguments.document, stage));
  }
  FigureArguments known = as_seen(arguments, loaded.document, loaded.view);
  known.stage = stage;
  FigureOptions options = figure_options(known, loaded.document);
  options.part = part_of(loaded.viewed->viewing());
  if (arguments.footer) options.footer = footer_text(loaded.viewed->viewing());
  const ViewingDocument viewing = loaded.viewed->to_save(loaded.document.tokens);
  write_file(arguments.out, drawn({loaded.viewed->evaluation(0).result, std::move(loaded.document), std::move(options),
                                   viewing, arguments.out},
                                  kind));
}

}  // namespace

void run_figure(const FigureArguments& arguments) {
  const PictureKind kind = kind_for(arguments.out);
  ShownFile shown = shown_or_refuse(arguments.document, arguments.view);
  if (auto* const attention = std::get_if<LoadedAttention>(&shown)) {
    return run_attention_figure(arguments, kind, std::move(*attention));
  }
  auto& [document, is_from_picture, seen] = std::get<LoadedDocument>(shown);
  FigureOptions options = figure_options(as_seen(arguments, document, seen), document);
  if (arguments.cell.empty() && arguments.stage.empty()) options.marked = cell_seen(document, seen);
  auto result = compute(document.config).result;
  if (arguments.arithmetic && options.marked)
    options.arithmetic = arithmetic_of(*result, *options.marked, token_labels(document.tokens));
  if (options.side != ComparedSide::now && document.compared)
    result = difference_of(result, compute(document.compared->config).result);
  write_file(arguments.out, drawn({std::move(result), std::move(document), std::move(options)}, kind));
}

}  // namespace attnscope
