// A whole evaluation that is small: all tokens side by side in the lanes of one vector. Included once by the file of
// each instruction set, behind products.inl and weigh.inl.
//
// Every stage is kept by columns, (features, tokens): what is reduced over keys or features is then added vector by
// vector, and no lane has to meet another. All sums are in the order of the tiles of products.inl and attend.inl, so
// that the bits are theirs too.

#include "core/kernels/kernels.h"
#include "core/kernels/simd.h"

namespace attnscope {
namespace {

constexpr int most_small = lanes;

// Up to most_small features of the tokens.
struct Columns {
  Floats at[most_small];
};

ATTNSCOPE_INLINE float element(const Columns& columns, int feature, int token) { return columns.at[feature][token]; }

Columns columns_of(const float* rows, int tokens, int features) {
  Columns columns;
  for (int d = 0; d < features; ++d) {
    columns.at[d] = Floats{};
    for (int t = 0; t < tokens; ++t) columns.at[d][t] = rows[t * features + d];
  }
  return columns;
}

// Columns [first, first + count) as rows, row_stride apart.
void write_rows(float* rows, int row_stride, const Columns& columns, int first, int count, int tokens) {
  for (int d = 0; d < count; ++d) {
    for (int t = 0; t < tokens; ++t) rows[t * row_stride + d] = element(columns, first + d, t);
  }
}

void project(Columns& projected, int count, const Columns& inputs, int depth, const SmallProjection& weights) {
  for (int c = 0; c < count; ++c) {
    Floats sum{};
    for (int k = 0; k < depth; ++k) {
      sum = multiply_add(broadcast(weights.panel[k * panel_width + c]), inputs.at[k], sum);
    }
    projected.at[c] = sum + broadcast(weights.bias ? weights.bias[c] : 0.0F);
  }
}

// The sum of all vectors, added two by two as sum_of_lanes() adds the lanes of one.
template <int distance = lanes / 2>
ATTNSCOPE_INLINE Floats sum_of_vectors(Floats (&vectors)[lanes]) {
  for (int i = 0; i < distance; ++i) vectors[i] += vectors[i + distance];
  if constexpr (distance > 1) return sum_of_vectors<distance / 2>(vectors);
  return vectors[0];
}

// The context of head h by columns, from queries, keys and values by columns.
void attend_small(Columns& context, const SmallTask& task, int h, const Columns& queries, const Columns& keys,
                  const Columns& values) {
  const int first = h * task.head_dim;
  const Ints query = lane_numbers();
  const Floats hidden = broadcast(-__builtin_inff());
  Floats weights[lanes] = {};  // by key
  Floats max = hidden;
  for (int key = 0; key < task.tokens; ++key) {
    Floats score{};
    for (int d = first; d < first + task.head_dim; ++d) {
      score = multiply_add(queries.at[d], broadcast(element(keys, d, key)), score);
    }
    weights[key] = task.is_causal ? (query >= key ? score : hidden) : score;
    max = larger(max, weights[key]);
  }
  const Floats scale = broadcast(task.scale * log2_of_e);
  for (int key = 0; key < task.tokens; ++key) {
    const Floats weight = weight_of<false>(weights[key], max, scale);
    weights[key] = task.is_causal ? (query >= key ? weight : Floats{}) : weight;
  }
  for (int d = first; d < first + task.head_dim; ++d) {
    Floats sum{};
    for (int key = 0; key < task.tokens; ++key) {
      sum = multiply_add(weights[key], broadcast(element(values, d, key)), sum);
    }
    context.at[d] = sum;
  }
  const Floats sum = sum_of_vectors(weights);
  for (int d = first; d < first + task.head_dim; ++d) context.at[d] *= broadcast(1.0F) / sum;
  for (int t = 0; t < task.tokens; ++t) {
    task.row_max[h * task.tokens + t] = max[t] * task.scale;
    task.row_sum[h * task.tokens + t] = sum[t];
  }
}

void evaluate_small(const SmallTask& task) {
  const int width = task.heads * task.head_dim;
  const Columns inputs = columns_of(task.inputs, task.tokens, task.d_in);
  Columns projected[3];
  for (int p = 0; p < 3; ++p) {
    project(projected[p], width, inputs, task.d_in, task.projections[p]);
    for (int h = 0; h < task.heads; ++h) {
      float* const rows = task.projected[p] + h * task.tokens * task.head_dim;
      write_rows(rows, task.head_dim, projected[p], h * task.head_dim, task.head_dim, task.tokens);
    }
  }
  Columns context;
  for (int h = 0; h < task.heads; ++h) attend_small(context, task, h, projected[0], projected[1], projected[2]);
  write_rows(task.context, width, context, 0, width, task.tokens);
  if (!task.output) return;
  Columns output;
  project(output, task.d_out, context, width, task.output_projection);
  write_rows(task.output, task.d_out, output, 0, task.d_out, task.tokens);
}

}  // namespace
}  // namespace attnscope
