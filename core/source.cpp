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
  Generator generator = config.dropout_seed ? Generator(*config.dropout_seed) : result.after_parameters;
  const std::uint64_t first = words_before_dropout(config) + 1;
  if (config.dropout_kernel == DropoutKernel::mkl) {
    constexpr double modulus = 0x7FFFFFFF;
    skip_words(generator, calls_before);
    Generator at_word = generator;
    const double uniform = static_cast<double>(mkl_element(mkl_start(generator), element)) / modulus;
    return {.number = first + calls_before,
            .word = next_word(at_word),
            .element = element,
            .uniform = static_cast<float>(uniform),
            .keeps = uniform < 1 - config.dropout};
  }
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << 53) - 1;
  const auto call_size = static_cast<std::uint64_t>(config.batch_size * queries * keys);
  const std::uint64_t before = words_per_draw * (calls_before * call_size + element);
  skip_words(generator, before);
  const std::uint64_t word = next_double_word(generator);
  const double uniform = static_cast<double>(word & mantissa) * 0x1p-53;
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
  for (const float value : values_at(result, {first, attention.tokens})) {
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
  if (result.imported) {
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

}  // namespace attnscope
