#include "teach/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "teach/formula.h"

namespace attnscope {
namespace {

constexpr std::string_view opening = "{{";
constexpr std::string_view closing = "}}";
constexpr int usual_decimals = 4;

struct Formula {
  std::string_view text;  // "weights[0,0,1,2]"
  std::optional<int> decimals;
};

// A formula in a text: "weights[0,0,1,2]:.4f".
Formula formula_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {trimmed(text), {}};
  const std::string_view format = text.substr(colon + 1);
  int decimals = -1;
  if (format.size() == 3 && format[0] == '.' && format[2] == 'f')
    std::from_chars(format.data() + 1, format.data() + 2, decimals);
  if (decimals < 0)
    throw Error(fmt::format("The format in {} must be like \":.4f\", with one digit.", in_quotes(text)));
  return {trimmed(text.substr(0, colon)), decimals};
}

std::string token_text(std::string_view formula, const Document& document) {
  const std::string_view digits = formula.substr(6, formula.size() - 7);
  const std::optional<Index> index = number_of<Index>(digits);
  if (!index || *index < 0 || *index >= std::ssize(document.tokens))
    throw Error(
        fmt::format("{} is not a token: there are {}, counted from 0.", in_quotes(formula), document.tokens.size()));
  return document.tokens[static_cast<std::size_t>(*index)];
}

// Computes the formulas of a text.
struct TextNumbers {
  const StepNumbers* numbers;       // null: "…" stands for each
  std::vector<std::string>* wrong;  // takes what is wrong with a formula; null: this is thrown

  std::string value(std::string_view text) const {
    const Formula formula = formula_of(text);
    if (!numbers) return "…";
    if (formula.text.starts_with("token[") && formula.text.ends_with(']'))
      return token_text(formula.text, numbers->document);
    const Values values = evaluate_formula(formula.text, *numbers);
    return format_values(values, formula.decimals.value_or(usual_decimals));
  }
  std::string computed(std::string_view text) const {
    if (!wrong) return value(text);
    try {
      return value(text);
    } catch (const Error& error) {
      wrong->emplace_back(error.what());
      return fmt::format("[{}]", error.what());
    }
  }
};

// Splits a text at blank lines.
std::vector<std::string_view> paragraphs_of(std::string_view text) {
  std::vector<std::string_view> paragraphs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    if (const std::string_view part = trimmed(text.substr(0, end)); !part.empty()) paragraphs.push_back(part);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return paragraphs;
}

class SpanReader {
public:
  SpanReader(std::string_view text, const TextNumbers& numbers) : text_(text), numbers_(numbers) {}

  std::vector<TextSpan> all() {
    while (!text_.empty()) {
      if (takes(opening)) {
        number();
      } else if (takes("**")) {
        toggle(TextSpan::Style::strong);
      } else if (text_.front() == '*' && is_mark()) {
        text_.remove_prefix(1);
        toggle(TextSpan::Style::emphasis);
      } else if (takes("`")) {
        code();
      } else {
        gathered_ += text_.front() == '\n' ? ' ' : text_.front();
        last_ = text_.front();
        text_.remove_prefix(1);
      }
    }
    flush(style_);
    return std::move(spans_);
  }

private:
  bool takes(std::string_view mark) {
    if (!text_.starts_with(mark)) return false;
    text_.remove_prefix(mark.size());
    return true;
  }
  // A star with blanks on both sides is a product.
  bool is_mark() const { return !(last_ == ' ' && text_.size() > 1 && text_[1] == ' '); }
  void flush(TextSpan::Style style) {
    if (!gathered_.empty()) spans_.push_back({style, std::move(gathered_)});
    gathered_.clear();
  }
  void toggle(TextSpan::Style style) {
    flush(style_);
    style_ = style_ == style ? TextSpan::Style::plain : style;
  }
  std::string_view until(std::string_view mark) {
    const std::size_t end = text_.find(mark);
    if (end == std::string_view::npos) throw Error(fmt::format("A {} is missing in {}.", mark, in_quotes(text_)));
    const std::string_view part = text_.substr(0, end);
    text_.remove_prefix(end + mark.size());
    return part;
  }
  // Names of tokens are words like others; numbers of a row have commas between them.
  void number() {
    const std::string_view formula = until(closing);
    last_ = 'x';
    if (trimmed(formula).starts_with("token[")) {
      gathered_ += numbers_.computed(formula);
      return;
    }
    flush(style_);
    std::string text = numbers_.computed(formula);
    const bool is_row = text[0] != '(' && text[0] != '[';
    for (std::size_t at = text.find(' '); at != std::string::npos && is_row; at = text.find(' ', at + 2))
      text.replace(at, 1, ", ");
    spans_.push_back({TextSpan::Style::number, std::move(text)});
  }
  void code() {
    flush(style_);
    spans_.push_back({TextSpan::Style::code, std::string(until("`"))});
    last_ = 'x';
  }

