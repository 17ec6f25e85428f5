#include "core/source.h"

#include "core/dropout.h"
#include "core/evaluate.h"
#include "core/parameters.h"
#include "core/results.h"
#include "core/rope.h"
#include "core/stages/rule.h"
#include "core/visibility.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>

namespace attnscope {
namespace {

std::vector<float> cells_at(const Result& result, const SourceLine& line) {
  const Source& first = line.first;
  const CellRect rect{first.row, first.col, line.is_column ? line.count : 1, line.is_column ? 1 : line.count};
  std::vector<float> cells(static_cast<std::size_t>(line.count));
  read_cells(cells, result, first.stage, matrix_of(result.config, first.stage, first.batch, first.head), rect);
  return cells;
}

float number_of_row(const std::vector<float>& row, SourceKind kind) {
  const float largest = *std::ranges::max_element(row);
  if (kind == SourceKind::row_maximum) return largest;
  if (kind == SourceKind::row_rms) return static_cast<float>(root_mean_square(row, qk_norm_epsilon));
  double sum = 0;
  for (const float cell : row) {
    sum += static_cast<double>(kind == SourceKind::row_sum ? cell : std::exp(cell - largest));
  }
  return static_cast<float>(sum);
}

Draw of_weight(const AttentionConfig& config, const Source& source) {
  const std::string name = parameter_name(config, source.stage, source.head);
  std::uint64_t before = 0;  // words that earlier weights took
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    if (parameter.name == name) {
      before += static_cast<std::uint64_t>(source.row * parameter.shape.back() + source.col);
      break;
    }
    before += words_of(parameter);
  }
  Generator generator = generator_before_parameters(config);
  skip_words(generator, before);
  Generator at_word = generator;
  Draw draw{.number = words_before_parameters(config) + before + 1, .word = next_word(at_word)};
  fill_uniform({&draw.uniform, 1}, generator, 0, 1);
  return draw;
}

std::uint64_t words_before_dropout(const AttentionConfig& config) {
  if (config.dropout_seed) return 0;
  return words_before_parameters(config) + words_of_parameters(config);
}

Draw of_dropout(const Result& result, const Source& source) {
  const AttentionConfig& config = result.config;
  const Index queries = query_count(config);
  const Index keys = key_count(config);
  const bool by_head = has_own_heads(config);
  const auto calls_before = static_cast<std::uint64_t>(by_head ? source.head : 0);
  const Index matrix = by_head ? source.batch : source.batch * head_count(config) + source.head;
  const auto element = static_cast<std::uint64_t>((matrix * queries + source.row) * keys + source.col);
  Generator generator = dropout_generator(config, result.after_parameters);
  const std::uint64_t first = words_before_dropout(config) + 1;
  if (config.dropout_kernel == DropoutKernel::mkl) {
    skip_words(generator, calls_before);
    Generator at_word = generator;
    const double uniform = mkl_uniform(mkl_element(mkl_start(generator), element));
    return {.number = first + calls_before,
            .word = next_word(at_word),
            .element = element,
            .uniform = static_cast<float>(uniform),
            .keeps = uniform < 1 - config.dropout};
  }
  const auto call_size = static_cast<std::uint64_t>(config.batch_size * queries * keys);
  const std::uint64_t before = words_per_draw * (calls_before * call_size + element);
  skip_words(generator, before);
  const std::uint64_t word = next_double_word(generator);
  const double uniform = double_uniform(word);
  return {.number = first + before,
          .word = word,
          .words = static_cast<int>(words_per_draw),
          .uniform = static_cast<float>(uniform),
          .keeps = uniform < 1 - config.dropout};
}

void explain_read(Explanation& explanation, const Result& result, const Source& cell) {
  const ImportedAttention& attention = *result.imported;
  explanation.operation = &operations::read;
  explanation.origin = attention.origin;
  explanation.number_type = attention.number_type;
  explanation.place = attention.place(matrix_of(result.config, cell.stage, cell.batch, cell.head), cell.row, cell.col);
  Source first = cell;
  first.col = 0;
  double sum = 0;
  for (const float value : values_at(result, {first, attention.keys})) {
    sum += std::isfinite(value) ? static_cast<double>(value) : 0;
  }
  explanation.row_sum = static_cast<float>(sum);
}

}  // namespace

