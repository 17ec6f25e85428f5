#pragma once

// The inner loops, compiled once for each instruction set. The files that implement them see no Eigen and no standard
// templates: code that the linker shares between files must never be compiled for a processor that is not there.

#include <cstddef>
#include <cstdint>

namespace attnscope {

// Keys first, first + 1, … up to but not last. Empty where first == last.
struct KeyRange {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t last = 0;

  std::ptrdiff_t count() const { return last - first; }
  bool is_empty() const { return first >= last; }
  bool contains(std::ptrdiff_t key) const { return first <= key && key < last; }
  bool operator==(const KeyRange&) const = default;
};

// c (rows, width) = a (rows, depth) @ panel (depth, panel_width), plus a bias per column. The columns of c come in
// groups of one vector, each with a place of its own, so that a projection lands in its heads without a copy.
struct PanelProduct {
  const float* a = nullptr;
  std::ptrdiff_t a_stride = 0;  // floats between rows of a
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t depth = 0;
  const float* panel = nullptr;    // packed: (depth, panel_width), zeros in columns that are not there
  const float* next = nullptr;     // the panel that is multiplied after this one: fetched meanwhile
  const float* bias = nullptr;     // panel_width floats, or null
  float* const* groups = nullptr;  // where the vectors of the first row go
  int group_count = 0;             // vectors of the panel that are wanted, 1 to panel_width / lanes
  std::ptrdiff_t c_stride = 0;     // floats between rows of c
};

// The scaling and the cap of a score before softmax.
struct ScoreMap {
  float scale = 1;  // multiplies the score
  float cap = 0;    // c of c * tanh(scaled score / c), or 0 for none
  bool operator==(const ScoreMap&) const = default;
};

// Attention of some queries of one head: scores, normalization, dropout and the weighted values, with nothing kept of
// the scores but what normalization came to.
struct AttendTask {
  const float* queries = nullptr;  // (T_query, head_dim)
  const float* keys = nullptr;     // packed by pack_keys
  const float* values = nullptr;   // (T_key, value_stride), columns up to a multiple of the lanes readable
  std::ptrdiff_t key_count = 0;    // T_key
  std::ptrdiff_t head_dim = 0;     // of queries and keys
  std::ptrdiff_t value_dim = 0;
  std::ptrdiff_t value_stride = 0;
  std::ptrdiff_t first_query = 0;
  std::ptrdiff_t query_count = 0;
  const KeyRange* visible = nullptr;  // (query_count): keys that each query sees, within [0, T_key); null: all
  const KeyRange* read = nullptr;     // (query_count): keys that softmax reads; null: `visible`, or all that there are
  bool masks_weights = false;         // softmax reads every key, and only the weights of hidden ones are left out
  bool renormalizes = false;          // weights that are left are divided by their sum
  bool by_sum = false;                // divide by the row's sum instead of softmax
  ScoreMap score;                     // maps the scores; its scale is above 0
  const float* bias = nullptr;        // (query_count, bias_stride): added to them after that; or null
  std::ptrdiff_t bias_stride = 0;     // at least T_key, in whole vectors
  const std::uint64_t* hidden = nullptr;  // bit k of row q: no weight for key k, although it is in `visible`; or null
  std::ptrdiff_t hidden_stride = 0;       // words between rows of `hidden`
  const std::uint64_t* kept = nullptr;    // bit k of row q: weight (first_query + q, k) survives dropout; null: all do
  std::ptrdiff_t kept_stride = 0;         // words between rows of `kept`
  float kept_factor = 1;                  // 1 / (1 - rate)
  float* context = nullptr;               // (query_count, value_dim)
  std::ptrdiff_t context_stride = 0;      // floats between rows of context
  float* scratch = nullptr;               // attend_scratch(value_dim) floats, aligned to 64 bytes
};

// Extremes and sum of the finite numbers of a row; low = +inf above high = -inf where there is none.
struct RowNumbers {
  float low;
  float high;
  double sum;
};

struct Kernels {
  const char* name;  // "avx512"
  int lanes;         // floats of a vector
  int panel_rows;    // rows that are multiplied with a packed panel of weights together
  int panel_width;   // its columns
  int key_panel;     // keys of a packed panel

  void (*multiply_panel)(const PanelProduct& product);
  // to (cols, rows) = from (rows, cols).T, with so many floats between their rows
  void (*transpose)(float* to, std::ptrdiff_t to_stride, const float* from, std::ptrdiff_t from_stride,
                    std::ptrdiff_t rows, std::ptrdiff_t cols);
  // packed (ceil(tokens / key_panel), head_dim, key_panel) from keys (tokens, head_dim); missing keys are zeros
  void (*pack_keys)(float* packed, const float* keys, std::ptrdiff_t tokens, std::ptrdiff_t head_dim);
  void (*attend)(const AttendTask& task);
  std::ptrdiff_t (*attend_scratch)(std::ptrdiff_t value_dim);  // floats
  // Runs fused multiply-adds in registers, `count` rounds of them; returns the floating-point operations done. What
  // the processor can do at the most; `sink` keeps the compiler from leaving it out.
  double (*probe_peak)(std::ptrdiff_t count, float* sink);
  RowNumbers (*row_numbers)(const float* row, std::ptrdiff_t count);
  // x / (1 + exp(-(linear * x + cubic * x^3))), in place, of finite numbers
  void (*swish)(float* x, std::ptrdiff_t count, float linear, float cubic);

  // `count` bits, and zeros up to the end of the last word: 1 where an element of the congruential stream is below the
  // threshold. `state` is the first element, in (0, 2^31 - 1), the threshold at most 2^31 - 1.
  void (*mkl_bits)(std::uint64_t* bits, std::ptrdiff_t count, std::uint32_t state, std::uint32_t threshold);
  // Sets the bits where 53 bits of two words of MT19937 are below a threshold of at most 2^53. `raw` (2 * count): words
  // that are not yet tempered.
  void (*standard_bits)(std::uint64_t* bits, std::ptrdiff_t count, const std::uint32_t* raw, std::uint64_t threshold);
  // The next `count` words of MT19937, not tempered, behind the 624 that `words` begins with; a multiple of 16.
  void (*twist)(std::uint32_t* words, std::ptrdiff_t count);
  // out[i] = tempered 24 bits of raw[i], as a fraction, * width + from, rounded once
  void (*uniforms)(float* out, std::ptrdiff_t count, const std::uint32_t* raw, float from, float width);
  // Blocks of 16 uniforms in [0, 1), in place: j and j + 8 of a block become the standard normals j and j + 8.
  void (*normals)(float* values, std::ptrdiff_t blocks);
};

// The kernels of each instruction set; core/kernels/select.h chooses among those that the processor has.
extern const Kernels portable_kernels;
extern const Kernels sse2_kernels;
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;

// Numbers that random draws are made of, for the kernels and for those that call them. Constants only: a function here
// would be shared between instruction sets.

// Intel MKL's MCG31m1: x' = congruential_multiplier * x mod congruential_modulus.
constexpr std::uint32_t congruential_modulus = (std::uint32_t{1} << 31) - 1;
constexpr std::uint32_t congruential_multiplier = 1132489760;

// MT19937: word n follows from the words n - 624, n - 623 and n - 227.
constexpr std::ptrdiff_t twister_words = 624;
constexpr std::ptrdiff_t twister_shift = 397;

constexpr std::ptrdiff_t word_bits = 64;  // a word of a packed mask has so many

}  // namespace attnscope
