#include "words/explanation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/bias.h"
#include "words/explanation_words.h"
#include "words/format.h"

namespace attnscope {
namespace {

constexpr int digits = 4;

class Writer {
public:
  Writer(const Result& result, const Source& source, const RowNames& names, std::size_t max_terms)
      : result_(result), explanation_(explain(result, source)), source_(source), names_(names), max_terms_(max_terms) {}

  std::vector<ExplanationLine> write();

private:
  void words(std::string text) { lines_.push_back({std::move(text), {}, true}); }
  void note(std::string text) { lines_.push_back({.text = std::move(text), .is_words = true, .is_note = true}); }
  void arithmetic(std::string text, std::optional<Source> source = {}) {
    lines_.push_back({std::move(text), source, false});
  }
  void two_numbers(std::string left, const Source& left_source, const std::string& right, const Source& right_source);
  static std::string number(float value) { return format_fixed(value, digits); }
  std::string name_of(const Source& source) const;
  std::string place_of(const Source& source) const;
  std::string value_text() const { return number(explanation_.value); }
  const Source& source(std::size_t operand) const { return explanation_.operands.at(operand).line.first; }
  float value(std::size_t operand) const { return explanation_.operands.at(operand).values.front(); }

  void write_count(std::string_view what, std::size_t count);
  void write_sum(std::size_t count, const std::function<double(std::size_t)>& term,
                 const std::function<void(const char*, std::size_t)>& write_term);
  void write_dot_product();
  void write_row();
  void write_softmax();
  void write_start();
  void write_one_step();
  void write_read();

  const Result& result_;
  const Explanation explanation_;
  const Source& source_;
  RowNames names_;
  std::size_t max_terms_;
  std::vector<ExplanationLine> lines_;
};

// "scores", "W_query.weight".
std::string Writer::name_of(const Source& source) const {
  if (!is_parameter(info(source.stage).axes)) return std::string(info(source.stage).title);
  return parameter_name(result_.config, source.stage, source.head);
}

std::string Writer::place_of(const Source& source) const {
  const StageAxes axes = info(source.stage).axes;
  if (is_query_by_key(axes) || is_parameter(axes)) return name_of(source);
  return fmt::format("{} of {}", name_of(source), format_position("token", source.row, names_.of(source.stage)));
}

void Writer::two_numbers(std::string left, const Source& left_source, const std::string& right,
                         const Source& right_source) {
  const std::size_t begin = left.size();
  lines_.push_back({std::move(left) + right, left_source, false, right_source, begin});
}

void Writer::write_count(std::string_view what, std::size_t count) {
  if (count == 1) return words(fmt::format("One {}:", what));
  words(count > max_terms_ ? fmt::format("Sum of {} {}s, the {} largest:", count, what, max_terms_)
                           : fmt::format("Sum of {} {}s:", count, what));
}

// In order; where there are too many, the largest in magnitude and the sum of the rest.
void Writer::write_sum(std::size_t count, const std::function<double(std::size_t)>& term,
                       const std::function<void(const char*, std::size_t)>& write_term) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  const bool too_many = order.size() > max_terms_;
  if (too_many) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(term(a)) > std::abs(term(b)); });
  }
  double rest = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (place < max_terms_) write_term(place == 0 ? "  " : "+ ", order[place]);
    if (place >= max_terms_) rest += term(order[place]);
  }
  if (!too_many) return;
  const std::size_t others = order.size() - max_terms_;
  lines_.push_back({.text = fmt::format("+ {} (the other {})", format_fixed(rest, digits), others), .is_rest = true});
}

