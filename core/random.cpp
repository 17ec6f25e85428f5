#include "core/random.h"

#include "core/kernels/select.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attnscope {

namespace {

constexpr std::size_t block_size = 16;  // torch.randn transforms this many uniforms at a time

// One standard normal value in double, by Box and Muller; its twin waits in the generator for the next call.
double next_normal(Generator& generator) {
  if (generator.cached_normal) {
    const double cached = *generator.cached_normal;
    generator.cached_normal.reset();
    return cached;
  }
  constexpr double unit = 0x1p-53;
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << 53) - 1;
  const double v1 = static_cast<double>(next_double_word(generator) & mantissa) * unit;
  const double v2 = static_cast<double>(next_double_word(generator) & mantissa) * unit;
  const double radius = std::sqrt(-2.0 * std::log1p(-v2));
  const double angle = 2.0 * std::numbers::pi * v1;
  generator.cached_normal = radius * std::sin(angle);
  return radius * std::cos(angle);
}

// Sixteen uniforms become sixteen normals in place: uniform j and uniform j + 8 make normals j and j + 8.
void transform_block(std::span<float> block) {
  constexpr std::size_t half = block_size / 2;
  for (std::size_t j = 0; j < half; ++j) {
    const float u1 = 1.0F - block[j];
    const float radius = std::sqrt(-2.0F * std::log(u1));
    const float angle = static_cast<float>(2.0 * std::numbers::pi * static_cast<double>(block[j + half]));
    block[j] = radius * std::cos(angle);
    block[j + half] = radius * std::sin(angle);
  }
}

}  // namespace

std::uint32_t next_word(Generator& generator) { return generator.engine(); }

std::uint64_t next_double_word(Generator& generator) {
  const std::uint64_t high = next_word(generator);
  return high << 32 | next_word(generator);
}

void skip_words(Generator& generator, std::uint64_t count) { generator.engine.discard(count); }

void fill_uniform(std::span<float> out, Generator& generator, float from, float to) {
  constexpr std::size_t most =
      6 * static_cast<std::size_t>(twister_words);  // at a time: they stay in the nearest cache
  std::array<std::uint32_t, most> raw;
  while (!out.empty()) {
    const std::size_t count = std::min(most, out.size());
    generator.engine.draw_raw(std::span(raw).first(count));
    // (tempered word & (2^24 - 1)) * 2^-24 * (to - from) + from, rounded once at the end: PyTorch's kernels are
    // compiled with fused multiply-add
    kernels().uniforms(out.data(), static_cast<std::ptrdiff_t>(count), raw.data(), from, to - from);
    out = out.subspan(count);
  }
}

void fill_randn(std::span<float> out, Generator& generator) {
  if (out.size() < block_size) {
    for (float& value : out) value = static_cast<float>(next_normal(generator));
    return;
  }
  fill_uniform(out, generator, 0.0F, 1.0F);
  std::size_t begin = 0;
  for (; begin + block_size <= out.size(); begin += block_size) transform_block(out.subspan(begin, block_size));
  if (begin < out.size()) {
    const std::span<float> last = out.last(block_size);  // overlaps the block before it, and is drawn afresh
    fill_uniform(last, generator, 0.0F, 1.0F);
    transform_block(last);
  }
}

}  // namespace attnscope
