#include "core/draw.h"

#include "core/dropout_bits.h"
#include "core/inputs.h"
#include "core/visibility.h"

#include <bit>

namespace attnscope {

namespace {

Draw of_weight(const AttentionConfig& config, const Source& source) {
  const std::string name = parameter_name(config, source.stage, source.head);
  std::uint64_t before = 0;  // words of the weights that are drawn earlier
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

}  // namespace

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

float drawn_number(const Result& result, const Source& source) {
  if (const std::optional<Draw> draw = draw_for(result, source)) return draw->uniform;
  Source cell = source;  // an input is the number as it was drawn, the same in every batch entry
  cell.kind = SourceKind::cell;
  return value_at(result, cell);
}

}  // namespace attnscope
