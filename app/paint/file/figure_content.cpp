#include "paint/file/figure.h"
#include "paint/file/figure_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/kernels/select.h"
#include "core/model/forward.h"
#include "core/model/transformer.h"
#include "core/results.h"
#include "core/source.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/compare.h"
#include "view/number_words.h"
#include "view/stage_look.h"

namespace attnscope {
namespace {

// The arguments of describe_figure().
struct Drawn {
  const std::shared_ptr<const Result>& result;
  const FigureOptions& options;
  const Execution& execution;

  const AttentionConfig& config() const { return result->config; }
  Index matrix_of(Stage stage, Index head) const {  // a matrix of the shown batch entry
    return attnscope::matrix_of(config(), stage, options.batch, head);
  }
  // Returns whether colours follow from every matrix of the stage, not only from the shown ones.
  bool needs_all(Stage stage) const {
    if (options.fixed_range || options.range == RangeMode::own) return false;
    const bool is_signed = result->difference || info(stage).range == StageRange::signed_value;
    return is_signed || options.range == RangeMode::shared;
  }
};

// Returns whether colours follow from the numbers.
bool needs_extremes(const Drawn& source, Stage stage) {
  return source.needs_all(stage) || (source.options.range == RangeMode::own && !source.options.fixed_range);
}

// Returns the spread that relative and logarithmic colours follow from; nothing for other colours.
std::optional<WeightSpread> spread_of(const Drawn& source, Stage stage) {
  const RangeMode range = effective_range(source.config(), stage, source.options.range);
  if (source.result->difference || source.options.fixed_range ||
      (range != RangeMode::relative && range != RangeMode::logarithmic))
    return {};
  const auto& external = source.result->imported;
  return external ? sample_imported(*external)->spread : weight_spread(*source.result, stage);
}

ColourRange range_of(const Drawn& source, Stage stage, const StageSummary& summary, Index matrix) {
  const bool is_dark = theme_of(source.options.theme).is_dark;
  const RangeMode mode = source.options.fixed_range ? RangeMode::fixed : source.options.range;
  ColourRange range = colour_range(*source.result, stage, summary, matrix, mode, is_dark);
  if (info(stage).range == StageRange::boolean) return range;
  if (source.options.fixed_range) {
    range.low = source.options.fixed_range->low;
    range.high = source.options.fixed_range->high;
  }
  if (source.options.colormap) range.map = *source.options.colormap;
  if (is_dark) range.map = on_dark(range.map);
  range.ends = source.options.colour_ends;
  return range;
}

// Reads the cells of a matrix that is drawn cell by cell, for their marks and for the number that takes the most room,
// on which all fonts agree well enough.
void look_at_cells(FigureMatrix& matrix, const Drawn& source) {
  const HeatmapCells cells = read_heatmap(matrix, matrix.rows, matrix.cols, {}, source.execution);
  const int decimals = matrix.has_bar ? source.options.decimals.value_or(0) : 0;
  for (std::size_t i = 0; i < cells.values.size(); ++i) {
    if (const auto mark = cells.mark(i)) matrix.cell_marks.insert(*mark);
    if (!source.options.decimals) continue;
    const std::string text = format_fixed(cells.values[i], decimals);
    if (character_count(text) > character_count(matrix.widest_number)) matrix.widest_number = text;
  }
}

// Returns the smallest and the largest known sum, because no other one takes more room.
std::vector<std::string> widest_sums(const FigureMatrix& matrix, int decimals) {
  StageSummary::Extremes bounds = no_extremes;
  for (const float sum : matrix.row_sums) {
    if (!std::isnan(sum)) widen(bounds, {sum, sum});
  }
  return {format_fixed(bounds.low, decimals), format_fixed(bounds.high, decimals)};
}

// Summarizes at least the given matrices, as far as colours and row sums need them.
StageSummary summary_of(const Drawn& source, Stage stage, const std::vector<Index>& shown) {
  const std::vector<Index> shape = stage_shape(source.config(), stage);
  const Index rows = shape[shape.size() - 2];
  const Index count = element_count(shape) / (rows * shape.back());
  StageSummary summary;
  summary.matrices.assign(static_cast<std::size_t>(count), no_extremes);
  summary.row_sums.assign(static_cast<std::size_t>(count * rows), std::numeric_limits<float>::quiet_NaN());
  summary.spread = spread_of(source, stage);
  const bool of_all = source.needs_all(stage);
  if (!needs_extremes(source, stage) && !has_row_sums(source.options, source.config(), stage)) return summary;
  for (Index matrix = 0; matrix < count; ++matrix) {
    if (!of_all && std::ranges::find(shown, matrix) == shown.end()) continue;
    replace(summary, matrix, summarize_matrix(*source.result, stage, matrix, source.execution));
  }
  return summary;
}

FigureMatrix make_figure_matrix(const Drawn& source, Stage stage, Index head, const StageSummary& summary) {
  const picture::Matrix plain = picture::matrix_of(source.result, stage, source.options.batch, head);
  FigureMatrix matrix{scene::sheet_matrix(plain, source.options.marked)};
  matrix.range = range_of(source, stage, summary, matrix.matrix);
  if (has_row_sums(source.options, source.config(), stage)) {
    const auto first = summary.row_sums.begin() + matrix.matrix * matrix.rows;
    matrix.row_sums.assign(first, first + matrix.rows);
    for (Index row = 0; row < matrix.rows; ++row) {
      if (!holds_minus_infinity(source.config(), stage, row)) continue;
      matrix.row_sums[static_cast<std::size_t>(row)] = -std::numeric_limits<float>::infinity();
    }
    matrix.widest_sums = widest_sums(matrix, matrix.has_bar ? source.options.decimals.value_or(2) : 0);
  }
  if (is_drawn_one_by_one(matrix)) {
    look_at_cells(matrix, source);
  } else {
    if (visibility(*matrix.result, stage).hides_any(matrix.rows)) matrix.cell_marks.insert(CellMark::masked);
    if (shows_dropped(*matrix.result, stage)) matrix.cell_marks.insert(CellMark::dropped);
  }
  return matrix;
}

// Adds the matrices of some heads; if all heads share the stage, one matrix.
void add_matrices(std::vector<FigureMatrix>& matrices, const Drawn& source, Stage stage,
                  const std::vector<Index>& heads) {
  std::vector<Index> shown;
  for (const Index head : heads) shown.push_back(source.matrix_of(stage, head));
  const StageSummary summary = summary_of(source, stage, shown);
  for (const Index head : heads) matrices.push_back(make_figure_matrix(source, stage, head, summary));
}

std::vector<Index> all_heads(const AttentionConfig& config) {
  std::vector<Index> heads(static_cast<std::size_t>(head_count(config)));
  std::iota(heads.begin(), heads.end(), Index{0});
  return heads;
}

void check_subject(const AttentionConfig& config, const FigureOptions& options) {
  const Index heads = head_count(config);
  if (options.stage && !has_stage(config, *options.stage)) {
    std::vector<std::string_view> names;
    for (const StageInfo& row : stages())
      if (has_stage(config, row.stage)) names.push_back(row.id);
    throw Error(fmt::format("The stage of the figure is \"{}\", which this {} does not have: its stages are {}.",
                            info(*options.stage).id, info(config.mechanism).id, fmt::join(names, ", ")));
  }
  if (options.head && (*options.head < 0 || *options.head >= heads)) {
    throw Error(fmt::format("The head of the figure is {}, but this {} has {}: {}.", *options.head + 1,
                            info(config.mechanism).id, heads == 1 ? "one head" : fmt::format("{} heads", heads),
                            heads == 1 ? "choose 1" : fmt::format("choose 1 to {}, or all", heads)));
  }
  if (options.has_all_layers && (!options.stage || !is_per_head(config, *options.stage))) {
    throw Error("All layers are drawn of a stage that each head has: choose one, such as weights.");
  }
  if (!options.stage && !options.head && heads > 1) {
    throw Error(fmt::format("The whole pipeline is drawn of one head: choose 1 to {} instead of all.", heads));
  }
  const auto is_shown = [&](const StageInfo& row) {
    return has_place(row.stage) && acts_in(config, row.stage) && !options.left_out.contains(row.stage);
  };
  if (!options.stage && std::ranges::none_of(stages(), is_shown))
    throw Error("None of the stages that are chosen for the figure is in this document: choose others.");
  if (options.batch < 0 || options.batch >= config.batch_size) {
    throw Error(fmt::format("The batch entry of the figure is {}, but this document has {}: choose 1 to {}.",
                            options.batch + 1, config.batch_size, config.batch_size));
  }
}

std::string off_mark(const AttentionConfig& config, Index head) { return is_off(config, head) ? " (off)" : ""; }

// Returns "Layer 3 of 4, head 1 of 12, batch entry 2 of 3", without those that are the only one.
std::string place_of(const AttentionConfig& config, const FigureOptions& options, std::optional<Index> head) {
  std::string place = options.part;
  const auto* const model = std::get_if<ModelInputs>(&config.inputs);
  if (model && !options.has_all_layers)
    place = fmt::format("Layer {} of {}", model->layer + 1, model->model->shape.layers);
  if (head) {
    const std::string name = options.has_all_layers ? "" : bracketed_name(config, *head);
    place += fmt::format("{} {} of {}{}{}", place.empty() ? "Head" : ", head", *head + 1, head_count(config), name,
                         off_mark(config, *head));
  }
  const bool has_entries = !options.stage || !is_parameter(info(*options.stage).axes);
  if (has_entries && config.batch_size > 1) {
    place += fmt::format("{}{} entry {} of {}", place.empty() ? "" : ", ", place.empty() ? "Batch" : "batch",
                         options.batch + 1, config.batch_size);
  }
  return place;
}

// Returns the number of matrices side by side: about as many as lines, with the fewest empty places.
Index columns_for(Index matrices) {
  const auto side = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(matrices))));
  const auto empty = [&](Index columns) { return (columns - matrices % columns) % columns; };
  return empty(side + 1) < empty(side) && matrices > 2 ? side + 1 : side;
}