std::vector<float> values_at(const Result& result, const SourceLine& line) {
  if (line.first.kind == SourceKind::cell) return cells_at(result, line);
  std::vector<float> values;
  for (Index i = 0; i < line.count; ++i) values.push_back(value_at(result, line[i]));
  return values;
}

Source with_batch_and_head_of(const AttentionConfig& config, Source source) {
  source.batch = std::clamp<Index>(source.batch, 0, config.batch_size - 1);
  source.head = std::clamp<Index>(source.head, 0, head_count(config) - 1);
  return source;
}

bool has_cell(const Result& result, const Source& cell) {
  if (!has(result, cell.stage) || std::min({cell.batch, cell.head, cell.row, cell.col}) < 0) return false;
  const std::vector<Index> shape = stage_shape(result.config, cell.stage);
  return (!is_per_batch(cell.stage) || cell.batch < result.config.batch_size) &&
         (!is_per_head(result.config, cell.stage) || cell.head < head_count(result.config)) &&
         cell.row < shape[shape.size() - 2] && cell.col < shape.back() &&
         has(result, cell.stage, matrix_of(result.config, cell.stage, cell.batch, cell.head));
}

float value_at(const Result& result, const Source& source) {
  if (source.kind == SourceKind::cell) return cells_at(result, {source}).front();
  if (source.kind == SourceKind::draw) {
    const std::optional<Draw> draw = draw_for(result, source);
    Source cell = source;
    cell.kind = SourceKind::cell;
    return draw ? draw->uniform : value_at(result, cell);  // an input is the number as it was drawn
  }
  const Index matrix = source.batch * head_count(result.config) + source.head;
  const bool is_exponential_sum = source.kind == SourceKind::exponential_sum;
  if (is_exponential_sum && sees_nothing(result.config, source.stage, matrix, source.row)) return 0;
  return number_of_row(cells_at(result, operands(result.config, source).front()), source.kind);
}

std::optional<Draw> draw_for(const Result& result, const Source& source) {
  if (is_parameter(info(source.stage).axes)) return of_weight(result.config, source);
  if (source.stage == Stage::dropout_factors) return of_dropout(result, source);
  return {};
}

bool is_kept_as_drawn(const Result& result, const Source& factor) {
  const double rate = result.config.dropout;
  return rate <= 0 || (rate < 1 && of_dropout(result, factor).keeps);
}

std::optional<float> number_before_edit(const Result& result, const Source& weight) {
  if (!is_parameter(info(weight.stage).axes) || !result.parameters) return {};
  const Parameter* const parameter = parameter_of(result.config, *result.parameters, weight.stage, weight.head);
  if (!parameter || parameter->drawn.values.empty()) return {};
  const auto at = static_cast<std::size_t>(weight.row * parameter->tensor.shape.back() + weight.col);
  const float drawn = parameter->drawn.values[at];
  const bool is_same =
      std::bit_cast<std::uint32_t>(drawn) == std::bit_cast<std::uint32_t>(parameter->tensor.values[at]);
  return is_same ? std::nullopt : std::optional(drawn);
}

bool is_masked(const Result& result, const Source& cell) {
  return visibility(result.config, cell.stage).hides(cell.row, cell.col);
}

bool holds_minus_infinity(const AttentionConfig& config, Stage stage, Index row) {
  const bool are_scores = is_query_by_key(info(stage).axes) && info(stage).range == StageRange::signed_value;
  return are_scores && visibility(config, stage).count(row) < key_count(config);
}

bool is_dropped(const Result& result, const Source& cell) {
  if (!depends_on(result.config, cell.stage, Stage::dropout_factors)) return false;
  if (!is_query_by_key(info(cell.stage).axes)) return false;
  Source factor = cell;
  factor.stage = Stage::dropout_factors;
  return value_at(result, factor) == 0;
}

