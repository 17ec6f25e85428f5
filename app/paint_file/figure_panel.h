#pragma once

#include <memory>
#include <vector>

#include "core/summary.h"
#include "paint_file/figure_content.h"

namespace attnscope {

// One matrix of a figure: its colours, its row sums, its cells. Private to this folder.

// What a figure is drawn of.
struct Drawn {
  const std::shared_ptr<const Result>& result;
  const FigureOptions& options;
  const Execution& execution;

  const AttentionConfig& config() const { return result->config; }
  bool is_dark() const { return options.theme == FigureTheme::dark; }
};

Index matrix_of(const Drawn& source, Stage stage, Index head);  // of the batch entry that is shown

// Whether colours or row sums need to know every matrix of a stage, not only those that are shown.
bool needs_all(const Drawn& source, Stage stage);

// Of the given matrices at least, as far as colours and row sums need it.
StageSummary summary_of(const Drawn& source, Stage stage, const std::vector<Index>& shown);

FigurePanel make_panel(const Drawn& source, Stage stage, Index head, const StageSummary& summary,
                       bool is_transposed = false);

// The diagram of one head, and its panels.
void add_diagram(FigureContent& content, const Drawn& source, Index head);

}  // namespace attnscope
