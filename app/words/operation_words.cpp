#include "words/operation_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/bias.h"
#include "core/draw.h"
#include "core/model/forward.h"
#include "core/parameters.h"
#include "core/rms_norm.h"
#include "core/shown_text.h"
#include "core/visibility.h"

namespace attnscope {
namespace {

constexpr int places = LineWriter::places;

class Sentence {
public:
  Sentence(const Result& result, const Explanation& explanation, const Source& source, const RowNames& names)
      : result_(result), config_(result.config), explanation_(explanation), source_(source), names_(names) {}

  std::string dot_product() const;
  std::string begun() const { return "Where training begins: torch.nn.RMSNorm starts with gains of 1."; }
  std::string rms_normalized() const;
  std::string rotated() const;
  std::string mask_rule() const;
  std::string masked() const;
  std::string copied() const;
  std::string nothing_left() const;
  std::string softmax() const;
  std::string share_of_sum() const;
  std::string dropped_weight() const;
  std::string factor() const;
  std::string set_by_user() const;
  std::string drawn() const;
  std::string learned() const;
  std::string normalized() const;
  std::string typed() const;
  std::string keep_seen() const;
  std::string biased() const;
  std::string switched_off() const;
  std::string step() const { return std::string(info(source_.stage).step(config_)->why); }

private:
  static std::string named(const std::vector<std::string>& names, Index index, std::string_view kind) {
    const auto at = static_cast<std::size_t>(index);
    return at < names.size() ? fmt::format("“{}”", names[at]) : fmt::format("{} {}", kind, index + 1);
  }
  std::string query() const { return named(names_.queries, source_.row, "query"); }
  std::string key() const { return named(names_.keys, source_.col, "key"); }
  static std::string number(float value) { return format_fixed(value, places); }
  float operand(std::size_t index) const { return explanation_.operands.at(index).values.front(); }
  std::size_t terms() const { return explanation_.operands.front().values.size(); }
  Index dimension() const { return source_.col + 1; }
  Index seen_keys() const { return visibility(config_).count(source_.row); }
  bool is_of_model() const { return std::holds_alternative<ModelInputs>(config_.inputs); }
  // Hidden keys come after the query; under a window others are hidden, too.
  bool is_causal() const {
    const bool hides_others = config_.mask == MaskRoute::custom || config_.sliding_window;
    return !hides_others && query_count(config_) == key_count(config_);
  }

  std::string projection() const;
  std::string_view bias() const { return explanation_.operands.size() > 2 ? ", and a bias" : ""; }
  std::string alignment() const;

