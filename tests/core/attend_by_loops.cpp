#include "attend_by_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

namespace attnscope::test {
namespace {

// Memory that the kernels may load and store by whole vectors.
struct Aligned {
  explicit Aligned(std::ptrdiff_t count) : floats(static_cast<std::size_t>(count) + 32) {}
  float* get() {
    void* pointer = floats.data();
    std::size_t space = floats.size() * sizeof(float);
    return static_cast<float*>(std::align(64, sizeof(float), pointer, space));
  }
  Floats floats;
};

bool masks_weights(const Attention& a) {
  return a.mask == MaskRoute::causal_after_softmax || a.mask == MaskRoute::causal_renormalized;
}

bool is_kept(std::ptrdiff_t query, std::ptrdiff_t key) { return (query * 7 + key * 13) % 5 != 0; }

Floats scaled(Floats values, float factor) {
  for (float& value : values) value *= factor;
  return values;
}

constexpr float kept_factor = 1.25F;

}  // namespace

Floats random_floats(std::ptrdiff_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1.5F, 1.5F);
  Floats values(static_cast<std::size_t>(count));
  std::ranges::generate(values, [&] { return uniform(engine); });
  return values;
}

Attention square(std::ptrdiff_t tokens, std::ptrdiff_t head_dim, MaskRoute mask) {
  Attention a{.queries = tokens, .head_dim = head_dim, .visibility = {.keys = tokens}, .mask = mask};
  if (mask != MaskRoute::none) a.visibility.last = 1;
  return a;
}

float scale_of(const Attention& a) { return 1.0F / std::sqrt(static_cast<float>(a.head_dim)); }

Operands::Operands(const Attention& a)
    : queries(scaled(random_floats(a.queries * a.head_dim, 11), a.spread)),
      keys(random_floats(a.visibility.keys * a.head_dim, 12)),
      values(random_floats(a.visibility.keys * a.head_dim, 13)) {}

Answer run(const Kernels& set, const Attention& a, const Operands& operands, std::ptrdiff_t first_query) {
  const auto& [queries, keys, values] = operands;
  const std::ptrdiff_t T_key = a.visibility.keys;
  const std::ptrdiff_t value_stride = (a.head_dim + set.lanes - 1) / set.lanes * set.lanes;
  Aligned padded_values(T_key * value_stride);
  for (std::ptrdiff_t t = 0; t < T_key; ++t) {
    std::copy_n(values.begin() + t * a.head_dim, a.head_dim, padded_values.get() + t * value_stride);
  }
  Aligned packed((T_key + set.key_panel - 1) / set.key_panel * set.key_panel * a.head_dim);
  set.pack_keys(packed.get(), keys.data(), T_key, a.head_dim);
  const std::ptrdiff_t count = a.queries - first_query;
  const std::ptrdiff_t words = (T_key + 63) / 64;
  std::vector<std::uint64_t> kept(static_cast<std::size_t>(count * words));
  for (std::ptrdiff_t q = 0; q < count; ++q) {
    for (std::ptrdiff_t k = 0; k < T_key; ++k) {
      if (is_kept(first_query + q, k)) kept[static_cast<std::size_t>(q * words + k / 64)] |= std::uint64_t{1} << k % 64;
    }
  }
  std::vector<KeyRange> visible;
  for (std::ptrdiff_t query = first_query; query < a.queries; ++query) visible.push_back(a.visibility.of(query));
  const auto rows = static_cast<std::size_t>(count);
  Answer answer{Floats(rows * static_cast<std::size_t>(a.head_dim))};
  Aligned scratch(set.attend_scratch(a.head_dim));
  set.attend({.queries = queries.data(),
              .keys = packed.get(),
              .values = padded_values.get(),
              .key_count = T_key,
              .head_dim = a.head_dim,
              .value_dim = a.head_dim,
              .value_stride = value_stride,
              .first_query = first_query,
              .query_count = count,
              .visible = a.mask == MaskRoute::none ? nullptr : visible.data(),
              .masks_weights = masks_weights(a),
              .renormalizes = a.mask == MaskRoute::causal_renormalized,
              .by_sum = a.by_sum,
              .score = {.scale = scale_of(a)},
              .kept = a.drops ? kept.data() : nullptr,
              .kept_stride = words,
              .kept_factor = a.drops ? kept_factor : 1.0F,
              .context = answer.context.data(),
              .context_stride = a.head_dim,
              .scratch = scratch.get()});
  return answer;
}

