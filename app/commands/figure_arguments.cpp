#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "commands/figure_command.h"
#include "commands/subcommands.h"
#include "state/figure_choice_table.h"
#include "study/study.h"

namespace attnscope {
namespace {

void add_choice(CLI::App& figure, const FigureChoice& choice, std::string& word) {
  for (const ChoiceFlag& flag : choice.flags)
    figure.add_flag_callback(
        std::string(flag.name), [&] { word = flag.word; }, flag.help);
  if (choice.help.empty()) return;
  CLI::Option* const option = figure.add_option(option_of(choice), word, std::string(choice.help));
  if (!choice.way.words.empty()) option->check(CLI::IsMember(choice.way.words));
}

void add_sweep(CLI::App& figure, FigureArguments& arguments) {
  CLI::Option* sweep = figure.add_option(
      "--sweep", arguments.sweep,
      "Animate one parameter, in one file (a video needs ffmpeg) or with -o out-%03d.png as numbered pictures: "
      "dropout=0..0.9 (without --stage: dropped_weights), seed=1..20, num_heads=1..4, "
      "embedding[2,1]=-1..1 (token, dimension), tokens=1..6 or stages (of the pipeline, one by one); with a step as in "
      "0..0.9:0.1, or single values as in seed=1,5,9");
  figure.add_option("--fps", arguments.fps, "Frames per second of an animation, 0.1 to 50 (default: 4)")->needs(sweep);
  figure.add_option("--loop", arguments.loop, "How often the animation plays, 1 to 65535 times (default: without end)")
      ->needs(sweep);
}

}  // namespace

std::string option_of(const FigureChoice& choice) {
  std::string name = fmt::format("--{}", choice.key);
  std::ranges::replace(name, '_', '-');
  return name;
}

CLI::App* add_figure(CLI::App& app, FigureArguments& arguments) {
  CLI::App* figure = app.add_subcommand("figure", "Draw a figure for a slide or a paper; needs no display");
  figure->add_option("DOC", arguments.document, shown_help)->required();
  add_out(*figure, arguments.out,
          fmt::format("Picture to write, {}; with --sweep {}", endings_for(PictureUse::still),
                      endings_for(PictureUse::animation)))
      ->required();
  for (const FigureChoice& choice : figure_choice_table()) add_choice(*figure, choice, arguments[choice.key]);
  std::vector<std::string> ids;
  for (const StudyInfo& study : studies()) ids.emplace_back(study.id);
  CLI::Option* const study = figure->get_option("--study")->check(CLI::IsMember(ids));
  figure
      ->add_option("--set", arguments.study_values,
                   "A control of the teaching view, as masks=1000 or temperature=0.5; may be given more than once")
      ->needs(study);
  figure->get_option("--size")->excludes(figure->get_option("--width"));
  figure->get_option("--no-row-sums")->excludes(figure->get_option("--row-sums"));
  figure->get_option("--arithmetic")->needs(figure->get_option("--cell"));
  add_sweep(*figure, arguments);
  add_view_options(*figure, arguments.view);
  return figure;
}

}  // namespace attnscope
