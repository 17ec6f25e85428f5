#include "core/stages/rule.h"

#include "core/config.h"
#include "core/rope.h"
#include "core/source.h"
#include "core/visibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace attnscope {

std::string_view title_in(const AttentionConfig& config, Stage stage) {
  const bool is_unscaled = stage == Stage::scaled_scores && !acts_in(config, stage);
  return is_unscaled ? "unscaled scores" : info(stage).title;
}

std::string CellWords::named(const std::vector<std::string>& of, Index index, std::string_view kind) {
  const auto at = static_cast<std::size_t>(index);
  return at < of.size() ? fmt::format("“{}”", of[at]) : fmt::format("{} {}", kind, index + 1);
}

std::string CellWords::say(std::string_view sentence) const {
  return fmt::format(fmt::runtime(sentence), fmt::arg("query", query()), fmt::arg("key", key()),
                     fmt::arg("dimension", dimension()));
}

std::string CellWords::dimension() const {
  const std::string name = column_dimension(config(), source.stage, source.col);
  return name.empty() ? std::to_string(source.col + 1) : fmt::format("“{}”", name);
}

Index CellWords::seen_keys() const { return visibility(config()).count(source.row); }

Index CellWords::kept_keys() const {
  Index kept = 0;
  const Visibility seen = visibility(config());
  for_each_seen(seen, source.row, 0, seen.keys, [&](const KeyRange& keys) {
    Source first = source;
    first.kind = SourceKind::cell;
    first.stage = Stage::dropout_factors;
    first.col = keys.first;
    kept += std::ranges::count_if(values_at(result, {first, keys.count()}), [](float each) { return each > 0; });
  });
  return kept;
}

bool CellWords::is_causal() const {
  const bool hides_others = config().mask == MaskRoute::custom || config().sliding_window;
  return !hides_others && query_count(config()) == key_count(config());
}

std::string CellWords::name_of(const Source& cell) const {
  if (!is_parameter(info(cell.stage).axes)) return std::string(title_in(config(), cell.stage));
  return parameter_name(config(), cell.stage, cell.head);
}

std::string CellWords::place_of(const Source& cell) const {
  const StageAxes axes = info(cell.stage).axes;
  if (is_query_by_key(axes) || is_parameter(axes)) return name_of(cell);
  return fmt::format("{} of {}", name_of(cell), format_position("token", cell.row, names.of(cell.stage)));
}

void CellWords::two_numbers(std::string left, const Source& from_left, const std::string& right,
                            const Source& from_right) {
  const std::size_t begin = left.size();
  lines.push_back({std::move(left) + right, from_left, false, from_right, begin});
}

void CellWords::write_count(std::string_view what, std::size_t count) {
  if (count == 1) return note(fmt::format("One {}:", what));
  note(count > max_terms ? fmt::format("Sum of {} {}s, the {} largest:", count, what, max_terms)
                         : fmt::format("Sum of {} {}s:", count, what));
}

void CellWords::write_sum(std::size_t count, const std::function<double(std::size_t)>& term,
                          const std::function<void(const char*, std::size_t)>& write_term) {
  std::vector<double> terms_of_sum(count);
  for (std::size_t i = 0; i < count; ++i) terms_of_sum[i] = term(i);
  const std::vector<std::size_t> shown = largest_terms(terms_of_sum, max_terms);
  const bool are_all = shown.size() == count;
  double rest = 0;
  auto next = shown.begin();
  for (std::size_t i = 0; i < count; ++i) {
    if (next == shown.end() || *next != i) {
      rest += terms_of_sum[i];
      continue;
    }
    write_term(next++ == shown.begin() ? "  " : "+ ", i);
    if (!are_all) lines.back().term = i;
  }
  if (are_all) return;
  const std::size_t others = count - shown.size();
  lines.push_back({.text = fmt::format("+ {} (the other {})", format_fixed(rest, places), others), .is_rest = true});
}

void CellWords::leads_on(std::string text) {
  arithmetic(std::move(text), from(0));
  equals();
}

void CellWords::pair(std::string_view sign, float second) {
  two_numbers(number(value(0)) + std::string(sign), from(0), number(second), from(1));
  equals();
}

