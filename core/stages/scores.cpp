// Scores, and the steps from scores to scores.

#include "core/attention.h"
#include "core/evaluate.h"
#include "core/kernels/kernels.h"
#include "core/stages/support.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace attnscope {

namespace {

using namespace stage_rules;
using Config = AttentionConfig;

// Queries times keys: a row of the first times a row of the second.

std::vector<SourceLine> score_operands(const Config& config, const Source& cell, const StageList& from) {
  return {row_line(config, cell, from[0], cell.row), row_line(config, cell, from[1], cell.col)};
}

CellRect scored_from(const Config& config, const Reached& stage, std::size_t place, const Reached& of) {
  if (place == 0) return whole_rows(config, stage, place, of);
  return {0, of.rect.row, stage.rect.rows, of.rect.rows};
}

std::string sentence_of_score(const CellWords& of) {
  const std::string_view form =
      has_queries(of.config())
          ? "How well the query of {} fits the key of {}: their {} dimensions, multiplied and added."
          : "How alike {} and {} are: their {} dimensions, multiplied and added.";
  return fmt::format(fmt::runtime(form), of.query(), of.key(), of.terms());
}

constexpr Operation query_times_key = {
    .sentence = sentence_of_score, .arithmetic = write_sum_of_products, .is_sum_of_products = true};

constexpr CellRule comparison = {
    .make = make_of_two<attention_scores>,
    .operations = [](const Config& config, Stage) { return score_operations(config, Pairs::all); },
    .is_turned = [](const Config&) { return true; },
    .operation = does<query_times_key>,
    .operands = score_operands,
    .dependents = scored_from,
    .code =
        [](const StageCode& code, Stage, const Names& from) {
          return from[0] + " @ " + code.transposed(fmt::format("{}{}", from[1], code.shared_heads()));
        },
    .latex =
        [](const Config&, Stage, const Names& from) {
          const bool has_superscript = from[1].find('^') != std::string::npos;
          return fmt::format(fmt::runtime(has_superscript ? "{} ({})^{{\\top}}" : "{} {}^{{\\top}}"), from[0], from[1]);
        },
    .sign = "×"};

// The mask: 1 where the query may not see the key.

// Says which key a query stands beside where there are more or fewer keys, and which libraries do it how.
std::string alignment_words(const Config& config) {
  if (config.mask == MaskRoute::custom || query_count(config) == key_count(config)) return "";
  return config.mask_alignment == MaskAlignment::lower_right
             ? " The last query stands beside the last key, as in FlashAttention from 2.1 on; PyTorch's is_causal puts "
               "the first beside the first (mask_alignment upper_left)."
             : " The first query stands beside the first key, as with PyTorch's is_causal; FlashAttention from 2.1 on "
               "puts the last beside the last (mask_alignment lower_right).";
}

std::string sentence_of_mask(const CellWords& of) {
  if (!of.is_causal()) {
    return of.say(of.is_hidden() ? "1: the mask hides {key} from {query}." : "0: {query} may look at {key}.") +
           alignment_words(of.config());
  }
  if (of.is_hidden()) return of.say("1: {key} comes after {query}, which may not look there.");
  return of.say(of.source.row == of.source.col ? "0: {query} may look at itself."
                                               : "0: {key} comes before {query}, which may look there.");
}

std::string mask_latex(const Config& config, Stage, const Names&) {
  const bool is_custom = config.mask == MaskRoute::custom;
  return fmt::format("\\begin{{cases}} 1 & \\text{{where the key {}}} \\\\ 0 & \\text{{else}} \\end{{cases}}",
                     is_custom ? "is hidden from the query" : "comes after the query");
}

constexpr CellRule mask_making = {
    .make = [](Tensor& out, const Run& run, Stage,
               const StageList&) { hide_keys(out, visibility(run.config), run.part.query); },
    .operation = does<operations::mask_rule>,
    .code = [](const StageCode& code, Stage, const Names&) { return std::string(code.dialect.mask_is_made); },
    .latex = mask_latex};

// Masking: minus infinity where the mask is 1.

std::string sentence_of_masked(const CellWords& of) {
  return of.say(of.is_causal() ? "{key} comes after {query}, which may not look there: −∞ makes its weight 0."
                               : "The mask hides {key} from {query}: −∞ makes its weight 0.");
}

void write_masked(CellWords& of) {
  of.two_numbers(of.text(0), of.from(0), " → " + of.number(of.explanation.value), of.from(1));
}

constexpr Operation not_hidden = {
    .sentence = "{query} may look at {key}: the score stays as it is.", .arithmetic = write_copied, .is_copy = true};

constexpr CellRule hiding = {
    .make = make_of_two<mask_scores>,
    .operation = [](const Result& result, const Source& cell, bool) -> const Operation& {
      return is_masked(result, cell) ? operations::masked : not_hidden;
    },
    .code = [](const StageCode& code, Stage,
               const Names& from) { return fmt::format(fmt::runtime(code.dialect.masked), from[0], from[1]); },
    .latex = "\\begin{{cases}} -\\infty & \\text{{where }} {1} = 1 \\\\ {0} & \\text{{else}} \\end{{cases}}",
    .sign = "hide",
    .note = "M = 1 → −∞"};

// Scaling, and the soft cap: a function of the score, the same for every cell.

constexpr Operation left_as_it_is = {.arithmetic = write_copied, .is_copy = true};

float root_of_features(const Config& config) {
  return static_cast<float>(std::sqrt(static_cast<double>(head_features(config))));
}

float softcap_of(const Config& config) { return static_cast<float>(*config.softcap); }

std::string amount_text(float amount, int decimals) { return format_fixed(static_cast<double>(amount), decimals); }

bool is_scaled(const Config& config) { return config.scale; }

void write_scaled(CellWords& of) {
  const bool divides = !of.config().scale_factor;
  const float amount = divides ? root_of_features(of.config()) : score_scale(of.config());
  of.words(divides ? "Divided by √head_dim:" : "Multiplied by scale:");
  of.leads_on(of.text(0) + (divides ? " / " : " × ") + of.number(amount));
}

void write_capped(CellWords& of) {
  of.words("Capped at c = softcap:");
  of.leads_on(fmt::format("{1} · tanh({0} / {1})", of.text(0), of.number(softcap_of(of.config()))));
}

std::string sentence_of_scaled(const CellWords& of) {
  return of.config().scale_factor
             ? "The larger scale is, the further apart the scores lie and the more softmax gives all to one; "
               "1/√head_dim is usual."
             : "With more dimensions in a head, its scores lie further apart, and softmax gives nearly all to one key. "
               "Dividing by √head_dim keeps their spread about the same.";
}

constexpr Operation scaled = {.sentence = sentence_of_scaled, .arithmetic = write_scaled};
constexpr Operation capped = {.sentence = "No score is further from 0 than c, so that no key gets everything.",
                              .arithmetic = write_capped};

std::string scale_sign(const Config& config) {
  return config.scale_factor ? "× " + amount_text(score_scale(config), 3) : fmt::format("÷ √{}", head_features(config));
}
std::string scale_note(const Config& config) {
  return config.scale_factor ? "" : "= " + amount_text(root_of_features(config), 3);
}

std::string cap_sign(const Config& config) { return "c = " + amount_text(softcap_of(config), 2); }

std::string scaled_code(const StageCode& code, Stage, const Names& from) {
  if (!is_scaled(code.config)) return from[0];
  if (code.config.scale_factor) return fmt::format("{} * {}", from[0], score_scale(code.config));
  return fmt::format("{} / {}.shape[-1]**0.5", from[0], code.name(keys_stage(code.config)));
}

std::string scaled_latex(const Config& config, Stage, const Names& from) {
  if (!is_scaled(config)) return from[0];
  if (config.scale_factor) return fmt::format("{} \\cdot {}", score_scale(config), from[0]);
  return fmt::format("{} / \\sqrt{{{}}}", from[0], head_features(config));
}

void make_scaled(Tensor& out, const Run& run, Stage, const StageList& from) {
  if (run.config.scale_factor) return multiply_scores(out, run[from[0]], score_scale(run.config), run.execution);
  scale_scores(out, run[from[0]], head_features(run.config), run.execution);
}

constexpr CellRule scaling = {.make = make_scaled,
                              .operation = [](const Result& result, const Source&, bool) -> const Operation& {
                                return is_scaled(result.config) ? scaled : left_as_it_is;
                              },
                              .code = scaled_code,
                              .latex = scaled_latex,
                              .sign = scale_sign,
                              .note = scale_note};

constexpr CellRule capping = {
    .make = [](Tensor& out, const Run& run, Stage,
               const StageList& from) { cap_scores(out, run[from[0]], softcap_of(run.config), run.execution); },
    .operation = does<capped>,
    .code =
        [](const StageCode& code, Stage, const Names& from) {
          return fmt::format("{1} * {2}.tanh({0} / {1})", from[0], softcap_of(code.config), code.dialect.module);
        },
    .latex =
        [](const Config& config, Stage, const Names& from) {
          return fmt::format("{1} \\tanh\\bigl( {0} / {1} \\bigr)", from[0], softcap_of(config));
        },
    .sign = cap_sign,
    .note = "c · tanh(S/c)"};

// The bias of the cell.

std::string sentence_of_biased(const CellWords& of) {
  return of.say(std::isinf(of.explanation.value) ? "A bias of −∞ hides {key} from {query}, as a mask does."
                                                 : "The bias moves the score of {key} for {query} before softmax.");
}

void write_biased(CellWords& of) {
  const Source& cell = of.source;
  const Index matrix = matrix_of(of.config(), cell.stage, cell.batch, cell.head);
  const float bias = Bias(of.config()).at(matrix, cell.row, cell.col);
  of.words("Plus the bias of this query and key:");
  of.leads_on(fmt::format("{} + {}", of.text(0), of.number(bias)));
}

constexpr Operation biased = {.sentence = sentence_of_biased, .arithmetic = write_biased};

constexpr CellRule bias_addition = {
    .make =
        [](Tensor& out, const Run& run, Stage, const StageList& from) {
          add_bias(out, run[from[0]], Bias(run.config, run.part.matrix, run.part.query), run.execution);
        },
    .operation = does<biased>,
    .code = [](const StageCode& code, Stage,
               const Names& from) { return fmt::format("{} + {}", from[0], code.dialect.bias); },
    .latex = "{} + b",
    .sign = "+ b",
    .note = "cell by cell"};

// Rows.

std::string no_masked_scores(const Config& config) {
  return stage_rules::is_masked(config) ? "the mask comes after softmax" : "no mask: every query sees every key";
}

StageList queries_and_keys(const Config& config, Stage) {
  if (has_rope(config)) return {Stage::rotated_queries, Stage::rotated_keys};
  if (has_qk_norm(config)) return {Stage::normalized_queries, Stage::normalized_keys};
  return has_queries(config) ? StageList{Stage::queries, Stage::keys} : StageList{Stage::inputs, Stage::inputs};
}

// Batches and heads are axes before the last two.
StageWording score_wording(const Config& config, Stage stage) {
  if (config.mechanism == Mechanism::simple_self_attention) return {"S = X Xᵀ", "attn_scores = inputs @ inputs.T"};
  if (has_rope(config) || has_qk_norm(config)) {
    const StageInfo& queries = info(queries_stage(config));
    const StageInfo& keys = info(keys_stage(config));
    return {fmt::format("S = {} {}ᵀ", queries.symbol, keys.symbol),
            fmt::format("attn_scores = {} @ {}.transpose(2, 3)", queries.id, keys.id)};
  }
  if (info(config.mechanism).splits_heads) return wording_of_row(stage);
  const bool has_batches = info(config.mechanism).has_dropout;
  return {std::string(info(stage).formula),
          has_batches ? "attn_scores = queries @ keys.transpose(1, 2)" : "attn_scores = queries @ keys.T"};
}

StageWording mask_wording(const Config& config, Stage stage) {
  if (config.mask == MaskRoute::custom || config.sliding_window)
    return {"M = 1 where the key is hidden from the query", "mask[query, first:last] = True"};
  return wording_of_row(stage);
}

StageWording scaled_wording(const Config& config, Stage stage) {
  if (config.scale_factor) return {"S × scale", "scaled = attn_scores * scale"};
  return wording_of_row(stage);
}

// The mask follows from no other stage, and is as large as there are tokens.
constexpr ConfigPart mask_and_size = {
    .differs =
        [](const Config& left, const Config& right) {
          return left.mask != right.mask || visibility(left) != visibility(right) ||
                 query_count(left) != query_count(right);
        },
    .copy = part_of<&Config::mask, &Config::hidden, &Config::mask_alignment, &Config::sliding_window>.copy};

constexpr std::array rows_of_scores = {
    StageInfo{.stage = Stage::scores,
              .id = "scores",
              .symbol = "S",
              .formula = "S = Q Kᵀ",
              .pytorch = "attn_scores = queries @ keys.transpose(2, 3)",
              .axes = StageAxes::head_query_key,
              .place = {Band::compare, 1},
              .rule = always<comparison>,
              .follows_from = queries_and_keys,
              .is_step = true,
              .about = [](const Config& config) -> std::string {
                return has_queries(config) ? "how well each query matches each key: their dot product"
                                           : "how alike two embeddings are: their dot product";
              },
              .wording = score_wording,
              .block = {.subtitle =
                            [](const Config& config) {
                              return fmt::format("S = {} {}ᵀ {{}}", info(queries_stage(config)).symbol,
                                                 info(keys_stage(config)).symbol);
                            },
                        .sign = "×"}},
    StageInfo{.stage = Stage::mask,
              .id = "mask",
              .symbol = "M",
              .formula = "M = 1 where the key comes after the query",
              .pytorch = "mask = torch.triu(torch.ones(T, T), diagonal=1)",
              .axes = StageAxes::query_key,
              .range = StageRange::boolean,
              .place = {Band::compare},
              .rule = always<mask_making>,
              .exists = stage_rules::is_masked,
              .reads = &mask_and_size,
              .about = "1 hides a key from a query",
              .wording = mask_wording,
              .caption = [](const Config& config) -> std::string {
                return config.mask == MaskRoute::custom ? "mask" : "mask: causal";
              },
              .short_caption = "mask"},
    StageInfo{.stage = Stage::masked_scores,
              .id = "masked_scores",
              .title = "masked scores",
              .symbol = "Sₘ",
              .latex = "S_M",
              .formula = "Sₘ = −∞ where M = 1, else S",
              .pytorch = "masked = attn_scores.masked_fill(mask.bool(), -torch.inf)",
              .axes = StageAxes::head_query_key,
              .place = {Band::compare, 2},
              .rule = always<hiding>,
              .exists = masks_scores,
              .absence = no_masked_scores,
              .follows_from = before_and_mask,
              .is_step = true,
              // Minus infinity would come out of the cap as -c, and be seen. A bias is added after scaling and cap.
              .waits = [](const Config& config) { return has_softcap(config) || has_bias(config); },
              .about = "a hidden key's score is −∞, which softmax turns into 0",
              .block = {.subtitle = "−∞ where hidden"},
              .omission = [](const Config& config) -> std::string {
                if (config.mask == MaskRoute::none) return "no mask";
                return masks_scores(config) ? "" : "masked later";
              },
              .scene = {.title = [](const Config& config) -> std::string {
                const bool is_causal = config.mask == MaskRoute::causal && !config.sliding_window;
                return is_causal ? "What comes later is hidden" : "The mask hides keys";
              }},
              .control = "mask"},
    StageInfo{.stage = Stage::scaled_scores,
              .id = "scaled_scores",
              .title = "scaled scores",
              .symbol = "S/√head_dim",
              .latex = "\\tilde{S}",
              .formula = "S ÷ √head_dim",
              .pytorch = "scaled = attn_scores / keys.shape[-1]**0.5",
              .axes = StageAxes::head_query_key,
              .place = {Band::compare, 3},
              .rule = always<scaling>,
              .exists = has_scaled_scores,
              .absence = "scaling is off: scores go straight on",
              .acts = is_scaled,
              .follows_from = before,
              .reads = &part_of<&Config::scale, &Config::scale_factor>,
              .is_step = true,
              .about = [](const Config& config) -> std::string {
                if (config.scale_factor) return "each score times a factor that you chose";
                return fmt::format("divided by √{} = {}, so that scores do not grow with head_dim",
                                   head_features(config),
                                   format_fixed(std::sqrt(static_cast<double>(head_features(config))), 3));
              },
              .wording = scaled_wording,
              .block = {.subtitle = [](const Config& config) -> std::string {
                          return config.scale_factor ? "× scale {}" : "÷ √head_dim {}";
                        },
                        .sign = scale_sign,
                        .note = scale_note},
              // Scaling by 1 leaves the scores as they are: a word says so, and no matrix repeats them.
              .omission = [](const Config& config) -> std::string {
                if (!acts_in(config, Stage::scaled_scores)) return "not scaled";
                if (score_scale(config) != 1.0F) return "";
                return scale_sign(config) + ": unchanged";
              },
              .scene = {.title = [](const Config& config) -> std::string {
                return config.scale_factor ? "Scores are multiplied by a factor" : "Scores shrink by √head_dim";
              }},
              .control = "scale"},
    StageInfo{.stage = Stage::capped_scores,
              .id = "capped_scores",
              .title = "capped scores",
              .symbol = "c·tanh(S/c)",
              .latex = "S_c",
              .formula = "c · tanh(scaled scores ÷ c), with c = softcap",
              .pytorch = "capped = softcap * torch.tanh(scaled / softcap)",
              .axes = StageAxes::head_query_key,
              .place = {Band::compare, 3},
              .rule = always<capping>,
              .exists = has_softcap,
              .absence = "no soft cap",
              .follows_from = before,
              .reads = &part_of<&Config::softcap>,
              .work = 500,
              .is_step = true,
              .about = "squeezed, so that no score is further from 0 than the cap",
              .block = {.subtitle = "c · tanh(scores ÷ c)", .sign = "cap", .note = cap_sign},
              .scene = {.title = "No score goes beyond the cap", .name = "cap"},
              .control = "softcap"},
    StageInfo{.stage = Stage::biased_scores,
              .id = "biased_scores",
              .title = "biased scores",
              .symbol = "S + b",
              .latex = "S_b",
              .formula = "scaled scores + bias, cell by cell",
              .pytorch = "biased = scaled + bias",
              .axes = StageAxes::head_query_key,
              .place = {Band::compare, 4},
              .rule = always<bias_addition>,
              .exists = has_bias,
              .follows_from = before,
              .reads = &part_of<&Config::bias>,
              .is_step = true,
              .about = "each score plus its bias",
              .block = {.subtitle = "+ bias {}", .sign = "+"},
              .scene = {.title = "Each score gets its bias", .name = "+ bias"}},
};

}  // namespace

constinit const Operation operations::mask_rule = {.sentence = sentence_of_mask, .arithmetic = write_start};
constinit const Operation operations::masked = {.sentence = sentence_of_masked, .arithmetic = write_masked};
constinit const std::span<const StageInfo> stage_rules::score_rows = rows_of_scores;

ScoreMap score_map(const Config& config) {
  return {.scale = score_scale(config), .cap = config.softcap ? softcap_of(config) : 0};
}

}  // namespace attnscope
