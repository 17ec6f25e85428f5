#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compute/computation.h"
#include "core/results.h"
#include "core/text.h"
#include "document/document.h"
#include "features/figures/figure_file.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "session/figure_state.h"
#include "session/view_state.h"
#include "teach/teaching_view.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

constexpr double scale_in_print = 3;  // 288 dots an inch

// "masks=1000"
void set_controls(TeachingViewChoice& study, const std::vector<std::string>& values) {
  constexpr double largest = 1e6;
  for (const std::string& each : values) {
    const std::size_t equals = std::min(each.find('='), each.size());
    if (equals == each.size())
      throw UsageError(
          fmt::format("--set is {}, but it must be a name and a number as in masks=1000.", in_quotes(each)));
    study.values[each.substr(0, equals)] = parse_number("--set", each.substr(equals + 1), -largest, largest);
  }
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

void add_choice(CLI::App& figure, const FigureChoice& choice, std::string& word) {
  for (const ChoiceFlag& flag : choice.flags)
    figure.add_flag_callback(
        std::string(flag.name), [&] { word = flag.word; }, flag.help);
  if (choice.help.empty()) return;
  CLI::Option* const option = figure.add_option(option_of(choice), word, std::string(choice.help));
  if (!choice.way.has_fixed_values) return;
  std::vector<std::string> words;
  for (const ChoiceValue& value : choice.way.values({AttentionConfig()})) words.push_back(value.word);
  choose_among(option, words);
}

void add_sweep(CLI::App& figure, FigureArguments& arguments) {
  figure.add_option(
      "--sweep", arguments.sweep,
      "Animate one parameter, in one file (a video needs ffmpeg) or with -o out-%03d.png as numbered pictures: "
      "dropout=0..0.9 (without --stage: dropped_weights), seed=1..20, num_heads=1..4, "
      "mask=none,causal or another field of the document, embedding[2,1]=-1..1 (token, dimension), tokens=1..6 or "
      "stages (of the pipeline, one by one); with a step as in "
      "0..0.9:0.1, or single values as in seed=1,5,9");
  figure.add_option("--fps", arguments.fps,
                    "Frames per second of an animation, 0.1 to 50 (default: 4; of a film 25 as .mp4, 16.7 as .gif, 15 "
                    "as .png; numbered pictures of a film are its key frames without it)");
  figure.add_option("--loop", arguments.loop, "How often the animation plays, 1 to 65535 times (default: without end)");
}

// An option that does not apply to a figure of a teaching view, or of all layers.
struct IdleOption {
  std::string_view key;
  bool (*is_idle)(const FigureArguments& arguments);
  const char* reason;
};
bool has_layers(const FigureArguments& arguments) { return arguments.view.layer == all_layers; }
bool has_view(const FigureArguments& arguments) { return !arguments["study"].empty(); }
bool has_one_stage(const FigureArguments& arguments) { return arguments["stage"] != "pipeline"; }
constexpr IdleOption idle_options[] = {
    {"stages", has_one_stage, "It is for the diagram of all stages: --stage pipeline."},
    {"arrows", has_one_stage, "It is for the diagram of all stages: --stage pipeline."},
    {"stage", has_view, "A teaching view draws no stage."},
    {"study", has_layers, "A figure of all layers is no teaching view."},
    {"head", has_layers, "A figure of all layers has all heads of each."},
    {"batch", has_layers, "A model reads one text."},
    {"row_sums", has_layers, "The small matrices of all layers have no row sums."},
};

// Returns the name of an option as it was typed, which may be a flag.
std::string typed_name(const FigureChoice& choice, const std::string& word) {
  for (const ChoiceFlag& flag : choice.flags) {
    if (word == flag.word) return std::string(flag.name);
  }
  return option_of(choice);
}

// Throws UsageError if a typed option changes nothing of the figure.
void refuse_idle(const FigureArguments& arguments, const FigureChoices& choices, const ChoiceSubject& subject) {
  for (const FigureChoice& choice : figure_choice_table()) {
    const bool is_typed = arguments.is_typed(choice.key) && arguments[choice.key] != "all";  // of one head or of all
    if (!is_typed) continue;
    std::string reason = idleness_of(choice, choices, subject);
    for (const IdleOption& option : idle_options) {
      if (option.key == choice.key && option.is_idle(arguments)) reason = option.reason;
    }
    if (!reason.empty())
      throw UsageError(
          fmt::format("{} changes nothing here: leave it out. {}", typed_name(choice, arguments[choice.key]), reason));
  }
}

}  // namespace