// By plain loops in double.
void expect_row(const Attention& a, const Operands& operands, const Answer& answer, std::ptrdiff_t first_query,
                std::ptrdiff_t query) {
  const auto& [queries, keys, values] = operands;
  const KeyRange visible = a.visibility.of(query);
  const KeyRange read = masks_weights(a) ? KeyRange{0, a.visibility.keys} : visible;
  std::vector<double> weights(static_cast<std::size_t>(a.visibility.keys));
  double max = -std::numeric_limits<double>::infinity();
  for (std::ptrdiff_t k = read.first; k < read.last; ++k) {
    double score = 0;
    for (std::ptrdiff_t d = 0; d < a.head_dim; ++d) {
      score += static_cast<double>(queries[static_cast<std::size_t>(query * a.head_dim + d)]) *
               static_cast<double>(keys[static_cast<std::size_t>(k * a.head_dim + d)]);
    }
    weights[static_cast<std::size_t>(k)] = score * static_cast<double>(scale_of(a));
    max = std::max(max, weights[static_cast<std::size_t>(k)]);
  }
  double sum = 0;
  for (std::ptrdiff_t k = read.first; k < read.last; ++k) {
    double& weight = weights[static_cast<std::size_t>(k)];
    if (!a.by_sum) weight = std::exp(weight - max);
    sum += weight;
  }
  double masked_sum = 0;
  for (std::ptrdiff_t k = visible.first; k < visible.last; ++k) masked_sum += weights[static_cast<std::size_t>(k)];
  const double divisor = a.mask == MaskRoute::causal_renormalized ? masked_sum : sum;
  const auto row = static_cast<std::size_t>(query - first_query);
  const double tolerance = a.by_sum ? 2e-3 : 2e-5;  // a sum of signed scores may nearly cancel
  for (std::ptrdiff_t d = 0; d < a.head_dim; ++d) {
    double wanted = 0;
    for (std::ptrdiff_t k = visible.first; k < visible.last; ++k) {
      if (a.drops && !is_kept(query, k)) continue;
      wanted += weights[static_cast<std::size_t>(k)] / divisor *
                static_cast<double>(values[static_cast<std::size_t>(k * a.head_dim + d)]) *
                static_cast<double>(a.drops ? kept_factor : 1.0F);
    }
    const double got = answer.context[row * static_cast<std::size_t>(a.head_dim) + static_cast<std::size_t>(d)];
    ASSERT_NEAR(got, wanted, tolerance * std::max(1.0, std::abs(wanted))) << "query " << query << ", feature " << d;
  }
}

void expect_attention(const Kernels& set, const Attention& a) {
  SCOPED_TRACE(testing::Message() << a.queries << " queries, " << a.visibility.keys << " keys from "
                                  << a.visibility.first << " to " << a.visibility.last << ", head_dim " << a.head_dim
                                  << ", mask " << static_cast<int>(a.mask) << ", by_sum " << a.by_sum << ", drops "
                                  << a.drops);
  const Operands operands(a);
  for (const std::ptrdiff_t first_query : {std::ptrdiff_t{0}, a.queries / 2 / 12 * 12}) {
    const Answer answer = run(set, a, operands, first_query);
    const std::ptrdiff_t step = a.queries > 200 ? 97 : 1;
    for (std::ptrdiff_t query = first_query; query < a.queries; query += step) {
      expect_row(a, operands, answer, first_query, query);
      if (testing::Test::HasFatalFailure()) return;
    }
    expect_row(a, operands, answer, first_query, a.queries - 1);
  }
}

}  // namespace attnscope::test