void Writer::write_dot_product() {
  const Operand& left = explanation_.operands.at(0);
  const Operand& right = explanation_.operands.at(1);
  const std::size_t count = left.values.size();
  const auto product = [&](std::size_t i) {
    return static_cast<double>(left.values[i]) * static_cast<double>(right.values[i]);
  };
  write_count("product", count);
  const bool by_weight = is_parameter(info(right.line.first.stage).axes);
  words(fmt::format("{} × {}", by_weight ? place_of(left.line.first) : name_of(left.line.first),
                    name_of(right.line.first)));
  write_sum(count, product, [&](const char* sign, std::size_t i) {
    const auto at = static_cast<Index>(i);
    two_numbers(fmt::format("{}{} × ", sign, number(left.values[i])), left.line[at],
                fmt::format("{} = {}", number(right.values[i]), format_fixed(product(i), digits)), right.line[at]);
  });
  if (explanation_.operands.size() > 2) arithmetic(fmt::format("+ {} (bias)", number(value(2))), source(2));
  arithmetic(fmt::format("= {}", value_text()));
}

// A number that stands for a whole row.
void Writer::write_row() {
  const Operand& row = explanation_.operands.front();
  if (explanation_.operation == Operation::row_maximum) {
    const auto largest = std::ranges::max_element(row.values) - row.values.begin();
    words(fmt::format("The largest of the {} numbers of the row:", row.values.size()));
    return arithmetic(fmt::format("= {}", value_text()), row.line[largest]);
  }
  const bool is_plain = explanation_.operation == Operation::row_sum;
  const auto term = [&](std::size_t i) {
    const auto cell = static_cast<double>(row.values[i]);
    return is_plain ? cell : std::exp(cell - static_cast<double>(value(1)));
  };
  write_count(is_plain ? "number" : "exponential", row.values.size());
  if (!is_plain) arithmetic(fmt::format("largest {}", number(value(1))), source(1));
  write_sum(row.values.size(), term, [&](const char* sign, std::size_t i) {
    const std::string text = format_fixed(term(i), digits);
    const std::string origin = is_plain ? "" : fmt::format(" = exp({} − largest)", number(row.values[i]));
    arithmetic(sign + text + origin, row.line[static_cast<Index>(i)]);
  });
  arithmetic(fmt::format("= {}", value_text()));
}

void Writer::write_softmax() {
  const float score = value(0);
  const float largest = value(1);
  note("The row's largest score is subtracted first, so that exp cannot overflow.");
  std::string name = name_of(source(0));  // "scaled scores"
  name.pop_back();
  const std::size_t width = std::max(name.size(), std::size("largest") - 1);
  arithmetic(fmt::format("{:<{}} {}", name, width, number(score)), source(0));
  arithmetic(fmt::format("{:<{}} {}", "largest", width, number(largest)), source(1));
  const std::string exponential =
      format_fixed(std::exp(static_cast<double>(score) - static_cast<double>(largest)), digits);
  const std::string subtracted = largest < 0 ? "(" + number(largest) + ")" : number(largest);
  arithmetic(fmt::format("exp({} − {})", number(score), subtracted));
  arithmetic(fmt::format("= {}", exponential));
  note("Divided by the sum of the row's exponentials:");
  two_numbers(exponential + " / ", source(0), number(value(2)), source(2));
  arithmetic(fmt::format("= {}", value_text()));
}

// A number that is computed from none but what the generator gave.
void Writer::write_start() {
  const bool is_drawn = !explanation_.operands.empty() || source_.kind == SourceKind::draw;
  if (const std::string draw = is_drawn ? draw_text(result_, source_) : ""; !draw.empty()) arithmetic(draw);
  if (source_.kind == SourceKind::draw) return;
  if (source_.stage == Stage::dropout_factors && explanation_.value > 1)
    arithmetic(fmt::format("1 / (1 − p) = {}", value_text()));
  if (is_drawn && is_parameter(info(source_.stage).axes)) arithmetic(fmt::format("= {}", value_text()));
}

