#include "view/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnscope {

std::string format_shape(const std::vector<Index>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

std::string format_probability(float probability) {
  constexpr const char* sign = "\u00A0%";
  return probability >= 0.9995F ? fmt::format("100{}", sign)
                                : fmt::format("{:.1f}{}", 100 * static_cast<double>(probability), sign);
}

std::string format_duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 0.1) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

}  // namespace attnscope
