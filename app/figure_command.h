#pragma once

#include <string>

#include "view_command.h"

namespace attnscope {

// The arguments of `attnscope figure`, as they were typed; empty where they were left out.
struct FigureArguments {
  std::string document;
  std::string out;
  std::string stage;
  std::string head;
  std::string batch;
  std::string width;
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
  ViewArguments view;
};

// Evaluates a document, or reads attention of a file, and writes a figure of it as PNG, SVG or PDF. Throws Error.
void run_figure(const FigureArguments& arguments);

}  // namespace attnscope
