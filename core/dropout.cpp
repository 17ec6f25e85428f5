#include "core/dropout.h"

#include "core/kernels/select.h"
#include "core/tensor.h"
#include "core/visibility.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace attnscope {

namespace {

constexpr Index piece_size = Index{1} << 17;  // takes about a millisecond

// Writes the factors for the numbers from 0 to 1 that next() draws, piece by piece.
template <typename Next>
void fill_pieces(std::span<float> out, double keep, const Execution& execution, const Next& next) {
  const float factor = 1.0F / static_cast<float>(keep);
  for_each_piece(execution, static_cast<Index>(out.size()), piece_size, [&](Index first, Index count) {
    for (float& value : out.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)))
      value = next() < keep ? factor : 0.0F;
  });
}

void fill_mkl(std::span<float> out, Generator& generator, double keep, const Execution& execution) {
  std::uint64_t element = mkl_start(generator);
  fill_pieces(out, keep, execution, [&] {
    const double uniform = mkl_uniform(static_cast<std::uint32_t>(element));
    element = element * congruential_multiplier % congruential_modulus;
    return uniform;
  });
}

// PyTorch's own kernel takes two words of the Mersenne Twister for each element.
void fill_standard(std::span<float> out, Generator& generator, double keep, const Execution& execution) {
  fill_pieces(out, keep, execution, [&] { return double_uniform(next_double_word(generator)); });
}

constexpr std::uint64_t modulus = congruential_modulus;

// multiplier^(digit * 256^place) mod modulus: a jump of any length is a product of four of them.
constexpr auto jumps = [] {
  std::array<std::array<std::uint32_t, 256>, 4> table{};
  std::uint64_t step = congruential_multiplier;
  for (auto& place : table) {
    std::uint64_t power = 1;
    for (std::uint32_t& entry : place) {
      entry = static_cast<std::uint32_t>(power);
      power = power * step % modulus;
    }
    step = power;
  }
  return table;
}();

void fill_mkl_bits(std::span<std::uint64_t> bits, Index count, std::uint32_t start, std::uint32_t threshold,
                   const Execution& execution) {
  constexpr Index block = Index{1} << 17;
  for_each_block(execution, (count + block - 1) / block, [&](Index i) {
    const Index first = i * block;
    kernels().mkl_bits(bits.data() + first / word_bits, std::min(block, count - first),
                       mkl_element(start, static_cast<std::uint64_t>(first)), threshold);
  });
}

bool draws_head_by_head(const AttentionConfig& config) {
  return head_count(config) > 1 && !info(config.mechanism).splits_heads;
}

bool draws_nothing(const AttentionConfig& config) {
  return !dropout_is_active(config) || config.dropout <= 0 || config.dropout >= 1;
}

// At most so many rows are drawn again on the way to one of them, which takes a fraction of a millisecond.
constexpr std::uint64_t most_rows_apart = 64;

// Says whether the standard kernel's draws are kept as bits or as states of the generator.
struct DrawStorage {
  DrawStorage(const AttentionConfig& config, std::uint64_t most_bytes) {
    const auto rows = static_cast<std::uint64_t>(config.batch_size * head_count(config) * query_count(config));
    words = words_of_bits(static_cast<Index>(rows) * key_count(config)) + 1;
    if (words * sizeof(std::uint64_t) <= most_bytes) return;
    const std::uint64_t fitting = std::max<std::uint64_t>(most_bytes / sizeof(MersenneTwister), 1);
    rows_apart = std::clamp<std::uint64_t>((rows + fitting - 1) / fitting, 1, most_rows_apart);
    marks = (rows + rows_apart - 1) / rows_apart;
  }
  std::uint64_t bytes() const { return marks > 0 ? marks * sizeof(MersenneTwister) : words * sizeof(std::uint64_t); }

  std::uint64_t words = 0;  // words of bits, one spare word among them
  std::uint64_t rows_apart = 0;
  std::uint64_t marks = 0;  // states of the generator; 0 if there are bits
};

}  // namespace

Generator dropout_generator(const AttentionConfig& config, const Generator& after_parameters) {
  return config.dropout_seed ? Generator(*config.dropout_seed) : after_parameters;
}

void draw_dropout_factors(std::span<float> out, Generator& generator, double rate, DropoutKernel kernel,
                          const Execution& execution) {
  assert(rate >= 0 && rate <= 1 && "a dropout rate is a probability");
  if (rate == 0 || rate == 1) {
    std::ranges::fill(out, rate == 0 ? 1.0F : 0.0F);
    return;
  }
  (kernel == DropoutKernel::mkl ? fill_mkl : fill_standard)(out, generator, 1.0 - rate, execution);
}

