#include <algorithm>

#include "core/visibility.h"
#include "look/diagram.h"
#include "paint_file/figure_panel.h"

namespace attnscope {
namespace {

struct Shown {
  Stage stage;
  bool is_transposed;
  bool shows_all_heads;
  auto operator<=>(const Shown&) const = default;
};

void add_block(std::vector<Shown>& shown, const scene::DiagramBlock& block) {
  const auto add = [&](const Shown& each) {
    const auto same = [&](const Shown& other) {
      return other.stage == each.stage && other.is_transposed == each.is_transposed;
    };
    const auto found = std::ranges::find_if(shown, same);
    if (found == shown.end()) {
      shown.push_back(each);
    } else {
      found->shows_all_heads = found->shows_all_heads || each.shows_all_heads;
    }
  };
  add({block.stage, false, block.columns.heads > 1});
  if (!block.above) return;
  add({block.above->stage, block.above->is_transposed, block.above->columns.heads > 1});
  if (block.above->bias) add({*block.above->bias, false, block.above->columns.heads > 1});
}

// The panels of a matrix: one, or one for each head.
void add_panels(std::vector<FigurePanel>& panels, const Drawn& source, const Shown& shown, Index viewed) {
  const bool has_heads = shown.shows_all_heads && is_per_head(source.config(), shown.stage);
  const Index heads = has_heads ? head_count(source.config()) : 1;
  const auto head_of = [&](Index panel) { return has_heads ? panel : viewed; };
  std::vector<Index> matrices;
  for (Index panel = 0; panel < heads; ++panel) matrices.push_back(matrix_of(source, shown.stage, head_of(panel)));
  const StageSummary summary = summary_of(source, shown.stage, matrices);
  for (Index panel = 0; panel < heads; ++panel) {
    panels.push_back(make_panel(source, shown.stage, head_of(panel), summary, shown.is_transposed));
    panels.back().side_by_side = heads;
  }
}

}  // namespace

void add_diagram(FigureContent& content, const Drawn& source, Index head) {
  const AttentionConfig& config = source.config();
  const std::vector<std::string>& labels = content.labels;
  const auto named = [&](Index count) {
    std::vector<std::string> names;
    for (Index i = 0; i < count; ++i)
      names.push_back(i < std::ssize(labels) ? labels[static_cast<std::size_t>(i)] : std::to_string(i + 1));
    return names;
  };
  const bool has_own_queries = query_count(config) != key_count(config);
  FigureDiagram diagram;
  diagram.result = source.result;
  diagram.shape = scene::diagram_shape(
      *source.result, named(key_count(config)),
      has_own_queries ? named(query_count(config)) : std::vector<std::string>(),
      {.head = head, .decimals = source.options.decimals.value_or(2), .left_out = source.options.left_out});
  diagram.largest = diagram.shape;
  if (source.options.last_stage) diagram.awaited = places_after(config, *source.options.last_stage);
  std::vector<Shown> shown;
  for (const std::vector<scene::DiagramBlock>* const blocks :
       {&diagram.shape.project, &diagram.shape.compare, &diagram.shape.hero, &diagram.shape.mix}) {
    for (const scene::DiagramBlock& block : *blocks) add_block(shown, block);
  }
  std::vector<FigurePanel>& panels = content.lines.emplace_back();
  for (const Shown& each : shown) add_panels(panels, source, each, head);
  content.diagram = std::move(diagram);
  content.shares_bar = false;
}

}  // namespace attnscope