void add_heads(FigureContent& content, const Drawn& source, Stage stage) {
  const std::vector<Index> heads = all_heads(source.config());
  add_matrices(content.matrices, source, stage, heads);
  for (FigureMatrix& matrix : content.matrices) {
    matrix.heading =
        fmt::format("Head {} of {}{}", matrix.head + 1, heads.size(), off_mark(source.config(), matrix.head));
    matrix.has_head_colour = true;
  }
  content.columns = columns_for(std::ssize(heads));
  content.repeats_columns = true;
  content.shares_bar = source.options.fixed_range || source.options.range != RangeMode::own;
}

// Returns A, B or their difference.
std::shared_ptr<const Result> side_of(const std::shared_ptr<const Result>& result, ComparedSide side) {
  if (!result->difference || side == ComparedSide::difference) return result;
  return side == ComparedSide::baseline ? result->difference->baseline : result->difference->now;
}

void check_sides(const Result& result, const FigureOptions& options) {
  if (options.side == ComparedSide::now) return;
  if (!result.difference) throw Error("The document is compared with nothing: it has no compared_with.");
  if (options.side == ComparedSide::baseline) return;
  const bool is_single = options.stage && (options.head || !is_per_head(result.config, *options.stage));
  if (options.side == ComparedSide::side_by_side && !is_single)
    throw Error("Only one matrix is drawn side by side: choose a stage and a head, or the difference.");
  if (options.stage && !has(result, *options.stage))
    throw Error(fmt::format("{} cannot be subtracted: A does not have it in the same shape.", info(*options.stage).id));
}