void draw_all_dropout_factors(Tensor& factors, const AttentionConfig& config, Generator generator,
                              const Execution& execution) {
  const double rate = dropout_is_active(config) ? config.dropout : 0.0;
  const Index H = head_count(config);
  if (rate == 0 || H == 1 || info(config.mechanism).splits_heads) {
    draw_dropout_factors(factors.values, generator, rate, config.dropout_kernel, execution);
  } else {
    Tensor head({config.batch_size, factors.rows(), factors.cols()});
    for (Index h = 0; h < H; ++h) {
      draw_dropout_factors(head.values, generator, rate, config.dropout_kernel, execution);
      for (Index b = 0; b < config.batch_size; ++b) eigen(factors, b * H + h) = eigen(head, b);
    }
  }
  for (const DropoutEdit& edit : acting_dropout_edits(config)) {
    if (edit.head >= H) continue;
    factors.matrix(edit.batch * H + edit.head)(edit.query, edit.key) =
        edit.keeps ? 1.0F / static_cast<float>(1.0 - rate) : 0.0F;
  }
}

std::uint32_t mkl_start(Generator& generator) {
  return std::max<std::uint32_t>(next_word(generator) % congruential_modulus, 1);
}

double mkl_uniform(std::uint32_t element) { return static_cast<double>(element) / static_cast<double>(modulus); }

std::uint32_t mkl_element(std::uint32_t start, std::uint64_t index) {
  index %= modulus - 1;  // the stream begins again there, by Fermat's theorem
  std::uint64_t element = start;
  for (const auto& place : jumps) {
    element = element * place[index & 255] % modulus;
    index >>= 8;
  }
  return static_cast<std::uint32_t>(element);
}

std::uint32_t mkl_threshold(double keep) {
  std::uint32_t kept = 0;  // the largest x that is known to be kept, if any is
  std::uint32_t dropped = congruential_modulus;
  while (kept + 1 < dropped) {
    const std::uint32_t middle = kept + (dropped - kept) / 2;
    (mkl_uniform(middle) < keep ? kept : dropped) = middle;
  }
  return dropped;
}

std::uint64_t standard_threshold(double keep) { return static_cast<std::uint64_t>(std::ceil(keep * 0x1p53)); }

// By one thread: the words of the generator follow one from the other, and to share out what is left, tempering and
// comparing them, would take longer than it saves.
void draw_standard_bits(std::span<std::uint64_t> bits, Index count, MersenneTwister& engine, std::uint64_t threshold,
                        const Execution& execution) {
  // elements of 8 whole states, which fit the nearest cache, and of 39 words of bits
  constexpr Index block = 4 * twister_words;
  static_assert(block % word_bits == 0);
  std::array<std::uint32_t, words_per_draw * block> raw;
  for_each_piece(execution, count, block, [&](Index first, Index size) {
    engine.draw_raw(std::span(raw).first(words_per_draw * static_cast<std::size_t>(size)));
    kernels().standard_bits(bits.data() + first / word_bits, size, raw.data(), threshold);
  });
}

void fill_equal_bits(std::span<std::uint64_t> bits, Index count, bool is_set) {
  const std::size_t words = words_of_bits(count);
  std::fill_n(bits.begin(), words, is_set ? ~std::uint64_t{0} : 0);
  if (is_set && count % word_bits != 0) bits[words - 1] >>= word_bits - count % word_bits;
}

void copy_bits(std::span<std::uint64_t> to, std::span<const std::uint64_t> from, Index first, Index count) {
  const std::size_t words = words_of_bits(count);
  const auto begin = static_cast<std::size_t>(first / word_bits);
  const int shift = static_cast<int>(first % word_bits);
  assert((count == 0 || begin + words < from.size()) && "a word behind the last one is read");
  const std::uint64_t* const low = from.data() + begin;
  for (std::size_t i = 0; i < words; ++i) to[i] = low[i] >> shift | low[i + 1] << 1 << (word_bits - 1 - shift);
  if (count % word_bits != 0) to[words - 1] &= ~std::uint64_t{0} >> (word_bits - count % word_bits);
}

void draw_dropout_bits(std::span<std::uint64_t> bits, Index count, Generator& generator, double rate,
                       DropoutKernel kernel, const Execution& execution) {
  assert(rate >= 0 && rate <= 1 && "a dropout rate is a probability");
  assert(bits.size() >= words_of_bits(count) && "there is a bit for every element");
  if (rate == 0 || rate == 1) return fill_equal_bits(bits, count, rate == 0);
  const double keep = 1.0 - rate;
  if (kernel == DropoutKernel::mkl) {
    fill_mkl_bits(bits, count, mkl_start(generator), mkl_threshold(keep), execution);
  } else {
    draw_standard_bits(bits, count, generator.engine, standard_threshold(keep), execution);
  }
}

