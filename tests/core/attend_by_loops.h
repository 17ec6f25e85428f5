#pragma once

#include <cstddef>
#include <vector>

#include "core/kernels/select.h"
#include "core/visibility.h"

// Attention by one set of kernels, beside the same by plain loops in double.
namespace attnscope::test {

using Floats = std::vector<float>;

Floats random_floats(std::ptrdiff_t count, unsigned seed);

struct Attention {
  std::ptrdiff_t queries = 1;
  std::ptrdiff_t head_dim = 1;
  Visibility visibility;
  MaskRoute mask = MaskRoute::none;  // what becomes of the keys that are not seen
  bool by_sum = false;
  bool drops = false;
  float spread = 1;  // of the queries: large ones make softmax sharp
};

// As many keys as queries, of which a mask shows those up to the query.
Attention square(std::ptrdiff_t tokens, std::ptrdiff_t head_dim, MaskRoute mask);
float scale_of(const Attention& a);

struct Answer {
  Floats context;
};

struct Operands {
  explicit Operands(const Attention& a);
  Floats queries, keys, values;
};

Answer run(const Kernels& set, const Attention& a, const Operands& operands, std::ptrdiff_t first_query);

// That one query's row of the answer is that of the loops.
void expect_row(const Attention& a, const Operands& operands, const Answer& answer, std::ptrdiff_t first_query,
                std::ptrdiff_t query);
void expect_attention(const Kernels& set, const Attention& a);

}  // namespace attnscope::test
