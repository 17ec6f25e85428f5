#include "paint_file/figure_content.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/difference.h"
#include "core/error.h"
#include "core/external_attention.h"
#include "core/visibility.h"
#include "document/words.h"
#include "look/diagram.h"
#include "paint_file/text_shaper.h"

namespace attnscope {
namespace {

std::string stages_of(const AttentionConfig& config) {
  std::vector<std::string_view> names;
  for (const StageInfo& stage : stages()) {
    if (has_stage(config, stage.stage)) names.push_back(stage.id);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool shows_nothing(const AttentionConfig& config, const StageSet& left_out) {
  return std::ranges::none_of(stages(), [&](const StageInfo& row) {
    return has_place(row.stage) && acts_in(config, row.stage) && !left_out.contains(row.stage);
  });
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
  if (!options.stage && shows_nothing(config, options.left_out))
    throw Error("None of the stages that are chosen for the figure is in this document: choose others.");
  if (options.batch < 0 || options.batch >= config.batch_size) {
    throw Error(fmt::format("The batch entry of the figure is {}, but this document has {}: choose 1 to {}.",
                            options.batch + 1, config.batch_size, config.batch_size));
  }
}

// "Head 1 of 12, batch entry 2 of 3", as far as there is more than one.
std::string place_of(const AttentionConfig& config, const FigureOptions& options, std::optional<Index> head) {
  std::string place = options.part;
  if (head) place += fmt::format("{} {} of {}", place.empty() ? "Head" : ", head", *head + 1, head_count(config));
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
  if (coloured == 1 || !source.needs_all(stage)) return {};
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
  for (Index head = 0; head < heads; ++head) shown.push_back(source.matrix_of(stage, head));
  const StageSummary summary = summary_of(source, stage, shown);
  const Index columns = columns_for(heads);
  for (Index head = 0; head < heads; ++head) {
    if (head % columns == 0) content.lines.emplace_back();
    FigurePanel panel = make_panel(source, stage, head, summary);
    panel.heading = fmt::format("Head {} of {}", head + 1, heads);
    panel.has_head_colour = true;
    content.lines.back().push_back(std::move(panel));
  }
  content.repeats_columns = true;
  content.shares_bar = source.options.fixed_range || source.options.range != RangeMode::own;
}

// What is drawn of two documents that are compared.
std::shared_ptr<const Result> side_of(const std::shared_ptr<const Result>& result, ComparedSide side) {
  if (!result->difference || side == ComparedSide::difference) return result;
  return side == ComparedSide::before ? result->difference->before : result->difference->now;
}

void check_sides(const Result& result, const FigureOptions& options) {
  if (options.side == ComparedSide::now) return;
  if (!result.difference) throw Error("The document is compared with nothing: it has no compared_with.");
  if (options.side == ComparedSide::before) return;
  const bool is_single = options.stage && (options.head || !is_per_head(result.config, *options.stage));
  if (options.side == ComparedSide::side_by_side && !is_single)
    throw Error("Only one matrix is drawn side by side: choose a stage and a head, or the difference.");
  if (options.stage && !has(result, *options.stage))
    throw Error(fmt::format("{} cannot be subtracted: A does not have it in the same shape.", info(*options.stage).id));
}

StageSummary with_sums_of(StageSummary shared, const StageSummary& own) {
  shared.row_sums = own.row_sums;
  return shared;
}

// A, B and what is between them, with one range for A and B.
void add_sides(FigureContent& content, const Drawn& source, Stage stage, Index head) {
  const Difference& both = *source.result->difference;
  const Drawn sides[] = {{both.before, source.options, source.execution}, {both.now, source.options, source.execution}};
  const std::vector<Index> shown = {source.matrix_of(stage, head)};
  StageSummary shared = summary_of(sides[0], stage, shown);
  const StageSummary other = summary_of(sides[1], stage, shown);
  for (std::size_t i = 0; i < shared.matrices.size(); ++i) widen(shared.matrices[i], other.matrices[i]);
  widen(shared.overall, other.overall);
  content.lines.emplace_back();
  const auto add = [&](const Drawn& side, const StageSummary& summary, const char* heading) {
    FigurePanel panel = make_panel(side, stage, head, summary);
    panel.heading = heading;
    content.lines.back().push_back(std::move(panel));
  };
  add(sides[0], shared, "A");
  add(sides[1], with_sums_of(shared, other), "B");
  add(source, summary_of(source, stage, shown), "B − A");
  content.shares_bar = false;
}

}  // namespace

FigureContent describe_figure(const std::shared_ptr<const Result>& compared, const std::vector<std::string>& labels,
                              const FigureOptions& options, const Execution& execution) {
  check(options);
  check_subject(compared->config, options);
  check_sides(*compared, options);
  const bool shows_sides = options.side == ComparedSide::side_by_side;
  const std::shared_ptr<const Result> result = shows_sides ? compared : side_of(compared, options.side);
  if (options.side == ComparedSide::before) check_subject(result->config, options);
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
  if (query_count(result->config) != key_count(result->config)) {  // tokens name the keys alone
    content.labels.clear();
    const Index count = std::max(query_count(result->config), key_count(result->config));
    for (Index row = 1; row <= count; ++row) content.labels.push_back(std::to_string(row));
  }
  if (is_of_head && options.head) content.head = options.head;
  content.heading = options.stage ? info(*options.stage).title : info(result->config.mechanism).title;
  content.place = place_of(result->config, options, content.head);
  if (options.side == ComparedSide::before) content.heading += ", A";
  if (options.side == ComparedSide::difference) content.heading += ", B − A";
  if (options.stage) {
    const std::string sample = sample_of(source, *options.stage, is_of_head && !options.head);
    if (!sample.empty()) content.place += (content.place.empty() ? "" : ", ") + sample;
  }
  const Index head = options.head.value_or(0);
  if (shows_sides) {
    add_sides(content, source, *options.stage, head);
  } else if (!options.stage) {
    add_diagram(content, source, head);
  } else if (is_of_head && !options.head) {
    add_heads(content, source, *options.stage);
  } else {
    const StageSummary summary = summary_of(source, *options.stage, {source.matrix_of(*options.stage, head)});
    content.lines.push_back({make_panel(source, *options.stage, head, summary)});
  }
  return content;
}

}  // namespace attnscope
