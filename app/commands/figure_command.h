#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/subcommands.h"
#include "document/document.h"
#include "look/figure_options.h"

namespace CLI {
class App;
}

namespace attnscope {

// The arguments of `attnscope figure`, as they were typed; empty where they were left out.
struct FigureArguments {
  std::string document;
  std::string out;
  std::string stage;
  std::string study;                      // a teaching view instead of a stage
  std::vector<std::string> study_values;  // "masks=1000"
  std::string head;
  std::string side;
  std::string batch;
  std::string width;
  std::string size;
  std::string cell;
  bool arithmetic = false;
  std::string stages;  // of the pipeline
  bool no_arrows = false;
  std::string scale;
  std::string theme = "light";
  std::string font_size;
  std::string decimals;
  std::string range;
  std::string colormap;
  std::string title;
  std::string caption;
  bool row_sums = false;
  bool no_row_sums = false;
  bool footer = false;
  std::optional<std::string> sweep;  // these three are for run_sweep()
  std::string fps;
  std::string loop;
  ViewArguments view;
};

// Makes `attnscope figure` with its options, which are kept in the arguments.
CLI::App* add_figure(CLI::App& app, FigureArguments& arguments);

// Returns the options of a figure from its arguments. Throws UsageError.
FigureOptions figure_options(const FigureArguments& arguments, const Document& document);

// Fills arguments that were not typed from the view of the picture that carried the document; `seen`: that view, empty
// for none.
FigureArguments as_seen(FigureArguments arguments, const Document& document, const std::string& seen);
std::optional<Source> cell_seen(const Document& document, const std::string& seen);

// Evaluates a document, or reads attention of a file, and writes a figure of it as PNG, SVG or PDF. Throws Error.
void run_figure(const FigureArguments& arguments);

// Writes an animated PNG, or a series of numbered ones, with one parameter of the document swept. Throws Error.
void run_sweep(const FigureArguments& arguments);

}  // namespace attnscope