Explanation explain(const Result& result, const Source& source) {
  Explanation explanation;
  explanation.value = value_at(result, source);
  if (result.imported && source.kind == SourceKind::cell) {
    explain_read(explanation, result, source);
    return explanation;
  }
  for (const SourceLine& line : operands(result.config, source)) {
    const bool is_draw = line.first.kind == SourceKind::draw;
    explanation.operands.push_back({line, is_draw ? std::vector<float>() : values_at(result, line)});
  }
  const auto operation = rule_of(result.config, source.stage).operation;
  explanation.operation = source.kind == SourceKind::cell ? &operation(result, source, !explanation.operands.empty())
                                                          : &operation_of(source.kind);
  return explanation;
}

namespace {

CellRect united(const CellRect& left, const CellRect& right) {
  const Index row = std::min(left.row, right.row);
  const Index col = std::min(left.col, right.col);
  const Index bottom = std::max(left.row + left.rows, right.row + right.rows);
  const Index end = std::max(left.col + left.cols, right.col + right.cols);
  return {row, col, bottom - row, end - col};
}

// Returns whether two rectangles leave no gap and fill the same rows or columns.
bool make_one(const CellRect& left, const CellRect& right) {
  const bool touch_down = left.row <= right.row + right.rows && right.row <= left.row + left.rows;
  const bool touch_across = left.col <= right.col + right.cols && right.col <= left.col + left.cols;
  const bool same_rows = left.row == right.row && left.rows == right.rows;
  const bool same_cols = left.col == right.col && left.cols == right.cols;
  const CellRect all = united(left, right);
  return all == left || all == right || (same_rows && touch_across) || (same_cols && touch_down);
}

bool is_empty(const CellRect& rect) { return rect.rows <= 0 || rect.cols <= 0; }

CellRect whole(const AttentionConfig& config, Stage stage) {
  const std::vector<Index> shape = stage_shape(config, stage);
  return {0, 0, shape[shape.size() - 2], shape.back()};
}

// Returns the parts of a rectangle that are not hidden.
CellRect seen_part(const AttentionConfig& config, Stage stage, CellRect rect) {
  if (!is_query_by_key(info(stage).axes) || is_empty(rect)) return rect;
  const Visibility seen = visibility(config, stage);
  const Index bottom = rect.row + rect.rows;
  rect.row = std::max(rect.row, std::min(seen.first_query_of(rect.col), bottom));
  rect.rows = bottom - rect.row;
  if (rect.rows == 0) return {};
  const KeyRange keys = within(seen.of_any(rect.row, rect.rows), rect.col, rect.col + rect.cols);
  return {rect.row, keys.first, rect.rows, keys.count()};
}

// The rows of an edited mask differ. Up to this many are taken one by one, more of them as if all saw what one of them
// sees.
constexpr Index most_single_rows = 64;

bool is_taken_by_rows(const AttentionConfig& config, const CellRect& rect) {
  return config.mask == MaskRoute::custom && rect.rows <= most_single_rows;
}

std::vector<CellRect> seen_parts(const AttentionConfig& config, Stage stage, const CellRect& rect) {
  const bool is_hidden_from = is_query_by_key(info(stage).axes) && visibility(config, stage).hides_any(rect.rows);
  if (!is_hidden_from || !is_taken_by_rows(config, rect)) return {seen_part(config, stage, rect)};
  std::vector<CellRect> parts;
  for (Index row = rect.row; row < rect.row + rect.rows; ++row) {
    for_each_seen(visibility(config, stage), row, rect.col, rect.col + rect.cols, [&](const KeyRange& keys) {
      parts.push_back({row, keys.first, 1, keys.count()});
    });
  }
  return parts;
}

class Search {
public:
  explicit Search(Reached start) : start_(start) {}