FigureOptions figure_options(const FigureArguments& arguments, const Document& document) {
  FigureChoices choices;
  for (const FigureChoice& choice : figure_choice_table()) {
    const std::string& word = arguments[choice.key];
    const std::string refusal = word.empty() ? "" : choice.way.choose(choices, word, {document.config});
    if (!refusal.empty())
      throw UsageError(fmt::format("{} is {}, but {}{}", option_of(choice), in_quotes(word), refusal,
                                   refusal.ends_with('?') ? "" : "."));
  }
  refuse_idle(arguments, choices, {document.config});
  FigureOptions& options = choices.options;
  set_controls(options.study, arguments.study_values);
  const bool is_in_pixels = options.width.unit == LengthUnit::pixels;
  if (arguments["scale"].empty()) options.scale = is_in_pixels ? 1 : scale_in_print;
  if (choices.has_footer) options.footer = footer_text(document);
  return options;
}

namespace {

std::string values_of(const BoardControl& control) {
  if (control.kind == BoardControl::Kind::toggle) return "0 (off) or 1 (on)";
  if (control.kind == BoardControl::Kind::choice) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < control.choices.size(); ++i)
      values.push_back(fmt::format("{} ({})", i, control.choices[i]));
    return fmt::format("one of {}", fmt::join(values, ", "));
  }
  return fmt::format("a {}number from {} to {}", control.is_whole ? "whole " : "", control.low, control.high);
}

bool takes(const BoardControl& control, double value) {
  const bool is_whole = value == std::floor(value);
  switch (control.kind) {
    case BoardControl::Kind::toggle:
      return value == 0 || value == 1;
    case BoardControl::Kind::choice:
      return is_whole && value >= 0 && value < static_cast<double>(control.choices.size());
    case BoardControl::Kind::slider:
      break;
  }
  return value >= control.low && value <= control.high && (is_whole || !control.is_whole);
}

}  // namespace

void check_controls(const FigureArguments& arguments, const FigureOptions& options, const Document& document,
                    const Result& result) {
  if (arguments.study_values.empty() || !arguments.is_typed("study")) return;
  const std::vector<std::string> labels = token_labels(document.tokens);
  const TeachingViewChoice choice{.id = options.study.id};
  const Board board = make_board({result, labels, options.head.value_or(0), options.batch, 0, choice});
  std::vector<std::string_view> names;
  for (const BoardControl& control : board.controls) names.push_back(control.id);
  for (const auto& [name, value] : options.study.values) {
    const auto control = std::ranges::find(board.controls, name, &BoardControl::id);
    if (names.empty())
      throw UsageError(
          fmt::format("--set names {}, but the view {} has no controls here.", in_quotes(name), choice.id));
    if (control == board.controls.end())
      throw UsageError(fmt::format("--set names {}{}", in_quotes(name),
                                   known_names(name, names, fmt::format(", but the controls of {} are ", choice.id))));
    if (!takes(*control, value))
      throw UsageError(fmt::format("--set {} is {}, but it must be {}.", name, value, values_of(*control)));
  }
}

FigureArguments as_seen(FigureArguments arguments, const Document& document, const std::string& seen) {
  if (seen.empty()) return arguments;
  ViewState view;
  look_as(view, document.config, seen);
  const ViewMode& layout = view.mode;
  const auto know = [&](std::string_view key, std::string word) { arguments.infer(key, std::move(word)); };
  if (layout == ViewMode::study && (arguments["study"] + arguments["stage"]).empty()) {
    know("study", view.study.id);
    for (const auto& [control, value] : view.study.values)
      arguments.study_values.push_back(fmt::format("{}={}", control, value));
    know("stage", std::string(info(Stage::weights).id));
  }
  know("stage", layout.shows_one_stage ? std::string(info(view.stage).id) : "pipeline");
  const bool is_of_one = layout.shows_one_head || arguments["stage"] == "pipeline";
  FigureChoices known;
  known.options.head = is_of_one ? std::optional(view.head) : std::nullopt;
  known.options.batch = view.batch;
  known.options.side = view.side;
  known.options.range = view.range;
  know("head", figure_choice("head").way.word(known));
  know("batch", figure_choice("batch").way.word(known));
  if (document.compared && !arguments.sweep) know("side", figure_choice("side").way.word(known));
  if (view.range != RangeMode::automatic) know("range", figure_choice("range").way.word(known));
  return arguments;
}

std::optional<Source> cell_seen(const Document& document, const std::string& seen) {
  ViewState view;
  look_as(view, document.config, seen);
  return view.pinned;
}

