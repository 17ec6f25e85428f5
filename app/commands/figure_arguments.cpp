#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "commands/figure_command.h"
#include "commands/subcommands.h"
#include "look/figure_options.h"
#include "study/study.h"

namespace attnscope {
namespace {

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

CLI::App* add_figure(CLI::App& app, FigureArguments& arguments) {
  CLI::App* figure = app.add_subcommand("figure", "Draw a figure for a slide or a paper; needs no display");
  figure->add_option("DOC", arguments.document, shown_help)->required();
  add_out(*figure, arguments.out,
          fmt::format("Picture to write, {}; with --sweep {}", endings_for(PictureUse::still),
                      endings_for(PictureUse::animation)))
      ->required();
  figure->add_option("--stage", arguments.stage,
                     "Stage (weights, W_query, ...), or pipeline for all stages of one head (default: weights)");
  figure->add_option("--stages", arguments.stages,
                     "Only these stages of the pipeline, separated by commas, or bands: project, compare, mix");
  figure->add_flag("--no-arrows", arguments.no_arrows, "No arrows in the pipeline");
  std::vector<std::string> ids;
  for (const StudyInfo& study : studies()) ids.emplace_back(study.id);
  CLI::Option* study = figure->add_option("--study", arguments.study, "A teaching view instead of a stage, by name")
                           ->check(CLI::IsMember(ids));
  figure
      ->add_option("--set", arguments.study_values,
                   "A control of the teaching view, as masks=1000 or temperature=0.5; may be given more than once")
      ->needs(study);
  figure->add_option("--head", arguments.head, "Head, from 1, or all (default: 1)");
  figure->add_option("--batch", arguments.batch, "Batch entry, from 1 (default: 1)");
  figure
      ->add_option("--side", arguments.side,
                   "Side of a comparison of two documents: B (default), A, difference, or side-by-side")
      ->check(CLI::IsMember({"A", "B", "difference", "side-by-side"}));
  CLI::Option* width =
      figure->add_option("--width", arguments.width, "Width, 30mm to 1000mm or 120px to 8000px (default: 160mm)");
  std::vector<std::string> sizes;
  for (const PageSize& size : page_sizes) sizes.emplace_back(size.id);
  figure->add_option("--size", arguments.size, "Width, height and font size for a slide or a paper, by name")
      ->check(CLI::IsMember(sizes))
      ->excludes(width);
  CLI::Option* cell = figure->add_option(
      "--cell", arguments.cell, "Mark a cell of the stage (of the weights in the pipeline), as row,column from 1");
  figure
      ->add_flag("--arithmetic", arguments.arithmetic, "Explain below the figure how the number of --cell was computed")
      ->needs(cell);
  figure->add_option("--scale", arguments.scale,
                     "Pixels of a PNG for each 1/96 inch, 1 to 6 (default: 3, or 1 for a width in px; an animation is "
                     "at most 1920 pixels wide)");
  figure->add_option("--theme", arguments.theme, "Background")
      ->check(CLI::IsMember({"light", "dark", "transparent"}))
      ->capture_default_str();
  figure->add_option("--font-size", arguments.font_size, "Font size in points, 4 to 36 (default: 9)");
  figure->add_option("--decimals", arguments.decimals,
                     "Decimals of the numbers in the cells, 0 to 4, or none (default: 2)");
  figure->add_option(
      "--range", arguments.range,
      "Range of the colours: automatic (fixed for up to 12 keys, then relative), shared (all heads), own "
      "(each matrix), fixed (weights from 0 to 1), relative (weights times the keys that their query may "
      "see), logarithmic, or two numbers as in 0..0.5");
  figure->add_option("--colormap", arguments.colormap, "Colour map (default: the stage's own)")
      ->check(CLI::IsMember({"viridis", "diverging"}));
  CLI::Option* sums = figure->add_flag("--row-sums", arguments.row_sums, "Show row sums");
  figure->add_flag("--no-row-sums", arguments.no_row_sums, "Show no row sums, not even where they should be 1")
      ->excludes(sums);
  figure->add_option("--title", arguments.title, "Title above the figure");
  figure->add_option("--caption", arguments.caption, "Caption below the figure");
  figure->add_flag("--footer", arguments.footer, "A line below the figure: mechanism, heads, seed, dropout, version");
  add_sweep(*figure, arguments);
  add_view_options(*figure, arguments.view);
  return figure;
}

}  // namespace attnscope