  template <typename Step>
  std::vector<Reached> run(const Step& step) {
    std::deque<Reached> open = {start_};
    if (start_.distance > 0) found_.push_back(start_);
    while (!open.empty()) {
      const Reached from = open.front();
      open.pop_front();
      step(from, [&](Stage stage, Index head, const CellRect& rect) {
        if (const std::optional<Reached> grown = add({stage, head, rect, from.distance + 1})) open.push_back(*grown);
      });
    }
    std::ranges::stable_sort(found_, {}, &Reached::distance);
    return std::move(found_);
  }

private:
  // Adds what is new, and joins it with a rectangle of the same distance where both make a larger one.
  std::optional<Reached> add(Reached reached) {
    if (is_empty(reached.rect)) return {};
    const auto is_alike = [&](const Reached& each) { return each.stage == reached.stage && each.head == reached.head; };
    for (const Reached& each : found_) {
      if (is_alike(each) && united(each.rect, reached.rect) == each.rect) return {};
    }
    std::erase_if(found_, [&](const Reached& each) {
      const bool joins = is_alike(each) && each.distance == reached.distance && make_one(each.rect, reached.rect);
      if (joins) reached.rect = united(each.rect, reached.rect);
      return joins;
    });
    found_.push_back(reached);
    return reached;
  }