void write_sum_of_products(CellWords& of) {
  const Operand& left = of.explanation.operands.at(0);
  const Operand& right = of.explanation.operands.at(1);
  const auto product = [&](std::size_t i) {
    return static_cast<double>(left.values[i]) * static_cast<double>(right.values[i]);
  };
  of.write_count("product", left.values.size());
  const bool by_weight = is_parameter(info(right.line.first.stage).axes);
  of.words(fmt::format("{} × {}", by_weight ? of.place_of(left.line.first) : of.name_of(left.line.first),
                       of.name_of(right.line.first)));
  of.write_sum(left.values.size(), product, [&](const char* sign, std::size_t i) {
    const auto at = static_cast<Index>(i);
    const std::string name = of.term_dimension(left.line[at]);
    of.two_numbers(fmt::format("{}{} × ", sign, of.number(left.values[i])), left.line[at],
                   fmt::format("{} = {}{}", of.number(right.values[i]), of.number(product(i)),
                               name.empty() ? "" : fmt::format(" ({})", name)),
                   right.line[at]);
  });
  if (of.explanation.operands.size() > 2) of.arithmetic(fmt::format("+ {} (bias)", of.text(2)), of.from(2));
  of.equals();
}

void write_copied(CellWords& of) {
  of.words(fmt::format("Copied unchanged from {}.", of.place_of(of.from(0))));
  of.arithmetic("= " + of.number(of.explanation.value), of.from(0));
}