  std::string_view text_;
  const TextNumbers& numbers_;
  std::vector<TextSpan> spans_;
  std::string gathered_;
  TextSpan::Style style_ = TextSpan::Style::plain;
  char last_ = ' ';
};

bool is_one_formula(std::string_view paragraph) {
  return paragraph.starts_with(opening) && paragraph.find(closing) == paragraph.size() - closing.size();
}

TextBlock block_of(std::string_view paragraph, const TextNumbers& numbers) {
  constexpr std::string_view fence = "```";
  if (is_one_formula(paragraph)) {
    const std::string_view inner = paragraph.substr(opening.size(), paragraph.size() - 2 * opening.size());
    return {TextBlock::Kind::code, {{TextSpan::Style::number, numbers.computed(inner)}}};
  }
  if (paragraph.starts_with(fence) && paragraph.size() > 2 * fence.size() && paragraph.ends_with(fence)) {
    const std::string_view inner = paragraph.substr(fence.size(), paragraph.size() - 2 * fence.size());
    return {TextBlock::Kind::code, {{TextSpan::Style::code, std::string(trimmed(inner))}}};
  }
  if (paragraph.starts_with("- ")) return {TextBlock::Kind::item, SpanReader(paragraph.substr(2), numbers).all()};
  return {TextBlock::Kind::paragraph, SpanReader(paragraph, numbers).all()};
}

constexpr Index most_of_an_axis = 8;  // a longer axis shows its ends
constexpr Index shown_end = 3;

std::string format_number(double number, bool is_whole, int decimals) {
  if (is_whole) return fmt::format("{:.0f}", number);
  return std::isinf(number) ? (number < 0 ? "−∞" : "∞") : format_fixed(number, decimals);
}

// Calls visit(i) for shown indices, and gap() between the ends of a long axis.
template <typename Visit, typename Gap>
void for_each_shown(Index count, const Visit& visit, const Gap& gap) {
  const bool is_long = count > most_of_an_axis;
  for (Index i = 0; i < count; ++i) {
    if (is_long && i == shown_end) gap();
    if (!is_long || i < shown_end || i >= count - shown_end) visit(i);
  }
}

struct Printer {
  const Values& values;
  int decimals;
  std::size_t width = 0;  // width of the widest shown number

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

std::vector<TextBlock> lesson_text(const LessonText& text, const StepNumbers* numbers,
                                   std::vector<std::string>* wrong) {
  std::vector<TextBlock> blocks;
  try {
    for (const std::string_view paragraph : paragraphs_of(text.markdown))
      blocks.push_back(block_of(paragraph, {numbers, wrong}));
  } catch (const Error& error) {
    throw Error(text.path, fmt::format("{}: {}", text.path, error.what()));
  }
  return blocks;
}

std::string plain_lesson_text(const LessonText& text, const StepNumbers* numbers, std::vector<std::string>* wrong) {
  std::string line;
  for (const TextBlock& block : lesson_text(text, numbers, wrong)) {
    if (!line.empty()) line += ' ';
    for (const TextSpan& span : block.spans) line += span.text;
  }
  return line;
}

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
