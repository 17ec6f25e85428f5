#include "figure/figure_panel.h"

namespace attnscope {
namespace {

// The panels of a matrix: one, or one for each head.
std::vector<FigurePanel> panels_of(const Drawn& source, const DiagramMatrix& matrix, Index viewed) {
  const Index heads = matrix.shows_all_heads ? head_count(source.config()) : 1;
  const auto head_of = [&](Index panel) { return matrix.shows_all_heads ? panel : viewed; };
  std::vector<Index> shown;
  for (Index panel = 0; panel < heads; ++panel) shown.push_back(matrix_of(source, matrix.stage, head_of(panel)));
  const StageSummary summary = summary_of(source, matrix.stage, shown);
  std::vector<FigurePanel> panels;
  for (Index panel = 0; panel < heads; ++panel) {
    panels.push_back(make_panel(source, matrix.stage, head_of(panel), summary, matrix.is_transposed));
    panels.back().is_faint = head_of(panel) != viewed;
    panels.back().side_by_side = heads;
  }
  return panels;
}

}  // namespace

void add_diagram(FigureContent& content, const Drawn& source, Index head) {
  FigureDiagram diagram{.config = source.config(),
                        .largest = source.config(),
                        .head = head,
                        .matrices = {},
                        .left_out = source.options.left_out};
  if (!source.options.has_outlines) diagram.left_out = diagram.left_out | absent_stages(source.config());
  std::vector<FigurePanel>& line = content.lines.emplace_back();
  const StageSet awaited =
      source.options.last_stage ? places_after(source.config(), *source.options.last_stage) : StageSet();
  for (DiagramMatrix matrix : diagram_matrices(source.config())) {
    if (source.options.left_out.contains(matrix.result)) continue;
    if (matrix.is_present && !has(*source.result, matrix.stage)) {
      matrix.is_present = false;
      matrix.absence = "of another shape in A";
    }
    DiagramHeader header;
    const std::size_t first = line.size();
    if (matrix.is_present) {
      header = diagram_header(*source.result, matrix, head);
      for (FigurePanel& panel : panels_of(source, matrix, head)) line.push_back(std::move(panel));
    }
    diagram.matrices.push_back({matrix, std::move(header), first, awaited.contains(matrix.result)});
  }
  content.diagram = std::move(diagram);
  content.shares_bar = false;
}

}  // namespace attnscope
