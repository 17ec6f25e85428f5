#include "view/number_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/results.h"
#include "core/stages/rule.h"
#include "document/spelling.h"

namespace attnscope {

std::string format_shape(const std::vector<Index>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::vector<Index> shape_in_class(const AttentionConfig& config, Stage stage) {
  std::vector<Index> shape = stage_shape(config, stage);
  if (info(stage).axes == StageAxes::bias) shape.erase(shape.end() - 2);  // it is a matrix of one row only here
  if (shape.size() > 3 && !info(config.mechanism).has_heads) shape.erase(shape.begin() + 1);
  return shape;
}

std::string shape_letters_in_class(const AttentionConfig& config, Stage stage) {
  constexpr std::string_view axis = "H, ";
  std::string letters = shape_letters(config, stage);
  const std::size_t at = letters.find(axis);
  if (at != std::string::npos && !info(config.mechanism).has_heads) letters.erase(at, axis.size());
  if (info(stage).axes == StageAxes::bias) letters.erase(letters.find("1, "), 3);
  return letters.find(',') == std::string::npos ? letters.insert(letters.size() - 1, ",") : letters;
}

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

std::string format_difference(float now, float before) {
  constexpr int kept_digits = 6;  // of the larger one
  const float difference = difference_of(now, before);
  if (difference == 0 || !std::isfinite(difference)) return format_full(difference);
  const double largest = std::max(std::abs(static_cast<double>(now)), std::abs(static_cast<double>(before)));
  const double power = std::pow(10.0, kept_digits - 1 - std::floor(std::log10(largest)));
  const auto rounded = static_cast<float>(std::round(static_cast<double>(difference) * power) / power);
  return format_full(rounded == 0 ? difference : rounded);
}

std::vector<ExplanationLine> explanation_lines(const Result& result, const Source& source, const RowNames& names,
                                               std::size_t max_terms) {
  CellWords of{result, explain(result, source), source, names, max_terms};
  const Operation& operation = *of.explanation.operation;
  std::string sentence = operation.sentence.is_made() ? operation.sentence(of) : of.say(operation.sentence.constant());
  if (!sentence.empty()) of.words(std::move(sentence));
  operation.arithmetic(of);
  return std::move(of.lines);
}

std::vector<std::string> arithmetic_of(const Result& result, const Source& source, const RowNames& names) {
  constexpr std::size_t most_terms = 6;  // a slide has no room for more
  const Explanation explanation = explain(result, source);
  if (explanation.operation->is_copy && !explanation.operands.empty())
    return arithmetic_of(result, explanation.operands.front().line.first, names);
  std::vector<std::string> steps;
  for (const ExplanationLine& line : explanation_lines(result, source, names, most_terms)) {
    if (line.is_words) continue;
    if (steps.empty() || !line.text.starts_with('=')) {
      steps.emplace_back();
    } else {
      steps.back() += ' ';
    }
    bool was_blank = false;  // drops the blanks that align columns in the inspector
    // A term of a sum shows only its factors: the number after its "=" is not the whole sum.
    const bool is_term = explanation.operation->is_sum_of_products && !line.text.starts_with('=');
    for (const char letter : line.text.substr(0, is_term ? line.text.find(" = ") : std::string::npos)) {
      if (letter != ' ' || !was_blank) steps.back() += letter;
      was_blank = letter == ' ';
    }
  }
  return steps;
}

namespace {

constexpr std::size_t folded_terms = 16;
constexpr std::size_t more_terms = 64;  // terms that each opening of the rest adds
constexpr int derived_places = 4;
constexpr std::size_t deepest = 12;  // an output and the generator's word are 10 apart

class Tree {
public:
  Tree(const Result& result, const RowNames& names, const std::set<std::string>& opened)
      : result_(result), names_(names), opened_(opened) {}

  void add(const Source& source, const std::string& path, int depth) {
    const std::size_t terms = terms_shown(path);
    int index = 0;
    for (ExplanationLine& line : explanation_lines(result_, source, names_, terms)) {
      // A term of a long sum keeps its path when more terms are shown.
      const std::string place = line.term ? fmt::format("term{}", *line.term) : std::to_string(index++);
      const std::string own = fmt::format("{}{}{}", path, path.empty() ? "" : "/", place);
      const bool leads_on = line.source && static_cast<std::size_t>(depth) < deepest;
      const std::string key = line.is_rest ? rest_key(path, terms) : own;
      const bool can_open = leads_on || line.is_rest;
      const DerivationLine added{std::move(line), depth, key, false, can_open, leads_on && opened_.contains(own)};
      lines_.push_back(added);
      if (added.is_open) add_operands(added);
    }
  }
  std::vector<DerivationLine> take() { return std::move(lines_); }

private:
  static std::string rest_key(const std::string& path, std::size_t terms) { return fmt::format("{}+{}", path, terms); }
  std::size_t terms_shown(const std::string& path) const {
    std::size_t terms = folded_terms;
    while (opened_.contains(rest_key(path, terms))) terms += more_terms;
    return terms;
  }
  void add_operands(const DerivationLine& of) {
    int index = 0;
    for (const std::optional<Source>& operand : {of.line.source, of.line.second}) {
      if (!operand) continue;
      const std::string path = fmt::format("{}/{}", of.path, index++);
      lines_.push_back({{number_text(result_, *operand, names_), operand}, of.depth + 1, path, true});
      add(*operand, path, of.depth + 1);
    }
  }

  const Result& result_;
  RowNames names_;
  const std::set<std::string>& opened_;
  std::vector<DerivationLine> lines_;
};

std::string place_words(const AttentionConfig& config, const Source& source, const RowNames& names) {
  const StageAxes axes = info(source.stage).axes;
  const bool is_of_row = source.kind != SourceKind::cell && source.kind != SourceKind::draw;
  const auto name_among = [](const std::vector<std::string>& of, Index row) {
    const auto at = static_cast<std::size_t>(row);
    return at < of.size() ? of[at] : std::to_string(row + 1);
  };
  const std::string row = name_among(names.of(source.stage), source.row);
  if (is_query_by_key(axes))
    return is_of_row ? "row " + row : fmt::format("{} → {}", row, name_among(names.keys, source.col));
  const std::string in_column = column_dimension(config, source.stage, source.col);
  if (is_parameter(axes)) {
    const std::string name = in_column.empty() ? row_dimension(config, source.stage, source.row) : in_column;
    return fmt::format("[{}, {}]{}", source.row + 1, source.col + 1, name.empty() ? "" : " of “" + name + "”");
  }
  return fmt::format("{}, dimension {}", row,
                     in_column.empty() ? std::to_string(source.col + 1) : "“" + in_column + "”");
}

std::string written(const DerivationLine& line, TextFormat format) {
  const auto indent = [&](std::string_view step) {
    std::string space;
    for (int i = 0; i < line.depth; ++i) space += step;
    return space;
  };
  const bool is_numbers = !line.line.is_words && !line.is_heading;
  switch (format) {
    case TextFormat::plain:
      return fmt::format("{}{}\n", indent("    "), line.line.text);
    case TextFormat::markdown:
      return is_numbers        ? fmt::format("{}- `{}`\n", indent("  "), line.line.text)
             : line.is_heading ? fmt::format("{}- **{}**\n", indent("  "), line.line.text)
                               : fmt::format("{}- {}\n", indent("  "), line.line.text);
    case TextFormat::latex:
      break;
  }
  const std::string text = latex_words(line.line.text);
  const std::string space = fmt::format("\\hspace*{{{}em}}", 2 * line.depth);
  return fmt::format("{}{} \\\\\n", line.depth > 0 ? space : "",
                     is_numbers        ? "\\texttt{" + text + "}"
                     : line.is_heading ? "\\textbf{" + text + "}"
                                       : text);
}

}  // namespace

std::string_view kind_words(SourceKind kind) {
  switch (kind) {
    case SourceKind::row_maximum:
      return "largest of ";
    case SourceKind::row_sum:
      return "sum of ";
    case SourceKind::row_rms:
      return "root mean square of ";
    case SourceKind::exponential_sum:
      return "sum of exp of ";
    case SourceKind::draw:
      return "draw for ";
    case SourceKind::cell:
      break;
  }
  return "";
}

std::vector<DerivationLine> derivation(const Result& result, const Source& source, const RowNames& names,
                                       const std::set<std::string>& opened) {
  Tree tree(result, names, opened);
  tree.add(source, "", 0);
  return tree.take();
}

std::string number_name(const Result& result, const Source& source, const RowNames& names) {
  const bool is_named = is_parameter(info(source.stage).axes);
  const std::string name = is_named ? parameter_name(result.config, source.stage, source.head)
                                    : std::string(title_in(result.config, source.stage));
  const bool says_head = !is_named && is_per_head(result.config, source.stage) && head_count(result.config) > 1;
  return fmt::format("{}{}{} {}", kind_words(source.kind), name,
                     says_head ? fmt::format(" of head {},", source.head + 1) : "",
                     place_words(result.config, source, names));
}

std::string number_text(const Result& result, const Source& source, const RowNames& names) {
  return fmt::format("{} = {}", number_name(result, source, names),
                     format_fixed(value_at(result, source), derived_places));
}

std::string derivation_text(const Result& result, const Source& source, const RowNames& names,
                            const std::set<std::string>& opened, TextFormat format) {
  const DerivationLine heading{{number_text(result, source, names), {}}, 0, "", true};
  std::string text = format == TextFormat::latex ? "\\noindent\n" : "";
  text += written(heading, format);
  for (const DerivationLine& line : derivation(result, source, names, opened)) text += written(line, format);
  return text;
}

}  // namespace attnscope