namespace {

// "draw 17: 0x9A3B1C02 → 0.5836": which word of the generator became it.
std::string draw_text(const Result& result, const Source& source) {
  const std::optional<Draw> draw = draw_for(result, source);
  if (!draw) return "";
  const std::string word =
      draw->words == 1 ? fmt::format("0x{:08X}", draw->word) : fmt::format("0x{:016X}", draw->word);
  const bool is_stream = source.stage == Stage::dropout_factors && draw->words == 1;
  return fmt::format("draw {}: {}{} → {}", draw->number, word,
                     is_stream ? fmt::format(", element {} of its stream", draw->element + 1) : "",
                     CellWords::number(draw->uniform));
}

void write_maximum(CellWords& of) {
  const Operand& row = of.explanation.operands.front();
  const auto largest = std::ranges::max_element(row.values) - row.values.begin();
  of.words(fmt::format("The largest of the {} numbers of the row:", row.values.size()));
  of.arithmetic("= " + of.number(of.explanation.value), row.line[largest]);
}

// Says why the sum of a row of weights is 1, or why it is not.
std::string sentence_of_row_sum(const CellWords& of) {
  const AttentionConfig& config = of.config();
  const Stage stage = of.source.stage;
  if (of.result.imported) return of.say("The weights of {query} in the file, added up.");
  if (sees_nothing(config, stage, of.source.batch * head_count(config) + of.source.head, of.source.row))
    return of.say("Every key is hidden from {query}, so its row has no weights that could sum to 1.");
  if (stage == Stage::dropped_weights && dropout_is_active(config)) {
    const Index kept = of.kept_keys();
    const std::string kept_ones =
        fmt::format("Dropout kept {} of the {} weights of {}", kept, of.seen_keys(), of.query());
    if (kept == 0) return kept_ones + ", so nothing is left to add up.";
    return fmt::format("{}, and divided {} by 1 − p = {}: the sum is 1 only on average over many masks.", kept_ones,
                       kept == 1 ? "it" : "each", format_dropout_rate(1 - config.dropout));
  }
  if (stage == Stage::weights && config.normalization == Normalization::softmax)
    return of.say("Softmax makes the weights of {query} shares: they sum to 1.");
  if (stage == Stage::weights || stage == Stage::renormalized_weights)
    return of.say("The row of {query} was divided by its sum, so it sums to 1.");
  if (stage == Stage::masked_weights)
    return of.say("The mask removed weights of {query} after softmax, and nothing divided the others again.");
  return "";
}

void write_row_sum(CellWords& of) {
  const Operand& row = of.explanation.operands.front();
  of.write_count("number", row.values.size());
  of.write_sum(
      row.values.size(), [&](std::size_t i) { return static_cast<double>(row.values[i]); },
      [&](const char* sign, std::size_t i) {
        const auto& keys = of.names.keys;
        const std::string key = i < keys.size() ? keys[i] : fmt::format("key {}", i + 1);
        of.arithmetic(fmt::format("{}{} ({})", sign, of.number(row.values[i]), key), row.line[static_cast<Index>(i)]);
      });
  of.equals();
}

void write_row_rms(CellWords& of) {
  const Operand& row = of.explanation.operands.front();
  const auto square = [&](std::size_t i) {
    return static_cast<double>(row.values[i]) * static_cast<double>(row.values[i]);
  };
  of.write_count("square", row.values.size());
  double sum = 0;
  for (std::size_t i = 0; i < row.values.size(); ++i) sum += square(i);
  of.write_sum(row.values.size(), square, [&](const char* sign, std::size_t i) {
    const std::string_view form = row.values[i] < 0 ? "{}({})² = {}" : "{}{}² = {}";
    of.arithmetic(fmt::format(fmt::runtime(form), sign, of.number(row.values[i]), of.number(square(i))),
                  row.line[static_cast<Index>(i)]);
  });
  of.arithmetic(fmt::format("√({} / {} + {:.6f})", of.number(sum), row.values.size(), qk_norm_epsilon));
  of.equals();
}

void write_exponential_sum(CellWords& of) {
  const Operand& row = of.explanation.operands.front();
  const float largest = of.value(1);
  const auto term = [&](std::size_t i) {
    return std::exp(static_cast<double>(row.values[i]) - static_cast<double>(largest));
  };
  of.write_count("exponential", row.values.size());
  of.arithmetic("largest " + of.number(largest), of.from(1));
  of.write_sum(row.values.size(), term, [&](const char* sign, std::size_t i) {
    const std::string text =
        fmt::format("{}{} = exp({} − largest)", sign, of.number(term(i)), of.number(row.values[i]));
    of.arithmetic(text, row.line[static_cast<Index>(i)]);
  });
  of.equals();
}

// Says where the number stands, and what it shares its row with.
void write_read(CellWords& of) {
  const Explanation& read = of.explanation;
  of.words(fmt::format("Read from {}, which holds {} numbers:", read.origin, read.number_type));
  of.arithmetic(read.place);
  of.equals();
  if (of.is_hidden()) of.words("Every weight above the diagonal is exactly 0, as a causal mask makes it.");
  of.words("The finite numbers of its row sum to:");
  of.arithmetic("Σ " + of.number(read.row_sum));
}

constexpr Operation row_maximum = {.arithmetic = write_maximum};
constexpr Operation row_sum = {.sentence = sentence_of_row_sum, .arithmetic = write_row_sum};
constexpr Operation row_rms = {.arithmetic = write_row_rms};
constexpr Operation exponential_sum = {.arithmetic = write_exponential_sum};

}  // namespace

void write_start(CellWords& of) {
  const Source& source = of.source;
  const bool is_drawn = !of.explanation.operands.empty() || source.kind == SourceKind::draw;
  if (const std::string draw = is_drawn ? draw_text(of.result, source) : ""; !draw.empty()) of.arithmetic(draw);
  if (source.kind == SourceKind::draw) return;
  if (source.stage == Stage::dropout_factors && of.explanation.value > 1)
    of.arithmetic("1 / (1 − p) = " + of.number(of.explanation.value));
  if (is_drawn && is_parameter(info(source.stage).axes)) of.equals();
}

constinit const Operation operations::read = {.arithmetic = write_read};

const Operation& operation_of(SourceKind kind) {
  switch (kind) {
    case SourceKind::row_maximum:
      return row_maximum;
    case SourceKind::row_sum:
      return row_sum;
    case SourceKind::row_rms:
      return row_rms;
    case SourceKind::exponential_sum:
      return exponential_sum;
    case SourceKind::cell:
    case SourceKind::draw:
      break;
  }
  return operations::drawn;
}

