#include "views/explanation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "views/format.h"

namespace attnscope {
namespace {

constexpr int digits = 4;

class Writer {
public:
  Writer(const Explanation& explanation, const Cell& cell, const std::vector<std::string>& labels,
         std::size_t max_terms)
      : explanation_(explanation), cell_(cell), labels_(labels), max_terms_(max_terms) {}

  std::vector<ExplanationLine> write();

private:
  void words(std::string text) { lines_.push_back({std::move(text), {}, true}); }
  void arithmetic(std::string text, std::optional<Cell> source = {}) {
    lines_.push_back({std::move(text), source, false});
  }
  static std::string number(float value) { return format_fixed(value, digits); }
  std::string source_name(const Cell& cell) const;
  const Explanation::Term& only_term() const { return explanation_.terms.front(); }

  void write_dot_product();
  void write_softmax();
  void write_one_step();
  void write_read();

  const Explanation& explanation_;
  const Cell& cell_;
  const std::vector<std::string>& labels_;
  std::size_t max_terms_;
  std::vector<ExplanationLine> lines_;
};

std::string Writer::source_name(const Cell& cell) const {
  const StageInfo& stage = info(cell.stage);
  if (is_query_by_key(stage.axes)) return std::string(stage.title);
  return fmt::format("{} of {}", stage.title, format_position("token", cell.row, labels_));
}

// Products in order; where there are too many, the largest in magnitude and the sum of the rest.
void Writer::write_dot_product() {
  std::vector<std::size_t> order(explanation_.terms.size());
  std::iota(order.begin(), order.end(), 0);
  const auto product = [&](std::size_t index) {
    const Explanation::Term& term = explanation_.terms[index];
    return static_cast<double>(term.left_value) * static_cast<double>(term.right_value);
  };
  const bool too_many = order.size() > max_terms_;
  if (too_many) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(product(a)) > std::abs(product(b)); });
    words(fmt::format("Sum of {} products, the {} largest:", order.size(), max_terms_));
  } else {
    words(order.size() == 1 ? "One product:" : fmt::format("Sum of {} products:", order.size()));
  }
  const Explanation::Term& first = explanation_.terms.front();
  const bool by_weight = !explanation_.weight_name.empty();
  words(by_weight ? fmt::format("{} × {}", source_name(first.left), explanation_.weight_name)
                  : fmt::format("{} × {}", info(first.left.stage).title, info(first.right.stage).title));
  double rest = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Explanation::Term& term = explanation_.terms[order[place]];
    if (place >= max_terms_) {
      rest += product(order[place]);
      continue;
    }
    const char* sign = place == 0 ? "  " : "+ ";
    arithmetic(fmt::format("{}{} × {} = {}", sign, number(term.left_value), number(term.right_value),
                           format_fixed(product(order[place]), digits)),
               term.left);
  }
  if (too_many) arithmetic(fmt::format("+ {} (the other {})", format_fixed(rest, digits), order.size() - max_terms_));
  if (explanation_.bias) arithmetic(fmt::format("+ {} (bias)", number(*explanation_.bias)));
  arithmetic(fmt::format("= {}", number(explanation_.value)));
}

void Writer::write_softmax() {
  const float score = only_term().left_value;
  words("The row's largest score is taken away first, so that nothing overflows.");
  arithmetic(fmt::format("score   {}", number(score)), only_term().left);
  arithmetic(fmt::format("largest {}", number(explanation_.row_max)));
  const double exponential = std::exp(static_cast<double>(score) - static_cast<double>(explanation_.row_max));
  arithmetic(fmt::format("exp({} − {})", number(score), number(explanation_.row_max)));
  arithmetic(fmt::format("= {}", format_fixed(exponential, digits)));
  words("Divided by the sum of the row's exponentials:");
  arithmetic(fmt::format("{} / {}", format_fixed(exponential, digits), number(explanation_.row_sum)));
  arithmetic(fmt::format("= {}", number(explanation_.value)));
}

void Writer::write_one_step() {
  const Explanation::Term& term = only_term();
  const std::string value = number(explanation_.value);
  switch (explanation_.operation) {
    case Operation::masked:
      words("The key comes after the query: its score is replaced.");
      arithmetic(fmt::format("{} → {}", number(term.left_value), value), term.left);
      break;
    case Operation::copied:
      words(fmt::format("Taken over unchanged from {}.", source_name(term.left)));
      arithmetic(fmt::format("= {}", value), term.left);
      break;
    case Operation::scaled:
      words("Divided by √head_dim:");
      arithmetic(fmt::format("{} / {}", number(term.left_value), number(term.right_value)), term.left);
      arithmetic(fmt::format("= {}", value));
      break;
    case Operation::share_of_sum:
      words("Divided by the sum of its row:");
      arithmetic(fmt::format("{} / {}", number(term.left_value), number(explanation_.row_sum)), term.left);
      arithmetic(fmt::format("= {}", value));
      break;
    default:
      arithmetic(fmt::format("{} × {}", number(term.left_value), number(term.right_value)), term.left);
      arithmetic(fmt::format("= {}", value));
      break;
  }
}

// Where the number stands, and what it shares its row with.
void Writer::write_read() {
  words(fmt::format("Read from {}, which holds {} numbers:", explanation_.origin, explanation_.number_type));
  arithmetic(explanation_.place);
  arithmetic(fmt::format("= {}", number(explanation_.value)));
  words("The finite numbers of its row sum to:");
  arithmetic(fmt::format("Σ {}", number(explanation_.row_sum)));
}

std::vector<ExplanationLine> Writer::write() {
  switch (explanation_.operation) {
    case Operation::given:
      words("Typed in the table of tokens.");
      break;
    case Operation::drawn:
      words("Drawn from the generator by torch.randn.");
      break;
    case Operation::mask_rule:
      words(cell_.col > cell_.row ? "1: the key comes after the query, which may not look there."
                                  : "0: the key is the query itself or comes before it.");
      break;
    case Operation::kept_or_dropped:
      words(explanation_.value == 0 ? "Dropped: u was not below 1 − p."
                                    : "Kept, and scaled up to make up for the dropped:");
      if (explanation_.value != 0) arithmetic(fmt::format("1 / (1 − p) = {}", number(explanation_.value)));
      break;
    case Operation::dot_product:
      write_dot_product();
      break;
    case Operation::softmax:
      write_softmax();
      break;
    case Operation::read:
      write_read();
      break;
    default:
      if (!explanation_.terms.empty()) write_one_step();
      break;
  }
  return std::move(lines_);
}

}  // namespace

std::vector<ExplanationLine> explanation_lines(const Result& result, const Cell& cell,
                                               const std::vector<std::string>& labels, std::size_t max_terms) {
  const Explanation explanation = explain(result, cell);
  return Writer(explanation, cell, labels, max_terms).write();
}

}  // namespace attnscope
