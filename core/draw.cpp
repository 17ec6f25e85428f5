#include "core/draw.h"

#include "core/dropout_bits.h"
#include "core/inputs.h"

#include <algorithm>

namespace attnscope {

namespace {

float drawn_weight(const Result& result, const Source& source) {
  const AttentionConfig& config = result.config;
  Generator generator = generator_before_parameters(config);
  const std::string name = parameter_name(config, source.stage, source.head);
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    if (parameter.name == name) {
      skip_words(generator, static_cast<std::uint64_t>(source.row * parameter.shape.back() + source.col));
      break;
    }
    skip_words(generator, static_cast<std::uint64_t>(element_count(parameter.shape)));
  }
  float uniform = 0;
  fill_uniform({&uniform, 1}, generator, 0, 1);
  return uniform;
}

float drawn_for_dropout(const Result& result, const Source& source) {
  const AttentionConfig& config = result.config;
  const Index T = token_count(config);
  const bool by_head = has_own_heads(config);
  const Index calls_before = by_head ? source.head : 0;
  const Index matrix = by_head ? source.batch : source.batch * head_count(config) + source.head;
  const auto element = static_cast<std::uint64_t>((matrix * T + source.row) * T + source.col);
  Generator generator = config.dropout_seed ? Generator(*config.dropout_seed) : result.after_parameters;
  if (config.dropout_kernel == DropoutKernel::mkl) {
    constexpr double modulus = 0x7FFFFFFF;
    skip_words(generator, static_cast<std::uint64_t>(calls_before));
    return static_cast<float>(static_cast<double>(mkl_element(mkl_start(generator), element)) / modulus);
  }
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << 53) - 1;
  const auto before = static_cast<std::uint64_t>(calls_before * config.batch_size * T * T);
  skip_words(generator, words_per_draw * (before + element));
  return static_cast<float>(static_cast<double>(next_double_word(generator) & mantissa) * 0x1p-53);
}

}  // namespace

float drawn_number(const Result& result, const Source& source) {
  if (is_parameter(info(source.stage).axes)) return drawn_weight(result, source);
  if (source.stage == Stage::dropout_factors) return drawn_for_dropout(result, source);
  Source cell = source;  // an input is the number as it was drawn, the same in every batch entry
  cell.kind = SourceKind::cell;
  return value_at(result, cell);
}

}  // namespace attnscope
