#include "figure/figure_content.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "core/cells.h"
#include "core/error.h"
#include "core/explain.h"
#include "core/external_attention.h"
#include "core/kernels/select.h"
#include "core/summary.h"
#include "document/words.h"
#include "figure/text_shaper.h"
#include "look/number_text.h"

namespace attnscope {
namespace {

constexpr std::size_t pipeline_columns = 4;

struct Drawn {
  const std::shared_ptr<const Result>& result;
  const FigureOptions& options;
  const Execution& execution;

  const AttentionConfig& config() const { return result->config; }
  bool is_dark() const { return options.theme == FigureTheme::dark; }
};

Index matrix_of(const Drawn& source, Stage stage, Index head) {
  return matrix_of(source.config(), stage, source.options.batch, head);
}

// Whether colours or row sums need to know every matrix of a stage, not only those that are shown.
bool needs_all(const Drawn& source, Stage stage) {
  if (source.options.fixed_range || source.options.range == RangeMode::own) return false;
  return source.options.range == RangeMode::shared || info(stage).range == StageRange::signed_value;
}

bool shows_sums(const Drawn& source, Stage stage) {
  if (!is_query_by_key(info(stage).axes)) return false;
  const FigureOptions& options = source.options;
  const bool is_alone = options.stage && (options.head || !is_per_head(source.config(), stage));
  return options.row_sums.value_or(is_alone && sums_to_one(stage));
}

// Whether colours follow from the numbers.
bool needs_extremes(const Drawn& source, Stage stage) {
  return needs_all(source, stage) || (source.options.range == RangeMode::own && !source.options.fixed_range);
}

// Row sums that tell how wide their column is; those that are drawn are read when their rows are known.
constexpr double measured_sums = 256;

// The share of its rows that is read of each matrix of a file.
double share_of(const Drawn& source, Stage stage, std::size_t matrices) {
  const ExternalAttention* const external = source.result->external.get();
  if (!external) return 1;
  const double most = share_read(*external, static_cast<double>(matrices));
  const bool is_of_sums = !needs_extremes(source, stage);
  return is_of_sums ? std::min(most, measured_sums / static_cast<double>(external->tokens)) : most;
}

// Of the given matrices at least, as far as colours and row sums need it.
StageSummary summary_of(const Drawn& source, Stage stage, const std::vector<Index>& shown) {
  const std::vector<Index> shape = stage_shape(source.config(), stage);
  const Index rows = shape[shape.size() - 2];
  const Index count = element_count(shape) / (rows * shape.back());
  StageSummary summary;
  summary.matrices.assign(static_cast<std::size_t>(count), no_extremes);
  summary.row_sums.assign(static_cast<std::size_t>(count * rows), std::numeric_limits<float>::quiet_NaN());
  const bool of_all = needs_all(source, stage);
  if (!needs_extremes(source, stage) && !shows_sums(source, stage)) return summary;
  const double share = share_of(source, stage, of_all ? static_cast<std::size_t>(count) : shown.size());
  for (Index matrix = 0; matrix < count; ++matrix) {
    if (!of_all && std::ranges::find(shown, matrix) == shown.end()) continue;
    const bool is_read = source.result->external != nullptr;
    replace(summary, matrix,
            is_read ? summarize_external(*source.result->external, matrix, share, source.execution)
                    : summarize_matrix(*source.result, {&stage, 1}, matrix, source.execution).front());
  }
  return summary;
}

ColourRange range_of(const Drawn& source, Stage stage, const StageSummary& summary, Index matrix) {
  ColourRange range = colour_range(source.config(), stage, summary, matrix, source.options.range, source.is_dark());
  if (info(stage).range == StageRange::boolean) return range;
  if (source.options.fixed_range) {
    range.low = source.options.fixed_range->low;
    range.high = source.options.fixed_range->high;
  }
  if (source.options.colormap) range.map = *source.options.colormap;
  if (range.map == Colormap::diverging && source.is_dark()) range.map = Colormap::diverging_dark;
  return range;
}

MatrixSource cells_of(const Drawn& source, Stage stage, Index matrix) {
  MatrixSource cells;
  cells.values = source.result->share(stage);
  cells.matrix = matrix;
  cells.result = source.result;
  cells.stage = cells.values ? stage : same_cells_as(source.config(), stage);
  cells.seen = visibility(source.config(), stage);
  cells.drops = shows_dropped(*source.result, stage);
  if (cells.drops && cells.values) {
    cells.factors = source.result->share(Stage::dropout_factors);
    cells.factors_matrix = matrix;
  }
  return cells;
}

// The number of a panel that takes the most room: all fonts agree well enough on which.
std::string widest_number(const FigurePanel& panel, int decimals) {
  std::string widest;
  for (const float value : panel.values) {
    const std::string text = format_fixed(value, decimals);
    if (character_count(text) > character_count(widest)) widest = text;
  }
  return widest;
}

FigurePanel make_panel(const Drawn& source, Stage stage, Index head, const StageSummary& summary) {
  const Index matrix = matrix_of(source, stage, head);
  const std::vector<Index> shape = stage_shape(source.config(), stage);
  FigurePanel panel;
  panel.stage = stage;
  panel.head = head;
  panel.rows = shape[shape.size() - 2];
  panel.cols = shape.back();
  panel.has_key_columns = is_query_by_key(info(stage).axes);
  panel.titles = axis_titles(source.config(), stage);
  const Index heads = head_count(source.config());
  if (stage == Stage::context && heads > 1) panel.head_cols = panel.cols / heads;
  panel.has_bar = info(stage).range != StageRange::boolean;
  panel.range = range_of(source, stage, summary, matrix);
  panel.source = cells_of(source, stage, matrix);
  if (shows_sums(source, stage)) {
    const auto first = summary.row_sums.begin() + matrix * panel.rows;
    panel.row_sums.assign(first, first + panel.rows);
    for (Index row = 0; row < panel.rows; ++row) {
      if (!holds_minus_infinity(source.config(), stage, row)) continue;
      panel.row_sums[static_cast<std::size_t>(row)] = -std::numeric_limits<float>::infinity();
    }
  }
  if (panel.rows * panel.cols > drawn_one_by_one) return panel;
  read_panel(panel, {panel.rows, panel.cols}, source.execution);
  if (!source.options.decimals) return panel;
  panel.widest_number = widest_number(panel, panel.has_bar ? *source.options.decimals : 0);
  return panel;
}

std::string stages_of(const AttentionConfig& config) {
  std::vector<std::string_view> names;
  for (const StageInfo& stage : stages()) {
    if (has_stage(config, stage.stage)) names.push_back(stage.id);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_subject(const AttentionConfig& config, const FigureOptions& options) {
  const Index heads = head_count(config);
  if (options.stage && !has_stage(config, *options.stage)) {
    throw Error(fmt::format("The stage of the figure is \"{}\", which this {} does not have: its stages are {}.",
                            info(*options.stage).id, info(config.mechanism).id, stages_of(config)));
  }
  if (options.head && (*options.head < 0 || *options.head >= heads)) {
    throw Error(fmt::format("The head of the figure is {}, but this {} has {}: {}.", *options.head + 1,
                            info(config.mechanism).id, heads == 1 ? "one head" : fmt::format("{} heads", heads),
                            heads == 1 ? "choose 1" : fmt::format("choose 1 to {}, or all", heads)));
  }
  if (!options.stage && !options.head && heads > 1) {
    throw Error(fmt::format("The whole pipeline is drawn of one head: choose 1 to {} instead of all.", heads));
  }
  if (options.batch < 0 || options.batch >= config.batch_size) {
    throw Error(fmt::format("The batch entry of the figure is {}, but this document has {}: choose 1 to {}.",
                            options.batch + 1, config.batch_size, config.batch_size));
  }
}

// "Head 1 of 12, batch entry 2 of 3", as far as there is more than one.
std::string place_of(const AttentionConfig& config, const FigureOptions& options, std::optional<Index> head) {
  std::string place;
  if (head) place = fmt::format("Head {} of {}", *head + 1, head_count(config));
  const bool has_entries = !options.stage || !is_parameter(info(*options.stage).axes);
  if (has_entries && config.batch_size > 1) {
    place += fmt::format("{}{} entry {} of {}", place.empty() ? "" : ", ", place.empty() ? "Batch" : "batch",
                         options.batch + 1, config.batch_size);
  }
  return place;
}

// What of a file that is too large a figure does not read.
std::string sample_of(const Drawn& source, Stage stage, bool is_of_all) {
  const ExternalAttention* const external = source.result->external.get();
  if (!external) return {};
  const Index rows = external->tokens;
  const double drawn = share_read(*external, is_of_all ? static_cast<double>(external->heads) : 1);
  if (drawn < 1) return fmt::format("from {} of {} rows", rows_read(rows, drawn), rows);
  const double coloured = share_read(*external, static_cast<double>(external->heads * external->batch_size));
  if (coloured == 1 || !needs_all(source, stage)) return {};
  return fmt::format("colours from {} of {} rows of each head", rows_read(rows, coloured), rows);
}

// How many panels stand side by side: about as many as lines, with the fewest empty places.
Index columns_for(Index panels) {
  const auto side = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(panels))));
  const auto empty = [&](Index columns) { return (columns - panels % columns) % columns; };
  return empty(side + 1) < empty(side) && panels > 2 ? side + 1 : side;
}

void add_heads(FigureContent& content, const Drawn& source, Stage stage) {
  const Index heads = head_count(source.config());
  std::vector<Index> shown;
  for (Index head = 0; head < heads; ++head) shown.push_back(matrix_of(source, stage, head));
  const StageSummary summary = summary_of(source, stage, shown);
  const Index columns = columns_for(heads);
  for (Index head = 0; head < heads; ++head) {
    if (head % columns == 0) content.lines.emplace_back();
    FigurePanel panel = make_panel(source, stage, head, summary);
    panel.heading = fmt::format("Head {} of {}", head + 1, heads);
    panel.has_head_colour = true;
    panel.side_by_side = heads;
    content.lines.back().push_back(std::move(panel));
  }
  content.repeats_columns = true;
  content.shares_bar = source.options.fixed_range || source.options.range != RangeMode::own;
}

std::vector<std::vector<Stage>> pipeline_of(const Result& result) {
  std::vector<std::vector<Stage>> lines;
  for (const std::vector<Stage>& row : stage_lines(result.config)) {
    std::vector<Stage> line;
    std::ranges::copy_if(row, std::back_inserter(line), [&](Stage stage) { return has(result, stage); });
    if (line.empty()) continue;
    if (!lines.empty() && lines.back().size() + line.size() <= pipeline_columns) {  // simple mechanisms have few stages
      lines.back().insert(lines.back().end(), line.begin(), line.end());
    } else if (line.size() > pipeline_columns) {
      const auto middle = line.begin() + static_cast<std::ptrdiff_t>((line.size() + 1) / 2);
      lines.emplace_back(line.begin(), middle);
      lines.emplace_back(middle, line.end());
    } else {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

void add_pipeline(FigureContent& content, const Drawn& source, Index head) {
  for (const std::vector<Stage>& line : pipeline_of(*source.result)) {
    content.lines.emplace_back();
    for (const Stage stage : line) {
      FigurePanel panel = make_panel(source, stage, head, summary_of(source, stage, {matrix_of(source, stage, head)}));
      panel.heading = info(stage).title;
      content.lines.back().push_back(std::move(panel));
    }
  }
  content.shares_bar = false;
}

}  // namespace

FigureContent describe_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                              const FigureOptions& options, const Execution& execution) {
  check(options);
  check_subject(result->config, options);
  const Drawn source{result, options, execution};
  const bool has_heads = head_count(result->config) > 1;
  const bool is_of_head = has_heads && (!options.stage || is_per_head(result->config, *options.stage));
  FigureContent content;
  content.options = options;
  content.options.title = visible_lines(options.title);
  content.options.caption = visible_lines(options.caption);
  content.labels = labels;
  if (options.stage && is_parameter(info(*options.stage).axes)) {
    const std::vector<Index> shape = stage_shape(result->config, *options.stage);
    content.labels.clear();
    for (Index row = 1; row <= shape[shape.size() - 2]; ++row) content.labels.push_back(std::to_string(row));
  }
  if (is_of_head && options.head) content.head = options.head;
  content.heading = options.stage ? info(*options.stage).title : info(result->config.mechanism).title;
  content.place = place_of(result->config, options, content.head);
  if (options.stage) {
    const std::string sample = sample_of(source, *options.stage, is_of_head && !options.head);
    if (!sample.empty()) content.place += (content.place.empty() ? "" : ", ") + sample;
  }
  const Index head = options.head.value_or(0);
  if (!options.stage) {
    add_pipeline(content, source, head);
  } else if (is_of_head && !options.head) {
    add_heads(content, source, *options.stage);
  } else {
    const StageSummary summary = summary_of(source, *options.stage, {matrix_of(source, *options.stage, head)});
    content.lines.push_back({make_panel(source, *options.stage, head, summary)});
  }
  return content;
}

namespace {

bool is_read_from_file(const FigurePanel& panel) {
  return !panel.source.values && panel.source.result && panel.source.result->external;
}

}  // namespace

float row_sum(const FigurePanel& panel, Index row) {
  const float known = panel.row_sums[static_cast<std::size_t>(row)];
  if (!std::isnan(known) || !is_read_from_file(panel)) return known;
  std::vector<float> cells(static_cast<std::size_t>(panel.cols));
  read_cells(cells, *panel.source.result, panel.stage, panel.source.matrix, {row, 0, 1, panel.cols});
  return static_cast<float>(kernels().row_numbers(cells.data(), panel.cols).sum);
}

std::pair<float, float> row_sum_bounds(const FigurePanel& panel) {
  StageSummary::Extremes bounds = no_extremes;
  for (const float sum : panel.row_sums) {
    if (!std::isnan(sum)) widen(bounds, {sum, sum});
  }
  return {bounds.low, bounds.high};
}

void read_panel(FigurePanel& panel, const TexelGrid& wanted, const Execution& execution) {
  const auto matrices = static_cast<double>(panel.side_by_side);
  TexelGrid grid = wanted;
  if (is_read_from_file(panel)) {  // no more rows of pixels than rows are read
    grid.rows = std::min(grid.rows, rows_read(panel.rows, share_read(*panel.source.result->external, matrices)));
  }
  grid = within_bounds(grid, panel.source, matrices);
  TilePixels pixels = compute_tile(panel.source, grid, {0, 0, grid.rows, grid.cols}, execution);
  panel.grid = grid;
  panel.values = std::move(pixels.values);
  panel.drops = std::move(pixels.drops);
}

}  // namespace attnscope
