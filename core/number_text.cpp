#include "core/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>

namespace attnscope {
namespace {

constexpr std::string_view minus = "\u2212";

std::string with_minus(std::string digits) {
  if (digits.starts_with('-')) digits.replace(0, 1, minus);
  return digits;
}

bool is_zero_text(std::string_view digits) { return digits.find_first_of("123456789") == std::string_view::npos; }

std::string superscript(int number) {
  static constexpr std::string_view digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += digits[digit - '0'];
  return text;
}

std::string special_text(double value) {
  if (std::isnan(value)) return "NaN";
  return value < 0 ? "\u2212∞" : "∞";
}

}  // namespace

std::string format_fixed(double value, int decimals) {
  if (!std::isfinite(value)) return special_text(value);
  if (std::abs(value) >= 1e7) return format_full(static_cast<float>(value));
  for (double limit = 100; std::abs(value) >= limit && decimals > 0; limit *= 10) --decimals;
  std::string digits = fmt::format("{:.{}f}", value, decimals);
  if (is_zero_text(digits) && digits.starts_with('-')) digits.erase(0, 1);
  return with_minus(std::move(digits));
}

std::string format_full(float value) {
  if (!std::isfinite(value)) return special_text(value);
  const std::string scientific = fmt::format("{:e}", value);
  const std::string shortest = fmt::format("{}", value);
  const float magnitude = std::abs(value);
  if (value == 0) return "0";
  if (magnitude >= 1e-4F && magnitude < 1e7F) {
    if (shortest.find('e') == std::string::npos) return with_minus(shortest);
    return with_minus(fmt::format("{:.0f}", value));
  }
  // The shortest digits may come with or without an exponent; take them apart and put the power of ten in words.
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  const std::size_t end = shortest.find('e');
  std::string mantissa =
      end != std::string::npos ? shortest.substr(0, end) : fmt::format("{:.8g}", value / std::pow(10.0, exponent));
  return with_minus(std::move(mantissa)) + " × 10" + superscript(exponent);
}

std::string format_integer(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string format_dropout_rate(double value) {
  const double shown = std::round(value * 100) / 100;
  const bool is_told = std::abs(value - shown) < 1e-9 || (std::abs(value) > 0.05 && std::abs(value - 1) > 0.05);
  return is_told ? format_fixed(value, 2) : with_minus(fmt::format("{:.6g}", value));
}

std::vector<std::size_t> largest_terms(std::span<const double> terms, std::size_t most) {
  std::vector<std::size_t> order(terms.size());
  std::iota(order.begin(), order.end(), 0);
  if (terms.size() <= most) return order;
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return std::abs(terms[i]); });
  order.resize(most);
  std::ranges::sort(order);
  return order;
}

std::string format_position(std::string_view axis, std::ptrdiff_t index, std::span<const std::string> labels) {
  if (index < std::ssize(labels))
    return fmt::format("{} {} {}", axis, index + 1, labels[static_cast<std::size_t>(index)]);
  return fmt::format("{} {}", axis, index + 1);
}

}  // namespace attnscope