  const Result& result_;
  const AttentionConfig& config_;
  const Explanation& explanation_;
  const Source& source_;
  const RowNames& names_;
};

std::string Sentence::projection() const {
  const auto says = [&](const char* what, const char* weight) {
    return fmt::format("Dimension {} of the {} of {}: its {} inputs, each multiplied by its weight in {}, added up{}.",
                       dimension(), what, named(names_.of(source_.stage), source_.row, "token"), terms(), weight,
                       bias());
  };
  switch (source_.stage) {
    case Stage::queries:
      return says("query", "W_query");
    case Stage::keys:
      return says("key", "W_key");
    case Stage::values:
      return says("value", "W_value");
    default:
      return fmt::format(
          "Dimension {} of the output of {}: the {} numbers of its context, each multiplied by its weight in "
          "out_proj, added up{}.",
          dimension(), query(), terms(), bias());
  }
}

std::string Sentence::dot_product() const {
  switch (info(source_.stage).rule) {
    case CellRule::query_times_key:
      return has_stage(config_, Stage::queries)
                 ? fmt::format(
                       "How well the query of {} fits the key of {}: their {} dimensions, multiplied and added.",
                       query(), key(), terms())
                 : fmt::format("How alike {} and {} are: their {} dimensions, multiplied and added.", query(), key(),
                               terms());
    case CellRule::weighted_sum:
      return fmt::format("Dimension {} of every value, multiplied by the weight that {} gives its token, added up.",
                         dimension(), query());
    default:
      return projection();
  }
}

std::string Sentence::rms_normalized() const {
  const bool is_key = has_key_rows(source_.stage);
  const std::string_view kind = is_key ? "key" : "query";
  return fmt::format(
      "Dimension {0} of the {1} of {2}, divided by the root mean square of the {1}: the length of the {1} no longer "
      "matters, only its direction. Then it is multiplied by the gain of the dimension.",
      dimension(), kind, named(names_.of(source_.stage), source_.row, kind));
}

std::string Sentence::rotated() const {
  const RopePair pair = *rope_pair(config_, source_.col);
  const bool is_key = has_key_rows(source_.stage);
  return fmt::format(
      "Position {0} turns dimensions {1} and {2} of the {3} of {4} together, by {0} × {5}^(−{6}/{7}) = {8} "
      "radians.",
      config_.rope->offset + source_.row, pair.first + 1, pair.second + 1, is_key ? "key" : "query",
      named(names_.of(source_.stage), source_.row, is_key ? "key" : "query"), config_.rope->base, 2 * pair.number,
      rope_dims(config_), format_fixed(rope_angle(config_, source_.row, pair.number), places));
}

std::string Sentence::mask_rule() const {
  if (!is_causal()) {
    return (is_masked(result_, source_) ? fmt::format("1: the mask hides {} from {}.", key(), query())
                                        : fmt::format("0: {} may look at {}.", query(), key())) +
           alignment();
  }
  if (is_masked(result_, source_))
    return fmt::format("1: {} comes after {}, which may not look there.", key(), query());
  return source_.row == source_.col ? fmt::format("0: {} may look at itself.", query())
                                    : fmt::format("0: {} comes before {}, which may look there.", key(), query());
}

std::string Sentence::masked() const {
  return is_causal()
             ? fmt::format("{} comes after {}, which may not look there: −∞ makes its weight 0.", key(), query())
             : fmt::format("The mask hides {} from {}: −∞ makes its weight 0.", key(), query());
}

// Says which key a query stands beside where there are more or fewer keys, and which libraries do it how.
std::string Sentence::alignment() const {
  if (config_.mask == MaskRoute::custom || query_count(config_) == key_count(config_)) return "";
  return config_.mask_alignment == MaskAlignment::lower_right
             ? " The last query stands beside the last key, as in FlashAttention from 2.1 on; PyTorch's is_causal puts "
               "the first beside the first (mask_alignment upper_left)."
             : " The first query stands beside the first key, as with PyTorch's is_causal; FlashAttention from 2.1 on "
               "puts the last beside the last (mask_alignment lower_right).";
}

std::string Sentence::nothing_left() const {
  return fmt::format(
      "Every key is hidden from {}, so that there is nothing to share out: this program makes the whole row 0. In "
      "PyTorch it is NaN, because {} is not a number.",
      query(),
      info(source_.stage).rule == CellRule::normalize && !normalizes_by_sum(config_)
          ? "softmax subtracts the row's largest score first, and −∞ − (−∞)"
          : "the row is divided by its sum, and 0 / 0");
}

std::string Sentence::copied() const {
  switch (info(source_.stage).rule) {
    case CellRule::hide:
      return fmt::format("{} may look at {}: the score stays as it is.", query(), key());
    case CellRule::rotate:
      return fmt::format("Only the first {} dimensions of a head turn.", rope_dims(config_));
    case CellRule::side_by_side: {
      const Index width = value_features(config_);
      const Index head = source_.col / width;
      return fmt::format("Dimension {} of head {}, at position {} of {}{}.", source_.col % width + 1, head + 1,
                         dimension(), context_features(config_),
                         is_off(config_, head) ? ": 0, because this head is switched off" : "");
    }
    default:
      return "";
  }
}

std::string Sentence::softmax() const {
  if (is_masked(result_, source_)) return fmt::format("{} is hidden from {}: exp(−∞) is 0.", key(), query());
  if (std::isinf(operand(0))) return fmt::format("The bias of −∞ hides {} from {}: exp(−∞) is 0.", key(), query());
  const Index keys =
      has_stage(config_, Stage::masked_weights) ? key_count(config_) : seen_keys();  // a later mask hides none here
  return fmt::format("{} shares its attention out among {} {}; {} gets {}\u00a0%.", query(), keys,
                     keys == 1 ? "key" : "keys", key(), format_fixed(100 * explanation_.value, 1));
}

std::string Sentence::share_of_sum() const {
  if (info(source_.stage).rule == CellRule::normalize)
    return fmt::format("The score of {} as a share of the sum of its row.", key());
  return fmt::format("The weights that the mask left {} sum to {}: divided by that, they sum to 1 again.", query(),
                     number(operand(1)));
}

// Keys of the row that are seen, and those of them that dropout kept.
std::string Sentence::dropped_weight() const {
  if (!dropout_is_active(config_)) return "";
  if (is_masked(result_, source_)) return fmt::format("{} is hidden from {}: 0 stays 0.", key(), query());
  const bool is_set = kept_by_user(config_, source_.batch, source_.head, source_.row, source_.col).has_value();
  if (operand(1) == 0) {
    return is_set ? fmt::format("Dropped by you: {} adds nothing to the context of {}.", key(), query())
                  : fmt::format("Dropped: with this mask {} adds nothing to the context of {}.", key(), query());
  }
  if (config_.dropout <= 0) return "Kept unchanged: at a rate of 0 nothing is dropped or scaled.";
  const Visibility seen = visibility(config_);
  Index kept = 0;
  for_each_seen(seen, source_.row, 0, seen.keys, [&](const KeyRange& keys) {
    Source first = source_;
    first.stage = Stage::dropout_factors;
    first.col = keys.first;
    const std::vector<float> factors = values_at(result_, {first, keys.count()});
    kept += std::ranges::count_if(factors, [](float each) { return each > 0; });
  });
  const std::string average =
      is_set ? "" : fmt::format(" Its average over many masks is still {}.", number(operand(0)));
  return fmt::format("{} of the {} weights of {} {} kept, and each is divided by 1 − p = {}: {} becomes {}.{}", kept,
                     seen_keys(), query(), kept == 1 ? "is" : "are", format_dropout_rate(1 - config_.dropout),
                     number(operand(0)), number(explanation_.value), average);
}

std::string Sentence::factor() const {
  if (!dropout_is_active(config_)) return "Nothing is dropped here.";
  if (config_.dropout >= 1) return "At a rate of 1 everything is dropped.";
  if (config_.dropout <= 0) return "Kept: nothing is drawn at a rate of 0.";
  Source draw = source_;
  draw.kind = SourceKind::draw;
  const std::string drawn = number(value_at(result_, draw));
  const std::string kept_below = format_dropout_rate(1 - config_.dropout);
  if (explanation_.value == 0)
    return fmt::format("Dropped: its random number {} is not below 1 − p = {}.", drawn, kept_below);
  return fmt::format(
      "Kept: its random number {} is below 1 − p = {}; multiplied by 1/(1 − p), a weight stays the same on average.",
      drawn, kept_below);
}

std::string Sentence::set_by_user() const {
  const std::string_view done = explanation_.value > 0 ? "Kept by you" : "Dropped by you";
  if (config_.dropout <= 0) return fmt::format("{}: nothing is drawn at a rate of 0.", done);
  const bool would_be_kept = is_kept_as_drawn(result_, source_);
  if (would_be_kept == (explanation_.value > 0)) return fmt::format("{}, as it was drawn.", done);
  Source draw = source_;
  draw.kind = SourceKind::draw;
  return fmt::format("{}: its random number {} would have {} it.", done, number(value_at(result_, draw)),
                     would_be_kept ? "kept" : "dropped");
}

std::string Sentence::drawn() const {
  if (source_.kind == SourceKind::draw) return "A number of the generator, from 0 to 1.";
  if (source_.stage == Stage::inputs) return "Drawn from the generator by torch.randn.";
  if (info(config_.mechanism).weight_style != WeightStyle::linear)
    return "Drawn from the generator by torch.rand, between 0 and 1.";
  const Index features = source_.stage == Stage::output_weight || source_.stage == Stage::output_bias
                             ? context_features(config_)
                             : input_features(config_);
  return fmt::format("Drawn from the generator by nn.Linear, between −1/√{0} and 1/√{0} = {1}.", features,
                     format_fixed(1 / std::sqrt(static_cast<double>(features)), places));
}

std::string Sentence::learned() const {
  const auto& model = std::get<ModelInputs>(config_.inputs);
  const std::string parameter = parameter_name(config_, source_.stage, source_.head);
  const std::string place =
      model.model->place_of ? model.model->place_of(model.layer, parameter, source_.row, source_.col) : "";
  if (place.empty()) return "The model has no such number: it is 0.";
  return fmt::format("Learned in training: the model's checkpoint has it as {}.", place);
}

std::string Sentence::normalized() const {
  const auto& model = std::get<ModelInputs>(config_.inputs);
  return fmt::format("Dimension {} of the residual stream of {} before layer {}, normalized over the {} dimensions.",
                     dimension(), named(names_.keys, source_.row, "token"), model.layer + 1, input_features(config_));
}

std::string Sentence::typed() const {
  if (begins_with_heads(config_)) {
    const std::string& origin = config_.heads.origin;
    return origin.empty() ? "Given by the document." : fmt::format("From {}, as it stands there.", shown_text(origin));
  }
  if (source_.stage == Stage::inputs) return "Typed: an embedding of this document, not computed.";
  if (const std::optional<float> seed = number_before_edit(result_, source_))
    return fmt::format("Typed by you: {} {}.",
                       is_of_model()            ? "the checkpoint has"
                       : is_gain(source_.stage) ? "the norm begins with"
                                                : "the seed drew",
                       number(*seed));
  return fmt::format("{}; other numbers of this matrix are typed.", is_of_model() ? "As the checkpoint has it"
                                                                    : is_gain(source_.stage) ? "As the norm begins"
                                                                                             : "As the seed drew it");
}

std::string Sentence::keep_seen() const {
  const std::string_view why = is_causal() ? "{} comes after {}" : "The mask hides {} from {}";
  return operand(1) != 0 ? fmt::format(fmt::runtime(why), key(), query()) + ": its weight becomes 0."
                         : fmt::format("{} may look at {}: the weight stays.", query(), key());
}

std::string Sentence::biased() const {
  return std::isinf(explanation_.value)
             ? fmt::format("A bias of −∞ hides {} from {}, as a mask does.", key(), query())
             : fmt::format("The bias moves the score of {} for {} before softmax.", key(), query());
}

std::string Sentence::switched_off() const {
  return fmt::format("Head {} is switched off, so its context is zero.", source_.head + 1);
}

// "draw 17: 0x9A3B1C02 → 0.5836": which word of the generator became it.
std::string draw_text(const Result& result, const Source& source) {
  const std::optional<Draw> draw = draw_for(result, source);
  if (!draw) return "";
  const std::string word =
      draw->words == 1 ? fmt::format("0x{:08X}", draw->word) : fmt::format("0x{:016X}", draw->word);
  const bool is_stream = source.stage == Stage::dropout_factors && draw->words == 1;
  return fmt::format("draw {}: {}{} → {}", draw->number, word,
                     is_stream ? fmt::format(", element {} of its stream", draw->element + 1) : "",
                     format_fixed(draw->uniform, places));
}

// The lines of arithmetic.

std::string number(float value) { return LineWriter::number(value); }

void write_dot_product(LineWriter& writer) {
  const Operand& left = writer.explanation.operands.at(0);
  const Operand& right = writer.explanation.operands.at(1);
  const auto product = [&](std::size_t i) {
    return static_cast<double>(left.values[i]) * static_cast<double>(right.values[i]);
  };
  writer.write_count("product", left.values.size());
  const bool by_weight = is_parameter(info(right.line.first.stage).axes);
  writer.words(fmt::format("{} × {}", by_weight ? writer.place_of(left.line.first) : writer.name_of(left.line.first),
                           writer.name_of(right.line.first)));
  writer.write_sum(left.values.size(), product, [&](const char* sign, std::size_t i) {
    const auto at = static_cast<Index>(i);
    writer.two_numbers(fmt::format("{}{} × ", sign, number(left.values[i])), left.line[at],
                       fmt::format("{} = {}", number(right.values[i]), format_fixed(product(i), places)),
                       right.line[at]);
  });
  if (writer.explanation.operands.size() > 2)
    writer.arithmetic(fmt::format("+ {} (bias)", number(writer.value(2))), writer.from(2));
  writer.equals();
}

void write_norm(LineWriter& writer) {
  writer.arithmetic(number(writer.value(0)), writer.from(0));
  writer.arithmetic(fmt::format("÷ {} (RMS)", number(writer.value(1))), writer.from(1));
  writer.arithmetic(fmt::format("× {} (gain)", number(writer.value(2))), writer.from(2));
  writer.equals();
}

void write_rotation(LineWriter& writer) {
  const AttentionConfig& config = writer.result.config;
  const Source& cell = writer.source;
  const RopePair pair = *rope_pair(config, cell.col);
  const double angle = rope_angle(config, cell.row, pair.number);
  const std::string_view sign = cell.col == pair.first ? "−" : "+";
  writer.arithmetic(fmt::format("{} × {} (cos)", number(writer.value(0)), format_fixed(std::cos(angle), places)),
                    writer.from(0));
  writer.arithmetic(
      fmt::format("{} {} × {} (sin)", sign, number(writer.value(1)), format_fixed(std::sin(angle), places)),
      writer.from(1));
  writer.equals();
}

// The norm, and what the residual stream is the sum of.
void write_normalized(LineWriter& writer) {
  const auto in_text = [](double value) { return format_fixed(value, places); };
  const auto added = [&](double value, const std::string& what) {  // "− 0.7583 (attention 1)"
    writer.arithmetic(fmt::format("{} {} ({})", value < 0 ? "−" : "+", in_text(std::abs(value)), what));
  };
  const NormalizedNumber of = normalized_number(*writer.result.below, writer.source.row, writer.source.col);
  const TransformerShape& shape = writer.result.below->model->shape;
  const bool has_mean = shape.norm == NormKind::layer;
  writer.words("In the residual stream it is a sum over the layers below:");
  writer.arithmetic(fmt::format("{} (embedding)", in_text(of.embedding)));
  if (!shape.rope) added(of.position, "position");
  for (std::size_t layer = 0; layer < of.attention.size(); ++layer) {
    added(of.attention[layer], fmt::format("attention {}", layer + 1));
    added(of.feed_forward[layer], fmt::format("feed-forward {}", layer + 1));
  }
  writer.arithmetic("= " + in_text(of.x));
  if (has_mean) {
    writer.words("Less the mean of its row, divided by the deviation:");
    writer.arithmetic(fmt::format("({} {} {}) / {}", in_text(of.x), of.mean < 0 ? "+" : "−", in_text(std::abs(of.mean)),
                                  in_text(of.deviation)));
  } else {
    writer.words("Divided by the root mean square of its row:");
    writer.arithmetic(fmt::format("{} / {}", in_text(of.x), in_text(of.deviation)));
  }
  writer.arithmetic(fmt::format("× {} (learned scale)", in_text(of.scale)));
  if (has_mean) added(of.shift, "learned shift");
  writer.equals();
}

void write_maximum(LineWriter& writer) {
  const Operand& row = writer.explanation.operands.front();
  const auto largest = std::ranges::max_element(row.values) - row.values.begin();
  writer.words(fmt::format("The largest of the {} numbers of the row:", row.values.size()));
  writer.arithmetic("= " + number(writer.explanation.value), row.line[largest]);
}

void write_row_sum(LineWriter& writer) {
  const Operand& row = writer.explanation.operands.front();
  writer.write_count("number", row.values.size());
  writer.write_sum(
      row.values.size(), [&](std::size_t i) { return static_cast<double>(row.values[i]); },
      [&](const char* sign, std::size_t i) {
        writer.arithmetic(sign + number(row.values[i]), row.line[static_cast<Index>(i)]);
      });
  writer.equals();
}

void write_row_rms(LineWriter& writer) {
  const Operand& row = writer.explanation.operands.front();
  const auto square = [&](std::size_t i) {
    return static_cast<double>(row.values[i]) * static_cast<double>(row.values[i]);
  };
  writer.write_count("square", row.values.size());
  double sum = 0;
  for (std::size_t i = 0; i < row.values.size(); ++i) sum += square(i);
  writer.write_sum(row.values.size(), square, [&](const char* sign, std::size_t i) {
    const std::string_view form = row.values[i] < 0 ? "{}({})² = {}" : "{}{}² = {}";
    writer.arithmetic(fmt::format(fmt::runtime(form), sign, number(row.values[i]), format_fixed(square(i), places)),
                      row.line[static_cast<Index>(i)]);
  });
  writer.arithmetic(fmt::format("√({} / {} + {:.6f})", format_fixed(sum, places), row.values.size(), qk_norm_epsilon));
  writer.equals();
}

void write_exponential_sum(LineWriter& writer) {
  const Operand& row = writer.explanation.operands.front();
  const float largest = writer.value(1);
  const auto term = [&](std::size_t i) {
    return std::exp(static_cast<double>(row.values[i]) - static_cast<double>(largest));
  };
  writer.write_count("exponential", row.values.size());
  writer.arithmetic("largest " + number(largest), writer.from(1));
  writer.write_sum(row.values.size(), term, [&](const char* sign, std::size_t i) {
    const std::string text =
        fmt::format("{}{} = exp({} − largest)", sign, format_fixed(term(i), places), number(row.values[i]));
    writer.arithmetic(text, row.line[static_cast<Index>(i)]);
  });
  writer.equals();
}

void write_softmax(LineWriter& writer) {
  const float score = writer.value(0);
  const float largest = writer.value(1);
  writer.note("The row's largest score is subtracted first, so that exp cannot overflow.");
  std::string name = writer.name_of(writer.from(0));  // "scaled scores"
  name.pop_back();
  const std::size_t width = std::max(name.size(), std::size("largest") - 1);
  writer.arithmetic(fmt::format("{:<{}} {}", name, width, number(score)), writer.from(0));
  writer.arithmetic(fmt::format("{:<{}} {}", "largest", width, number(largest)), writer.from(1));
  const std::string exponential =
      format_fixed(std::exp(static_cast<double>(score) - static_cast<double>(largest)), places);
  const std::string subtracted = largest < 0 ? "(" + number(largest) + ")" : number(largest);
  writer.arithmetic(fmt::format("exp({} − {})", number(score), subtracted));
  writer.arithmetic("= " + exponential);
  writer.note("Divided by the sum of the row's exponentials:");
  writer.two_numbers(exponential + " / ", writer.from(0), number(writer.value(2)), writer.from(2));
  writer.equals();
}

// Writes how a number that is computed from no other came out of the generator.
void write_start(LineWriter& writer) {
  const Source& source = writer.source;
  const bool is_drawn = !writer.explanation.operands.empty() || source.kind == SourceKind::draw;
  if (const std::string draw = is_drawn ? draw_text(writer.result, source) : ""; !draw.empty()) writer.arithmetic(draw);
  if (source.kind == SourceKind::draw) return;
  if (source.stage == Stage::dropout_factors && writer.explanation.value > 1)
    writer.arithmetic("1 / (1 − p) = " + number(writer.explanation.value));
  if (is_drawn && is_parameter(info(source.stage).axes)) writer.equals();
}

void write_masked(LineWriter& writer) {
  writer.two_numbers(number(writer.value(0)), writer.from(0), " → " + number(writer.explanation.value), writer.from(1));
}

void write_copied(LineWriter& writer) {
  writer.words(fmt::format("Copied unchanged from {}.", writer.place_of(writer.from(0))));
  writer.arithmetic("= " + number(writer.explanation.value), writer.from(0));
}

void write_step(LineWriter& writer) {
  const AttentionConfig& config = writer.result.config;
  const ScoreStep& step = *info(writer.source.stage).step(config);
  writer.words(std::string(step.words));
  writer.leads_on(fmt::format(fmt::runtime(step.arithmetic), number(writer.value(0)), number(step.amount(config))));
}

void write_bias(LineWriter& writer) {
  const Source& cell = writer.source;
  const AttentionConfig& config = writer.result.config;
  const Index matrix = matrix_of(config, cell.stage, cell.batch, cell.head);
  const float bias = Bias(config).at(matrix, cell.row, cell.col);
  writer.words("Plus the bias of this query and key:");
  writer.leads_on(fmt::format("{} + {}", number(writer.value(0)), number(bias)));
}

// Says where the number stands, and what it shares its row with.
void write_read(LineWriter& writer) {
  const Explanation& of = writer.explanation;
  writer.words(fmt::format("Read from {}, which holds {} numbers:", of.origin, of.number_type));
  writer.arithmetic(of.place);
  writer.equals();
  if (is_masked(writer.result, writer.source))
    writer.words("Every weight above the diagonal is exactly 0, as a causal mask makes it.");
  writer.words("The finite numbers of its row sum to:");
  writer.arithmetic("Σ " + number(of.row_sum));
}

// Tells an operation: a sentence, unless the arithmetic says it all, and the arithmetic.
struct OperationWords {
  Operation operation;
  std::string (Sentence::*sentence)() const;
  void (*arithmetic)(LineWriter& writer);
};

constexpr std::array<OperationWords, operation_kinds> operation_table = {{
    {Operation::typed, &Sentence::typed, write_start},
    {Operation::drawn, &Sentence::drawn, write_start},
    {Operation::begun, &Sentence::begun, write_start},
    {Operation::learned, &Sentence::learned, write_start},
    {Operation::normalized, &Sentence::normalized, write_normalized},
    {Operation::dot_product, &Sentence::dot_product, write_dot_product},
    {Operation::rms_normalized, &Sentence::rms_normalized, write_norm},
    {Operation::rotated, &Sentence::rotated, write_rotation},
    {Operation::mask_rule, &Sentence::mask_rule, write_start},
    {Operation::masked, &Sentence::masked, write_masked},
    {Operation::copied, &Sentence::copied, write_copied},
    {Operation::step, &Sentence::step, write_step},
    {Operation::add_bias, &Sentence::biased, write_bias},
    {Operation::nothing_left, &Sentence::nothing_left, [](LineWriter& writer) { writer.equals(); }},
    {Operation::softmax, &Sentence::softmax, write_softmax},
    {Operation::share_of_sum, &Sentence::share_of_sum, [](LineWriter& writer) { writer.pair(" / ", writer.value(1)); }},
    {Operation::product, &Sentence::dropped_weight, [](LineWriter& writer) { writer.pair(" × ", writer.value(1)); }},
    // The mask says what is hidden, the factor what stays.
    {Operation::keep_seen, &Sentence::keep_seen, [](LineWriter& writer) { writer.pair(" × ", 1 - writer.value(1)); }},
    {Operation::kept_or_dropped, &Sentence::factor, write_start},
    {Operation::set_by_user, &Sentence::set_by_user, write_start},
    {Operation::switched_off, &Sentence::switched_off, write_start},
    {Operation::row_maximum, nullptr, write_maximum},
    {Operation::row_sum, nullptr, write_row_sum},
    {Operation::exponential_sum, nullptr, write_exponential_sum},
    {Operation::row_rms, nullptr, write_row_rms},
    {Operation::read, nullptr, write_read},
}};

constexpr bool operations_are_in_order() {
  for (std::size_t i = 0; i < operation_table.size(); ++i)
    if (static_cast<std::size_t>(operation_table[i].operation) != i) return false;
  return true;
}
static_assert(operations_are_in_order(), "a row for each operation, in their order");

const OperationWords& words_of(Operation operation) { return operation_table[static_cast<std::size_t>(operation)]; }

}  // namespace

std::string sentence_of(const Result& result, const Explanation& explanation, const Source& source,
                        const RowNames& names) {
  const auto sentence = words_of(explanation.operation).sentence;
  return sentence ? (Sentence(result, explanation, source, names).*sentence)() : "";
}

void write_arithmetic(LineWriter& writer) { words_of(writer.explanation.operation).arithmetic(writer); }

}  // namespace attnscope
