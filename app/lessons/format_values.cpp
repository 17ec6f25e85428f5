#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "document/words.h"
#include "lessons/formula.h"
#include "look/number_text.h"

namespace attnscope {
namespace {

constexpr Index most_shown = 8;  // of an axis; of a longer one its ends
constexpr Index shown_end = 3;

std::string format_number(double number, bool is_whole, int decimals) {
  if (is_whole) return fmt::format("{:.0f}", number);
  return std::isinf(number) ? (number < 0 ? "−∞" : "∞") : format_fixed(number, decimals);
}

// Calls visit(i) for those that are shown, and gap() between the ends of what is long.
template <typename Visit, typename Gap>
void for_each_shown(Index count, const Visit& visit, const Gap& gap) {
  const bool is_long = count > most_shown;
  for (Index i = 0; i < count; ++i) {
    if (is_long && i == shown_end) gap();
    if (!is_long || i < shown_end || i >= count - shown_end) visit(i);
  }
}

struct Printer {
  const Values& values;
  int decimals;
  std::size_t width = 0;  // of the widest number that is shown

  std::string number(Index at) const {
    return format_number(values.numbers[static_cast<std::size_t>(at)], values.are_whole, decimals);
  }
  void widen(const std::string& text) { width = std::max(width, static_cast<std::size_t>(character_count(text))); }
  void measure(std::size_t axis, Index first) {
    if (axis == values.shape.size()) return widen(number(first));
    for_each_shown(
        values.shape[axis], [&](Index i) { measure(axis + 1, first + i * stride(axis)); }, [] {});
  }
  Index stride(std::size_t axis) const {
    Index product = 1;
    for (std::size_t i = axis + 1; i < values.shape.size(); ++i) product *= values.shape[i];
    return product;
  }
  std::string padded(const std::string& text) const {
    return std::string(width - std::min(width, static_cast<std::size_t>(character_count(text))), ' ') + text;
  }
  std::string row(std::size_t axis, Index first) const {
    std::string text;
    for_each_shown(
        values.shape[axis], [&](Index i) { text += (i == 0 ? "" : " ") + padded(number(first + i)); },
        [&] { text += " …"; });
    return text;
  }
  std::string lines(std::size_t axis, Index first) const {
    if (axis + 1 == values.shape.size()) return row(axis, first);
    const std::string_view between = axis + 2 == values.shape.size() ? "\n" : "\n\n";
    std::string text;
    for_each_shown(
        values.shape[axis],
        [&](Index i) { (text += i == 0 ? "" : between) += lines(axis + 1, first + i * stride(axis)); },
        [&] { (text += between) += "…"; });
    return text;
  }
};

}  // namespace

std::string format_values(const Values& values, int decimals) {
  if (values.numbers.empty()) return "";
  if (values.is_number()) return format_number(values.numbers.front(), values.are_whole, decimals);
  Printer printer{values, decimals};
  if (values.shape.size() == 1 && values.are_whole) {
    std::string text;
    for (Index i = 0; i < std::ssize(values.numbers); ++i) text += (i == 0 ? "" : ", ") + printer.number(i);
    return "(" + text + ")";
  }
  printer.measure(0, 0);
  return printer.lines(0, 0);
}

}  // namespace attnscope