// Makes A and B share the spread that relative and logarithmic colours follow from; each counts its own keys.
void share(std::optional<WeightSpread>& before, std::optional<WeightSpread>& now) {
  if (!before || !now) return;
  before->low = now->low = std::min(before->low, now->low);
  before->high = now->high = std::max(before->high, now->high);
  before->smallest = now->smallest = std::min(before->smallest, now->smallest);
  before->largest = now->largest = std::max(before->largest, now->largest);
}

// Describes A, B and their difference, with one range for A and B.
void add_sides(FigureContent& content, const Drawn& source, Stage stage, Index head) {
  const Difference& both = *source.result->difference;
  const Drawn before{both.baseline, source.options, source.execution};
  const Drawn now{both.now, source.options, source.execution};
  const std::vector<Index> shown = {source.matrix_of(stage, head)};
  StageSummary of_before = summary_of(before, stage, shown);
  StageSummary of_now = summary_of(now, stage, shown);
  for (std::size_t i = 0; i < of_before.matrices.size(); ++i) widen(of_before.matrices[i], of_now.matrices[i]);
  widen(of_before.overall, of_now.overall);
  of_now.matrices = of_before.matrices;
  of_now.overall = of_before.overall;
  share(of_before.spread, of_now.spread);
  content.matrices = {make_figure_matrix(before, stage, head, of_before), make_figure_matrix(now, stage, head, of_now),
                      make_figure_matrix(source, stage, head, summary_of(source, stage, shown))};
  const auto [a, b] = names_of_sides(before.config(), now.config());
  const std::string headings[] = {side_name("A", a), side_name("B", b), "B − A"};
  for (std::size_t i = 0; i < content.matrices.size(); ++i) content.matrices[i].heading = headings[i];
  content.columns = std::ssize(content.matrices);
  content.shares_bar = false;
}