void Writer::write_one_step() {
  const std::string before = number(value(0));
  switch (explanation_.operation) {
    case Operation::masked:
      return two_numbers(before, source(0), fmt::format(" → {}", value_text()), source(1));
    case Operation::copied:
      words(fmt::format("Copied unchanged from {}.", place_of(source(0))));
      return arithmetic(fmt::format("= {}", value_text()), source(0));
    case Operation::step: {
      const ScoreStep& step = *info(source_.stage).step(result_.config);
      words(std::string(step.words));
      arithmetic(fmt::format(fmt::runtime(step.arithmetic), before, number(step.amount(result_.config))), source(0));
      break;
    }
    case Operation::add_bias: {
      const Index matrix = matrix_of(result_.config, source_.stage, source_.batch, source_.head);
      words("Plus the bias of this query and key:");
      arithmetic(fmt::format("{} + {}", before, number(Bias(result_.config).at(matrix, source_.row, source_.col))),
                 source(0));
      break;
    }
    case Operation::share_of_sum:
      two_numbers(before + " / ", source(0), number(value(1)), source(1));
      break;
    case Operation::keep_seen:  // the mask says what is hidden, the factor what stays
      two_numbers(before + " × ", source(0), number(1 - value(1)), source(1));
      break;
    default:
      two_numbers(before + " × ", source(0), number(value(1)), source(1));
      break;
  }
  arithmetic(fmt::format("= {}", value_text()));
}

// Says where the number stands, and what it shares its row with.
void Writer::write_read() {
  words(fmt::format("Read from {}, which holds {} numbers:", explanation_.origin, explanation_.number_type));
  arithmetic(explanation_.place);
  arithmetic(fmt::format("= {}", value_text()));
  if (is_masked(result_, source_)) words("Every weight above the diagonal is exactly 0, as a causal mask makes it.");
  words("The finite numbers of its row sum to:");
  arithmetic(fmt::format("Σ {}", number(explanation_.row_sum)));
}

std::vector<ExplanationLine> Writer::write() {
  if (std::string sentence = sentence_of(result_, explanation_, source_, names_); !sentence.empty())
    words(std::move(sentence));
  switch (explanation_.operation) {
    case Operation::typed:
    case Operation::drawn:
    case Operation::mask_rule:
    case Operation::kept_or_dropped:
    case Operation::set_by_user:
    case Operation::switched_off:
      write_start();
      break;
    case Operation::dot_product:
      write_dot_product();
      break;
    case Operation::softmax:
      write_softmax();
      break;
    case Operation::row_maximum:
    case Operation::row_sum:
    case Operation::exponential_sum:
      write_row();
      break;
    case Operation::nothing_left:
      arithmetic(fmt::format("= {}", value_text()));
      break;
    case Operation::read:
      write_read();
      break;
    default:
      write_one_step();
      break;
  }
  return std::move(lines_);
}

}  // namespace

std::vector<ExplanationLine> explanation_lines(const Result& result, const Source& source, const RowNames& names,
                                               std::size_t max_terms) {
  return Writer(result, source, names, max_terms).write();
}

std::vector<std::string> arithmetic_of(const Result& result, const Source& source, const RowNames& names) {
  constexpr std::size_t most_terms = 6;  // that stand on a slide
  const Explanation explanation = explain(result, source);
  if (explanation.operation == Operation::copied && !explanation.operands.empty())
    return arithmetic_of(result, explanation.operands.front().line.first, names);
  std::vector<std::string> steps;
  for (const ExplanationLine& line : explanation_lines(result, source, names, most_terms)) {
    if (line.is_words) continue;
    if (steps.empty() || !line.text.starts_with('=')) {
      steps.emplace_back();
    } else {
      steps.back() += ' ';
    }
    bool was_blank = false;  // columns of the inspector are not those of a line
    // A term of a sum shows only its factors: the number after its "=" is not the whole sum.
    const bool is_term = explanation.operation == Operation::dot_product && !line.text.starts_with('=');
    for (const char letter : line.text.substr(0, is_term ? line.text.find(" = ") : std::string::npos)) {
      if (letter != ' ' || !was_blank) steps.back() += letter;
      was_blank = letter == ' ';
    }
  }
  return steps;
}

}  // namespace attnscope
