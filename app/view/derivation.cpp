#include "view/derivation.h"

#include <fmt/format.h>

#include <utility>

#include "document/latex_character.h"
#include "view/format.h"

namespace attnscope {
namespace {

constexpr std::size_t folded_terms = 16;
constexpr std::size_t more_terms = 64;  // with each opening of the rest
constexpr int derived_places = 4;
constexpr std::size_t deepest = 12;  // from an output to the generator's word it is 10

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

std::string place_words(const Source& source, const RowNames& names) {
  const StageAxes axes = info(source.stage).axes;
  const bool is_of_row = source.kind != SourceKind::cell && source.kind != SourceKind::draw;
  const auto name_among = [](const std::vector<std::string>& of, Index row) {
    const auto at = static_cast<std::size_t>(row);
    return at < of.size() ? of[at] : std::to_string(row + 1);
  };
  const std::string row = name_among(names.of(source.stage), source.row);
  if (is_query_by_key(axes))
    return is_of_row ? "row " + row : fmt::format("{} → {}", row, name_among(names.keys, source.col));
  if (is_parameter(axes)) return fmt::format("[{}, {}]", source.row + 1, source.col + 1);
  return fmt::format("{}, dimension {}", row, source.col + 1);
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

std::string number_text(const Result& result, const Source& source, const RowNames& names) {
  const bool is_named = is_parameter(info(source.stage).axes);
  const std::string name =
      is_named ? parameter_name(result.config, source.stage, source.head) : std::string(info(source.stage).title);
  const bool says_head = !is_named && is_per_head(result.config, source.stage) && head_count(result.config) > 1;
  return fmt::format("{}{}{} {} = {}", kind_words(source.kind), name,
                     says_head ? fmt::format(" of head {},", source.head + 1) : "", place_words(source, names),
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