namespace {

constexpr std::string_view superscript_of_head = "(h)";

// Returns the name of the axis of a head's features.
std::string feature_axis(const AttentionConfig& config) {
  if (begins_with_heads(config)) return "width";
  if (info(config.mechanism).weight_style == WeightStyle::none) return "d_in";
  return info(config.mechanism).splits_heads ? "head_dim" : "d_out";
}

// Fills the names of up to two stages into a format.
std::string with_names(std::string_view format, const Names& names) {
  const auto name = [&](std::size_t i) { return i < names.size() ? std::string_view(names[i]) : std::string_view(); };
  return fmt::format(fmt::runtime(format), name(0), name(1));
}

}  // namespace

bool has_batch_axis(const AttentionConfig& config) {
  return info(config.mechanism).has_dropout || config.batch_size > 1;
}

bool draws_dropout(const AttentionConfig& config) { return dropout_is_active(config) && config.dropout < 1; }

bool has_heads_off(const AttentionConfig& config) {
  return info(config.mechanism).has_heads && !config.heads_off.empty();
}

std::string_view input_name(const AttentionConfig& config) { return has_batch_axis(config) ? "batch" : "inputs"; }

bool has_empty_rows(const AttentionConfig& config) {
  const Index matrices = has_bias(config) ? config.batch_size * head_count(config) : 1;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (Index query = 0; query < query_count(config); ++query) {
      if (sees_nothing(config, Stage::weights, matrix, query)) return true;
    }
  }
  return false;
}

std::string StageCode::name(Stage stage) const {
  if (stage == Stage::inputs) return std::string(input_name(config));
  return std::string(stage == Stage::mask ? dialect.mask : info(stage).id);
}

std::string StageCode::shape(Stage stage) const {
  const std::string batch = has_batch_axis(config) ? "B, " : "";
  const bool is_shared = has_key_rows(stage) && has_shared_keys(config);
  const std::string heads = has_head_axis ? batch + (is_shared ? "H_kv, " : "H, ") : batch;
  const std::string features = feature_axis(config) + ")";
  switch (info(stage).axes) {
    case StageAxes::query_key:
      return begins_with_heads(config) ? "(T_query, T_key)" : "(T, T)";
    case StageAxes::head_query_key:
      return "(" + heads + (begins_with_heads(config) ? "T_query, T_key)" : "T, T)");
    case StageAxes::head_token_feature:
      return "(" + heads + "T, " + features;
    default:
      break;
  }
  if (stage == Stage::output) return "(B, T, d_out)";
  return "(" + batch + "T, " + (has_head_axis ? "H * " + features : features);
}

std::string StageCode::expression(Stage stage) const {
  Names from;
  for (const Stage before : predecessors(config, stage)) from.push_back(name(before));
  const auto& code = rule_of(config, stage).code;
  return code.is_made() ? code(*this, stage, from) : with_names(code.constant(), from);
}

std::string StageCode::transposed(const std::string& tensor) const {
  const std::string_view transpose = dialect.transpose;
  if (has_head_axis) return fmt::format("{}{}(2, 3)", tensor, transpose);
  return has_batch_axis(config) ? fmt::format("{}{}(1, 2)", tensor, transpose) : tensor + ".T";
}

std::string_view StageCode::shared_heads() const { return has_shared_keys(config) ? "[:, shared]" : ""; }

std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript) {
  const bool has_heads = is_per_head(config, stage) && head_count(config) > 1;
  const bool is_bare = superscript.empty() || (superscript == superscript_of_head && !has_heads);
  return is_bare ? std::string(info(stage).latex) : fmt::format("{}^{{{}}}", info(stage).latex, superscript);
}

std::string latex_formula(const AttentionConfig& config, Stage stage) {
  Names from;
  for (const Stage before : predecessors(config, stage))
    from.push_back(latex_symbol(config, before, superscript_of_head));
  const auto& latex = rule_of(config, stage).latex;
  const std::string left = latex_symbol(config, stage, superscript_of_head);
  if (latex.is_empty()) return left;
  return left + " = " + (latex.is_made() ? latex(config, stage, from) : with_names(latex.constant(), from));
}

}  // namespace attnscope