DropoutMask::DropoutMask(const AttentionConfig& config, Generator generator, const Execution& execution,
                         std::uint64_t most_bytes)
    : queries_(query_count(config)),
      keys_(key_count(config)),
      matrix_heads_(head_count(config)),
      heads_(draws_head_by_head(config) ? head_count(config) : 1),
      batch_size_(config.batch_size),
      keep_(dropout_is_active(config) ? 1 - config.dropout : 1) {
  factor_ = keep_ > 0 ? 1.0F / static_cast<float>(keep_) : 0.0F;
  const std::span<const DropoutEdit> edits = acting_dropout_edits(config);
  edits_.assign(edits.begin(), edits.end());
  if (draws_nothing(config)) return;
  if (config.dropout_kernel == DropoutKernel::mkl) {
    threshold_ = mkl_threshold(keep_);
    for (Index call = 0; call < heads_; ++call) starts_.push_back(mkl_start(generator));
    return;
  }
  const DrawStorage layout(config, most_bytes);
  if (layout.marks == 0) {
    grow(bits_, layout.words, execution);
    const Index size = config.batch_size * head_count(config) * queries_ * keys_;
    draw_dropout_bits(bits_, size, generator, config.dropout, config.dropout_kernel, execution);
    return;
  }
  standard_threshold_ = standard_threshold(keep_);
  mark_distance_ = static_cast<Index>(layout.rows_apart) * keys_;
  marks_.reserve(layout.marks);
  for_each_piece(execution, static_cast<Index>(layout.marks), 1, [&](Index, Index) {
    marks_.push_back(generator.engine);
    generator.engine.discard(words_per_draw * static_cast<std::uint64_t>(mark_distance_));
  });
}

Index DropoutMask::element(Index matrix, Index query) const {
  const Index batch_entry = matrix / heads_;
  // mkl starts each call anew; the other kernel's calls follow one another
  const Index before = starts_.empty() ? matrix % heads_ * batch_size_ : 0;
  return ((before + batch_entry) * queries_ + query) * keys_;
}

std::uint64_t DropoutMask::bytes() const {
  return starts_.size() * sizeof(std::uint32_t) + bits_.size() * sizeof(std::uint64_t) +
         marks_.size() * sizeof(MersenneTwister) + edits_.size() * sizeof(DropoutEdit);
}

std::uint64_t DropoutMask::bytes_for(const AttentionConfig& config, std::uint64_t most_bytes) {
  const std::uint64_t edits = acting_dropout_edits(config).size() * sizeof(DropoutEdit);
  if (draws_nothing(config)) return edits;
  if (config.dropout_kernel == DropoutKernel::standard) return edits + DrawStorage(config, most_bytes).bytes();
  const Index calls = draws_head_by_head(config) ? head_count(config) : 1;
  return edits + static_cast<std::uint64_t>(calls) * sizeof(std::uint32_t);
}

void DropoutRows::read(std::span<std::uint64_t> bits, Index matrix, Index query, Index first_key, Index count) {
  read_drawn(bits, matrix, query, first_key, count);
  const Index heads = mask_->matrix_heads_;
  for (const DropoutEdit& edit : in_row(mask_->edits_, matrix / heads, matrix % heads, query)) {
    const Index bit = edit.key - first_key;
    if (bit < 0 || bit >= count) continue;
    const std::uint64_t place = std::uint64_t{1} << bit % word_bits;
    std::uint64_t& word = bits[static_cast<std::size_t>(bit / word_bits)];
    word = edit.keeps ? word | place : word & ~place;
  }
}

void DropoutRows::read_drawn(std::span<std::uint64_t> bits, Index matrix, Index query, Index first_key, Index count) {
  const DropoutMask& mask = *mask_;
  const Index first = mask.element(matrix, query) + first_key;
  if (!mask.starts_.empty()) {
    const std::uint32_t start = mask.starts_[static_cast<std::size_t>(matrix % mask.heads_)];
    kernels().mkl_bits(bits.data(), count, mkl_element(start, static_cast<std::uint64_t>(first)), mask.threshold_);
  } else if (!mask.bits_.empty()) {
    copy_bits(bits, mask.bits_, first, count);
  } else if (!mask.marks_.empty()) {
    go_to(first);
    draw_standard_bits(bits, count, *engine_, mask.standard_threshold_);
    next_ = first + count;
  } else {
    fill_equal_bits(bits, count, mask.keep_ > 0);
  }
}

// Starts from the last mark before the element, unless the generator stands between the two already.
void DropoutRows::go_to(Index element) {
  const Index mark = element / mask_->mark_distance_;
  const Index marked = mark * mask_->mark_distance_;
  if (!engine_ || next_ > element || next_ < marked) {
    engine_ = mask_->marks_[static_cast<std::size_t>(mark)];
    next_ = marked;
  }
  engine_->discard(words_per_draw * static_cast<std::uint64_t>(element - next_));
  next_ = element;
}

void read_dropout_factors(Tensor& factors, const DropoutMask& mask, Index matrix, Index first_query,
                          const Execution& execution) {
  constexpr Index rows_at_once = 64;
  const Index rows = factors.rows();
  for_each_block(execution, blocks_of(rows, rows_at_once), [&](Index block) {
    DropoutRows kept(mask);
    std::vector<std::uint64_t> bits(words_of_bits(factors.cols()));
    for (Index row = block * rows_at_once; row < std::min(rows, (block + 1) * rows_at_once); ++row) {
      kept.read(bits, matrix, first_query + row, 0, factors.cols());
      const std::span<float> out = factors.matrix(0).row(row);
      for (std::size_t key = 0; key < out.size(); ++key)
        out[key] = (bits[key / word_bits] >> (key % word_bits) & 1) != 0 ? mask.factor() : 0.0F;
    }
  });
}

}  // namespace attnscope