namespace {

// Draws a figure of attention from a file: reads one stage and evaluates nothing.
void run_attention_figure(const FigureArguments& arguments, PictureKind kind, LoadedAttention loaded) {
  const std::string_view stage = info(loaded.viewed->stage()).id;
  if (!arguments["stage"].empty() && arguments["stage"] != stage) {
    throw UsageError(fmt::format("--stage is {}, but {} holds only {}: leave the option out.",
                                 in_quotes(arguments["stage"]), arguments.document, stage));
  }
  FigureArguments known = as_seen(arguments, loaded.document, loaded.view);
  known["stage"] = stage;
  known.inferred.insert("stage");
  FigureOptions options = figure_options(known, loaded.document);
  options.part = part_of(loaded.viewed->viewing());
  tell_of_attention(loaded, arguments.document);
  if (!arguments["footer"].empty()) options.footer = footer_text(loaded.viewed->viewing());
  const ImportedDocument viewing = loaded.viewed->to_save(loaded.document);
  write_file(arguments.out, drawn({loaded.viewed->evaluation(0).result, std::move(loaded.document), std::move(options),
                                   viewing, arguments.out},
                                  kind));
}

// Evaluates a document, or reads attention of a file, and writes a figure of it as PNG, SVG or PDF. Throws Error.
void run_figure(const FigureArguments& arguments) {
  const PictureKind kind = kind_for(arguments.out);
  ShownFile shown = shown_or_refuse(arguments.document, arguments.view);
  if (auto* const attention = std::get_if<LoadedAttention>(&shown)) {
    return run_attention_figure(arguments, kind, std::move(*attention));
  }
  auto& loaded = std::get<LoadedDocument>(shown);
  Document& document = loaded.document;
  const std::string& seen = loaded.view;
  FigureOptions options = figure_options(as_seen(arguments, document, seen), document);
  options.has_all_layers = arguments.view.layer == all_layers;
  if (arguments["cell"].empty() && arguments["stage"].empty()) options.marked = cell_seen(document, seen);
  auto result = compute(document.config).result;
  check_controls(arguments, options, document, *result);
  if (!arguments["arithmetic"].empty() && options.marked)
    options.arithmetic =
        arithmetic_of(*result, *options.marked, RowNames(query_labels(document), token_labels(document.tokens)));
  if (options.side != ComparedSide::now && document.compared)
    result = difference_of(result, compute(document.compared->config).result);
  write_file(arguments.out, drawn({std::move(result), std::move(document), std::move(options)}, kind));
}

}  // namespace

void run_any_figure(const FigureArguments& arguments) {
  const bool is_film = arguments.is_typed("film");
  if (is_film && arguments.sweep)
    throw UsageError("--film and --sweep do not go together: a film is about one document. Leave one of them out.");
  for (const auto& [name, value] : {std::pair("--fps", arguments.fps), std::pair("--loop", arguments.loop)}) {
    if (!value.empty() && !is_film && !arguments.sweep)
      throw UsageError(fmt::format("{} is for what plays: it needs --sweep or --film.", name));
  }
  is_film ? run_film(arguments) : arguments.sweep ? run_sweep(arguments) : run_figure(arguments);
}

std::string option_of(const FigureChoice& choice) {
  std::string name = fmt::format("--{}", choice.key);
  std::ranges::replace(name, '_', '-');
  return name;
}

CLI::App* add_figure(CLI::App& app, FigureArguments& arguments) {
  CLI::App* figure = app.add_subcommand("figure", "Draw a figure for a slide or a paper; needs no display");
  figure->add_option("DOC", arguments.document, shown_help())->required();
  add_out(*figure, arguments.out,
          fmt::format("Picture to write, {}; with --sweep {}; with --film {}", endings_for(PictureUse::still),
                      endings_for(PictureUse::animation), endings_for(PictureUse::film)))
      ->required();
  for (const FigureChoice& choice : figure_choice_table()) add_choice(*figure, choice, arguments[choice.key]);
  figure
      ->add_option("--set", arguments.study_values,
                   "A control of the teaching view, as masks=1000 or temperature=0.5; may be given more than once")
      ->needs(figure->get_option("--study"));
  figure->get_option("--size")->excludes(figure->get_option("--width"));
  figure->get_option("--no-row-sums")->excludes(figure->get_option("--row-sums"));
  figure->get_option("--arithmetic")->needs(figure->get_option("--cell"));
  add_sweep(*figure, arguments);
  add_view_options(*figure, arguments.view);
  add_num_heads(*figure, arguments.document);
  figure->get_option("--layer")->description(
      "Layer of a trained model or of the attention weights in a file, counted from 1; all: every layer of a model");
  return figure;
}

}  // namespace attnscope