// Names what a figure shows: a stage, with both names if A and B have names of their own for it, or the mechanism.
std::string heading_of(const Result& result, const FigureOptions& options) {
  if (!options.stage) return std::string(info(result.config.mechanism).title);
  const std::string_view of_now = title_in(result.config, *options.stage);
  if (options.side != ComparedSide::side_by_side) return std::string(of_now);
  const std::string_view before = title_in(result.difference->baseline->config, *options.stage);
  return std::string(before) + (before == of_now ? "" : " and " + std::string(of_now));
}

std::vector<std::string> numbers_to(Index count) {
  std::vector<std::string> numbers;
  for (Index row = 1; row <= count; ++row) numbers.push_back(std::to_string(row));
  return numbers;
}

// Returns the names of rows: tokens, or numbers if the rows are no tokens or have no names.
std::vector<std::string> row_labels(const AttentionConfig& config, std::optional<Stage> stage, const RowNames& names) {
  if (stage && is_parameter(info(*stage).axes)) {
    const std::vector<Index> shape = stage_shape(config, *stage);
    return numbers_to(shape[shape.size() - 2]);
  }
  const bool are_keys = stage && has_key_rows(*stage);
  const std::vector<std::string>& of_rows = are_keys ? names.keys : names.queries;
  const Index rows = are_keys ? key_count(config) : query_count(config);
  const bool has_numbers = query_count(config) != key_count(config) && std::ssize(of_rows) < rows;
  return has_numbers ? numbers_to(rows) : of_rows;
}

// Adds the stages that the blocks show; a stage is true if a block shows all its heads.
void add_shown(std::map<Stage, bool>& shown, const std::vector<scene::DiagramBlock>& blocks) {
  for (const scene::DiagramBlock& block : blocks) {
    shown[block.stage] |= block.columns.heads > 1;
    if (!block.above) continue;
    shown[block.above->stage] |= block.above->columns.heads > 1;
    if (block.above->bias) shown[*block.above->bias] |= block.above->columns.heads > 1;
  }
}

// Describes the diagram of one head, and its matrices.
void add_diagram(FigureContent& content, const Drawn& source, Index head) {
  const AttentionConfig& config = source.config();
  const auto named = [](const std::vector<std::string>& labels, Index count) {
    std::vector<std::string> names;
    for (Index i = 0; i < count; ++i)
      names.push_back(i < std::ssize(labels) ? labels[static_cast<std::size_t>(i)] : std::to_string(i + 1));
    return names;
  };
  const bool has_own_queries = query_count(config) != key_count(config) || content.labels != content.key_labels;
  FigureDiagram diagram;
  diagram.result = source.result;
  diagram.shape = scene::diagram_shape(
      *source.result, named(content.key_labels, key_count(config)),
      has_own_queries ? named(content.labels, query_count(config)) : std::vector<std::string>(),
      {.head = head, .decimals = source.options.decimals.value_or(2), .left_out = source.options.left_out});
  diagram.largest = diagram.shape;
  if (source.options.last_stage) diagram.awaited = places_after(config, *source.options.last_stage);
  std::map<Stage, bool> shown;
  const scene::DiagramShape& shape = diagram.shape;
  for (const auto* const blocks : {&shape.project, &shape.compare, &shape.main_matrix, &shape.mix})
    add_shown(shown, *blocks);
  for (const auto& [stage, shows_all_heads] : shown) {
    const bool is_of_all = shows_all_heads && is_per_head(config, stage);
    add_matrices(content.matrices, source, stage, is_of_all ? all_heads(config) : std::vector<Index>{head});
  }
  content.diagram = std::move(diagram);
  content.shares_bar = false;
}

