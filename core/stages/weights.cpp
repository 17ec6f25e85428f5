// Weights: scores turned into shares, and what mask and dropout make of them.

#include "core/attention.h"
#include "core/dropout.h"
#include "core/stages/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope {

namespace {

using namespace stage_rules;
using Config = AttentionConfig;

HiddenRow hidden_rows_of(const Run& run, Stage stage) {
  if (has_bias(run.config)) {
    return [&run, stage](Index matrix, Index query) {
      return sees_nothing(run.config, stage, run.part.matrix + matrix, run.part.query + query);
    };
  }
  return [seen = visibility(run.config, stage), first = run.part.query](Index, Index query) {
    return seen.of(first + query).is_empty();
  };
}

bool row_sees_nothing(const Config& config, const Source& cell) {
  return sees_nothing(config, cell.stage, cell.batch * head_count(config) + cell.head, cell.row);
}

std::string words_of_nothing(const CellWords& of, std::string_view why) {
  return fmt::format(
      "Every key is hidden from {}, so that there is nothing to share out: this program makes the whole row 0. In "
      "PyTorch it is NaN, because {} is not a number.",
      of.query(), why);
}

// Each number's share of the sum of its row.

void make_shares(Tensor& out, const Run& run, Stage stage, const StageList& from) {
  normalize_rows(out, run[from[0]], hidden_rows_of(run, stage), run.execution);
}

std::vector<SourceLine> share_operands(const Config& config, const Source& cell, const StageList& from) {
  if (row_sees_nothing(config, cell)) return {};
  return {cell_line(cell, from[0], cell.row, cell.col), number_line(cell, from[0], SourceKind::row_sum)};
}

constexpr Operation nothing_to_share = {
    .sentence = [](const CellWords& of) { return words_of_nothing(of, "the row is divided by its sum, and 0 / 0"); },
    .arithmetic = write_equals};
// Scores that are divided by their sum instead of softmax, or weights of which a mask left a part.
std::string sentence_of_share(const CellWords& of) {
  if (of.source.stage == Stage::weights) return of.say("The score of {key} as a share of the sum of its row.");
  return fmt::format("The weights that the mask left {} sum to {}: divided by that, they sum to 1 again.", of.query(),
                     of.text(1));
}

constexpr Operation shared = {.sentence = sentence_of_share,
                              .arithmetic = [](CellWords& of) { of.pair(" / ", of.value(1)); }};

constexpr CellRule share_of_row = {
    .make = make_shares,
    .operation = [](const Result&, const Source&, bool has_operands) -> const Operation& {
      return has_operands ? shared : nothing_to_share;
    },
    .operands = share_operands,
    .dependents = whole_rows,
    .reads_row = true,
    .code = [](const StageCode& code, Stage,
               const Names& from) { return fmt::format("{0} / {0}{1}", from[0], code.dialect.row_sum); },
    .latex = "{} / \\text{{(sum of its row)}}",
    .sign = "÷ Σ",
    .note = "of the row"};

// Softmax of each row.

void make_softmax(Tensor& out, const Run& run, Stage stage, const StageList& from) {
  softmax_rows(out, run[from[0]], hidden_rows_of(run, stage), run.execution);
}

std::vector<SourceLine> softmax_operands(const Config& config, const Source& cell, const StageList& from) {
  if (row_sees_nothing(config, cell)) return {};
  return {cell_line(cell, from[0], cell.row, cell.col), number_line(cell, from[0], SourceKind::row_maximum),
          number_line(cell, from[0], SourceKind::exponential_sum)};
}

// Returns whether the visible keys have one score: then the sum of exp(score − largest) counts them.
bool has_equal_scores(const CellWords& of, Index keys) {
  return of.value(0) == of.value(1) && of.value(2) == static_cast<float>(keys);
}

std::string sentence_of_softmax(const CellWords& of) {
  if (of.is_hidden()) return of.say("{key} is hidden from {query}: exp(−∞) is 0.");
  if (std::isinf(of.value(0))) return of.say("The bias of −∞ hides {key} from {query}: exp(−∞) is 0.");
  const Index keys = masks_weights(of.config()) ? key_count(of.config()) : of.seen_keys();  // a later mask hides none
  if (keys > 1 && has_equal_scores(of, keys))
    return fmt::format("{}, so each of {} keys gets {}\u00a0%.",
                       of.value(0) == 0 ? of.query() + " looks for nothing here: its scores are 0"
                                        : "All scores of " + of.query() + " are equal",
                       keys, format_fixed(100 * static_cast<double>(of.explanation.value), 1));
  return fmt::format("{} shares its attention out among {} {}; {} gets {}\u00a0%.", of.query(), keys,
                     keys == 1 ? "key" : "keys", of.key(),
                     format_fixed(100 * static_cast<double>(of.explanation.value), 1));
}

void write_softmax(CellWords& of) {
  const float score = of.value(0);
  const float largest = of.value(1);
  of.note("The row's largest score is subtracted first, so that exp cannot overflow.");
  std::string name = of.name_of(of.from(0));  // "scaled scores"
  name.pop_back();
  constexpr std::string_view of_row = "row's largest";
  const std::size_t width = std::max(name.size(), of_row.size());
  of.arithmetic(fmt::format("{:<{}} {}", name, width, of.number(score)), of.from(0));
  of.arithmetic(fmt::format("{:<{}} {}", of_row, width, of.number(largest)), of.from(1));
  const std::string exponential = of.number(std::exp(static_cast<double>(score) - static_cast<double>(largest)));
  const std::string subtracted = largest < 0 ? "(" + of.number(largest) + ")" : of.number(largest);
  of.arithmetic(fmt::format("exp({} − {})", of.number(score), subtracted));
  of.arithmetic("= " + exponential);
  of.note("Divided by the sum of the row's exponentials:");
  of.two_numbers(exponential + " / ", of.from(0), of.text(2), of.from(2));
  of.equals();
}

constexpr CellRule softmax_of_row = {
    .make = make_softmax,
    .operation = [](const Result&, const Source&, bool has_operands) -> const Operation& {
      return has_operands ? operations::softmax : operations::nothing_left;
    },
    .operands = softmax_operands,
    .dependents = whole_rows,
    .reads_row = true,
    .code =
        [](const StageCode& code, Stage, const Names& from) {
          return fmt::format(fmt::runtime(code.dialect.softmax), from[0]) +
                 (has_empty_rows(code.config) ? fmt::format(fmt::runtime(code.dialect.zero_rows), from[0]) : "");
        },
    .latex = "\\operatorname{{softmax}}\\bigl( {} \\bigr) \\text{{, row by row}}",
    .sign = "softmax",
    .note = "along the row"};

// A mask after softmax.

std::string sentence_of_mask_after(const CellWords& of) {
  if (of.value(1) == 0) return of.say("{query} may look at {key}: the weight stays.");
  return of.say(of.is_causal() ? "{key} comes after {query}: its weight becomes 0."
                               : "The mask hides {key} from {query}: its weight becomes 0.");
}

constexpr Operation times_not_hidden = {.sentence = sentence_of_mask_after, .arithmetic = [](CellWords& of) {
                                          of.pair(" × ", 1 - of.value(1));
                                        }};  // the factor says what stays

constexpr CellRule keep_not_hidden = {.make = make_of_two<mask_weights>,
                                      .operation = does<times_not_hidden>,
                                      .code = "{} * ~{}",
                                      .latex = "{} \\odot (1 - {})",
                                      .sign = "× (1 − M)"};

// Dropout factors: 0 or 1/(1-p), as drawn or as the user wants them.

void make_factors(Tensor& out, const Run& run, Stage, const StageList&) {
  if (const DropoutMask* const mask = run.result.dropout.get())
    return read_dropout_factors(out, *mask, run.part.matrix, run.part.query, run.execution);
  const Generator generator = dropout_generator(run.config, run.result.after_parameters);
  draw_all_dropout_factors(out, run.config, generator, run.execution);
}

std::optional<bool> kept_by_hand(const Config& config, const Source& cell) {
  return kept_by_user(config, cell.batch, cell.head, cell.row, cell.col);
}

std::vector<SourceLine> factor_operands(const Config& config, const Source& cell, const StageList&) {
  const bool draws = dropout_is_active(config) && config.dropout > 0 && config.dropout < 1;
  return draw_if(draws && !kept_by_hand(config, cell), cell);
}

float drawn_for(const CellWords& of) {
  Source draw = of.source;
  draw.kind = SourceKind::draw;
  return value_at(of.result, draw);
}

std::string sentence_of_factor(const CellWords& of) {
  const Config& config = of.config();
  if (!dropout_is_active(config)) return "Nothing is dropped here.";
  if (config.dropout >= 1) return "At a rate of 1 everything is dropped.";
  if (config.dropout <= 0) return "Kept: nothing is drawn at a rate of 0.";
  const std::string drawn = of.number(drawn_for(of));
  const std::string kept_below = format_dropout_rate(1 - config.dropout);
  if (of.explanation.value == 0)
    return fmt::format("Dropped: its random number {} is not below 1 − p = {}.", drawn, kept_below);
  return fmt::format(
      "Kept: its random number {} is below 1 − p = {}; multiplied by 1/(1 − p), a weight stays the same on average.",
      drawn, kept_below);
}

std::string sentence_of_set_factor(const CellWords& of) {
  const std::string_view done = of.explanation.value > 0 ? "Kept by you" : "Dropped by you";
  if (of.config().dropout <= 0) return fmt::format("{}: nothing is drawn at a rate of 0.", done);
  const bool would_be_kept = is_kept_as_drawn(of.result, of.source);
  if (would_be_kept == (of.explanation.value > 0)) return fmt::format("{}, as it was drawn.", done);
  return fmt::format("{}: its random number {} would have {} it.", done, of.number(drawn_for(of)),
                     would_be_kept ? "kept" : "dropped");
}

constexpr Operation kept_or_dropped = {.sentence = sentence_of_factor, .arithmetic = write_start};
constexpr Operation set_by_user = {.sentence = sentence_of_set_factor, .arithmetic = write_start};

std::string factor_latex(const Config& config, Stage, const Names&) {
  if (!dropout_is_active(config)) return "1 \\text{, because nothing is dropped}";
  return fmt::format(
      "\\begin{{cases}} 0 & \\text{{where dropped}} \\\\ 1 / (1 - {}) & \\text{{where kept}} \\end{{cases}}{}",
      config.dropout, acting_dropout_edits(config).empty() ? "" : " \\text{ (some by hand)}");
}

constexpr CellRule keep_or_drop = {.make = make_factors,
                                   .operation = [](const Result& result, const Source& cell, bool) -> const Operation& {
                                     return kept_by_hand(result.config, cell) ? set_by_user : kept_or_dropped;
                                   },
                                   .operands = factor_operands,
                                   .is_drawn = true,
                                   .code = [](const StageCode& code, Stage, const Names&) -> std::string {
                                     if (draws_dropout(code.config)) return "";
                                     return fmt::format(fmt::runtime(code.dialect.ones_like),
                                                        code.name(normalized_weights_stage(code.config)));
                                   },
                                   .latex = factor_latex};

// Dropout: weights times factors.

std::string sentence_of_dropped(const CellWords& of) {
  const Config& config = of.config();
  if (!dropout_is_active(config)) return "";
  if (of.is_hidden()) return of.say("{key} is hidden from {query}: 0 stays 0.");
  const bool is_set = kept_by_hand(config, of.source).has_value();
  if (of.value(1) == 0) {
    return of.say(is_set ? "Dropped by you: {key} adds nothing to the context of {query}."
                         : "Dropped: with this mask {key} adds nothing to the context of {query}.");
  }
  if (config.dropout <= 0) return "Kept unchanged: at a rate of 0 nothing is dropped or scaled.";
  const Index kept = of.kept_keys();
  const std::string weight = of.text(0);
  const std::string average = is_set ? "" : fmt::format(" Its average over many masks is still {}.", weight);
  return fmt::format("{} of the {} weights of {} {} kept, and each is divided by 1 − p = {}: {} becomes {}.{}", kept,
                     of.seen_keys(), of.query(), kept == 1 ? "is" : "are", format_dropout_rate(1 - config.dropout),
                     weight, of.number(of.explanation.value), average);
}

constexpr Operation times_factor = {.sentence = sentence_of_dropped,
                                    .arithmetic = [](CellWords& of) { of.pair(" × ", of.value(1)); }};

constexpr CellRule drop = {.make = make_of_two<drop_weights>,
                           .operation = does<times_factor>,
                           .code = "{} * {}",
                           .latex = "{} \\odot {}",
                           .sign = "×",
                           .note = "cell by cell"};

// Rows.

std::string no_masked_weights(const Config& config) {
  return stage_rules::is_masked(config) ? "masked before softmax: weights go straight on"
                                        : "no mask: weights go straight on";
}

std::string not_renormalized(const Config& config) {
  return masks_weights(config) ? "not renormalized: rows stay below 1" : "rows sum to 1 as they are";
}

std::string no_dropout(const Config& config) {
  if (!has_dropout(config)) return "no dropout: weights go straight on";
  return config.training ? "dropout is off: weights go straight on" : "evaluation: nothing is dropped";
}

StageWording weights_wording(const Config& config, Stage stage) {
  if (normalizes_by_sum(config))
    return {"A = S ÷ (sum of its row)", "attn_weights = attn_scores / attn_scores.sum(dim=-1, keepdim=True)"};
  if (!config.scale && !config.softcap)
    return {"A = softmax(S), row by row", "attn_weights = torch.softmax(attn_scores, dim=-1)"};
  const Stage from = normalized_from_stage(config);
  if (from == Stage::scaled_scores && config.scale_factor)
    return {"A = softmax(S × scale), row by row", "attn_weights = torch.softmax(scaled, dim=-1)"};
  if (from == Stage::scaled_scores) return wording_of_row(stage);
  return {fmt::format("A = softmax({}), row by row", info(from).symbol),
          fmt::format("attn_weights = torch.softmax({}, dim=-1)", info(from).id)};
}

// Before the rate of 1, at which nothing is kept.
double factor_of_kept(const Config& config) { return 1 / (1 - std::min(config.dropout, 0.999999)); }

constexpr std::array rows_of_weights = {
    StageInfo{.stage = Stage::weights,
              .id = "weights",
              .title = "attention weights",
              .symbol = "A",
              .formula = "A = softmax(S/√head_dim), row by row",
              .pytorch = "attn_weights = torch.softmax(scaled, dim=-1)",
              .axes = StageAxes::head_query_key,
              .range = StageRange::probability,
              .place = {Band::compare, 4},
              .rule = [](const Config& config) -> const CellRule& {
                return normalizes_by_sum(config) ? share_of_row : softmax_of_row;
              },
              .follows_from = before,
              .reads = &part_of<&Config::normalization>,
              .work = 500,
              .is_step = true,
              .about = "each query's scores turned into shares: every row sums to 1",
              .wording = weights_wording,
              .block = {.subtitle = [](const Config& config) -> std::string {
                          return normalizes_by_sum(config) ? "A = shares, row by row {}" : "A = softmax, row by row {}";
                        },
                        .short_subtitle = "A {}",
                        .sign = [](const Config& config) -> std::string {
                          return normalizes_by_sum(config) ? "each row ÷ its sum" : "softmax along each row";
                        },
                        .rank = 1},
              .scene = {.title = [](const Config& config) -> std::string {
                          return normalizes_by_sum(config) ? "Scores become shares" : "Softmax: scores become shares";
                        },
                        .name = [](const Config& config) -> std::string {
                          return normalizes_by_sum(config) ? "÷ sum" : "softmax";
                        }}},
    StageInfo{.stage = Stage::masked_weights,
              .id = "masked_weights",
              .title = "masked weights",
              .symbol = "Aₘ",
              .latex = "A_M",
              .formula = "Aₘ = A × (1 − M)",
              .pytorch = "masked_weights = attn_weights * torch.tril(torch.ones(T, T))",
              .axes = StageAxes::head_query_key,
              .range = StageRange::probability,
              .place = {Band::mix, 0},
              .rule = always<keep_not_hidden>,
              .exists = masks_weights,
              .absence = no_masked_weights,
              .follows_from = before_and_mask,
              .is_step = true,
              .about = "hidden keys lose their weight after softmax, and rows no longer sum to 1",
              .block = {.subtitle = "A ⊙ not hidden", .sign = "⊙"},
              .scene = {.title = "The mask hides weights", .name = "hide"},
              .control = "mask"},
    StageInfo{.stage = Stage::renormalized_weights,
              .id = "renormalized_weights",
              .title = "renormalized weights",
              .symbol = "Aₙ",
              .latex = "\\bar{A}",
              .formula = "Aₙ = Aₘ ÷ (sum of its row)",
              .pytorch = "renormalized = masked_weights / masked_weights.sum(dim=-1, keepdim=True)",
              .axes = StageAxes::head_query_key,
              .range = StageRange::probability,
              .place = {Band::mix, 1},
              .rule = always<share_of_row>,
              .exists = renormalizes,
              .absence = not_renormalized,
              .follows_from = before,
              .is_step = true,
              .about = "each row divided by its sum, so that it sums to 1 again",
              .block = {.subtitle = "÷ row sum", .sign = "÷ Σ", .title = "renormalized"},
              .scene = {.title = "The shares add up to 1 again", .name = "÷ sum"},
              .control = "mask"},
    StageInfo{.stage = Stage::dropout_factors,
              .id = "dropout_factors",
              .title = "dropout factors",
              .symbol = "D",
              .formula = "D = 0 where dropped, 1 ÷ (1 − p) where kept",
              .pytorch = "factors = self.dropout(torch.ones_like(attn_weights))",
              .axes = StageAxes::head_query_key,
              .range = StageRange::factor,
              .place = {Band::mix},
              .rule = always<keep_or_drop>,
              .exists = has_dropout,
              .reads = &part_of<&Config::dropout, &Config::training, &Config::dropout_seed, &Config::dropout_kernel,
                                &Config::dropout_edits>,
              .work = 600,
              .about = "0 drops a weight; the others grow to make up for it",
              .caption =
                  [](const Config& config) {
                    const double kept = factor_of_kept(config);
                    return "dropout: kept × " + format_fixed(kept, kept == std::round(kept) ? 0 : 2);
                  },
              .short_caption = "dropout"},
    StageInfo{.stage = Stage::dropped_weights,
              .id = "dropped_weights",
              .title = "dropped weights",
              .symbol = "A × D",
              .latex = "A_D",
              .formula = "A × D, cell by cell",
              .pytorch = "attn_weights = self.dropout(attn_weights)",
              .axes = StageAxes::head_query_key,
              .range = StageRange::probability,
              .place = {Band::mix, 2},
              .rule = always<drop>,
              .exists = has_dropout,
              .absence = no_dropout,
              .acts = [](const Config& config) { return dropout_is_active(config); },
              .follows_from = [](const Config& config, Stage stage) -> StageList {
                return {before_on_route(config, stage), Stage::dropout_factors};
              },
              .is_step = true,
              .about = "in training, weights chosen at random are dropped and the others scaled up",
              .block = {.sign = "⊙", .rank = 2},
              .scene = {.title = "Dropout drops weights and enlarges the others", .name = "drop"},
              .control = "dropout"},
};

}  // namespace

constinit const Operation operations::softmax = {.sentence = sentence_of_softmax, .arithmetic = write_softmax};
constinit const Operation operations::nothing_left = {
    .sentence =
        [](const CellWords& of) {
          return words_of_nothing(of, "softmax subtracts the row's largest score first, and −∞ − (−∞)");
        },
    .arithmetic = write_equals};
constinit const std::span<const StageInfo> stage_rules::weight_rows = rows_of_weights;

}  // namespace attnscope
