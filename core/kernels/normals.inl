// Standard normals as PyTorch draws them in bulk on processors with AVX2, bit for bit: by Box and Muller, with the
// polynomials of the Cephes library for logarithm, sine and cosine in single precision, and products fused with sums
// where its compiler fuses them. Included once by the file of each instruction set.

#include "core/kernels/kernels.h"
#include "core/kernels/simd.h"

namespace attnscope {
namespace {

// ((first * x + c0) * x + c1) ...
template <int count>
ATTNSCOPE_INLINE Floats polynomial(Floats x, float first, const float (&coefficients)[count]) {
  Floats value = broadcast(first);
  ATTNSCOPE_UNROLL
  for (int i = 0; i < count; ++i) value = multiply_add_once(value, x, broadcast(coefficients[i]));
  return value;
}

ATTNSCOPE_INLINE Floats with_sign_flipped(Floats value, Ints is_flipped) {
  return reinterpret_cast<Floats>(reinterpret_cast<Ints>(value) ^ (is_flipped & Ints(Ints{} + INT32_MIN)));
}

// Natural logarithm of x in (0, 1], not denormal.
ATTNSCOPE_INLINE Floats logarithm(Floats x) {
  const Ints bits = reinterpret_cast<Ints>(x);
  const Floats mantissa = reinterpret_cast<Floats>((bits & 0x007FFFFF) | 0x3F000000);  // in [1/2, 1)
  const Ints is_low = mantissa < broadcast(0.707106781186547524F);
  const Floats exponent = __builtin_convertvector((bits >> 23) - 126 + is_low, Floats);
  const Floats m = mantissa - 1.0F + (is_low ? mantissa : Floats{});
  const Floats square = m * m;
  Floats y = polynomial(m, 7.0376836292E-2F,
                        {-1.1514610310E-1F, 1.1676998740E-1F, -1.2420140846E-1F, 1.4249322787E-1F, -1.6668057665E-1F,
                         2.0000714765E-1F, -2.4999993993E-1F, 3.3333331174E-1F}) *
             m;
  y = multiply_add_once(y, square, exponent * -2.12194440E-4F);
  y = multiply_add_once(-square, broadcast(0.5F), y);
  return multiply_add_once(exponent, broadcast(0.693359375F), m + y);
}

// Sine and cosine of an angle that is not negative and not large.
ATTNSCOPE_INLINE void sine_and_cosine(Floats angle, Floats& sine, Floats& cosine) {
  const Ints octant = (__builtin_convertvector(angle * 1.27323954473516F, Ints) + 1) & ~1;  // rounded up to an even one
  const Floats turns = __builtin_convertvector(octant, Floats);
  Floats x = multiply_add_once(turns, broadcast(-0.78515625F), angle);  // less octant * pi/4, in three parts
  x = multiply_add_once(turns, broadcast(-2.4187564849853515625E-4F), x);
  x = multiply_add_once(turns, broadcast(-3.77489497744594108E-8F), x);
  const Floats square = x * x;
  const Floats even =
      polynomial(square, 2.443315711809948E-5F, {-1.388731625493765E-3F, 4.166664568298827E-2F}) * square;
  const Floats by_cosine = multiply_add_once(even, square, square * -0.5F) + 1.0F;
  const Floats odd = polynomial(square, -1.9515295891E-4F, {8.3321608736E-3F, -1.6666654611E-1F}) * square;
  const Floats by_sine = multiply_add_once(odd, x, x);
  const Ints is_swapped = (octant & 2) != 0;
  sine = with_sign_flipped(is_swapped ? by_cosine : by_sine, octant << 29);
  cosine = with_sign_flipped(is_swapped ? by_sine : by_cosine, (octant + 2) << 29);
}

// Pairs of uniforms, `half` floats apart in each block, become pairs of normals.
void normals(float* values, std::ptrdiff_t blocks) {
  constexpr int half = 8;
  constexpr int run = lanes < half ? lanes : half;  // of a vector, within one block
  const std::ptrdiff_t pairs = blocks * half;
  for (std::ptrdiff_t pair = 0; pair < pairs; pair += lanes) {
    float* places[lanes / run];
    float first[lanes] = {};
    float second[lanes] = {};
    const int runs = pair + lanes <= pairs ? lanes / run : 1;
    for (int r = 0; r < runs; ++r) {
      const std::ptrdiff_t at = pair + r * run;
      places[r] = values + at / half * (2 * half) + at % half;
      __builtin_memcpy(first + r * run, places[r], sizeof(float) * run);
      __builtin_memcpy(second + r * run, places[r] + half, sizeof(float) * run);
    }
    const Floats radius = square_root(logarithm(1.0F - load(first)) * -2.0F);
    Floats sine;
    Floats cosine;
    sine_and_cosine(load(second) * 6.283185307179586F, sine, cosine);
    store(first, radius * cosine + 0.0F);  // never -0
    store(second, radius * sine + 0.0F);
    for (int r = 0; r < runs; ++r) {
      __builtin_memcpy(places[r], first + r * run, sizeof(float) * run);
      __builtin_memcpy(places[r] + half, second + r * run, sizeof(float) * run);
    }
  }
}

}  // namespace
}  // namespace attnscope