// Describes all heads of all layers of a trained model, a line for each layer, the last layer at the top.
void add_layers(FigureContent& content, const Drawn& source, Stage stage) {
  if (!std::holds_alternative<ModelInputs>(source.config().inputs))
    throw Error("All layers are drawn of a trained model: this document has one layer.");
  const std::shared_ptr<const ForwardPass> pass =
      run_model(source.config(), source.result->below.get(), source.execution);
  for (Index layer = pass->layer_count(); layer-- > 0;) {
    const std::shared_ptr<const Result>& result = pass->layers[static_cast<std::size_t>(layer)];
    const std::size_t first = content.matrices.size();
    add_matrices(content.matrices, {result, source.options, source.execution}, stage, all_heads(result->config));
    for (std::size_t i = first; i < content.matrices.size(); ++i) {
      FigureMatrix& matrix = content.matrices[i];
      const std::string place = fmt::format("Layer {}, head {}", layer + 1, matrix.head + 1);
      const std::string mark = off_mark(result->config, matrix.head);
      const Transformer& model = *std::get<ModelInputs>(source.config().inputs).model;
      matrix.heading = place + bracketed_name(model, layer, matrix.head) + mark;
      matrix.short_heading = place + mark;
      matrix.has_head_colour = true;
    }
  }
  content.columns = source.config().num_heads;
  content.repeats_columns = true;
  content.shares_bar = source.options.fixed_range || source.options.range != RangeMode::own;
}

}  // namespace

FigureContent describe_figure(const std::shared_ptr<const Result>& compared, const RowNames& names,
                              const FigureOptions& options, const Execution& execution) {
  check(options);
  check_subject(compared->config, options);
  check_sides(*compared, options);
  const bool shows_sides = options.side == ComparedSide::side_by_side;
  const std::shared_ptr<const Result> result = shows_sides ? compared : side_of(compared, options.side);
  if (options.side == ComparedSide::baseline) check_subject(result->config, options);
  const Drawn source{result, options, execution};
  const bool has_heads = head_count(result->config) > 1;
  const bool is_of_head = has_heads && (!options.stage || is_per_head(result->config, *options.stage));
  FigureContent content;
  content.options = options;
  content.options.title = visible_lines(options.title);
  content.options.caption = visible_lines(options.caption);
  content.labels = row_labels(result->config, options.stage, names);
  const bool has_key_names =
      query_count(result->config) == key_count(result->config) || std::ssize(names.keys) >= key_count(result->config);
  content.key_labels = has_key_names ? names.keys : numbers_to(key_count(result->config));
  if (is_of_head && options.head && !options.has_all_layers) content.head = options.head;
  content.heading = heading_of(*result, options);
  content.place = place_of(result->config, options, content.head);
  if (options.side == ComparedSide::baseline) content.heading += ", A";
  if (options.side == ComparedSide::difference) content.heading += ", B − A";
  const Index head = options.head.value_or(0);
  if (shows_sides) {
    add_sides(content, source, *options.stage, head);
  } else if (!options.stage) {
    add_diagram(content, source, head);
  } else if (options.has_all_layers) {
    add_layers(content, source, *options.stage);
  } else if (is_of_head && !options.head) {
    add_heads(content, source, *options.stage);
  } else {
    add_matrices(content.matrices, source, *options.stage, {head});
  }
  return content;
}

float row_sum(const FigureMatrix& matrix, Index row) {
  const float known = matrix.row_sums[static_cast<std::size_t>(row)];
  if (!std::isnan(known) || !matrix.result || !matrix.result->imported) return known;
  std::vector<float> cells(static_cast<std::size_t>(matrix.cols));
  read_cells(cells, *matrix.result, matrix.stage, matrix.matrix, {row, 0, 1, matrix.cols});
  return static_cast<float>(kernels().row_numbers(cells.data(), matrix.cols).sum);
}

std::set<CellMark> marks_of(const FigureContent& content) {
  std::set<CellMark> marks = content.series_marks;
  for (const FigureMatrix& matrix : content.matrices) marks.insert(matrix.cell_marks.begin(), matrix.cell_marks.end());
  return marks;
}

}  // namespace attnscope