  Reached start_;
  std::vector<Reached> found_;
};

// Returns the cells of a line; for a row's maximum or sum, the cells of that row.
Reached cells_of(const AttentionConfig& config, const SourceLine& line) {
  const Source& first = line.first;
  const Index head = is_per_head(config, first.stage) ? first.head : 0;
  if (first.kind != SourceKind::cell && first.kind != SourceKind::draw) {
    const CellRect row = {first.row, 0, 1, whole(config, first.stage).cols};
    return {first.stage, head, seen_part(config, first.stage, row), 0};
  }
  const CellRect rect = {first.row, first.col, line.is_column ? line.count : 1, line.is_column ? 1 : line.count};
  return {first.stage, head, line.count == 1 ? rect : seen_part(config, first.stage, rect), 0};
}

// Cuts a rectangle into parts whose cells follow from others alike: each in one head and seen by the same queries.
std::vector<CellRect> alike_parts(const AttentionConfig& config, const Reached& from) {
  std::vector<CellRect> parts;
  if (rule_of(config, from.stage).mixes_seen && is_taken_by_rows(config, from.rect)) {
    for (Index row = 0; row < from.rect.rows; ++row)
      parts.push_back({from.rect.row + row, from.rect.col, 1, from.rect.cols});
    return parts;
  }
  const bool is_one_cell = from.rect.rows * from.rect.cols == 1;  // a single cell may be hidden itself
  if (!rule_of(config, from.stage).joins_heads) {
    const bool has_parts = is_taken_by_rows(config, from.rect) && !is_one_cell;
    return has_parts ? seen_parts(config, from.stage, from.rect) : std::vector{from.rect};
  }
  const Index head_dim = value_features(config);
  const Index end = from.rect.col + from.rect.cols;
  for (Index col = from.rect.col; col < end;) {
    const Index next = std::min(end, (col / head_dim + 1) * head_dim);
    parts.push_back({from.rect.row, col, from.rect.rows, next - col});
    col = next;
  }
  return parts;
}

// Returns what one cell is computed from, an entry for each operand.
std::vector<Reached> operands_of(const AttentionConfig& config, const Source& cell) {
  std::vector<Reached> all;
  const std::vector<SourceLine> lines = operands(config, cell);
  for (const SourceLine& line : lines) {
    Reached reached = cells_of(config, line);
    if (line.first.kind == SourceKind::draw) reached.rect = {};
    const bool is_mixed = rule_of(config, cell.stage).mixes_seen && !all.empty();
    if (!is_mixed) {
      all.push_back(reached);
      continue;
    }
    const CellRect weights = {cell.row, 0, 1, key_count(config)};
    for (const CellRect& seen : seen_parts(config, lines[0].first.stage, weights)) {  // hidden weights are 0
      reached.rect = {seen.col, reached.rect.col, seen.cols, reached.rect.cols};
      all.push_back(reached);
    }
  }
  return all;
}

// Spans of rows and columns are the same at every cell of a rectangle, or move along with it: what all of its cells
// follow from is what its corners follow from, and all between.
template <typename Add>
void add_ancestors(const AttentionConfig& config, const Reached& from, const Add& add) {
  for (const CellRect& part : alike_parts(config, from)) {
    const Source first{.stage = from.stage, .head = from.head, .row = part.row, .col = part.col};
    Source last = first;
    last.row += part.rows - 1;
    last.col += part.cols - 1;
    const std::vector<Reached> begin = operands_of(config, first);
    const std::vector<Reached> end = operands_of(config, last);
    for (std::size_t i = 0; i < std::min(begin.size(), end.size()); ++i) {
      const Reached& one = is_empty(begin[i].rect) ? end[i] : begin[i];
      const Reached& other = is_empty(end[i].rect) ? one : end[i];
      add(one.stage, one.head, united(one.rect, other.rect));
    }
  }
}

// Queries that see one of these keys have its values mixed into their context.
std::vector<CellRect> mixed_rows(const AttentionConfig& config, const Reached& values, const CellRect& rect) {
  const Stage weights = score_route(config).back();
  const CellRect keys = {0, values.rect.row, query_count(config), values.rect.rows};
  std::vector<CellRect> rows;
  for (const CellRect& seen : seen_parts(config, weights, keys)) {
    rows.push_back({seen.row, rect.col, seen.rows, rect.cols});
  }
  return rows;
}

// Returns the heads of a stage that follow from one head of another.
std::vector<Index> heads_after(const AttentionConfig& config, Stage stage, const Reached& from) {
  if (!is_per_head(config, stage)) return {0};
  const bool is_shared = has_key_rows(from.stage);
  if (is_per_head(config, from.stage) && !is_shared) return {from.head};
  std::vector<Index> heads;
  for (Index head = 0; head < head_count(config); ++head) {
    const bool is_other = is_shared && key_value_head(config, head) != key_value_head(config, from.head);
    if (!is_other) heads.push_back(head);
  }
  return heads;
}

template <typename Add>
void add_descendants_in(const AttentionConfig& config, const StageInfo& row, const Reached& from, const Add& add) {
  const CellRule& rule = rule_of(config, row.stage);
  const StageList operands = predecessors(config, row.stage);
  for (std::size_t place = 0; place < operands.size(); ++place) {
    if (operands[place] != from.stage) continue;
    for (const Index head : heads_after(config, row.stage, from)) {
      if (rule.mixes_seen && is_off(config, head)) continue;
      const Reached all{row.stage, head, whole(config, row.stage)};
      const CellRect rect = rule.dependents ? rule.dependents(config, all, place, from) : from.rect;
      const bool are_values = rule.mixes_seen && place == 1;
      for (const CellRect& part : are_values ? mixed_rows(config, from, rect) : std::vector{rect})
        add(row.stage, head, from.stage == Stage::mask ? part : seen_part(config, row.stage, part));
    }
  }
}

// A row's maximum or sum goes only into what is divided by it.
bool takes_in(const CellRule& rule, const Source& source, const Reached& from) {
  const bool is_of_row = source.kind != SourceKind::cell && source.kind != SourceKind::draw;
  if (!is_of_row || from.distance > 0) return true;
  return rule.reads_row;
}

template <typename Add>
void add_descendants(const AttentionConfig& config, const Source& source, const Reached& from, const Add& add) {
  const bool is_mask = from.stage == Stage::mask;  // its hidden cells are the ones that do something
  for (const CellRect& seen : is_mask ? std::vector{from.rect} : seen_parts(config, from.stage, from.rect)) {
    if (is_empty(seen)) continue;
    const Reached part{from.stage, from.head, seen, from.distance};
    for (const StageInfo& row : stages()) {
      if (has_stage(config, row.stage) && takes_in(row.rule(config), source, part))
        add_descendants_in(config, row, part, add);
    }
  }
}

}  // namespace

std::vector<Reached> ancestors(const AttentionConfig& config, const Source& source) {
  if (source.kind == SourceKind::draw) return {};
  Reached start = cells_of(config, {source});
  if (source.kind != SourceKind::cell) start.distance = 1;  // the row itself
  return Search(start).run([&](const Reached& from, const auto& add) { add_ancestors(config, from, add); });
}

std::vector<Reached> descendants(const AttentionConfig& config, const Source& source) {
  Reached start = cells_of(config, {source});
  if (source.kind == SourceKind::draw) start.distance = 1;  // the cell that it became
  return Search(start).run([&](const Reached& from, const auto& add) { add_descendants(config, source, from, add); });
}

}  // namespace attnscope
